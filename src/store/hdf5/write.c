#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "store/dataset/invariants.h"
#include "store/hdf5/table.h"
#include "version.h"

static int write_job(hid_t file, const struct dataset *dataset)
{
    hid_t type = hdf5_text_type(strlen(dataset->job));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0);
    hid_t set = H5Dcreate2(file, "job", type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    int failed = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset->job) < 0 ||
                 hdf5_put_integer(set, RESULTS_CHECKSUM, hash_crc32(0, dataset->job, strlen(dataset->job))) ||
                 hdf5_put_text(set, "path", dataset->job_path) ||
                 hdf5_put_integer(set, "planned", (int64_t)dataset->planned);
    if (set >= 0 && H5Dclose(set) < 0)
        failed = 1;
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
    return failed ? -1 : 0;
}

/* ---- /environment, /columns and /statuses ---- */

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
    int failed = hdf5_write_frame(file, "environment", &frame, NULL);
    frame_free(&frame);
    return failed;
}

static void describe(struct frame *frame, const char *table, const struct column *column)
{
    size_t row = frame->rows;
    frame_add_row(frame);
    const char *const cells[] = {
        table,        column->name,   column_type_words[column->type], column_role_words[column->role],
        column->unit, column->meaning};
    for (int i = 0; i < frame->columns; i++)
        frame_put_text(frame, row, i, cells[i]);
}

static int write_columns(hid_t file, const struct dataset *dataset)
{
    static const struct column samples[] = {
#define X(name, role, unit, always, meaning) {#name, COLUMN_REAL, ROLE_##role, unit, meaning},
        SAMPLE_REALS(X)
#undef X
#define X(name, role, unit, meaning) {#name, COLUMN_INTEGER, ROLE_##role, unit, meaning},
            SAMPLE_INTEGERS(X)
#undef X
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
    for (int i = 0; i < dataset->timeline.columns; i++)
        describe(&frame, "timeline", &dataset->timeline.column[i]);
    int failed = hdf5_write_frame(file, "columns", &frame, NULL);
    frame_free(&frame);
    return failed;
}

static int write_statuses(hid_t file)
{
#define X(name, word, outcome, meaning) {#word, #outcome, meaning},
    static const char *const statuses[][3] = {STATUSES(X)};
#undef X
    static const char *const names[] = {COLUMN(name), COLUMN(outcome), COLUMN(meaning)};
    struct frame frame = frame_new();
    for (int i = 0; i < 3; i++)
        frame_add_column(&frame, names[i], COLUMN_TEXT, ROLE_OTHER, "", "");
    for (size_t row = 0; row < STATUS_COUNT; row++) {
        frame_add_row(&frame);
        for (int i = 0; i < 3; i++)
            frame_put_text(&frame, row, i, statuses[row][i]);
    }
    int failed = hdf5_write_frame(file, "statuses", &frame, NULL);
    frame_free(&frame);
    return failed;
}

/* ---- The file ---- */

static int write_root(hid_t file, const struct mark *mark)
{
    char lineage[20];
    snprintf(lineage, sizeof lineage, "%016" PRIx64, mark->lineage);
    return hdf5_put_text(file, "format", RESULTS_FORMAT) ||
           hdf5_put_integer(file, "format_version", RESULTS_FORMAT_VERSION) ||
           hdf5_put_text(file, "release", WARPSWEEP_RELEASE) ||
           hdf5_put_text(file, "commit", WARPSWEEP_COMMIT) || hdf5_put_text(file, "lineage", lineage) ||
           hdf5_put_integer(file, "sequence", (int64_t)mark->sequence) ||
           hdf5_put_integer(file, "runs", mark->run);
}

static int write_samples(hid_t file, const struct dataset *dataset)
{
    const size_t count = dataset->sample_count;
    hid_t whole = hdf5_sample_type(NULL, 0), kept = hdf5_sample_type(dataset->samples, count);
    struct sample *copy = memory_new(count + 1, sizeof *copy),
                  *unused = memory_new(count + 1, sizeof *unused);
    if (count)
        memcpy(copy, dataset->samples, count * sizeof *copy);
    H5Tpack(kept);
    int failed = H5Tconvert(whole, kept, count, copy, unused, H5P_DEFAULT) < 0 ||
                 hdf5_write_table(file, "samples", kept, count, copy) != 0;
    free(unused);
    free(copy);
    H5Tclose(kept);
    H5Tclose(whole);
    return failed ? -1 : 0;
}

/* Columns of /results and /devices without a value are left out, and described in /columns all the same. */
static bool says_what_a_row_is(const struct column *column)
{
    return column->role == ROLE_IDENTITY || column->role == ROLE_AXIS || column->role == ROLE_STATUS ||
           invariants_is_required(column->name);
}

static const struct hdf5_left_out of_results = {says_what_a_row_is, FRAME_NO_INTEGER},
                                  of_devices = {says_what_a_row_is, DEVICE_NO_INTEGER};

static int write_contents(hid_t file, const struct dataset *dataset)
{
    return write_root(file, &dataset->mark) ||
           hdf5_write_frame(file, "results", &dataset->results, &of_results) ||
           write_samples(file, dataset) ||
           hdf5_write_frame(file, "devices", &dataset->devices, &of_devices) ||
           write_columns(file, dataset) || write_statuses(file) || write_job(file, dataset) ||
           write_environment(file, dataset) || hdf5_write_frame(file, "timeline", &dataset->timeline, NULL) ||
           (dataset->sources.rows && hdf5_write_frame(file, "sources", &dataset->sources, NULL));
}

/* HDF5's core driver, with memory that stays ours when the file is closed. (H5Fget_file_image leaves a wrong
 * checksum in the superblock.) */
struct image {
    unsigned char *bytes;
    bool complete; /* HDF5 has closed the file */
};

static void *image_grow(void *bytes, size_t size, H5FD_file_image_op_t operation, void *context)
{
    struct image *image = context;
    (void)operation;
    return image->bytes = memory_resize(bytes, size, 1);
}

static herr_t image_keep(void *bytes, H5FD_file_image_op_t operation, void *context)
{
    struct image *image = context;
    (void)bytes;
    image->complete = operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE;
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

/* In the formats of HDF5 1.10, which have checksums over all metadata. */
static hid_t create(struct image *image)
{
    enum { INCREMENT = 1 << 20 }; /* bytes by which it grows */
    H5FD_file_image_callbacks_t callbacks = {.image_realloc = image_grow,
                                             .image_free = image_keep,
                                             .udata_copy = image_share,
                                             .udata_free = image_unshare,
                                             .udata = image};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_fapl_core(access, INCREMENT, 0);
    H5Pset_file_image_callbacks(access, &callbacks);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_obj_track_times(create, 0);
    hid_t file = H5Fcreate("/dev/null/results", H5F_ACC_TRUNC, create, access); /* a name that no file has */
    H5Pclose(create);
    H5Pclose(access);
    return file;
}

/* The end-of-file address in a superblock of version 2 or 3 with 8-byte addresses (HDF5 File Format
 * Specification 3.0, II.A); 0 for another superblock. */
static size_t image_size(const struct image *image)
{
    uint64_t size;
    if (!image->complete || image->bytes[8] < 2 || image->bytes[8] > 3 || image->bytes[9] != 8)
        return 0;
    memcpy(&size, image->bytes + 28, sizeof size);
    return (size_t)size;
}

void hdf5_version(char *out, size_t size)
{
    unsigned major = 0, minor = 0, patch = 0;
    H5get_libversion(&major, &minor, &patch);
    snprintf(out, size, "%u.%u.%u", major, minor, patch);
}

int hdf5_write(const char *path, const struct dataset *dataset, struct io_identity *mine, struct error *error)
{
    struct hdf5_cause cause;
    struct image image = {0};
    hdf5_listen(&cause);
    hid_t file = create(&image);
    bool built = file >= 0 && write_contents(file, dataset) == 0;
    if (file >= 0 && H5Fclose(file) < 0)
        built = false;
    hdf5_unlisten();
    size_t size = built ? image_size(&image) : 0;
    int failed;
    if (!built)
        failed = hdf5_fail(error, &cause, path, "cannot build the HDF5 file");
    else if (!size)
        failed = error_set(error, ERROR_ENVIRONMENT,
                           "%s: this HDF5 library writes a file layout that warpsweep does not know", path);
    else
        failed = io_replace_file(path, image.bytes, size, mine, error);
    free(image.bytes);
    return failed;
}
