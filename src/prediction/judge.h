/* judge.h - compare predictions of the time model with a results file: measured times, order of variants, and the unit that
 * counters show as busiest. */
#pragma once

#include "core/profile.h"
#include "family/time/time_model.h"
#include "store/store.h"
#include "toolkit/code_facts.h"

/* Errors up to which predictions are counted, and beyond which they are listed as wrong. */
#define JUDGE_NEAR  0.07
#define JUDGE_WRONG 0.15

struct judged {
    size_t row;
    struct point point;
    double seconds; /* measured */
    double plain;   /* seconds by useful bytes / peak_copy alone */
    bool addresses; /* known to the access model */
    double counted; /* instructions, by the file's counters; NaN: not counted */
    double assumed; /* instructions that the prediction uses */
    struct time_prediction time;
    enum bound busiest; /* by counters: the busiest unit, or latency if all are idle; none: not counted */
    double share;       /* of the unit's peak */
};

struct verdicts {
    struct judged *point; /* owned; sorted by kernel, in the file's order */
    size_t points, unpredicted;
};

/* Predict every measured point of row `device` of /devices, with inputs from `use`. Caller frees .point. -1 if the code cannot
 * be compiled. */
int judge(const struct dataset *dataset, size_t device, const struct profile *profile, enum code_use use,
          struct verdicts *verdicts, struct error *error);

/* Predict one measured row, with what its counters say. False if the model has no prediction, or the row was not measured on a
 * device. */
bool judge_row(const struct dataset *dataset, size_t row, const struct profile *profile,
               struct judged *judged);

/* measured / predicted, and whether it is within `share` of 1 either way: 0.15 for 15 %. */
double judge_ratio(const struct judged *point);
bool judge_within(double ratio, double share);

/* Pairs of points that differ only in the variant, and in time by over 5 %; the number that the model orders correctly.
 * `addresses`: only points with known addresses. */
struct ranking {
    size_t pairs, right;
};
struct ranking judge_ranking(const struct judged *points, size_t count, bool addresses);

/* Does the predicted bound agree with the counters? Latency, launches and idle SMs all leave every unit idle. */
bool judge_bound_fits(const struct judged *point);
