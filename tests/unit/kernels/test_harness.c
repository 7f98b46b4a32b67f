/* The harness family: its reference, which takes all rounds at once, against rounds one by one; which
 * harness a point has. */
#include "unit_test.h"

#define FAMILY "harness"
#include "core/harnesses.h"
#include "family_test.h"

TEST(rounds)
{
    static const char *const settings[] = {"size=4096", "size=4096 rounds=1", "size=4096 rounds=1000"};
    static const int rounds[] = {0, 1, 1000};
    for (int k = 0; k < 3; k++) {
        struct family_run run = run_whole(settings[k]);
        for (int i = 0; i < 1024; i++) {
            uint32_t x = ((uint32_t *)run.data[0])[i];
            for (int r = 0; r < rounds[k]; r++)
                x = 1664525 * x + 1013904223;
            assert_true(((uint32_t *)run.data[1])[i] == x);
        }
    }
}

/* A user's own axis of that name says nothing about timing. */
TEST(axis)
{
    static const char *const words[] = {"a", "b", NULL};
    static const struct axis axes[] = {AXIS_WORDS("harness", "", "b", words, false)};
    static const struct space space = {.kernel = "own", .axes = axes, .count = 1};
    struct point own = point_standard(&space);
    assert_int_equal(own.value[0], 1);
    assert_int_equal(harness_of(&own), HARNESS_WARPSWEEP);
    struct family_run run = run_new("harness=do_bench");
    assert_int_equal(harness_of(&run.point), HARNESS_DO_BENCH);
}
