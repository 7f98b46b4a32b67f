#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/dataset/invariants.h"
#include "store/hdf5/table.h"

enum { WORD_BYTES = 24, POINT_BYTES = 16 };
/* A row as in the file. */
struct row {
    int64_t run, rank, device;
    char lane[WORD_BYTES], phase[WORD_BYTES], point[POINT_BYTES];
    int64_t parts;
    double start, end;
};
_Static_assert(sizeof(struct row) == 4 * 8 + 2 * WORD_BYTES + POINT_BYTES + 2 * 8, "rows have no gaps");

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

struct spans_writer {
    const struct dataset *dataset;
    double now; /* seconds since the run's start */
};

static void fill(void *context, size_t first, size_t count, void *block)
{
    const struct spans_writer *writer = context;
    struct row *row = block;
    for (size_t i = 0; i < count; i++)
        pack(&writer->dataset->spans[first + i], writer->now, &row[i]);
    dataset_evict(writer->dataset);
}

int hdf5_timeline_write(hid_t file, const struct dataset *dataset)
{
    struct spans_writer writer = {dataset, clock_now() - dataset->span_zero};
    hid_t type = row_type();
    int failed = hdf5_write_rows(file, "timeline", type, dataset->span_count, fill, &writer);
    H5Tclose(type);
    return failed;
}

/* ---- Reading ---- */

static int find_word(const char *const *words, const char *text, size_t size)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) <= size && !strncmp(words[i], text, size))
            return i;
    return -1;
}

/* False for an impossible span. */
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

struct spans_reader {
    const struct hdf5_source *source;
    struct dataset *dataset;
};

static int take(void *context, void *block, size_t count)
{
    const struct spans_reader *reader = context;
    const struct row *row = block;
    for (size_t i = 0; i < count; i++) {
        struct span span;
        if (!unpack(&row[i], &span))
            return hdf5_bad_table(reader->source, "timeline",
                                  "the file is damaged, or has a phase that this release does not know");
        dataset_add_span(reader->dataset, &span);
    }
    dataset_evict(reader->dataset);
    return 0;
}

static int check(const struct hdf5_source *source, const struct dataset *dataset)
{
    struct span_check order = {0};
    int failed = 0;
    for (size_t i = 0; i < dataset->span_count && !failed; i++) {
        dataset_evict_at(dataset, i);
        failed = invariants_span(dataset, &dataset->spans[i], i, source->error) != 0 ||
                 span_check_order(&order, &dataset->spans[i], i, source->error) != 0;
    }
    span_check_free(&order);
    return failed ? hdf5_inconsistent(source) : 0;
}

int hdf5_timeline_read(const struct hdf5_source *source, struct dataset *dataset)
{
    if (source->how->no_spans)
        return 0;
    struct error error = {0};
    struct hdf5_source own = *source;
    own.error = &error;
    struct spans_reader reader = {&own, dataset};
    hid_t type = row_type();
    int failed = hdf5_read_table(&own, "timeline", type, NULL, take, &reader);
    H5Tclose(type);
    if (!failed && check(&own, dataset) == 0)
        return 0;
    dataset_leave_out_timeline(dataset, error.text);
    return 0;
}
