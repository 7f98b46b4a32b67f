/* The reduce family: arithmetic by hand, exact sums by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "reduce"
#include "family_test.h"

TEST(bytes_and_operations)
{
    struct point point = point_of("size=4GiB");
    struct work work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 4294967296);
    assert_int_equal(work.bytes_written, 4);
    assert_int_equal(work.flops, 1073741823);
    point = point_of("size=4012B dtype=i32 offset=3");
    work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 4000);
    assert_int_equal(work.flops, 0);
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

TEST(what_cannot_exist)
{
    static const struct {
        const char *axes, *reason;
    } cases[] = {
        {"dtype=f16", "sums are of f32 and i32, not of f16"},
        {"size=1003B", "1003 bytes are no whole number of f32 elements"},
        {"vector=3", "a vector of 3 elements is no power of two"},
        {"vector=16", "a vector of 64 bytes is wider than 32 bytes, the widest access"},
        {"block=48", "a block of 48 threads is no whole number of warps"},
        {"size=4000B offset=1000", "the array ends before that offset"},
        {"size=8TiB grid=cover block=32 items=1 vector=1",
         "68719476736 blocks are more than a grid has, 2^31 - 1"},
        {"variant=cub_device items=4", "cub_device is the vendor's sum of a whole array: it has no vector, "
                                       "offset, block, items, grid or arch to choose"},
        {"variant=redux", "redux adds integers"},
    };
    char reason[256];
    struct target unknown = {0}, turing = {.capability = 75}, ampere = {.capability = 80};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].axes);
        assert_string_equal(family_skip(&point, &unknown, reason, sizeof reason), cases[i].reason);
    }
    struct point point = point_of("variant=redux dtype=i32");
    assert_null(family_skip(&point, &unknown, reason, sizeof reason));
    assert_null(family_skip(&point, &ampere, reason, sizeof reason));
    assert_string_equal(family_skip(&point, &turing, reason, sizeof reason),
                        "redux needs compute capability 8.0; this is 7.5");
    point = point_of("size=4000B offset=999");
    assert_null(family_skip(&point, &unknown, reason, sizeof reason));
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

static struct access access_at(const char *axes, uint64_t warp, uint32_t index)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    struct access access = {0};
    assert_true(family_of(&point)->access(&point, &setup, warp, index, &access));
    assert_int_equal(access.times, 1);
    return access;
}

static uint32_t accesses_of(const char *axes, uint64_t warp)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    struct access access;
    uint32_t count = 0;
    while (family_of(&point)->access(&point, &setup, warp, count, &access))
        count++;
    return count;
}

static void check(struct access access, enum access_space space, bool store, int buffer, uint32_t active,
                  uint64_t first, uint64_t step)
{
    assert_int_equal(access.space, space);
    assert_int_equal(access.store, store);
    assert_int_equal(access.buffer, buffer);
    assert_int_equal(access.active, active);
    for (uint64_t lane = 0; lane < 32; lane++)
        if (active >> lane & 1)
            assert_int_equal(access.address[lane], first + lane * step);
}

TEST(accesses)
{
    const uint32_t all = UINT32_MAX;
    /* 1 MiB, one round: 32 tiles of 32 KiB. Warp 1 of block 2, second item. */
    check(access_at("size=1MiB", 17, 1), ACCESS_GLOBAL, false, 0, all, 65536 + 4096 + 512, 16);
    check(access_at("size=1MiB", 17, 8), ACCESS_SHARED, true, 0, 1, 4, 0);    /* its warp's sum */
    check(access_at("size=1MiB", 17, 9), ACCESS_SHARED, false, 0, all, 0, 0); /* not the last */
    assert_int_equal(accesses_of("size=1MiB", 17), 10);
    check(access_at("size=1MiB", 16, 9), ACCESS_SHARED, false, 0, 0xff, 0, 4); /* eight warps' sums */
    check(access_at("size=1MiB", 16, 10), ACCESS_GLOBAL, true, 2, 1, 8, 0);    /* block 2's */
    assert_int_equal(accesses_of("size=1MiB", 16), 13);
    /* The last block reads 32 sums: warp 0 alone, then the block's sum and the result. */
    check(access_at("size=1MiB", 248, 13), ACCESS_GLOBAL, false, 2, all, 0, 4);
    check(access_at("size=1MiB", 248, 16), ACCESS_GLOBAL, true, 1, 1, 0, 0);
    assert_int_equal(accesses_of("size=1MiB", 248), 17);
    assert_int_equal(accesses_of("size=1MiB", 249), 11);

    /* 8 GiB over 528 blocks: block 0 has tiles 0, 528, ...: 497 of 262144 (262143 = 496 * 528 + 255). */
    check(access_at("size=8GiB", 0, 8 * 496), ACCESS_GLOBAL, false, 0, all, 496ull * 528 * 32768, 16);
    assert_int_equal(accesses_of("size=8GiB", 7), 497 * 8 + 2);
    assert_int_equal(accesses_of("size=8GiB", 256 * 8 + 7), 496 * 8 + 2);

    /* 1003 elements from 3 on: 249 accesses of one partial tile, a head of 1, a tail of 3. */
    check(access_at("size=4012B offset=3", 7, 0), ACCESS_GLOBAL, false, 0, (1u << 25) - 1, 16 + 224 * 16, 16);
    check(access_at("size=4012B offset=3", 0, 1), ACCESS_GLOBAL, false, 0, 1, 12, 4);
    check(access_at("size=4012B offset=3", 0, 2), ACCESS_GLOBAL, false, 0, 7, 4000, 4);

    /* The tree over 96 threads: 64 away for the first warp, then 32, 16, 8, 4, 2, 1. */
    const char *tree = "variant=shared_tree size=1MiB block=96 items=1 grid=cover";
    check(access_at(tree, 2, 1), ACCESS_SHARED, true, 0, all, 64 * 4, 4);
    assert_int_equal(accesses_of(tree, 2), 3); /* its load, its store, the flag */
    check(access_at(tree, 0, 2), ACCESS_SHARED, false, 0, all, 64 * 4, 4);
    check(access_at(tree, 0, 3), ACCESS_SHARED, true, 0, all, 0, 4);
    check(access_at(tree, 0, 4), ACCESS_SHARED, false, 0, all, 32 * 4, 4);
    check(access_at(tree, 0, 6), ACCESS_SHARED, false, 0, 0xffff, 16 * 4, 4);
    check(access_at(tree, 0, 14), ACCESS_SHARED, false, 0, 1, 4, 4);
    check(access_at(tree, 0, 15), ACCESS_GLOBAL, true, 2, 1, 0, 0);
    assert_int_equal(accesses_of("variant=cub_block", 0), 0);
}
