/* Variances of runs and units: planted in synthetic times, found again. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "statistics/between.h"

enum { UNITS = 8, RUNS = 3, POINTS = 400 };

/* Standard normal, by Box and Muller. */
static double normal(uint64_t *state)
{
    double u = ((double)(hash_mix(++*state) >> 11) + 0.5) * 0x1p-53,
           v = (double)(hash_mix(++*state) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979 * v);
}

static const struct between_choice every = {0, INFINITY, LEVELS_KINDS};

static struct levels_estimate estimate(double log_seconds, double error)
{
    struct levels_estimate e = {.log_seconds = log_seconds,
                                .own = error * error,
                                .own_dof = INFINITY,
                                .common_dof = INFINITY,
                                .basis = LEVELS_ALONE};
    levels_estimate_finish(&e);
    return e;
}

/* The units of the second group, every other one, take `group_shift` more. */
static struct between planted_groups(double run_sd, double unit_sd, double error, double group_shift,
                                     uint64_t seed)
{
    static struct levels_estimate point[UNITS * RUNS][POINTS];
    struct between_run run[UNITS * RUNS];
    uint64_t state = seed << 32;
    for (int u = 0; u < UNITS; u++) {
        uint32_t group = group_shift > 0 ? (uint32_t)u % 2 : 0;
        double unit[POINTS];
        for (int p = 0; p < POINTS; p++)
            unit[p] = unit_sd * normal(&state) + group * group_shift;
        for (int r = 0; r < RUNS; r++) {
            run[u * RUNS + r] = (struct between_run){point[u * RUNS + r], (uint32_t)u, group};
            for (int p = 0; p < POINTS; p++)
                point[u * RUNS + r][p] =
                    estimate(-7 + unit[p] + run_sd * normal(&state) + error * normal(&state), error);
        }
    }
    return between_of(run, UNITS * RUNS, POINTS, every);
}

static struct between planted(double run_sd, double unit_sd, double error, uint64_t seed)
{
    return planted_groups(run_sd, unit_sd, error, 0, seed);
}

static void test_planted(void **state)
{
    (void)state;
    struct between b = planted(0.002, 0.004, 0.001, 1);
    assert_true(fabs(sqrt(b.run) / 0.002 - 1) < 0.05);
    assert_true(fabs(sqrt(b.unit) / 0.004 - 1) < 0.05);
    assert_true(b.points == POINTS && b.runs == UNITS * RUNS && b.units == UNITS);
    assert_true(b.run_dof == UNITS * (RUNS - 1) && b.unit_dof == UNITS - 1);
    assert_true(b.held_run < 0.8 && b.held_unit < 0.5);
}

/* Units are compared within their group only. */
static void test_groups(void **state)
{
    (void)state;
    struct between b = planted_groups(0.002, 0.004, 0.001, 0.03, 5);
    assert_true(fabs(sqrt(b.run) / 0.002 - 1) < 0.05);
    assert_true(fabs(sqrt(b.unit) / 0.004 - 1) < 0.05);
    assert_true(b.groups == 2 && b.unit_dof == UNITS - 2);
    assert_true(fabs(b.held_unit - planted(0.002, 0.004, 0.001, 5).held_unit) < 0.03);
}

static void test_nothing_is_added(void **state)
{
    (void)state;
    struct between b = planted(0, 0, 0.001, 2);
    assert_true(sqrt(b.run) < 2e-4 && sqrt(b.unit) < 2e-4);
    assert_true(fabs(b.held_run - 0.95) < 0.01 && fabs(b.held_unit - 0.95) < 0.01);
}

/* With what it says added, intervals hold as often as they promise. */
static void test_adding_covers(void **state)
{
    (void)state;
    struct between b = planted(0.002, 0.004, 0.001, 3);
    size_t held = 0, all = 0;
    uint64_t random = UINT64_C(77) << 32;
    for (int i = 0; i < 4000; i++, all++) {
        struct levels_estimate e[2];
        for (int s = 0; s < 2; s++) {
            e[s] = estimate(-7 + 0.004 * normal(&random) + 0.002 * normal(&random) + 0.001 * normal(&random),
                            0.001);
            between_add(&b, true, &e[s]);
        }
        double error = hypot(e[0].error, e[1].error);
        held += fabs(e[0].log_seconds - e[1].log_seconds) <= 1.96 * error;
    }
    assert_true(fabs((double)held / (double)all - 0.95) < 0.015);
}

static void test_too_little_is_unknown(void **state)
{
    (void)state;
    struct levels_estimate one = estimate(-7, 0.001), none = levels_estimate_alone(NULL, 0);
    const struct between_run alone[] = {{&one, 0, 0}, {&one, 1, 0}},
                             missing[] = {{&one, 0, 0}, {&none, 0, 0}};
    struct between b = between_of(alone, 2, 1, every);
    assert_true(isnan(b.run) && !isnan(b.unit) && isnan(b.held_run));
    assert_true(between_of(missing, 2, 1, every).points == 0);
    assert_true(between_of(alone, 2, 1, (struct between_choice){1, INFINITY, LEVELS_KINDS}).points == 0);
    assert_true(between_of(alone, 2, 1, (struct between_choice){0, INFINITY, LEVELS_HOT}).points == 0);
    struct levels_estimate before = one;
    b.unit = NAN;
    between_add(&b, true, &one);
    assert_true(one.error == before.error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_nothing_is_added),
                                       cmocka_unit_test(test_adding_covers),
                                       cmocka_unit_test(test_too_little_is_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
