/* watch.h - NVML's clock-event reasons and power while a group of samples runs: a thread looks every 5 ms. */
#pragma once

#include "core/result.h"
#include "worker/cuda/device/nvml.h"

struct watch; /* opaque */

/* NULL if NVML tells no reasons; all functions take it. */
struct watch *watch_new(struct nvml *nvml);
void watch_free(struct watch *watch);

/* From the first sample of a group to the last: at least one look is taken, and no more with `once`, for work
 * that the host launches meanwhile: NVML makes launches slower. `powered`: look at the power, too. */
void watch_begin(struct watch *watch, bool once, bool powered);
void watch_end(struct watch *watch);

/* Of a sample of the group that has ended, between two times of clock_now: all reasons and the mean power
 * that were seen then, or by the look that is nearest. NaN: unknown. */
void watch_tell(const struct watch *watch, double from, double to, struct sample *sample);
