#include "coordinator/state/run_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "family/code/plugin.h"
#include "family/family.h"
#include "family/time/roof.h"
#include "plan/grid.h"
#include "store/dataset/hiding.h"

int run_plan_read(struct run_plan *plan, const struct launch_options *options, struct error *error)
{
    if (compose_job(&options->job, &plan->job, error) != 0)
        return -1;
    plan->job.pair = options->pair;
    if (job_pair_is_wanted(&plan->job.pair) && !plan->job.replicates_given)
        plan->job.timing.replicates = PAIRED_REPLICATES;
    plan->config = config_standard();
    plan->config.timing = plan->job.timing;
    plan->config.one_device = true;
    for (int i = 0; i < plan->job.sweep_count; i++) {
        const struct family *family = plan->job.sweeps[i].family;
        plan->config.tensor_cores |= family->tensor_cores;
        plan->config.one_device &= !family->devices;
        plan->loads_link |= family->node_exclusive;
    }
    plan->config.energy = plan->job.energy || options->energy;
    plan->config.seed = options->seed_given ? options->seed : hash_text(HASH_START, plan->job.text);
    if (grid_expand(&plan->job, &plan->grid, error) != 0)
        return -1;
    if (job_pair_is_wanted(&plan->job.pair) && !grid_size(plan->grid)->pairs)
        return error_set(error, ERROR_USAGE,
                         plan->job.pair.axis[0]
                             ? "%s: no two points of this job differ only in the values of --pair"
                             : "%s: no point of this job has two versions; expected a kernel "
                               "that both folders of --kernels have",
                         plan->job.path);
    return 0;
}

int run_plan_load(struct run_plan *plan, const struct launch_options *options, struct error *error)
{
    if (store_load(options->output_path, options->resume, &plan->store, error) != 0)
        return -1;
    /* The seed of the file, unless the command line has one. */
    const char *recorded = dataset_environment(store_data(plan->store), "seed");
    if (recorded && !options->seed_given && identity_backend(store_data(plan->store)))
        plan->config.seed = strtoull(recorded, NULL, 10);
    return 0;
}

void run_plan_hide_paths(const struct run_plan *plan, const struct launch_options *options,
                         struct privacy *privacy)
{
    const char **kernels = memory_new((size_t)plan->job.sweep_count + 1, sizeof *kernels),
               *own = getenv(PLUGIN_VARIABLE);
    char *output = io_real_path(options->output_path), *job = io_real_path(plan->job.path),
         *folders = memory_text(own ? own : ""), *rest = folders, *folder;
    for (int i = 0; i < plan->job.sweep_count; i++)
        kernels[i] = plan->job.sweeps[i].family->space.kernel;
    privacy_add_path(privacy, output, kernels);
    if (options->job.path)
        privacy_add_path(privacy, job, kernels);
    while ((folder = strsep(&rest, "\n")))
        privacy_add_path(privacy, folder + strcspn(folder, "/"), kernels);
    free(folders);
    free(job);
    free(output);
    free(kernels);
}

int run_plan_open(struct run_plan *plan, const struct environment *environment, struct frame *sources,
                  const struct privacy *privacy, struct error *error)
{
    const struct space **spaces = job_spaces(&plan->job);
    char *job = privacy_job(privacy, plan->job.text), *path = hiding_job_path(privacy, plan->job.path);
    struct store_head head = {
        .privacy = privacy,
        .job = job,
        .job_path = path,
        .planned = grid_count(plan->grid),
        .environment = environment->pair,
        .environment_count = environment->count,
        .sources = sources,
        .spaces = spaces,
        .counter = (const char(*)[96])plan->config.counter,
        .counter_count = plan->config.counter_count,
    };
    hiding_sources(privacy, sources);
    plan->highest_repeat = store_highest_repeat(plan->store);
    int failed = store_begin(plan->store, &head, error);
    plan->open = !failed;
    free(path);
    free(job);
    free(spaces);
    return failed;
}

/* "unsupported" holds for the product of the devices that reported it: one that a single device has reported
 * is asked of another. Points that no device has reported are evaluated again. */
static bool stays_unsupported(const struct run_plan *plan, const struct store_point *there,
                              const struct team *team)
{
    if (there->device < 0 || (uint64_t)there->device >= store_data(plan->store)->devices.rows)
        return false;
    struct device device = dataset_device(store_data(plan->store), (size_t)there->device);
    bool same = false, other = false;
    for (int rank = 0; rank < team->count; rank++) {
        const struct device *own = &team->member[rank].device;
        same |= device_same_product(own, &device);
        other |= device_same_product(own, &device) && strcmp(own->uuid, device.uuid) != 0;
    }
    return same && (there->attempts > 1 || !other);
}

bool run_plan_find(const struct run_plan *plan, uint32_t index, struct store_point *there)
{
    return store_find(plan->store, grid_id(plan->grid, index), there);
}

double run_plan_real(const struct run_plan *plan, uint32_t index, const char *column)
{
    size_t row = store_find_row(plan->store, grid_id(plan->grid, index));
    return row == SIZE_MAX ? NAN : frame_find_real(&store_data(plan->store)->results, row, column);
}

/* Of a point that has a row. */
static const char *text_of(const struct run_plan *plan, uint32_t index, const char *column)
{
    return frame_find_text(&store_data(plan->store)->results,
                           store_find_row(plan->store, grid_id(plan->grid, index)), column);
}

bool run_plan_is_ok(const struct run_plan *plan, uint32_t index)
{
    struct store_point there;
    return run_plan_find(plan, index, &there) && there.status == STATUS_OK;
}

/* Whether this run measures energy that a good point of the file lacks, or, with --retry-failed, that has
 * failed. */
static bool lacks_energy(const struct run_plan *plan, uint32_t index, bool retry_failed)
{
    if (!plan->config.energy || !run_plan_is_ok(plan, index))
        return false;
    const char *status = text_of(plan, index, COLUMN(energy_status));
    return !*status || (retry_failed && !strncmp(status, ENERGY_FAILED, strlen(ENERGY_FAILED)));
}

/* Queue a point for counting if an earlier run ended before that, if it lacks energy, or, with
 * --retry-failed, if either has failed. */
static void note_uncounted(struct run_plan *plan, uint32_t index, bool retry_failed)
{
    if (!config_passes(&plan->config))
        return;
    struct store_point there;
    bool known = run_plan_find(plan, index, &there);
    enum counters_state state = known ? there.counters : COUNTERS_NONE;
    if (state != COUNTERS_PENDING &&
        !(retry_failed && (state == COUNTERS_MISSING || state == COUNTERS_FAILED)) &&
        !lacks_energy(plan, index, retry_failed))
        return;
    plan->to_count =
        memory_grow(plan->to_count, plan->to_count_count, &plan->to_count_capacity, sizeof *plan->to_count);
    plan->to_count[plan->to_count_count++] = index;
}

/* Why no target supports the point, in the words of the first target; NULL if one does. */
static const char *skip_everywhere(const struct point *point, const struct target *targets, int count,
                                   char *reason, size_t size)
{
    const char *why = NULL;
    for (int i = count - 1; i >= 0; i--) {
        why = family_skip(point, &targets[i], reason, size);
        if (!why)
            return NULL;
    }
    return why;
}

/* The distinct targets of the devices. The caller frees the array. */
static struct target *distinct_targets(const struct team *team, int *distinct)
{
    struct target *targets = memory_new((size_t)team->count, sizeof *targets);
    *distinct = 0;
    for (int rank = 0; rank < team->count; rank++) {
        struct target target = target_of_device(&team->member[rank].device);
        int known = 0;
        while (known < *distinct &&
               (targets[known].capability != target.capability || targets[known].host != target.host ||
                targets[known].memory_bytes != target.memory_bytes ||
                targets[known].shared_bytes != target.shared_bytes ||
                targets[known].shared_sm_bytes != target.shared_sm_bytes ||
                targets[known].l2_bytes != target.l2_bytes ||
                targets[known].multiprocessors != target.multiprocessors ||
                targets[known].threads_sm != target.threads_sm))
            known++;
        if (known == *distinct)
            targets[(*distinct)++] = target;
    }
    return targets;
}

static int record_unsupported(struct run_plan *plan, uint32_t index, const char *why, struct error *error)
{
    struct result result = result_new();
    result.id = grid_id(plan->grid, index);
    result_fail(&result, STATUS_UNSUPPORTED, "%s", why);
    plan->unsupported++;
    if (run_plan_record(plan, index, &result, NULL, -1, error) != 0)
        return -1;
    return store_tick(plan->store, error);
}

/* Processes that have measured a point; 0: it is not ok. */
static uint32_t processes_of(const struct run_plan *plan, uint32_t index)
{
    struct store_point there;
    return run_plan_find(plan, index, &there) ? there.processes : 0;
}

/* Note the point if it lacks processes of the rank's device. */
static void add_partial(struct run_plan *plan, uint32_t index, uint32_t processes, int rank)
{
    if (processes >= plan->config.timing.replicates)
        return;
    plan->partial =
        memory_grow(plan->partial, plan->partial_count, &plan->partial_capacity, sizeof *plan->partial);
    plan->partial[plan->partial_count++] = (struct partial){index, processes, rank};
}

/* With `devices: all`: note what each present device lacks. */
static void note_devices(struct run_plan *plan, uint32_t index, const struct team *team)
{
    const struct dataset *data = store_data(plan->store);
    const struct frame *results = &data->results;
    const union cell *cell = frame_row(results, store_find_row(plan->store, grid_id(plan->grid, index)));
    const struct sample *sample = data->samples + cell[frame_find(results, COLUMN(sample_offset))].integer;
    int64_t samples = cell[frame_find(results, COLUMN(sample_count))].integer;
    for (int rank = 0; rank < team->count; rank++) {
        const char *uuid = team->member[rank].device.uuid;
        uint32_t processes = 0;
        for (int64_t i = 0; i < samples; i++) /* those of a process lie together */
            processes +=
                (!i || sample[i].process != sample[i - 1].process) && sample[i].device >= 0 &&
                !strcmp(frame_find_text(&data->devices, (size_t)sample[i].device, DEVICE_COLUMN(uuid)), uuid);
        if (*uuid)
            add_partial(plan, index, processes, rank);
    }
}

/* The rank whose device has measured the point; an arbitrary one if it is absent. */
static int rank_of_point(const struct run_plan *plan, uint32_t index, const struct team *team)
{
    const struct dataset *data = store_data(plan->store);
    int64_t device = dataset_device_of(data, store_find_row(plan->store, grid_id(plan->grid, index)));
    for (int rank = 0; rank < team->count && device >= 0; rank++)
        if (*team->member[rank].device.uuid &&
            !strcmp(team->member[rank].device.uuid,
                    frame_find_text(&data->devices, (size_t)device, DEVICE_COLUMN(uuid))))
            return rank;
    return (int)(index % (uint32_t)team->count);
}

/* Note what the point lacks, which `processes` have measured; 0: it is not ok. */
static void note_processes(struct run_plan *plan, uint32_t index, uint32_t processes, const struct team *team)
{
    if (processes && plan->config.timing.all_devices)
        note_devices(plan, index, team);
    else if (processes)
        add_partial(plan, index, processes, rank_of_point(plan, index, team));
}

/* Of a point, or of both points of a pair: one that was measured together is noted by its first point. */
static void note_partial(struct run_plan *plan, uint32_t index, const struct team *team)
{
    uint32_t second = grid_second(plan->grid, index), processes = processes_of(plan, index);
    uint32_t others = second == GRID_ALONE ? 0 : processes_of(plan, second);
    bool pair = run_plan_is_paired(plan, index) && others;
    note_processes(plan, index, pair && others < processes ? others : processes, team);
    if (!pair)
        note_processes(plan, second, others, team);
}

bool run_plan_is_paired(const struct run_plan *plan, uint32_t index)
{
    return run_plan_is_ok(plan, index) && *text_of(plan, index, COLUMN(paired_with));
}

/* What a run knows of its points before it measures them. */
struct selecting {
    struct run_plan *plan;
    const struct launch_options *options;
    const struct environment *environment;
    const struct team *team;
    struct target *targets; /* owned */
    int targets_count;
    size_t points, known; /* of the share; of them with a row */
};

/* Whether an earlier run, which has left `there`, has done the point. */
static bool is_done(const struct selecting *s, uint32_t index, const struct store_point *there)
{
    const struct run_plan *plan = s->plan;
    switch (there->status) {
    case STATUS_OK:
        return !s->options->remeasure_counters ||
               (identity_same_counters(store_data(plan->store), there->run, s->environment) &&
                store_is_counted(plan->store, grid_id(plan->grid, index)));
    case STATUS_UNSUPPORTED:
        return stays_unsupported(plan, there, s->team);
    case STATUS_UNAVAILABLE:
        return false;
    default: /* after one attempt the retry is still due */
        return !s->options->retry_failed && there->attempts != 1;
    }
}

enum need { NEED_NOTHING, NEED_MEASURING, NEED_FAILED };

/* Whether the point must be measured. `impossible`: no device supports it, or one has said so before. */
static enum need need_of(struct selecting *s, uint32_t index, bool *impossible, struct error *error)
{
    char reason[256];
    struct store_point there;
    bool known = run_plan_find(s->plan, index, &there),
         unsupported = known && there.status == STATUS_UNSUPPORTED;
    s->points++;
    s->known += known;
    if (known && is_done(s, index, &there)) {
        *impossible = unsupported;
        s->plan->before++;
        note_uncounted(s->plan, index, s->options->retry_failed);
        return NEED_NOTHING;
    }
    struct point point = grid_point(s->plan->grid, index);
    const char *why = skip_everywhere(&point, s->targets, s->targets_count, reason, sizeof reason);
    *impossible = why;
    if (!why)
        return NEED_MEASURING;
    if (unsupported && there.device < 0) /* recorded already, by no device */
        s->plan->before++;
    else if (record_unsupported(s->plan, index, why, error) != 0)
        return NEED_FAILED;
    return NEED_NOTHING;
}

/* A pair is measured whole, also when only one of its points must be. -1 with the error. */
static int select_unit(struct selecting *s, uint32_t index, struct error *error)
{
    struct run_plan *plan = s->plan;
    uint32_t second = grid_second(plan->grid, index);
    bool impossible[2] = {false, true};
    size_t before = plan->before;
    enum need need[2] = {need_of(s, index, &impossible[0], error), NEED_NOTHING};
    if (second != GRID_ALONE)
        need[1] = need_of(s, second, &impossible[1], error);
    if (need[0] == NEED_FAILED || need[1] == NEED_FAILED)
        return -1;
    if (need[0] == NEED_NOTHING && need[1] == NEED_NOTHING) {
        if (plan->before > before)
            note_partial(plan, index, s->team);
        return 0;
    }
    bool pair = !impossible[0] && !impossible[1];
    if (pair) /* both, also one that is done */
        plan->before = before;
    else if (second != GRID_ALONE)
        grid_separate(plan->grid, index);
    plan->todo_pairs += pair;
    plan->todo[plan->todo_count++] = impossible[0] ? second : index;
    return 0;
}

/* Points with a row. */
static size_t count_points(const struct dataset *data)
{
    size_t points = 0;
    for (size_t row = 0; row < data->results.rows; row++)
        points += dataset_is_point(data, row);
    return points;
}

static void note_number(const struct run_plan *plan, const char *name, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    store_note(plan->store, name, text);
}

/* What must be known to count the points that the file lacks: how many it has of another job or share, and
 * how many are in a share of pairs, which are dealt out together. */
static void note_points(const struct selecting *s, size_t rows)
{
    s->plan->others = rows - s->known;
    if (s->plan->others)
        note_number(s->plan, ENVIRONMENT_OTHERS, s->plan->others);
    if (s->points != share_count(&s->options->share, grid_count(s->plan->grid)))
        note_number(s->plan, ENVIRONMENT_POINTS, s->points);
}

int run_plan_select(struct run_plan *plan, const struct launch_options *options,
                    const struct environment *environment, const struct team *team, struct error *error)
{
    size_t points = grid_count(plan->grid), units = 0, rows = count_points(store_data(plan->store));
    int failed = 0;
    struct selecting selecting = {plan, options, environment, team, NULL, 0, 0, 0};
    uint32_t *order = order_of_work(plan->grid, &plan->job.timing, plan->config.seed);
    selecting.targets = distinct_targets(team, &selecting.targets_count);
    plan->todo = order; /* filled from its start, behind what is read */
    for (size_t i = 0; i < points && !failed; i++)
        if (!grid_is_second(plan->grid, order[i]) && share_has(&options->share, units++))
            failed = select_unit(&selecting, order[i], error);
    free(selecting.targets);
    if (!failed)
        note_points(&selecting, rows);
    return failed;
}

double run_plan_expected_seconds(const struct run_plan *plan, uint32_t index)
{
    struct point point = grid_point(plan->grid, index);
    return order_expected_seconds(&point, &plan->config.timing);
}

double run_plan_expected_accesses(const struct run_plan *plan, uint32_t index)
{
    static const char *const columns[] = {COLUMN(predicted_load_requests), COLUMN(predicted_store_requests),
                                          COLUMN(predicted_shared_load_requests),
                                          COLUMN(predicted_shared_store_requests)};
    double sum = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double requests = run_plan_real(plan, index, columns[i]);
        sum += isnan(requests) ? 0 : requests;
    }
    return sum;
}

int run_plan_record(struct run_plan *plan, uint32_t index, struct result *result, const struct device *device,
                    int row, struct error *error)
{
    struct point point = grid_point(plan->grid, index);
    result->device = row;
    if (device && result->status == STATUS_OK)
        roof_fill(result, &point, (enum cache_mode)point_value(&point, "cache", CACHE_COLD), device);
    return store_append(plan->store, &point, result, error);
}

int run_plan_close(struct run_plan *plan, struct dataset *results, struct error *error)
{
    int failed = plan->store ? store_close_keep(plan->store, results, error) : 0;
    grid_free(plan->grid);
    job_free(&plan->job);
    free(plan->todo);
    free(plan->partial);
    free(plan->to_count);
    *plan = (struct run_plan){0};
    return failed;
}
