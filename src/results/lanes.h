/* lanes.h - the timeline of a file lane by lane, summed up by phase. */
#pragma once

#include "store/store.h"

struct lane_sum {
    int run, rank;
    enum lane lane;
    int64_t device;              /* the last that it had; -1: none */
    double start, end;           /* s, since its run's start: from its first span to its last */
    double seconds[PHASE_COUNT]; /* that it was in each phase */
    uint64_t spans[PHASE_COUNT];
};

struct lanes {
    struct lane_sum *lane; /* owned: by run, rank and lane */
    size_t count;
};

struct lanes lanes_of(const struct dataset *dataset);
void lanes_free(struct lanes *lanes);

double lane_wall(const struct lane_sum *lane);
double lane_group(const struct lane_sum *lane, enum phase_group group); /* s */

/* Kernels of the timeline's points. `point_kernel` is NULL for an id without a row. */
struct point_kernels;
struct point_kernels *point_kernels_of(const struct dataset *dataset);
const char *point_kernel(const struct point_kernels *kernels, uint64_t id);
void point_kernels_free(struct point_kernels *kernels);
