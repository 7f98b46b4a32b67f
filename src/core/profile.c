#include "core/profile.h"

#include <math.h>
#include <stdio.h>

const struct profile_info profile_info[PROFILE_COUNT] = {
#define X(name, unit) {#name, unit},
    PROFILE_VALUES(X)
#undef X
};

struct profile profile_unknown(void)
{
    struct profile profile = {.name = ""};
    for (int i = 0; i < PROFILE_COUNT; i++)
        profile.value[i] = NAN;
    return profile;
}

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* Between what an H100 and an H200 measured; docs/model.md has the points. `cycles` are those of all multiprocessors a second. L2 is no
 * slower than DRAM, which could not deliver through it. */
static void assume_peaks(struct device *d, double cycles)
{
    double dram = d->peak_copy;
    d->peak_read = known(d->peak_read, dram);
    d->peak_write = known(d->peak_write, dram);
    d->peak_l2_read = known(d->peak_l2_read, fmax(dram, (26.5 + 25.3) / 2 * cycles));
    d->peak_l2_copy = known(d->peak_l2_copy, fmax(dram, (21.4 + 24.9) / 2 * cycles));
    d->peak_l2_write = known(d->peak_l2_write, fmax(dram, (14.0 + 15.8) / 2 * cycles));
    d->peak_shared = known(d->peak_shared, (126.9 + 127.4) / 2 * cycles);
    d->peak_flop_f16 = known(d->peak_flop_f16, 2 * d->peak_flop_f32); /* by the data sheets of both */
    d->peak_flop_bf16 = known(d->peak_flop_bf16, d->peak_flop_f16);
}

struct device profile_device(const struct profile *profile, const char *backend)
{
    struct device device = device_unknown();
    const double *value = profile->value;
    snprintf(device.name, sizeof device.name, "%s", profile->name);
    snprintf(device.backend, sizeof device.backend, "%s", backend);
#define X(name, unit)                                                                                        \
    if (!isnan(value[PROFILE_##name]))                                                                       \
        device.name = (int64_t)value[PROFILE_##name];
    PROFILE_CAPACITIES(X)
#undef X
#define X(name, unit) device.name = value[PROFILE_##name];
    PROFILE_PEAKS(X)
#undef X
    assume_peaks(&device, value[PROFILE_multiprocessors] * value[PROFILE_clock_max]);
    return device;
}
