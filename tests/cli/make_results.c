/* make_results FILE.h5 [NAME] - a small results file through store.h, every figure in it made up and named
 * so.
 *
 * It holds what the commands have to cope with: texts that every format has to escape, missing numbers, a
 * failed, an unsupported and a repeated point, and enough of the copy family for all of its figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "store/store.h"

static struct device device;

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "make_results: %s\n", error->text);
        exit(1);
    }
}

static struct point point_of(const char *axis, const char *value, const char *other, const char *other_value)
{
    struct error error = {0};
    const struct space *space = family_space("copy");
    struct point point = point_standard(space);
    int first = space_axis(space, axis), second = space_axis(space, other);
    check(axis_parse(&space->axes[first], value, &point.value[first], &error), &error);
    check(axis_parse(&space->axes[second], other_value, &point.value[second], &error), &error);
    return point;
}

/* Bytes as the family counts them; times that are round numbers. */
static struct result result_of(const struct point *point, int row, double seconds)
{
    static const double spread[] = {0.98, 1, 1.02};
    struct result result = result_new();
    struct work work = family_of(point)->work(point);
    result.id = point_id(point);
    result.device = row;
    result.stop = STOP_CONVERGED;
    result.timer = TIMER_FAKE;
    result.real[REAL_bytes_read] = (double)work.bytes_read;
    result.real[REAL_bytes_written] = (double)work.bytes_written;
    result.real[REAL_seconds_total] = 0.5;
    result.sample_count = 3;
    result.samples = calloc(3, sizeof *result.samples);
    for (int i = 0; i < 3; i++)
        result.samples[i] = (struct sample){.seconds = seconds * spread[i], .sm_clock = NAN};
    result_summarise(&result);
    double *real = result.real;
    real[REAL_fraction_nominal] = real[REAL_bandwidth] / device.nominal;
    real[REAL_fraction_datasheet] = real[REAL_bandwidth] / device.datasheet;
    bool in_l2 = point_value(point, "dtype", DTYPE_F32) == DTYPE_U8; /* so that figures have two roofs */
    result.roof = in_l2 ? ROOF_l2 : ROOF_dram_mix;
    real[REAL_roof_rate] = in_l2 ? 1.5 * device.peak_copy : device.peak_copy;
    real[REAL_fraction_peak] = real[REAL_bandwidth] / device.peak_copy;
    return result;
}

static void append(struct store *store, const struct point *point, struct result *result)
{
    struct error error = {0};
    check(store_append(store, point, result, &error), &error);
    result_free(result);
}

static void append_curve(struct store *store, int row, const char *axis, const char *const *values,
                         const char *other, const char *other_value)
{
    for (int i = 0; values[i]; i++) {
        struct point point = point_of(axis, values[i], other, other_value);
        struct store_point there;
        if (store_find(store, point_id(&point), &there))
            continue; /* curves meet at the standard point */
        struct result result = result_of(&point, row, 1e-3 * (i + 1));
        append(store, &point, &result);
    }
}

static void append_odd_ones(struct store *store, int row)
{
    struct point failed = point_of("stride", "64", "dtype", "f32");
    struct result result = result_new();
    result.id = point_id(&failed);
    result.device = row;
    result_fail(&result, STATUS_FAILED, "line 1,\tsays \"no\" | 50%% of a_b\\c\nline 2");
    append(store, &failed, &result);

    struct point unsupported = point_of("vector", "32", "dtype", "f32");
    result = result_new();
    result.id = point_id(&unsupported);
    result_fail(&result, STATUS_UNSUPPORTED,
                "a vector of 128 bytes is wider than 32 bytes, the widest access");
    append(store, &unsupported, &result);

    struct point canary = point_of("stride", "2", "dtype", "f32");
    result = result_of(&canary, row, 1);
    result.repeat = 1;
    append(store, &canary, &result);
}

int main(int argc, char **argv)
{
    static const char *const dtypes[] = {"u8", "f16", "f32", "f64", NULL};
    static const char *const strides[] = {"1", "2", "4", "8", "16", "32", "137", NULL};
    static const char *const vectors[] = {"1", "2", "4", "8", NULL};
    static const char *const sizes[] = {"1MiB", "16MiB", "256MiB", "4GiB", NULL};
    static const char *const offsets[] = {"0", "1", "8", "16", "32", NULL};
    struct error error = {0};
    const struct store_pair environment[] = {
        {.name = (char *)"release", .value = (char *)"0"},
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"},
    };
    const struct space *spaces[] = {family_space("copy"), NULL};
    struct store_head head = {
        .job = "title: synthetic\nsweeps:\n  - kernel: copy\n    axes: {stride: [2, 4, 3]}\n",
        .job_path = "synthetic.yaml",
        .planned = 3,
        .environment = environment,
        .environment_count = 3,
        .spaces = spaces};
    struct store *store;
    if (argc < 2)
        return 2;
    check(store_open(argv[1], false, &head, &store, &error), &error);
    device = device_unknown();
    snprintf(device.name, sizeof device.name, "%s", argc > 2 ? argv[2] : "SYNTHETIC_1 50% & {a}");
    snprintf(device.backend, sizeof device.backend, "fake");
    snprintf(device.uuid, sizeof device.uuid, "synthetic");
    device.peak_copy = 600e9;
    int row = store_device(store, &device);
    for (int d = 0; dtypes[d]; d++) {
        append_curve(store, row, "stride", strides, "dtype", dtypes[d]);
        append_curve(store, row, "vector", vectors, "dtype", dtypes[d]);
    }
    append_curve(store, row, "size", sizes, "dtype", "f32");
    append_curve(store, row, "offset", offsets, "dtype", "f32");
    append_curve(store, row, "size", sizes, "variant", "memcpy");
    append_odd_ones(store, row);
    check(store_close(store, &error), &error);
    return 0;
}
