/* schedule.h - who gets which point next. No MPI, no clock: a pure bookkeeping of queues, tested alone. What
 * it does for one rank costs the same with ten ranks and with ten thousand.
 *
 * A rank asks when it is idle and is handed a batch: as many points as are expected to take `batch_seconds`
 * together (so that small points do not pay a round trip each), fewer towards the end (so that ranks end
 * together), at least one. Points of node-exclusive families run alone on their node: while any is waiting
 * that the node could run, it starts nothing else, lets what runs end, and then does one after the other.
 *
 * Points of one group, whose inputs and expected outputs are the same, cost less on a rank that has done one of them: so a
 * rank passes over some that are another's, as long as the next ones hold something that is its own, or nobody's yet. */
#ifndef COORDINATOR_SCHEDULE_SCHEDULE_H
#define COORDINATOR_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_item {
    uint32_t index;  /* of a point in the grid */
    uint32_t repeat; /* 0: the point itself; otherwise a repetition, bound to a rank */
    uint32_t round;  /* of the rank's worker: a higher one than the last item's asks for a fresh process */
    bool replicate;  /* the point was measured before: its time alone is wanted. Bound to a rank, too */
    bool count;      /* the point was timed before: its counters alone are wanted */
    uint8_t attempt; /* 0: the first; 1, 2, ...: the point failed so often before. Bound to a rank then */
    bool fresh;      /* wants a worker process of its own */
    int32_t avoid;   /* of a further attempt: the rank that failed it last */
    uint32_t group;  /* the schedule's own */
};

struct schedule_options {
    int ranks;
    const int *node; /* node[rank]: any number that ranks of one node have in common */
    bool fixed;      /* --schedule static: item i goes to rank i mod ranks */
    double batch_seconds;
    int batch_max;
    void *context; /* for the two below */
    double (*expected)(void *context, uint32_t index);
    bool (*exclusive)(void *context, uint32_t index);
    uint64_t (*group)(void *context,
                      uint32_t index); /* alike for points that a rank had better do one with another */
};

struct schedule; /* opaque */

struct schedule *schedule_new(const struct schedule_options *options);
void schedule_free(struct schedule *schedule);

/* Add a point at the end of the order. All of them come before the first schedule_take. */
void schedule_add(struct schedule *schedule, uint32_t index);

/* Add a point that is to be counted only, at the end of the order, for whichever rank. */
void schedule_add_count(struct schedule *schedule, uint32_t index);

/* Add a repetition, a replicate or a further attempt for one rank, ahead of everything else. Nothing happens when the
 * rank is lost. */
void schedule_add_repeat(struct schedule *schedule, int rank, struct schedule_item item);

/* `rank` is idle and wants work. */
void schedule_ask(struct schedule *schedule, int rank);

/* The next batch for a rank that has asked: its number in `rank`, the items in `out` (room for batch_max);
 * returns how many, 0 when there is nothing now for any that asked. Those without work stay on the list, and
 * are looked at again when something has changed that may give them some. */
int schedule_next(struct schedule *schedule, int *rank, struct schedule_item *out);

/* Had it to wait for the batch that it was handed last, because its node was, or had to become, free for points that
 * run alone? */
bool schedule_was_refused(const struct schedule *schedule, int rank);

/* Has it repetitions or replicates that were not handed out? */
bool schedule_has_own(const struct schedule *schedule, int rank);

/* What this rank, which is idle, does next; 0: nothing for now. */
int schedule_take(struct schedule *schedule, int rank, struct schedule_item *out);

/* `rank` has finished `count` of the items it was handed. */
void schedule_finish(struct schedule *schedule, int rank, int count);

/* Take back the next of what waits for this rank alone (repetitions, replicates, attempts); false: nothing does. */
bool schedule_pop_own(struct schedule *schedule, int rank, struct schedule_item *item);

/* While it is held, a rank gets only what is bound to it; what was reserved for it goes to others. */
void schedule_hold(struct schedule *schedule, int rank, bool held);

/* Items that were handed out come back unfinished: some rank gets them again. Not what is bound to a rank. */
void schedule_return(struct schedule *schedule, const struct schedule_item *item, int count);

/* `rank` is gone. `back` are the items it was handed and has not finished: they go to others, as does what
 * was reserved for it; repetitions are dropped. */
void schedule_lose(struct schedule *schedule, int rank, const struct schedule_item *back, int count);

/* Forget everything that was not handed out: the run is stopping. */
void schedule_stop(struct schedule *schedule);

size_t
schedule_waiting(const struct schedule *schedule); /* points not handed out; repetitions do not count */
size_t schedule_running(const struct schedule *schedule); /* items handed out and not finished */
bool schedule_is_done(
    const struct schedule *schedule);                /* nothing waits, repetitions included, nothing runs */
int schedule_ranks(const struct schedule *schedule); /* ranks that are not lost */

#endif
