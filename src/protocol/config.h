/* config.h - how a run measures: `timing` and `counters` of the job file, and options of the command line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/axis.h"
#include "core/result.h"

/* Version of the measuring rules: how a sample is taken, what a cache mode does, what is subtracted. Raised
 * when times of two releases must not be in one file; --resume compares it. */
#define CONFIG_RULES 2

/* How far a run looks ahead, in points. The schedule searches its queue for a point whose inputs the rank
 * has; the worker gives its back end the next points of the batch; reference outputs are computed for some of
 * those. */
#define LOOK_AHEAD_SCHEDULE 64
#define LOOK_AHEAD_BATCH    16
#define LOOK_AHEAD_PREFETCH 8

/* In which state of the clock samples are taken: that of a lasting load, that of the first milliseconds, from
 * the first launch on, or as the points before have left it (worker/settle.h). */
enum clock_mode { CLOCK_SUSTAINED, CLOCK_BOOST, CLOCK_TRANSIENT, CLOCK_ANY };
extern const char *const clock_words[]; /* "sustained", "boost", "transient", "any", NULL */

/* What these states take of a point whose clock is lowered, s (worker/settle.h). Sustained: load at least,
 * then samples over the period in which power is regulated. Boost: idleness; load before it, of the first
 * sparse product; then samples. Transient: idleness. */
#define SETTLE_LEAST    0.2
#define SETTLE_PERIOD   1.0
#define BOOST_PAUSE     0.1
#define BOOST_SPARSE    0.5
#define BOOST_TIME      15e-3
#define TRANSIENT_PAUSE 3.0 /* longer than power is averaged over */

/* What the energy of a launch takes, s (worker/stages.h): load before the window, as long as a power sample
 * averages; the window at least. */
#define ENERGY_SETTLES 1.0
#define ENERGY_WINDOW  1.0

struct timing {
    enum cache_mode cache; /* default of the cache axis */
    uint32_t min_samples;  /* 10, of all processes together */
    uint32_t max_samples;  /* 1000 */
    double target_ci;      /* 0.005: half-width of the median's interval, relative */
    double max_time;       /* 2 s of sampling per point */
    enum clock_mode clock; /* sustained */
    double timeout;        /* 60 s: a point that takes longer is killed */
    uint32_t replicates;   /* 3: fresh worker processes that measure each point */
    bool all_devices;      /* every device of the run measures each point, instead of one */
};

struct config {
    struct timing timing;
    uint64_t seed;           /* inputs, order, orders */
    int threads;             /* CPU threads this worker may use */
    char cpus[1024];         /* CPU list to bind to, "0-7,16"; empty: leave the affinity alone */
    char cache_folder[1024]; /* cubin cache; empty: no cache */
    struct precompiled {
        char file[128];    /* of a compiler: precompiled headers that it may use; empty: none */
        char headers[512]; /* what they are, as lines */
        arch target;       /* they are for */
        bool make;         /* it makes them, before anything else */
    } precompiled;
    int share;         /* number of its share of the CPUs near its device */
    int shares;        /* and how many there are; 0: it gets none */
    bool tensor_cores; /* measure their peaks too: the job has a family that computes with them */
    bool one_device;   /* no point uses several devices */
    bool energy;       /* measure the energy of launches, after timing */
    int counter_count; /* metrics to count, by CUPTI name; 0: none */
    char counter[RESULT_COUNTERS_MAX][96];
};

struct config config_standard(void);

/* The minimum number of samples of a process: its share of `min_samples`, which is for all processes of a
 * point together, but at least ten (or `min_samples`, if that is less). */
uint32_t config_samples_min(const struct timing *timing);

/* What is measured in passes of their own after timing, as a number that is equal for equal passes; 0:
 * nothing. */
static inline int config_passes(const struct config *config)
{
    return config->counter_count + (config->energy ? 1 + RESULT_COUNTERS_MAX : 0);
}
