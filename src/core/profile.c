#include "core/profile.h"

#include <math.h>
#include <stdio.h>

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

/* What an H100 and an H200 measured: docs/method/model.md has the points. */
struct pair {
    double h100, h200;
};
static const struct pair l2_read = {26.5, 25.3}; /* bytes a cycle and multiprocessor */
static const struct pair l2_copy = {21.4, 24.9};
static const struct pair l2_write = {14.0, 15.8};
static const struct pair wavefront = {126.9, 127.4};
static const struct pair scattered_read = {0.60, 0.49};  /* of peak_read */
static const struct pair scattered_write = {0.26, 0.23}; /* of peak_write */
/* Of peak_flop_f32 without tensor cores, by the data sheets of both; of peak_flop_f16. */
static const struct pair flop_f16 = {2, 2}, flop_bf16 = {1, 1};
static const struct pair blocks = {1 / 157.7, 1 / 157.8}; /* a cycle and multiprocessor */
static const struct pair wave_hot = {1.02e-6, 0.97e-6};   /* seconds */
static const struct pair wave_cold = {1.45e-6, 1.41e-6};
static const struct pair latency_shared = {23.3, 23.3}; /* cycles */
static const struct pair latency_l1 = {32.4, 32.4};
static const struct pair latency_l2 = {277, 274};
static const struct pair latency_dram = {689, 659};
/* Between two devices: shares of link_nominal, cycles, seconds. The H100's by jobs/links.yaml on two of them (NV18). */
static const struct pair link_copy = {397.8 / 450, 396.0 / 450};
static const struct pair link_read = {375.2 / 450, 373.0 / 450};
static const struct pair link_write = {370.2 / 450, 369.0 / 450};
static const struct pair link_latency = {1581, 1583};
static const struct pair latency_atomic = {420, 396}; /* the mean of atomic_add and atomic_cas */
static const struct pair latency_fence = {3285, 1156};
static const struct pair link_kernels = {2.31e-6, 2.24e-6};
/* Of the H100 only. */
static const struct pair link_latency_dram = {1881, 1881};
static const struct pair copy_setup = {1.12e-6, 1.12e-6};
static const struct pair link_setup = {2.15e-6, 2.15e-6};
static const struct pair link_pair = {4.87e-6, 4.87e-6};
static const struct pair link_fork = {0.213e-6, 0.213e-6};

static double value_of(const struct profile *profile, enum profile_field field)
{
    return profile->value[field].value;
}

/* In units of `unit`; what is known already stays. */
static void assume(struct profile *profile, enum profile_field field, struct pair pair, double unit)
{
    struct profile_value *there = &profile->value[field];
    if (!isnan(there->value) || isnan(unit))
        return;
    *there = (struct profile_value){.low = fmin(pair.h100, pair.h200) * unit,
                                    .high = fmax(pair.h100, pair.h200) * unit};
    there->value = (there->low + there->high) / 2;
    snprintf(there->source, sizeof there->source, "assumed: as H100 and H200 have it");
}

/* DRAM cannot deliver through an L2 that is slower. */
static void assume_l2(struct profile *profile, enum profile_field field, struct pair pair, double unit)
{
    bool known = !isnan(value_of(profile, field));
    struct profile_value *l2 = &profile->value[field], *dram = &profile->value[PROFILE_peak_copy];
    assume(profile, field, pair, unit);
    if (known || !(l2->value < dram->value))
        return;
    *l2 = *dram;
    l2->measured = false;
    snprintf(l2->source, sizeof l2->source, "assumed: no less than DRAM's");
}

static void assume_dram(struct profile *profile, enum profile_field field)
{
    if (!isnan(value_of(profile, field)))
        return;
    profile->value[field] = profile->value[PROFILE_peak_copy];
    profile->value[field].measured = false;
    snprintf(profile->value[field].source, PROFILE_SOURCE_SIZE, "assumed: as a copy's");
}

void profile_assume(struct profile *profile)
{
    double clock = value_of(profile, PROFILE_clock_max);
    double cycles = value_of(profile, PROFILE_multiprocessors) * clock;
    assume_dram(profile, PROFILE_peak_read);
    assume_dram(profile, PROFILE_peak_write);
    assume_l2(profile, PROFILE_peak_l2_read, l2_read, cycles);
    assume_l2(profile, PROFILE_peak_l2_copy, l2_copy, cycles);
    assume_l2(profile, PROFILE_peak_l2_write, l2_write, cycles);
    assume(profile, PROFILE_peak_shared, wavefront, cycles);
    assume(profile, PROFILE_peak_flop_f16, flop_f16, value_of(profile, PROFILE_peak_flop_f32));
    assume(profile, PROFILE_peak_flop_bf16, flop_bf16, value_of(profile, PROFILE_peak_flop_f16));
    assume(profile, PROFILE_scattered_read, scattered_read, value_of(profile, PROFILE_peak_read));
    assume(profile, PROFILE_scattered_write, scattered_write, value_of(profile, PROFILE_peak_write));
    assume(profile, PROFILE_block_rate, blocks, cycles);
    assume(profile, PROFILE_wave_hot, wave_hot, 1);
    assume(profile, PROFILE_wave_cold, wave_cold, 1);
    assume(profile, PROFILE_latency_shared, latency_shared, 1);
    assume(profile, PROFILE_latency_l1, latency_l1, 1);
    assume(profile, PROFILE_latency_l2, latency_l2, 1);
    assume(profile, PROFILE_latency_dram, latency_dram, 1);
    assume(profile, PROFILE_latency_atomic, latency_atomic, 1);
    assume(profile, PROFILE_latency_fence, latency_fence, 1);
    assume(profile, PROFILE_link_copy, link_copy, value_of(profile, PROFILE_link_nominal));
    assume(profile, PROFILE_link_read, link_read, value_of(profile, PROFILE_link_nominal));
    assume(profile, PROFILE_link_write, link_write, value_of(profile, PROFILE_link_nominal));
    assume(profile, PROFILE_link_latency, link_latency, 1);
    assume(profile, PROFILE_link_latency_dram, link_latency_dram, 1);
    assume(profile, PROFILE_copy_setup, copy_setup, 1);
    assume(profile, PROFILE_link_setup, link_setup, 1);
    assume(profile, PROFILE_link_pair, link_pair, 1);
    assume(profile, PROFILE_link_kernels, link_kernels, 1);
    assume(profile, PROFILE_link_fork, link_fork, 1);
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
