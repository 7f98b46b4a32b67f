#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/hash.h"
#include "base/memory.h"
#include "core/limits.h"
#include "store/dataset/invariants.h"
#include "store/hdf5/table.h"

/* ---- Rows ---- */

/* Of a negative process HDF5 would make 0, which is one: it becomes a process that cannot be. */
static H5T_conv_ret_t keep_wrong(H5T_conv_except_t what, hid_t from, hid_t to, void *value, void *made,
                                 void *data)
{
    (void)from, (void)value, (void)data;
    if (what != H5T_CONV_EXCEPT_RANGE_LOW || H5Tequal(to, H5T_NATIVE_UINT32) <= 0)
        return H5T_CONV_UNHANDLED;
    memset(made, 0xff, sizeof(uint32_t));
    return H5T_CONV_HANDLED;
}

/* Columns that are not in the file are missing: release 0.1 wrote neither process nor device. */
static int read_samples(const struct hdf5_source *source, struct dataset *dataset)
{
    enum { RATIO = 600 }; /* equal times compress well; deflate's limit is 1032 */
    struct hdf5_rows rows;
    if (hdf5_read_rows(source, "samples", RATIO, 0, &rows) != 0)
        return -1;
    const size_t size = sizeof(struct sample), wide = rows.size > size ? rows.size : size;
    struct sample *sample = memory_new(rows.count + 1, wide), *missing = memory_new(rows.count + 1, size);
    hid_t type = hdf5_sample_type(NULL, 0);
    for (size_t i = 0; i < rows.count; i++)
        missing[i] = sample_of(NAN);
    if (rows.count)
        memcpy(sample, rows.bytes, rows.count * rows.size);
    int failed = 0;
    hid_t converting = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_type_conv_cb(converting, keep_wrong, NULL);
    if (rows.count && H5Tconvert(rows.type, type, rows.count, sample, missing, converting) < 0)
        failed = hdf5_bad_table(source, "samples", "the file is damaged");
    if (!failed && invariants_samples(dataset, sample, rows.count, source->error) != 0)
        failed = hdf5_inconsistent(source);
    if (!failed)
        dataset_add_samples(dataset, sample, rows.count);
    H5Pclose(converting);
    H5Tclose(type);
    free(missing);
    free(sample);
    hdf5_free_rows(&rows);
    return failed;
}

static int check_rows(const struct hdf5_source *source, struct dataset *dataset)
{
    const struct frame *results = &dataset->results;
    if (invariants_columns(results, source->error) != 0 || invariants_derived(results, source->error) != 0)
        return -1;
    dataset_find_columns(dataset);
    uint64_t *named = memory_new(dataset->sample_count / 64 + 1, sizeof *named);
    int failed = 0;
    for (size_t row = 0; row < results->rows && !failed; row++) {
        const union cell *cell = frame_row(results, row);
        failed = invariants_row(dataset, cell, row, source->error) != 0 ||
                 invariants_row_samples(dataset, named, cell, row, source->error) != 0;
        if (failed)
            break;
        struct row_key key = dataset_key(dataset, cell);
        size_t before = row_index_add(&dataset->index, key);
        if (before != ROW_NONE)
            failed =
                error_set(source->error, ERROR_ENVIRONMENT,
                          "rows %zu and %zu of /results are the same point %016" PRIx64 ", repeat %" PRId64,
                          before, row, key.id, key.repeat);
    }
    free(named);
    return failed;
}

static int read_results(const struct hdf5_source *source, struct dataset *dataset)
{
    if (hdf5_read_frame(source, "results", &dataset->results) != 0)
        return -1;
    return check_rows(source, dataset) ? hdf5_inconsistent(source) : 0;
}

static int read_devices(const struct hdf5_source *source, struct dataset *dataset)
{
    if (hdf5_read_frame(source, "devices", &dataset->devices) != 0)
        return -1;
    const struct frame *devices = &dataset->devices;
    int failed = invariants_types("devices", devices, source->error);
    for (size_t row = 0; row < devices->rows && !failed; row++) {
        failed = invariants_device(dataset, row, source->error);
        for (int i = 0; i < devices->columns; i++) /* of columns that are not in the file, too */
            if (devices->column[i].type == COLUMN_INTEGER &&
                frame_cell(devices, row, i)->integer == FRAME_NO_INTEGER)
                frame_cell(devices, row, i)->integer = DEVICE_NO_INTEGER;
    }
    return failed ? hdf5_inconsistent(source) : 0;
}

/* ---- The other tables ---- */

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
        failed = hdf5_verify_table(source, "job", set, 1, hash_crc32(0, job, strlen(job)));
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
    int failed = hdf5_read_frame(source, "environment", &frame);
    int run = frame_find_as(&frame, COLUMN(run), COLUMN_INTEGER),
        name = frame_find_as(&frame, COLUMN(name), COLUMN_TEXT),
        value = frame_find_as(&frame, COLUMN(value), COLUMN_TEXT);
    if (!failed && name >= 0 && value >= 0 && frame.rows) {
        dataset->environment = memory_new(frame.rows, sizeof *dataset->environment);
        for (size_t i = 0; i < frame.rows; i++) {
            const union cell *cell = frame_row(&frame, i);
            dataset->environment[i] = (struct store_pair){
                .name = memory_text(cell[name].text),
                .value = memory_text(cell[value].text),
                .run = run >= 0 ? (int)cell[run].integer : 1,
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
                         "%s: this HDF5 file is not a results file of warpsweep", source->path);
    if (version > RESULTS_FORMAT_VERSION)
        return error_set(
            source->error, ERROR_ENVIRONMENT,
            "%s: a newer release of warpsweep wrote this file (format %lld; this release reads up to %d)",
            source->path, (long long)version, RESULTS_FORMAT_VERSION);
    char *lineage = hdf5_get_text(source->file, "lineage");
    int64_t sequence = 0, runs = 1;
    hdf5_get_integer(source->file, "sequence", &sequence);
    hdf5_get_integer(source->file, "runs", &runs);
    mark->lineage = lineage ? strtoull(lineage, NULL, 16) : 1;
    free(lineage);
    if (sequence < 0 || sequence > SEQUENCE_MAX || runs < 0 || runs > RUNS_MAX) {
        error_set(source->error, ERROR_ENVIRONMENT, "its attributes 'sequence' and 'runs' cannot be");
        return hdf5_inconsistent(source);
    }
    mark->sequence = (uint64_t)sequence;
    mark->run = (int)runs;
    return 0;
}

/* It is this release's, whatever the file has. Its checksum counts. */
static int read_statuses(const struct hdf5_source *source)
{
    struct frame statuses = frame_new();
    int failed = hdf5_read_frame(source, "statuses", &statuses);
    frame_free(&statuses);
    return failed;
}

/* A damaged one costs no rows. */
static int read_timeline(const struct hdf5_source *source, struct dataset *dataset)
{
    struct error error = {0};
    struct hdf5_source own = *source;
    own.error = &error;
    int failed = hdf5_read_frame(&own, "timeline", &dataset->timeline);
    if (!failed && invariants_timeline(dataset, &error) != 0)
        failed = hdf5_inconsistent(&own);
    if (failed)
        dataset_leave_out_timeline(dataset, error.text);
    return 0;
}

/* ---- What others have added ---- */

static const char *const tables[] = {"results",     "samples",  "devices",  "columns", "job",
                                     "environment", "timeline", "statuses", "sources", NULL};
static const char *const attributes[] = {"format",  "format_version", "release", "commit",
                                         "lineage", "sequence",       "runs",    RESULTS_CHECKSUM,
                                         "path",    "planned",        NULL};

enum { FOREIGN_MAX = 100 }; /* looked at, of each object */

/* Names of the links (of /), or the attributes, of an object that this release does not write. */
static void find_foreign(hid_t object, bool links, const char *of, struct text *found)
{
    char name[128], clean[128];
    for (hsize_t i = 0; i < FOREIGN_MAX; i++) {
        ssize_t length = links ? H5Lget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                                    sizeof name, H5P_DEFAULT)
                               : H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                                    sizeof name, H5P_DEFAULT);
        if (length < 0)
            return;
        if (text_find(links ? tables : attributes, name) >= 0)
            continue;
        clean_text(name, clean, sizeof clean);
        text_add(found, "%s%s%s", found->length ? ", " : "", of, clean);
    }
}

static char *find_all_foreign(hid_t file)
{
    struct text found = {0};
    char of[32];
    H5E_BEGIN_TRY /* each search ends with an error */
    {
        find_foreign(file, false, "attribute ", &found);
        find_foreign(file, true, "/", &found);
        for (const char *const *name = tables; *name; name++) {
            hid_t set = H5Dopen2(file, *name, H5P_DEFAULT);
            snprintf(of, sizeof of, "attribute /%s.", *name);
            if (set >= 0) {
                find_foreign(set, false, of, &found);
                H5Dclose(set);
            }
        }
    }
    H5E_END_TRY
    return found.data;
}

/* Samples name devices; rows name both. */
static int read_tables(const struct hdf5_source *source, struct dataset *dataset)
{
    return read_devices(source, dataset) || read_samples(source, dataset) || read_results(source, dataset) ||
           read_job(source, dataset) || read_environment(source, dataset) || read_timeline(source, dataset) ||
           read_statuses(source) || hdf5_read_frame(source, "sources", &dataset->sources);
}

/* /columns comes first: it has columns that the tables lack, as no row has a value there. */
static int read_all(const struct hdf5_source *source, struct dataset *dataset)
{
    struct frame columns = frame_new();
    int failed = read_root(source, &dataset->mark) || hdf5_read_frame(source, "columns", &columns);
    if (!failed)
        dataset_expect(dataset, &columns);
    failed = failed || read_tables(source, dataset);
    if (!failed && invariants_described(dataset, &columns, source->error) != 0)
        failed = hdf5_inconsistent(source);
    if (!failed)
        dataset_describe(dataset, &columns);
    frame_free(&columns);
    return failed ? -1 : hdf5_verify_all(source);
}

/* HDF5 reads the first of several files that `cat` has joined, and says nothing of the others. */
static int check_end(const struct hdf5_source *source, uint64_t bytes)
{
    haddr_t end = 0;
    if (H5Fget_eoa(source->file, &end) < 0)
        return hdf5_fail(source->error, source->cause, source->path, "cannot be opened as a results file");
    if (bytes <= end)
        return 0;
    return error_set(source->error, ERROR_ENVIRONMENT,
                     "%s: the results file ends after %llu of %llu bytes: something was appended to it "
                     "(`warpsweep merge` joins results files, `cat` does not)",
                     source->path, (unsigned long long)end, (unsigned long long)bytes);
}

static int open_file(struct hdf5_source *source)
{
    struct stat status;
    if (stat(source->path, &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return 1;
        return error_set(source->error, ERROR_ENVIRONMENT, "%s: %s", source->path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) /* HDF5 would wait for a FIFO's writer */
        return error_set(source->error, ERROR_USAGE, "%s: not a regular file", source->path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1); /* the file never changes, and not every file system has locks */
#endif
    source->file = H5Fopen(source->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    hsize_t bytes = 0;
    if (source->file < 0 || H5Fget_filesize(source->file, &bytes) < 0)
        return hdf5_fail(source->error, source->cause, source->path, "cannot be opened as a results file");
    source->bytes = bytes;
    return check_end(source, (uint64_t)status.st_size);
}

int hdf5_read(const char *path, struct store_verification *verification, struct dataset *dataset,
              struct error *error)
{
    struct hdf5_cause cause;
    struct store_verification found = {0};
    struct hdf5_source source = {.file = -1,
                                 .path = path,
                                 .cause = &cause,
                                 .error = error,
                                 .verifying = verification != NULL,
                                 .found = &found,
                                 .dataset = dataset};
    hdf5_listen(&cause);
    int read = open_file(&source);
    if (!read)
        read = read_all(&source, dataset);
    if (!read)
        dataset->foreign = find_all_foreign(source.file);
    if (source.file >= 0)
        H5Fclose(source.file);
    hdf5_unlisten();
    if (verification)
        *verification = found;
    return read;
}
