/* pipeline.h - the time of a tiled product whose blocks copy slices of the operands into shared memory while they multiply others: the
 * start of a tile, its slices one after another, its end; and waves of tiles. docs/model.md has the derivation and the measurements. */
#pragma once

#include "core/bound.h"
#include "family/family.h"

/* What the model knows of the device while the point runs. */
struct pipeline_device {
    const double *value; /* the profile's, by PROFILE_... */
    double clock;        /* of the multiprocessors, Hz */
    double flops_cycle;  /* of a multiprocessor's tensor cores: operations per cycle */
    double resident;     /* blocks that fit a multiprocessor */
    bool in_l2;          /* L2 holds all matrices from the start */
    double dram;         /* seconds that DRAM takes for all bytes; 0 if L2 holds them */
    double wave;         /* seconds from a launch to the first instruction */
};

/* Seconds, and the bound of each resource in `part`. Pure. */
double pipeline_seconds(const struct tile_pipeline *p, const struct pipeline_device *d,
                        double part[BOUND_COUNT]);

/* Operations per cycle and multiprocessor of the tensor cores whose peak was measured: a power of two. The power limit lowers the clock
 * during that measurement, and with it the peak, by less than the factor of 1.4 that would change the result. */
double pipeline_flops_cycle(double peak, double clock_max, double multiprocessors);
