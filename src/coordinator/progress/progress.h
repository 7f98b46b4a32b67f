/* progress.h - the progress of a run on stderr of rank 0: a bar on a terminal, also under mpirun; occasional lines in a
 * log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool terminal, shown;      /* a bar is on the screen */
    double start;              /* s of clock_now: start of counting */
    double seen, last;         /* s of clock_now: last forecast; last line or bar */
    double reported;           /* share of the time in the last log line */
    const char *phase;         /* of the run: "measuring"; NULL: none yet */
    const char *what;          /* what is counted: "points"; NULL: nothing yet */
    uint64_t total, done, bad; /* of this run: points to measure, measured, not ok */
};

/* `plain`: lines also on a terminal, because a log is printed there. */
void progress_open(struct progress *progress, bool plain);

/* The phase of the run; shown on a terminal before counting starts. */
void progress_phase(struct progress *progress, const char *phase);

/* Start counting `total` points or measurements. */
void progress_start(struct progress *progress, const char *what, uint64_t total);

/* Whether it is time for progress_tick. */
bool progress_is_due(const struct progress *progress);

/* Draw. `left`: remaining seconds; NaN: unknown. */
void progress_tick(struct progress *progress, double left);

/* Print a line above the bar. Works before progress_open, too. */
void progress_say(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remove the bar. */
void progress_clear(struct progress *progress);

/* ---- Forecast of the remaining time of a run: the expected times of its points (plan/order.c), corrected by what such points have
 * taken so far and by the pace of the run. Timing points, counting them, and their replicates are forecast separately; in s. ---- */

enum forecast_part { FORECAST_FIRST, FORECAST_REPLICATE, FORECAST_COUNT, FORECAST_PARTS };

struct forecast_options {
    int ranks;        /* of the run, lost ones included */
    int present;      /* ranks that measure */
    uint32_t further; /* processes per point after the first */
    bool bound;       /* ... must be of the rank that has measured it first */
    bool counts;      /* each point is counted */
    double start;     /* s of clock_now: when measuring began */
};

struct forecast {
    struct forecast_options options;
    double left[FORECAST_PARTS];                           /* expected, of what is left */
    double expected[FORECAST_PARTS], took[FORECAST_PARTS]; /* of what has been done */
    double *bound, all_bound; /* owned; by rank: s of replicates that only it can measure; all */
};

struct forecast *forecast_new(const struct forecast_options *options);
void forecast_free(struct forecast *forecast);

/* Add a point to measure, in `expected` seconds by one process; the counting of one that has been timed; or what
 * `rank` has to measure again of points of an earlier run, in `seconds`. */
void forecast_add(struct forecast *forecast, double expected);
void forecast_add_count(struct forecast *forecast, double expected);
void forecast_add_partial(struct forecast *forecast, int rank, double seconds);

/* A point that was added with `expected` seconds was timed in `seconds`; a replicate would take `again` of them. `ok`: its
 * replicates follow, and its counting, which forecast_add_count expects. Or it was measured by a further process, or counted. */
void forecast_add_timed(struct forecast *forecast, double expected, int rank, double seconds, double again,
                        bool ok);
void forecast_add_replicate(struct forecast *forecast, int rank, double seconds);
void forecast_add_counted(struct forecast *forecast, double expected, double seconds);

/* The rank is lost, and its replicates are dropped. */
void forecast_lose(struct forecast *forecast, int rank);

/* Expected seconds that the rank can count for without being the last to finish, because of what only it can measure. */
double forecast_counting_room(const struct forecast *forecast, int rank);

/* Seconds until everything is measured; NaN: unknown, because no point has been. */
double forecast_left(const struct forecast *forecast, double now);
