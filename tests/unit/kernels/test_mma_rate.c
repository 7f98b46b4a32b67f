/* The mma_rate family: work, launch, reasons, and the reference against products written out. */
#include "unit_test.h"

#define FAMILY "mma_rate"
#include "family_test.h"

#define TCGEN05_ALONE "tcgen05 is of sm_100a, sm_103a, sm_110a and their families"
static const struct target ampere = {.capability = 80}, ada = {.capability = 89}, b200 = {.capability = 100},
                           b300 = {.capability = 103}, thor = {.capability = 110}, rtx = {.capability = 120};

TEST(work)
{
    /* 8 warps, 4 chains, 8 products a round, of 16 x 8 x 16 multiply-adds each */
    assert_work("", 0, 0, UINT64_C(262144) * 8 * 4 * 8 * 2 * 16 * 8 * 16);
    assert_work("variant=wgmma_ss shape_n=256 chains=1 dtype=e4m3 block=384 rounds=500", 0, 0,
                UINT64_C(500) * 3 * 8 * 2 * 64 * 256 * 32);
    assert_work("variant=wgmma_rs shape_n=64 chains=2 dtype=f32 block=128 rounds=500", 0, 0,
                UINT64_C(500) * 2 * 8 * 2 * 64 * 64 * 8);
    assert_work("variant=tcgen05 shape_n=64 chains=2 dtype=f32 block=128 rounds=500", 0, 0,
                UINT64_C(500) * 2 * 8 * 2 * 128 * 64 * 8);
    /* e2m1: 64 elements in 32 bytes */
    assert_work("variant=tcgen05 scale=e4m3 shape_n=64 chains=1 dtype=e2m1 block=128 rounds=500", 0, 0,
                UINT64_C(500) * 8 * 2 * 128 * 64 * 64);
    /* a pair of blocks: 256 rows; rounds are shared by pairs */
    assert_work("variant=tcgen05_ts cluster=2 shape_n=64 chains=2 dtype=f32 block=128 rounds=500", 0, 0,
                UINT64_C(500) * 2 * 8 * 2 * 256 * 64 * 8);
    /* sparse: twice as many columns */
    assert_work("variant=wgmma_rs sparse=on shape_n=64 chains=2 dtype=f32 block=128 rounds=500", 0, 0,
                UINT64_C(500) * 2 * 8 * 2 * 64 * 64 * 16);
    /* loads: 2 of 64 words of 4 bytes, 8 times a round, by 96 threads */
    assert_work("variant=tcgen05_ld dtype=i32 shape_n=64 chains=2 block=96 rounds=500",
                UINT64_C(500) * 8 * 2 * 64 * 4 * 96, 0, 0);
}

TEST(launch)
{
    struct setup s = setup_of("");
    assert_int_equal(s.grid[0], 132);
    assert_int_equal(s.buffer[0].count, 16 * 16);
    assert_int_equal(s.buffer[1].count, 8 * 16);
    assert_int_equal(s.buffer[2].count, 132 * 8 * 16 * 8);
    assert_int_equal(s.buffer[2].dtype, DTYPE_F32);
    s = setup_of("variant=wgmma_ss dtype=u8 shape_n=128 chains=1 block=256 blocks=3");
    assert_int_equal(s.grid[0], 3);
    assert_int_equal(s.buffer[0].count, 64 * 32);
    assert_int_equal(s.buffer[1].count, 128 * 32);
    assert_int_equal(s.buffer[2].count, 3 * 2 * 64 * 128);
    assert_int_equal(s.buffer[2].dtype, DTYPE_I32);
    s = setup_of("variant=wgmma_ss dtype=u8 shape_n=128 chains=1 sparse=on");
    assert_int_equal(s.buffer[0].count, 64 * 32); /* without the zeros */
    assert_int_equal(s.buffer[1].count, 128 * 64);
    s = setup_of("variant=tcgen05 dtype=e5m2 shape_n=64 chains=8 block=128 blocks=3");
    assert_int_equal(s.buffer[0].count, 128 * 32);
    assert_int_equal(s.buffer[1].count, 64 * 32);
    assert_int_equal(s.buffer[2].count, 3 * 128 * 64);
    s = setup_of("variant=tcgen05 dtype=e2m1 scale=e8m0 shape_n=64 chains=1 block=128 blocks=3");
    assert_int_equal(s.buffer[0].count, 128 * 64);
    assert_int_equal(s.buffer[0].fill.modulus, 4); /* 0 to 3 are exact */
    s = setup_of("variant=tcgen05 cluster=2 dtype=e5m2 shape_n=64 chains=8 block=128 blocks=6");
    assert_int_equal(s.grid[0], 6);
    assert_int_equal(s.buffer[0].count, 256 * 32);
    assert_int_equal(s.buffer[1].count, 64 * 32);
    assert_int_equal(s.buffer[2].count, 3 * 256 * 64);
    assert_int_equal(setup_of("variant=tcgen05 cluster=2 shape_n=64 block=128 rounds=7").grid[0], 14);
    s = setup_of("variant=tcgen05_ld dtype=i32 shape_n=32 chains=3 block=256 blocks=5");
    assert_int_equal(s.grid[0], 5);
    assert_int_equal(s.buffers, 2);
    assert_int_equal(s.buffer[0].count, 128 * 3 * 32);
    assert_int_equal(s.buffer[1].count, 5 * 256);
    assert_int_equal(setup_of("rounds=7").grid[0], 7);
    assert_int_equal(setup_of("data=zeros").buffer[0].fill.modulus, 1);
}

TEST(reasons_of_loads)
{
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=16 chains=8 block=256", NULL);
    assert_skip_on(&b300, "variant=tcgen05_ld dtype=i32 shape_n=128 chains=1 block=32", NULL);
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=32 chains=1 block=1024", NULL);
    assert_skip("variant=tcgen05_ld dtype=i32 shape_n=32", TCGEN05_ALONE);
    assert_skip_on(&rtx, "variant=tcgen05_ld dtype=i32 shape_n=32", TCGEN05_ALONE);
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=32 arch=sm_100", TCGEN05_ALONE);
    assert_skip_on(&b200, "variant=tcgen05_ld shape_n=32", "of tensor memory: dtype=i32");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=32 sparse=on", "have no sparse matrix");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32", "8 columns are none of 16, 32, 64 and 128");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=256 chains=1",
                   "256 columns are none of 16, 32");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=64 chains=3 block=128",
                   "3 loads of 64 columns");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=64 chains=2 block=288", "by 288 threads");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=32 block=48", "whole number of warps");
    assert_skip_on(&b200, "dtype=i32", "no product of i32");
}

TEST(every_reason)
{
    assert_skip("", NULL);
    assert_skip_on(&ampere, "", NULL);
    assert_skip_on(&on_host, "", "tensor cores, which the host has not");
    assert_skip("dtype=f64", "no product of f64");
    assert_skip("dtype=e4m3", "mma of fp8 is made of f16 products here");
    assert_skip_on(&b200, "dtype=e5m2", "mma of fp8 is made of f16 products here");
    assert_skip_on(&ada, "dtype=e4m3", NULL);
    assert_skip("variant=wgmma_ss dtype=e4m3", NULL);
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=256 chains=2", NULL);
    assert_skip_on(&b300, "variant=tcgen05 block=128 shape_n=64 dtype=e4m3 chains=8", NULL);
    assert_skip("variant=tcgen05 block=128 shape_n=64", TCGEN05_ALONE);
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=64 arch=sm_100", TCGEN05_ALONE);
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=64 dtype=u8", NULL);
    assert_skip_on(&b300, "variant=tcgen05 block=128 shape_n=64 dtype=u8", "the families have none");
    assert_skip_on(&b300, "variant=tcgen05 block=128 shape_n=64 arch=sm_100f", NULL);
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=64 arch=sm_100f dtype=u8",
                   "the families have none");
    assert_skip_on(&thor, "variant=tcgen05 block=128 shape_n=64 dtype=u8", NULL);
    assert_skip_on(&b200, "variant=tcgen05 block=256 shape_n=64", "a block has 128 threads");
    assert_skip_on(&b200, "variant=tcgen05 block=128", "8 columns are none of 32, 64, 128 and 256");
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=256", "more than the 512 columns");
    assert_skip_on(&b200, "variant=tcgen05 block=128 shape_n=64 sparse=on", "are not written here");
    assert_skip_on(&b200, "dtype=e2m1 scale=e8m0 block=128 variant=tcgen05 shape_n=256 chains=1", NULL);
    assert_skip_on(&b300, "dtype=e2m1 scale=e4m3 block=128 variant=tcgen05 shape_n=128 chains=2", NULL);
    assert_skip_on(&b200, "dtype=e2m1 scale=e8m0 block=128 variant=tcgen05 shape_n=256 chains=2",
                   "496 columns");
    assert_skip_on(&b200, "variant=tcgen05_ts block=128 shape_n=256 chains=1", NULL);
    assert_skip_on(&b200, "variant=tcgen05_ts block=128 shape_n=256 chains=2",
                   "504 columns of tensor memory");
    assert_skip_on(&thor, "variant=tcgen05_ts cluster=2 block=128 shape_n=64 dtype=u8 arch=sm_110a", NULL);
    assert_skip_on(&b300, "variant=tcgen05_ts cluster=2 block=128 shape_n=64 dtype=u8",
                   "the families have none");
    assert_skip_on(&b300, "variant=tcgen05_ts cluster=2 block=128 shape_n=256 chains=1 dtype=e2m1 scale=e4m3",
                   NULL);
    assert_skip_on(&rtx, "variant=tcgen05_ts cluster=2 block=128 shape_n=64", TCGEN05_ALONE);
    assert_skip("variant=tcgen05 cluster=2 block=128 shape_n=64", TCGEN05_ALONE);
    assert_skip_on(&b200, "variant=tcgen05 cluster=2 block=128 shape_n=64 blocks=5", "5 blocks are no whole");
    assert_skip_on(&b200, "variant=tcgen05 cluster=2 block=128 shape_n=64 blocks=20 rounds=9", "of 10 pairs");
    assert_skip("cluster=2", "only tcgen05 and tcgen05_ts");
    assert_skip_on(&b200, "variant=tcgen05_ld dtype=i32 shape_n=32 cluster=2", "only tcgen05 and tcgen05_ts");
    assert_skip_on(&b200, "dtype=e2m1", "scale=e8m0 or scale=e4m3");
    assert_skip_on(&rtx, "dtype=e4m3 scale=e4m3", "those of e4m3 of e2m1");
    assert_skip_on(&rtx, "dtype=bf16 scale=e8m0", "those of e4m3 of e2m1");
    assert_skip_on(&rtx, "dtype=e4m3 scale=e8m0", NULL);
    assert_skip_on(&b200, "dtype=e4m3 scale=e8m0", "of sm_120a, sm_121a and their family");
    assert_skip("variant=wgmma_ss dtype=e4m3 scale=e8m0 shape_n=64", "only mma and tcgen05");
    assert_skip_on(&ampere, "sparse=on", NULL);
    assert_skip("sparse=on variant=wgmma_rs", NULL);
    assert_skip("shape_n=16", "mma has products of 8 columns");
    assert_skip("block=48", "whole number of warps");
    assert_skip("blocks=10 rounds=9", "9 rounds are not one for each of 10 blocks");
    assert_skip_on(&b200, "variant=wgmma_rs", "wgmma is of sm_90a alone");
    assert_skip("variant=wgmma_rs arch=sm_90", "wgmma is of sm_90a alone");
    assert_skip("variant=wgmma_rs arch=sm_90a", NULL);
    assert_skip("variant=wgmma_rs shape_n=16", "16 columns are none of 8, 32, 64, 128 and 256");
    assert_skip("variant=wgmma_ss block=96", "whole number of groups of four warps");
    assert_skip("variant=wgmma_ss shape_n=128", "4 accumulators of 128 columns are more than 128 registers");
}

/* Every element, from the inputs' bytes: chain c starts at c, and has one product more than it loses, or all of them. */
static void assert_reference(const char *settings, uint64_t rows, uint64_t columns, uint64_t depth,
                             uint64_t units)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    const unsigned char *a = run.data[0], *b = run.data[1];
    uint64_t chains = (uint64_t)point_value(&run.point, "chains", 0),
             blocks = run.setup.grid[0] / (uint64_t)point_value(&run.point, "cluster", 0); /* or pairs */
    uint64_t rounds = (uint64_t)point_value(&run.point, "rounds", 0), different = 0;
    uint64_t each = point_value(&run.point, "sparse", 0) ? 2 : 1;
    bool whole = run.setup.buffer[2].dtype == DTYPE_I32;
    assert_int_equal(run.setup.buffer[2].count, blocks * units * rows * columns);
    for (uint64_t i = 0; i < run.setup.buffer[2].count; i++) {
        uint64_t block = i / (units * rows * columns), row = i / columns % rows, column = i % columns;
        uint64_t times = whole ? 8 * (rounds / blocks + (block < rounds % blocks)) + 1 : 1, product = 0,
                 sum = 0;
        for (uint64_t k = 0; k < depth * each; k++) /* the whole row of the left matrix, with its zeros */
            product += (each == 1 || k % 2 ? a[row * depth + k / each] : 0) * b[column * depth * each + k];
        for (uint64_t c = 0; c < chains; c++)
            sum += c + times * product;
        if (whole)
            assert_int_equal(((uint32_t *)run.data[2])[i], (uint32_t)sum);
        else
            assert_true(((float *)run.data[2])[i] == (float)sum);
        different += product > 0;
    }
    assert_true(different > 0); /* the inputs are not all zero */
}

/* Every thread: what all its loads but the last are counted for, load by load, and all words of the last ones. */
static void assert_loads(const char *settings)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    const uint32_t *words = run.data[0], *out = run.data[1];
    uint64_t n = (uint64_t)point_value(&run.point, "shape_n", 0), blocks = run.setup.grid[0],
             chains = (uint64_t)point_value(&run.point, "chains", 0),
             threads = (uint64_t)point_value(&run.point, "block", 0),
             rounds = (uint64_t)point_value(&run.point, "rounds", 0), wrapped = 0;
    assert_int_equal(run.setup.buffer[1].count, blocks * threads);
    for (uint64_t block = 0; block < blocks; block++)
        for (uint64_t thread = 0; thread < threads; thread++) {
            const uint32_t *row = words + thread % 128 * n * chains;
            uint64_t sum = 0;
            for (uint64_t step = 0; step < 8 * (rounds / blocks + (block < rounds % blocks)); step++)
                for (uint64_t c = 0; c < chains; c++)
                    sum += (uint64_t)row[c * n] + row[(c + 1) * n - 1];
            for (uint64_t w = 0; w < n * chains; w++)
                sum += row[w];
            assert_int_equal(out[block * threads + thread], (uint32_t)sum);
            wrapped += sum > UINT32_MAX;
        }
    assert_true(point_value(&run.point, "data", 0) != 0 || wrapped > 0);
}

TEST(reference_of_loads)
{
    assert_loads("variant=tcgen05_ld dtype=i32 blocks=3 rounds=10 shape_n=32 chains=4 block=128");
    assert_loads("variant=tcgen05_ld dtype=i32 blocks=2 rounds=5 shape_n=16 chains=3 block=288");
    assert_loads("variant=tcgen05_ld dtype=i32 blocks=1 rounds=2 shape_n=128 chains=1 block=32 data=ones");
}

TEST(reference)
{
    assert_reference("blocks=3 rounds=10", 16, 8, 16, 8);
    assert_reference("blocks=2 rounds=3 dtype=f32 chains=8 block=32", 16, 8, 8, 1);
    assert_reference("blocks=3 rounds=1000000 dtype=u8 chains=3 block=64", 16, 8, 32, 2); /* wraps */
    assert_reference("variant=wgmma_ss blocks=2 rounds=3 dtype=e4m3 shape_n=32", 64, 32, 32, 2);
    assert_reference("variant=wgmma_rs blocks=2 rounds=3 dtype=u8 shape_n=256 chains=1 data=ones", 64, 256,
                     32, 2);
    assert_reference("variant=tcgen05 blocks=2 rounds=3 block=128 shape_n=64 chains=3", 128, 64, 16, 1);
    assert_reference("variant=tcgen05 blocks=2 rounds=9 block=128 shape_n=256 chains=2 dtype=u8", 128, 256,
                     32, 1);
    assert_reference("variant=tcgen05 cluster=2 blocks=6 rounds=10 block=128 shape_n=64 chains=3", 256, 64,
                     16, 1);
    assert_reference("variant=tcgen05_ts cluster=2 blocks=4 rounds=9 block=128 shape_n=256 chains=1 dtype=u8",
                     256, 256, 32, 1);
    assert_reference(
        "variant=tcgen05_ts cluster=1 blocks=2 rounds=3 block=128 shape_n=32 dtype=e2m1 scale=e4m3", 128, 32,
        64, 1);
    assert_reference("blocks=3 rounds=10 sparse=on", 16, 8, 16, 8);
    assert_reference("blocks=3 rounds=10 sparse=on dtype=f32", 16, 8, 8, 8);
    assert_reference("variant=wgmma_ss sparse=on blocks=2 rounds=3 dtype=e4m3 shape_n=32", 64, 32, 32, 2);
    assert_reference("variant=wgmma_rs sparse=on blocks=2 rounds=3 dtype=u8 shape_n=256 chains=1", 64, 256,
                     32, 2);
}
