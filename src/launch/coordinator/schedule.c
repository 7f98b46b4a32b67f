#include "launch/coordinator/schedule.h"

#include <stdlib.h>

#include "base/memory.h"

struct queue {
    struct schedule_item *item;
    size_t head, count, capacity;
};

/* Points that share a node, and those that do not; each rank's and the common queues come in such pairs. */
enum { SHARED, EXCLUSIVE, KINDS };

struct rank {
    int node;
    bool lost;
    int running;                 /* items handed out and not finished */
    int running_kind;            /* of those */
    struct queue repeats[KINDS]; /* ahead of everything else */
    struct queue own[KINDS];     /* static schedule: what is reserved for it */
};

struct schedule {
    struct schedule_options options;
    struct rank *rank;
    struct queue common[KINDS];
    size_t added;  /* for the static schedule's rank */
    int remaining; /* ranks not lost */
};

/* ---- Queues ---- */

static size_t queue_length(const struct queue *queue)
{
    return queue->count - queue->head;
}

static void queue_push(struct queue *queue, struct schedule_item item)
{
    queue->item = memory_grow(queue->item, queue->count, &queue->capacity, sizeof *queue->item);
    queue->item[queue->count++] = item;
}

static void queue_move(struct queue *from, struct queue *to)
{
    while (queue_length(from))
        queue_push(to, from->item[from->head++]);
}

static void queue_free(struct queue *queue)
{
    free(queue->item);
    *queue = (struct queue){0};
}

/* ---- The schedule ---- */

struct schedule *schedule_new(const struct schedule_options *options)
{
    struct schedule *schedule = memory_new(1, sizeof *schedule);
    schedule->options = *options;
    schedule->options.node = NULL; /* copied */
    schedule->remaining = options->ranks;
    schedule->rank = memory_new((size_t)options->ranks, sizeof *schedule->rank);
    for (int i = 0; i < options->ranks; i++)
        schedule->rank[i].node = options->node[i];
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    schedule_stop(schedule);
    free(schedule->rank);
    free(schedule);
}

static int kind_of(const struct schedule *schedule, uint32_t index)
{
    return schedule->options.exclusive(schedule->options.context, index) ? EXCLUSIVE : SHARED;
}

void schedule_add(struct schedule *schedule, uint32_t index)
{
    struct schedule_item item = {.index = index};
    int kind = kind_of(schedule, index);
    struct rank *rank = &schedule->rank[schedule->added++ % (size_t)schedule->options.ranks];
    queue_push(schedule->options.fixed && !rank->lost ? &rank->own[kind] : &schedule->common[kind], item);
}

void schedule_add_repeat(struct schedule *schedule, int rank, struct schedule_item item)
{
    struct rank *r = &schedule->rank[rank];
    if (!r->lost)
        queue_push(&r->repeats[kind_of(schedule, item.index)], item);
}

/* The first queue of this kind that holds something for the rank, or NULL. */
static struct queue *queue_for(struct schedule *schedule, struct rank *rank, int kind)
{
    struct queue *queues[] = {&rank->repeats[kind], &rank->own[kind], &schedule->common[kind]};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        if (queue_length(queues[i]))
            return queues[i];
    return NULL;
}

/* What goes on on a rank's node. */
struct node_state {
    bool busy;              /* something runs */
    bool runs_exclusive;    /* an exclusive item does */
    bool exclusive_waiting; /* one of its ranks could run an exclusive item */
};

static struct node_state node_of(struct schedule *schedule, const struct rank *of)
{
    struct node_state state = {0};
    for (int i = 0; i < schedule->options.ranks; i++) {
        struct rank *rank = &schedule->rank[i];
        if (rank->lost || rank->node != of->node)
            continue;
        state.busy |= rank->running > 0;
        state.runs_exclusive |= rank->running > 0 && rank->running_kind == EXCLUSIVE;
        state.exclusive_waiting |= queue_for(schedule, rank, EXCLUSIVE) != NULL;
    }
    return state;
}

/* Points of the queue that one batch may take: all ranks that draw from it should get two more of them. */
static size_t fair_share(const struct schedule *schedule, const struct rank *rank, const struct queue *queue)
{
    bool alone = queue == &rank->repeats[SHARED] || queue == &rank->repeats[EXCLUSIVE] ||
                 queue == &rank->own[SHARED] || queue == &rank->own[EXCLUSIVE];
    size_t takers = alone ? 1 : (size_t)schedule->remaining * 2;
    return (queue_length(queue) + takers - 1) / takers;
}

static int take_batch(struct schedule *schedule, struct rank *rank, int kind, struct schedule_item *out)
{
    struct queue *queue = queue_for(schedule, rank, kind);
    if (!queue)
        return 0;
    size_t most = fair_share(schedule, rank, queue);
    double seconds = 0;
    int count = 0;
    while (count < schedule->options.batch_most && (size_t)count < most && queue_length(queue)) {
        struct schedule_item item = queue->item[queue->head];
        seconds += schedule->options.expected(schedule->options.context, item.index);
        if (count && seconds > schedule->options.batch_seconds)
            break;
        out[count++] = item;
        queue->head++;
    }
    rank->running = count;
    rank->running_kind = kind;
    return count;
}

int schedule_take(struct schedule *schedule, int rank, struct schedule_item *out)
{
    struct rank *r = &schedule->rank[rank];
    if (r->lost || r->running)
        return 0;
    if (!queue_for(schedule, r, SHARED) && !queue_for(schedule, r, EXCLUSIVE))
        return 0;
    struct node_state node = node_of(schedule, r);
    if (node.runs_exclusive)
        return 0;
    if (!node.exclusive_waiting)
        return take_batch(schedule, r, SHARED, out);
    return node.busy ? 0 : take_batch(schedule, r, EXCLUSIVE, out);
}

void schedule_finish(struct schedule *schedule, int rank, int count)
{
    schedule->rank[rank].running -= count;
}

void schedule_lose(struct schedule *schedule, int rank, const struct schedule_item *back, int count)
{
    struct rank *r = &schedule->rank[rank];
    if (r->lost)
        return;
    r->lost = true;
    r->running = 0;
    schedule->remaining--;
    for (int i = 0; i < count; i++)
        if (!back[i].repeat)
            queue_push(&schedule->common[kind_of(schedule, back[i].index)], back[i]);
    for (int kind = 0; kind < KINDS; kind++) {
        queue_move(&r->own[kind], &schedule->common[kind]);
        queue_free(&r->own[kind]);
        queue_free(&r->repeats[kind]);
    }
}

void schedule_stop(struct schedule *schedule)
{
    for (int kind = 0; kind < KINDS; kind++) {
        queue_free(&schedule->common[kind]);
        for (int i = 0; i < schedule->options.ranks; i++) {
            queue_free(&schedule->rank[i].repeats[kind]);
            queue_free(&schedule->rank[i].own[kind]);
        }
    }
}

static size_t waiting(const struct schedule *schedule, bool repeats)
{
    size_t count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        count += queue_length(&schedule->common[kind]);
        for (int i = 0; i < schedule->options.ranks; i++) {
            count += queue_length(&schedule->rank[i].own[kind]);
            if (repeats)
                count += queue_length(&schedule->rank[i].repeats[kind]);
        }
    }
    return count;
}

size_t schedule_waiting(const struct schedule *schedule)
{
    return waiting(schedule, false);
}

size_t schedule_running(const struct schedule *schedule)
{
    size_t count = 0;
    for (int i = 0; i < schedule->options.ranks; i++)
        count += (size_t)schedule->rank[i].running;
    return count;
}

bool schedule_is_done(const struct schedule *schedule)
{
    return !waiting(schedule, true) && !schedule_running(schedule);
}

int schedule_ranks(const struct schedule *schedule)
{
    return schedule->remaining;
}
