/* time_model.h - how long a point takes at best, and what holds it up: lower bounds of each resource, and how they
 * combine. docs/model.md derives it. */
#ifndef FAMILY_TIME_TIME_MODEL_H
#define FAMILY_TIME_TIME_MODEL_H

#include "core/bound.h"
#include "core/profile.h"
#include "core/result.h"
#include "family/access/model.h"

/* What the caller knows beyond the point. NaN: not known. */
struct time_facts {
    enum cache_mode cache;
    double dirty;        /* as model_predict has it */
    double instructions; /* that warps execute, in all */
    double resident;     /* blocks of a multiprocessor, by the compiled kernel's registers */
};
struct time_facts time_facts_none(enum cache_mode cache);

/* Blocks of a multiprocessor by the column occupancy_theoretical; NaN where something is not known. */
double time_resident(double occupancy, double threads_sm, double block_threads);

struct time_prediction {
    double seconds, low, high; /* NaN: no prediction; the interval is that of the profile's numbers alone */
    enum bound bound, second;
    double part[BOUND_COUNT]; /* seconds that each resource needs alone; 0 where it is not used */
};

/* Predict a point that can exist on the profile's device. Where the family does not tell its addresses, the bytes and
 * flops of its `work` have to do. False, and nothing predicted, where the profile lacks what the point needs most.
 * Pure; some 0.1 ms. */
bool time_predict(const struct point *point, const struct profile *profile, const struct time_facts *facts,
                  struct time_prediction *out);

/* The same for a point whose accesses have been predicted already. */
bool time_predict_from(const struct point *point, const struct setup *setup,
                       const struct prediction *accesses, const struct profile *profile,
                       const struct time_facts *facts, struct time_prediction *out);

/* Fill the result's columns of it: predicted_time, its interval, the bounds and headroom. The point was timed, and its
 * accesses are predicted. Of a host's devices, and of those without measured peaks, nothing is predicted. */
void time_fill(struct result *result, const struct point *point, const struct setup *setup,
               const struct prediction *accesses, const struct device *device);

#endif
