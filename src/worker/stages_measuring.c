#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/column_name.h"
#include "family/code/closure.h"
#include "kernels/registry.h"
#include "process/process.h"
#include "worker/stages.h"
#include "worker/phases.h"
#include "worker/worker.h"

static void report_stage(void *context, const char *stage)
{
    struct worker *worker = context;
    wire_reset(&worker->answer);
    wire_put_u32(&worker->answer, worker->index);
    wire_put_text(&worker->answer, stage);
    worker_send(worker, WIRE_STAGE);
}

static void report_loaded(void)
{
    struct text closure = {0};
    closure_add(&closure);
    struct wire message = {.data = (unsigned char *)closure.data, .length = closure.length};
    if (closure.length && wire_send(PROCESS_OUT, WIRE_LOADED, &message) != 0)
        worker_leave(strerror(errno));
    text_free(&closure);
}

static struct stages stages_of(struct worker *worker)
{
    return (struct stages){.backend = worker->backend,
                           .config = worker->config,
                           .target = worker->target,
                           .device = &worker->device,
                           .report = report_stage,
                           .context = worker};
}

/* Of `count` remaining points, those after the first that will be verified. Returns their number, up to
 * `most`. */
static uint32_t look_ahead(const struct todo *wanted, uint32_t count, const struct point **ahead,
                           uint32_t most)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < count && found < most; i++)
        if (wanted[i].what == WIRE_TO_MEASURE || wanted[i].what == WIRE_TO_PAIR)
            ahead[found++] = &wanted[i].point;
    return found;
}

/* Also the second point, if it is a pair. */
static void run_stages(const struct stages *stages, const struct todo *wanted, struct result *result)
{
    if (!wire_todo_is_pair(wanted->what)) {
        stages_measure(stages, &wanted->point, result);
        return;
    }
    const struct point *const points[2] = {&wanted->point, &wanted->second};
    struct result second = result_new();
    struct result *const results[2] = {result, &second};
    second.id = wanted->second_id;
    second.repeat = (int32_t)wanted->repeat;
    stages_measure_pair(stages, wanted->turn, points, results);
    result->partner = memory_new(1, sizeof *result->partner);
    *result->partner = second;
}

/* Measure the first of `count` remaining points. */
static void measure_point(struct worker *worker, struct todo *wanted, uint32_t count)
{
    const struct point *ahead[LOOK_AHEAD_BATCH];
    struct result result = result_new();
    struct stages stages = stages_of(worker);
    stages.replicate = wanted->what == WIRE_TO_REPLICATE || wanted->what == WIRE_TO_REPLICATE_PAIR;
    stages.ahead = ahead;
    stages.ahead_count = look_ahead(wanted, count, ahead, LOOK_AHEAD_BATCH);
    result.id = wanted->id;
    result.repeat = (int32_t)wanted->repeat;
    phases_point(&wanted->point);
    run_stages(&stages, wanted, &result);
    phases_leave(PHASE_messages);
    phases_point(NULL);
    if (count == 1 || phases_are_due())
        worker_send_phases(worker);
    report_loaded();
    wire_reset(&worker->answer);
    wire_put_result(&worker->answer, &result);
    worker_send(worker, WIRE_RESULT);
    result_free(&result);
}

static void send_note(struct worker *worker, const char *note)
{
    if (worker->noted || !note[0])
        return;
    worker->noted = true;
    wire_reset(&worker->answer);
    wire_put_text(&worker->answer, note);
    worker_send(worker, WIRE_NOTE);
}

/* The points of a request to count, with their index in the request. */
struct to_count {
    struct countable *points;
    uint32_t *index, count;
};

/* Without any value: failed, if the back end has said so, or missing, for the reason in `note`; without a
 * note there was nothing to count. */
static void set_state(struct counted *counted, int columns, const char *note)
{
    bool any = false;
    for (int c = 0; c < columns; c++)
        any |= !isnan(counted->counter[c]);
    if (any)
        counted->state = COUNTERS_COUNTED;
    else if (counted->state != COUNTERS_FAILED)
        counted->state = note[0] ? COUNTERS_MISSING : COUNTERS_NONE;
    if (!any && columns)
        snprintf(counted->why, sizeof counted->why, "%.*s", (int)sizeof counted->why - 1,
                 note[0] ? note : "it launches no kernel that counters see");
}

/* The value of a counter; NaN: it is not one of the run's. */
static double counter_of(const struct worker *worker, const struct counted *counted, const char *name)
{
    for (int c = 0; c < worker->config.counter_count; c++)
        if (!strcmp(worker->config.counter[c], name))
            return counted->counter[c];
    return NAN;
}

static void judge_l2(const struct worker *worker, const struct point *point, struct counted *counted)
{
    if (counted->state == COUNTERS_COUNTED && !worker->backend->traits.makes_up)
        l2_state_judge(point, &worker->target, worker->config.timing.cache,
                       counter_of(worker, counted, COLUMN(dram_bytes_read)),
                       counter_of(worker, counted, COLUMN(l2_bytes_read)), counted->l2_state,
                       sizeof counted->l2_state);
}

/* Before counters are read: the profiler slows launches down. */
static void measure_energy(struct worker *worker, const struct point *point, struct energy *energy)
{
    const struct stages stages = stages_of(worker);
    phases_point(point);
    energy_measure(&stages, point, energy);
    phases_point(NULL);
}

/* Counters of all points. Returns the reason for missing ones. */
static const char *read_counters(struct worker *worker, const struct to_count *some, struct counted *counted)
{
    if (!worker->config.counter_count || !worker->backend->count)
        return "";
    enum phase before = phases_enter(PHASE_count_open);
    const char *note = worker->backend->count(some->points, some->count, counted, report_stage, worker);
    phases_leave(before);
    send_note(worker, note);
    return note;
}

static void count_points(struct worker *worker, const struct to_count *some)
{
    int columns = worker->config.counter_count;
    struct counted *counted = memory_new(some->count, sizeof *counted);
    for (uint32_t i = 0; i < some->count; i++) {
        counted[i] = counted_new(some->index[i]);
        if (worker->config.energy)
            measure_energy(worker, &some->points[i].point, &counted[i].energy);
    }
    const char *note = read_counters(worker, some, counted);
    worker_send_phases(worker);
    for (uint32_t i = 0; i < some->count; i++) {
        set_state(&counted[i], columns, note);
        judge_l2(worker, &some->points[i].point, &counted[i]);
        wire_reset(&worker->answer);
        wire_put_fields(&worker->answer, wire_counted, &counted[i]);
        worker_send(worker, WIRE_COUNTED);
    }
    free(counted);
}

static void measure_points(struct worker *worker, struct todo *wanted, uint32_t count)
{
    struct to_count some = {memory_new(count, sizeof *some.points), memory_new(count, sizeof *some.index), 0};
    for (worker->index = 0; worker->index < count; worker->index++) {
        struct todo *one = &wanted[worker->index];
        if (one->what != WIRE_TO_COUNT) {
            measure_point(worker, one, count - worker->index);
            continue;
        }
        some.points[some.count] = (struct countable){one->point, one->dirty};
        some.index[some.count++] = worker->index;
    }
    if (config_passes(&worker->config) && some.count)
        count_points(worker, &some);
    free(some.points);
    free(some.index);
}

void worker_measure(struct worker *worker, struct wire_reader *request)
{
    uint32_t count = wire_get_u32(request);
    if (count > request->length) {
        request->bad = true;
        return;
    }
    struct todo *wanted = memory_new(count, sizeof *wanted);
    for (uint32_t i = 0; i < count && wire_get_todo(request, family_space, &wanted[i]); i++)
        continue;
    if (!request->bad)
        measure_points(worker, wanted, count);
    free(wanted);
}
