/* hdf5_image.h - an HDF5 file that is built in memory and put in its place as a whole: whatever goes wrong before, a full
 * disk above all, HDF5 knows nothing of. */
#ifndef STORE_HDF5_IMAGE_H
#define STORE_HDF5_IMAGE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/spill.h"

struct hdf5_image {
    unsigned char *memory;
    struct spill *spill; /* in its place: a large one goes on in a file without a name, where it can */
    size_t size, rested; /* bytes; how many there were when they were last left to that file */
    bool kept;           /* HDF5 has closed it, and what it made is here */
};

/* The file, in the formats of HDF5 1.10, which have checksums over all metadata; negative when HDF5 cannot. `image` starts
 * as {0} and must stay where it is. The caller closes the file, then puts the image, then frees it. */
hid_t hdf5_image_create(struct hdf5_image *image);

/* 0 when it is on disk as `path`; else -1, and what was there before still is. */
int hdf5_image_put(struct hdf5_image *image, const char *path, struct error *error);
void hdf5_image_free(struct hdf5_image *image);

#endif
