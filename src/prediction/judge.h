/* judge.h - points of a results file predicted, and the prediction judged: by the measured time, by the order of
 * variants, and by what the counters say was busiest. */
#ifndef PREDICTION_JUDGE_H
#define PREDICTION_JUDGE_H

#include "core/profile.h"
#include "family/time/time_model.h"
#include "store/store.h"
#include "toolkit/code_facts.h"

struct judged {
    size_t row;
    struct point point;
    double seconds; /* measured */
    double plain;   /* seconds by useful bytes / peak_copy alone */
    bool addresses; /* the access model knows them */
    double counted; /* instructions, by the file's counters; NaN: not counted */
    double told;    /* instructions that the prediction goes by */
    struct time_prediction time;
    enum bound
        busiest;  /* by counters: the unit that was used most, latency where none was; none: not counted */
    double share; /* of what that unit reaches at best */
};

struct verdicts {
    struct judged *point; /* owned; sorted by kernel, in the file's order */
    size_t points, unpredicted;
};

/* Every measured point of row `device` of /devices, by as much of its code as `use` says. Free .point. -1 where the code cannot
 * be had. */
int judge(const struct dataset *dataset, size_t device, const struct profile *profile, enum code_use use,
          struct verdicts *verdicts, struct error *error);

/* measured / predicted, and whether it is within `share` of 1 either way: 0.15 for 15 %. */
double judge_ratio(const struct judged *point);
bool judge_within(double ratio, double share);

/* Of a kernel's points: pairs that differ in the variant alone and in time by over 5 %, and how many of them the model
 * puts into the right order. `addresses`: of those alone whose addresses are known. */
struct ranking {
    size_t pairs, right;
};
struct ranking judge_ranking(const struct judged *points, size_t count, bool addresses);

/* Does the named bound fit what was counted? Latency, launches and idle multiprocessors all leave every unit idle. */
bool judge_bound_fits(const struct judged *point);

#endif
