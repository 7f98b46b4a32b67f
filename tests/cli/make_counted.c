/* make_counted FILE.h5 [first|second [BACKEND [L2_BYTES]]] - textbook pairs with counters and predictions. `second` is the same measured
 * again by another build: some points faster, slower, new, gone or under another id. */
#include "synthetic.h"

#define COUNTERS 6

static const char counters[COUNTERS][96] = {"load_sectors",    "load_sectors_per_request",
                                            "dram_throughput", "load_efficiency",
                                            "dram_bytes_read", "dram_bytes_written"};

/* What one point has; a counter of 0 is missing. */
struct row {
    const char *kernel, *settings;
    double seconds, again; /* the median, and that of the second file; 0: not there */
    const char *message;   /* why it failed, or NULL */
    double counter[COUNTERS], predicted[COUNTERS];
};

#define SECTORS (1 << 17)
#define MIB     (1 << 20)
#define ADD     "rows=2048 columns=2048 "
static const struct row rows[] = {
    {"copy",
     "size=8MiB stride=2",
     20e-6,
     10e-6,
     NULL,
     {2 * SECTORS, 8, 40, 50, 8 * MIB, 4 * MIB},
     {2 * SECTORS, 8, 0, 50, 8 * MIB, 4 * MIB}},
    {"copy",
     "size=4MiB stride=1",
     10e-6,
     10.1e-6,
     NULL,
     {SECTORS + 64, 4.5, 80, 100, 4.5 * MIB, 4 * MIB},
     {SECTORS, 4, 0, 100, 4 * MIB, 4 * MIB}},
    {"copy",
     "size=4MiB vector=4",
     9e-6,
     18e-6,
     NULL,
     {SECTORS, 16, 80, 100, 0, 0},
     {SECTORS, 16, 0, 100, 4 * MIB, 4 * MIB}},
    {"copy", "size=2GiB stride=2", 2e-3, 0, NULL, {0}, {0}},
    {"copy", "size=1GiB stride=1", 1e-3, 1e-3, NULL, {0}, {0}},
    {"copy", "size=3GiB stride=1", 0, 3e-3, NULL, {0}, {0}},
    {"transpose", "variant=shared", 1e-3, 1e-3, NULL, {0}, {0}},
    {"transpose", "variant=padded", 1e-3, 1e-3, "element 7 is 1, not 2", {0}, {0}},
    {"add", ADD "dtype=f32 variant=scalar", 60e-6, 60e-6, NULL, {0}, {0}},
    {"add", ADD "dtype=f32 variant=vector", 50e-6, 50e-6, NULL, {0}, {0}},
    {"add", ADD "dtype=f16 variant=scalar", 55e-6, 55e-6, NULL, {0}, {0}},
    {"add", ADD "dtype=f16 variant=half2", 30e-6, 30e-6, NULL, {0}, {0}},
    {"add", ADD "dtype=f16 variant=unpacked", 35e-6, 35e-6, NULL, {0}, {0}},
    {"add", ADD "dtype=f16 variant=packed", 25e-6, 25e-6, NULL, {0}, {0}},
    {"silu_mul", "batch=32 d=512", 2e-6, 2e-6, NULL, {0}, {0}},
    {"silu_mul", "batch=32 d=1024", 3e-6, 3e-6, NULL, {0}, {0}},
};

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

static void append_row(struct store *store, const struct row *row, const struct device *device,
                       int device_row, bool second)
{
    struct point point = point_of(row->kernel, row->settings);
    struct result result = result_of(&point, device_row);
    result.id += second && !strcmp(row->kernel, "silu_mul"); /* as of another release */
    if (row->message) {
        result = result_new();
        result.id = point_id(&point);
        result.device = device_row;
        result_fail(&result, STATUS_FAILED, "%s", row->message);
    } else {
        put_times(&result, second ? row->again : row->seconds, device);
        put_counters(&result, row);
    }
    append(store, &point, &result);
}

int main(int argc, char **argv)
{
    bool second = argc > 2 && !strcmp(argv[2], "second");
    const struct store_pair environment[] = {
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"},
        {.name = (char *)"counters_note", .value = (char *)"SYNTHETIC does not count stall_drain"},
    };
    const struct space *spaces[] = {family_space("copy"), family_space("transpose"), family_space("add"),
                                    family_space("silu_mul"), NULL};
    if (argc < 2)
        return 2;
    struct store *store = create(argv[1], (struct store_head){.planned = sizeof rows / sizeof *rows,
                                                              .environment = environment,
                                                              .environment_count = 3,
                                                              .spaces = spaces,
                                                              .counter = counters,
                                                              .counter_count = COUNTERS});
    struct device device = synthetic_device("SYNTHETIC", argc > 3 ? argv[3] : "fake");
    device.l2_bytes = argc > 4 ? strtoll(argv[4], NULL, 10) : -1;
    snprintf(device.driver, sizeof device.driver, "1.2");
    device.nominal = 1e12;
    int row = store_device(store, &device);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((second ? rows[i].again : rows[i].seconds) > 0)
            append_row(store, &rows[i], &device, row, second);
    finish(store);
    return 0;
}
