/* Order statistics by hand-computed values, and the interval by what it promises: it holds the median. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "statistics/summary.h"

static double uniform(uint64_t k)
{
    return ((double)(hash_mix(k + 1) >> 11) + 0.5) * 0x1p-53;
}

/* The median of this one is log(2). */
static double exponential(uint64_t k)
{
    return -log(uniform(k));
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-12);
}

static void test_quantiles(void **state)
{
    (void)state;
    static const double five[] = {1, 2, 4, 8, 16}, two[] = {3, 5}, one[] = {7};
    assert_near(statistics_quantile(five, 5, 0), 1);
    assert_near(statistics_quantile(five, 5, 0.25), 2);
    assert_near(statistics_quantile(five, 5, 0.5), 4);
    assert_near(statistics_quantile(five, 5, 0.9), 12.8); /* type 7: 8 + 0.6 * 8 */
    assert_near(statistics_quantile(five, 5, 1), 16);
    assert_near(statistics_quantile(two, 2, 0.5), 4);
    assert_near(statistics_quantile(two, 2, 0.05), 3.1);
    assert_near(statistics_quantile(one, 1, 0), 7);
    assert_near(statistics_quantile(one, 1, 0.99), 7);
}

static void test_by_hand(void **state)
{
    (void)state;
    static const double values[] = {9, 1, 4, 2, 100};
    struct statistics s = statistics_of(values, 5, 1);
    assert_int_equal(s.count, 5);
    assert_near(s.median, 4);
    assert_near(s.mean, 23.2);
    assert_near(s.min, 1);
    assert_near(s.p05, 1.2);
    assert_near(s.p95, 81.8);
    assert_near(s.mad, 3); /* of 3, 2, 0, 5, 96 */
    assert_true(s.ci_low >= 1 && s.ci_low <= 4 && s.ci_high >= 4 && s.ci_high <= 100);
    assert_near(values[0], 9); /* left as they were */
    assert_near(values[4], 100);
}

static void test_none_and_one(void **state)
{
    (void)state;
    struct statistics s = statistics_of(NULL, 0, 1);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.median) && isnan(s.mean) && isnan(s.min) && isnan(s.p05) && isnan(s.p95) &&
                isnan(s.mad) && isnan(s.ci_low) && isnan(s.ci_high));
    double value = 3.5;
    s = statistics_of(&value, 1, 1);
    assert_near(s.median, 3.5);
    assert_near(s.mad, 0);
    assert_near(s.ci_low, 3.5);
    assert_near(s.ci_high, 3.5);
}

static void test_seed_and_order(void **state)
{
    (void)state;
    double values[40], reversed[40];
    for (int i = 0; i < 40; i++)
        reversed[39 - i] = values[i] = exponential((uint64_t)i);
    struct statistics a = statistics_of(values, 40, 5), b = statistics_of(reversed, 40, 5);
    assert_memory_equal(&a, &b, sizeof a);
    bool differs = false;
    for (uint64_t seed = 6; seed < 12; seed++) {
        b = statistics_of(values, 40, seed);
        differs |= a.ci_low != b.ci_low || a.ci_high != b.ci_high;
        /* The bootstrap's own noise is small beside the interval. */
        assert_true(fabs(a.ci_low - b.ci_low) < 0.35 * (a.ci_high - a.ci_low));
        assert_true(fabs(a.ci_high - b.ci_high) < 0.35 * (a.ci_high - a.ci_low));
    }
    assert_true(differs);
}

/* A 95 % interval holds the true median 95 times in a hundred, for few samples and for many, odd and even. */
static void test_coverage(void **state)
{
    (void)state;
    static const size_t counts[] = {11, 20, 51, 200, 257, 600};
    enum { SETS = 300 };
    static double values[600];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        int held = 0;
        for (uint64_t set = 0; set < SETS; set++) {
            for (size_t i = 0; i < counts[c]; i++)
                values[i] = exponential((c * SETS + set) * 1000 + i);
            struct statistics s = statistics_of(values, counts[c], set);
            assert_true(s.ci_low <= s.median && s.median <= s.ci_high);
            held += s.ci_low <= log(2) && log(2) <= s.ci_high;
        }
        if (held < 0.90 * SETS || held > 0.99 * SETS)
            fail_msg("with %zu samples the interval held the median %d times in %d", counts[c], held, SETS);
    }
}

/* Where the two ways to an interval meet, they agree. */
static void test_interval_is_continuous_in_count(void **state)
{
    (void)state;
    double values[257];
    for (int i = 0; i < 257; i++)
        values[i] = (i + 0.5) / 257; /* evenly spread: no noise of its own */
    struct statistics below = statistics_of(values, 256, 3), above = statistics_of(values, 257, 3);
    double low = below.ci_high - below.ci_low, high = above.ci_high - above.ci_low;
    assert_true(low / high > 0.85 && low / high < 1.15);
}

static void test_ties(void **state)
{
    (void)state;
    double values[300];
    for (int i = 0; i < 300; i++)
        values[i] = 2;
    for (size_t count = 1; count <= 300; count += 13) {
        struct statistics s = statistics_of(values, count, 9);
        assert_near(s.ci_low, 2);
        assert_near(s.ci_high, 2);
        assert_near(s.mad, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),    cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_none_and_one), cmocka_unit_test(test_seed_and_order),
        cmocka_unit_test(test_coverage),     cmocka_unit_test(test_interval_is_continuous_in_count),
        cmocka_unit_test(test_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
