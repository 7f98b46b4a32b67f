#include "store/hdf5_read.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/conveyor.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/hdf5_error.h"
#include "store/hdf5_rows.h"
#include "store/hdf5_table.h"
#include "store/hdf5_timeline.h"
#include "store/hdf5_write.h"

enum {
    SAMPLES_AT_A_TIME = 1 << 15,
    SAMPLE_RATIO =
        600, /* bytes in memory for one in the file: equal times pack well; deflate can no more than 1032 to 1 */
};

/* The parts do not fit together. */
static int misfit(const struct hdf5_source *source, const char *why)
{
    return error_set(source->error, ERROR_ENVIRONMENT, "%s: the file is damaged, or somebody else's: %s",
                     source->path, why);
}

/* ---- /samples ---- */

static hid_t sample_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct sample));
    H5Tinsert(type, "seconds", HOFFSET(struct sample, seconds), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "sm_clock", HOFFSET(struct sample, sm_clock), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "process", HOFFSET(struct sample, process), H5T_NATIVE_UINT32);
    H5Tinsert(type, "device", HOFFSET(struct sample, device), H5T_NATIVE_INT32);
    return type;
}

struct samples_reader {
    const struct hdf5_source *source;
    struct dataset *dataset;
};

static int add_samples(void *of, void *block, size_t count)
{
    const struct samples_reader *reader = of;
    struct dataset *dataset = reader->dataset;
    const struct sample *sample = block;
    char why[256];
    if (contents_check_samples(dataset, sample, dataset->sample_count, count, why, sizeof why) != 0)
        return misfit(reader->source, why);
    for (size_t i = 0; i < count; i++)
        contents_note_process(dataset, sample[i].process);
    contents_add_samples(dataset, sample, count);
    return 0;
}

static int read_sample_blocks(struct samples_reader *reader, hid_t set, hid_t type, size_t rows,
                              uint32_t *crc)
{
    struct conveyor *conveyor =
        conveyor_start(SAMPLES_AT_A_TIME * sizeof(struct sample), add_samples, reader);
    bool damaged = false;
    for (size_t first = 0, count; first < rows; first += count) {
        struct sample *block = conveyor_block(conveyor);
        if (!block)
            break;
        count = rows - first < SAMPLES_AT_A_TIME ? rows - first : SAMPLES_AT_A_TIME;
        /* Files of release 0.1 have no labels: what is not read stays as it is here. */
        for (size_t i = 0; i < count; i++)
            block[i] = (struct sample){.device = -1};
        damaged = hdf5_read_rows(set, type, first, count, block) != 0;
        if (damaged)
            break;
        if (reader->source->verification)
            *crc = hash_crc32(*crc, block, count * sizeof *block);
        conveyor_send(conveyor, count);
    }
    int failed = conveyor_end(conveyor);
    return !failed && damaged ? hdf5_bad_table(reader->source, "samples", "the file is damaged") : failed;
}

static int read_samples(const struct hdf5_source *source, struct dataset *dataset)
{
    hid_t set;
    uint32_t crc = 0;
    struct samples_reader reader = {.source = source, .dataset = dataset};
    if (hdf5_open_set(source, "samples", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = sample_type();
    int64_t rows = hdf5_count_rows(source, set, sizeof(struct sample), SAMPLE_RATIO);
    int failed = rows < 0 ? hdf5_bad_table(source, "samples", "the file is damaged")
                          : read_sample_blocks(&reader, set, type, (size_t)rows, &crc);
    if (!failed) {
        hid_t file_type = H5Dget_type(set);
        hdf5_verify_table(source, "samples", set, (size_t)rows, H5Tequal(type, file_type) > 0, crc);
        H5Tclose(file_type);
    }
    H5Tclose(type);
    H5Dclose(set);
    return failed;
}

/* ---- /results ---- */

/* What is done with rows as they come: once, because going over all of them again means reading them back. */
struct results_reader {
    const struct hdf5_source *source;
    const struct dataset *dataset;
    struct row_index *index;
    struct row_check check;
    struct index_columns columns;
};

static int see_results(void *of, const struct frame *results, const union cell *cell, size_t rows)
{
    struct results_reader *reader = of;
    char why[256];
    if (!reader->check.row) {
        if (contents_check_columns(reader->dataset, why, sizeof why) != 0)
            return misfit(reader->source, why);
        reader->columns = index_columns_of(results);
    }
    if (contents_check_rows(reader->dataset, &reader->check, cell, rows, why, sizeof why) != 0)
        return misfit(reader->source, why);
    for (size_t i = 0; i < rows; i++, cell += results->columns)
        row_index_add(reader->index, row_key_read(&reader->columns, cell),
                      row_facts_read(&reader->columns, cell));
    return 0;
}

static int read_results(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index)
{
    char why[256];
    struct results_reader results = {.source = source, .dataset = dataset, .index = index};
    const struct row_reader reader = {.see = see_results, .of = &results};
    if (hdf5_read_frame(source, "results", &dataset->results, &reader) != 0)
        return -1;
    return contents_check_columns(dataset, why, sizeof why) == 0 ? 0 : misfit(source, why);
}

/* ---- /timeline ---- */

/* Files of releases before 0.3 have none. */
static int read_timeline(const struct hdf5_source *source, struct dataset *dataset)
{
    hid_t set;
    bool same = false;
    uint32_t crc = 0;
    char why[256];
    if (hdf5_open_set(source, "timeline", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    int64_t rows = hdf5_count_rows(source, set, HDF5_TIMELINE_ROW_BYTES, SAMPLE_RATIO);
    int failed = rows < 0 || hdf5_timeline_read(set, (size_t)rows, dataset, &same, &crc) != 0;
    if (!failed)
        hdf5_verify_table(source, "timeline", set, (size_t)rows, same, crc);
    H5Dclose(set);
    if (failed)
        return hdf5_bad_table(source, "timeline",
                              "the file is damaged, or a phase of it is none that this release knows");
    return contents_check_spans(dataset, source->verification != NULL, why, sizeof why) == 0
               ? 0
               : misfit(source, why);
}

/* ---- The rest of the file ---- */

static int read_job(const struct hdf5_source *source, struct dataset *dataset)
{
    hid_t set;
    if (hdf5_open_set(source, "job", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    ssize_t size = hdf5_text_size(type, space, source->bytes);
    char *job = memory_new(size < 0 ? 1 : (size_t)size + 1, 1);
    int failed = size < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, job) < 0;
    if (failed) {
        free(job);
        hdf5_bad_table(source, "job", "the file is damaged");
    } else {
        free(dataset->job);
        dataset->job = job;
        hdf5_verify_table(source, "job", set, 1, true, hash_crc32(0, job, strlen(job)));
        char *path = hdf5_get_text(set, "path");
        if (path) {
            free(dataset->job_path);
            dataset->job_path = path;
        }
        int64_t planned;
        if (hdf5_get_integer(set, "planned", &planned) && planned >= 0)
            dataset->planned = (uint64_t)planned;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return failed ? -1 : 0;
}

static int read_environment(const struct hdf5_source *source, struct dataset *dataset)
{
    struct frame frame = frame_new();
    int failed = hdf5_read_frame(source, "environment", &frame, NULL);
    int run = frame_find(&frame, "run"), name = frame_find(&frame, "name"),
        value = frame_find(&frame, "value");
    bool known = name >= 0 && value >= 0 && frame.column[name].type == COLUMN_TEXT &&
                 frame.column[value].type == COLUMN_TEXT;
    if (!failed && known && frame.rows) {
        dataset->environment = memory_new(frame.rows, sizeof *dataset->environment);
        for (size_t i = 0; i < frame.rows; i++) {
            const union cell *cell = frame_row(&frame, i);
            dataset->environment[i] = (struct store_pair){
                .name = memory_text(cell[name].text),
                .value = memory_text(cell[value].text),
                .run = run >= 0 && frame.column[run].type == COLUMN_INTEGER ? (int)cell[run].integer : 1,
            };
        }
        dataset->environment_count = (int)frame.rows;
    }
    frame_free(&frame);
    return failed;
}

static int read_root(const struct hdf5_source *source, struct mark *mark)
{
    char *format = hdf5_get_text(source->file, "format");
    bool ours = format && !strcmp(format, RESULTS_FORMAT);
    free(format);
    int64_t version = 0;
    if (!ours || !hdf5_get_integer(source->file, "format_version", &version) || version < 1)
        return error_set(source->error, ERROR_ENVIRONMENT,
                         "%s: this is an HDF5 file, but not one of warpsweep's results files", source->path);
    if (version > RESULTS_FORMAT_VERSION)
        return error_set(
            source->error, ERROR_ENVIRONMENT,
            "%s: a newer release of warpsweep wrote this file (format %lld; this release reads up "
            "to %d)",
            source->path, (long long)version, RESULTS_FORMAT_VERSION);
    char *lineage = hdf5_get_text(source->file, "lineage");
    int64_t sequence = 0, runs = 1;
    hdf5_get_integer(source->file, "sequence", &sequence);
    hdf5_get_integer(source->file, "runs", &runs);
    mark->lineage = lineage ? strtoull(lineage, NULL, 16) : 1;
    mark->sequence = sequence > 0 ? (uint64_t)sequence : 0;
    mark->run = runs >= 0 && runs < INT32_MAX ? (int)runs : 1;
    free(lineage);
    return 0;
}

static int read_contents(const struct hdf5_source *source, struct dataset *dataset, struct mark *mark,
                         struct row_index *index)
{
    struct frame columns = frame_new();
    /* Samples name devices, and rows both. */
    int failed = read_root(source, mark) || hdf5_read_frame(source, "devices", &dataset->devices, NULL) ||
                 read_samples(source, dataset) || read_results(source, dataset, index) ||
                 hdf5_read_frame(source, "columns", &columns, NULL) || read_job(source, dataset) ||
                 read_environment(source, dataset) || read_timeline(source, dataset);
    if (!failed)
        contents_describe(dataset, &columns);
    frame_free(&columns);
    return failed ? -1 : 0;
}

int hdf5_read(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
              struct store_verification *verification, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT)
            return 1;
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) /* HDF5 would wait for a FIFO's writer */
        return error_set(error, ERROR_ENVIRONMENT, "%s: not a regular file", path);
    struct hdf5_cause cause;
    hdf5_listen(&cause);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1); /* the file never changes, and not every file system has locks */
#endif
    struct hdf5_source source = {.path = path, .cause = &cause, .error = error, .verification = verification};
    source.file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    int failed = source.file < 0 ? hdf5_fail(error, &cause, path, "cannot be opened as a results file") : 0;
    hsize_t bytes = 0;
    if (!failed && H5Fget_filesize(source.file, &bytes) < 0)
        failed = hdf5_fail(error, &cause, path, "cannot be opened as a results file");
    source.bytes = bytes;
    if (!failed)
        failed = read_contents(&source, dataset, mark, index);
    if (source.file >= 0)
        H5Fclose(source.file);
    hdf5_unlisten();
    return failed;
}
