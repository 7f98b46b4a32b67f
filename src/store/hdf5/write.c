#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/hdf5/image.h"
#include "store/hdf5/table.h"
#include "version.h"

enum { EVICT_ROWS = 1 << 14 }; /* after which the memory of spilled rows is given back */

/* ---- Types ---- */

/* Bytes of each column in a row of the file; a text column is as wide as its longest text. */
static size_t *column_sizes(const struct frame *frame)
{
    size_t *size = memory_new((size_t)frame->columns, sizeof *size);
    const char **last = memory_new((size_t)frame->columns, sizeof *last); /* equal texts are equal pointers */
    for (int i = 0; i < frame->columns; i++)
        size[i] = frame->column[i].type == COLUMN_TEXT ? 1 : 8;
    for (size_t row = 0; row < frame->rows; row++) {
        const union cell *cell = frame_row(frame, row);
        if (row % EVICT_ROWS == 0)
            frame_evict(frame);
        for (int i = 0; i < frame->columns; i++) {
            if (frame->column[i].type != COLUMN_TEXT || cell[i].text == last[i])
                continue;
            last[i] = cell[i].text;
            size_t length = strlen(cell[i].text);
            size[i] = length > size[i] ? length : size[i];
        }
    }
    free(last);
    return size;
}

/* Members without gaps, as pack_row writes them. */
static hid_t row_type(const struct frame *frame, const size_t *size)
{
    size_t row_size = 0;
    for (int i = 0; i < frame->columns; i++)
        row_size += size[i];
    hid_t compound = H5Tcreate(H5T_COMPOUND, row_size);
    size_t offset = 0;
    for (int i = 0; i < frame->columns; i++) {
        const struct column *column = &frame->column[i];
        hid_t type = column->type == COLUMN_INTEGER ? H5Tcopy(H5T_NATIVE_INT64)
                     : column->type == COLUMN_REAL  ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                                    : hdf5_text_type(size[i]);
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

/* ---- Datasets ---- */

struct frame_writer {
    const struct frame *frame;
    size_t *size;      /* owned: bytes of each column */
    int offset, count; /* columns sample_offset and sample_count of /results; -1: it is another table */
    int64_t samples;   /* of the rows so far: in the file, samples are in the order of the rows */
};

static void pack_row(struct frame_writer *writer, size_t row, char *out)
{
    const union cell *cell = frame_row(writer->frame, row);
    for (int i = 0; i < writer->frame->columns; i++) {
        if (writer->frame->column[i].type == COLUMN_TEXT)
            strncpy(out, cell[i].text, writer->size[i]); /* pads with NULs */
        else
            memcpy(out, i == writer->offset ? (const void *)&writer->samples : &cell[i], 8);
        out += writer->size[i];
    }
    if (writer->count >= 0)
        writer->samples += cell[writer->count].integer;
}

static void fill(void *context, size_t first, size_t count, void *block)
{
    struct frame_writer *writer = context;
    char *out = block;
    size_t row_size = 0;
    for (int i = 0; i < writer->frame->columns; i++)
        row_size += writer->size[i];
    for (size_t i = 0; i < count; i++) {
        if ((first + i) % EVICT_ROWS == 0)
            frame_evict(writer->frame);
        pack_row(writer, first + i, out + i * row_size);
    }
}

/* `samples`: of /results: gets the number of all rows' samples; of another table NULL. */
static int write_frame(hid_t file, const char *name, const struct frame *frame, size_t *samples)
{
    struct frame_writer writer = {.frame = frame,
                                  .size = column_sizes(frame),
                                  .offset = samples ? frame_find(frame, COLUMN(sample_offset)) : -1,
                                  .count = samples ? frame_find(frame, COLUMN(sample_count)) : -1};
    hid_t type = row_type(frame, writer.size);
    int failed = type < 0 ? -1 : hdf5_write_rows(file, name, type, frame->rows, fill, &writer);
    if (type >= 0)
        H5Tclose(type);
    if (samples)
        *samples = (size_t)writer.samples;
    free(writer.size);
    return failed;
}

static int write_job(hid_t file, const struct dataset *dataset)
{
    hid_t type = hdf5_text_type(strlen(dataset->job));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0);
    hid_t set = H5Dcreate2(file, "job", type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    int failed = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset->job) < 0 ||
                 hdf5_put_integer_attribute(set, RESULTS_CHECKSUM,
                                            hash_crc32(0, dataset->job, strlen(dataset->job))) ||
                 hdf5_put_text_attribute(set, "path", dataset->job_path) ||
                 hdf5_put_integer_attribute(set, "planned", (int64_t)dataset->planned);
    if (set >= 0 && H5Dclose(set) < 0)
        failed = 1;
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
    return failed ? -1 : 0;
}

static int write_root(hid_t file, const struct mark *mark)
{
    char lineage[20];
    snprintf(lineage, sizeof lineage, "%016" PRIx64, mark->lineage);
    return hdf5_put_text_attribute(file, "format", RESULTS_FORMAT) ||
           hdf5_put_integer_attribute(file, "format_version", RESULTS_FORMAT_VERSION) ||
           hdf5_put_text_attribute(file, "release", WARPSWEEP_RELEASE) ||
           hdf5_put_text_attribute(file, "commit", WARPSWEEP_COMMIT) ||
           hdf5_put_text_attribute(file, "lineage", lineage) ||
           hdf5_put_integer_attribute(file, "sequence", (int64_t)mark->sequence) ||
           hdf5_put_integer_attribute(file, "runs", mark->run);
}

/* ---- /environment and /columns ---- */

static int write_environment(hid_t file, const struct dataset *dataset)
{
    struct frame frame = frame_new();
    frame_add_column(&frame, COLUMN(run), COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_column(&frame, COLUMN(name), COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_column(&frame, COLUMN(value), COLUMN_TEXT, ROLE_OTHER, "", "");
    for (int i = 0; i < dataset->environment_count; i++) {
        const struct store_pair *pair = &dataset->environment[i];
        size_t row = frame.rows;
        frame_add_row(&frame);
        frame_put_integer(&frame, row, 0, pair->run);
        frame_put_text(&frame, row, 1, pair->name);
        frame_put_text(&frame, row, 2, pair->value);
    }
    int failed = write_frame(file, "environment", &frame, NULL);
    frame_free(&frame);
    return failed;
}

static void describe(struct frame *frame, const char *table, const struct column *column)
{
    static const char *const types[] = {"integer", "real", "text"};
    size_t row = frame->rows;
    frame_add_row(frame);
    const char *const cells[] = {
        table,        column->name,   types[column->type], column_role_words[column->role],
        column->unit, column->meaning};
    for (int i = 0; i < frame->columns; i++)
        frame_put_text(frame, row, i, cells[i]);
}

static int write_columns(hid_t file, const struct dataset *dataset)
{
    static const struct column samples[] = {
        {"seconds", COLUMN_REAL, ROLE_TIME, "s", "time of one launch"},
        {"sm_clock", COLUMN_REAL, ROLE_ENVIRONMENT, "Hz", "SM clock over the sample"},
        {"process", COLUMN_INTEGER, ROLE_IDENTITY, "",
         "worker process that took it, numbered through the file"},
        {"device", COLUMN_INTEGER, ROLE_IDENTITY, "", "row of /devices; -1: not told"},
    };
    struct frame frame = frame_new();
    static const char *const names[] = {COLUMN(table), COLUMN(name), COLUMN(type),
                                        COLUMN(role),  COLUMN(unit), COLUMN(meaning)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        frame_add_column(&frame, names[i], COLUMN_TEXT, ROLE_OTHER, "", "");
    for (int i = 0; i < dataset->results.columns; i++)
        describe(&frame, "results", &dataset->results.column[i]);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        describe(&frame, "samples", &samples[i]);
    for (int i = 0; i < dataset->devices.columns; i++)
        describe(&frame, "devices", &dataset->devices.column[i]);
    for (int i = 0; i < HDF5_TIMELINE_COLUMNS; i++)
        describe(&frame, "timeline", &hdf5_timeline_column[i]);
    int failed = write_frame(file, "columns", &frame, NULL);
    frame_free(&frame);
    return failed;
}

/* ---- The file ---- */

static int write_contents(hid_t file, const struct dataset *dataset, const struct mark *mark)
{
    size_t samples = 0;
    return write_root(file, mark) || write_frame(file, "results", &dataset->results, &samples) ||
           hdf5_samples_write(file, dataset, samples) ||
           write_frame(file, "devices", &dataset->devices, NULL) || write_columns(file, dataset) ||
           write_job(file, dataset) || write_environment(file, dataset) ||
           hdf5_timeline_write(file, dataset); /* last: open spans are written up to now */
}

int hdf5_write(const char *path, const struct dataset *dataset, const struct mark *mark, struct error *error)
{
    struct hdf5_cause cause;
    struct hdf5_image image = {0};
    hdf5_listen(&cause);
    hid_t file = hdf5_image_create(&image);
    int failed = file < 0 || write_contents(file, dataset, mark);
    if (file >= 0 && H5Fclose(file) < 0)
        failed = 1;
    hdf5_unlisten();
    if (failed)
        hdf5_fail(error, &cause, path, "cannot build the HDF5 file");
    else
        failed = hdf5_image_put(&image, path, error);
    hdf5_image_free(&image);
    return failed ? -1 : 0;
}
