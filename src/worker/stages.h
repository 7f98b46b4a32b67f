/* stages.h - the stages of measuring a point, the same for all back ends: check support, load, verify, warm
 * up, sample, summarise, and predict time and counters. */
#pragma once

#include "worker/backend.h"

struct stages {
    const struct backend *backend;
    struct config config;
    struct target target;
    const struct device *device;      /* with its measured peaks */
    bool replicate;                   /* another process has verified the point: only time it */
    const struct point *const *ahead; /* as in struct trial */
    uint32_t ahead_count;
    stage_report report;
    void *context; /* of `report` */
};

/* Measure one point into `result`, from result_new with id and repeat set. The caller frees it. */
void stages_measure(const struct stages *stages, const struct point *point, struct result *result);

/* Measure a pair, in the order of turns.h. If one point fails, or if their buffers differ, the other, or
 * each, is measured by itself; else `paired_with` of both results is set. */
void stages_measure_pair(const struct stages *stages, uint32_t turn, const struct point *const point[2],
                         struct result *const result[2]);

/* ---- Which launch was timed, and how: the columns launch_hash and protocol_hash. The back end knows the
 * code ---- */

uint64_t identity_launch(const struct setup *setup);
uint64_t identity_protocol(const struct trial *trial); /* that is arranged */

/* ---- What measuring a point, a pair and energy have in common ---- */

/* STATUS_OK, or what becomes of the point that this worker cannot measure, and why: unsupported by its
 * family's rules or the device; unavailable without the ranks, the NUMA node or the memory of the host that
 * it needs. */
enum status stages_refuse(const struct stages *stages, const struct point *point,
                          char reason[RESULT_MESSAGE_SIZE]);

struct trial stages_trial(const struct stages *stages, const struct point *point, struct result *result);

/* Set what the stages go by: setup, state of L2, seed; and the work of the result. */
void stages_describe(struct trial *trial);

/* Load, verify unless it is a replicate, and warm up. Ends early if the point fails. */
void stages_prepare(struct trial *trial, const struct stages *stages);

/* Behind the last sample: launch once more on poisoned outputs, and compare. What has become of the inputs
 * stays. */
void stages_verify_again(struct trial *trial, const struct stages *stages);

/* Size of the next group of samples: the minimum at first, then half of the samples so far; limited by
 * max_samples, max_time and `most`. */
uint32_t stages_next_group(const struct timing *timing, uint32_t most, uint32_t taken, double elapsed);

/* End the point if the sample has no time: noise can be longer than short work. */
void stages_check_sample(struct trial *trial, const struct sample *sample);

/* Predict counters and time, unless the back end makes its results up or it is a replicate. */
void stages_predict(struct trial *trial, const struct stages *stages);

/* ---- The stopping rule for samples ----
 *
 * A process first takes its share of `min_samples`. Then it stops at the first of these:
 *   converged  the half-width of the 95 % interval of the process's median is within the target. The interval
 *              allows for autocorrelated samples (statistics/within.h). The target is that of the point times
 *              the square root of the number of processes that measure it, so that all processes together
 *              meet the point's target.
 *   settled    the interval has stopped shrinking: the noise does not average out, and more samples would not
 *              help.
 *   max_samples, max_time */

/* Start from stopping_start; stopping_free releases it. */
struct stopping {
    struct timing timing;
    double target; /* relative half-width of this process's interval */
    double *times; /* owned: the samples so far, in order */
    size_t count, capacity;
    size_t next_check, next_settled;
    double settled_width; /* relative half-width at the last check for settling; NaN before the first */
    int stalls;           /* successive checks without shrinking */
};

struct stopping stopping_start(const struct timing *timing);

/* Add a sample. `seconds`: its time; `elapsed`: seconds since sampling began. STOP_NONE: continue. Takes
 * about 1 us on average, so it can be called after each sample. */
enum stop_reason stopping_add(struct stopping *stopping, double seconds, double elapsed);

void stopping_free(struct stopping *stopping);

/* ---- The energy of a launch: a loop of launches of its own, after the point was timed, beside NVML's energy
 * counter ----
 *
 * The counter is updated some ten times a second, so neither end of a loop is the time of a reading. Energy
 * is therefore the slope of a line through the updates: the first reading after each, and its time. The
 * launches that have ended are another line. The quotient of the slopes is the energy of a launch, and the
 * scatter about the lines gives its interval. */

#define ENERGY_TARGET  0.005 /* half-width of the interval at which the loop ends, relative */
#define ENERGY_UPDATES 6     /* of the counter at least */
#define ENERGY_LONGEST 10.0  /* s; also at most half of the point's timeout */
#define ENERGY_STILL   3.0   /* s without an update: the counter stands still */
#define ENERGY_DIFFERS 0.05  /* power samples that differ more from the counter are mentioned */

/* Measure a point that was timed, in the state of L2 that it was timed in. What cannot be measured is NaN;
 * `status` says why. */
void energy_measure(const struct stages *stages, const struct point *point, struct energy *energy);

/* Power of the idle device in W; NaN if it is not known. */
double energy_idle(const struct backend *backend);

/* ---- Do the counters of a launch prove that L2 was in the state that the axis `cache` names? ----
 *
 * docs/method/measurement.md derives the rules. They hold for the launch that was counted. */

/* The shares of the inputs that may come from the wrong place; bytes of inputs from which on that is told
 * from other traffic. */
#define L2_STATE_TOLERANCE 0.05
#define L2_STATE_BYTES_MIN (64 << 10)

/* Write "proved", "disproved: " or "unknown: " and the reason, from `dram_read` and `l2_read`, the bytes that
 * the launch read from DRAM and L2 (NaN: not counted). */
void l2_state_judge(const struct point *point, const struct target *target, enum cache_mode standard,
                    double dram_read, double l2_read, char *out, size_t size);
