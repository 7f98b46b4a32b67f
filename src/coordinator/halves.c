#include "coordinator/halves.h"

#include <stdio.h>

#include "coordinator/run_state.h"

void halves_of(const struct run *run, const struct schedule_item *item, struct result *result,
               struct halves *halves)
{
    *halves = (struct halves){.result = {result, result->partner}, .index = {item->index}, .count = 1};
    if (!item->pair)
        return;
    halves->count = 2;
    halves->index[1] = grid_second(run->plan.grid, item->index);
    halves->died = !result->partner;
    if (!halves->died)
        return;
    halves->made_up = *result;
    halves->made_up.id = grid_id(run->plan.grid, halves->index[1]);
    halves->made_up.samples = NULL;
    halves->made_up.sample_count = 0;
    halves->result[1] = &halves->made_up;
}

/* The earlier attempt, such as "crashed on device 2 of node7: the worker was killed ..."; "" when the point
 * has no row. */
static void describe_attempt(const struct store *store, uint64_t id, char *text, size_t size)
{
    const struct dataset *data = store_data(store);
    const struct frame *results = &data->results, *devices = &data->devices;
    struct store_point point;
    text[0] = '\0';
    if (!store_find(store, id, &point))
        return;
    size_t row = store_find_row(store, id);
    bool known = point.device >= 0 && (size_t)point.device < devices->rows;
    snprintf(text, size, "%s on device %lld of %s: %s", status_words[point.status],
             known ? (long long)point.device : -1,
             known ? frame_find_text(devices, (size_t)point.device, DEVICE_COLUMN(host)) : "?",
             frame_find_text(results, row, COLUMN(message)));
}

/* A repetition is counted on the device that has timed it. */
static void await_counting(struct run *run, int rank, const struct schedule_item *item, uint32_t index)
{
    if (run->stopping)
        return;
    if (item->repeat)
        schedule_add_repeat(run->schedule, rank,
                            (struct schedule_item){.index = index, .repeat = item->repeat, .count = true});
    else
        schedule_add_count(run->schedule, index);
}

/* Store the result, also a failure. Only a retry may replace it. */
static void keep_point(struct run *run, int rank, const struct schedule_item *item, uint32_t index,
                       struct result *result)
{
    struct member *member = &run->team.member[rank];
    char earlier[RESULT_MESSAGE_SIZE + 2 * DEVICE_TEXT_SIZE] = "";
    result->attempts = item->attempt + 1;
    if (item->attempt)
        describe_attempt(run->plan.store, result->id, earlier, sizeof earlier);
    result->earlier = earlier;
    bool counts = result->status == STATUS_OK && config_passes(&run->plan.config);
    if (counts)
        result->counters = COUNTERS_PENDING;
    run_plan_record(&run->plan, index, result, &member->device, member->device_row, &run->error);
    result->earlier = NULL;
    counts = counts && result->status == STATUS_OK; /* what the file has of it */
    if (counts)                                     /* its row says how long that may take */
        await_counting(run, rank, item, index);
}

/* A pair stays whole: both points get the process, or none. */
static void keep_replicate(struct run *run, const struct halves *halves, struct result *result)
{
    bool whole = true;
    for (int h = 0; h < halves->count; h++)
        whole = whole && halves->result[h]->status == STATUS_OK;
    if (whole || result->status != STATUS_OK)
        store_merge(run->plan.store, result, &run->error);
    else
        store_fail_process(run->plan.store, result->id, "the other point of its pair failed", &run->error);
}

void halves_keep(struct run *run, int rank, const struct schedule_item *item, const struct halves *halves)
{
    struct member *member = &run->team.member[rank];
    for (int h = 0; h < halves->count; h++) {
        struct result *result = halves->result[h];
        result->process = member->process;
        if (item->alone && result->status == STATUS_OK)
            snprintf(result->message, sizeof result->message,
                     "timed without its pair: a worker had died of the pair twice");
        result->device = member->device_row;
        if (item->replicate)
            keep_replicate(run, halves, result);
        else if (!item->pair || !item->attempt || result->status == STATUS_OK ||
                 !run_plan_is_ok(&run->plan, halves->index[h]))
            keep_point(run, rank, item, halves->index[h], result);
    }
}

unsigned halves_count(const struct halves *halves, enum status status)
{
    unsigned count = 0;
    for (int h = 0; h < halves->count; h++)
        count += halves->result[h]->status == status;
    return count;
}

enum status halves_worst(const struct halves *halves)
{
    enum status worst = halves->result[0]->status;
    for (int h = 1; h < halves->count; h++)
        if (status_is_bad(halves->result[h]->status) || worst == STATUS_UNSUPPORTED)
            worst = status_is_bad(worst) ? worst : halves->result[h]->status;
    return worst;
}
