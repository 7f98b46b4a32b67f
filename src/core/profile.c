#include "core/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct profile_info profile_info[PROFILE_COUNT] = {
#define X(name, unit, meaning) {#name, unit, meaning},
    PROFILE_VALUES(X)
#undef X
};

struct profile profile_unknown(void)
{
    struct profile profile = {.name = ""};
    for (int i = 0; i < PROFILE_COUNT; i++)
        profile.value[i].value = profile.value[i].low = profile.value[i].high = NAN;
    return profile;
}

void profile_set(struct profile *profile, enum profile_field field, double value, bool measured,
                 const char *source)
{
    struct profile_value *there = &profile->value[field];
    if (!(value > 0))
        return;
    if (!there->measured || !measured || isnan(there->value)) {
        *there = (struct profile_value){value, value, value, measured, ""};
        snprintf(there->source, sizeof there->source, "%s", source);
        return;
    }
    there->low = fmin(there->low, value);
    there->high = fmax(there->high, value);
    there->value = (there->low + there->high) / 2;
}

struct profile profile_of_device(const struct device *device)
{
    struct profile profile = profile_unknown();
    snprintf(profile.name, sizeof profile.name, "%s", device->name);
#define X(name, unit, meaning)                                                                               \
    profile_set(&profile, PROFILE_##name, (double)device->name, true, "/devices of a run");
    PROFILE_CAPACITIES(X)
    PROFILE_PEAKS(X)
#undef X
    return profile;
}

/* ---- What is assumed ---- */

/* Counted and timed on an H100 and an H200 (docs/model.md has the points); the second of two numbers is the H200's. */
#define BLOCK_CYCLES     158.0  /* of a multiprocessor between two blocks started: 158, 158 */
#define LATENCY_SHARED   23.3   /* cycles: 23.3, 23.3 */
#define LATENCY_L1       32.4   /* 32.4, 32.4 */
#define LATENCY_L2       275.0  /* 277, 274 */
#define LATENCY_DRAM     673.0  /* 689, 658 */
#define WAVE_HOT         1.0e-6 /* 1.02 us, 0.97 us */
#define WAVE_COLD        1.43e-6 /* 1.45 us, 1.41 us */
#define SCATTERED_READ   0.62   /* of peak_read: 0.66, 0.58 */
#define SCATTERED_WRITE  0.28   /* of peak_write: 0.30, 0.26 */
#define SHARED_WAVEFRONT 128.0  /* bytes a cycle and multiprocessor */

static double value_of(const struct profile *profile, enum profile_field field)
{
    return profile->value[field].value;
}

static void assume(struct profile *profile, enum profile_field field, double value)
{
    if (isnan(value_of(profile, field)))
        profile_set(profile, field, value, false, "assumed: as on H100 and H200");
}

void profile_assume(struct profile *profile)
{
    double sms = value_of(profile, PROFILE_multiprocessors), clock = value_of(profile, PROFILE_clock_max);
    assume(profile, PROFILE_peak_read, value_of(profile, PROFILE_peak_copy));
    assume(profile, PROFILE_peak_write, value_of(profile, PROFILE_peak_copy));
    assume(profile, PROFILE_peak_shared, SHARED_WAVEFRONT * sms * clock);
    assume(profile, PROFILE_scattered_read, SCATTERED_READ * value_of(profile, PROFILE_peak_read));
    assume(profile, PROFILE_scattered_write, SCATTERED_WRITE * value_of(profile, PROFILE_peak_write));
    assume(profile, PROFILE_block_rate, sms * clock / BLOCK_CYCLES);
    assume(profile, PROFILE_wave_hot, WAVE_HOT);
    assume(profile, PROFILE_wave_cold, WAVE_COLD);
    assume(profile, PROFILE_latency_shared, LATENCY_SHARED);
    assume(profile, PROFILE_latency_l1, LATENCY_L1);
    assume(profile, PROFILE_latency_l2, LATENCY_L2);
    assume(profile, PROFILE_latency_dram, LATENCY_DRAM);
}

struct device profile_device(const struct profile *profile, const char *backend)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "%s", profile->name);
    snprintf(device.backend, sizeof device.backend, "%s", backend);
#define X(name, unit, meaning)                                                                               \
    if (!isnan(value_of(profile, PROFILE_##name)))                                                           \
        device.name = (int64_t)value_of(profile, PROFILE_##name);
    PROFILE_CAPACITIES(X)
#undef X
#define X(name, unit, meaning) device.name = value_of(profile, PROFILE_##name);
    PROFILE_PEAKS(X)
#undef X
    return device;
}
