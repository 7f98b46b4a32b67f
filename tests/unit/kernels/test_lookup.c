/* The lookup family: arithmetic by hand, every reason to refuse, the reference against sums made here, and
 * the access pattern against the reference. */
#include "unit_test.h"

#include "family/access/model.h"
#define FAMILY "lookup"
#include "family_test.h"

TEST(ways_to_the_table)
{
    struct setup s = setup_of("variant=texture2d table=32KiB");
    assert_false(model_is_complete(&s));
}

static void assert_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    uint64_t n = run.setup.buffer[2].count, entries = run.setup.buffer[1].count;
    int64_t lookups = point_value(&run.point, "lookups", 0);
    bool real = run.setup.buffer[1].dtype == DTYPE_F32;
    const uint32_t *index = run.data[0];
    family_run_reference(&run);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(index[i] < entries);
        float sum = ((float *)run.data[1])[index[i]];
        uint32_t whole = ((uint32_t *)run.data[1])[index[i]];
        for (uint64_t k = 1; k < (uint64_t)lookups; k++) {
            sum += ((float *)run.data[1])[(index[i] + k) % entries];
            whole += ((uint32_t *)run.data[1])[(index[i] + k) % entries];
        }
        if (real ? ((float *)run.data[2])[i] != sum : ((uint32_t *)run.data[2])[i] != whole)
            fail_msg("%s: element %llu", settings, (unsigned long long)i);
    }
}

/* Down the columns: neighbours are a row apart, and each entry but the last is read once before any is read
 * again. */
TEST(columns)
{
    struct family_run run = run_new("size=8KiB table=2KiB index=column"); /* 32 rows of 16 */
    const uint32_t *index = run.data[0];
    uint32_t seen[512] = {0};
    for (uint32_t i = 0; i < 511; i++) {
        seen[index[i]]++;
        assert_int_equal(index[i], i % 32 * 16 + i / 32);
    }
    for (uint32_t i = 0; i < 511; i++)
        assert_int_equal(seen[i], 1);
}

static const char *const patterns[] = {"modulo", "uniform", "random"};

TEST(reference_at_odd_sizes)
{
    static const int counts[] = {1, 2, 31, 1003, 1023, 1024, 1025}, tables[] = {4, 256, 1000, 4096};
    for (int i = 0; i < 3 * 7 * 4 * 2; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "index=%s size=%d table=%d dtype=%s lookups=%d", patterns[i % 3],
                 4 * counts[i / 3 % 7], tables[i / 21 % 4], i / 84 ? "i32" : "f32", 1 + i % 4 * 3);
        assert_reference(settings);
    }
    assert_reference("size=4100 index=column table=4KiB lookups=4");
    assert_reference("size=4194332 index=random table=64KiB"); /* 2^20 + 7 elements */
}

TEST(patterns)
{
    struct family_run run = run_new("size=40KiB table=1000");
    for (uint32_t i = 0; i < 10240; i++)
        assert_int_equal(((uint32_t *)run.data[0])[i], i % 250);
    run = run_new("size=40KiB table=1000 index=uniform");
    for (uint32_t i = 0; i < 10240; i++)
        assert_int_equal(((uint32_t *)run.data[0])[i], 125);
    run = run_new("size=40KiB table=1000 index=random");
    uint32_t seen[250] = {0};
    for (uint32_t i = 0; i < 10240; i++)
        seen[((uint32_t *)run.data[0])[i]]++;
    for (int i = 0; i < 250; i++)
        assert_in_range(seen[i], 12, 80); /* 41 each, give or take 6.4 */
}

TEST(accesses_cover_the_arrays)
{
    static const char *const variants[] = {"plain",   "restrict", "ldg",      "constant",
                                           "texture", "shared",   "texture2d"};
    static const int counts[] = {1, 33, 1003, 1023, 1024, 1025, 5000};
    for (int i = 0; i < 7 * 7 * 3; i++) {
        char settings[160];
        uint64_t loaded[SETUP_BUFFERS_MAX], count = (uint64_t)counts[i / 7 % 7];
        int variant = i % 7, lookups = 1 + i / 49;
        snprintf(settings, sizeof settings,
                 "variant=%s size=%d items=%d block=%d lookups=%d index=%s table=1KiB", variants[variant],
                 4 * (int)count, 1 + i / 49, i / 49 == 2 ? 48 : 64, lookups, patterns[i % 2]);
        assert_accesses(settings, loaded);
        struct setup s = setup_of(settings);
        assert_int_equal(loaded[0], 4 * count);
        if (variant <= 2)
            assert_int_equal(loaded[1], 4 * count * (uint64_t)lookups);
        else
            assert_int_equal(loaded[1], variant == 5 ? 1024 * s.grid[0] : 0); /* staged by each block */
    }
}

TEST(random_accesses)
{
    struct access a = access_of("variant=constant index=random", 0, 1); /* entries are no global accesses */
    assert_true(a.store);
    assert_false(a.random);
    a = access_of("index=random", 0, 1); /* an example */
    assert_true(a.random);
    assert_true(a.address[0] < 4096 && a.address[0] != a.address[1]);
    assert_false(access_of("index=random", 0, 0).random); /* the indices lie in order */
}
