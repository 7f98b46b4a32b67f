/* Which devices are to be trusted: what a failure says of a device, and what it does not. */
#include "unit_test.h"

#include "coordinator/faults/health.h"

enum { SICK, WELL, RANKS, POINTS = 100 };

static void fail_elsewhere_good(struct health *health, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        health_bad(health, SICK, i, FAILURE_FIRST);
    for (uint32_t i = first; i < first + count; i++) {
        health_settle(health, SICK, i, true);
        health_good(health, WELL, i);
    }
}

TEST(held_until_it_is_known)
{
    struct health *health = health_new(RANKS, POINTS);
    for (uint32_t i = 0; i < HEALTH_STRIKES - 1; i++)
        health_bad(health, SICK, i, FAILURE_FIRST);
    assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    health_bad(health, SICK, 50, FAILURE_FIRST);
    assert_int_equal(health_state_of(health, SICK), HEALTH_SUSPECT);
    health_settle(health, SICK, 50, false); /* bad there, too: it was the point */
    assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    assert_int_equal(health->device[SICK].failures, HEALTH_STRIKES);
    health_free(health);
}

TEST(sick_when_all_are_good_elsewhere)
{
    struct health *health = health_new(RANKS, POINTS);
    fail_elsewhere_good(health, 0, HEALTH_STRIKES - 1);
    assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    fail_elsewhere_good(health, 10, 1);
    assert_int_equal(health_state_of(health, SICK), HEALTH_SICK);
    assert_int_equal(health->device[SICK].blamed, HEALTH_STRIKES);
    assert_int_equal(health_state_of(health, WELL), HEALTH_TRUSTED);
    health_free(health);
}

TEST(a_good_result_clears)
{
    struct health *health = health_new(RANKS, POINTS);
    for (uint32_t round = 0; round < 10; round++) {
        fail_elsewhere_good(health, 4 * round, HEALTH_STRIKES - 1);
        health_bad(health, SICK, 90, FAILURE_LAST);
        assert_int_equal(health->device[SICK].last.count, 1);
        assert_false(health->device[SICK].last_was_good);
        health_good(health, SICK, 4 * round + 3);
        assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
        assert_true(health->device[SICK].last_was_good);
        assert_int_equal(health->device[SICK].last.count, 0);
    }
    health_free(health);
}

/* What is bad elsewhere, or could be tried nowhere else, never counts. */
TEST(no_evidence)
{
    struct health *health = health_new(RANKS, POINTS);
    for (uint32_t i = 0; i < POINTS; i++) {
        health_bad(health, SICK, i, i % 2 ? FAILURE_FIRST : FAILURE_LAST);
        if (i % 4 == 1)
            health_settle(health, SICK, i, false);
        else
            health_forget(health, SICK, i);
        assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    }
    health_free(health);
}

/* A failed canary or replicate is blamed at once if the point has succeeded before, else when its verdict is
 * known. */
TEST(repetitions)
{
    struct health *health = health_new(RANKS, POINTS);
    for (uint32_t i = 0; i < HEALTH_STRIKES; i++) /* before anybody has measured them */
        health_bad(health, SICK, i, FAILURE_REPEATED);
    assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    for (uint32_t i = 0; i < HEALTH_STRIKES - 1; i++)
        health_good(health, WELL, i);
    assert_int_equal(health_state_of(health, SICK), HEALTH_TRUSTED);
    health_settle(health, WELL, HEALTH_STRIKES - 1, false); /* that one is bad */
    assert_int_equal(health->device[SICK].blamed, HEALTH_STRIKES - 1);
    health_bad(health, SICK, 0, FAILURE_REPEATED);
    assert_int_equal(health_state_of(health, SICK), HEALTH_SICK);
    health_free(health);
}
