/* make_results FILE.h5 [NAME] - what the commands have to cope with: texts that every format has to escape, missing numbers, a failed, an
 * unsupported and a repeated point, and enough of the copy family for all of its figures. */
#include "synthetic.h"

static struct device device;

static struct result timed(const struct point *point, int row, double seconds)
{
    struct result result = result_of(point, row);
    result.timer = TIMER_FAKE;
    result.real[REAL_seconds_total] = 0.5;
    put_times(&result, seconds, &device);
    bool in_l2 = point_value(point, "dtype", DTYPE_F32) == DTYPE_U8; /* so that figures have two roofs */
    result.roof = in_l2 ? ROOF_l2 : ROOF_dram_mix;
    result.real[REAL_roof_rate] = in_l2 ? 1.5 * device.peak_copy : device.peak_copy;
    return result;
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
        struct point point = point_of("copy", settings);
        if (store_find(store, point_id(&point), &there))
            continue; /* curves meet at the standard point */
        struct result result = timed(&point, row, 1e-3 * number);
        append(store, &point, &result);
    }
}

static void append_odd_ones(struct store *store, int row)
{
    struct point failed = point_of("copy", "stride=64"), unsupported = point_of("copy", "vector=32"),
                 canary = point_of("copy", "stride=2");
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
    struct store *store = create(
        argv[1], (struct store_head){
                     .job = "title: synthetic\nsweeps:\n  - kernel: copy\n    axes: {stride: [2, 4, 3]}\n",
                     .planned = 3,
                     .spaces = spaces});
    device = synthetic_device(argc > 2 ? argv[2] : "SYNTHETIC_1 50% & {a}", "fake");
    snprintf(device.uuid, sizeof device.uuid, "synthetic");
    device.peak_copy = 600e9;
    int row = store_device(store, &device);
    for (int d = 0; d < 4; d++) {
        append_curve(store, row, "stride", "1 2 4 8 16 32 137", dtypes[d]);
        append_curve(store, row, "vector", "1 2 4 8", dtypes[d]);
    }
    append_curve(store, row, "size", sizes, "dtype=f32");
    append_curve(store, row, "offset", "0 1 8 16 32", "dtype=f32");
    append_curve(store, row, "size", sizes, "variant=memcpy");
    append_odd_ones(store, row);
    finish(store);
    return 0;
}
