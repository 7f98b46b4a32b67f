#include "store/hdf5_timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/hdf5_rows.h"
#include "store/hdf5_write.h"

enum { WORD_BYTES = 24, POINT_BYTES = 16, REST_EVERY = 64 };

/* A row as it lies in the file. */
struct row {
    int64_t run, rank, device;
    char lane[WORD_BYTES], phase[WORD_BYTES], point[POINT_BYTES];
    int64_t parts;
    double start, end;
};
_Static_assert(sizeof(struct row) == HDF5_TIMELINE_ROW_BYTES, "rows have no gaps");

const struct column hdf5_timeline_column[HDF5_TIMELINE_COLUMNS] = {
    {"run", COLUMN_INTEGER, ROLE_IDENTITY, "", "run of the command, as in /results"},
    {"rank", COLUMN_INTEGER, ROLE_IDENTITY, "", "MPI rank"},
    {"device", COLUMN_INTEGER, ROLE_IDENTITY, "", "row of /devices; -1: of none"},
    {"lane", COLUMN_TEXT, ROLE_IDENTITY, "", "rank, or coordinator: what rank 0 does beside"},
    {"phase", COLUMN_TEXT, ROLE_STATUS, "", "what the lane was at"},
    {"point", COLUMN_TEXT, ROLE_IDENTITY, "",
     "id of the point that it was for, the first of several; empty: none"},
    {"parts", COLUMN_INTEGER, ROLE_COST, "", "spans that were added up to this one, because they are short"},
    {"start", COLUMN_REAL, ROLE_COST, "s", "since the run's start: that of rank 0's process"},
    {"end", COLUMN_REAL, ROLE_COST, "s", "the same"},
};

static hid_t row_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
    hid_t word = hdf5_text_type(WORD_BYTES), point = hdf5_text_type(POINT_BYTES);
    H5Tinsert(type, "run", HOFFSET(struct row, run), H5T_NATIVE_INT64);
    H5Tinsert(type, "rank", HOFFSET(struct row, rank), H5T_NATIVE_INT64);
    H5Tinsert(type, "device", HOFFSET(struct row, device), H5T_NATIVE_INT64);
    H5Tinsert(type, "lane", HOFFSET(struct row, lane), word);
    H5Tinsert(type, "phase", HOFFSET(struct row, phase), word);
    H5Tinsert(type, "point", HOFFSET(struct row, point), point);
    H5Tinsert(type, "parts", HOFFSET(struct row, parts), H5T_NATIVE_INT64);
    H5Tinsert(type, "start", HOFFSET(struct row, start), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "end", HOFFSET(struct row, end), H5T_NATIVE_DOUBLE);
    H5Tclose(word);
    H5Tclose(point);
    return type;
}

/* ---- Writing ---- */

static void put_word(char *out, size_t size, const char *word)
{
    memset(out, 0, size);
    memcpy(out, word, strnlen(word, size));
}

static void pack(const struct span *span, double now, struct row *row)
{
    char point[POINT_BYTES + 1] = "";
    if (span->point)
        snprintf(point, sizeof point, "%016" PRIx64, span->point);
    *row = (struct row){.run = span->run,
                        .rank = span->rank,
                        .device = span->device,
                        .parts = span->parts,
                        .start = span->start,
                        .end = isnan(span->end) ? fmax(now, span->start) : span->end};
    put_word(row->lane, sizeof row->lane, lane_words[span->lane]);
    put_word(row->phase, sizeof row->phase, phase_words[span->phase]);
    put_word(row->point, sizeof row->point, point);
}

int hdf5_timeline_write(hid_t file, const struct dataset *dataset)
{
    size_t chunk = HDF5_CHUNK_BYTES / sizeof(struct row), count = dataset->span_count;
    double now = clock_now() - dataset->span_zero;
    hid_t type = row_type(), set = hdf5_create_rows(file, "timeline", type, count, chunk);
    struct row *block = memory_new(chunk, sizeof *block);
    int failed = set < 0;
    uint32_t crc = 0;
    for (size_t first = 0; first < count && !failed; first += chunk) {
        size_t rows = count - first < chunk ? count - first : chunk;
        for (size_t i = 0; i < rows; i++)
            pack(&dataset->spans[first + i], now, &block[i]);
        crc = hash_crc32(crc, block, rows * sizeof *block);
        failed = hdf5_write_rows(set, type, first, rows, block);
        if (first / chunk % REST_EVERY == 0)
            contents_rest(dataset);
    }
    free(block);
    failed = failed || hdf5_put_integer_attribute(set, RESULTS_CHECKSUM, crc) != 0;
    if (set >= 0 && H5Dclose(set) < 0)
        failed = 1;
    H5Tclose(type);
    return failed ? -1 : 0;
}

/* ---- Reading ---- */

static bool has_all_columns(hid_t type)
{
    bool all = H5Tget_class(type) == H5T_COMPOUND;
    for (int i = 0; i < HDF5_TIMELINE_COLUMNS && all; i++)
        all = H5Tget_member_index(type, hdf5_timeline_column[i].name) >= 0;
    return all;
}

static int find_word(const char *const *words, const char *text, size_t size)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) <= size && !strncmp(words[i], text, size))
            return i;
    return -1;
}

/* False for what is no span that can be. */
static bool unpack(const struct row *row, struct span *span)
{
    int phase = find_word(phase_words, row->phase, sizeof row->phase);
    int lane = find_word(lane_words, row->lane, sizeof row->lane);
    char point[POINT_BYTES + 1] = "", *end = point;
    memcpy(point, row->point, POINT_BYTES);
    uint64_t id = strtoull(point, &end, 16);
    if (phase < 0 || lane < 0 || *end || row->run < 0 || row->run > UINT16_MAX || row->rank < 0 ||
        row->rank > INT32_MAX || row->device < -1 || row->device > INT32_MAX || row->parts < 1 ||
        row->parts > UINT32_MAX)
        return false;
    *span = (struct span){.start = row->start,
                          .end = row->end,
                          .point = id,
                          .parts = (uint32_t)row->parts,
                          .device = (int32_t)row->device,
                          .rank = (int32_t)row->rank,
                          .run = (uint16_t)row->run,
                          .phase = (uint8_t)phase,
                          .lane = (uint8_t)lane};
    return true;
}

int hdf5_timeline_read(hid_t set, size_t rows, struct dataset *dataset, bool *same, uint32_t *crc)
{
    size_t chunk = HDF5_CHUNK_BYTES / sizeof(struct row);
    hid_t type = row_type(), theirs = H5Dget_type(set);
    struct row *block = memory_new(chunk, sizeof *block);
    int failed = !has_all_columns(theirs);
    *same = !failed && H5Tequal(type, theirs) > 0;
    *crc = 0;
    for (size_t first = 0; first < rows && !failed; first += chunk) {
        size_t count = rows - first < chunk ? rows - first : chunk;
        failed = hdf5_read_rows(set, type, first, count, block);
        *crc = failed ? 0 : hash_crc32(*crc, block, count * sizeof *block);
        for (size_t i = 0; i < count && !failed; i++) {
            struct span span;
            failed = !unpack(&block[i], &span);
            if (!failed)
                contents_add_span(dataset, &span);
        }
        if (first / chunk % REST_EVERY == 0)
            contents_rest(dataset);
    }
    free(block);
    H5Tclose(type);
    H5Tclose(theirs);
    return failed ? -1 : 0;
}
