#include "coordinator/schedule/schedule.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct queue {
    struct schedule_item *item;
    size_t head, count, capacity;
};

/* What an item needs: its device, its node's host link, or its node. Items that are only counted are a kind
 * of their own, unless they need the node. Each set of queues has one queue per kind. */
enum { SHARED, LINK, EXCLUSIVE, COUNT, KINDS };

#define GROUPS 4096 /* of which is known who has measured them last */

#define SERIALISED 2 /* so much longer takes counting where other ranks of the node count, too */

#define SEATS_MAX 64 /* devices of a node; a point of a higher seat runs anywhere */

struct rank {
    int node, next; /* of the same node; -1: the last one */
    int seat;
    bool lost, held;
    bool asking, queued;     /* wants work; is in `ready` */
    int running;             /* items handed out and not finished */
    int running_kind;        /* of those */
    struct queue own[KINDS]; /* items bound to it, which come first */
    double own_seconds;      /* expected, of those to time */
};

struct node {
    int first;           /* of its ranks */
    int busy, exclusive; /* ranks with running items, with exclusive ones */
    int link;            /* the rank that has the host link, or had it last; -1: none yet */
    bool link_taken;
    int ranks, counting;  /* ranks that are not lost; those that count */
    double own_seconds;   /* of its ranks */
    size_t own_exclusive; /* items in its ranks' own exclusive queues */
};

struct schedule {
    struct schedule_options options;
    struct rank *rank;
    struct node *node;
    struct queue common[KINDS];
    double common_seconds[KINDS]; /* expected, of their items */
    int seat_ranks[SEATS_MAX];    /* ranks that are not lost */
    int *ready;                   /* ring buffer: ranks that have asked and may get work */
    int ready_head, ready_count;
    size_t coming; /* points that are to be added */
    int idle;      /* ranks that have asked, and had no work when they were last considered */
    size_t waiting, counts,
        repeats;            /* points to time, points to count, and repetitions that are not handed out */
    size_t running, timing; /* items handed out; those to be timed */
    int remaining;          /* ranks not lost */
    /* By the group modulo GROUPS. A lost entry only costs a rank the inputs that another rank has already. */
    struct owner {
        uint32_t group; /* 0: none */
        const struct rank *rank;
    } owner[GROUPS];
};

/* ---- Queues ---- */

static size_t queue_length(const struct queue *queue)
{
    assert(queue->head <= queue->count);
    return queue->count - queue->head;
}

static void queue_push(struct queue *queue, struct schedule_item item)
{
    queue->item = memory_grow(queue->item, queue->count, &queue->capacity, sizeof *queue->item);
    queue->item[queue->count++] = item;
}

static bool has_seat(const struct queue *queue, int32_t seat)
{
    for (size_t at = queue->head; at < queue->count; at++)
        if (queue->item[at].seat == seat)
            return true;
    return false;
}

static void queue_free(struct queue *queue)
{
    free(queue->item);
    *queue = (struct queue){0};
}

/* ---- Ranks that ask ---- */

static void wake(struct schedule *schedule, int rank)
{
    struct rank *r = &schedule->rank[rank];
    if (!r->asking || r->queued || r->lost)
        return;
    r->queued = true;
    schedule->idle--;
    assert(schedule->ready_count < schedule->options.ranks);
    schedule->ready[(schedule->ready_head + schedule->ready_count++) % schedule->options.ranks] = rank;
}

static void wake_node(struct schedule *schedule, int node)
{
    for (int rank = schedule->node[node].first; rank >= 0; rank = schedule->rank[rank].next)
        wake(schedule, rank);
}

static void wake_all(struct schedule *schedule)
{
    for (int rank = 0; rank < schedule->options.ranks; rank++)
        wake(schedule, rank);
}

void schedule_ask(struct schedule *schedule, int rank)
{
    assert(rank >= 0 && rank < schedule->options.ranks);
    struct rank *r = &schedule->rank[rank];
    schedule->idle += !r->asking && !r->lost;
    r->asking = true;
    wake(schedule, rank);
}

/* ---- The schedule ---- */

/* Link the ranks of each node. */
static void find_nodes(struct schedule *schedule, const int *node)
{
    schedule->node = memory_new((size_t)schedule->options.ranks, sizeof *schedule->node);
    for (int i = schedule->options.ranks - 1; i >= 0; i--) {
        assert(node[i] >= 0 && node[i] < schedule->options.ranks);
        struct node *own = &schedule->node[node[i]];
        schedule->rank[i].node = node[i];
        schedule->rank[i].next = own->ranks++ ? own->first : -1;
        own->first = i;
        own->link = -1;
    }
}

struct schedule *schedule_new(const struct schedule_options *options)
{
    struct schedule *schedule = memory_new(1, sizeof *schedule);
    schedule->options = *options;
    schedule->options.node = schedule->options.seat = NULL; /* copied */
    schedule->remaining = options->ranks;
    schedule->rank = memory_new((size_t)options->ranks, sizeof *schedule->rank);
    schedule->ready = memory_new((size_t)options->ranks, sizeof *schedule->ready);
    find_nodes(schedule, options->node);
    for (int i = 0; i < options->ranks; i++) {
        int seat = schedule->rank[i].seat = options->seat[i];
        if (seat >= 0 && seat < SEATS_MAX)
            schedule->seat_ranks[seat]++;
    }
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    schedule_stop(schedule);
    free(schedule->rank);
    free(schedule->node);
    free(schedule->ready);
    free(schedule);
}

static struct schedule_needs needs_of(const struct schedule *schedule, uint32_t index)
{
    struct schedule_needs needs = schedule->options.needs(schedule->options.context, index);
    if (needs.use != USE_NODE || needs.seat >= SEATS_MAX)
        needs.seat = -1;
    return needs;
}

/* The number of waiting items that one in this queue belongs to. */
static size_t *tally_of(struct schedule *schedule, bool common, int kind)
{
    if (!common)
        return &schedule->repeats;
    return kind == COUNT ? &schedule->counts : &schedule->waiting;
}

/* ---- Seats ---- */

/* A point whose seat no rank has may run anywhere: its worker says what is missing. */
static bool suits(const struct schedule *schedule, const struct rank *rank, int seat)
{
    return seat < 0 || rank->seat == seat || !schedule->seat_ranks[seat];
}

bool schedule_suits(const struct schedule *schedule, int rank, uint32_t index)
{
    return suits(schedule, &schedule->rank[rank], needs_of(schedule, index).seat);
}

/* Whether some rank of the node can take an exclusive point from the common queue. */
static bool awaits_exclusive(const struct schedule *schedule, const struct node *node)
{
    const struct queue *queue = &schedule->common[EXCLUSIVE];
    for (size_t at = queue->head; at < queue->count; at++)
        for (int i = node->first; i >= 0; i = schedule->rank[i].next)
            if (!schedule->rank[i].lost && !schedule->rank[i].held &&
                suits(schedule, &schedule->rank[i], queue->item[at].seat))
                return true;
    return false;
}

/* Set what follows from the point, and return the kind of queue. */
static int complete(const struct schedule *schedule, struct schedule_item *item)
{
    struct schedule_needs needs = needs_of(schedule, item->index);
    item->seat = needs.seat;
    item->slows = !item->count && needs.slows;
    item->seconds = (float)schedule->options.expected(schedule->options.context, item->index, item->count);
    if (needs.use == USE_NODE)
        return EXCLUSIVE;
    if (item->count)
        return COUNT;
    return needs.use == USE_LINK ? LINK : SHARED;
}

static void put_common(struct schedule *schedule, struct schedule_item item)
{
    int kind = complete(schedule, &item);
    queue_push(&schedule->common[kind], item);
    schedule->common_seconds[kind] += item.seconds;
    ++*tally_of(schedule, true, kind);
}

void schedule_add(struct schedule *schedule, uint32_t index)
{
    put_common(schedule, (struct schedule_item){.index = index});
    if (schedule->idle)
        wake_all(schedule);
}

void schedule_expect(struct schedule *schedule, size_t points)
{
    if (schedule->coming && !points)
        wake_all(schedule); /* they may count */
    schedule->coming = points;
}

void schedule_add_count(struct schedule *schedule, uint32_t index)
{
    put_common(schedule, (struct schedule_item){.index = index, .count = true});
    if (schedule->idle)
        wake_all(schedule);
}

/* So much more of what only this rank can do; less, if negative. */
static void add_own(struct schedule *schedule, struct rank *rank, int kind, double seconds)
{
    if (kind == COUNT)
        return;
    rank->own_seconds += seconds;
    schedule->node[rank->node].own_seconds += seconds;
}

void schedule_add_repeat(struct schedule *schedule, int rank, struct schedule_item item)
{
    struct rank *r = &schedule->rank[rank];
    if (r->lost)
        return;
    int kind = complete(schedule, &item);
    queue_push(&r->own[kind], item);
    add_own(schedule, r, kind, item.seconds);
    schedule->node[r->node].own_exclusive += kind == EXCLUSIVE;
    schedule->repeats++;
    wake(schedule, rank);
}

/* Whether the rank may take points from the common queue that load the host link: one rank of a node does. */
static bool may_take_link(const struct schedule *schedule, const struct rank *rank)
{
    int last = schedule->node[rank->node].link;
    const struct rank *other = last < 0 ? rank : &schedule->rank[last];
    return other == rank || other->lost || other->held;
}

/* Whether there is work of this kind for the rank, of its own or in the common queue. */
static bool has_work(const struct schedule *schedule, const struct rank *rank, int kind)
{
    return queue_length(&rank->own[kind]) ||
           (!rank->held && (kind != LINK || may_take_link(schedule, rank)) &&
            queue_length(&schedule->common[kind]));
}

/* Among how many batches the rest of a queue is divided: each rank should still get two from the common
 * queue; of those that are counted, each of which costs a start of the profiler, every other rank. */
static double batches_left(const struct schedule *schedule, int kind, bool common)
{
    if (!common || schedule->remaining < 2)
        return 1;
    return schedule->remaining * (kind == COUNT ? 1.5 : 2);
}

/* Limits of a batch. */
struct limits {
    int points;
    double seconds, least;
};

/* What a rank may count at once: less than usual if it would then be the last of its node to finish, because
 * of the replicates of the present round. */
static double counting_seconds(const struct schedule *schedule, const struct rank *rank)
{
    const struct node *node = &schedule->node[rank->node];
    if (!queue_length(&rank->own[SHARED]))
        return schedule->options.count_seconds;
    double share = SERIALISED * schedule->common_seconds[COUNT] / schedule->remaining;
    return fmin(schedule->options.count_seconds, node->own_seconds / node->ranks - rank->own_seconds + share);
}

/* The expected seconds of a batch: long points come first, and so many of them as short ones would be more
 * than a share. */
static struct limits limits_of(const struct schedule *schedule, const struct rank *rank, int kind,
                               bool common)
{
    const struct schedule_options *options = &schedule->options;
    struct limits limits = {options->batch_max, options->batch_seconds, 0};
    if (kind == COUNT)
        limits = (struct limits){options->count_max, counting_seconds(schedule, rank), options->count_least};
    double share = schedule->common_seconds[kind] / batches_left(schedule, kind, common);
    share = share > limits.least ? share : limits.least;
    limits.seconds = common && share < limits.seconds ? share : limits.seconds;
    return limits;
}

/* Update the counts for a batch that is handed out. */
static void begin_running(struct schedule *schedule, struct rank *rank, int kind, size_t count)
{
    struct node *node = &schedule->node[rank->node];
    assert(count > 0 && !rank->running && !rank->lost);
    assert(!node->exclusive && (kind != EXCLUSIVE || !node->busy)); /* exclusive points run alone */
    assert(kind != LINK || !node->link_taken);
    rank->running = (int)count;
    rank->running_kind = kind;
    node->busy++;
    node->exclusive += kind == EXCLUSIVE;
    node->counting += kind == COUNT;
    schedule->running += count;
    schedule->timing += kind == COUNT ? 0 : count;
    if (kind == LINK) {
        node->link_taken = true;
        node->link = (int)(rank - schedule->rank);
    }
}

/* Whether both can be in one batch: it is timed or counted as a whole, by one process. */
static bool go_together(const struct schedule_item *a, const struct schedule_item *b)
{
    return a->round == b->round && a->count == b->count && a->fresh == b->fresh && a->slows == b->slows &&
           a->part == b->part;
}

/* ---- Groups ---- */

/* Never 0. Cached in the item, because computing it is slow. */
static uint32_t group_of(const struct schedule *schedule, struct schedule_item *item)
{
    if (!item->group) {
        uint32_t group = (uint32_t)schedule->options.group(schedule->options.context, item->index);
        item->group = group ? group : 1;
    }
    return item->group;
}

static bool other_rank_has(const struct schedule *schedule, const struct rank *rank, uint32_t group)
{
    const struct owner *owner = &schedule->owner[group % GROUPS];
    return owner->group == group && owner->rank != rank;
}

/* Position of the longest of the next items that go into a batch (NULL: a new one): counting that takes long
 * comes first. */
static size_t choose_longest(const struct schedule *schedule, const struct queue *queue,
                             const struct schedule_item *batch)
{
    size_t longest = SIZE_MAX;
    for (size_t i = queue->head; i < queue->count && i < queue->head + schedule->options.look_ahead; i++)
        if ((!batch || go_together(&queue->item[i], batch)) &&
            (longest == SIZE_MAX || queue->item[i].seconds > queue->item[longest].seconds))
            longest = i;
    return longest;
}

/* Position of the rank's next item in the common queue; SIZE_MAX: none suits it. */
static size_t choose(const struct schedule *schedule, const struct rank *rank, const struct queue *queue)
{
    size_t first = SIZE_MAX, ahead = schedule->remaining > 1 ? schedule->options.look_ahead : 1;
    for (size_t i = queue->head; i < queue->count && (first == SIZE_MAX || i < queue->head + ahead); i++) {
        if (!suits(schedule, rank, queue->item[i].seat))
            continue;
        first = first == SIZE_MAX ? i : first;
        if (ahead > 1 && !other_rank_has(schedule, rank, group_of(schedule, &queue->item[i])))
            return i;
    }
    return first;
}

/* Move the rank's next item to the head of the common queue; the others keep their order. False: none suits
 * the rank, or the batch. */
static bool bring_forward(struct schedule *schedule, const struct rank *rank, int kind, struct queue *queue,
                          const struct schedule_item *batch)
{
    size_t at = kind == COUNT ? choose_longest(schedule, queue, batch) : choose(schedule, rank, queue);
    if (at == SIZE_MAX)
        return false;
    struct schedule_item *first = &queue->item[queue->head], item = queue->item[at];
    memmove(first + 1, first, (at - queue->head) * sizeof *first);
    *first = item;
    return true;
}

/* Add items of a queue to a batch, which has `count` of them. Returns their number. */
static int fill_batch(struct schedule *schedule, struct rank *rank, int kind, bool common,
                      struct schedule_item *out, int count)
{
    struct queue *queue = common ? &schedule->common[kind] : &rank->own[kind];
    size_t taken = 0,
           share = (size_t)ceil((double)queue_length(queue) / batches_left(schedule, kind, common));
    struct limits limits = limits_of(schedule, rank, kind, common);
    double seconds = 0;
    while (count < limits.points && queue_length(queue) && (taken < share || seconds < limits.least)) {
        if (common && !bring_forward(schedule, rank, kind, queue, count ? out : NULL))
            break;
        struct schedule_item item = queue->item[queue->head];
        if ((taken && seconds + item.seconds > limits.seconds) || (count && !go_together(&item, &out[0])))
            break;
        seconds += item.seconds;
        if (common)
            schedule->common_seconds[kind] -= item.seconds;
        else
            add_own(schedule, rank, kind, -item.seconds);
        out[count++] = item;
        queue->head++;
        taken++;
        if (common && kind == EXCLUSIVE && !has_seat(queue, item.seat))
            wake_all(schedule); /* nodes need not stay free for them */
        if (common && kind != COUNT && schedule->remaining > 1) {
            uint32_t group = group_of(schedule, &item);
            schedule->owner[group % GROUPS] = (struct owner){group, rank};
        }
    }
    assert(taken <= *tally_of(schedule, common, kind));
    *tally_of(schedule, common, kind) -= taken;
    schedule->node[rank->node].own_exclusive -= kind == EXCLUSIVE && !common ? taken : 0;
    return count;
}

static int take_batch(struct schedule *schedule, struct rank *rank, int kind, struct schedule_item *out)
{
    bool common = !queue_length(&rank->own[kind]);
    if (!has_work(schedule, rank, kind))
        return 0;
    int count = fill_batch(schedule, rank, kind, common, out, 0);
    if (kind == COUNT && !common && !rank->held) /* in one start of the profiler */
        count = fill_batch(schedule, rank, kind, true, out, count);
    if (count)
        begin_running(schedule, rank, kind, (size_t)count);
    return count;
}

bool schedule_has_own(const struct schedule *schedule, int rank)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const struct queue *queue = &schedule->rank[rank].own[kind];
        for (size_t i = queue->head; i < queue->count && kind != COUNT; i++)
            if (!queue->item[i].repeat)
                return true;
    }
    return false;
}

bool schedule_has_timing(struct schedule *schedule, int rank)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (kind != COUNT && has_work(schedule, &schedule->rank[rank], kind))
            return true;
    return schedule->coming > 0;
}

/* Canaries are due now. They wait for the end of points that load the link, after which the process is
 * renewed. */
static bool has_repetition(struct schedule *schedule, struct rank *rank)
{
    const struct queue *queue = &rank->own[SHARED];
    bool linked =
        schedule->node[rank->node].link == (int)(rank - schedule->rank) && has_work(schedule, rank, LINK);
    return !linked && queue_length(queue) && queue->item[queue->head].repeat;
}

/* Whether to count before replicates. The driver serialises much of it: two ranks that count at once take 1.4
 * times as long, four 2.6 times (four H200s), so half of a node's ranks do while there is something else to
 * do. */
static bool should_count(const struct schedule *schedule, const struct rank *rank)
{
    const struct node *node = &schedule->node[rank->node];
    double least = schedule->options.count_least;
    return !schedule->coming && !queue_length(&schedule->common[SHARED]) &&
           queue_length(&schedule->common[COUNT]) && 2 * node->counting < node->ranks &&
           schedule->common_seconds[COUNT] >= least && counting_seconds(schedule, rank) >= least;
}

static int take_beside_others(struct schedule *schedule, struct rank *rank, struct schedule_item *out)
{
    int count = has_repetition(schedule, rank) ? take_batch(schedule, rank, SHARED, out) : 0;
    if (!count && !schedule->node[rank->node].link_taken)
        count = take_batch(schedule, rank, LINK, out);
    if (!count && should_count(schedule, rank))
        count = take_batch(schedule, rank, COUNT, out);
    if (!count)
        count = take_batch(schedule, rank, SHARED, out);
    if (!count && !schedule->coming)
        count = take_batch(schedule, rank, COUNT, out);
    return count;
}

int schedule_take(struct schedule *schedule, int rank, struct schedule_item *out)
{
    struct rank *r = &schedule->rank[rank];
    struct node *node = &schedule->node[r->node];
    if (r->lost || r->running || node->exclusive)
        return 0;
    if (!node->own_exclusive && (r->held || !awaits_exclusive(schedule, node)))
        return take_beside_others(schedule, r, out);
    return node->busy ? 0 : take_batch(schedule, r, EXCLUSIVE, out);
}

int schedule_next(struct schedule *schedule, int *rank, struct schedule_item *out)
{
    while (schedule->ready_count) {
        *rank = schedule->ready[schedule->ready_head];
        schedule->ready_head = (schedule->ready_head + 1) % schedule->options.ranks;
        schedule->ready_count--;
        schedule->rank[*rank].queued = false;
        int count = schedule_take(schedule, *rank, out);
        if (count) {
            schedule->rank[*rank].asking = false;
            return count;
        }
        schedule->idle += !schedule->rank[*rank].lost;
    }
    return 0;
}

bool schedule_pop_own(struct schedule *schedule, int rank, struct schedule_item *item)
{
    struct rank *r = &schedule->rank[rank];
    for (int kind = 0; kind < KINDS; kind++) {
        struct queue *queue = &r->own[kind];
        if (!queue_length(queue))
            continue;
        assert(schedule->repeats > 0 && (kind != EXCLUSIVE || schedule->node[r->node].own_exclusive > 0));
        *item = queue->item[queue->head++];
        add_own(schedule, r, kind, -item->seconds);
        schedule->node[r->node].own_exclusive -= kind == EXCLUSIVE;
        schedule->repeats--;
        return true;
    }
    return false;
}

/* The rank is idle: its node may start what has waited for that. */
static void end_running(struct schedule *schedule, struct rank *rank)
{
    struct node *node = &schedule->node[rank->node];
    assert(node->busy > 0 && (rank->running_kind != EXCLUSIVE || node->exclusive == 1));
    node->busy--;
    node->exclusive -= rank->running_kind == EXCLUSIVE;
    node->link_taken &= rank->running_kind != LINK;
    node->counting -= rank->running_kind == COUNT;
    wake_node(schedule, rank->node);
}

void schedule_finish(struct schedule *schedule, int rank, int count)
{
    struct rank *r = &schedule->rank[rank];
    if (!r->running || !count)
        return;
    assert(count > 0 && count <= r->running && (size_t)count <= schedule->running);
    r->running -= count;
    schedule->running -= (size_t)count;
    schedule->timing -= r->running_kind == COUNT ? 0 : (size_t)count;
    if (!r->running)
        end_running(schedule, r);
}

void schedule_hold(struct schedule *schedule, int rank, bool held)
{
    struct rank *r = &schedule->rank[rank];
    r->held = held;
    if (held)
        wake_all(schedule);
    else
        wake(schedule, rank);
}

void schedule_return(struct schedule *schedule, const struct schedule_item *item, int count)
{
    for (int i = 0; i < count; i++)
        put_common(schedule, item[i]);
    wake_all(schedule);
}

void schedule_lose(struct schedule *schedule, int rank)
{
    struct rank *r = &schedule->rank[rank];
    struct schedule_item dropped;
    if (r->lost)
        return;
    schedule_finish(schedule, rank, r->running);
    schedule->idle -= r->asking && !r->queued;
    r->lost = true;
    r->asking = false;
    schedule->remaining--;
    schedule->node[r->node].ranks--;
    bool last = r->seat >= 0 && r->seat < SEATS_MAX && !--schedule->seat_ranks[r->seat];
    assert(schedule->remaining >= 0);
    while (schedule_pop_own(schedule, rank, &dropped))
        continue;
    if (last || queue_length(&schedule->common[LINK])) /* which the rank may have kept for itself */
        wake_all(schedule);
    else
        wake_node(schedule, r->node);
}

void schedule_stop(struct schedule *schedule)
{
    for (int kind = 0; kind < KINDS; kind++) {
        queue_free(&schedule->common[kind]);
        schedule->common_seconds[kind] = 0;
        for (int i = 0; i < schedule->options.ranks; i++)
            queue_free(&schedule->rank[i].own[kind]);
    }
    for (int i = 0; i < schedule->options.ranks; i++) {
        schedule->rank[i].own_seconds = schedule->node[i].own_seconds = 0;
        schedule->node[i].own_exclusive = 0;
    }
    schedule->waiting = schedule->counts = schedule->repeats = schedule->coming = 0;
}

size_t schedule_waiting(const struct schedule *schedule)
{
    return schedule->waiting + schedule->coming;
}

size_t schedule_timing(const struct schedule *schedule)
{
    return schedule->timing;
}

bool schedule_is_done(const struct schedule *schedule)
{
    return !schedule_waiting(schedule) && !schedule->counts && !schedule->repeats && !schedule->running;
}
