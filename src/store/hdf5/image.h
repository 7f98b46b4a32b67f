/* image.h - an HDF5 file that is built in memory and then written in one go: HDF5 never meets a full disk. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/spill.h"

struct hdf5_image {
    unsigned char *memory;
    struct spill *spill; /* instead of memory, for a large image: a file without a name */
    size_t size;         /* bytes */
    bool kept;           /* HDF5 has closed the file: the image is complete */
};

/* Create the file, in the formats of HDF5 1.10, which have checksums over all metadata; negative when HDF5 cannot. `image`
 * starts as {0} and must not move. The caller closes the file, then puts the image, then frees it. */
hid_t hdf5_image_create(struct hdf5_image *image);

/* 0 when the image is on disk as `path`; else -1, and the file that was there still is. */
int hdf5_image_put(struct hdf5_image *image, const char *path, struct error *error);
void hdf5_image_free(struct hdf5_image *image);
