#include "store/hdf5_rows.h"

#include <string.h>

enum { DEFLATE_LEVEL = 1 }; /* higher levels save a few percent and cost twice the time */

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

hid_t hdf5_create_rows(hid_t file, const char *name, hid_t type, size_t rows, size_t chunk_rows)
{
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

/* Select rows of the set, and as many in memory. Both spaces are the caller's to close. */
static herr_t select_rows(hid_t set, size_t first, size_t rows, hid_t *space, hid_t *memory)
{
    hsize_t start = first, count = rows;
    *memory = H5Screate_simple(1, &count, NULL);
    *space = H5Dget_space(set);
    return H5Sselect_hyperslab(*space, H5S_SELECT_SET, &start, NULL, &count, NULL);
}

int hdf5_write_rows(hid_t set, hid_t type, size_t first, size_t rows, const void *data)
{
    hid_t space, memory;
    herr_t failed = select_rows(set, first, rows, &space, &memory);
    if (failed >= 0)
        failed = H5Dwrite(set, type, memory, space, H5P_DEFAULT, data);
    H5Sclose(space);
    H5Sclose(memory);
    return failed < 0 ? -1 : 0;
}

int hdf5_read_rows(hid_t set, hid_t type, size_t first, size_t rows, void *data)
{
    hid_t space, memory;
    herr_t failed = select_rows(set, first, rows, &space, &memory);
    if (failed >= 0)
        failed = H5Dread(set, type, memory, space, H5P_DEFAULT, data);
    H5Sclose(space);
    H5Sclose(memory);
    return failed < 0 ? -1 : 0;
}
