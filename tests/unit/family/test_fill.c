/* What inputs hold: the formulas by golden values (the GPU computes the same), ranges, permutations. */
#include "unit_test.h"

#include "family/fill.h"

TEST(golden_bits)
{
    /* From seed 0 it is splitmix64's own sequence; the others by an independent program. */
    assert_true(fill_bits(0, 0) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(fill_bits(0, 1) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(fill_bits(1, 0) == UINT64_C(0xf4a90164c4749e1a));
    assert_true(fill_bits(42, UINT64_C(1) << 40) == UINT64_C(0x8b58fc788df8fc48));
}

TEST(reals_are_in_range_and_spread)
{
    static const struct fill fill = {.kind = FILL_RANDOM, .low = -1, .high = 3};
    double sum = 0, squares = 0;
    enum { COUNT = 100000 };
    for (uint64_t i = 0; i < COUNT; i++) {
        double value = (double)fill_real(&fill, 9, i);
        assert_true(value >= -1 && value < 3);
        sum += value;
        squares += value * value;
    }
    double mean = sum / COUNT, deviation = sqrt(squares / COUNT - mean * mean);
    assert_true(fabs(mean - 1) < 0.02); /* of 4 / sqrt(12) / sqrt(COUNT) = 0.0037 */
    assert_true(fabs(deviation - 4 / sqrt(12)) < 0.02);
}

/* -1, -0.5, 0 and 0.5, as often each; ranges have the same ones. */
TEST(stepped_reals)
{
    static const struct fill fill = {.kind = FILL_RANDOM, .low = -1, .high = 1, .modulus = 4};
    enum { COUNT = 4003 };
    static float range[COUNT];
    int seen[4] = {0};
    fill_range(&fill, DTYPE_F32, 9, 17, COUNT, range);
    for (int i = 0; i < COUNT; i++) {
        double step = 2 * ((double)fill_real(&fill, 9, 17 + (uint64_t)i) + 1);
        assert_true(step == floor(step) && step >= 0 && step < 4);
        assert_true((double)range[i] == step / 2 - 1);
        seen[(int)step]++;
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(seen[i], 850, 1150);
}

TEST(integers_use_all_bits)
{
    static const struct fill fill = {.kind = FILL_RANDOM};
    static const enum dtype types[] = {DTYPE_U8, DTYPE_I32, DTYPE_I64};
    for (int t = 0; t < 3; t++) {
        uint64_t ones = 0, zeros = 0, size = dtype_size(types[t]);
        for (uint64_t i = 0; i < 200; i++) {
            uint64_t element = 0;
            fill_element(&fill, types[t], 3, i, &element);
            ones |= element;
            zeros |= ~element;
        }
        uint64_t all = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
        assert_true((ones & all) == all && (zeros & all) == all);
    }
}

TEST(seeds_differ)
{
    int same = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        same += fill_bits(1, i) == fill_bits(2, i);
        same += fill_bits(1, i) == fill_bits(1, i + 1);
        same += fill_bits(1, i + 1) == fill_bits(2, i);
    }
    assert_int_equal(same, 0);
}

/* Every value of [0, modulus) once. */
static void assert_permutation(const struct fill *fill, uint64_t seed)
{
    unsigned char *seen = calloc(fill->modulus, 1);
    for (uint64_t i = 0; i < fill->modulus; i++) {
        uint64_t value = fill_integer(fill, seed, i);
        assert_true(value < fill->modulus);
        assert_int_equal(seen[value], 0);
        seen[value] = 1;
    }
    free(seen);
}

TEST(feistel_is_a_permutation)
{
    static const uint64_t moduli[] = {1,  2,  3,  4,    5,    15,   16,    17,
                                      63, 64, 65, 1000, 1003, 4096, 65537, (1 << 20) + 7};
    for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++) {
        struct fill fill = {.kind = FILL_FEISTEL, .modulus = moduli[i]};
        for (uint64_t seed = 0; seed < (moduli[i] < 5000 ? 20 : 2); seed++)
            assert_permutation(&fill, seed);
    }
}

TEST(feistel_scatters)
{
    struct fill fill = {.kind = FILL_FEISTEL, .modulus = 1 << 20};
    int fixed = 0, neighbours = 0, same_for_other_seed = 0;
    for (uint64_t i = 0; i + 1 < 10000; i++) {
        uint64_t here = fill_integer(&fill, 5, i), next = fill_integer(&fill, 5, i + 1);
        fixed += here == i;
        neighbours += next - here < 32 || here - next < 32;
        same_for_other_seed += here == fill_integer(&fill, 6, i);
    }
    assert_true(fixed < 20 && neighbours < 20 && same_for_other_seed < 20);
}

TEST(feistel_beyond_32_bits)
{
    uint64_t modulus = (UINT64_C(1) << 40) + 12345, high = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t value = fill_permute(7, modulus - 1 - i, modulus);
        assert_true(value < modulus);
        high += value >> 39;
    }
    assert_true(high > 300 && high < 700); /* half of them in the upper half */
}

TEST(index_fill)
{
    struct fill linear = {.kind = FILL_INDEX, .multiplier = 1, .modulus = 1000};
    struct fill strided = {.kind = FILL_INDEX, .multiplier = 7, .addend = 3, .modulus = 1000};
    assert_permutation(&linear, 1);
    assert_permutation(&strided, 1); /* 7 and 1000 have no common factor */
    assert_int_equal(fill_integer(&linear, 1, 999), 999);
    assert_int_equal(fill_integer(&linear, 1, 1000), 0);
    assert_int_equal(fill_integer(&strided, 1, 0), 3);
    assert_int_equal(fill_integer(&strided, 1, 200), 403);
}

TEST(below)
{
    struct fill fill = {.kind = FILL_BELOW, .modulus = 10};
    int bucket[10] = {0};
    for (uint64_t i = 0; i < 10000; i++) {
        int32_t element;
        fill_element(&fill, DTYPE_I32, 4, i, &element);
        assert_in_range(element, 0, 9);
        bucket[element]++;
    }
    for (int i = 0; i < 10; i++) /* standard deviation 30 */
        assert_in_range(bucket[i], 850, 1150);
}

/* A range is its elements, wherever it starts, in every type, and of whole numbers of every kind of fill,
 * where products wrap around, and where moduli are powers of two; and it touches nothing beyond. */
TEST(ranges_are_their_elements)
{
    static const struct fill fills[] = {
        {.kind = FILL_RANDOM, .low = -2, .high = 2},
        {.kind = FILL_INDEX, .multiplier = 1, .modulus = 1000},
        {.kind = FILL_INDEX, .multiplier = 137, .addend = 77, .modulus = 64},
        {.kind = FILL_INDEX, .multiplier = 1 << 20, .addend = 5, .modulus = 3},
        {.kind = FILL_INDEX, .multiplier = UINT64_MAX / 50, .modulus = 1000003},
        {.kind = FILL_INDEX, .multiplier = 3, .addend = UINT64_MAX - 100, .modulus = 1000003},
        {.kind = FILL_BELOW, .modulus = 10},
        {.kind = FILL_BELOW, .modulus = 1 << 16},
        {.kind = FILL_BELOW, .modulus = 2},
        {.kind = FILL_FEISTEL, .modulus = 12345},
    };
    static const uint64_t starts[] = {0, 1, 29, 511, (UINT64_C(1) << 33) + 5};
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++)
        for (int dtype = 0; dtype < (f ? DTYPE_I64 + 1 : DTYPE_COUNT); dtype++) {
            uint64_t size = dtype_size((enum dtype)dtype);
            unsigned char range[1003 * 8 + 8], element[8];
            for (int s = 0; s < 5; s++) {
                memset(range, 0x55, sizeof range);
                fill_range(&fills[f], (enum dtype)dtype, 77, starts[s], 1003, range);
                for (uint64_t i = 0; i < 1003; i++) {
                    fill_element(&fills[f], (enum dtype)dtype, 77, starts[s] + i, element);
                    if (dtype == DTYPE_E2M1)
                        assert_int_equal(range[i / 2] >> i % 2 * 4 & 15, element[0]);
                    else
                        assert_memory_equal(range + i * size, element, size);
                }
                for (uint64_t i = 0; i < 8; i++)
                    assert_int_equal(range[dtype_bytes((enum dtype)dtype, 1003) + i], 0x55);
                fill_range(&fills[f], (enum dtype)dtype, 77, 0, 0, range); /* nothing */
            }
        }
}

/* Narrow floats are the f32 value rounded once: the GPU converts float to its type. */
TEST(narrow_floats_round_the_real)
{
    static const struct fill fill = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2, DTYPE_F32, DTYPE_F64};
    for (int t = 0; t < 6; t++) {
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t element = 0, expected = 0;
            fill_element(&fill, types[t], 5, i, &element);
            dtype_store(types[t], &expected, (double)fill_real(&fill, 5, i));
            assert_true(element == expected);
        }
    }
}

TEST(bits_that_are_not_random)
{
    static const struct fill alternate = {
        .kind = FILL_ALTERNATE, .multiplier = 0x55555555, .addend = UINT64_C(0xffffffffaaaaaaaa)};
    static const struct fill walking = {.kind = FILL_WALKING, .modulus = 32};
    uint32_t words[200];
    fill_range(&alternate, DTYPE_I32, 7, 1, 200, words);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(words[i], i % 2 ? 0x55555555 : 0xaaaaaaaa);
    fill_range(&walking, DTYPE_I32, 7, 3, 200, words);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(words[i], 1u << (i + 3) % 32);
}

/* Both places of a field in ascending order, each of the six pairs about as often; of 1:2, the two that the
 * PTX ISA allows. */
TEST(metadata)
{
    static const struct fill fill = {.kind = FILL_METADATA, .modulus = 4},
                             one = {.kind = FILL_METADATA, .modulus = 2};
    uint32_t words[1000];
    int times[16] = {0};
    fill_range(&fill, DTYPE_I32, 3, 5, 1000, words);
    for (int i = 0; i < 8000; i++)
        times[words[i / 8] >> i % 8 * 4 & 15]++;
    for (int field = 0; field < 16; field++) {
        int valid = (field & 3) < field >> 2;
        assert_true(valid ? times[field] > 800 : times[field] == 0);
    }
    fill_range(&one, DTYPE_I32, 3, 5, 1000, words);
    memset(times, 0, sizeof times);
    for (int i = 0; i < 8000; i++)
        times[words[i / 8] >> i % 8 * 4 & 15]++;
    assert_true(times[4] > 3600 && times[14] > 3600 && times[4] + times[14] == 8000);
}
