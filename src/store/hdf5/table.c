#include "store/hdf5/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/hash.h"
#include "base/memory.h"

enum {
    CHUNK_BYTES = 1 << 18,     /* as written, before compression */
    DEFLATE_LEVEL = 1,         /* higher levels save a few percent and take twice the time */
    ROW_BYTES_MAX = 1 << 24,   /* a longer row means a damaged type, or one of another program */
    CHUNK_BYTES_MAX = 1 << 26, /* HDF5 holds whole chunks in memory; warpsweep writes 256 KiB */
    TABLE_RATIO = 300,    /* bytes in memory for one in the file: rows of nothing but ids compress 100 to 1 */
    RATIO_FREE = 1 << 26, /* bytes that need no explanation: 10,000 devices of one cluster take 14 MB */
};

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

hid_t hdf5_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

hid_t hdf5_sample_type(const struct sample *sample, size_t count)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct sample));
    bool has;
#define X(name, role, unit, always, meaning)                                                                 \
    has = (always) || !sample;                                                                               \
    for (size_t i = 0; i < count && !has; i++)                                                               \
        has = !isnan(sample[i].name);                                                                        \
    if (has)                                                                                                 \
        H5Tinsert(type, #name, HOFFSET(struct sample, name), H5T_NATIVE_DOUBLE);
    SAMPLE_REALS(X)
#undef X
    H5Tinsert(type, "process", HOFFSET(struct sample, process), H5T_NATIVE_UINT32);
    H5Tinsert(type, "device", HOFFSET(struct sample, device), H5T_NATIVE_INT32);
    return type;
}

int hdf5_bad_table(const struct hdf5_source *source, const char *name, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "cannot read /%s: %s", name, what);
    return hdf5_fail(source->error, source->cause, source->path, text);
}

int hdf5_inconsistent(const struct hdf5_source *source)
{
    return error_prefix(source->error, "%s: the file is corrupt, or not written by warpsweep", source->path);
}

/* ---- Opening ---- */

/* NULL when the data is in this file and uses only filters that every HDF5 has; else what is wrong. External
 * links, external storage and virtual datasets would read other files. */
static const char *check_storage(hid_t set)
{
    hid_t create = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(create);
    const char *what = NULL;
    if (H5Pget_external_count(create) != 0)
        what = "its data is in another file, which warpsweep does not follow";
    else if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        what = "it is a view of other data, which warpsweep does not follow";
    hsize_t chunk[H5S_MAX_RANK] = {0};
    if (!what && layout == H5D_CHUNKED) {
        hid_t type = H5Dget_type(set);
        bool one = H5Pget_chunk(create, H5S_MAX_RANK, chunk) == 1;
        if (!one || chunk[0] > CHUNK_BYTES_MAX / (H5Tget_size(type) ? H5Tget_size(type) : 1))
            what = "its chunks do not have the size that warpsweep writes";
        H5Tclose(type);
    }
    int filters = H5Pget_nfilters(create);
    for (int i = 0; i < filters && !what; i++) {
        unsigned flags, config;
        size_t parameters = 0;
        char name[2];
        H5Z_filter_t filter =
            H5Pget_filter2(create, (unsigned)i, &flags, &parameters, NULL, sizeof name, name, &config);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            what = "it uses a filter that warpsweep does not use";
    }
    H5Pclose(create);
    return what;
}

int hdf5_open_set(const struct hdf5_source *source, const char *name, hid_t *set)
{
    H5L_info_t link;
    *set = -1;
    htri_t there = H5Lexists(source->file, name, H5P_DEFAULT);
    if (there <= 0)
        return there < 0 ? hdf5_bad_table(source, name, "the file is damaged") : 0;
    if (H5Lget_info(source->file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return hdf5_bad_table(source, name, "it is a link, which warpsweep does not follow");
    *set = H5Dopen2(source->file, name, H5P_DEFAULT);
    if (*set < 0)
        return hdf5_bad_table(source, name, "it cannot be opened");
    const char *what = check_storage(*set);
    if (!what)
        return 0;
    H5Dclose(*set);
    *set = -1;
    return hdf5_bad_table(source, name, what);
}

/* ---- Attributes ---- */

/* Negative when there is none. */
static hid_t open_attribute(hid_t object, const char *name, hid_t *type, hid_t *space)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute >= 0) {
        *type = H5Aget_type(attribute);
        *space = H5Aget_space(attribute);
    }
    return attribute;
}

static void close_attribute(hid_t attribute, hid_t type, hid_t space)
{
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

bool hdf5_get_integer(hid_t object, const char *name, int64_t *value)
{
    hid_t type, space, attribute = open_attribute(object, name, &type, &space);
    if (attribute < 0)
        return false;
    bool fits = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1;
    bool read = fits && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    close_attribute(attribute, type, space);
    return read;
}

ssize_t hdf5_text_size(hid_t type, hid_t space, size_t max)
{
    bool fits = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= max;
    return fits ? (ssize_t)H5Tget_size(type) : -1;
}

char *hdf5_get_text(hid_t object, const char *name)
{
    hid_t type, space, attribute = open_attribute(object, name, &type, &space);
    if (attribute < 0)
        return NULL;
    ssize_t size = hdf5_text_size(type, space, 1 << 16);
    char *raw = memory_new(size < 0 ? 1 : (size_t)size + 1, 1);
    char *text = size >= 0 && H5Aread(attribute, type, raw) >= 0 ? clean_copy(raw) : NULL;
    free(raw);
    close_attribute(attribute, type, space);
    return text;
}

/* ---- Checksums ---- */

static int wrong_checksum(const struct hdf5_source *source, const char *name, const char *what)
{
    if (source->verifying)
        return 0;
    return error_set(source->error, ERROR_ENVIRONMENT,
                     "%s: %s of /%s: another program has changed the table, or it is damaged; Python's "
                     "warpsweep.read(..., salvage=True) reads it nevertheless",
                     source->path, what, name);
}

int hdf5_verify_table(const struct hdf5_source *source, const char *name, hid_t set, size_t rows,
                      uint32_t crc)
{
    struct store_verification *found = source->found;
    assert(found->tables < STORE_TABLES_MAX);
    int64_t told;
    struct store_table *table = &found->table[found->tables++];
    *table = (struct store_table){.name = name, .rows = rows, .checksum = CHECKSUM_MISSING};
    if (hdf5_get_integer(set, RESULTS_CHECKSUM, &told))
        table->checksum = told == (int64_t)crc ? CHECKSUM_RIGHT : CHECKSUM_WRONG;
    found->wrong += table->checksum == CHECKSUM_WRONG;
    found->missing += table->checksum == CHECKSUM_MISSING;
    return table->checksum == CHECKSUM_WRONG ? wrong_checksum(source, name, "wrong checksum") : 0;
}

int hdf5_verify_all(const struct hdf5_source *source)
{
    struct store_verification *found = source->found;
    if (found->missing == found->tables)
        return 0; /* a release before 0.3 wrote the file */
    for (int i = 0; i < found->tables; i++) {
        if (found->table[i].checksum != CHECKSUM_MISSING)
            continue;
        if (!strcmp(found->table[i].name, "timeline") && !source->verifying) {
            dataset_leave_out_timeline(source->dataset, "no checksum of /timeline");
            continue;
        }
        if (wrong_checksum(source, found->table[i].name, "no checksum") != 0)
            return -1;
        found->table[i].checksum = CHECKSUM_LOST;
        found->missing--;
        found->wrong++;
    }
    return 0;
}

/* ---- Rows ---- */

/* How many there are; -1 when they would take more than `ratio` times their size in the file, as `columns` or
 * more cells each. */
static int64_t count_rows(const struct hdf5_source *source, hid_t set, hid_t type, unsigned ratio,
                          int columns)
{
    int members = H5Tget_nmembers(type);
    hid_t space = H5Dget_space(set);
    int64_t rows = H5Sget_simple_extent_ndims(space) == 1 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    size_t size = H5Tget_size(type),
           cells = (size_t)(members > columns ? members : columns) * sizeof(union cell);
    uint64_t stored = H5Dget_storage_size(set), bytes = cells > size ? cells : size;
    if (stored > source->bytes)
        stored = source->bytes;
    return size > ROW_BYTES_MAX || (rows > 0 && (uint64_t)rows > (stored * ratio + RATIO_FREE) / bytes)
               ? -1
               : rows;
}

int hdf5_read_rows(const struct hdf5_source *source, const char *name, unsigned ratio, int columns,
                   struct hdf5_rows *rows)
{
    hid_t set;
    *rows = (struct hdf5_rows){.type = -1};
    if (hdf5_open_set(source, name, &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    rows->type = H5Dget_type(set);
    bool table = H5Tget_class(rows->type) == H5T_COMPOUND;
    int64_t count = table ? count_rows(source, set, rows->type, ratio, columns) : -1;
    int failed;
    if (count < 0) {
        failed = hdf5_bad_table(
            source, name, table ? "it does not have the shape that warpsweep writes" : "it is not a table");
    } else {
        rows->count = (size_t)count;
        rows->size = H5Tget_size(rows->type);
        rows->bytes = memory_new(rows->count + 1, rows->size);
        failed = H5Dread(set, rows->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows->bytes) < 0
                     ? hdf5_bad_table(source, name, "the file is damaged")
                     : hdf5_verify_table(source, name, set, rows->count,
                                         hash_crc32(0, rows->bytes, rows->count * rows->size));
    }
    H5Dclose(set);
    if (failed)
        hdf5_free_rows(rows);
    return failed;
}

void hdf5_free_rows(struct hdf5_rows *rows)
{
    bool variable = false;
    for (int i = 0; rows->bytes && i < H5Tget_nmembers(rows->type); i++) {
        hid_t member = H5Tget_member_type(rows->type, (unsigned)i);
        variable |= H5Tget_class(member) == H5T_VLEN || H5Tis_variable_str(member) > 0;
        H5Tclose(member);
    }
    if (variable) { /* HDF5 has allocated what they point to */
        hid_t space = H5Screate_simple(1, &(hsize_t){rows->count}, NULL);
        H5Dvlen_reclaim(rows->type, space, H5P_DEFAULT, rows->bytes);
        H5Sclose(space);
    }
    if (rows->type >= 0)
        H5Tclose(rows->type);
    free(rows->bytes);
    *rows = (struct hdf5_rows){.type = -1};
}

/* ---- Frames ---- */

/* The column of the frame for a member, which is added, or takes its type: there are no rows. -1 for types
 * that no release of warpsweep writes. */
static int join_member(const struct hdf5_rows *rows, int index, struct frame *frame)
{
    char clean[sizeof(((struct column *)0)->name)];
    char *name = H5Tget_member_name(rows->type, (unsigned)index);
    hid_t member = H5Tget_member_type(rows->type, (unsigned)index);
    H5T_class_t kind = H5Tget_class(member);
    bool variable = H5Tis_variable_str(member) > 0;
    clean_text(name, clean, sizeof clean);
    H5free_memory(name);
    H5Tclose(member);
    if (variable || (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_STRING))
        return -1;
    enum column_type type = COLUMN_TEXT;
    if (kind != H5T_STRING)
        type = kind == H5T_INTEGER ? COLUMN_INTEGER : COLUMN_REAL;
    int column = frame_join_column(frame, clean, type, ROLE_OTHER, "", "");
    frame->column[column].type = type;
    return column;
}

/* False when the member cannot be converted: a number is where the frame has texts. */
static bool fill_column(const struct hdf5_rows *rows, int index, struct frame *frame, int target)
{
    enum column_type type = frame->column[target].type;
    hid_t member = H5Tget_member_type(rows->type, (unsigned)index),
          wanted = type == COLUMN_REAL ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    size_t size = H5Tget_size(member), wide = size > sizeof(union cell) ? size : sizeof(union cell);
    const char *bytes = rows->bytes + H5Tget_member_offset(rows->type, (unsigned)index);
    char *column = memory_new(rows->count + 1, wide);
    bool good = type != COLUMN_TEXT || H5Tget_class(member) == H5T_STRING;
    for (size_t row = 0; row < rows->count && good; row++)
        memcpy(column + row * size, bytes + row * rows->size, size);
    if (type != COLUMN_TEXT && H5Tequal(member, wanted) <= 0)
        good = H5Tconvert(member, wanted, rows->count, column, NULL, H5P_DEFAULT) >= 0;
    H5Tclose(member);
    for (size_t row = 0; row < rows->count && good; row++)
        if (type == COLUMN_TEXT)
            frame_cell(frame, row, target)->text =
                frame_text_foreign(frame, column + row * size, strnlen(column + row * size, size));
        else
            *frame_cell(frame, row, target) = ((const union cell *)column)[row];
    free(column);
    return good;
}

int hdf5_read_frame(const struct hdf5_source *source, const char *name, struct frame *frame)
{
    struct hdf5_rows rows;
    if (hdf5_read_rows(source, name, TABLE_RATIO, frame->columns, &rows) != 0)
        return -1;
    int members = rows.bytes ? H5Tget_nmembers(rows.type) : 0;
    int *target = memory_new((size_t)members + 1, sizeof *target);
    bool good = true;
    for (int i = 0; i < members; i++) {
        target[i] = join_member(&rows, i, frame);
        for (int other = 0; other < i; other++) /* names that are equal as far as they are kept */
            good = good && (target[i] < 0 || target[other] != target[i]);
    }
    for (size_t row = 0; row < rows.count && good; row++)
        frame_add_row(frame);
    for (int i = 0; i < members && good; i++)
        good = target[i] < 0 || fill_column(&rows, i, frame, target[i]);
    free(target);
    hdf5_free_rows(&rows);
    return good ? 0 : hdf5_bad_table(source, name, "it does not have the shape that warpsweep writes");
}

/* ---- Writing ---- */

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

int hdf5_put_text(hid_t object, const char *name, const char *value)
{
    hid_t type = hdf5_text_type(strlen(value));
    int failed = put_attribute(object, name, type, value);
    H5Tclose(type);
    return failed;
}

int hdf5_put_integer(hid_t object, const char *name, int64_t value)
{
    return put_attribute(object, name, H5T_NATIVE_INT64, &value);
}

int hdf5_write_table(hid_t file, const char *name, hid_t type, size_t rows, const void *bytes)
{
    size_t row_bytes = H5Tget_size(type);
    hsize_t count = rows, chunk = row_bytes < CHUNK_BYTES ? CHUNK_BYTES / row_bytes : 1;
    hid_t space = H5Screate_simple(1, &count, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    chunk = chunk < count ? chunk : count;
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
    if (set < 0)
        return -1;
    bool failed = (rows && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) ||
                  hdf5_put_integer(set, RESULTS_CHECKSUM, hash_crc32(0, bytes, rows * row_bytes)) != 0;
    return H5Dclose(set) < 0 || failed ? -1 : 0;
}

/* Bytes of each column in a row of the file; a text column is as wide as its longest text. 0: it is left out,
 * as no row has a value. */
static size_t *column_sizes(const struct frame *frame, const struct hdf5_left_out *left_out)
{
    size_t *size = memory_new((size_t)frame->columns + 1, sizeof *size);
    for (int i = 0; i < frame->columns; i++)
        if (i == 0 || !frame->rows || !left_out || left_out->keep(&frame->column[i]))
            size[i] = frame->column[i].type == COLUMN_TEXT ? 1 : 8;
    for (size_t row = 0; row < frame->rows; row++) {
        const union cell *cell = frame_row(frame, row);
        for (int i = 0; i < frame->columns; i++) {
            enum column_type type = frame->column[i].type;
            size_t length = type == COLUMN_TEXT ? strlen(cell[i].text) : 8;
            if (length <= size[i] || frame_is_missing(&frame->column[i], cell[i]))
                continue;
            if (type != COLUMN_INTEGER || cell[i].integer != left_out->missing)
                size[i] = length;
        }
    }
    return size;
}

/* Members without gaps. */
static hid_t row_type(const struct frame *frame, const size_t *size)
{
    size_t row_size = 0, offset = 0;
    for (int i = 0; i < frame->columns; i++)
        row_size += size[i];
    hid_t compound = H5Tcreate(H5T_COMPOUND, row_size);
    for (int i = 0; i < frame->columns; i++) {
        const struct column *column = &frame->column[i];
        if (!size[i])
            continue;
        hid_t number = column->type == COLUMN_INTEGER ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
        hid_t type = column->type == COLUMN_TEXT ? hdf5_text_type(size[i]) : H5Tcopy(number);
        herr_t failed = H5Tinsert(compound, column->name, offset, type);
        H5Tclose(type);
        if (failed < 0) {
            H5Tclose(compound);
            return -1;
        }
        offset += size[i];
    }
    return compound;
}

int hdf5_write_frame(hid_t file, const char *name, const struct frame *frame,
                     const struct hdf5_left_out *left_out)
{
    size_t *size = column_sizes(frame, left_out);
    hid_t type = row_type(frame, size);
    int failed = -1;
    if (type >= 0) {
        char *bytes = memory_new(frame->rows + 1, H5Tget_size(type)), *out = bytes;
        for (size_t row = 0; row < frame->rows; row++) {
            const union cell *cell = frame_row(frame, row);
            for (int i = 0; i < frame->columns; out += size[i++]) {
                if (frame->column[i].type == COLUMN_TEXT)
                    memcpy(out, cell[i].text, strlen(cell[i].text)); /* zeros follow */
                else
                    memcpy(out, &cell[i], size[i]);
            }
        }
        failed = hdf5_write_table(file, name, type, frame->rows, bytes);
        free(bytes);
        H5Tclose(type);
    }
    free(size);
    return failed;
}
