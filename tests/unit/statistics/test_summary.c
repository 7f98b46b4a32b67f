/* Order statistics by hand-computed values. */
#include "unit_test.h"

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

TEST(quantiles)
{
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

TEST(by_hand)
{
    static const double values[] = {9, 1, 4, 2, 100};
    struct statistics s = statistics_of(values, 5);
    assert_near(s.median, 4);
    assert_near(s.p05, 1.2);
    assert_near(s.p95, 81.8);
    assert_near(values[0], 9); /* left as they were */
    assert_near(values[4], 100);
}

TEST(none_and_one)
{
    struct statistics s = statistics_of(NULL, 0);
    assert_true(isnan(s.median) && isnan(s.p05) && isnan(s.p95));
    double value = 3.5;
    s = statistics_of(&value, 1);
    assert_near(s.median, 3.5);
}

TEST(order_does_not_matter)
{
    double values[40], reversed[40];
    for (int i = 0; i < 40; i++)
        reversed[39 - i] = values[i] = exponential((uint64_t)i);
    struct statistics a = statistics_of(values, 40), b = statistics_of(reversed, 40);
    assert_memory_equal(&a, &b, sizeof a);
}
