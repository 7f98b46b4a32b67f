/* Verdicts of two files: by hand, and by what two simulated runs of the same and of another thing look like.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simulation.h"
#include "statistics/pooling.h"
#include "statistics/student.h"
#include "statistics/verdict.h"

#ifdef __SANITIZE_ADDRESS__
enum { PAIRS = 40 }; /* checked code is slow */
#else
enum { PAIRS = 80 };
#endif
enum { POINTS = 200, SHORT = 80, PROCESSES = 3, PROCESSES_MAX = 40 };

/* A run of POINTS points, the first SHORT of 1 to 20 us with a common shift of each process, the rest
 * up to 10 ms. */
struct machine {
    double common; /* standard deviation of a process at short points; 0.05 % at long ones */
    double within; /* standard error of a process's median */
    double slower; /* what the last quarter of the points takes more, relative */
    double own; /* standard deviation of a process at a point, besides; 0: 0.05 % and a fifth of `common` */
    uint32_t processes; /* 0: PROCESSES */
};

static double seconds_of(int point)
{
    return point < SHORT ? 1e-6 * pow(20, (double)point / SHORT)
                         : 20e-6 * pow(500, (double)(point - SHORT) / (POINTS - SHORT));
}

static bool is_changed(int point)
{
    return point % 4 == 3;
}

static void run(const struct machine *m, uint64_t *state, struct levels_estimate *estimates)
{
    static struct levels_cell cells[POINTS][PROCESSES_MAX];
    static struct levels levels[POINTS];
    double shift[PROCESSES_MAX];
    const uint32_t processes = m->processes ? m->processes : PROCESSES;
    for (uint32_t p = 0; p < processes; p++)
        shift[p] = simulation_normal(state);
    for (int g = 0; g < POINTS; g++) {
        double seconds = seconds_of(g), common = g < SHORT ? m->common : 0;
        for (uint32_t p = 0; p < processes; p++) {
            double own = m->own > 0 ? m->own : 0.2 * common + 0.0005,
                   log_median = log(seconds) + common * shift[p];
            log_median += is_changed(g) ? log1p(m->slower) : 0;
            log_median += own * simulation_normal(state) + m->within * simulation_normal(state);
            cells[g][p] = (struct levels_cell){.process = p,
                                               .log_median = log_median,
                                               .variance = m->within * m->within,
                                               .dof = 20,
                                               .samples = 30};
        }
        levels[g] = levels_of(cells[g], processes);
    }
    struct pooling pooling = pooling_of(levels, POINTS);
    for (int g = 0; g < POINTS; g++) {
        estimates[g] = pooling_estimate(&pooling, cells[g], processes);
        levels_free(&levels[g]);
    }
}

/* Of the points that `member` selects (NULL: all). */
static struct verdict_ratio group_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                                     const struct levels_estimate *b, const bool *member, size_t count)
{
    struct verdict_sums sums = {0};
    for (size_t i = 0; i < count; i++)
        if (!member || member[i])
            verdict_add(&sums, &a[i], &b[i]);
    return verdict_group(rule, &sums);
}

/* That find 2 % at 95 % of the points. */
static size_t replicates_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                            const struct levels_estimate *b, const struct verdict_ratio *points, size_t count)
{
    static struct verdict_scaling scaling[POINTS];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        verdict_scaling_add(scaling, &known, &a[i], &b[i], &points[i]);
    return verdict_replicates(rule, scaling, known, 0.02, 0.95);
}

/* Shares of all points of all pairs of runs. */
struct tally {
    double verdict[VERDICT_COUNT];         /* of unchanged points */
    double changed[VERDICT_COUNT];         /* of changed ones */
    double held, held_short, held_changed; /* the interval holds the true ratio */
    double runs_alarmed;                   /* pairs with a false faster or slower */
    double group_held, group_width;        /* the geometric mean's interval, over unchanged points */
    double width_short;                    /* mean half-width of a short point's ratio */
};

static void one_pair(const struct machine *a, const struct machine *b, double threshold, uint64_t *state,
                     struct tally *t, int pairs)
{
    static struct levels_estimate file_a[POINTS], file_b[POINTS];
    static struct verdict_ratio ratios[POINTS];
    static bool unchanged[POINTS];
    struct verdict_rule rule = verdict_rule_of(threshold);
    rule.spread = VERDICT_ALIKE;
    bool alarmed = false;
    run(a, state, file_a);
    run(b, state, file_b);
    for (int g = 0; g < POINTS; g++)
        ratios[g] = verdict_ratio_of(&rule, &file_a[g], &file_b[g]);
    verdict_decide(&rule, ratios, POINTS);
    for (int g = 0; g < POINTS; g++) {
        const struct verdict_ratio *r = &ratios[g];
        unchanged[g] = !is_changed(g) || b->slower == 0;
        double truth = unchanged[g] ? 1 : 1 + b->slower;
        bool held = r->low <= truth && truth <= r->high;
        t->held += (double)held / (POINTS * pairs);
        t->held_short += g < SHORT ? (double)held / (SHORT * pairs) : 0;
        t->width_short += g < SHORT ? 0.5 * log(r->high / r->low) / (SHORT * pairs) : 0;
        if (unchanged[g]) {
            t->verdict[r->verdict] += 1;
            alarmed |= r->verdict == VERDICT_FASTER || r->verdict == VERDICT_SLOWER;
        } else {
            t->changed[r->verdict] += 1;
            t->held_changed += held;
        }
    }
    t->runs_alarmed += (double)alarmed / pairs;
    struct verdict_ratio mean = group_of(&rule, file_a, file_b, unchanged, POINTS);
    t->group_held += (double)(mean.low <= 1 && 1 <= mean.high) / pairs;
    t->group_width += 0.5 * log(mean.high / mean.low) / pairs;
}

static struct tally compare(const struct machine *a, const struct machine *b, double threshold, int pairs,
                            uint64_t seed)
{
    struct tally t = {.held = 0};
    uint64_t state = hash_mix(seed);
    for (int k = 0; k < pairs; k++)
        one_pair(a, b, threshold, &state, &t, pairs);
    double unchanged = 0, changed = 0;
    for (int v = 0; v < VERDICT_COUNT; v++) {
        unchanged += t.verdict[v];
        changed += t.changed[v];
    }
    for (int v = 0; v < VERDICT_COUNT; v++) {
        t.verdict[v] /= unchanged;
        t.changed[v] /= changed > 0 ? changed : 1;
    }
    t.held_changed /= changed > 0 ? changed : 1;
    return t;
}

/* Two runs of the same thing, nothing changed; a difference of 5 % matters. */
static void test_the_same_twice(void **state)
{
    (void)state;
    static const struct {
        double common, same_least;
    } rows[] = {
        {0.002, 0.995},
        {0.005, 0.995},
        {0.008, 0.99}, /* as far apart as processes of an H200 or H100 were found to be with CUDA graphs */
        {0.010, 0.97}, /* here three processes begin to be too few: 98.7 % same in 1000 pairs */
    };
    for (int i = 0; i < 4; i++) {
        const struct machine m = {.common = rows[i].common, .within = 0.001};
        struct tally t = compare(&m, &m, 0.05, PAIRS, (uint64_t)i + 1);
        print_message(
            "A/A, processes %.1f %%: same %.2f %%, uncertain %.2f %%, faster or slower %.3f %% (in "
            "%.1f %% of pairs); ratio held %.1f %% (short %.1f %%, +-%.2f %%); geometric mean held %.1f %%, "
            "+-%.2f %%\n",
            100 * rows[i].common, 100 * t.verdict[VERDICT_SAME], 100 * t.verdict[VERDICT_UNCERTAIN],
            100 * (t.verdict[VERDICT_FASTER] + t.verdict[VERDICT_SLOWER]), 100 * t.runs_alarmed, 100 * t.held,
            100 * t.held_short, 100 * t.width_short, 100 * t.group_held, 100 * t.group_width);
        assert_true(t.verdict[VERDICT_SAME] >= rows[i].same_least);
        /* 1 % of pairs, by the false discovery rate; as a shift moves all short points alike, it is many
         * points of one pair or none. */
        assert_true(t.runs_alarmed <= 2.5 / PAIRS);
        double least = PAIRS < 80 ? 0.86 : 0.93; /* a small simulation is off by 7 % at two standard errors */
        assert_true(t.held >= least && t.held_short >= least && t.group_held >= least);
    }
}

/* Where processes deviate by 5 %, three of them cannot tell: uncertain, not the same and not different. */
static void test_uncertain_is_said(void **state)
{
    (void)state;
    const struct machine m = {.common = 0.10, .within = 0.001};
    struct tally t = compare(&m, &m, 0.05, PAIRS / 2, 9);
    assert_true(t.verdict[VERDICT_UNCERTAIN] > 0.25); /* of all; 40 % are short */
    assert_true(t.runs_alarmed <= 0.03);
}

/* A quarter of the points takes 2 % more. */
static void test_two_percent_are_seen(void **state)
{
    (void)state;
    const struct machine a = {.common = 0.002, .within = 0.001},
                         b = {.common = 0.002, .within = 0.001, .slower = 0.02};
    struct tally t = compare(&a, &b, 0.01, PAIRS, 4);
    print_message(
        "A/B, 2 %% more in a quarter of the points, processes 0.2 %%: slower %.2f %%, same %.2f %%, "
        "uncertain %.2f %%; ratio held %.1f %%; of the others, faster or slower %.3f %%\n",
        100 * t.changed[VERDICT_SLOWER], 100 * t.changed[VERDICT_SAME], 100 * t.changed[VERDICT_UNCERTAIN],
        100 * t.held_changed, 100 * (t.verdict[VERDICT_FASTER] + t.verdict[VERDICT_SLOWER]));
    /* three processes each: four degrees of freedom, and the test is against 1 %, not against 0 */
    assert_true(t.changed[VERDICT_SLOWER] >= 0.75 && t.changed[VERDICT_SAME] == 0);
    assert_true(t.changed[VERDICT_FASTER] == 0);
    assert_true(t.held_changed >= 0.93);
    assert_true(t.verdict[VERDICT_FASTER] + t.verdict[VERDICT_SLOWER] == 0);
}

static struct levels_estimate estimate(double log_seconds, double error, double dof);

/* True differences below the threshold are not called. */
static void test_below_the_threshold(void **state)
{
    (void)state;
    static const double slower[] = {0.002, 0.005, 0.009, 0.0099};
    for (size_t i = 0; i < sizeof slower / sizeof *slower; i++) {
        const struct machine a = {.common = 0.002, .within = 0.001},
                             b = {.common = 0.002, .within = 0.001, .slower = slower[i]};
        struct tally t = compare(&a, &b, 0.01, PAIRS, 20 + i);
        double called = t.changed[VERDICT_SLOWER] + t.changed[VERDICT_FASTER];
        print_message("true difference %.2f %%, threshold 1 %%: called %.2f %%\n", 100 * slower[i],
                      100 * called);
        assert_true(called <= 0.01);
    }
}

/* The power that is told is the power there is. */
static void test_detectable(void **state)
{
    (void)state;
    struct verdict_rule rule = verdict_rule_of(0.01);
    struct levels_estimate a = estimate(-9, 0.001, INFINITY), b = estimate(-9, 0.001, INFINITY);
    struct verdict_ratio r[2] = {verdict_ratio_of(&rule, &a, &b), verdict_ratio_of(&rule, &a, &b)};
    /* one-sided at 1 % and 95 %: (2.3263 + 1.6449) standard errors above the threshold */
    double expected = expm1(log1p(0.01) + (2.32635 + 1.64485) * sqrt(2e-6));
    assert_true(fabs(verdict_detectable(&rule, r, NULL, 2, 0.95) - expected) < 5e-5);
    r[1].error *= 1000; /* half of the points would never show anything */
    assert_true(isnan(verdict_detectable(&rule, r, NULL, 2, 0.95)));
    const bool first[] = {true, false};
    assert_true(fabs(verdict_detectable(&rule, r, first, 2, 0.95) - expected) < 5e-5);
}

/* Errors fall with the square root of the number of processes; what units add stays. */
static void test_replicates(void **state)
{
    (void)state;
    struct verdict_rule rule = verdict_rule_of(0.01);
    struct levels_estimate a[2] = {estimate(-9, 0.004, 1e9), estimate(-9, 0.004, 1e9)}, b[2];
    struct verdict_ratio r[2];
    memcpy(b, a, sizeof b);
    for (int i = 0; i < 2; i++)
        r[i] = verdict_ratio_of(&rule, &a[i], &b[i]);
    /* (2.3263 + 1.6449) standard errors between 1 % and 2 %; three processes each have 0.4 % sqrt(2) */
    double n = 3 * 2 * pow(0.004 * (2.32635 + 1.64485) / log(1.02 / 1.01), 2);
    assert_int_equal(replicates_of(&rule, a, b, r, 2), (size_t)ceil(n));
    assert_int_equal(replicates_of(&rule, a, b, r, 0), 0);
    r[1].error *= 0.5; /* a quarter of the variance */
    assert_int_equal(replicates_of(&rule, a + 1, b + 1, r + 1, 1), (size_t)ceil(n / 4));
    a[1].between = b[1].between = 0.12 * r[1].error * r[1].error;
    assert_int_equal(replicates_of(&rule, a + 1, b + 1, r + 1, 1),
                     (size_t)ceil(0.76 * n / 4 / (1 - 0.24 * n / 4 / 3)));
    r[1].error = 0.1;
    assert_int_equal(replicates_of(&rule, a + 1, b + 1, r + 1, 1), VERDICT_REPLICATES_MAX + 1);
    a[0].units = a[1].units = 1; /* one process does not tell how processes differ */
    assert_int_equal(replicates_of(&rule, a, b, r, 2), 0);
}

/* Two pooled files of one class: its prior counts once. */
static void test_prior_counts_once(void **state)
{
    (void)state;
    struct verdict_rule rule = verdict_rule_of(0.01);
    rule.spread = VERDICT_ALIKE;
    /* 3 processes, 2 degrees of freedom of their own, 6 of the prior: (6 * 4 + 2 * 10) / 8 / 3 and (6 * 4 + 2 * 2) / 8 / 3 */
    struct levels_estimate a = {.log_seconds = -9,
                                .own = 5.5e-6 / 3,
                                .own_dof = 8,
                                .prior = 4e-6,
                                .prior_dof = 6,
                                .common_dof = 2,
                                .units = 3,
                                .basis = LEVELS_POOLED},
                           b = a;
    b.own = 3.5e-6 / 3;
    struct verdict_ratio r = verdict_ratio_of(&rule, &a, &b);
    assert_true(fabs(r.dof - 10) < 1e-9);
    assert_true(fabs(r.error * r.error - (6 * 4e-6 + 2 * 10e-6 + 2 * 2e-6) / 10 * 2 / 3) < 1e-15);
}

/* With as many processes as are told, 2 % are found; with three they are not. */
static void test_told_replicates_suffice(void **state)
{
    (void)state;
    static struct levels_estimate a[POINTS], b[POINTS];
    static struct verdict_ratio ratios[POINTS];
    struct machine m = {.common = 0.001, .within = 0.001, .own = 0.006};
    struct verdict_rule rule = verdict_rule_of(0.01);
    rule.spread = VERDICT_ALIKE;
    uint64_t random = hash_mix(31);
    run(&m, &random, a);
    run(&m, &random, b);
    for (int g = 0; g < POINTS; g++)
        ratios[g] = verdict_ratio_of(&rule, &a[g], &b[g]);
    size_t told = replicates_of(&rule, a, b, ratios, POINTS);
    assert_true(told > 5 && told <= PROCESSES_MAX);
    double found[2];
    for (int many = 0; many < 2; many++) {
        size_t called = 0, all = 0;
        m.processes = many ? (uint32_t)told : PROCESSES;
        for (int k = 0; k < PAIRS / 4; k++) {
            run(&m, &random, a);
            run(&m, &random, b);
            for (int g = 0; g < POINTS; g++) {
                b[g].log_seconds += log1p(0.02);
                ratios[g] = verdict_ratio_of(&rule, &a[g], &b[g]);
                called += ratios[g].p <= rule.discovery_rate; /* alone, as is told */
                all++;
            }
        }
        found[many] = (double)called / (double)all;
    }
    print_message("2 %%: found at %.1f %% of points with 3 processes, %.1f %% with the %zu told\n",
                  100 * found[0], 100 * found[1], told);
    assert_true(found[0] < 0.7 && found[1] > 0.93);
}

static struct levels_estimate estimate(double log_seconds, double error, double dof)
{
    struct levels_estimate e = {.log_seconds = log_seconds,
                                .own = error * error,
                                .own_dof = dof,
                                .common_dof = INFINITY,
                                .units = 3,
                                .basis = LEVELS_ALONE};
    levels_estimate_finish(&e);
    return e;
}

static void test_ratio_by_hand(void **state)
{
    (void)state;
    struct verdict_rule rule = verdict_rule_of(0.01);
    struct levels_estimate a = estimate(-9, 0.003, 2), b = estimate(-8.98, 0.004, 2);
    struct verdict_ratio r = verdict_ratio_of(&rule, &a, &b);
    assert_true(fabs(r.log_ratio - 0.02) < 1e-12 && fabs(r.ratio - exp(0.02)) < 1e-12);
    assert_true(fabs(r.error - 0.005) < 1e-12);
    double dof = 625.0 / (81.0 / 2 + 256.0 / 2);
    assert_true(fabs(r.dof - dof) < 1e-3);
    assert_true(fabs(log(r.high / r.low) - 2 * log(r.high / r.ratio)) < 1e-12);
    assert_true(fabs(log(1 + r.excluded) - log(r.high)) < 1e-12);
    /* P(T > (0.02 - ln 1.01) / 0.005) and P(T > (0.02 + ln 1.01) / 0.005), by hand from the two-sided probabilities */
    double p = 0.5 * (student_two_sided((0.02 - log(1.01)) / 0.005, r.dof) +
                      student_two_sided((0.02 + log(1.01)) / 0.005, r.dof));
    assert_true(fabs(r.p - p) < 1e-9);
    rule.spread = VERDICT_ALIKE; /* with three processes each, the same variance, but 4 degrees of freedom */
    r = verdict_ratio_of(&rule, &a, &b);
    assert_true(fabs(r.error - 0.005) < 1e-12 && fabs(r.dof - 4) < 1e-9);
    b.units = 1; /* ... and with one: (2 * 3 * 0.003^2 + 2 * 0.004^2) / 4 * (1 / 3 + 1) */
    assert_true(fabs(pow(verdict_ratio_of(&rule, &a, &b).error, 2) - (54e-6 + 32e-6) / 3) < 1e-12);
    struct levels_estimate none = levels_estimate_alone(NULL, 0);
    r = verdict_ratio_of(&rule, &a, &none);
    assert_true(isnan(r.p) && isnan(r.ratio) && r.verdict == VERDICT_UNKNOWN);
}

static struct verdict_ratio judged(double log_ratio, double p, double excluded)
{
    return (struct verdict_ratio){
        .ratio = exp(log_ratio), .log_ratio = log_ratio, .p = p, .excluded = excluded};
}

/* Benjamini & Hochberg at 1 % over six points: p must be below k * 0.01 / 6 for the k-th smallest. */
static void test_discoveries_by_hand(void **state)
{
    (void)state;
    struct verdict_ratio r[] = {
        judged(0.03, 0.0030, 0.05),    /* second smallest: 0.0033 admits it */
        judged(-0.03, 0.0020, 0.05),   /* alone it would not do: 0.00167 */
        judged(0.005, 0.0070, 0.0099), /* no discovery, and within the threshold */
        judged(0.03, 0.0070, 0.0501),  /* no discovery, and not within it */
        judged(0.008, 0.9, 0.02),      judged(0.009, 0.7, 0.0095),
        judged(NAN, NAN, NAN), /* does not count among the six */
    };
    const struct verdict_rule rule = verdict_rule_of(0.01);
    verdict_decide(&rule, r, 7);
    const enum verdict expected[] = {VERDICT_SLOWER,    VERDICT_FASTER, VERDICT_SAME,   VERDICT_UNCERTAIN,
                                     VERDICT_UNCERTAIN, VERDICT_SAME,   VERDICT_UNKNOWN};
    for (int i = 0; i < 7; i++)
        assert_int_equal(r[i].verdict, expected[i]);
}

/* A shift that all points share does not average out; what each has of its own does. */
static void test_group_by_hand(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct levels_estimate a[MANY], b[MANY];
    for (int i = 0; i < MANY; i++) {
        a[i] = (struct levels_estimate){.log_seconds = -9,
                                        .common = 1e-4,
                                        .common_dof = 2,
                                        .own = 1e-4,
                                        .own_dof = 20,
                                        .basis = LEVELS_POOLED};
        b[i] = a[i];
        b[i].log_seconds += 0.05 + (i % 2 ? 0.01 : -0.01);
    }
    const struct verdict_rule rule = verdict_rule_of(0.01);
    struct verdict_ratio r = group_of(&rule, a, b, NULL, MANY);
    assert_true(fabs(r.log_ratio - 0.05) < 1e-12);
    assert_true(fabs(r.error * r.error - (2e-4 + 2e-4 / MANY)) < 1e-9);
    assert_true(fabs(r.dof - 4) < 0.1);
    for (int i = 0; i < MANY; i++) {
        a[i].between = 4e-4; /* another unit */
        a[i].between_dof = 3;
    }
    assert_true(fabs(pow(group_of(&rule, a, b, NULL, MANY).error, 2) - (6e-4 + 2e-4 / MANY)) < 1e-9);
    bool even[MANY] = {false};
    for (int i = 0; i < MANY; i += 2)
        even[i] = true;
    r = group_of(&rule, a, b, even, MANY);
    assert_true(fabs(r.log_ratio - 0.04) < 1e-12);
    memset(even, 0, sizeof even);
    assert_int_equal(group_of(&rule, a, b, even, MANY).verdict, VERDICT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_by_hand),       cmocka_unit_test(test_discoveries_by_hand),
        cmocka_unit_test(test_group_by_hand),       cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_uncertain_is_said),   cmocka_unit_test(test_two_percent_are_seen),
        cmocka_unit_test(test_below_the_threshold), cmocka_unit_test(test_detectable),
        cmocka_unit_test(test_replicates),          cmocka_unit_test(test_told_replicates_suffice),
        cmocka_unit_test(test_prior_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
