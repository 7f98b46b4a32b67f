#include "unit_test.h"

#include "plan/grid.h"

TEST(texts)
{
    static const char *const wrong[] = {"",
                                        "3",
                                        "/",
                                        "3/",
                                        "/8",
                                        "0/8",
                                        "9/8",
                                        "a/8",
                                        "3/8a",
                                        "3/b",
                                        "-1/8",
                                        "1/-8",
                                        "1/100001",
                                        "3/8/9",
                                        "3.5/8",
                                        "1e9/1e9",
                                        "11111111111111111111/2"};
    struct share share = {7, 7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (share_parse(wrong[i], &share))
            fail_msg("'%s' is taken for a share", wrong[i]);
        assert_int_equal(share.number, 7); /* untouched */
    }
    assert_true(share_parse("3/8", &share));
    assert_int_equal(share.number, 3);
    assert_int_equal(share.of, 8);
    assert_true(share_parse("1/100000", &share));
}

/* Every point is in one share, shares differ by one point at most, and the count is right. */
TEST(shares_make_the_whole)
{
    for (uint32_t of = 1; of <= 9; of++) {
        for (size_t points = 0; points < 30; points++) {
            size_t all = 0;
            for (uint32_t number = 1; number <= of; number++) {
                struct share share = {number, of};
                size_t has = 0;
                for (size_t place = 0; place < points; place++)
                    has += share_has(&share, place);
                assert_int_equal(has, share_count(&share, points));
                assert_in_range(has, points / of, points / of + 1);
                all += has;
            }
            assert_int_equal(all, points);
        }
    }
    assert_true(share_has(&(struct share){0}, 5));
    assert_int_equal(share_count(&(struct share){0}, 5), 5);
}
