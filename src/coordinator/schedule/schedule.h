/* schedule.h - which rank gets which points next. Only queues, no MPI and no clock. The cost per rank does
 * not depend on the number of ranks.
 *
 * An idle rank asks and gets a batch: as many points as should take `batch_seconds` together, so that short
 * points do not cost a round trip each; fewer towards the end, so that ranks finish together; at least one.
 * Points of node-exclusive families that use several devices run alone on their node: while such points wait,
 * the node starts nothing else, lets running points finish, and then runs them one after another, on a rank
 * of their seat, the device that launches them.
 *
 * Points that load the host link run one at a time on each node, beside points of other ranks that do not
 * load it. One rank takes all of a node, because a process that has measured such a point is renewed before
 * others.
 *
 * Counting is queued apart: a batch of it costs a start of the profiler. It begins when all points have been
 * timed once, on at most half of a node's ranks while there is something else to do, and on those that can
 * afford it: their replicates, which are theirs alone, follow.
 *
 * Points of one group have the same inputs and expected outputs, so they cost less on a rank that has
 * measured one of them. A rank therefore skips points of groups that another rank has measured last, if a
 * later point nearby is of another group.
 *
 * Points after which launches of their process take longer are in batches of their own. Add them when all
 * others have ended, with their replicates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_item {
    uint32_t index;  /* of a point in the grid */
    uint32_t repeat; /* 0: the point itself; else a repetition, bound to a rank */
    uint32_t round;  /* of the rank's worker: a higher number than before requires a fresh process */
    bool replicate;  /* time a measured point again. Bound to a rank */
    bool count;      /* count a point that is timed already. A repetition's counting is bound to its rank */
    uint8_t attempt; /* number of earlier failed attempts. A retry is bound to a rank */
    bool fresh;      /* requires a worker process of its own */
    bool alone;      /* measure the first point of a pair without the second */
    bool pair;       /* handed out as a pair */
    bool slows;      /* later launches of its process take longer; set by the schedule */
    uint32_t turn;   /* processes of the rank that have measured it before */
    int32_t avoid;   /* of a retry: the rank that failed last */
    uint32_t part;  /* of a batch whose counting may have killed a worker: parts are counted apart. 0: none */
    uint32_t group; /* internal to the schedule */
    int32_t seat;   /* internal to the schedule */
    float seconds;  /* expected; internal to the schedule */
};

/* What a point must not share with other ranks of its node. */
enum schedule_use { USE_DEVICE, USE_LINK /* the host link */, USE_NODE /* anything */ };

struct schedule_needs {
    enum schedule_use use;
    int seat;   /* that must run a point of USE_NODE; -1: any */
    bool slows; /* later launches of the point's process take longer */
};

struct schedule_options {
    int ranks;
    const int *node; /* node[rank]: a number that identifies the node, less than `ranks` */
    const int *seat; /* seat[rank]: ordinal of its device on the node */
    double batch_seconds;
    int batch_max;
    /* The same of batches that are counted. They are not smaller than `count_least` seconds for the sake of a
     * fair share, because each has a cost of its own. */
    double count_seconds, count_least;
    int count_max;
    size_t look_ahead; /* items of the common queue that are searched for one of the rank's groups */
    void *context;     /* argument of the functions below */
    double (*expected)(void *context, uint32_t index, bool count);
    struct schedule_needs (*needs)(void *context, uint32_t index);
    uint64_t (*group)(void *context, uint32_t index); /* equal for points with common inputs */
};

struct schedule; /* opaque */

struct schedule *schedule_new(const struct schedule_options *options);
void schedule_free(struct schedule *schedule);

/* Add a point at the end of the order. */
void schedule_add(struct schedule *schedule, uint32_t index);

/* So many points are still to be added, and count as waiting. Meanwhile nothing is counted. */
void schedule_expect(struct schedule *schedule, size_t points);

/* Add a point that only needs counting. */
void schedule_add_count(struct schedule *schedule, uint32_t index);

/* Add a repetition, a replicate or a retry for one rank, before everything else. Ignored if the rank is
 * lost. */
void schedule_add_repeat(struct schedule *schedule, int rank, struct schedule_item item);

/* `rank` is idle and asks for work. */
void schedule_ask(struct schedule *schedule, int rank);

/* The next batch for any rank that has asked: writes its number to `rank` and up to batch_max items to `out`.
 * Returns their number; 0: no work for any of them now. Ranks without work are considered again when
 * something changes. */
int schedule_next(struct schedule *schedule, int *rank, struct schedule_item *out);

/* Whether the rank can run the point: it has the point's seat, or no rank has. */
bool schedule_suits(const struct schedule *schedule, int rank, uint32_t index);

/* Whether replicates or retries wait for this rank. */
bool schedule_has_own(const struct schedule *schedule, int rank);

/* Whether anything that this rank may take waits to be timed. */
bool schedule_has_timing(struct schedule *schedule, int rank);

/* The next batch of this idle rank; 0: nothing now. */
int schedule_take(struct schedule *schedule, int rank, struct schedule_item *out);

/* `rank` has finished `count` of its items. */
void schedule_finish(struct schedule *schedule, int rank, int count);

/* Remove the next item that is bound to this rank; false: there is none. */
bool schedule_pop_own(struct schedule *schedule, int rank, struct schedule_item *item);

/* A held rank gets only what is bound to it. */
void schedule_hold(struct schedule *schedule, int rank, bool held);

/* Items come back unfinished: queue them again, for any rank. Not for items that are bound to a rank. */
void schedule_return(struct schedule *schedule, const struct schedule_item *item, int count);

/* `rank` is lost: return its unfinished items before. What is bound to it is dropped. */
void schedule_lose(struct schedule *schedule, int rank);

/* Drop everything that is not handed out: the run is stopping. */
void schedule_stop(struct schedule *schedule);

/* Points to time that are not handed out, those to come included, without repetitions; items handed out to be
 * timed, and not finished. */
size_t schedule_waiting(const struct schedule *schedule);
size_t schedule_timing(const struct schedule *schedule);
bool schedule_is_done(const struct schedule *schedule); /* nothing waits or runs, repetitions included */

/* ---- Replicates: further worker processes that measure each point again ----
 *
 * When no new points are left, a rank begins rounds: in each one a fresh worker process measures the points
 * of this rank again, in another order, until each point has the requested number of processes. With
 * `devices: all` every rank measures every point that often; then rounds begin when all points have been
 * measured once. */
struct replicates; /* opaque */

struct replicates_options {
    int ranks;
    uint32_t processes; /* per point and device */
    bool all_devices;
    uint64_t seed; /* of the orders */
};

struct replicates *replicates_new(const struct replicates_options *options);
void replicates_free(struct replicates *replicates);

/* `processes` processes of the rank, in this run or earlier ones, have measured the point successfully.
 * `own`: a point of an earlier run with `devices: all`, of which other ranks have their own number of
 * processes; it may be 0. */
void replicates_add(struct replicates *replicates, int rank, uint32_t index, uint32_t processes, bool own);

/* `waiting`, `running`: there are points that nobody has measured, or items that run. Returns true once, when
 * rounds may begin; from then on call replicates_issue for each idle rank. */
bool replicates_open(struct replicates *replicates, bool waiting, bool running);

/* No round is to begin: new points come, which rounds follow in their turn. */
void replicates_close(struct replicates *replicates);

/* Queue the next round of an idle rank whose own queue is empty, if rounds have begun. */
void replicates_issue(struct replicates *replicates, struct schedule *schedule, int rank);

/* Whether all replicates are queued, or were, of the points that the rank can measure and somebody has. */
bool replicates_are_issued(const struct replicates *replicates, const struct schedule *schedule, int rank);

/* Number of replicates in a complete run of `points` points. */
size_t replicates_planned(const struct replicates *replicates, size_t points);
