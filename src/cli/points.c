/* points - a results file with the points of a job, or of another file, and what the models know of them
 * before they run. */
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "family/access/model.h"
#include "family/family.h"
#include "family/time/roof.h"
#include "plan/grid.h"
#include "plan/profile_file.h"
#include "store/store.h"
#include "version.h"

static const struct command_option options[] = {
    JOB_OPTIONS,
    {"of", 0, "FILE.h5", NULL, NULL, "instead of a job: the measured points of this results file"},
    {"device", 0, "ROW", "0", NULL, "with --of: the points of this row of /devices, for that device"},
    {"profile", 0, "FILE", NULL, NULL, "the device: a profile file, or one of this release, such as b200"},
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write"},
    OPTION_KERNELS,
    OPTION_HELP,
};

struct entry {
    struct point point;
    /* Share of L2's lines that others had left dirty; NaN: the launches of the point itself had. */
    double dirty;
};

/* Points of a job, or of a file. */
struct source {
    struct entry *entry; /* owned, as all */
    size_t count;
    char *job, *path;
    struct device device; /* that is predicted */
};

static void allocate(struct source *source, size_t most, const char *job, const char *path)
{
    source->entry = memory_new(most + 1, sizeof *source->entry);
    source->job = memory_text(job);
    source->path = memory_text(path);
}

static void fill_point(const struct entry *entry, const struct device *device, struct result *result)
{
    const struct point *point = &entry->point;
    struct target target = target_of_device(device);
    char reason[RESULT_MESSAGE_SIZE];
    const char *why = family_skip(point, &target, reason, sizeof reason);
    *result = result_new();
    result->id = point_id(point);
    result->device = 0;
    if (why) {
        result_fail(result, STATUS_UNSUPPORTED, "%s", why);
        return;
    }
    struct setup setup = point_setup(point, &target);
    struct work work = family_of(point)->work(point);
    struct prediction accesses;
    double *real = result->real;
    real[REAL_bytes_read] = (double)work.bytes_read;
    real[REAL_bytes_written] = (double)work.bytes_written;
    real[REAL_flops] = (double)work.flops;
    real[REAL_flops_executed] = work.flops_of_zeros ? (double)work_flops_executed(&work) : NAN;
    if (setup.engine == ENGINE_KERNEL) {
        real[REAL_grid_blocks] = (double)setup.grid[0] * setup.grid[1] * setup.grid[2];
        real[REAL_block_threads] = (double)setup.block[0] * setup.block[1] * setup.block[2];
        real[REAL_shared_dynamic] = setup.shared_dynamic;
    }
    bool known = model_predict(point, &setup, &target, entry->dirty, &accesses);
    inputs_fill(result, point, &setup, &target, &accesses, known);
    roof_fill(result, point, (enum cache_mode)point_value(point, "cache", CACHE_COLD), device);
}

/* The axes of the points' kernels; the caller frees the list, which ends with NULL. */
static const struct space **spaces_of(const struct source *source)
{
    const struct space **spaces = memory_new(FAMILIES_MAX + 1, sizeof *spaces);
    int count = 0;
    for (size_t i = 0; i < source->count; i++) {
        int known = 0;
        while (known < count && spaces[known] != source->entry[i].point.space)
            known++;
        if (known == count)
            spaces[count++] = source->entry[i].point.space;
    }
    return spaces;
}

/* What predicts from the device's own properties says so in its name. */
static int write_all(const char *output, struct source *source, struct error *error)
{
    static char release[] = WARPSWEEP_RELEASE, commit[] = WARPSWEEP_COMMIT,
                remark[] = "written for a device that was not there; nothing in this file was measured";
    struct device *device = &source->device;
    struct store *store;
    struct result result;
    char start[32] = "", name[DEVICE_TEXT_SIZE];
    clock_date(start, sizeof start);
    struct job_outline outline = job_outline(source->job, false);
    const struct store_pair environment[] = {{.name = (char *)"title", .value = outline.title},
                                             {.name = (char *)"release", .value = release},
                                             {.name = (char *)"commit", .value = commit},
                                             {.name = (char *)"prediction", .value = remark},
                                             {.name = (char *)"start", .value = start}};
    const struct space **spaces = spaces_of(source);
    const struct store_head head = {.job = source->job,
                                    .job_path = source->path,
                                    .spaces = spaces,
                                    .environment = environment,
                                    .environment_count = sizeof environment / sizeof *environment,
                                    .planned = source->count};
    snprintf(name, sizeof name, "%.80s (predicted)", device->name);
#define X(field, unit, meaning) device->field[0] = '\0';
    DEVICE_TEXTS(X)
#undef X
    snprintf(device->name, sizeof device->name, "%s", name);
    snprintf(device->uuid, sizeof device->uuid, "%s", BACKEND_PREDICTED);
    snprintf(device->backend, sizeof device->backend, "%s", BACKEND_PREDICTED);
    int failed = store_open(output, false, &head, &store, error);
    free(spaces);
    if (failed)
        return -1;
    store_device(store, device);
    for (size_t i = 0; i < source->count && !failed; i++) {
        fill_point(&source->entry[i], device, &result);
        failed = store_append(store, &source->entry[i].point, &result, error) != 0 ||
                 store_tick(store, error) != 0;
    }
    struct error closing = {0};
    failed |= store_close(store, failed ? &closing : error) != 0;
    return failed ? -1 : 0;
}

static struct target device_of_source(void *source)
{
    return target_of_device(&((const struct source *)source)->device);
}

static int of_job(const struct arguments *arguments, struct source *source, struct error *error)
{
    struct job_source asked;
    struct job job;
    struct grid *grid;
    const struct job_device known = {device_of_source, source};
    if (job_source_read(arguments, &asked, error) != 0)
        return -1;
    asked.device = &known;
    if (compose_job(&asked, &job, error) != 0)
        return -1;
    int failed = grid_expand(&job, &grid, error);
    if (!failed)
        allocate(source, grid_count(grid), job.text, job.path);
    for (; !failed && source->count < grid_count(grid); source->count++)
        source->entry[source->count] = (struct entry){grid_point(grid, source->count), NAN};
    grid_free(grid);
    job_free(&job);
    return failed;
}

static bool is_wanted(const struct dataset *file, size_t row, int64_t device)
{
    const struct frame *results = &file->results;
    return status_is_ok(frame_find_text(results, row, COLUMN(status))) && dataset_is_point(file, row) &&
           frame_find_real(results, row, COLUMN(time_median)) > 0 && dataset_device_of(file, row) == device;
}

/* The points of the rows; those of kernels that are not here are left out. `known`: source->device is
 * another. */
static int of_file(const struct arguments *arguments, bool known, struct source *source, struct error *error)
{
    struct dataset file;
    const char *row_text = options_text(arguments, "device"), *path = options_text(arguments, "of");
    int64_t device;
    int failed = 0;
    if (!text_parse_integer(row_text, &device) || device < 0)
        return error_set(error, ERROR_USAGE, "--device '%.40s': expected a row of /devices, from 0",
                         row_text);
    if (dataset_read(path, &file, error) != 0)
        return -1;
    const struct frame *results = &file.results;
    if ((size_t)device >= file.devices.rows)
        failed = error_set(error, ERROR_USAGE, "--device %s: %s has %zu devices", row_text, path,
                           file.devices.rows);
    else if (!known)
        source->device = dataset_device(&file, (size_t)device);
    allocate(source, results->rows, file.job, file.job_path);
    for (size_t row = 0; row < results->rows && !failed; row++)
        if (is_wanted(&file, row, device) && row_point(results, row, &source->entry[source->count].point))
            source->entry[source->count++].dirty = frame_find_real(results, row, COLUMN(launches)) > 1
                                                       ? NAN
                                                       : frame_find_real(results, row, COLUMN(l2_dirty));
    dataset_free(&file);
    return failed;
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *path = options_text(arguments, "profile"), *output = options_text(arguments, "output");
    bool of = options_given(arguments, "of");
    struct source source = {.count = 0};
    if (!output || (!path && !of))
        return error_set(error, ERROR_USAGE,
                         "points needs --profile FILE (the device), or --of FILE.h5, and -o FILE.h5");
    if (of && (arguments->operands || options_given(arguments, "kernel")))
        return error_set(error, ERROR_USAGE, "expected a job or --of, not both");
    if (options_results_file(output, error) != 0 || user_kernels_load(arguments, error) != 0 ||
        (path && profile_read(path, &source.device, error) != 0))
        return -1;
    if (path)
        snprintf(source.device.backend, sizeof source.device.backend, "%s", BACKEND_PREDICTED);
    int failed = of ? of_file(arguments, path != NULL, &source, error) : of_job(arguments, &source, error);
    if (!failed)
        failed = write_all(output, &source, error);
    free(source.entry);
    free(source.job);
    free(source.path);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_points = {
    .name = "points",
    .operands = "[JOB]",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "count the accesses of a job's points by the access model; no GPU needed",
    .details =
        "Writes a results file without times: each point with its bytes and flops, its grid, the predicted\n"
        "counters, its roof on the device, and what else the time model is a function of. predict adds the\n"
        "times. Nothing is compiled. With --of the points are those of a results file, and the device is\n"
        "its own: files of older releases lack what the time model needs.\n",
    .examples = "  warpsweep points jobs/copy.yaml --profile b200 -o points.h5\n"
                "  warpsweep points --of h200.h5 -o points.h5\n",
    .options = options,
    .run = run,
};
