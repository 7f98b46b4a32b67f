/* predict - a results file with predicted times, for a device that is not here. */
#include "cli/command.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bounded_queue.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/options/job_options.h"
#include "cli/options/user_kernels.h"
#include "family/access/model.h"
#include "family/target.h"
#include "family/time/roof.h"
#include "family/time/time_model.h"
#include "plan/grid.h"
#include "plan/profile_file.h"
#include "store/store.h"
#include "toolkit/code_facts.h"
#include "version.h"

#define BACKEND "predicted"

enum {
    CHUNK = 4096 /* points per block: one is predicted while the block before is written */,
    THREADS_MAX = 64
};

static const char *const code_words[] = {"none", "instructions", NULL};

static const struct command_option options[] = {
    JOB_OPTIONS,
    {"profile", 0, "FILE", NULL, NULL,
     "the device: a profile file, or the name of one of this release (b200)"},
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write"},
    {"code", 0, "WHAT", "none", code_words, "what to read from compiled kernels"},
    {"threads", 0, "N", NULL, NULL, "threads; default: one per processor"},
    OPTION_KERNELS,
    {0},
};

struct batch {
    const struct grid *grid;
    const struct profile *profile;
    const struct code_facts *code; /* NULL: --code none */
    struct device device;
    size_t first, count, next; /* `next` is taken atomically */
    struct result *result;     /* [CHUNK], the queue's */
};

/* The model's time in the columns of a measured one. */
static void put_time(struct result *result, const struct time_prediction *time)
{
    double *real = result->real;
    real[REAL_time_median] = real[REAL_predicted_time] = time->seconds;
    real[REAL_time_ci_low] = real[REAL_predicted_time_low] = time->low;
    real[REAL_time_ci_high] = real[REAL_predicted_time_high] = time->high;
    double bytes = real[REAL_bytes_read] + real[REAL_bytes_written];
    real[REAL_bandwidth] = bytes / time->seconds;
    real[REAL_bandwidth_low] = bytes / time->high;
    real[REAL_bandwidth_high] = bytes / time->low;
    real[REAL_flop_rate] = real[REAL_flops] / time->seconds;
    real[REAL_flop_rate_executed] = real[REAL_flops_executed] / time->seconds;
    result->bound = time->bound;
    result->bound_second = time->second;
}

/* Launch configuration and resources per SM, as far as they are known. */
static void put_resources(const struct batch *batch, struct code_needs needs, const struct setup *setup,
                          const struct time_facts *facts, double *real)
{
    if (setup->engine != ENGINE_KERNEL)
        return;
    real[REAL_grid_blocks] = (double)setup->grid[0] * setup->grid[1] * setup->grid[2];
    real[REAL_block_threads] = (double)setup->block[0] * setup->block[1] * setup->block[2];
    real[REAL_shared_dynamic] = setup->shared_dynamic;
    if (!needs.registers)
        return;
    real[REAL_registers] = needs.registers;
    real[REAL_shared_static] = needs.shared_static;
    real[REAL_occupancy_theoretical] =
        facts->resident * ceil(real[REAL_block_threads] / 32) * 32 / (double)batch->device.threads_sm;
}

static void predict_point(const struct batch *batch, const struct point *point, struct result *result)
{
    struct target target = target_of_device(&batch->device);
    char reason[RESULT_MESSAGE_SIZE];
    const char *why = family_skip(point, &target, reason, sizeof reason);
    *result = result_new();
    result->id = point_id(point);
    result->device = 0;
    if (why) {
        result_fail(result, STATUS_UNSUPPORTED, "%s", why);
        return;
    }
    struct setup setup = family_of(point)->setup(point, &target);
    struct work work = family_of(point)->work(point);
    struct time_facts facts = time_facts_none((enum cache_mode)point_value(point, "cache", CACHE_COLD));
    struct time_prediction time;
    struct prediction p;
    double *real = result->real;
    real[REAL_bytes_read] = (double)work.bytes_read;
    real[REAL_bytes_written] = (double)work.bytes_written;
    real[REAL_flops] = (double)work.flops;
    real[REAL_flops_executed] = work.flops_of_zeros ? (double)work_flops_executed(&work) : NAN;
    model_predict_roughly(point, &setup, &target, facts.dirty, &p);
    struct code_needs needs = {0};
    if (batch->code)
        needs = code_facts_fill(batch->code, point, &setup, &p, batch->profile, &facts);
    put_resources(batch, needs, &setup, &facts, real);
#define X(name) real[REAL_predicted_##name] = p.name;
    PREDICTIONS(X)
#undef X
    if (!time_predict_from(point, &setup, &p, batch->profile, &facts, &time)) {
        result_fail(result, STATUS_UNSUPPORTED,
                    "the time model has no prediction for this kernel with this profile");
        return;
    }
    put_time(result, &time);
    roof_fill(result, point, facts.cache, &batch->device);
}

static void *work_on(void *context)
{
    struct batch *batch = context;
    for (size_t i; (i = __atomic_fetch_add(&batch->next, 1, __ATOMIC_RELAXED)) < batch->count;) {
        struct point point = grid_point(batch->grid, batch->first + i);
        predict_point(batch, &point, &batch->result[i]);
    }
    return NULL;
}

static void predict_chunk(struct batch *batch, int threads)
{
    pthread_t thread[THREADS_MAX];
    int started = 0;
    batch->next = 0;
    while (started < threads - 1 && pthread_create(&thread[started], NULL, work_on, batch) == 0)
        started++;
    work_on(batch);
    while (started)
        pthread_join(thread[--started], NULL);
}

/* State of the writer, which has its own thread. */
struct writing {
    const struct grid *grid;
    struct store *store;
    struct error *error;
    size_t written;
};

static int write_chunk(void *of, void *block, size_t count)
{
    struct writing *w = of;
    const struct result *result = block;
    for (size_t i = 0; i < count; i++) {
        struct point point = grid_point(w->grid, w->written++);
        if (store_append(w->store, &point, &result[i], w->error) != 0)
            return -1;
    }
    return store_tick(w->store, w->error);
}

static int write_points(struct batch *batch, struct store *store, int threads, struct error *error)
{
    size_t points = grid_count(batch->grid);
    struct writing writing = {.grid = batch->grid, .store = store, .error = error};
    struct bounded_queue *queue = bounded_queue_start(CHUNK * sizeof *batch->result, write_chunk, &writing);
    for (batch->first = 0; batch->first < points; batch->first += batch->count) {
        batch->result = bounded_queue_block(queue);
        if (!batch->result)
            break;
        batch->count = points - batch->first < CHUNK ? points - batch->first : CHUNK;
        predict_chunk(batch, threads);
        bounded_queue_send(queue, batch->count);
    }
    return bounded_queue_end(queue);
}

static int write_file(const struct job *job, const struct grid *grid, const struct profile *profile,
                      const struct code_facts *code, const char *output, int threads, struct error *error)
{
    char names[][16] = {"release", "commit", "prediction", "start"}, start[32] = "";
    char release[] = WARPSWEEP_RELEASE, commit[] = WARPSWEEP_COMMIT;
    char remark[] = "written by `warpsweep predict` from a device profile; nothing in this file was measured";
    time_t now = time(NULL);
    struct tm utc;
    strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    const struct store_pair environment[] = {{.name = names[0], .value = release},
                                             {.name = names[1], .value = commit},
                                             {.name = names[2], .value = remark},
                                             {.name = names[3], .value = start}};
    const struct space **spaces = job_spaces(job);
    const struct store_head head = {.job = job->text,
                                    .job_path = job->path,
                                    .planned = grid_count(grid),
                                    .environment = environment,
                                    .environment_count = 4,
                                    .spaces = spaces};
    struct batch batch = {
        .grid = grid, .profile = profile, .code = code, .device = profile_device(profile, BACKEND)};
    struct store *store;
    snprintf(batch.device.uuid, sizeof batch.device.uuid, "%s", BACKEND);
    snprintf(batch.device.name, sizeof batch.device.name, "%.80s (predicted)", profile->name);
    int failed = store_open(output, false, &head, &store, error);
    if (!failed) {
        store_device(store, &batch.device);
        failed = write_points(&batch, store, threads, error);
        failed = store_close(store, failed ? &(struct error){0} : error) || failed ? -1 : 0;
    }
    free(spaces);
    return failed;
}

static int threads_of(const struct arguments *arguments, int *threads, struct error *error)
{
    const char *text = options_text(arguments, "threads");
    int64_t count = sysconf(_SC_NPROCESSORS_ONLN);
    if (text && (!text_parse_integer(text, &count) || count < 1))
        return error_set(error, ERROR_USAGE, "--threads '%.40s': expected a whole number from 1", text);
    *threads = (int)(count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count);
    return 0;
}

/* Compile the kernels of the points that the device supports; NULL with --code none. */
static int read_code(const struct grid *grid, const struct profile *profile, const char *use,
                     struct code_facts **code, struct error *error)
{
    struct device device = profile_device(profile, BACKEND);
    struct target target = target_of_device(&device);
    char reason[RESULT_MESSAGE_SIZE];
    *code = NULL;
    if (!strcmp(use, code_use_words[CODE_NONE]))
        return 0;
    *code = code_facts_new(target.capability);
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        if (!family_skip(&point, &target, reason, sizeof reason))
            code_facts_want(*code, &point);
    }
    return code_facts_fetch(*code, error);
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *path = options_text(arguments, "profile"), *output = options_text(arguments, "output");
    struct profile profile;
    struct job_source source;
    struct job job;
    struct grid *grid;
    struct code_facts *code = NULL;
    int threads = 1;
    if (!output || !path)
        return error_set(
            error, ERROR_USAGE,
            "predict needs --profile FILE (the device) and -o FILE.h5 (the results file to write)");
    if (io_check_name(output, error) != 0 || job_source_read(arguments, &source, error) != 0 ||
        threads_of(arguments, &threads, error) != 0 || user_kernels_load(arguments, error) != 0 ||
        profile_read(path, &profile, error) != 0 || compose_job(&source, &job, error) != 0)
        return -1;
    profile_assume(&profile);
    int failed = grid_expand(&job, &grid, error);
    if (!failed) {
        double start = clock_now();
        failed = read_code(grid, &profile, options_text(arguments, "code"), &code, error) ||
                 write_file(&job, grid, &profile, code, output, threads, error);
        if (!failed)
            fprintf(stderr, "%s: %zu points predicted for %s in %.1f s; nothing was measured\n", output,
                    grid_count(grid), profile.name, clock_now() - start);
        code_facts_free(code);
        grid_free(grid);
    }
    job_free(&job);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_predict = {
    .name = "predict",
    .operands = "[JOB]",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "predict a job's times from a device profile; no GPU needed",
    .details =
        "Writes a results file of the back end `predicted`. Times and bounds come from the time model\n"
        "(docs/model.md) and the device's profile. No GPU is needed, and nothing is measured.\n"
        "\n"
        "By default no kernel is compiled: threads and shared memory limit the resident blocks, and issue\n"
        "slots are ignored. --code instructions compiles the kernels and uses their registers, shared "
        "memory\n"
        "and machine code; this needs nvdisasm. --kernel, --set and --only make or change the job, as for\n"
        "run.\n",
    .examples = "  warpsweep predict jobs/copy.yaml --profile b200 -o b200-predicted.h5\n"
                "  warpsweep predict --kernel transpose --set columns=1024,16384 --profile b200 -o b200.h5\n"
                "  warpsweep plot h200.h5 b200-predicted.h5 -o figures --figure copy_stride\n"
                "  warpsweep report --bounds b200.h5 --profile b200    # the error of the prediction, once "
                "measured\n",
    .options = options,
    .run = run,
};
