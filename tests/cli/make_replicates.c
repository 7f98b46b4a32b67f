/* make_replicates FILE.h5 SEED [KEY=NUMBER ...] - a results file of synthetic times that several processes and
 * devices "took", through store.h: the true time of each point, times what devices, processes and samples add. Keys
 * and what they are when not given stand in the table below. Same seed and keys, same file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/simulation.h"
#include "kernels/registry.h"
#include "store/store.h"

enum key {
    DEVICES,
    NODES,
    PROCESSES,
    POINTS,
    SLOW,
    SLOWER,
    FACTOR,
    DEVICE,
    COMMON,
    OWN,
    NOISE,
    HOST,
    CLOCK,
    OTHER,
    RANGE
};
static struct {
    const char *name;
    double value;
} setting[] = {
    [DEVICES] = {"devices", 1},   [NODES] = {"nodes", 1}, [PROCESSES] = {"processes", 3},
    [POINTS] = {"points", 240},   [SLOW] = {"slow", -1}, /* the device that is slower ... */
    [SLOWER] = {"slower", 0.03},                         /* ... by this share */
    [FACTOR] = {"factor", 1},                            /* on all times */
    [DEVICE] = {"device", 0.002},                        /* relative standard deviations: of a device, */
    [COMMON] = {"common", 0.003},                        /* of a process for all points, */
    [OWN] = {"own", 0.003},                              /* of a process at one point, */
    [NOISE] = {"noise", 0.005},                          /* of a sample */
    [HOST] = {"host", 0},                                /* 1: the host back end */
    [CLOCK] = {"clock", 0},                              /* 1: timed by the host, not by events */
    [OTHER] = {"other", 0},                              /* 1: another product */
    [RANGE] = {"range", 0}, /* of the roof: by this share up and down; 0: it has none */
};
enum { SAMPLES = 12, FLEET_MAX = 256, PROCESSES_MAX = 16 };

static double value(enum key key)
{
    return setting[key].value;
}

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "make_replicates: %s\n", error->text);
        exit(1);
    }
}

static void read_settings(char **argument)
{
    for (; *argument; argument++) {
        const char *equals = strchr(*argument, '=');
        size_t i = 0, count = sizeof setting / sizeof *setting;
        while (i < count && (!equals || strlen(setting[i].name) != (size_t)(equals - *argument) ||
                             strncmp(setting[i].name, *argument, strlen(setting[i].name)) != 0))
            i++;
        if (i == count) {
            fprintf(stderr, "make_replicates: what is '%s'?\n", *argument);
            exit(2);
        }
        setting[i].value = atof(equals + 1);
    }
}

/* Sizes from 64 KiB to 1 GiB, in four dtypes and four strides. */
static struct point point_of(int number)
{
    static const char *const dtypes[] = {"u8", "f16", "f32", "f64"}, *const strides[] = {"1", "2", "4", "8"};
    struct error error = {0};
    const struct space *space = family_space("copy");
    struct point point = point_standard(space);
    int size = space_axis(space, "size"), dtype = space_axis(space, "dtype"),
        stride = space_axis(space, "stride");
    point.value[size] = INT64_C(65536) << (number / 16 % 15);
    check(axis_parse(&space->axes[dtype], dtypes[number % 4], &point.value[dtype], &error), &error);
    check(axis_parse(&space->axes[stride], strides[number / 4 % 4], &point.value[stride], &error), &error);
    return point;
}

static struct device devices[FLEET_MAX];
static double device_effect[FLEET_MAX], process_effect[FLEET_MAX][PROCESSES_MAX];

static void make_devices(struct store *store, uint64_t *state)
{
    int count = (int)value(DEVICES), a_node = (count + (int)value(NODES) - 1) / (int)value(NODES);
    for (int d = 0; d < count; d++) {
        struct device *device = &devices[d];
        *device = device_unknown();
        snprintf(device->name, sizeof device->name, "SYNTHETIC%s", value(OTHER) ? " 2" : "");
        snprintf(device->backend, sizeof device->backend, "%s", value(HOST) ? "host" : "fake");
        snprintf(device->uuid, sizeof device->uuid, "synthetic-%d", d);
        snprintf(device->host, sizeof device->host, "node%02d", d / a_node);
        snprintf(device->driver, sizeof device->driver, "%d.0", 1 + d % 2);
        device->peak_copy = 4e12;
        if (value(RANGE) > 0) {
            device->peak_copy_low = device->peak_copy / (1 + value(RANGE));
            device->peak_copy_high = device->peak_copy * (1 + value(RANGE));
        }
        store_device(store, device);
        device_effect[d] = value(DEVICE) * simulation_normal(state);
        if (d == (int)value(SLOW))
            device_effect[d] += log1p(value(SLOWER));
        for (int p = 0; p < (int)value(PROCESSES); p++)
            process_effect[d][p] = value(COMMON) * simulation_normal(state);
    }
}

static struct result result_of(const struct point *point, int device, int process, uint64_t *state)
{
    struct result result = result_new();
    struct work work = family_of(point)->work(point);
    double bytes = (double)work.bytes_read + (double)work.bytes_written, *real = result.real;
    double deviation =
        device_effect[device] + process_effect[device][process] + value(OWN) * simulation_normal(state);
    double seconds = value(FACTOR) * (1e-6 + bytes / 3.8e12) * exp(deviation);
    result.id = point_id(point);
    result.device = device;
    result.process = (uint32_t)(device * (int)value(PROCESSES) + process);
    result.stop = STOP_CONVERGED;
    result.timer = value(CLOCK) ? TIMER_CLOCK : TIMER_GRAPH;
    result.roof = ROOF_dram_mix;
    real[REAL_bytes_read] = (double)work.bytes_read;
    real[REAL_bytes_written] = (double)work.bytes_written;
    real[REAL_seconds_total] = 0.5;
    result.sample_count = SAMPLES;
    result.samples = calloc(SAMPLES, sizeof *result.samples);
    for (int i = 0; i < SAMPLES; i++)
        result.samples[i] = (struct sample){.seconds = seconds * exp(value(NOISE) * simulation_normal(state)),
                                            .sm_clock = NAN,
                                            .process = result.process,
                                            .device = device};
    result_summarise(&result);
    real[REAL_roof_rate] = devices[device].peak_copy;
    real[REAL_roof_rate_low] = devices[device].peak_copy_low;
    real[REAL_roof_rate_high] = devices[device].peak_copy_high;
    real[REAL_fraction_peak] = real[REAL_bandwidth] / devices[device].peak_copy;
    return result;
}

static void append_point(struct store *store, int number, uint64_t *state)
{
    struct error error = {0};
    struct point point = point_of(number);
    for (int d = 0; d < (int)value(DEVICES); d++)
        for (int p = 0; p < (int)value(PROCESSES); p++) {
            struct result result = result_of(&point, d, p, state);
            if (d + p == 0)
                check(store_append(store, &point, &result, &error), &error);
            else
                check(!store_merge(store, &result, &error), &error);
            result_free(&result);
        }
}

int main(int argc, char **argv)
{
    struct error error = {0};
    const struct store_pair environment[] = {
        {.name = (char *)"release", .value = (char *)"0"},
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"},
    };
    const struct space *spaces[] = {family_space("copy"), NULL};
    struct store_head head = {.job = "title: synthetic\nsweeps:\n  - kernel: copy\n",
                              .job_path = "synthetic.yaml",
                              .environment = environment,
                              .environment_count = 3,
                              .spaces = spaces};
    struct store *store;
    if (argc < 3)
        return 2;
    read_settings(argv + 3);
    uint64_t state = hash_mix(strtoull(argv[2], NULL, 10) + 1);
    head.planned = (uint64_t)value(POINTS);
    check(store_open(argv[1], false, &head, &store, &error), &error);
    make_devices(store, &state);
    for (int number = 0; number < (int)value(POINTS); number++)
        append_point(store, number, &state);
    check(store_close(store, &error), &error);
    return 0;
}
