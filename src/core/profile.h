/* profile.h - a device that is not available, as a file describes it (plan/profile_file.h): its capacities and peaks. */
#pragma once

#include <stdbool.h>

#include "core/device.h"

/* X(name, unit). Names of /devices, which has their meaning. */
#define PROFILE_CAPACITIES(X)                                                                                \
    X(capability, "")                                                                                        \
    X(multiprocessors, "")                                                                                   \
    X(l2_bytes, "bytes")                                                                                     \
    X(memory_bytes, "bytes")                                                                                 \
    X(shared_bytes, "bytes")                                                                                 \
    X(shared_sm_bytes, "bytes")                                                                              \
    X(threads_sm, "")

#define PROFILE_PEAKS(X)                                                                                     \
    X(clock_max, "Hz")                                                                                       \
    X(peak_copy, "bytes/s")                                                                                  \
    X(peak_read, "bytes/s")                                                                                  \
    X(peak_write, "bytes/s")                                                                                 \
    X(peak_l2_read, "bytes/s")                                                                               \
    X(peak_l2_copy, "bytes/s")                                                                               \
    X(peak_l2_write, "bytes/s")                                                                              \
    X(peak_shared, "bytes/s")                                                                                \
    X(peak_flop_f16, "flop/s")                                                                               \
    X(peak_flop_bf16, "flop/s")                                                                              \
    X(peak_flop_f32, "flop/s")                                                                               \
    X(peak_flop_f64, "flop/s")                                                                               \
    X(peak_tensor_f16, "flop/s")                                                                             \
    X(peak_tensor_bf16, "flop/s")                                                                            \
    X(peak_tensor_tf32, "flop/s")                                                                            \
    X(peak_tensor_f8, "flop/s")                                                                              \
    X(peak_tensor_i8, "flop/s")                                                                              \
    X(peak_tensor_f4, "flop/s")                                                                              \
    X(peak_h2d, "bytes/s")                                                                                   \
    X(peak_d2h, "bytes/s")                                                                                   \
    X(link_nominal, "bytes/s")

/* What only the time model needs, which is Python's (python/src/warpsweep/profiles.py). */
#define PROFILE_REST(X)                                                                                      \
    X(scattered_read, "bytes/s")                                                                             \
    X(scattered_write, "bytes/s")                                                                            \
    X(link_copy, "bytes/s")                                                                                  \
    X(link_read, "bytes/s")                                                                                  \
    X(link_write, "bytes/s")                                                                                 \
    X(block_rate, "blocks/s")                                                                                \
    X(wave_hot, "s")                                                                                         \
    X(wave_cold, "s")                                                                                        \
    X(latency_shared, "cycles")                                                                              \
    X(latency_dsmem, "cycles")                                                                               \
    X(latency_l1, "cycles")                                                                                  \
    X(latency_l2, "cycles")                                                                                  \
    X(latency_dram, "cycles")                                                                                \
    X(latency_atomic, "cycles")                                                                              \
    X(latency_fence, "cycles")                                                                               \
    X(link_latency, "cycles")                                                                                \
    X(link_latency_dram, "cycles")                                                                           \
    X(copy_setup, "s")                                                                                       \
    X(link_setup, "s")                                                                                       \
    X(link_pair, "s")                                                                                        \
    X(link_kernels, "s")                                                                                     \
    X(link_fork, "s")                                                                                        \
    X(spread_run_short, "")                                                                                  \
    X(spread_run_long, "")                                                                                   \
    X(spread_unit_short, "")                                                                                 \
    X(spread_unit_long, "")                                                                                  \
    X(spread_runs, "")                                                                                       \
    X(spread_units, "")                                                                                      \
    X(spread_groups, "")

#define PROFILE_VALUES(X) PROFILE_CAPACITIES(X) PROFILE_PEAKS(X) PROFILE_REST(X)

enum profile_field {
#define X(name, unit) PROFILE_##name,
    PROFILE_VALUES(X)
#undef X
        PROFILE_COUNT
};

struct profile {
    char name[DEVICE_TEXT_SIZE];
    double value[PROFILE_COUNT]; /* NaN: not known */
};

struct profile_info {
    const char *name, *unit;
};
extern const struct profile_info profile_info[PROFILE_COUNT];

/* Nothing known. */
struct profile profile_unknown(void);

/* The device that a profile describes, on the back end `backend`. What it does not know is missing; peaks are as H100 and H200 have
 * them, in cycles or as shares of another. */
struct device profile_device(const struct profile *profile, const char *backend);
