/* make_results FILE.h5 [NAME] - what the commands have to cope with: texts that every format has to escape,
 * missing numbers, a failed, an unsupported and a repeated point, and enough of the copy family for all of
 * its figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "store/store.h"

static struct device device;

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

/* The standard point of copy with such settings: "stride=2 dtype=f32". */
static struct point point_of(const char *settings)
{
    char text[128], *save;
    struct error error = {0};
    struct point point = point_standard(family_space("copy"));
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        int axis = space_axis(point.space, one);
        check(axis_parse(&point.space->axes[axis], value, &point.value[axis], &error), &error);
    }
    return point;
}

/* Bytes as the family counts them, and three samples about that time. */
static struct result timed(const struct point *point, int row, double seconds)
{
    static const double spread[] = {0.98, 1, 1.02};
    struct result result = result_new();
    const struct work work = family_of(point)->work(point);
    const bool in_l2 =
        point_value(point, "dtype", DTYPE_F32) == DTYPE_U8; /* so that figures have two roofs */
    double *real = result.real;
    result.id = point_id(point);
    result.device = row;
    result.stop = STOP_CONVERGED;
    result.timer = TIMER_FAKE;
    result.sample_count = 3;
    result.samples = calloc(3, sizeof *result.samples);
    for (int i = 0; i < 3; i++)
        result.samples[i] = sample_of(seconds * spread[i]);
    real[REAL_bytes_read] = (double)work.bytes_read;
    real[REAL_bytes_written] = (double)work.bytes_written;
    real[REAL_seconds_total] = 0.5;
    result_summarise(&result);
    result.roof = in_l2 ? ROOF_l2 : ROOF_dram_mix;
    return result;
}

static void append(struct store *store, const struct point *point, struct result *result)
{
    struct error error = {0};
    check(store_append(store, point, result, &error), &error);
    result_free(result);
}

/* Values of an axis, separated by spaces, with a setting of another: 1 ms, 2 ms ... */
static void append_curve(struct store *store, int row, const char *axis, const char *values,
                         const char *other)
{
    char text[64], *save;
    int number = 1;
    snprintf(text, sizeof text, "%s", values);
    for (char *value = strtok_r(text, " ", &save); value; value = strtok_r(NULL, " ", &save), number++) {
        char settings[64];
        struct store_point there;
        snprintf(settings, sizeof settings, "%s=%s %s", axis, value, other);
        struct point point = point_of(settings);
        if (store_find(store, point_id(&point), &there))
            continue; /* curves meet at the standard point */
        struct result result = timed(&point, row, 1e-3 * number);
        append(store, &point, &result);
    }
}

static void append_odd_ones(struct store *store, int row)
{
    struct point failed = point_of("stride=64"), unsupported = point_of("vector=32"),
                 canary = point_of("stride=2");
    struct result result = result_new();
    result.id = point_id(&failed);
    result.device = row;
    result_fail(&result, STATUS_FAILED, "line 1,\tsays \"no\" | 50%% of a_b\\c\nline 2");
    append(store, &failed, &result);

    result = result_new();
    result.id = point_id(&unsupported);
    result_fail(&result, STATUS_UNSUPPORTED,
                "a vector of 128 bytes is wider than 32 bytes, the widest access");
    append(store, &unsupported, &result);

    result = timed(&canary, row, 1);
    result.repeat = 1;
    append(store, &canary, &result);
}

int main(int argc, char **argv)
{
    static const char *const dtypes[] = {"dtype=u8", "dtype=f16", "dtype=f32", "dtype=f64"};
    static const char sizes[] = "1MiB 16MiB 256MiB 4GiB";
    const struct space *spaces[] = {family_space("copy"), NULL};
    if (argc < 2)
        return 2;
    const struct store_pair environment[] = {
        {.name = (char *)"release", .value = (char *)"0"},
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"}};
    const struct store_head head = {
        .job = "title: synthetic\nsweeps:\n  - kernel: copy\n    axes: {stride: [2, 4, 3]}\n",
        .job_path = "synthetic.yaml",
        .environment = environment,
        .environment_count = 3,
        .planned = 3,
        .spaces = spaces};
    struct store *store;
    struct error error = {0};
    check(store_open(argv[1], false, &head, &store, &error), &error);
    device = device_unknown();
    snprintf(device.name, sizeof device.name, "%s", argc > 2 ? argv[2] : "SYNTHETIC_1 50% & {a}");
    snprintf(device.backend, sizeof device.backend, "fake");
    snprintf(device.uuid, sizeof device.uuid, "synthetic");
    device.peak_copy = 600e9;
    device.peak_l2_read = device.peak_l2_copy = device.peak_l2_write = 1.5 * device.peak_copy;
    int row = store_device(store, &device);
    for (int d = 0; d < 4; d++) {
        append_curve(store, row, "stride", "1 2 4 8 16 32 137", dtypes[d]);
        append_curve(store, row, "vector", "1 2 4 8", dtypes[d]);
    }
    append_curve(store, row, "size", sizes, "dtype=f32");
    append_curve(store, row, "offset", "0 1 8 16 32", "dtype=f32");
    append_curve(store, row, "size", sizes, "variant=memcpy");
    append_odd_ones(store, row);
    check(store_close(store, &error), &error);
    return 0;
}
