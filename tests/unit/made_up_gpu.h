/* made_up_gpu.h - a device whose every roof is known, and its profile: what a prediction needs, measured by nobody. */
#pragma once

#include <stdio.h>

#include "core/profile.h"

/* Something like an H200. */
static inline struct device gpu(void)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "made up");
    device.capability = 90;
    device.multiprocessors = 132;
    device.l2_bytes = 60 << 20;
    device.memory_bytes = INT64_C(141) << 30;
    device.shared_bytes = 227 << 10;
    device.shared_sm_bytes = 228 << 10;
    device.threads_sm = 2048;
    device.clock_max = 1.98e9;
    device.peak_copy = 4.3e12;
    device.peak_read = 4.5e12;
    device.peak_write = 4.3e12;
    device.peak_l2_read = 6.6e12;
    device.peak_l2_copy = 6.5e12;
    device.peak_l2_write = 4.1e12;
    device.peak_shared = 33e12;
    device.peak_flop_f16 = 130e12;
    device.peak_flop_bf16 = 130e12;
    device.peak_flop_f32 = 65e12;
    device.peak_flop_f64 = 33e12;
    device.peak_h2d = 55e9;
    device.peak_d2h = 55e9;
    return device;
}

static inline struct profile profile_of(const struct device *device)
{
    struct profile profile = profile_of_device(device);
    profile_assume(&profile);
    return profile;
}
