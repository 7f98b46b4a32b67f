#include "coordinator/state/run_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "coordinator/state/identity.h"
#include "family/target.h"
#include "family/time/roof.h"
#include "plan/order.h"
#include "process/cache_folder.h"

int run_plan_read(struct run_plan *plan, const struct launch_options *options, struct error *error)
{
    if (compose_job(&options->job, &plan->job, error) != 0)
        return -1;
    plan->config = config_standard();
    plan->config.timing = plan->job.timing;
    plan->config.seed = options->seed_given ? options->seed : hash_text(HASH_START, plan->job.text);
    return grid_expand(&plan->job, &plan->grid, error);
}

/* The distinct kernels of the job, NULL-terminated. The caller frees the array. */
static const struct space **job_spaces(const struct job *job)
{
    const struct space **spaces = memory_new((size_t)job->sweep_count + 1, sizeof *spaces);
    int count = 0;
    for (int i = 0; i < job->sweep_count; i++) {
        const struct space *space = &job->sweeps[i].family->space;
        int known = 0;
        while (known < count && spaces[known] != space)
            known++;
        if (known == count)
            spaces[count++] = space;
    }
    return spaces;
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

int run_plan_open(struct run_plan *plan, const struct environment *environment, struct error *error)
{
    const struct space **spaces = job_spaces(&plan->job);
    struct store_head head = {
        .job = plan->job.text,
        .job_path = plan->job.path,
        .planned = grid_count(plan->grid),
        .environment = environment->pair,
        .environment_count = environment->count,
        .spaces = spaces,
        .counter = (const char(*)[96])plan->config.counter,
        .counter_count = plan->config.counter_count,
    };
    plan->highest_repeat = store_highest_repeat(plan->store);
    int failed = store_begin(plan->store, &head, error);
    plan->open = !failed;
    free(spaces);
    return failed;
}

static bool has_product(const struct device *const *devices, int count, const struct device *wanted)
{
    for (int i = 0; i < count; i++)
        if (device_same_product(devices[i], wanted))
            return true;
    return false;
}

/* "unsupported" holds for the product that reported it. Points that no device has reported are evaluated again. */
static bool stays_unsupported(const struct run_plan *plan, const struct store_point *there,
                              const struct device *const *devices, int count)
{
    if (there->device < 0 || (uint64_t)there->device >= store_data(plan->store)->devices.rows)
        return false;
    struct device device = dataset_device(store_data(plan->store), (size_t)there->device);
    return has_product(devices, count, &device);
}

static bool lacks_counters(const struct run_plan *plan, const struct environment *now, uint64_t id,
                           const struct store_point *there)
{
    return !identity_same_counters(store_data(plan->store), there->run, now) ||
           !store_is_counted(plan->store, id);
}

/* Queue a point for counting if an earlier run ended before that, or, with --retry-failed, if its counting has failed. */
static void note_uncounted(struct run_plan *plan, uint32_t index, bool retry_failed)
{
    if (!plan->config.counter_count)
        return;
    struct store_point there;
    bool known = store_find(plan->store, grid_id(plan->grid, index), &there);
    enum counters_state state = known ? there.counters : COUNTERS_NONE;
    if (state != COUNTERS_PENDING && !(retry_failed && state == COUNTERS_MISSING))
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
static struct target *distinct_targets(const struct device *const *devices, int count, int *distinct)
{
    struct target *targets = memory_new((size_t)count, sizeof *targets);
    *distinct = 0;
    for (int i = 0; i < count; i++) {
        struct target target = target_of_device(devices[i]);
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

/* Note a point that lacks processes. Not with `devices: all`, where the device that lacks them may be absent. */
static void note_partial(struct run_plan *plan, uint32_t index)
{
    struct partial partial = {.index = index};
    if (plan->config.timing.replicates <= 1)
        return;
    struct store_point there;
    const struct frame *devices = &store_data(plan->store)->devices;
    if (store_find(plan->store, grid_id(plan->grid, index), &there))
        partial.processes = there.processes;
    if (!partial.processes || partial.processes >= plan->config.timing.replicates ||
        plan->config.timing.all_devices)
        return;
    if (there.device >= 0 && (size_t)there.device < devices->rows)
        snprintf(partial.uuid, sizeof partial.uuid, "%s",
                 frame_find_text(devices, (size_t)there.device, DEVICE_COLUMN(uuid)));
    plan->partial =
        memory_grow(plan->partial, plan->partial_count, &plan->partial_capacity, sizeof *plan->partial);
    plan->partial[plan->partial_count++] = partial;
}

/* Whether an earlier run has done the point. `*judged`: it is unsupported but no device has reported that. */
static bool is_done(const struct run_plan *plan, uint64_t id, const struct launch_options *options,
                    const struct environment *now, const struct device *const *devices, int count,
                    bool *judged)
{
    struct store_point there;
    *judged = false;
    if (!store_find(plan->store, id, &there))
        return false;
    if (there.status == STATUS_OK && !options->remeasure_counters)
        return true;
    if (there.status == STATUS_UNSUPPORTED) {
        *judged = there.device < 0;
        return stays_unsupported(plan, &there, devices, count);
    }
    if (there.status != STATUS_OK) /* after one attempt the retry is still due */
        return !options->retry_failed && there.attempts != 1;
    return !options->remeasure_counters || !lacks_counters(plan, now, id, &there);
}

int run_plan_select(struct run_plan *plan, const struct launch_options *options,
                    const struct environment *environment, const struct device *const *devices, int count,
                    struct error *error)
{
    size_t points = grid_count(plan->grid);
    int targets_count, failed = 0;
    struct target *targets = distinct_targets(devices, count, &targets_count);
    uint32_t *order = order_of_work(plan->grid, &plan->job.timing, plan->config.seed);
    for (size_t i = 0; i < points && !failed; i++) {
        bool judged;
        if (!share_has(&options->share, i))
            continue;
        if (is_done(plan, grid_id(plan->grid, order[i]), options, environment, devices, count, &judged)) {
            plan->before++;
            note_partial(plan, order[i]);
            note_uncounted(plan, order[i], options->retry_failed);
            continue;
        }
        char reason[256];
        struct point point = grid_point(plan->grid, order[i]);
        const char *why = skip_everywhere(&point, targets, targets_count, reason, sizeof reason);
        if (why && judged)
            plan->before++;
        else if (why)
            failed = record_unsupported(plan, order[i], why, error);
        else
            order[plan->todo_count++] = order[i];
    }
    plan->todo = order;
    free(targets);
    return failed;
}

double run_plan_expected_seconds(const struct run_plan *plan, uint32_t index)
{
    struct point point = grid_point(plan->grid, index);
    const struct timing *timing = &plan->config.timing;
    double known = plan->history ? history_recall(plan->history, &point, timing) : NAN;
    return isnan(known) ? order_expected_seconds(&point, timing) : known;
}

static double seconds_of(void *context, uint32_t index)
{
    return run_plan_expected_seconds(context, index);
}

void run_plan_recall(struct run_plan *plan, const char *backend, const char *device, bool reorder)
{
    char folder[1024];
    if (cache_folder_find(folder, sizeof folder, NULL) == 0 && folder[0])
        plan->history_path = history_path(folder, backend, device);
    plan->history = history_read(plan->history_path ? plan->history_path : "");
    if (reorder && !history_is_empty(plan->history))
        order_longest_first(plan->todo, plan->todo_count, seconds_of, plan);
    else if (reorder)
        order_samples_first(plan->grid, &plan->config.timing, plan->todo, plan->todo_count);
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

void run_plan_merge(struct run_plan *plan, struct result *result, int row, struct error *error)
{
    result->device = row;
    store_merge(plan->store, result, error);
}

int run_plan_close(struct run_plan *plan, struct error *error)
{
    int failed = plan->store ? store_close(plan->store, error) : 0;
    grid_free(plan->grid);
    job_free(&plan->job);
    free(plan->todo);
    free(plan->partial);
    free(plan->to_count);
    history_free(plan->history);
    free(plan->history_path);
    *plan = (struct run_plan){0};
    return failed;
}
