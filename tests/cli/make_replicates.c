/* make_replicates FILE.h5 SEED [KEY=NUMBER ...] - synthetic times that several processes and
 * devices "took": the true time of each point, times what devices, processes and samples add. Keys
 * and what they are when not given stand in the table below. Same seed and keys, same file. */
#include <math.h>

#include "../unit/simulation.h"
#include "synthetic.h"

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
static struct point numbered_point(int number)
{
    static const char *const dtypes[] = {"u8", "f16", "f32", "f64"};
    char settings[64];
    snprintf(settings, sizeof settings, "size=%dKiB dtype=%s stride=%d", 64 << (number / 16 % 15),
             dtypes[number % 4], 1 << number / 4 % 4);
    return point_of("copy", settings);
}

static struct device devices[FLEET_MAX];
static double device_effect[FLEET_MAX], process_effect[FLEET_MAX][PROCESSES_MAX];

static void make_devices(struct store *store, uint64_t *state)
{
    int count = (int)value(DEVICES), a_node = (count + (int)value(NODES) - 1) / (int)value(NODES);
    for (int d = 0; d < count; d++) {
        struct device *device = &devices[d];
        *device = synthetic_device(value(OTHER) ? "SYNTHETIC 2" : "SYNTHETIC", value(HOST) ? "host" : "fake");
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

static struct result replicate_of(const struct point *point, int device, int process, uint64_t *state)
{
    struct result result = result_of(point, device);
    double *real = result.real, bytes = real[REAL_bytes_read] + real[REAL_bytes_written];
    double deviation =
        device_effect[device] + process_effect[device][process] + value(OWN) * simulation_normal(state);
    double seconds = value(FACTOR) * (1e-6 + bytes / 3.8e12) * exp(deviation);
    result.process = (uint32_t)(device * (int)value(PROCESSES) + process);
    result.timer = value(CLOCK) ? TIMER_CLOCK : TIMER_GRAPH;
    result.roof = ROOF_dram_mix;
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
    struct point point = numbered_point(number);
    for (int d = 0; d < (int)value(DEVICES); d++)
        for (int p = 0; p < (int)value(PROCESSES); p++) {
            struct result result = replicate_of(&point, d, p, state);
            if (d + p == 0)
                check(store_append(store, &point, &result, &error), &error);
            else
                check(!store_merge(store, &result, &error), &error);
            result_free(&result);
        }
}

int main(int argc, char **argv)
{
    const struct space *spaces[] = {family_space("copy"), NULL};
    if (argc < 3)
        return 2;
    read_settings(argv + 3);
    uint64_t state = hash_mix(strtoull(argv[2], NULL, 10) + 1);
    struct store *store =
        create(argv[1], (struct store_head){.planned = (uint64_t)value(POINTS), .spaces = spaces});
    make_devices(store, &state);
    for (int number = 0; number < (int)value(POINTS); number++)
        append_point(store, number, &state);
    finish(store);
    return 0;
}
