/* The shared_stride family: bytes, launch, reasons, the reference by hand, and the ladder itself: wavefronts
 * of its accesses against the greatest common divisors that theory has for them. */
#include "unit_test.h"

#include "family/access/access.h"
#define FAMILY "shared_stride"
#include "family_test.h"
#include "kernels/registry.h"

static const struct family *shared_stride(void)
{
    return family_find("shared_stride");
}

/* What each lane's thread sums up, straight from the kernel's words. */
static void assert_reference(const char *settings, uint32_t step, uint32_t lanes_a_step)
{
    struct point point = point_of(settings);
    struct setup s = shared_stride()->setup(&point, &hopper);
    uint64_t words = (uint64_t)point_value(&point, "width", 0) / 4, count = s.buffer[1].count;
    uint32_t rounds = (uint32_t)point_value(&point, "rounds", 0), blocks = s.grid[0], block = s.block[0];
    uint32_t *in = malloc(4 * s.buffer[0].count), *out = malloc(4 * count);
    int64_t variant = point_value(&point, "variant", 0);
    bool write = variant == 1 || variant == 4;
    fill_range(&s.buffer[0].fill, DTYPE_I32, 8, 0, s.buffer[0].count, in);
    struct inputs inputs = {.setup = &s, .seed = 8};
    for (int materialised = 0; materialised < 2; materialised++) {
        inputs.data[0] = materialised ? in : NULL;
        memset(out, 0xff, 4 * count);
        for (uint64_t first = 0; first < count; first += 37)
            shared_stride()->reference(&point, &inputs, 1, first, count - first < 37 ? count - first : 37,
                                       out + first);
        for (uint64_t thread = 0; thread < count; thread++) {
            uint32_t sum = 0, mine = rounds / blocks + (thread / block < rounds % blocks),
                     accesses = 16 * mine;
            for (uint32_t access = 0; access < (write ? 1 : accesses); access++)
                for (uint64_t w = 0; w < words; w++)
                    sum += variant == 3 /* word w is of row lane / 4 of matrix w */
                               ? in[(8 * w + thread % 32 / 4) * step * 4 + thread % 4]
                               : in[thread % 32 / lanes_a_step * step * words + w];
            uint32_t grown = thread % 32 < 8 ? 4 : 0;
            if (variant == 1)
                grown = 1;
            assert_int_equal(out[thread], write ? sum + accesses * grown : sum);
        }
    }
    free(in);
    free(out);
}

TEST(reference)
{
    assert_reference("stride=1 blocks=1 block=32 rounds=1", 1, 1);
    assert_reference("stride=33 width=16 blocks=3 block=96 rounds=23", 33, 1);
    assert_reference("stride=0 width=8 blocks=2 block=64 rounds=128", 0, 1);
    assert_reference("variant=write stride=5 width=8 blocks=2 block=64 rounds=7", 5, 1);
    assert_reference("variant=write stride=0 width=4 blocks=5 block=32 rounds=99", 0, 1);
    assert_reference("variant=ldmatrix stride=5 width=16 blocks=3 block=64 rounds=8", 5, 1);
    assert_reference("variant=stmatrix stride=3 width=16 blocks=2 block=64 rounds=9", 3, 1);
    assert_reference("variant=broadcast stride=3 width=4 blocks=3 block=64 rounds=8", 3, 4);
}

static int divisor(int a, int b)
{
    return b ? divisor(b, a % b) : a;
}

/* The one access of a warp that repeats. */
static struct access repeated(const char *settings)
{
    struct point point = point_of(settings);
    struct setup s = shared_stride()->setup(&point, &hopper);
    struct access a;
    for (uint32_t i = 0; shared_stride()->access(&point, &s, 1, i, &a); i++)
        if (a.times > 1)
            return a;
    fail_msg("%s: nothing repeats", settings);
    return a;
}

TEST(the_ladder)
{
    static const char *const variants[] = {"read", "write"};
    static const int widths[] = {4, 8, 16};
    for (int i = 0; i < 2 * 3 * 33; i++) {
        int stride = 1 + i / 6, width = widths[i / 2 % 3], phases = width / 4, lanes = 32 / phases;
        char settings[80];
        snprintf(settings, sizeof settings, "variant=%s stride=%d width=%d blocks=3 rounds=30",
                 variants[i % 2], stride, width);
        struct access a = repeated(settings);
        assert_int_equal(a.space, ACCESS_SHARED);
        assert_int_equal(a.store, i % 2);
        assert_int_equal(a.width, width);
        assert_int_equal(a.times, 160);
        assert_int_equal(access_model_cost(&a, 90).wavefronts, phases * divisor(stride, lanes));
    }
    for (int stride = 1; stride <= 33; stride++) /* eight rows are a phase, as eight lanes of 16 bytes are */
        for (int store = 0; store < 2; store++) {
            char settings[80];
            snprintf(settings, sizeof settings, "variant=%s stride=%d width=16",
                     store ? "stmatrix" : "ldmatrix", stride);
            struct access rows = repeated(settings);
            assert_int_equal(rows.store, store);
            assert_int_equal(access_model_cost(&rows, 90).wavefronts, 4 * divisor(stride, 8));
        }
    struct access a = repeated("stride=0");
    assert_int_equal(access_model_cost(&a, 90).wavefronts, 1); /* one word for all */
    for (int stride = 1; stride <= 33; stride++) {
        char settings[80];
        snprintf(settings, sizeof settings, "variant=broadcast stride=%d", stride);
        a = repeated(settings);
        int ways = 8 * divisor(stride, 32) / 32; /* eight words, not 32 lanes */
        assert_int_equal(access_model_cost(&a, 90).wavefronts, ways ? ways : 1);
    }
}

/* Everything else that a warp does: words of the region once a block, one result a thread. */
TEST(other_accesses)
{
    struct point point = point_of("stride=4 block=64 blocks=2"); /* 31 * 4 + 1 = 125 words */
    struct setup s = shared_stride()->setup(&point, &hopper);
    struct access a;
    uint64_t loaded = 0, stored = 0, put = 0;
    for (uint64_t warp = 0; warp < 4; warp++)
        for (uint32_t i = 0; shared_stride()->access(&point, &s, warp, i, &a); i++) {
            uint64_t lanes = (uint64_t)__builtin_popcount(a.active);
            if (a.space == ACCESS_GLOBAL)
                *(a.store ? &stored : &loaded) += lanes;
            else if (a.store)
                put += lanes;
        }
    assert_int_equal(loaded, 2 * 125);
    assert_int_equal(put, 2 * 125);
    assert_int_equal(stored, 2 * 64);
    assert_false(shared_stride()->access(&point, &s, 4, 0, &a));
}
