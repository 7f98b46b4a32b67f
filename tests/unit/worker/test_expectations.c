/* What references said, kept: found again, never mixed up, never beyond the memory, the oldest gone first. */
#include "unit_test.h"

#include "worker/verify.h"

TEST(found_as_it_was_left)
{
    struct expectations *kept = expectations_new(1 << 16);
    struct expectation *a = expectations_find(kept, 1, 100, true);
    assert_int_equal(a->known, 0);
    memset(a->data, 'a', 100);
    a->known = 60;
    struct expectation *b = expectations_find(kept, 2, 100, true);
    assert_int_equal(b->known, 0);
    memset(b->data, 'b', 100);
    a = expectations_find(kept, 1, 100, true);
    assert_int_equal(a->known, 60);
    for (int i = 0; i < 100; i++)
        assert_int_equal(a->data[i], 'a');
    assert_int_equal(expectations_find(kept, 1, 101, true)->known, 0); /* of another size: another */
    expectations_free(kept);
}

TEST(the_oldest_go_first)
{
    struct expectations *kept = expectations_new(8 * 4096);
    for (uint64_t key = 1; key <= 8; key++)
        expectations_find(kept, key, 4000, true)->known = key;
    for (uint64_t key = 1; key <= 8; key++)
        assert_int_equal(expectations_find(kept, key, 4000, true)->known, key);
    expectations_find(kept, 9, 2 * 4096, true)->known = 9; /* in place of the first two */
    for (uint64_t key = 3; key <= 8; key++)
        assert_int_equal(expectations_find(kept, key, 4000, true)->known, key);
    assert_int_equal(expectations_find(kept, 9, 2 * 4096, true)->known, 9);
    assert_int_equal(expectations_find(kept, 1, 4000, true)->known, 0);
    expectations_free(kept);
}

TEST(what_does_not_fit_is_not_kept)
{
    struct expectations *kept = expectations_new(2 * 4096);
    assert_null(expectations_find(kept, 1, 2 * 4096 + 1, true));
    assert_non_null(expectations_find(kept, 1, 2 * 4096, true));
    assert_null(expectations_find(kept, 1, 0, true));
    assert_null(expectations_find(NULL, 1, 10, true));
    expectations_free(kept);
    expectations_free(NULL);
}

/* More small ones than there are entries: each has its own memory, whatever became of the others. */
TEST(many)
{
    struct expectations *kept = expectations_new(UINT64_C(64) << 20);
    for (uint64_t key = 1; key <= 10000; key++) {
        struct expectation *one = expectations_find(kept, key, sizeof key, true);
        memcpy(one->data, &key, sizeof key);
        one->known = sizeof key;
    }
    int there = 0;
    for (uint64_t key = 10000; key > 9000; key--) {
        struct expectation *one = expectations_find(kept, key, sizeof key, true);
        there += one->known == sizeof key && !memcmp(one->data, &key, sizeof key);
    }
    assert_int_equal(there, 1000);
    expectations_free(kept);
}

TEST(the_standard_share)
{
    assert_in_range(expectations_standard_bytes(), 1 << 20, 1 << 30);
}
