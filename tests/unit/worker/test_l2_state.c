/* What counters say of the state of L2: the rules, and what they make of the points that an H100 and an H200
 * have counted. */
#include "unit_test.h"

#include "cli/command.h"

#include "core/column_name.h"
#include "family/family.h"
#include "kernels/registry.h"
#include "store/store.h"
#include "worker/stages.h"

#define MIB (1 << 20)

static const struct target target = {.capability = 90, .l2_bytes = 50 * MIB};

/* copy reads and writes `size` bytes. */
static void expect(const char *cache, int64_t size, double dram_read, double l2_read, const char *expected)
{
    const struct family *copy = family_find("copy");
    struct point point = point_standard(&copy->space);
    char out[96];
    int64_t value;
    int axis = space_axis(&copy->space, "cache");
    assert_int_equal(axis_parse(&copy->space.axes[axis], cache, &value, NULL), 0);
    point.value[axis] = value;
    point.value[space_axis(&copy->space, "size")] = size;
    l2_state_judge(&point, &target, CACHE_COLD, dram_read, l2_read, out, sizeof out);
    if (strncmp(out, expected, strlen(expected)) != 0)
        fail_msg("cache=%s size=%lld: '%s', not '%s'", cache, (long long)size, out, expected);
}

TEST(cold_reads_come_from_dram)
{
    static const char *const caches[] = {"cold", "clean", "rotate"};
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        expect(caches[i], 64 * MIB, 64 * MIB, 64 * MIB, "proved");
        expect(caches[i], 64 * MIB, 61 * MIB, 64 * MIB, "proved");
        expect(caches[i], 64 * MIB, 60 * MIB, 64 * MIB, "disproved: DRAM reads are 93.8 % of the inputs");
        expect(caches[i], 64 * MIB, 0, 64 * MIB, "disproved: DRAM reads are 0 % of the inputs");
        expect(caches[i], 64 * MIB, 80 * MIB, 128 * MIB, "unknown: it reads data from L2 more than once");
        expect(caches[i], 8 * MIB, 8 * MIB, 80 * MIB, "proved"); /* it fits, so nothing was read twice */
        expect(caches[i], 64 * MIB, 64 * MIB, NAN, "unknown: it reads data from L2 more than once");
    }
}

TEST(hot_reads_do_not)
{
    expect("hot", 8 * MIB, 0, 8 * MIB, "proved");
    expect("hot", 8 * MIB, 0.4 * MIB, 8 * MIB, "proved");
    expect("hot", 8 * MIB, 0.5 * MIB, 8 * MIB, "disproved: DRAM reads are 6.25 % of the reads of L2");
    expect("hot", 12 * MIB, 12 * MIB, 12 * MIB, "disproved: DRAM reads are 100 % of the reads of L2");
    expect("hot", 13 * MIB, 13 * MIB, 13 * MIB, "unknown: its buffers are larger than half of L2");
    expect("hot", 64 * MIB, 0, 64 * MIB, "proved");
    expect("hot", 8 * MIB, 0.5 * MIB, 16 * MIB, "proved"); /* of what it reads twice, little is missing */
    expect("hot", 8 * MIB, 0.5 * MIB, NAN, "disproved");
}

TEST(what_cannot_be_told)
{
    expect("cold", 8 * MIB, NAN, 8 * MIB, "unknown: dram_bytes_read was not counted");
    expect("hot", 32 << 10, 0, 32 << 10, "unknown: it has to read less than 64 KiB of inputs");
    expect("hot", 64 << 10, 0, 64 << 10, "proved");
}

/* How many points of a file have each answer. The only ones that are disproved are of a ring of 16 MiB: a
 * launch of `latency` goes on in the ring where the one before ended, so that the launch before the counted
 * one does not load its part. */
static void judge_file(const char *path, size_t counts[3])
{
    static const char *const words[] = {"proved", "disproved", "unknown"};
    struct dataset file;
    struct error error;
    if (dataset_read(path, &file, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t row = 0; row < file.results.rows; row++) {
        struct point point;
        char out[96];
        double dram = frame_find_real(&file.results, row, COLUMN(dram_bytes_read));
        int64_t device = dataset_device_of(&file, row);
        if (isnan(dram) || device < 0 || !row_point(&file.results, row, &point))
            continue;
        struct target of = target;
        of.l2_bytes = (uint64_t)frame_find_integer(&file.devices, (size_t)device, DEVICE_COLUMN(l2_bytes));
        l2_state_judge(&point, &of, CACHE_COLD, dram,
                       frame_find_real(&file.results, row, COLUMN(l2_bytes_read)), out, sizeof out);
        for (int w = 0; w < 3; w++)
            counts[w] += !strncmp(out, words[w], strlen(words[w]));
        if (!strncmp(out, "disproved", strlen("disproved")))
            assert_string_equal(frame_find_text(&file.results, row, COLUMN(kernel)), "latency");
    }
    dataset_free(&file);
}

TEST(points_that_were_counted_on_devices)
{
    static const char *const files[] = {"h100-paper.h5", "h200-paper.h5", "h100-copy.h5", "h200-copy.h5"};
    size_t counts[3] = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        snprintf(path, sizeof path, SOURCE_FOLDER "/analysis/data/%s", files[i]);
        judge_file(path, counts);
    }
    print_message("%zu proved, %zu disproved, %zu unknown\n", counts[0], counts[1], counts[2]);
    assert_int_equal(counts[1], 2);
    assert_true(counts[0] > 5 * counts[2]);
}
