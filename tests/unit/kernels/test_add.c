/* The add family: arithmetic by hand, every reason to refuse, the reference against additions of its own, and
 * the access pattern against the reference. */
#include "unit_test.h"

#define FAMILY "add"
#include "family_test.h"

static const char *const variants[][2] = {{"scalar", "f32"},          {"scalar", "f16"},
                                          {"scalar", "bf16"},         {"vector", "f32"},
                                          {"half2", "f16"},           {"half2", "bf16"},
                                          {"unpacked", "f16"},        {"unpacked", "bf16"},
                                          {"packed", "f16"},          {"packed", "bf16"},
                                          {"vector", "f32 vector=2"}, {"vector", "f32 vector=8"},
                                          {"packed", "f16 vector=4"}, {"packed", "bf16 vector=16"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Correctly rounded sums: the nearest of the neighbours of the double sum, found by search. */
static void assert_nearest(enum dtype dtype, double exact, const void *sum)
{
    uint64_t size = dtype_size(dtype);
    uint32_t bits = 0;
    memcpy(&bits, sum, size);
    double error = fabs(dtype_load(dtype, &bits) - exact);
    for (int step = -1; step <= 1; step += 2) {
        uint32_t neighbour = bits + (uint32_t)step;
        double other = fabs(dtype_load(dtype, &neighbour) - exact);
        assert_true(isnan(other) || error <= other);
    }
}

TEST(reference_at_odd_sizes)
{
    static const int columns[] = {1, 2, 31, 255, 257, 1003, 2047, 2048, 2049};
    for (int v = 0; v < VARIANTS; v++)
        for (int c = 0; c < 9; c++) {
            char settings[128];
            snprintf(settings, sizeof settings, "variant=%s dtype=%s rows=%d columns=%d offset=%d",
                     variants[v][0], variants[v][1], 1 + c % 2, columns[c], c % 3 * 16);
            struct family_run run = run_whole(settings);
            enum dtype dtype = run.setup.buffer[2].dtype;
            uint64_t size = dtype_size(dtype);
            for (uint64_t i = 0; i < run.setup.buffer[2].count; i++) {
                char *sum = (char *)run.data[2] + i * size;
                if (i < (uint64_t)(c % 3 * 16))
                    assert_memory_equal(sum, "\xff\xff\xff\xff", size);
                else
                    assert_nearest(dtype,
                                   dtype_load(dtype, (char *)run.data[0] + i * size) +
                                       dtype_load(dtype, (char *)run.data[1] + i * size),
                                   sum);
            }
        }
}

TEST(a_million_and_seven)
{
    struct family_run run = run_new("rows=1 columns=1048583 variant=vector");
    const float *a = run.data[0], *b = run.data[1], *out = run.data[2];
    family_run_reference(&run);
    for (uint64_t i = 0; i < 1048583; i++)
        assert_true(out[i] == a[i] + b[i]);
}

/* bulk_load: whole blocks read a tile of both arrays, the last block goes element by element. */
TEST(bulk)
{
    static const char *const chosen[] = {"dtype=f32", "dtype=f32 vector=1 items=3 block=256",
                                         "dtype=f16 vector=2", "dtype=bf16 items=4 block=48"};
    static const int tiles[] = {128 * 16, 256 * 3 * 4, 128 * 4, 48 * 4 * 16};
    /* by load instructions: the last block's */
    for (int i = 0; i < 4 * 4; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX], tile = (uint64_t)tiles[i / 4], size = i / 4 < 2 ? 4 : 2;
        uint64_t ragged = i % 4 == 2 ? 37 : tile / size - 1;
        if (i % 4 == 0)
            ragged = 0;
        else if (i % 4 == 1)
            ragged = 1;
        char settings[160];
        snprintf(settings, sizeof settings, "variant=bulk_load block=128 %s rows=1 columns=%d offset=%d",
                 chosen[i / 4], (int)(3 * tile / size + ragged), i % 4 * 8);
        struct point point = point_of(settings);
        struct setup s = family_setup(&point);
        assert_int_equal(s.shared_dynamic, 2 * tile + 8);
        assert_int_equal(s.grid[0], 3 + (ragged > 0));
        assert_accesses(settings, loaded);
        assert_int_equal(loaded[0], ragged * size);
        assert_int_equal(loaded[1], ragged * size);
        assert_int_equal(tile_reads(settings, 2, 2 * tile), 2 * tile);
        if (ragged)
            assert_int_equal(tile_reads(settings, 3, 2 * tile), 0);
    }
    struct access a = access_of("variant=bulk_load block=128 items=2 dtype=f16", 5, 3); /* the second of b */
    assert_int_equal(a.space, ACCESS_SHARED);
    assert_int_equal(a.width, 16);
    assert_int_equal(a.address[1], 2 * 128 * 16 + (128 + 33) * 16);
}
