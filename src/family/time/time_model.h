/* time_model.h - predicted time of a point and the resource that limits it: a time per resource, and their combination.
 * docs/model.md derives the model. */
#pragma once

#include "core/bound.h"
#include "core/profile.h"
#include "core/result.h"
#include "family/access/model.h"

/* Facts about the point that the caller may know. NaN: unknown. */
struct time_facts {
    enum cache_mode cache;
    double dirty;        /* as for model_predict */
    double instructions; /* warp instructions executed by the launch */
    double
        clock; /* of the multiprocessors while the point ran, Hz; used for tensor cores, which the power limit slows down */
    double resident; /* resident blocks per multiprocessor of the compiled kernel */
};
struct time_facts time_facts_none(enum cache_mode cache);

/* Resident blocks per multiprocessor, from the column occupancy_theoretical; NaN if an argument is unknown. */
double time_resident(double occupancy, double threads_sm, double block_threads);

struct time_prediction {
    double seconds, low, high; /* NaN: no prediction; the interval reflects the profile's uncertainty only */
    enum bound bound, second;
    double part[BOUND_COUNT]; /* bound of each resource in seconds; 0: not used */
};

/* Predict a point that the profile's device supports. If the access model knows no addresses, the bytes and flops of the
 * family's `work` are used. False, and no prediction, if the profile lacks the needed peaks. Pure; takes about 0.1 ms. */
bool time_predict(const struct point *point, const struct profile *profile, const struct time_facts *facts,
                  struct time_prediction *out);

/* The same for a point whose accesses are predicted already. */
bool time_predict_from(const struct point *point, const struct setup *setup,
                       const struct prediction *accesses, const struct profile *profile,
                       const struct time_facts *facts, struct time_prediction *out);

/* Fill the result columns predicted_time, its interval, the bounds and headroom, for a timed point whose accesses are
 * predicted. Does nothing for host devices and for devices without measured peaks. */
void time_fill(struct result *result, const struct point *point, const struct setup *setup,
               const struct prediction *accesses, const struct device *device);
