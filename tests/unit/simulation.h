/* simulation.h - made-up files of measurements with known truth, for the tests of statistics: seeded noise
 * with the faults of real timings, for points measured by several processes on several devices. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "statistics/within.h"

/* splitmix64 (Steele, Lea & Flood 2014): a state that the caller seeds. */
static inline double simulation_uniform(uint64_t *state)
{
    return ((double)(hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15)) >> 11) + 0.5) * 0x1p-53;
}

/* Box & Muller 1958. */
static inline double simulation_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(simulation_uniform(state)));
    return radius * cos(6.283185307179586 * simulation_uniform(state));
}

enum simulation_noise {
    NOISE_NORMAL,
    NOISE_CONTAMINATED, /* one sample in twenty is 5 to 50 % too slow */
    NOISE_LOGNORMAL,
    NOISE_PARETO, /* tail index 1.5: no variance */
    NOISE_STATES, /* normal, and the clock changes between two states every 40 samples or so */
};

struct simulation {
    const char *name;
    enum simulation_noise noise;
    double spread;      /* relative standard deviation (scale) of a sample */
    double rho;         /* lag-1 autocorrelation of the noise's normal scores */
    double common;      /* relative standard deviation of a process, the same for all points */
    double own;         /* and of a process at one point */
    double device;      /* and of a device, the same for all points */
    double states;      /* relative distance of two clock states */
    double slow_share;  /* of processes that have the slow state throughout: for each point ... */
    bool states_common; /* ... or for all points alike */
    int devices, processes;
};

enum { SIMULATION_SAMPLES_MAX = 400, SIMULATION_SAMPLES_LEAST = 10 };
#define SIMULATION_SECONDS 5e-6 /* the true time without deviations */

/* A sample's relative deviation from the centre, given a standard normal score. */
static inline double simulation_deviation(const struct simulation *s, double score, uint64_t *state)
{
    switch (s->noise) {
    case NOISE_CONTAMINATED:
        return simulation_uniform(state) < 0.05 ? 0.05 + 0.45 * simulation_uniform(state) : s->spread * score;
    case NOISE_LOGNORMAL:
        return s->spread * (exp(score) - 1);
    case NOISE_PARETO:
        return s->spread * (pow(0.5 * erfc(score / sqrt(2)), -1 / 1.5) - 1);
    default:
        return s->spread * score;
    }
}

/* The median of those deviations. */
static inline double simulation_median(const struct simulation *s)
{
    if (s->noise == NOISE_CONTAMINATED)
        return 0.0660 * s->spread; /* the 0.5 / 0.95 quantile of the normal distribution */
    return s->noise == NOISE_PARETO ? s->spread * (pow(2, 1 / 1.5) - 1) : 0;
}

/* The logarithm of the estimated quantity: symmetrical deviations of processes and devices leave it alone. */
static inline double simulation_truth(const struct simulation *s)
{
    return log(SIMULATION_SECONDS * (1 + simulation_median(s))) + (s->slow_share - 0.5) * s->states;
}

/* Samples of one process whose own deviation (of the logarithm) is `shift`, until the interval of its median
 * is within `target` or there are SIMULATION_SAMPLES_MAX. Returns how many. */
static inline size_t simulation_process(const struct simulation *s, double shift, double target,
                                        uint64_t *state, double *times)
{
    double score = simulation_normal(state), seconds = SIMULATION_SECONDS * exp(shift);
    bool slow = simulation_uniform(state) < 0.5;
    size_t count = 0, next = SIMULATION_SAMPLES_LEAST;
    for (;;) {
        if (count)
            score = s->rho * score + sqrt(1 - s->rho * s->rho) * simulation_normal(state);
        if (s->noise == NOISE_STATES && simulation_uniform(state) < 1.0 / 40)
            slow = !slow;
        double clock = s->noise == NOISE_STATES ? s->states * slow - s->states / 2 : 0;
        times[count++] = seconds * (1 + simulation_deviation(s, score, state) + clock);
        if (count == SIMULATION_SAMPLES_MAX)
            return count;
        if (count == next) {
            if (within_half_width(times, count) <= target)
                return count;
            next += 1 + count / 8;
        }
    }
}
