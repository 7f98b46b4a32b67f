/* The reduce family: arithmetic by hand, exact sums by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "reduce"
#include "family_test.h"

/* Stands in for the worker's threads: the portions, last first. */
static void backwards(int threads, uint64_t count, uint64_t grain,
                      void (*body)(void *context, uint64_t first, uint64_t count), void *context)
{
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
}
