/* simulated_run.h - a whole run in one process: the real coordinator, and any number of simulated ranks that
 * speak its protocol. They answer after random delays, in pieces; their workers die, some are lost for good,
 * and some points are refused. The same seed gives the same run. Nothing is measured, and no time passes but
 * the coordinator's own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/key_set.h"
#include "base/io.h"
#include "base/memory.h"
#include "coordinator/coordinator.h"
#include "core/metric.h"
#include "kernels/registry.h"
#include "mailbox_memory.h"
#include "store/store.h"
#include "verdict/verdict.h"

struct simulation_options {
    const char *job;      /* its text */
    const char *counters; /* a set's name */
    int counter_count;    /* that it has: what the ranks answer with */
    int ranks, ranks_per_node;
    uint64_t seed;
    double crash, fail, lose; /* chances: of a point to crash or fail, always and everywhere; of a batch to
                                 lose its rank */
    double fail_replicate;    /* chance of a replicate to fail, with samples, which take long */
    bool keep_first;          /* rank 0 is never lost */
    int sick, sick_from;      /* so many ranks, from that one on, have a sick device: it fails everything */
    size_t sick_after;        /* ... from its so many-th result on */
    int mute;                 /* so many ranks, the last ones, fall silent over their `mute_batch`-th batch */
    int mute_batch;
    double silence; /* s, of real time */
    struct traits traits;
    bool resume, retry_failed;
    double time_limit;
    size_t stop_after; /* signals come after so many points; 0: none */
    struct signals signals;
    int foreign; /* this rank's worker is of another build; 0: none */
    /* How long a rank takes for one of its points, and to start a process; NULL: a random time per batch, in
     * pieces. */
    double (*seconds)(uint64_t id, bool replicate, bool count);
    double kernel_seconds; /* of one kernel, which a rank compiles one by one beside its points; 0: random
                              ones */
    double start_seconds, profiler_seconds; /* the latter once per batch that is counted */
    double (*accesses)(uint64_t id);        /* of warps, that the access model predicts; NULL: none */
    double count_seconds; /* of a point's counting, the part that the driver serialises, as it does
                             profiler_seconds */
    double
        serialised; /* how much longer these take for each other rank of the node that counts; 0: no longer */
    double *now;    /* gets the made-up time, unless NULL */
    const char *folder; /* for the files; simulation_folder */
};

/* What it was like. */
struct simulation_outcome {
    int code;
    size_t messages;   /* that the coordinator got and sent */
    size_t received;   /* of those, got */
    size_t points;     /* different points that ranks sent results of, repetitions not counted */
    size_t attempts;   /* further results of those */
    size_t wasted;     /* of those, by ranks that are not sick, of points that such a rank had done */
    size_t counted;    /* points that were counted */
    size_t repeats;    /* of repetitions */
    size_t replicates; /* of further processes */
    size_t replicates_failed;
    size_t crashed, failed, lost; /* points, points, ranks */
    uint64_t done, total;         /* measurements, as the progress shows them at the end */
    size_t kernels;               /* points of COMPILE requests */
    size_t unready;               /* points that were handed out before their node had their kernel */
    double compiled;              /* made up: when the last kernel was */
    size_t peak_bytes;            /* in all mailboxes together */
    int together,
        links_together;    /* most ranks of a node whose own peaks, or else links, were measured at once */
    int collisions;        /* exclusive points that had company on their node */
    double seconds;        /* in the coordinator, before its end */
    double cpu_seconds;    /* of the processor, in that time */
    double end_seconds;    /* in its end */
    double busy, starting; /* of the ranks, made up: at points, starting processes */
    double repeating;      /* of `busy`: canaries */
    double measured_from, until; /* made up: first batch, last result */
};

enum simulation_act { ACT_NONE, ACT_HELLO, ACT_DEVICE, ACT_RESULTS, ACT_COUNTED, ACT_STOPPED };

struct simulated_rank {
    struct mailbox *mailbox;
    enum simulation_act act; /* that is to come */
    bool lost, over, mute;
    int batches;
    size_t results;         /* that it has sent */
    bool exclusive, linked; /* what it measures needs its node, or the host link */
    bool counts;            /* it counts */
    enum peaks_part part;
    int count, done;
    double counting; /* s that it will count for, after its results */
    uint32_t worker; /* processes that it has started */
    uint32_t to_compile, compiled;
    uint64_t *kernel; /* owned: the keys of those */
    struct simulated_task {
        uint64_t id;
        uint32_t repeat;
        bool replicate, count;
    } task[WIRE_BATCH_MAX];
};

struct simulation_event {
    double time;
    int rank; /* plus the number of ranks: its compiler */
};

struct simulation {
    const struct simulation_options *options;
    struct simulation_outcome outcome;
    struct post *post;
    struct simulated_rank *rank;
    struct coordinator *coordinator;
    struct simulation_event *heap; /* of ranks that have something to do */
    int events;
    double now; /* s, made up */
    uint64_t random;
    int *node_busy, *node_exclusive, *node_linked, *node_counting,
        *node_characterising; /* ranks of each node */
    struct wire out, report, results;
    struct keys ready; /* kernels, each of a node */
    struct simulated_seen {
        uint64_t id;
        bool by_healthy;
    } * seen; /* points that had a result: open addressing */
    size_t seen_slots;
    double beat;                 /* real time */
    double entered, entered_cpu; /* the coordinator */
};

/* Seconds of the processor that this process has used. */
static inline double simulation_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A phase of the coordinator begins, and ends. */
static inline void simulation_enter(struct simulation *s)
{
    s->entered = clock_now();
    s->entered_cpu = simulation_cpu();
}

static inline void simulation_leave(struct simulation *s)
{
    s->outcome.cpu_seconds += simulation_cpu() - s->entered_cpu;
    s->outcome.seconds += clock_now() - s->entered;
}

/* Uniform from 0 to 1. */
static inline double simulation_chance(struct simulation *s)
{
    s->random = hash_mix(s->random + 1);
    return (double)(s->random >> 11) * 0x1p-53;
}

/* ---- Events: a binary heap by time ---- */

static inline void simulation_push(struct simulation *s, int rank, double seconds)
{
    struct simulation_event event = {s->now + seconds, rank};
    int at = s->events++;
    for (; at && s->heap[(at - 1) / 2].time > event.time; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = event;
}

static inline void simulation_plan_exactly(struct simulation *s, int rank, enum simulation_act act,
                                           double seconds)
{
    s->rank[rank].act = act;
    simulation_push(s, rank, seconds);
}

static inline void simulation_plan(struct simulation *s, int rank, enum simulation_act act, double seconds)
{
    simulation_plan_exactly(s, rank, act, seconds * simulation_chance(s));
}

static inline int simulation_next(struct simulation *s)
{
    struct simulation_event first = s->heap[0], last = s->heap[--s->events];
    int at = 0;
    for (int child; (child = 2 * at + 1) < s->events; at = child) {
        child += child + 1 < s->events && s->heap[child + 1].time < s->heap[child].time;
        if (s->heap[child].time >= last.time)
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    s->now = first.time;
    if (s->options->now)
        *s->options->now = s->now;
    return first.rank;
}

/* ---- What ranks say ---- */

static inline int simulation_node(const struct simulation *s, int rank)
{
    return rank / s->options->ranks_per_node;
}

static inline void simulation_send(struct simulation *s, int rank, enum wire_type message)
{
    mailbox_send(s->rank[rank].mailbox, 0, message, &s->out);
    s->outcome.messages++;
    s->outcome.received++;
}

static inline struct device simulation_device(int rank)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "simulated GPU");
    snprintf(device.uuid, sizeof device.uuid, "GPU-%d", rank);
    device.capability = 90;
    device.multiprocessors = 132;
    device.threads_sm = 2048;
    device.l2_bytes = 50 << 20;
    device.memory_bytes = INT64_C(140) << 30;
    device.shared_bytes = 227 << 10;
    device.shared_sm_bytes = 228 << 10;
    device.nominal = 4.8e12;
    return device;
}

static inline void simulation_hello(struct simulation *s, int rank)
{
    struct greeting greeting = {
        .build = registry_build(), .traits = s->options->traits, .device = simulation_device(rank)};
    struct home home = {.node = simulation_node(s, rank) * s->options->ranks_per_node,
                        .cpus = 1}; /* the same CPUs on every node */
    snprintf(home.host, sizeof home.host, "node%d", simulation_node(s, rank));
    wire_put_fields(&s->out, wire_home, &home);
    simulation_send(s, rank, WIRE_HOME);
    wire_reset(&s->out);
    if (s->options->foreign && s->options->foreign == rank)
        greeting.build.layout++;
    greeting_put(&s->out, &greeting);
    simulation_send(s, rank, WIRE_HELLO);
}

static inline void simulation_give_up(struct simulation *s, int rank)
{
    struct simulated_rank *r = &s->rank[rank];
    wire_reset(&s->out);
    wire_put_text(&s->out, "lost on purpose");
    simulation_send(s, rank, WIRE_LOST);
    r->lost = true;
    s->outcome.lost++;
}

/* The same for a point whatever happens: from 0 to 1. */
static inline double simulation_fate(const struct simulation *s, uint64_t id)
{
    return (double)(hash_mix(id ^ hash_mix(s->options->seed)) >> 11) * 0x1p-53;
}

static inline bool simulation_is_sick(const struct simulation *s, int rank)
{
    return rank >= s->options->sick_from && rank < s->options->sick_from + s->options->sick &&
           s->rank[rank].results >= s->options->sick_after;
}

/* A result of a point goes out: the first one of it? */
static inline bool simulation_see(struct simulation *s, int rank, uint64_t id)
{
    size_t at = hash_mix(id) & (s->seen_slots - 1);
    while (s->seen[at].id && s->seen[at].id != id)
        at = (at + 1) & (s->seen_slots - 1);
    bool first = !s->seen[at].id, healthy = !simulation_is_sick(s, rank);
    s->seen[at].id = id;
    s->outcome.points += first;
    s->outcome.attempts += !first;
    s->outcome.wasted += healthy && s->seen[at].by_healthy;
    s->seen[at].by_healthy |= healthy;
    return first;
}

static inline void simulation_put_result(struct simulation *s, int rank, struct simulated_task *task)
{
    struct result result = result_new();
    struct sample sample = {.seconds = 1e-3, .sm_clock = 1.98e9};
    double fate = simulation_fate(s, task->id);
    bool point = !task->repeat && !task->replicate, first = point && simulation_see(s, rank, task->id);
    result.id = task->id;
    result.repeat = (int32_t)task->repeat;
    if (fate < s->options->crash) {
        result_fail(&result, STATUS_CRASHED, "crashed on purpose");
        s->outcome.crashed += first;
    } else if (fate < s->options->crash + s->options->fail) {
        result_fail(&result, STATUS_FAILED, "failed on purpose");
        s->outcome.failed += first;
    } else if (simulation_is_sick(s, rank)) {
        result_fail(&result, STATUS_FAILED, "the device is sick");
    } else {
        result.samples = &sample;
        result.sample_count = 1;
        result.real[REAL_time_median] = 1e-3;
        if (s->options->seconds) {
            result.real[REAL_seconds_total] = s->options->seconds(task->id, task->replicate, false);
            result.real[REAL_seconds_compile] = 0;
            result.real[REAL_seconds_verify] =
                result.real[REAL_seconds_total] - s->options->seconds(task->id, true, false);
        }
        if (s->options->seconds && s->options->accesses)
            result.real[REAL_predicted_load_requests] = s->options->accesses(task->id);
        result.real[REAL_processes] = 1;
        result.real[REAL_processes_failed] = 0;
    }
    if (task->replicate && simulation_chance(s) < s->options->fail_replicate) {
        sample.seconds = 1;
        result_fail(&result, STATUS_FAILED, "a replicate failed on purpose");
        s->outcome.replicates_failed++;
    }
    wire_reset(&s->report);
    wire_put_result(&s->report, &result);
    wire_put_frame(&s->results, WIRE_RESULT, &s->report);
    s->rank[rank].results++;
    s->outcome.repeats += task->repeat > 0;
    s->outcome.replicates += task->replicate;
}

static inline void simulation_send_results(struct simulation *s, int rank, bool idle)
{
    wire_reset(&s->out);
    wire_put_u32(&s->out, idle);
    wire_put_u32(&s->out, s->rank[rank].worker + 1);
    wire_put_bytes(&s->out, s->results.data, s->results.length);
    simulation_send(s, rank, WIRE_RESULTS);
}

/* The counters of a batch, which ends. */
static inline void simulation_count(struct simulation *s, int rank)
{
    struct simulated_rank *r = &s->rank[rank];
    wire_reset(&s->results);
    for (int i = 0; i < r->count; i++) {
        if (!r->task[i].count)
            continue;
        struct counted counted = counted_new((uint32_t)i);
        counted.state = COUNTERS_COUNTED;
        for (int c = 0; c < RESULT_COUNTERS_MAX; c++)
            counted.counter[c] = (double)(r->task[i].id % 1000) + c;
        wire_reset(&s->report);
        wire_put_fields(&s->report, wire_counted, &counted);
        wire_put_frame(&s->results, WIRE_COUNTED, &s->report);
        s->outcome.counted += !r->task[i].repeat;
    }
    simulation_send_results(s, rank, true);
}

/* It has nothing in hand any more. */
static inline void simulation_release(struct simulation *s, int rank)
{
    struct simulated_rank *r = &s->rank[rank];
    s->node_busy[simulation_node(s, rank)]--;
    s->node_exclusive[simulation_node(s, rank)] -= r->exclusive;
    s->node_linked[simulation_node(s, rank)] -= r->linked;
    s->node_counting[simulation_node(s, rank)] -= r->counts;
    r->count = r->done = 0;
}

/* Some of the batch, or the rest of it; and some ranks are lost over it. */
static inline void simulation_results(struct simulation *s, int rank)
{
    struct simulated_rank *r = &s->rank[rank];
    double chance = simulation_chance(s);
    bool lost = simulation_chance(s) < s->options->lose && !(s->options->keep_first && rank == 0);
    int left = r->count - r->done, count = chance < 0.5 || s->options->seconds ? left : (int)(chance * left);
    s->outcome.until = s->now;
    if (lost && count == left)
        count--;
    wire_reset(&s->results);
    for (int i = 0; i < count; i++)
        if (!r->task[r->done + i].count)
            simulation_put_result(s, rank, &r->task[r->done + i]);
    r->done += count;
    bool idle = r->done == r->count, counts = idle && r->task[0].count;
    simulation_send_results(s, rank, idle && !counts);
    if (counts && r->counting > 0 && !lost) {
        simulation_plan_exactly(s, rank, ACT_COUNTED, r->counting);
        return;
    }
    if (counts)
        simulation_count(s, rank);
    if (lost)
        simulation_give_up(s, rank);
    if (lost || idle)
        simulation_release(s, rank);
    else
        simulation_plan(s, rank, ACT_RESULTS, 1);
}

static inline void simulation_counted(struct simulation *s, int rank)
{
    s->outcome.until = s->now;
    simulation_count(s, rank);
    simulation_release(s, rank);
}

static inline void simulation_stopped(struct simulation *s, int rank)
{
    wire_reset(&s->results);
    simulation_send_results(s, rank, true);
    simulation_release(s, rank);
}

static inline void simulation_compile(struct simulation *s, int rank)
{
    double seconds = s->options->kernel_seconds;
    simulation_push(s, s->options->ranks + rank, seconds > 0 ? seconds : 0.1 * simulation_chance(s));
}

static inline uint64_t simulation_kernel(const struct simulation *s, int rank, uint64_t key)
{
    return hash_u64(key, (uint64_t)simulation_node(s, rank));
}

static inline void simulation_compiled(struct simulation *s, int rank)
{
    struct simulated_rank *r = &s->rank[rank];
    if (r->lost || r->mute)
        return;
    keys_add(&s->ready, simulation_kernel(s, rank, r->kernel[r->compiled]));
    wire_reset(&s->out);
    wire_put_u32(&s->out, r->compiled++);
    wire_put_u32(&s->out, true);
    wire_put_text(&s->out, "");
    simulation_send(s, rank, WIRE_COMPILED);
    s->outcome.compiled = s->now;
    if (r->compiled < r->to_compile)
        simulation_compile(s, rank);
}

static inline void simulation_act(struct simulation *s, int rank)
{
    if (rank >= s->options->ranks) {
        simulation_compiled(s, rank - s->options->ranks);
        return;
    }
    struct device device = simulation_device(rank);
    enum simulation_act act = s->rank[rank].act;
    s->rank[rank].act = ACT_NONE;
    wire_reset(&s->out);
    switch (act) {
    case ACT_HELLO:
        simulation_hello(s, rank);
        break;
    case ACT_DEVICE:
        device.peak_copy = 4e12;
        s->node_characterising[simulation_node(s, rank)]--;
        wire_put_fields(&s->out, wire_device, &device);
        simulation_send(s, rank, WIRE_DEVICE);
        break;
    case ACT_RESULTS:
        simulation_results(s, rank);
        break;
    case ACT_COUNTED:
        simulation_counted(s, rank);
        break;
    case ACT_STOPPED:
        simulation_stopped(s, rank);
        break;
    case ACT_NONE:
        break;
    }
}

/* ---- What ranks hear ---- */

static inline void simulation_take_batch(struct simulation *s, int rank, struct wire_reader *payload)
{
    struct simulated_rank *r = &s->rank[rank];
    int node = simulation_node(s, rank);
    r->count = (int)wire_get_u32(payload);
    bool fresh = wire_get_u32(payload);
    double busy = 0, counting = 0, starting = fresh ? s->options->start_seconds : 0;
    r->worker += fresh;
    r->done = 0;
    r->exclusive = r->linked = false;
    for (int i = 0; i < r->count; i++) {
        struct todo todo;
        wire_get_todo(payload, family_space, &todo);
        r->task[i].id = todo.id;
        r->task[i].repeat = todo.repeat;
        r->task[i].replicate = todo.what == WIRE_TO_REPLICATE;
        r->task[i].count = todo.what == WIRE_TO_COUNT;
        const struct family *family = family_of(&todo.point);
        s->outcome.unready +=
            s->options->traits.compiles &&
            !keys_have(&s->ready, simulation_kernel(s, rank, family_code_key(&todo.point, 90)));
        bool alone = family->node_exclusive,
             link = alone && s->options->traits.owns_device && !family->devices;
        r->exclusive |= alone && !link;
        r->linked |= link && !r->task[i].count;
        if (s->options->seconds && !r->task[i].count)
            busy += s->options->seconds(r->task[i].id, r->task[i].replicate, false);
        if (s->options->seconds && r->task[i].count)
            counting += s->options->seconds(r->task[i].id, false, true);
    }
    s->outcome.repeating += r->task[0].repeat ? busy + counting : 0; /* canaries have batches of their own */
    bool counts = r->count && r->task[0].count;
    r->counts = counts;
    double slower = 1 + s->options->serialised * s->node_counting[node];
    counting += counts ? (slower - 1) * r->count * s->options->count_seconds : 0;
    double opening = counts ? slower * s->options->profiler_seconds : 0, until_results = busy + starting;
    r->counting = counting + opening;
    busy += counting;
    starting += opening;
    s->outcome.busy += busy;
    s->outcome.starting += starting;
    s->outcome.measured_from = s->outcome.measured_from > 0 ? s->outcome.measured_from : s->now;
    s->outcome.collisions += s->node_exclusive[node] > 0 || (r->exclusive && s->node_busy[node] > 0) ||
                             (r->linked && s->node_linked[node] > 0);
    s->node_busy[node]++;
    s->node_exclusive[node] += r->exclusive;
    s->node_linked[node] += r->linked;
    s->node_counting[node] += r->counts;
    r->mute = rank >= s->options->ranks - s->options->mute && ++r->batches >= s->options->mute_batch;
    if (r->mute) /* its node is as if it had nothing: nobody can know better */
        simulation_release(s, rank);
    else if (s->options->seconds)
        simulation_plan_exactly(s, rank, ACT_RESULTS, until_results);
    else
        simulation_plan(s, rank, ACT_RESULTS, 1);
}

static inline void simulation_hear(struct simulation *s, int rank, enum wire_type message,
                                   struct wire_reader *payload)
{
    struct simulated_rank *r = &s->rank[rank];
    int *characterising = &s->node_characterising[simulation_node(s, rank)], *most;
    s->outcome.messages++;
    if ((r->lost || r->mute) && message != WIRE_END)
        return;
    switch (message) {
    case WIRE_CHARACTERISE:
        r->part = (enum peaks_part)wire_get_u32(payload);
        ++*characterising;
        most = r->part == PEAKS_OWN || r->part == PEAKS_OWN_FIRST ? &s->outcome.together
                                                                  : &s->outcome.links_together;
        *most = *characterising > *most ? *characterising : *most;
        simulation_plan(s, rank, ACT_DEVICE, 1);
        break;
    case WIRE_COMPILE:
        r->to_compile = wire_get_u32(payload);
        s->outcome.kernels += r->to_compile;
        r->kernel = memory_new(r->to_compile, sizeof *r->kernel);
        for (uint32_t i = 0; i < r->to_compile; i++) {
            struct point point;
            wire_get_point(payload, family_space, &point);
            r->kernel[i] = family_code_key(&point, 90);
        }
        simulation_compile(s, rank);
        break;
    case WIRE_MEASURE:
        simulation_take_batch(s, rank, payload);
        break;
    case WIRE_RECALL:
    case WIRE_STOP:
        if (r->count)
            r->act = ACT_STOPPED; /* instead of the results that were to come */
        break;
    case WIRE_END:
        r->over = true;
        break;
    default:
        break;
    }
}

static inline void simulation_deliver(struct simulation *s)
{
    enum wire_type message;
    struct wire_reader payload;
    int from;
    for (int rank; (rank = post_next(s->post)) >= 0;) {
        while (mailbox_receive(s->rank[rank].mailbox, &from, &message, &payload)) {
            if (message < WIRE_HELLO) {
                simulation_hear(s, rank, message, &payload);
            } else {
                simulation_enter(s);
                coordinator_receive(s->coordinator, from, message, &payload);
                simulation_leave(s);
            }
        }
    }
}

/* ---- The run ---- */

static inline void simulation_open(struct simulation *s, const struct simulation_options *options)
{
    size_t ranks = (size_t)options->ranks;
    *s = (struct simulation){.options = options, .random = options->seed, .post = post_open(options->ranks)};
    s->rank = memory_new(ranks, sizeof *s->rank);
    s->seen_slots = 1 << 18;
    s->seen = memory_new(s->seen_slots, sizeof *s->seen);
    s->heap = memory_new(2 * ranks, sizeof *s->heap);
    s->node_busy = memory_new(ranks, sizeof(int));
    s->node_exclusive = memory_new(ranks, sizeof(int));
    s->node_linked = memory_new(ranks, sizeof(int));
    s->node_counting = memory_new(ranks, sizeof(int));
    s->node_characterising = memory_new(ranks, sizeof(int));
    for (int rank = 0; rank < options->ranks; rank++) {
        s->rank[rank].mailbox = mailbox_memory_open(s->post, rank);
        simulation_plan(s, rank, ACT_HELLO, 1);
    }
}

static inline void simulation_close(struct simulation *s)
{
    for (int rank = 0; rank < s->options->ranks; rank++) {
        mailbox_close(s->rank[rank].mailbox);
        free(s->rank[rank].kernel);
    }
    keys_free(&s->ready);
    post_close(s->post);
    free(s->rank);
    free(s->heap);
    free(s->seen);
    free(s->node_busy);
    free(s->node_exclusive);
    free(s->node_linked);
    free(s->node_counting);
    free(s->node_characterising);
    wire_free(&s->out);
    wire_free(&s->report);
    wire_free(&s->results);
}

/* Who is not mute shows that it is there. */
static inline void simulation_beat(struct simulation *s)
{
    double now = s->options->silence > 0 ? clock_now() : 0;
    if (now - s->beat <= s->options->silence / 6)
        return;
    s->beat = now;
    wire_reset(&s->out);
    for (int rank = 0; rank < s->options->ranks; rank++)
        if (!s->rank[rank].mute)
            mailbox_send(s->rank[rank].mailbox, 0, WIRE_HEARTBEAT, &s->out);
}

/* One thing happens at a time, and the coordinator looks after each: what it does without need it does often.
 */
static inline void simulation_work(struct simulation *s)
{
    bool signalled = false;
    while (!s->rank[0].over) {
        simulation_enter(s);
        if (s->options->stop_after && s->outcome.points >= s->options->stop_after && !signalled) {
            coordinator_signal(s->coordinator, s->options->signals);
            signalled = true;
        }
        bool active = coordinator_step(s->coordinator);
        simulation_leave(s);
        simulation_deliver(s);
        if (s->events)
            simulation_act(s, simulation_next(s));
        else if (!active)
            usleep(1000); /* it waits for its clock */
        simulation_beat(s);
        simulation_deliver(s);
    }
}

static inline void simulation_remove(const struct simulation_options *options)
{
    static const char *const names[] = {"job.yaml", "out.h5", "out.h5.journal"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", options->folder, names[i]);
        unlink(path);
    }
}

/* Anew, unless it resumes. */
static inline struct simulation_outcome simulation_run(const struct simulation_options *options)
{
    struct simulation s;
    struct error error;
    char job[512], output[512];
    char words[] = "warpsweep", *argv[] = {words, NULL};
    snprintf(job, sizeof job, "%s/job.yaml", options->folder);
    snprintf(output, sizeof output, "%s/out.h5", options->folder);
    setenv("WARPSWEEP_CACHE", options->folder, 1);
    if (!options->resume)
        simulation_remove(options);
    io_replace_file(job, options->job, strlen(options->job), NULL, &error);
    const struct launch_options launch = {.job = {.path = job},
                                          .output_path = output,
                                          .resume = options->resume,
                                          .retry_failed = options->retry_failed,
                                          .backend = "auto",
                                          .counters = options->counters ? options->counters : "none",
                                          .time_limit = options->time_limit,
                                          .silence = options->silence,
                                          .argc = 1,
                                          .argv = argv};
    const struct trace trace = {0};
    simulation_open(&s, options);
    simulation_enter(&s);
    s.coordinator = coordinator_new(&launch, &trace);
    coordinator_begin(s.coordinator, s.rank[0].mailbox, options->ranks);
    simulation_leave(&s);
    simulation_work(&s);
    double start = clock_now();
    coordinator_progress(s.coordinator, &s.outcome.done, &s.outcome.total);
    s.outcome.code = coordinator_end(s.coordinator, NULL);
    s.outcome.end_seconds = clock_now() - start;
    s.outcome.peak_bytes = post_peak_bytes(s.post);
    simulation_close(&s);
    return s.outcome;
}

/* How many counters a set has. */
static inline int simulation_set_size(const char *set)
{
    const char *columns[RESULT_COUNTERS_MAX];
    return metric_set_columns(set, columns);
}

/* ---- What is in the file ---- */

struct simulation_file {
    size_t points, distinct; /* rows of points; different ids among them */
    size_t repeats;
    size_t counted;                         /* rows of points that have counters */
    size_t uncounted;                       /* rows of points whose counting failed */
    size_t active;                          /* rows of points whose activity was recorded: no rank does */
    size_t status[STATUS_COUNT];            /* of points */
    size_t devices;                         /* that measured any */
    bool good;                              /* by its verdict */
    double processes_least, processes_most; /* that measured one of the points that are ok */
    double devices_least, devices_most;     /* the same */
    double processes_failed, time_most;     /* all, of these points; s */
};

static inline int simulation_compare_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static inline size_t simulation_distinct(uint64_t *id, size_t count)
{
    size_t distinct = 0;
    qsort(id, count, sizeof *id, simulation_compare_ids);
    for (size_t i = 0; i < count; i++)
        distinct += !i || id[i] != id[i - 1];
    return distinct;
}

static inline double simulation_devices_of(const struct dataset *dataset, size_t row)
{
    size_t count = (size_t)frame_find_integer(&dataset->results, row, "sample_count");
    const struct sample *sample =
        dataset_samples(dataset, frame_find_integer(&dataset->results, row, "sample_offset"));
    uint64_t *device = memory_new(count + 1, sizeof *device);
    for (size_t i = 0; i < count; i++)
        device[i] = (uint64_t)sample[i].device;
    double distinct = (double)simulation_distinct(device, count);
    free(device);
    return distinct;
}

static inline void simulation_see_levels(struct simulation_file *file, const struct dataset *dataset,
                                         size_t row)
{
    const struct frame *results = &dataset->results;
    double processes = frame_find_real(results, row, "processes");
    double devices = simulation_devices_of(dataset, row);
    bool first = file->processes_most == 0;
    file->processes_failed += frame_find_real(results, row, "processes_failed");
    file->time_most = fmax(file->time_most, frame_find_real(results, row, "time_median"));
    file->processes_least = first || processes < file->processes_least ? processes : file->processes_least;
    file->processes_most = processes > file->processes_most ? processes : file->processes_most;
    file->devices_least = first || devices < file->devices_least ? devices : file->devices_least;
    file->devices_most = devices > file->devices_most ? devices : file->devices_most;
}

static inline struct simulation_file simulation_read(const struct simulation_options *options)
{
    struct simulation_file file = {0};
    struct dataset dataset;
    struct error error = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/out.h5", options->folder);
    if (dataset_read(path, &dataset, &error) != 0)
        return file;
    size_t rows = dataset.results.rows, measured = 0;
    int id = frame_find(&dataset.results, "id"), repeat = frame_find(&dataset.results, "repeat");
    int status = frame_find(&dataset.results, "status"), device = frame_find(&dataset.results, "device");
    uint64_t *ids = memory_new(rows + 1, sizeof *ids), *devices = memory_new(rows + 1, sizeof *devices);
    for (size_t i = 0; i < rows; i++) {
        const union cell *row = frame_row(&dataset.results, i);
        if (row[device].integer >= 0)
            devices[measured++] = (uint64_t)row[device].integer;
        if (row[repeat].integer) {
            file.repeats++;
            continue;
        }
        ids[file.points++] = hash_text(HASH_START, row[id].text);
        if (!strcmp(row[status].text, "ok"))
            simulation_see_levels(&file, &dataset, i);
        const char *counters = frame_find_text(&dataset.results, i, "counters_status");
        file.counted += !strcmp(counters, "counted");
        file.uncounted += !strncmp(counters, "failed", strlen("failed"));
        file.active += !isnan(frame_find_real(&dataset.results, i, "activity_span")) ||
                       !isnan(frame_find_real(&dataset.results, i, "activity_idle"));
        for (int k = 0; k < STATUS_COUNT; k++)
            file.status[k] += !strcmp(row[status].text, status_words[k]);
    }
    struct verdict verdict = verdict_of(&dataset);
    file.good = verdict_is_good(&verdict);
    verdict_free(&verdict);
    file.distinct = simulation_distinct(ids, file.points);
    file.devices = simulation_distinct(devices, measured);
    free(ids);
    free(devices);
    dataset_free(&dataset);
    return file;
}

/* A folder for the files of simulations; and its end. */
static inline char *simulation_folder(void)
{
    char *folder = memory_text("/tmp/warpsweep-simulation-XXXXXX");
    return mkdtemp(folder);
}

static inline double simulation_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}
