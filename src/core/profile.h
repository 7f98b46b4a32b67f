/* profile.h - a device's peaks and latencies for the time model, each with an interval and its source. They are measured in a run
 * (/devices and points of a results file), or read from a file (plan/profile_file.h) for a device that is not available. */
#pragma once

#include <stdbool.h>

#include "core/device.h"

/* X(name, unit, meaning). Names of /devices are used where they exist. */
#define PROFILE_CAPACITIES(X)                                                                                \
    X(capability, "", "compute capability, major * 10 + minor")                                              \
    X(multiprocessors, "", "streaming multiprocessors")                                                      \
    X(l2_bytes, "bytes", "L2 cache")                                                                         \
    X(memory_bytes, "bytes", "device memory")                                                                \
    X(shared_bytes, "bytes", "shared memory that one block can ask for")                                     \
    X(shared_sm_bytes, "bytes", "shared memory of one multiprocessor")                                       \
    X(threads_sm, "", "resident threads of one multiprocessor")

#define PROFILE_PEAKS(X)                                                                                     \
    X(clock_max, "Hz", "SM clock under load")                                                                \
    X(peak_copy, "bytes/s", "DRAM: a copy, bytes read + written")                                            \
    X(peak_read, "bytes/s", "DRAM: reads")                                                                   \
    X(peak_write, "bytes/s", "DRAM: writes")                                                                 \
    X(peak_l2_read, "bytes/s", "L2: reads that hit")                                                         \
    X(peak_l2_copy, "bytes/s", "L2: a copy within it, bytes read + written")                                 \
    X(peak_l2_write, "bytes/s", "L2: writes that stay")                                                      \
    X(peak_shared, "bytes/s", "shared memory: 128 bytes a wavefront")                                        \
    X(peak_flop_f16, "flop/s", "FP16 multiply-adds")                                                         \
    X(peak_flop_bf16, "flop/s", "BF16 multiply-adds")                                                        \
    X(peak_flop_f32, "flop/s", "FP32 multiply-adds")                                                         \
    X(peak_flop_f64, "flop/s", "FP64 multiply-adds, no tensor cores")                                        \
    X(peak_tensor_f16, "flop/s", "FP16 products of tensor cores")                                            \
    X(peak_tensor_bf16, "flop/s", "BF16 products of tensor cores")                                           \
    X(peak_tensor_tf32, "flop/s", "TF32 products of tensor cores")                                           \
    X(peak_tensor_f8, "flop/s", "FP8 products of tensor cores")                                              \
    X(peak_tensor_i8, "flop/s", "products of 8-bit integers of tensor cores")                                \
    X(peak_tensor_f4, "flop/s", "FP4 products of tensor cores, with block scales")                           \
    X(peak_h2d, "bytes/s", "pinned host to device")                                                          \
    X(peak_d2h, "bytes/s", "device to pinned host")                                                          \
    X(link_nominal, "bytes/s", "NVLinks of the device together, one way")

/* Not in /devices; measured by points of jobs/profile.yaml. */
#define PROFILE_REST(X)                                                                                      \
    X(scattered_read, "bytes/s", "DRAM: reads of 64 bytes, each in a page of its own")                       \
    X(scattered_write, "bytes/s", "DRAM: writes of 32 bytes, each in a page of its own, with their fills")   \
    X(link_copy, "bytes/s", "another device: the copy engine, one way")                                      \
    X(link_read, "bytes/s", "another device: loads of whole lines by all multiprocessors, one way")          \
    X(link_write, "bytes/s", "another device: stores of whole lines by all multiprocessors, one way")        \
    X(block_rate, "blocks/s", "blocks started, the whole device")                                            \
    X(wave_hot, "s", "a small kernel in a graph whose data is in L2: launch, one load, one store")           \
    X(wave_cold, "s", "the same with its data in DRAM")                                                      \
    X(latency_shared, "cycles", "a dependent load from shared memory")                                       \
    X(latency_dsmem, "cycles", "a dependent load from shared memory of another block of the cluster")        \
    X(latency_l1, "cycles", "a dependent load that hits L1")                                                 \
    X(latency_l2, "cycles", "a dependent load that hits L2")                                                 \
    X(latency_dram, "cycles", "a dependent load from DRAM")                                                  \
    X(latency_atomic, "cycles", "a dependent atomic operation in L2")                                        \
    X(latency_fence, "cycles", "a store, and a fence for all devices")                                       \
    X(link_latency, "cycles", "a dependent load that hits L2 of another device")                             \
    X(link_latency_dram, "cycles", "a dependent load from DRAM of another device")                           \
    X(copy_setup, "s", "a copy of 4 KiB within the device by the driver, in a graph")                        \
    X(link_setup, "s", "a copy of 4 KiB by the copy engine to another device, in a graph")                   \
    X(link_pair, "s", "what the copy engine takes longer for copies both ways at once, in a graph")          \
    X(link_kernels, "s", "what kernels on two devices at once take longer than one, in a graph")             \
    X(link_fork, "s", "what two kernels at once on a device take longer than one, in a graph")

/* How times scatter, by `history --spread`: relative standard deviations beyond what the processes of one run show, of points below
 * and above 100 us. */
#define PROFILE_SPREADS(X)                                                                                   \
    X(spread_run_short, "", "what another run on the same unit adds, below 100 us")                          \
    X(spread_run_long, "", "... above")                                                                      \
    X(spread_unit_short, "", "what another unit of the product adds, below 100 us")                          \
    X(spread_unit_long, "", "... above")                                                                     \
    X(spread_runs, "", "runs that tell")                                                                     \
    X(spread_units, "", "units that they ran on")                                                            \
    X(spread_groups, "", "groups of units with equal roofs: what units add is among those of one group")

#define PROFILE_VALUES(X) PROFILE_CAPACITIES(X) PROFILE_PEAKS(X) PROFILE_REST(X) PROFILE_SPREADS(X)

enum profile_field {
#define X(name, unit, meaning) PROFILE_##name,
    PROFILE_VALUES(X)
#undef X
        PROFILE_COUNT
};

#define PROFILE_SOURCE_SIZE 200

struct profile_value {
    double value, low, high; /* NaN: not known; low = high = value where no interval is */
    bool measured;           /* on such a device, by warpsweep; else a data sheet, a paper or an assumption */
    char source[PROFILE_SOURCE_SIZE];
};

struct profile {
    char name[DEVICE_TEXT_SIZE];
    struct profile_value value[PROFILE_COUNT];
};

struct profile_info {
    const char *name, *unit, *meaning;
};
extern const struct profile_info profile_info[PROFILE_COUNT];

/* Nothing known. */
struct profile profile_unknown(void);

/* Set a value, or widen the interval of one that was measured before to hold this one too, its middle the mean of both
 * ends. NaN, and what is not above 0, is dropped. */
void profile_set(struct profile *profile, enum profile_field field, double value, bool measured,
                 const char *source);

/* What a row of /devices knows. */
struct profile profile_of_device(const struct device *device);

/* Fill what is missing with what H100 and H200 have alike, in cycles or as shares of a peak: no measurement of this
 * device, and marked so. */
void profile_assume(struct profile *profile);

/* The device that a profile describes, on the back end `backend`: what it does not know is missing. */
struct device profile_device(const struct profile *profile, const char *backend);
