/* The stopping rule on made-up sequences: which reason ends them, and when. */
#include <time.h>

#include "unit_test.h"

#include "base/clock.h"
#include "base/hash.h"
#include "statistics/within.h"
#include "worker/settle.h"
#include "worker/stages.h"

static const struct timing standard = {
    .min_samples = 10, .max_samples = 1000, .target_ci = 0.005, .max_time = 2, .timeout = 60};

/* A standard normal deviate (Box & Muller 1958), the same for the same (seed, k). */
static double normal(uint64_t seed, uint64_t k)
{
    double u = ((double)(hash_mix(2 * k + (seed << 32)) >> 11) + 0.5) * 0x1p-53;
    double v = ((double)(hash_mix(2 * k + 1 + (seed << 32)) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

struct outcome {
    enum stop_reason reason;
    size_t count;
    double half_width; /* relative, as result_summarise would see it */
};

/* Feed sample(seed, k) until the rule stops; each takes `pace` seconds. */
static struct outcome feed(const struct timing *timing, double (*sample)(uint64_t, uint64_t), uint64_t seed,
                           double pace)
{
    struct stopping stopping = stopping_start(timing);
    struct outcome outcome = {0};
    static double values[100000];
    while (outcome.reason == STOP_NONE && outcome.count < 100000) {
        double seconds = sample(seed, outcome.count);
        values[outcome.count++] = seconds;
        outcome.reason = stopping_add(&stopping, seconds, pace * (double)outcome.count);
    }
    outcome.half_width = within_half_width(values, outcome.count);
    stopping_free(&stopping);
    return outcome;
}

static double constant(uint64_t seed, uint64_t k)
{
    return 1e-4;
}
static double noise_1_percent(uint64_t seed, uint64_t k)
{
    return 1e-4 * (1 + 0.01 * normal(seed, k));
}
static double noise_20_percent(uint64_t seed, uint64_t k)
{
    return 1e-4 * (1 + 0.2 * normal(seed, k));
}
/* A machine that gets slower and slower: the spread grows as fast as samples come. */
static double drift(uint64_t seed, uint64_t k)
{
    return 1e-4 * (1 + 0.02 * (double)k + 0.001 * normal(seed, k));
}
/* Quiet, but one sample in nine takes ten times as long: the median does not mind. */
static double outliers(uint64_t seed, uint64_t k)
{
    return k % 9 == 4 ? 1e-3 : 1e-4 * (1 + 0.001 * normal(seed, k));
}

TEST(quiet_samples_stop_at_the_minimum)
{
    struct outcome o = feed(&standard, constant, 0, 1e-4);
    assert_int_equal(o.reason, STOP_CONVERGED);
    assert_int_equal(o.count, 10);
    struct timing more = standard;
    more.min_samples = 37;
    o = feed(&more, constant, 0, 1e-4);
    assert_int_equal(o.count, 37);
}

TEST(converged_means_the_stored_interval_is_within_target)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct outcome o = feed(&standard, noise_1_percent, seed, 1e-4);
        if (o.reason == STOP_CONVERGED)
            assert_true(o.half_width <= 0.005);
        else
            assert_int_equal(o.reason, STOP_SETTLED);
        assert_in_range(o.count, 10, 200); /* 1.96 * 1.25 * 1 % / sqrt(n) <= 0.5 % asks for some 24 */
    }
}

TEST(noise_that_samples_cure_seldom_counts_as_settled)
{
    struct timing patient = standard;
    patient.max_samples = 50000;
    patient.max_time = 1e9;
    int converged = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct outcome o = feed(&patient, noise_20_percent, seed, 1e-4);
        converged += o.reason == STOP_CONVERGED;
        if (o.reason == STOP_CONVERGED)
            assert_in_range(o.count, 4000, 16000); /* (1.96 * 1.25 * 20 % / 0.5 %)^2 = 9600 */
    }
    assert_true(converged >= 16);
}

TEST(drift_settles)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct outcome o = feed(&standard, drift, seed, 1e-6);
        assert_int_equal(o.reason, STOP_SETTLED);
        assert_in_range(o.count, 40, 160);
    }
}

TEST(outliers_do_not_hold_it_up)
{
    struct outcome o = feed(&standard, outliers, 3, 1e-4);
    assert_int_equal(o.reason, STOP_CONVERGED);
    assert_in_range(o.count, 10, 60);
}

TEST(the_caps)
{
    struct timing strict = standard;
    strict.target_ci = 1e-9;
    struct outcome o = feed(&strict, noise_1_percent, 1, 1e-7);
    assert_int_equal(o.reason, STOP_SAMPLES);
    assert_int_equal(o.count, 1000);
    o = feed(&strict, noise_1_percent, 1, 0.1);
    assert_int_equal(o.reason, STOP_TIME);
    assert_int_equal(o.count, 20);
    o = feed(&strict, noise_1_percent, 1, 1.5); /* the minimum holds beyond the cap */
    assert_int_equal(o.reason, STOP_TIME);
    assert_int_equal(o.count, 10);
    strict.min_samples = strict.max_samples = 3;
    o = feed(&strict, noise_1_percent, 1, 1e-7);
    assert_int_equal(o.reason, STOP_SAMPLES);
    assert_int_equal(o.count, 3);
    strict.min_samples = strict.max_samples = 1;
    o = feed(&strict, noise_20_percent, 1, 1e-7);
    assert_int_equal(o.count, 1);
    assert_int_equal(o.reason, STOP_SAMPLES); /* one sample is no evidence */
}

TEST(the_same_samples_stop_alike)
{
    struct outcome a = feed(&standard, noise_1_percent, 9, 1e-4),
                   b = feed(&standard, noise_1_percent, 9, 1e-4);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.reason, b.reason);
}

/* No load of a lowered clock lasts longer than a burst, unless one sample does; others never rest. */
TEST(bursts)
{
    struct timing timing = standard;
    double spent = 0, began = clock_now();
    assert_int_equal(settle_burst(&timing, true, 12e-3, 10, &spent), 10); /* sustained */
    timing.clock = CLOCK_BOOST;
    assert_int_equal(settle_burst(&timing, false, 12e-3, 10, &spent), 1); /* what finds a lowered clock */
    assert_int_equal(settle_burst(&timing, false, 1e-3, 40, &spent), 15);
    spent = 0;
    assert_int_equal(settle_burst(&timing, true, 4e-3, 10, &spent), 3);
    assert_true(clock_now() - began < BOOST_PAUSE);
    assert_int_equal(settle_burst(&timing, true, 4e-3, 10, &spent), 3); /* after a rest */
    assert_true(clock_now() - began >= BOOST_PAUSE);
    assert_true(fabs(spent - 12e-3) < 1e-9);
    assert_int_equal(settle_burst(&timing, true, 0.9e-3, 10, &spent), 3); /* what is left of this one */
    assert_int_equal(settle_burst(&timing, true, 40e-3, 2, &spent), 1);
}

/* Only the first sparse product of a process is loaded before its rest. */
TEST(load_before_sparse_products)
{
    const struct expected {
        bool sparse;
        double load;
    } points[] = {{false, 0}, {true, BOOST_SPARSE}, {true, 0}, {false, 0}, {true, 0}};
    bool loaded = false;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        assert_float_equal(settle_sparse_load(&loaded, points[i].sparse), points[i].load, 0);
}

/* Cheap enough to follow every sample: a generous bound, for a sanitizer build on a busy machine too. */
TEST(cost)
{
    struct timing strict = standard;
    strict.target_ci = 1e-9;
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    struct outcome o = feed(&strict, noise_20_percent, 5, 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double used = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    print_message("%zu samples judged in %.2f ms\n", o.count, 1e3 * used);
    assert_true(used < 0.5);
}
