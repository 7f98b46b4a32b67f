/* make_counted FILE.h5 [first|second [BACKEND [L2_BYTES]]] - a results file of textbook pairs with counters
 * and predictions, every figure in it made up. `second` is the same measured again by another build: some
 * points faster, slower, new, gone or under another id. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "store/store.h"

#define COUNTERS 6

static const char counters[COUNTERS][96] = {"load_sectors",    "load_sectors_per_request",
                                            "dram_throughput", "load_efficiency",
                                            "dram_bytes_read", "dram_bytes_written"};

/* What one point has; a counter of 0 is missing. */
struct row {
    const char *kernel;
    const char *axis[8];   /* name, value, name, value ... */
    double seconds, again; /* the median, and that of the second file; 0: not there */
    double counter[COUNTERS], predicted[COUNTERS];
    const char *message; /* why it failed, or NULL */
};

#define SECTORS (1 << 17)
static const struct row rows[] = {
    {"copy",
     {"size", "8MiB", "stride", "2"},
     20e-6,
     10e-6,
     {2 * SECTORS, 8, 40, 50, 8 << 20, 4 << 20},
     {2 * SECTORS, 8, 0, 50, 8 << 20, 4 << 20},
     NULL},
    {"copy",
     {"size", "4MiB", "stride", "1"},
     10e-6,
     10.1e-6,
     {SECTORS + 64, 4.5, 80, 100, 4.5 * (1 << 20), 4 << 20},
     {SECTORS, 4, 0, 100, 4 << 20, 4 << 20},
     NULL},
    {"copy",
     {"size", "4MiB", "vector", "4"},
     9e-6,
     18e-6,
     {SECTORS, 16, 80, 100, 0, 0},
     {SECTORS, 16, 0, 100, 4 << 20, 4 << 20},
     NULL},
    {"copy", {"size", "2GiB", "stride", "2"}, 2e-3, 0, {0}, {0}, NULL},
    {"copy", {"size", "1GiB", "stride", "1"}, 1e-3, 1e-3, {0}, {0}, NULL},
    {"copy", {"size", "3GiB", "stride", "1"}, 0, 3e-3, {0}, {0}, NULL},
    {"transpose", {"variant", "shared"}, 1e-3, 1e-3, {0}, {0}, NULL},
    {"transpose", {"variant", "padded"}, 1e-3, 1e-3, {0}, {0}, "element 7 is 1, not 2"},
    {"add",
     {"dtype", "f32", "variant", "scalar", "rows", "2048", "columns", "2048"},
     60e-6,
     60e-6,
     {0},
     {0},
     NULL},
    {"add",
     {"dtype", "f32", "variant", "vector", "rows", "2048", "columns", "2048"},
     50e-6,
     50e-6,
     {0},
     {0},
     NULL},
    {"add",
     {"dtype", "f16", "variant", "scalar", "rows", "2048", "columns", "2048"},
     55e-6,
     55e-6,
     {0},
     {0},
     NULL},
    {"add",
     {"dtype", "f16", "variant", "half2", "rows", "2048", "columns", "2048"},
     30e-6,
     30e-6,
     {0},
     {0},
     NULL},
    {"add",
     {"dtype", "f16", "variant", "unpacked", "rows", "2048", "columns", "2048"},
     35e-6,
     35e-6,
     {0},
     {0},
     NULL},
    {"add",
     {"dtype", "f16", "variant", "packed", "rows", "2048", "columns", "2048"},
     25e-6,
     25e-6,
     {0},
     {0},
     NULL},
    {"silu_mul", {"batch", "32", "d", "512"}, 2e-6, 2e-6, {0}, {0}, NULL},
    {"silu_mul", {"batch", "32", "d", "1024"}, 3e-6, 3e-6, {0}, {0}, NULL},
};

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "make_counted: %s\n", error->text);
        exit(1);
    }
}

static struct point point_of(const struct row *row)
{
    struct error error = {0};
    const struct space *space = family_space(row->kernel);
    struct point point = point_standard(space);
    for (int i = 0; i < 8 && row->axis[i]; i += 2) {
        int axis = space_axis(space, row->axis[i]);
        check(axis_parse(&space->axes[axis], row->axis[i + 1], &point.value[axis], &error), &error);
    }
    return point;
}

static void put_samples(struct result *result, double seconds)
{
    static const double spread[] = {0.98, 1, 1.02};
    result->sample_count = 3;
    result->samples = calloc(3, sizeof *result->samples);
    for (int i = 0; i < 3; i++)
        result->samples[i] = (struct sample){seconds * spread[i], NAN};
}

static void put_counters(struct result *result, const struct row *row)
{
    static const enum result_real predicted[COUNTERS] = {REAL_predicted_load_sectors,
                                                         REAL_predicted_load_sectors_per_request,
                                                         REAL_COUNT,
                                                         REAL_predicted_load_efficiency,
                                                         REAL_predicted_dram_bytes_read,
                                                         REAL_predicted_dram_bytes_written};
    for (int i = 0; i < COUNTERS; i++) {
        if (row->counter[i] != 0)
            result->counter[i] = row->counter[i];
        if (row->predicted[i] != 0 && predicted[i] < REAL_COUNT)
            result->real[predicted[i]] = row->predicted[i];
    }
}

static void append(struct store *store, const struct row *row, const struct device *device, int device_row,
                   int second)
{
    struct error error = {0};
    struct point point = point_of(row);
    struct work work = family_of(&point)->work(&point);
    struct result result = result_new();
    result.id = point_id(&point) + (second && !strcmp(row->kernel, "silu_mul")); /* as of another release */
    result.device = device_row;
    if (row->message) {
        result_fail(&result, STATUS_FAILED, "%s", row->message);
    } else {
        result.stop = STOP_CONVERGED;
        result.real[REAL_bytes_read] = (double)work.bytes_read;
        result.real[REAL_bytes_written] = (double)work.bytes_written;
        put_samples(&result, second ? row->again : row->seconds);
        result_summarise(&result, 1);
        double *real = result.real;
        real[REAL_fraction_nominal] = real[REAL_bandwidth] / device->nominal;
        real[REAL_fraction_datasheet] = real[REAL_bandwidth] / device->datasheet;
        real[REAL_fraction_peak] = real[REAL_bandwidth] / device->peak_copy;
        put_counters(&result, row);
    }
    check(store_append(store, &point, &result, &error), &error);
    result_free(&result);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    int second = argc > 2 && !strcmp(argv[2], "second");
    const struct store_pair environment[] = {
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"},
        {.name = (char *)"counters_note", .value = (char *)"SYNTHETIC does not count stall_drain"},
    };
    const struct space *spaces[] = {family_space("copy"), family_space("transpose"), family_space("add"),
                                    family_space("silu_mul"), NULL};
    struct store_head head = {.job = "title: synthetic\nsweeps:\n  - kernel: copy\n",
                              .job_path = "synthetic.yaml",
                              .planned = sizeof rows / sizeof *rows,
                              .environment = environment,
                              .environment_count = 3,
                              .spaces = spaces,
                              .counter = counters,
                              .counter_count = COUNTERS};
    struct store *store;
    if (argc < 2)
        return 2;
    check(store_open(argv[1], false, &head, &store, &error), &error);
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "SYNTHETIC");
    snprintf(device.backend, sizeof device.backend, "%s", argc > 3 ? argv[3] : "fake");
    device.l2_bytes = argc > 4 ? strtoll(argv[4], NULL, 10) : -1;
    snprintf(device.driver, sizeof device.driver, "1.2");
    device.nominal = 1e12;
    int row = store_device(store, &device);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((second ? rows[i].again : rows[i].seconds) > 0)
            append(store, &rows[i], &device, row, second);
    check(store_close(store, &error), &error);
    return 0;
}
