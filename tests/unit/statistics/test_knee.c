/* Bends of curves: where they are known, and that noise has none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics/knee.h"

#define COUNT 12

/* Numbers of a normal distribution, the same in every run: twelve uniform ones. */
static double normal(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*seed >> 11) * 0x1p-53;
    }
    return sum;
}

/* y = 4000 up to x = 2^bend, then as x^slope, with relative noise that the intervals know of when `told`. */
static void make(struct knee_point point[COUNT], int bend, double slope, double noise, bool told,
                 uint64_t *seed)
{
    for (int i = 0; i < COUNT; i++) {
        double y = 4000 * pow(2, slope * fmax(0, i - bend)) * exp(noise * normal(seed));
        double half = told ? 1.96 * noise : 1e-5;
        point[i] = (struct knee_point){pow(2, i), y, y * (1 - half), y * (1 + half)};
    }
}

static void a_bend_is_found(void **state)
{
    struct knee_point point[COUNT];
    struct knee_fit fit;
    uint64_t seed = 1;
    (void)state;
    make(point, 4, -1, 0.01, true, &seed);
    assert_true(knee_fit(point, COUNT, &fit));
    assert_int_equal(fit.knees, 1);
    assert_true(fit.knee[0].at == 16);
    assert_true(fit.knee[0].low <= 16 && fit.knee[0].high >= 16 && fit.knee[0].high <= 32);
    assert_true(fabs(fit.slope[0]) < 0.02 && fabs(fit.slope[1] + 1) < 0.02);
    assert_true(fit.gain > 10);
}

static void two_bends_are_found(void **state)
{
    struct knee_point point[COUNT];
    struct knee_fit fit;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        double y = pow(2, fmin(fmax(i, 3), 7));
        point[i] = (struct knee_point){pow(2, i), y, 0.999 * y, 1.001 * y};
    }
    assert_true(knee_fit(point, COUNT, &fit));
    assert_int_equal(fit.knees, 2);
    assert_true(fit.knee[0].at == 8 && fit.knee[1].at == 128);
    assert_true(fabs(fit.slope[0]) < 0.01 && fabs(fit.slope[1] - 1) < 0.01 && fabs(fit.slope[2]) < 0.01);
}

/* Straight lines of few and of many points, with noise: at most one in a hundred bends, whether the intervals know of the
 * noise or not. */
static void noise_has_no_bend(void **state)
{
    static const size_t counts[] = {KNEE_POINTS_MIN, 8, COUNT};
    uint64_t seed = 7;
    (void)state;
    for (int told = 0; told < 2; told++)
        for (int c = 0; c < 3; c++) {
            int bent = 0;
            for (int run = 0; run < 2000; run++) {
                struct knee_point point[COUNT];
                struct knee_fit fit;
                make(point, 0, run % 2 ? -0.5 : 0, told ? 0.05 : 0.02, told == 1, &seed);
                assert_true(knee_fit(point, counts[c], &fit));
                bent += fit.knees > 0;
            }
            if (bent > 20)
                fail_msg("%d of 2000 straight lines of %zu points bend, their noise %s", bent, counts[c],
                         told ? "told" : "not told");
        }
}

/* A bend of less than the intervals can tell is none. */
static void a_bend_within_the_intervals_is_none(void **state)
{
    struct knee_point point[COUNT];
    struct knee_fit fit;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        double y = 1000 * pow(2, -0.08 * fmax(0, i - 6));
        point[i] = (struct knee_point){pow(2, i), y, 0.8 * y, 1.25 * y};
    }
    assert_true(knee_fit(point, COUNT, &fit));
    assert_int_equal(fit.knees, 0);
    for (int i = 0; i < COUNT; i++) {
        point[i].low = 0.99999 * point[i].y;
        point[i].high = 1.00001 * point[i].y;
    }
    assert_true(knee_fit(point, COUNT, &fit));
    assert_int_equal(fit.knees, 1);
}

static void what_cannot_be_fitted_is_refused(void **state)
{
    struct knee_point point[COUNT];
    struct knee_fit fit;
    uint64_t seed = 1;
    (void)state;
    make(point, 4, -1, 0.01, true, &seed);
    assert_false(knee_fit(point, KNEE_POINTS_MIN - 1, &fit));
    point[3].x = point[2].x;
    assert_false(knee_fit(point, COUNT, &fit));
    make(point, 4, -1, 0.01, true, &seed);
    point[0].x = 0;
    assert_false(knee_fit(point, COUNT, &fit));
    point[0].x = 0.5;
    point[5].y = NAN;
    assert_false(knee_fit(point, COUNT, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bend_is_found),
        cmocka_unit_test(two_bends_are_found),
        cmocka_unit_test(noise_has_no_bend),
        cmocka_unit_test(a_bend_within_the_intervals_is_none),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
