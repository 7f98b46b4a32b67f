#include "store/hdf5_chunks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "store/hdf5_rows.h"

bool hdf5_chunks_are_ours(hid_t set, size_t row_bytes)
{
    unsigned flags, config, shuffled = 0;
    size_t one = 1, none = 0;
    char name[2];
    hid_t create = H5Dget_create_plist(set);
    hsize_t rows = 0;
    bool ours =
        H5Pget_layout(create) == H5D_CHUNKED && H5Pget_nfilters(create) == 2 &&
        H5Pget_filter2(create, 0, &flags, &one, &shuffled, sizeof name, name, &config) ==
            H5Z_FILTER_SHUFFLE &&
        one == 1 && shuffled == row_bytes &&
        H5Pget_filter2(create, 1, &flags, &none, NULL, sizeof name, name, &config) == H5Z_FILTER_DEFLATE &&
        H5Pget_chunk(create, 1, &rows) == 1 && (rows == 1 || rows * row_bytes <= HDF5_CHUNK_BYTES);
    H5Pclose(create);
    return ours;
}

/* A chunk on its way. */
struct chunk {
    unsigned char *packed, *bytes; /* owned */
    size_t packed_capacity, size;  /* of `bytes` */
};

/* The chunk that starts at row `first`, as it lies in the file: its size, 0 when it cannot be read, or was packed otherwise.
 */
static size_t read_packed(const struct hdf5_source *source, hid_t set, hsize_t first, struct chunk *chunk)
{
    hsize_t size = 0;
    uint32_t left_out = 0; /* filters */
    if (H5Dget_chunk_storage_size(set, &first, &size) < 0 || !size || size > source->bytes)
        return 0;
    if (size > chunk->packed_capacity) {
        free(chunk->packed);
        chunk->packed = memory_new(size, 1);
        chunk->packed_capacity = size;
    }
    return H5Dread_chunk(set, H5P_DEFAULT, &first, &left_out, chunk->packed) < 0 || left_out ? 0
                                                                                             : (size_t)size;
}

/* All of the chunk's bytes, or it is damaged: deflate has a checksum. */
static bool unpack(const struct chunk *chunk, size_t packed)
{
    uLongf size = (uLongf)chunk->size;
    return uncompress(chunk->bytes, &size, chunk->packed, (uLong)packed) == Z_OK && size == chunk->size;
}

size_t hdf5_chunk_rows(hid_t set)
{
    hsize_t rows = 0;
    hid_t create = H5Dget_create_plist(set);
    H5Pget_chunk(create, 1, &rows);
    H5Pclose(create);
    return (size_t)rows;
}

int hdf5_chunks_read(const struct hdf5_source *source, hid_t set, size_t row_bytes, size_t rows,
                     int (*take)(void *of, const struct hdf5_planes *planes), void *of, bool *damaged)
{
    struct hdf5_planes planes = {.stride = hdf5_chunk_rows(set)};
    struct chunk chunk = {.size = planes.stride * row_bytes};
    int result = 0;
    chunk.bytes = memory_new(planes.stride, row_bytes);
    planes.bytes = chunk.bytes;
    *damaged = false;
    for (; planes.first < rows && !result && !*damaged; planes.first += planes.stride) {
        planes.rows = rows - planes.first < planes.stride ? rows - planes.first : planes.stride;
        size_t packed = read_packed(source, set, planes.first, &chunk);
        hdf5_release();
        *damaged = !packed || !unpack(&chunk, packed);
        if (!*damaged)
            result = take(of, &planes);
        hdf5_hold(source->cause);
    }
    free(chunk.packed);
    free(chunk.bytes);
    return *damaged ? -1 : result;
}
