#include "store/hdf5/image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"

#define INCREMENT ((size_t)1 << 20) /* bytes by which it grows */

/* A larger image moves from memory to a file without a name. */
#define LARGE ((size_t)16 << 20)

/* HDF5's core driver, with memory that stays ours when the file is closed. (H5Fget_file_image does not do: with 1.10.8 it
 * leaves a wrong checksum in the superblock.) */

static unsigned char *image_data(const struct hdf5_image *image)
{
    return image->spill ? spill_base(image->spill) : image->memory;
}

static void move_to_spill(struct hdf5_image *image)
{
    image->spill = spill_new();
    if (!image->spill)
        return;
    spill_reserve(image->spill, image->size);
    memcpy(spill_base(image->spill), image->memory, image->size);
    free(image->memory);
    image->memory = NULL;
}

static void *image_grow(struct hdf5_image *image, size_t size)
{
    if (image->memory && size > LARGE && image->size <= LARGE)
        move_to_spill(image);
    if (!image->spill)
        image->memory = memory_resize(image->memory, size, 1);
    else
        spill_reserve(image->spill, size);
    if (image->spill)
        spill_evict(image->spill);
    image->size = size;
    return image_data(image);
}

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)op;
    return image_grow(image, size);
}

static void *image_realloc(void *block, size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)op, (void)block;
    return image_grow(image, size);
}

static herr_t image_free(void *block, H5FD_file_image_op_t op, void *data)
{
    struct hdf5_image *image = data;
    (void)block;
    image->kept = op == H5FD_FILE_IMAGE_OP_FILE_CLOSE;
    return 0;
}

static void *image_share(void *image)
{
    return image;
}

static herr_t image_unshare(void *image)
{
    (void)image;
    return 0;
}

hid_t hdf5_image_create(struct hdf5_image *image)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_malloc,
                                             .image_realloc = image_realloc,
                                             .image_free = image_free,
                                             .udata_copy = image_share,
                                             .udata_free = image_unshare,
                                             .udata = image};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, INCREMENT, 0);
    H5Pset_file_image_callbacks(access, &callbacks);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_obj_track_times(create, 0);
    /* A name that no file has: HDF5 would first read that file. */
    hid_t file = H5Fcreate("/dev/null/image", H5F_ACC_TRUNC, create, access);
    H5Pclose(create);
    H5Pclose(access);
    return file;
}

/* The end-of-file address in a superblock of version 2 or 3 with 8-byte addresses (HDF5 File Format
 * Specification 3.0, II.A); 0 for another superblock. */
static size_t image_size(const struct hdf5_image *image)
{
    uint64_t size;
    const unsigned char *data = image_data(image);
    if (!image->kept || data[8] < 2 || data[8] > 3 || data[9] != 8)
        return 0;
    memcpy(&size, data + 28, sizeof size);
    return (size_t)size;
}

static int write_image(void *context, int fd)
{
    const struct hdf5_image *image = context;
    return image->spill ? spill_write(image->spill, image->size, fd)
                        : io_write_full(fd, image->memory, image->size);
}

int hdf5_image_put(struct hdf5_image *image, const char *path, struct error *error)
{
    image->size = image_size(image);
    if (!image->size)
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s: this HDF5 library writes a file layout that warpsweep does not know", path);
    return io_replace_file_by(path, write_image, image, error);
}

void hdf5_image_free(struct hdf5_image *image)
{
    spill_free(image->spill);
    free(image->memory);
    *image = (struct hdf5_image){0};
}
