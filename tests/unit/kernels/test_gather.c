/* The gather family: arithmetic by hand, every reason to refuse, what the index patterns are, the reference
 * against a loop of its own, and the access pattern against the reference. */
#include "unit_test.h"

#define FAMILY "gather"
#include "family_test.h"

static uint64_t index_of(const struct family_run *run, uint64_t i)
{
    const struct buffer *b = &run->setup.buffer[1];
    uint64_t index = 0;
    memcpy(&index, (char *)run->data[1] + i * dtype_size(b->dtype), dtype_size(b->dtype));
    return index;
}

/* How many different indices there are; all must be in range. */
static uint64_t distinct(const struct family_run *run)
{
    uint64_t n = run->setup.buffer[0].count, different = 0;
    unsigned char *seen = calloc(n, 1);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(index_of(run, i) < n);
        different += !seen[index_of(run, i)]++;
    }
    free(seen);
    return different;
}

TEST(patterns)
{
    struct family_run run = run_new("size=4012 variant=strided stride=8");
    for (uint64_t i = 0; i < 125; i++) /* 1003 elements, and no factor in common with 8 */
        assert_int_equal(index_of(&run, i), 8 * i);
    assert_int_equal(index_of(&run, 126), 5);
    assert_int_equal(distinct(&run), 1003);
    run = run_new("size=4096 variant=strided stride=6");
    assert_int_equal(run.setup.buffer[1].fill.modulus, 1021); /* 1024, 1023, 1022 share 2 or 3 with 6 */
    assert_int_equal(distinct(&run), 1021);
    run = run_new("size=4012 variant=permuted index_dtype=i64");
    assert_int_equal(distinct(&run), 1003);
    run = run_new("size=40000 variant=random");
    assert_in_range(distinct(&run), 6100, 6550); /* 10000 * (1 - 1/e) = 6321, give or take 31 */
    run = run_new("size=4012 variant=linear index_dtype=i64");
    for (uint64_t i = 0; i < 1003; i++)
        assert_int_equal(index_of(&run, i), i);
}

static void assert_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    uint64_t size = dtype_size(run.setup.buffer[0].dtype);
    family_run_reference(&run);
    for (uint64_t i = 0; i < run.setup.buffer[2].count; i++)
        if (memcmp((char *)run.data[2] + i * size, (char *)run.data[0] + index_of(&run, i) * size, size) != 0)
            fail_msg("%s: element %llu", settings, (unsigned long long)i);
}

static const char *const patterns[] = {"variant=linear", "variant=strided stride=3", "variant=permuted",
                                       "variant=random"};

TEST(reference_at_odd_sizes)
{
    static const enum dtype types[] = {DTYPE_U8, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
    static const int counts[] = {1, 2, 31, 1003, 1023, 1024, 1025};
    for (int i = 0; i < 4 * 4 * 7; i++) {
        enum dtype dtype = types[i / 4 % 4];
        char settings[128];
        snprintf(settings, sizeof settings, "%s dtype=%s size=%d index_dtype=%s", patterns[i % 4],
                 dtype_words[dtype], counts[i / 16] * (int)dtype_size(dtype), i % 3 ? "i32" : "i64");
        assert_reference(settings);
    }
    assert_reference("variant=permuted size=2097166 dtype=f16"); /* 2^20 + 7 elements */
}
