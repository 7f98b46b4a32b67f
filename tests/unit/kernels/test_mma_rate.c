/* The mma_rate family: work, launch, reasons, and the reference against products written out. */
#include "unit_test.h"

#define FAMILY "mma_rate"
#include "family_test.h"

/* Every element, from the inputs' bytes: chain c starts at c, and has one product more than it loses, or all
 * of them. */
static void assert_reference(const char *settings, uint64_t rows, uint64_t columns, uint64_t depth,
                             uint64_t units)
{
    struct family_run run = run_whole(settings);
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

/* Every thread: what all its loads but the last are counted for, load by load, and all words of the last
 * ones. */
static void assert_loads(const char *settings)
{
    struct family_run run = run_whole(settings);
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
