#include "store/hdf5_read.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/hdf5_error.h"
#include "store/hdf5_rows.h"
#include "store/hdf5_timeline.h"
#include "store/hdf5_write.h"

enum {
    BLOCK_BYTES = 1 << 20, /* read at a time */
    SAMPLES_AT_A_TIME = 1 << 20,
    REST_EVERY = 32,           /* blocks, after which what is spilled is left to its file again */
    ROW_BYTES_MAX = 1 << 24,   /* a longer row is a damaged or foreign type */
    CHUNK_BYTES_MAX = 1 << 26, /* HDF5 holds a whole chunk in memory; ours are 256 KiB */
    TABLE_RATIO = 300,    /* bytes in memory for one in the file: rows of nothing but ids pack 100 to 1 */
    SAMPLE_RATIO = 600,   /* equal times pack better; deflate can no more than 1032 to 1 */
    RATIO_FREE = 1 << 20, /* small tables may be as they like */
};

/* An open file, for the functions below. */
struct source {
    hid_t file;
    const char *path;
    uint64_t bytes; /* the file's size */
    struct hdf5_cause *cause;
    struct error *error;
    struct store_verification *verification; /* NULL: nobody asks for checksums */
};

static int bad_table(const struct source *source, const char *name, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "cannot read /%s: %s", name, what);
    return hdf5_fail(source->error, source->cause, source->path, text);
}

/* ---- Opening what is named ---- */

/* A table that lies in this file, as bytes or chunks of them, packed by nothing but what every HDF5 has. -1 says why not in
 * `what`. Links into other files, external storage and virtual datasets would read what somebody else named. */
static int check_storage(hid_t set, const char **what)
{
    hid_t create = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(create);
    *what = NULL;
    if (H5Pget_external_count(create) != 0)
        *what = "its data is kept in another file, which warpsweep does not follow";
    else if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        *what = "it is a view of other data, which warpsweep does not follow";
    hsize_t chunk[H5S_MAX_RANK] = {0};
    if (!*what && layout == H5D_CHUNKED) {
        hid_t type = H5Dget_type(set);
        bool one = H5Pget_chunk(create, H5S_MAX_RANK, chunk) == 1;
        if (!one || chunk[0] > CHUNK_BYTES_MAX / (H5Tget_size(type) ? H5Tget_size(type) : 1))
            *what = "its chunks are not of the size that warpsweep writes";
        H5Tclose(type);
    }
    int filters = H5Pget_nfilters(create);
    for (int i = 0; i < filters && !*what; i++) {
        unsigned flags, config;
        size_t parameters = 0;
        char name[2];
        H5Z_filter_t filter =
            H5Pget_filter2(create, (unsigned)i, &flags, &parameters, NULL, sizeof name, name, &config);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            *what = "it is packed by a filter that warpsweep does not use";
    }
    H5Pclose(create);
    return *what ? -1 : 0;
}

/* Open dataset `name`: *set is -1 when it is not there. */
static int open_set(const struct source *source, const char *name, hid_t *set)
{
    const char *what;
    H5L_info_t link;
    *set = -1;
    htri_t there = H5Lexists(source->file, name, H5P_DEFAULT);
    if (there <= 0)
        return there < 0 ? bad_table(source, name, "the file is damaged") : 0;
    if (H5Lget_info(source->file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return bad_table(source, name, "it is a link to elsewhere, which warpsweep does not follow");
    *set = H5Dopen2(source->file, name, H5P_DEFAULT);
    if (*set < 0)
        return bad_table(source, name, "it cannot be opened");
    if (check_storage(*set, &what) == 0)
        return 0;
    H5Dclose(*set);
    *set = -1;
    return bad_table(source, name, what);
}

/* ---- Attributes. Each returns false, and nothing in `value`, when it is not there or of another kind. ----
 */

static bool get_integer(hid_t object, const char *name, int64_t *value)
{
    if (H5Aexists(object, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool fits = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1;
    bool read = fits && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return read;
}

/* A fixed-length text of an attribute or dataset type, or -1. */
static ssize_t text_size(hid_t type, hid_t space, size_t most)
{
    bool fits = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= most;
    return fits ? (ssize_t)H5Tget_size(type) : -1;
}

/* Owned by the caller; NULL when it is not there. */
static char *get_text(hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    ssize_t size = text_size(type, space, 1 << 16);
    char *text = NULL;
    if (size >= 0) {
        text = memory_new((size_t)size + 1, 1);
        if (H5Aread(attribute, type, text) < 0) {
            free(text);
            text = NULL;
        }
    }
    if (text && !clean_is(text, strlen(text))) {
        size_t most = 4 * strlen(text) + 1;
        char *clean = memory_new(most, 1);
        clean_text(text, clean, most);
        free(text);
        text = clean;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

/* ---- Checksums ---- */

/* Compare what the table `name` says of itself with what was read; `same`: it was read as it lies there. */
static void verify_table(const struct source *source, const char *name, hid_t set, size_t rows, bool same,
                         uint32_t crc)
{
    struct store_verification *all = source->verification;
    if (!all || all->tables == STORE_TABLES_MAX)
        return;
    int64_t told;
    struct store_table *table = &all->table[all->tables++];
    *table = (struct store_table){.name = name, .rows = rows, .checksum = CHECKSUM_MISSING};
    if (get_integer(set, RESULTS_CHECKSUM, &told))
        table->checksum = same && told == (int64_t)crc ? CHECKSUM_RIGHT : CHECKSUM_WRONG;
    all->wrong += table->checksum == CHECKSUM_WRONG;
    all->missing += table->checksum == CHECKSUM_MISSING;
}

/* ---- Tables ---- */

/* A column of a file's compound type that we can hold. */
struct member {
    enum column_type type;
    size_t size, offset; /* in the row as we read it */
    int target;          /* column of the frame */
};

/* Our type for a member: the file's own for texts (NUL-padded bytes), 64 bits for numbers; -1 for kinds that
 * no release of ours writes. */
static hid_t member_type(hid_t compound, unsigned index, enum column_type *type)
{
    hid_t member = H5Tget_member_type(compound, index);
    hid_t ours = -1;
    switch (H5Tget_class(member)) {
    case H5T_INTEGER:
        *type = COLUMN_INTEGER;
        ours = H5Tcopy(H5T_NATIVE_INT64);
        break;
    case H5T_FLOAT:
        *type = COLUMN_REAL;
        ours = H5Tcopy(H5T_NATIVE_DOUBLE);
        break;
    case H5T_STRING:
        *type = COLUMN_TEXT;
        if (H5Tis_variable_str(member) == 0)
            ours = H5Tcopy(member);
        break;
    default:
        break;
    }
    if (member >= 0)
        H5Tclose(member);
    return ours;
}

/* The columns of a table: fills `member`, and returns the compound type to read rows as, its size in
 * *row_size. Equal to the file's own type for a file that we wrote, so that HDF5 copies rows instead of
 * converting them. */
static hid_t map_members(hid_t file_type, struct frame *frame, struct member *member, int *members,
                         size_t *row_size)
{
    int count = H5Tget_nmembers(file_type);
    hid_t *types = memory_new((size_t)count, sizeof *types);
    char **names = memory_new((size_t)count, sizeof *names);
    bool clash = false;
    *members = 0;
    *row_size = 0;
    for (int i = 0; i < count; i++) {
        enum column_type type = COLUMN_TEXT;
        hid_t ours = member_type(file_type, (unsigned)i, &type);
        if (ours < 0)
            continue;
        int column = (*members)++;
        size_t size = H5Tget_size(ours);
        types[column] = ours;
        names[column] = H5Tget_member_name(file_type, (unsigned)i);
        char clean[sizeof(((struct column *)0)->name)];
        clean_text(names[column], clean, sizeof clean);
        clash |= frame_find(frame, clean) >= 0; /* equal as far as names go here */
        member[column] = (struct member){
            .type = type,
            .size = size,
            .offset = *row_size,
            .target = frame_join_column(frame, clean, type, ROLE_OTHER, "", ""),
        };
        *row_size += size;
    }
    hid_t compound =
        !clash && *row_size && *row_size <= ROW_BYTES_MAX ? H5Tcreate(H5T_COMPOUND, *row_size) : -1;
    for (int i = 0; i < *members; i++) {
        if (compound >= 0)
            H5Tinsert(compound, names[i], member[i].offset, types[i]);
        H5Tclose(types[i]);
        H5free_memory(names[i]);
    }
    free(names);
    free(types);
    return compound;
}

static void unpack_row(struct frame *frame, const struct member *member, int members, const char *bytes)
{
    size_t row = frame->rows;
    union cell *cell = frame_add_row(frame);
    for (int i = 0; i < members; i++) {
        const char *at = bytes + member[i].offset;
        if (member[i].type == COLUMN_TEXT) {
            size_t length = strnlen(at, member[i].size);
            const char *above = row ? frame_row(frame, row - 1)[member[i].target].text : "";
            bool same =
                strncmp(above, at, length) == 0 && !above[length]; /* the rule: no need to look it up */
            cell[member[i].target].text = same && length ? above : frame_text_foreign(frame, at, length);
        } else {
            memcpy(&cell[member[i].target], at, 8);
        }
    }
}

/* Rows of a one-dimensional dataset, of which each takes `row_bytes` in memory; -1 when that is more than so many times
 * what it has in the file. */
static int64_t count_rows(const struct source *source, hid_t set, size_t row_bytes, unsigned ratio)
{
    hid_t space = H5Dget_space(set);
    int64_t rows = H5Sget_simple_extent_ndims(space) == 1 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    uint64_t stored = H5Dget_storage_size(set);
    if (stored > source->bytes)
        stored = source->bytes;
    if (rows > 0 && (uint64_t)rows > (stored * ratio + RATIO_FREE) / (row_bytes ? row_bytes : 1))
        return -1;
    return rows;
}

static int read_blocks(const struct source *source, const char *name, hid_t set, hid_t file_type,
                       struct frame *frame)
{
    int failed = -1, members = 0;
    size_t row_size = 0;
    struct member *member = memory_new((size_t)H5Tget_nmembers(file_type), sizeof *member);
    hid_t type = map_members(file_type, frame, member, &members, &row_size);
    size_t cells = (size_t)members * sizeof(union cell), packed = H5Tget_size(file_type);
    int64_t rows = count_rows(source, set, cells > packed ? cells : packed, TABLE_RATIO);
    size_t block = row_size && row_size < BLOCK_BYTES ? BLOCK_BYTES / row_size : 1, blocks = 0;
    char *bytes = memory_new(block, row_size);
    if (type < 0 || rows < 0) {
        bad_table(source, name, "it does not have the shape that warpsweep writes");
        goto out;
    }
    uint32_t crc = 0;
    for (size_t first = 0; first < (size_t)rows; first += block) {
        size_t count = (size_t)rows - first < block ? (size_t)rows - first : block;
        if (hdf5_read_rows(set, type, first, count, bytes) != 0) {
            bad_table(source, name, "the file is damaged");
            goto out;
        }
        if (source->verification)
            crc = hash_crc32(crc, bytes, count * row_size);
        for (size_t i = 0; i < count; i++)
            unpack_row(frame, member, members, bytes + i * row_size);
        if (blocks++ % REST_EVERY == 0)
            frame_rest(frame);
    }
    verify_table(source, name, set, (size_t)rows, H5Tequal(type, file_type) > 0, crc);
    failed = 0;
out:
    if (type >= 0)
        H5Tclose(type);
    free(bytes);
    free(member);
    return failed;
}

/* Read table `name` into `frame`. One that is not there leaves the frame as it is. */
static int read_frame(const struct source *source, const char *name, struct frame *frame)
{
    hid_t set;
    if (open_set(source, name, &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = H5Dget_type(set);
    int failed = H5Tget_class(type) == H5T_COMPOUND ? read_blocks(source, name, set, type, frame)
                                                    : bad_table(source, name, "it is not a table");
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
    return failed;
}

static int read_samples(const struct source *source, struct dataset *dataset)
{
    hid_t set;
    if (open_set(source, "samples", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct sample));
    H5Tinsert(type, "seconds", HOFFSET(struct sample, seconds), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "sm_clock", HOFFSET(struct sample, sm_clock), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "process", HOFFSET(struct sample, process), H5T_NATIVE_UINT32);
    H5Tinsert(type, "device", HOFFSET(struct sample, device), H5T_NATIVE_INT32);
    int64_t rows = count_rows(source, set, sizeof(struct sample), SAMPLE_RATIO);
    int failed = rows < 0;
    if (rows > 0) {
        contents_reserve_samples(dataset, (size_t)rows);
        for (size_t first = 0; first < (size_t)rows && !failed; first += SAMPLES_AT_A_TIME) {
            size_t left = (size_t)rows - first;
            /* Files of release 0.1 have no labels: what is not read stays as it is here. */
            for (size_t i = first; i < first + SAMPLES_AT_A_TIME && i < (size_t)rows; i++)
                dataset->samples[i] = (struct sample){.device = -1};
            failed = hdf5_read_rows(set, type, first, left < SAMPLES_AT_A_TIME ? left : SAMPLES_AT_A_TIME,
                                    dataset->samples + first);
            contents_rest(dataset);
        }
    }
    if (failed) {
        bad_table(source, "samples", "the file is damaged");
    } else {
        hid_t file_type = H5Dget_type(set);
        dataset->sample_count = (size_t)rows;
        verify_table(
            source, "samples", set, (size_t)rows, H5Tequal(type, file_type) > 0,
            source->verification ? hash_crc32(0, dataset->samples, (size_t)rows * sizeof(struct sample)) : 0);
        H5Tclose(file_type);
    }
    H5Tclose(type);
    H5Dclose(set);
    return failed ? -1 : 0;
}

/* Files of releases before 0.4 have none. */
static int read_timeline(const struct source *source, struct dataset *dataset)
{
    hid_t set;
    bool same = false;
    uint32_t crc = 0;
    if (open_set(source, "timeline", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    int64_t rows = count_rows(source, set, HDF5_TIMELINE_ROW_BYTES, SAMPLE_RATIO);
    int failed = rows < 0 || hdf5_timeline_read(set, (size_t)rows, dataset, &same, &crc) != 0;
    if (failed)
        bad_table(source, "timeline",
                  "the file is damaged, or a phase of it is none that this release knows");
    else
        verify_table(source, "timeline", set, (size_t)rows, same, crc);
    H5Dclose(set);
    return failed ? -1 : 0;
}

/* ---- The rest of the file ---- */

static int read_job(const struct source *source, struct dataset *dataset)
{
    hid_t set;
    if (open_set(source, "job", &set) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    ssize_t size = text_size(type, space, source->bytes);
    char *job = memory_new(size < 0 ? 1 : (size_t)size + 1, 1);
    int failed = size < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, job) < 0;
    if (failed) {
        free(job);
        bad_table(source, "job", "the file is damaged");
    } else {
        free(dataset->job);
        dataset->job = job;
        verify_table(source, "job", set, 1, true, hash_crc32(0, job, strlen(job)));
        char *path = get_text(set, "path");
        if (path) {
            free(dataset->job_path);
            dataset->job_path = path;
        }
        int64_t planned;
        if (get_integer(set, "planned", &planned) && planned >= 0)
            dataset->planned = (uint64_t)planned;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return failed ? -1 : 0;
}

static int read_environment(const struct source *source, struct dataset *dataset)
{
    struct frame frame = frame_new();
    int failed = read_frame(source, "environment", &frame);
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

static int read_root(const struct source *source, struct mark *mark)
{
    char *format = get_text(source->file, "format");
    bool ours = format && !strcmp(format, RESULTS_FORMAT);
    free(format);
    int64_t version = 0;
    if (!ours || !get_integer(source->file, "format_version", &version) || version < 1)
        return error_set(source->error, ERROR_ENVIRONMENT,
                         "%s: this is an HDF5 file, but not one of warpsweep's results files", source->path);
    if (version > RESULTS_FORMAT_VERSION)
        return error_set(
            source->error, ERROR_ENVIRONMENT,
            "%s: a newer release of warpsweep wrote this file (format %lld; this release reads up "
            "to %d)",
            source->path, (long long)version, RESULTS_FORMAT_VERSION);
    char *lineage = get_text(source->file, "lineage");
    int64_t sequence = 0, runs = 1;
    get_integer(source->file, "sequence", &sequence);
    get_integer(source->file, "runs", &runs);
    mark->lineage = lineage ? strtoull(lineage, NULL, 16) : 1;
    mark->sequence = sequence > 0 ? (uint64_t)sequence : 0;
    mark->run = runs >= 0 && runs < INT32_MAX ? (int)runs : 1;
    free(lineage);
    return 0;
}

/* The parts fit together. */
static int check(const struct source *source, const struct dataset *dataset)
{
    char why[256];
    if (contents_check_columns(dataset, why, sizeof why) != 0 ||
        contents_check_rows(dataset, why, sizeof why) != 0 ||
        contents_check_spans(dataset, source->verification != NULL, why, sizeof why) != 0)
        return error_set(source->error, ERROR_ENVIRONMENT, "%s: the file is damaged, or somebody else's: %s",
                         source->path, why);
    return 0;
}

static int read_contents(const struct source *source, struct dataset *dataset, struct mark *mark)
{
    struct frame columns = frame_new();
    int failed = read_root(source, mark) || read_frame(source, "results", &dataset->results) ||
                 read_samples(source, dataset) || read_frame(source, "devices", &dataset->devices) ||
                 read_frame(source, "columns", &columns) || read_job(source, dataset) ||
                 read_environment(source, dataset) || read_timeline(source, dataset) ||
                 check(source, dataset);
    if (!failed)
        contents_describe(dataset, &columns);
    frame_free(&columns);
    return failed ? -1 : 0;
}

int hdf5_read(const char *path, struct dataset *dataset, struct mark *mark,
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
    struct source source = {.path = path, .cause = &cause, .error = error, .verification = verification};
    source.file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    int failed = source.file < 0 ? hdf5_fail(error, &cause, path, "cannot be opened as a results file") : 0;
    hsize_t bytes = 0;
    if (!failed && H5Fget_filesize(source.file, &bytes) < 0)
        failed = hdf5_fail(error, &cause, path, "cannot be opened as a results file");
    source.bytes = bytes;
    if (!failed)
        failed = read_contents(&source, dataset, mark);
    if (source.file >= 0)
        H5Fclose(source.file);
    hdf5_unlisten();
    return failed;
}
