/* The prefetch family: arithmetic by hand, every reason to refuse, the sums against the array walked from its
 * elements' side, and the access pattern. */
#include "unit_test.h"

#define FAMILY "prefetch"
#include "family_test.h"

TEST(work)
{
    assert_work("size=1MiB", 1 << 20, 0, 0);
    assert_work("size=1MiB work=256", 1 << 20, 0, UINT64_C(1) << 26);
    assert_work("size=4012 work=2", 4012, 0, 2006);
    assert_work("size=4", 4, 0, 0);
    assert_work("size=4GiB variant=tensor stages=4", UINT64_C(4) << 30, 0, 0);
}

static void assert_launch(const char *settings, uint32_t blocks, uint32_t shared, uint64_t tiles)
{
    struct setup s = setup_of(settings);
    if (s.grid[0] != blocks || s.shared_dynamic != shared)
        fail_msg("%s: %u blocks, %u bytes of shared memory", settings, s.grid[0], s.shared_dynamic);
    assert_int_equal(s.grid[1] * s.grid[2] * s.block[1] * s.block[2], 1);
    assert_int_equal(s.argument[3].value, tiles);
    assert_int_equal(s.buffer[1].count, (uint64_t)blocks * s.block[0]);
}

TEST(launch)
{
    assert_launch("size=256MiB variant=sync", 132 * 8, 8192, 32768); /* 2048 threads: 8 blocks of 256 */
    assert_launch("size=256MiB variant=cp_async stages=4", 132 * 6, 32768, 32768); /* 228 KiB / 33 KiB */
    assert_launch("size=256MiB variant=pipeline_thread stages=4", 132 * 6, 32768, 32768);
    assert_launch("size=256MiB variant=pipeline stages=4", 132 * 6, 32768 + 4 * 16 + 16, 32768);
    assert_launch("size=256MiB variant=barrier stages=4", 132 * 6, 32768 + 4 * 8, 32768);
    assert_launch("size=256MiB variant=bulk stages=4", 132 * 6, 32768 + 32, 32768);
    assert_launch("size=256MiB variant=bulk tile_bytes=1KiB block=32", 132 * 32, 1032, 262144);
    assert_launch("size=256MiB variant=bulk stages=2 resident=2", 132 * 2, 16384 + 16, 32768);
    assert_launch("size=256MiB variant=tensor stages=3 tile_bytes=64KiB", 132, 3 * 65536 + 24, 4096);
    assert_launch("size=256MiB variant=bulk block=1024", 132 * 2, 8200, 32768);
    assert_launch("size=8188", 1, 8200, 0); /* one element below, at and above a tile */
    assert_launch("size=8192", 1, 8200, 1);
    assert_launch("size=8196", 1, 8200, 1);
    assert_launch("size=16384", 2, 8200, 2);
    assert_launch("size=4", 1, 8200, 0);
}

TEST(tensor_map)
{
    struct setup s = setup_of("variant=tensor size=100000 tile_bytes=4KiB");
    assert_int_equal(s.argument[0].kind, ARGUMENT_TENSOR);
    assert_int_equal(s.tensor[0].rows, 24 * 4); /* 24 whole tiles of 4 rows of 1 KiB */
    assert_int_equal(s.tensor[0].columns, 256);
    assert_int_equal(s.tensor[0].box_rows, 4);
    assert_int_equal(s.tensor[0].box_columns, 256);
    assert_int_equal(s.tensor[0].swizzle, SWIZZLE_NONE);
}

TEST(every_reason)
{
    static const struct target ampere = {80,         108,        40 << 20, UINT64_C(80) << 30,
                                         163u << 10, 164u << 10, 2048,     false};
    static const struct target turing = {75,        40,        4 << 20, UINT64_C(16) << 30,
                                         64u << 10, 64u << 10, 1024,    false};
    assert_skip_on(&on_host, "", "a processor has no shared memory");
    assert_skip_on(&ampere, "", "bulk needs compute capability 9.0; this is 8.0");
    assert_skip_on(&ampere, "variant=tensor", "tensor needs compute capability 9.0");
    assert_skip("arch=compute_80", "bulk needs compute capability 9.0");
    assert_skip_on(&ampere, "variant=cp_async", NULL);
    assert_skip_on(&turing, "variant=cp_async", "cp_async needs compute capability 8.0");
    assert_skip("size=1001", "1001 bytes are no whole number of f32 elements");
    assert_skip("tile_bytes=1536", "a tile of 1536 bytes is no whole number of KiB");
    assert_skip("tile_bytes=3KiB", NULL);
    assert_skip("block=48", "a block of 48 threads is no whole number of warps");
    assert_skip("work=3", "3 flops are no whole fused multiply-adds");
    assert_skip("variant=sync stages=2", "a synchronous copy has one stage");
    assert_skip("variant=tensor size=8188", "smaller than one tile");
    assert_skip("variant=tensor size=8192", NULL);
    static const struct target nothing = {0};
    assert_skip_on(&nothing, "variant=tensor size=4TiB", "more rows than a coordinate can count");
    assert_skip_on(&nothing, "variant=bulk size=4TiB", NULL);
    assert_skip("stages=4 tile_bytes=64KiB",
                "4 stages of 65536 bytes are more shared memory than a block has, 232448 bytes");
    assert_skip("stages=3 tile_bytes=64KiB", NULL);
    assert_skip_on(&nothing, "stages=4 tile_bytes=64KiB", NULL);
    assert_skip("stages=4 resident=7", "7 blocks of this kind do not fit on a multiprocessor, which holds 6");
    assert_skip("stages=4 resident=6", NULL);
}

/* From the elements' side: which thread adds up element e. */
static void check_sums(const char *settings)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    uint64_t n = run.setup.buffer[0].count, grid = run.setup.grid[0], block = run.setup.block[0];
    uint64_t tile = (uint64_t)point_value(&run.point, "tile_bytes", 0) / 4, whole = n / tile * tile;
    bool flipped = point_value(&run.point, "work", 0) / 2 % 2;
    uint32_t *sum = calloc(grid * block, sizeof *sum);
    for (uint64_t e = 0; e < n; e++) {
        float x = ((float *)run.data[0])[e], y = flipped ? (float)(1.0 - (double)x) : x;
        uint32_t bits;
        assert_true((double)y == (flipped ? 1.0 - (double)x : (double)x)); /* exact */
        memcpy(&bits, &y, 4);
        uint64_t lane = e % tile / 4 % block;
        uint64_t own = e < whole ? e / tile % grid * block + block - 1 - lane : (e - whole) % (grid * block);
        sum[own] += bits;
    }
    if (memcmp(sum, run.data[1], grid * block * sizeof *sum) != 0)
        fail_msg("%s: the sums differ", settings);
    free(sum);
}

TEST(reference)
{
    check_sums("size=4");
    check_sums("size=4012"); /* 1003 elements: less than a tile */
    check_sums("size=4194332 variant=cp_async stages=2");
    check_sums("size=4194332 work=2 tile_bytes=3KiB block=64 resident=1"); /* 2^20 + 7 elements */
    check_sums("size=4194332 work=4 variant=tensor tile_bytes=16KiB block=1024");
    check_sums("size=1MiB work=6 variant=sync tile_bytes=1KiB block=96");
    check_sums("size=8188 block=32");
    check_sums("size=8192 block=32");
    check_sums("size=8196 block=32");
}

TEST(accesses)
{
    uint64_t loaded[SETUP_BUFFERS_MAX];
    assert_accesses("size=4012 variant=sync", loaded);
    assert_int_equal(loaded[0], 4012);
    assert_accesses("size=4194332 variant=sync resident=1", loaded);
    assert_int_equal(loaded[0], 4194332);
    assert_accesses("size=4194332 variant=sync tile_bytes=3KiB block=256", loaded);
    assert_int_equal(loaded[0], 4194332);
    assert_accesses("size=4194332 variant=bulk", loaded); /* by the load units: the rest */
    assert_int_equal(loaded[0], 28);
}
