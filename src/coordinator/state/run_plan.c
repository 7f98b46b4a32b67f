#include "coordinator/state/run_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "coordinator/state/identity.h"
#include "family/target.h"
#include "family/time/roof.h"
#include "plan/order.h"
#include "process/cache_folder.h"

int agenda_read(struct agenda *agenda, const struct launch_options *options, struct error *error)
{
    if (compose_job(&options->job, &agenda->job, error) != 0)
        return -1;
    agenda->config = config_standard();
    agenda->config.timing = agenda->job.timing;
    agenda->config.seed = options->seed_given ? options->seed : hash_text(HASH_START, agenda->job.text);
    if (options->resume)
        agenda->loading = store_load_start(options->output_path);
    return grid_expand(&agenda->job, &agenda->grid, error);
}

/* The kernels that the job names, each once, NULL-terminated. Caller frees. */
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

int agenda_load(struct agenda *agenda, const struct launch_options *options, struct error *error)
{
    int failed = agenda->loading ? store_load_end(agenda->loading, &agenda->store, error)
                                 : store_load(options->output_path, options->resume, &agenda->store, error);
    agenda->loading = NULL;
    if (failed)
        return -1;
    /* The seed is the file's, unless the command line names one. */
    const char *recorded = dataset_environment(store_data(agenda->store), "seed");
    if (recorded && !options->seed_given && identity_backend(store_data(agenda->store)))
        agenda->config.seed = strtoull(recorded, NULL, 10);
    return 0;
}

int agenda_open(struct agenda *agenda, const struct environment *environment, struct error *error)
{
    const struct space **spaces = job_spaces(&agenda->job);
    struct store_head head = {
        .job = agenda->job.text,
        .job_path = agenda->job.path,
        .planned = grid_count(agenda->grid),
        .environment = environment->pair,
        .environment_count = environment->count,
        .spaces = spaces,
        .counter = (const char(*)[96])agenda->config.counter,
        .counter_count = agenda->config.counter_count,
    };
    agenda->highest_repeat = store_highest_repeat(agenda->store);
    int failed = store_begin(agenda->store, &head, error);
    agenda->open = !failed;
    free(spaces);
    return failed;
}

static bool has_product(const struct device *const *devices, int count, const struct device *wanted)
{
    for (int i = 0; i < count; i++)
        if (identity_same_product(devices[i], wanted))
            return true;
    return false;
}

/* What one device cannot do, another may: "unsupported" holds for the product that said so. What no device was asked
 * about is judged anew, by `targets`. */
static bool stays_unsupported(const struct agenda *agenda, const struct store_point *there,
                              const struct device *const *devices, int count)
{
    if (there->device < 0 || (uint64_t)there->device >= store_data(agenda->store)->devices.rows)
        return false;
    struct device device = identity_device(store_data(agenda->store), (size_t)there->device);
    return has_product(devices, count, &device);
}

static bool lacks_counters(const struct agenda *agenda, const struct environment *now, uint64_t id,
                           const struct store_point *there)
{
    return !identity_same_counters(store_data(agenda->store), there->run, now) ||
           !store_is_counted(agenda->store, id);
}

/* Counters that a run's end came before are taken now; those that could not be had, on request. */
static void note_uncounted(struct agenda *agenda, uint32_t index, bool retry_failed)
{
    if (!agenda->config.counter_count)
        return;
    enum counters_state state = store_counters(agenda->store, grid_id(agenda->grid, index));
    if (state != COUNTERS_PENDING && !(retry_failed && state == COUNTERS_MISSING))
        return;
    agenda->to_count = memory_grow(agenda->to_count, agenda->to_count_count, &agenda->to_count_capacity,
                                   sizeof *agenda->to_count);
    agenda->to_count[agenda->to_count_count++] = index;
}

/* Why no target can run the point, as the first one has it; NULL when one can. */
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

/* The targets of the devices, each once. Caller frees. */
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

static int record_unsupported(struct agenda *agenda, uint32_t index, const char *why, struct error *error)
{
    struct result result = result_new();
    result.id = grid_id(agenda->grid, index);
    result_fail(&result, STATUS_UNSUPPORTED, "%s", why);
    agenda->unsupported++;
    if (agenda_record(agenda, index, &result, NULL, -1, error) != 0)
        return -1;
    return store_tick(agenda->store, error);
}

/* Devices measure a point alike often, so a run on all of them is not topped up. */
static void note_partial(struct agenda *agenda, uint32_t index)
{
    struct partial partial = {.index = index};
    if (agenda->config.timing.replicates <= 1)
        return;
    partial.processes = store_processes(agenda->store, grid_id(agenda->grid, index));
    if (!partial.processes || partial.processes >= agenda->config.timing.replicates ||
        agenda->config.timing.all_devices)
        return;
    store_device_uuid(agenda->store, grid_id(agenda->grid, index), partial.uuid, sizeof partial.uuid);
    agenda->partial = memory_grow(agenda->partial, agenda->partial_count, &agenda->partial_capacity,
                                  sizeof *agenda->partial);
    agenda->partial[agenda->partial_count++] = partial;
}

/* Whether an earlier run has done the point; `*judged`: no device was asked about it, so that targets tell. */
static bool is_done(const struct agenda *agenda, uint64_t id, const struct launch_options *options,
                    const struct environment *now, const struct device *const *devices, int count,
                    bool *judged)
{
    struct store_point there;
    enum status status;
    *judged = false;
    if (!store_find(agenda->store, id, &status))
        return false;
    if (status == STATUS_OK && !options->remeasure_counters)
        return true;
    if (!store_find_point(agenda->store, id, &there))
        return false;
    if (there.status == STATUS_UNSUPPORTED) {
        *judged = there.device < 0;
        return stays_unsupported(agenda, &there, devices, count);
    }
    if (there.status != STATUS_OK) /* after one attempt a second was to come */
        return !options->retry_failed && there.attempts != 1;
    return !options->remeasure_counters || !lacks_counters(agenda, now, id, &there);
}

int agenda_select(struct agenda *agenda, const struct launch_options *options,
                  const struct environment *environment, const struct device *const *devices, int count,
                  struct error *error)
{
    size_t points = grid_count(agenda->grid);
    int targets_count, failed = 0;
    struct target *targets = distinct_targets(devices, count, &targets_count);
    uint32_t *order = order_of_work(agenda->grid, &agenda->job.timing, agenda->config.seed);
    for (size_t i = 0; i < points && !failed; i++) {
        bool judged;
        if (!share_has(&options->share, i))
            continue;
        if (is_done(agenda, grid_id(agenda->grid, order[i]), options, environment, devices, count, &judged)) {
            agenda->before++;
            note_partial(agenda, order[i]);
            note_uncounted(agenda, order[i], options->retry_failed);
            continue;
        }
        char reason[256];
        struct point point = grid_point(agenda->grid, order[i]);
        const char *why = skip_everywhere(&point, targets, targets_count, reason, sizeof reason);
        if (why && judged)
            agenda->before++;
        else if (why)
            failed = record_unsupported(agenda, order[i], why, error);
        else
            order[agenda->todo_count++] = order[i];
    }
    agenda->todo = order;
    free(targets);
    return failed;
}

double agenda_expected_seconds(const struct agenda *agenda, uint32_t index)
{
    struct point point = grid_point(agenda->grid, index);
    const struct timing *timing = &agenda->config.timing;
    double known = agenda->history ? history_recall(agenda->history, &point, timing) : NAN;
    return isnan(known) ? order_expected_seconds(&point, timing) : known;
}

static double seconds_of(void *context, uint32_t index)
{
    return agenda_expected_seconds(context, index);
}

void agenda_recall(struct agenda *agenda, const char *backend, const char *device, bool reorder)
{
    char folder[1024];
    if (cache_folder_find(folder, sizeof folder, NULL) == 0 && folder[0])
        agenda->history_path = history_path(folder, backend, device);
    agenda->history = history_read(agenda->history_path ? agenda->history_path : "");
    if (reorder && !history_is_empty(agenda->history))
        order_longest_first(agenda->todo, agenda->todo_count, seconds_of, agenda);
    else if (reorder)
        order_samples_first(agenda->grid, &agenda->config.timing, agenda->todo, agenda->todo_count);
}

int agenda_record(struct agenda *agenda, uint32_t index, struct result *result, const struct device *device,
                  int row, struct error *error)
{
    struct point point = grid_point(agenda->grid, index);
    result->device = row;
    if (device && result->status == STATUS_OK)
        roof_fill(result, &point, (enum cache_mode)point_value(&point, "cache", CACHE_COLD), device);
    return store_append(agenda->store, &point, result, error);
}

void agenda_merge(struct agenda *agenda, struct result *result, int row, struct error *error)
{
    result->device = row;
    store_merge(agenda->store, result, error);
}

int agenda_close(struct agenda *agenda, struct error *error)
{
    if (agenda->loading)
        store_load_end(agenda->loading, &agenda->store, &(struct error){0});
    int failed = agenda->store ? store_close(agenda->store, error) : 0;
    grid_free(agenda->grid);
    job_free(&agenda->job);
    free(agenda->todo);
    free(agenda->partial);
    free(agenda->to_count);
    history_free(agenda->history);
    free(agenda->history_path);
    *agenda = (struct agenda){0};
    return failed;
}
