/* The reduce family: arithmetic by hand, exact sums by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "reduce"
#include "family_test.h"

TEST(work)
{
    assert_work("size=4GiB", UINT64_C(4294967296), 4, 1073741823);
    assert_work("size=4012B dtype=i32 offset=3", 4000, 4, 0);
}

TEST(launch)
{
    static const struct {
        const char *axes;
        uint32_t blocks, accesses, head, tail;
    } cases[] = {
        {"size=4B", 1, 0, 0, 1},
        {"size=12B offset=1", 1, 0, 2, 0},        /* the head ends with the array */
        {"size=4012B offset=3", 1, 249, 1, 3},    /* 1003 - 3 - 1 = 249 * 4 + 3 */
        {"size=32KiB grid=cover", 1, 2048, 0, 0}, /* just one tile of 256 * 8 */
        {"size=32764B grid=cover", 1, 2047, 0, 3},
        {"size=32784B grid=cover", 2, 2049, 0, 0},
        {"size=1GiB grid=cover", 32768, 67108864, 0, 0},
        {"size=1GiB", 528, 67108864, 0, 0}, /* 4 blocks on each of 132 */
        {"size=1GiB block=1024 vector=1", 132, 268435456, 0, 0},
        {"size=1GiB block=96", 1320, 67108864, 0, 0},
        {"size=64B offset=5 vector=8", 1, 1, 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].axes);
        struct setup setup = family_setup(&point);
        assert_int_equal(setup.grid[0], cases[i].blocks);
        assert_int_equal(setup.buffer[2].count, cases[i].blocks);
        assert_int_equal(setup.argument[4].value, cases[i].accesses);
        assert_int_equal(setup.argument[5].value, cases[i].head);
        assert_int_equal(setup.argument[6].value, cases[i].tail);
        assert_int_equal(setup.buffer[3].role, BUFFER_ZEROED);
    }
    struct point point = point_of("size=1GiB");
    struct target large = {.multiprocessors = 148};
    assert_int_equal(family_of(&point)->setup(&point, &large).grid[0], 592);
    point = point_of("size=1GiB variant=cub_device");
    struct setup setup = family_setup(&point);
    assert_int_equal(setup.engine, ENGINE_CUB_REDUCE);
    assert_int_equal(setup.buffers, 2);
}

TEST(every_reason)
{
    static const struct target turing = {.capability = 75}, ampere = {.capability = 80};
    assert_skip("dtype=f16", "sums are of f32 and i32, not of f16");
    assert_skip("size=1003B", "1003 bytes are no whole number of f32 elements");
    assert_skip("vector=3", "a vector of 3 elements is no power of two");
    assert_skip("vector=16", "a vector of 64 bytes is wider than 32 bytes, the widest access");
    assert_skip("block=48", "a block of 48 threads is no whole number of warps");
    assert_skip("size=4000B offset=1000", "the array ends before that offset");
    assert_skip("size=4000B offset=999", NULL);
    assert_skip("size=8TiB grid=cover block=32 items=1 vector=1",
                "68719476736 blocks are more than a grid has, 2^31 - 1");
    assert_skip("variant=cub_device items=4", "has no vector, offset, block, items, grid or arch to choose");
    assert_skip("variant=redux", "redux adds integers");
    assert_skip_on(&ampere, "variant=redux dtype=i32", NULL);
    assert_skip_on(&turing, "variant=redux dtype=i32", "redux needs compute capability 8.0; this is 7.5");
}

/* Stands in for the worker's threads: the portions, last first. */
static void backwards(int threads, uint64_t count, uint64_t grain,
                      void (*body)(void *context, uint64_t first, uint64_t count), void *context)
{
    (void)threads;
    for (uint64_t portion = (count + grain - 1) / grain; portion-- > 0;) {
        uint64_t first = portion * grain;
        body(context, first, count - first < grain ? count - first : grain);
    }
}

static void check_sum(const char *axes)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    uint64_t count = setup.buffer[0].count, offset = setup.argument[7].value;
    bool real = setup.buffer[0].dtype == DTYPE_F32;
    unsigned char *in = memory_new(count, 4);
    fill_range(&setup.buffer[0].fill, setup.buffer[0].dtype, 11, 0, count, in);
    long double sum = 0; /* 64 bits of mantissa: exact up to 2^41 elements of 24 bits */
    uint32_t wrapped = 0, got[3];
    for (uint64_t i = offset; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, in + 4 * i, sizeof bits);
        wrapped += bits;
        sum += (long double)dtype_load(setup.buffer[0].dtype, in + 4 * i);
    }
    struct inputs inputs = {.setup = &setup, .seed = 11};
    family_of(&point)->reference(&point, &inputs, 1, 0, 1, &got[0]);
    inputs.parallel = backwards;
    family_of(&point)->reference(&point, &inputs, 1, 0, 1, &got[1]);
    inputs.data[0] = in;
    family_of(&point)->reference(&point, &inputs, 1, 0, 1, &got[2]);
    float expected = (float)sum;
    uint32_t bits;
    memcpy(&bits, &expected, sizeof bits);
    for (int i = 0; i < 3; i++)
        assert_int_equal(got[i], real ? bits : wrapped);
    free(in);
}

TEST(reference)
{
    check_sum("size=4B");
    check_sum("size=4012B");
    check_sum("size=4012B offset=5");
    check_sum("size=4194332B"); /* 2^20 + 7 elements */
    check_sum("size=4B dtype=i32");
    check_sum("size=4012B dtype=i32 offset=1002");
    check_sum("size=4194332B dtype=i32");
}

/* Random order in float stays within the tolerance; one element more or less mostly does not. */
TEST(tolerance)
{
    struct point point = point_of("size=64MiB");
    struct setup setup = family_setup(&point);
    struct inputs inputs = {.setup = &setup, .seed = 3};
    double absolute = family_of(&point)->tolerance(&point).absolute;
    float expected, chains[128] = {0}, sum = 0;
    family_of(&point)->reference(&point, &inputs, 1, 0, 1, &expected);
    for (uint64_t i = 0; i < 16777216; i++)
        chains[i % 128] += fill_real(&setup.buffer[0].fill, 3, i); /* worse: 2^17 one after another */
    for (int i = 0; i < 128; i++)
        sum += chains[i];
    assert_true(fabs((double)sum - (double)expected) < 16 * absolute);
    assert_true(absolute < 0.01);
    point = point_of("dtype=i32");
    assert_true(family_of(&point)->tolerance(&point).absolute == 0);
}

/* Each element is loaded once, and each block's sum by the last block. */
TEST(accesses)
{
    static const char *const settings[] = {"size=1MiB",
                                           "size=4012B offset=3",
                                           "size=4B",
                                           "variant=shuffle size=400KB grid=cover vector=2 offset=5",
                                           "variant=shared_tree size=1MiB block=96 items=1 grid=cover",
                                           "variant=redux dtype=i32 size=100KB block=32 vector=8"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX];
        struct point point = point_of(settings[i]);
        assert_accesses(settings[i], loaded);
        assert_int_equal(loaded[0], family_of(&point)->work(&point).bytes_read);
        assert_int_equal(loaded[2], 4 * setup_of(settings[i]).buffer[2].count);
    }
    /* The tree over 96 threads: 64 away for the first warp, then 32, 16, 8, 4, 2, 1. */
    const char *tree = "variant=shared_tree size=1MiB block=96 items=1 grid=cover";
    static const uint64_t away[] = {64, 32, 16, 8, 4, 2, 1};
    for (uint32_t i = 0; i < 7; i++) {
        struct access access = access_of(tree, 0, 2 + 2 * i);
        assert_true(access.space == ACCESS_SHARED && !access.store && access.address[0] == 4 * away[i]);
        assert_int_equal(access.active, away[i] < 32 ? (1u << away[i]) - 1 : UINT32_MAX);
    }
    struct access access;
    struct point point = point_of("variant=cub_block");
    struct setup setup = family_setup(&point);
    assert_false(family_of(&point)->access(&point, &setup, 0, 0, &access));
}
