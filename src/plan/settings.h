/* settings.h - the parts of a job file that say how to measure: `timing` and `counters`. */
#ifndef PLAN_SETTINGS_H
#define PLAN_SETTINGS_H

#include <stdbool.h>

#include "plan/job.h"
#include "plan/reading.h"

/* Fill `timing` from its mapping; keys that are not there keep the standard values. `*cache_given` says
 * whether the cache mode was among them. 0, or -1 with the error. */
int settings_timing(struct reading *reading, const struct yaml_node *node, struct timing *timing,
                    bool *cache_given);

/* Fill job->counter_set, or job->counter and job->counter_count (owned by the job). 0, or -1 with the error.
 */
int settings_counters(struct reading *reading, const struct yaml_node *node, struct job *job);

#endif
