/* watch.h - NVML's clock-event reasons while a group of samples runs: a thread looks every 5 ms. */
#pragma once

#include "worker/cuda/device/nvml.h"

struct watch; /* opaque */

/* NULL if NVML tells no reasons; all functions take it. */
struct watch *watch_new(struct nvml *nvml);
void watch_free(struct watch *watch);

/* From the first sample of a group to the last: at least one look is taken, and no more with `once`, for work
 * that the host launches meanwhile: NVML makes launches slower. */
void watch_begin(struct watch *watch, bool once);
void watch_end(struct watch *watch);

/* All reasons that were seen between two times of clock_now, or by the look that is nearest to them, as a
 * number; NaN: unknown. Of the group that has ended. */
double watch_reasons(const struct watch *watch, double from, double to);
