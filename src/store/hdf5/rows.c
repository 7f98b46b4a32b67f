#include "store/hdf5/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* ---- Errors ---- */

/* Called for each entry, innermost first. */
static herr_t keep_first(unsigned number, const H5E_error2_t *entry, void *data)
{
    struct hdf5_cause *cause = data;
    if (number == 0 && entry->desc)
        snprintf(cause->text, sizeof cause->text, "%s", entry->desc);
    return 0;
}

/* Called when a function of HDF5 fails. */
static herr_t on_failure(hid_t stack, void *data)
{
    struct hdf5_cause *cause = data;
    if (!*cause->text)
        H5Ewalk2(stack, H5E_WALK_UPWARD, keep_first, cause);
    return 0;
}

void hdf5_listen(struct hdf5_cause *cause)
{
    *cause->text = '\0';
    H5Eset_auto2(H5E_DEFAULT, on_failure, cause);
}

void hdf5_unlisten(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int hdf5_fail(struct error *error, const struct hdf5_cause *cause, const char *path, const char *what)
{
    if (!*cause->text)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, what);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s (HDF5: %s)", path, what, cause->text);
}

/* ---- Writing ---- */

enum { DEFLATE_LEVEL = 1 }; /* higher levels save a few percent and take twice the time */

size_t hdf5_chunk_rows(size_t row_bytes)
{
    return row_bytes && row_bytes < HDF5_CHUNK_BYTES ? HDF5_CHUNK_BYTES / row_bytes : 1;
}

hid_t hdf5_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static int put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t failed = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return failed < 0 ? -1 : 0;
}

int hdf5_put_text_attribute(hid_t object, const char *name, const char *value)
{
    hid_t type = hdf5_text_type(strlen(value));
    int failed = put_attribute(object, name, type, value);
    H5Tclose(type);
    return failed;
}

int hdf5_put_integer_attribute(hid_t object, const char *name, int64_t value)
{
    return put_attribute(object, name, H5T_NATIVE_INT64, &value);
}

static hid_t create_set(hid_t file, const char *name, hid_t type, size_t rows)
{
    size_t chunk_rows = hdf5_chunk_rows(H5Tget_size(type));
    hsize_t count = rows, chunk = chunk_rows < rows ? chunk_rows : rows;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0);
    if (rows) {
        H5Pset_chunk(create, 1, &chunk);
        if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
            H5Pset_shuffle(create);
            H5Pset_deflate(create, DEFLATE_LEVEL);
        }
    }
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

int hdf5_transfer_rows(hid_t set, hid_t type, size_t first, size_t count, void *block, bool writing)
{
    hsize_t start = first, rows = count;
    hid_t memory = H5Screate_simple(1, &rows, NULL), space = H5Dget_space(set);
    herr_t failed = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &rows, NULL);
    if (failed >= 0)
        failed = writing ? H5Dwrite(set, type, memory, space, H5P_DEFAULT, block)
                         : H5Dread(set, type, memory, space, H5P_DEFAULT, block);
    H5Sclose(space);
    H5Sclose(memory);
    return failed < 0 ? -1 : 0;
}

int hdf5_write_rows(hid_t file, const char *name, hid_t type, size_t rows,
                    void (*fill)(void *context, size_t first, size_t count, void *block), void *context)
{
    size_t row_bytes = H5Tget_size(type), chunk = hdf5_chunk_rows(row_bytes);
    hid_t set = create_set(file, name, type, rows);
    if (set < 0)
        return -1;
    char *block = memory_new(chunk, row_bytes);
    int failed = 0;
    uint32_t crc = 0;
    for (size_t first = 0; first < rows && !failed; first += chunk) {
        size_t count = rows - first < chunk ? rows - first : chunk;
        fill(context, first, count, block);
        crc = hash_crc32(crc, block, count * row_bytes);
        failed = hdf5_transfer_rows(set, type, first, count, block, true);
    }
    free(block);
    failed = failed || hdf5_put_integer_attribute(set, RESULTS_CHECKSUM, crc) != 0;
    return H5Dclose(set) < 0 || failed ? -1 : 0;
}
