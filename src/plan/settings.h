/* settings.h - read `timing`, `energy` and `counters` of a job file. */
#pragma once

#include <stdbool.h>

#include "plan/job.h"
#include "plan/reading.h"

/* Read `timing`; missing keys keep their values. `*cache_given`: the cache mode is among them. 0, or -1 with the error. */
int settings_timing(struct reading *reading, const struct yaml_node *node, struct timing *timing,
                    bool *cache_given);

/* Read `energy`: yes or no. 0, or -1 with the error. */
int settings_energy(struct reading *reading, const struct yaml_node *node, bool *energy);

/* Set job->counter_set, or job->counter and job->counter_count. 0, or -1 with the error. */
int settings_counters(struct reading *reading, const struct yaml_node *node, struct job *job);
