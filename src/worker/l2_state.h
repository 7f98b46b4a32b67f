/* l2_state.h - whether the counters of a launch prove that L2 was in the state that the axis `cache` names.
 *
 * docs/method/measurement.md derives the rules. They hold for the launch that was counted. */
#pragma once

#include "worker/trial.h"

/* The shares of the inputs that may come from the wrong place; bytes of inputs from which on that is told from other traffic. */
#define L2_STATE_TOLERANCE 0.05
#define L2_STATE_BYTES_MIN (64 << 10)

/* Write "proved", "disproved: " or "unknown: " and the reason, from `dram_read` and `l2_read`, the bytes that the launch read from
 * DRAM and L2 (NaN: not counted). */
void l2_state_judge(const struct point *point, const struct target *target, enum cache_mode standard,
                    double dram_read, double l2_read, char *out, size_t size);
