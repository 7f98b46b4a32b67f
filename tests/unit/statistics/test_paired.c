/* Paired comparisons: the order of samples, and what cancels in a quadruple. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/paired.h"
#include "statistics/turns.h"

/* ---- The order of samples ---- */

static void test_turns_alternate(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        char order[9] = "";
        for (uint64_t k = 0; k < 8; k++)
            order[k] = turns_version(turn, k) ? 'B' : 'A';
        assert_string_equal(order, turn % 2 ? "BAABBAAB" : "ABBAABBA");
        assert_int_equal(turns_first(turn), turn % 2);
    }
}

/* Each version comes first and second equally often, and the mean times of both in a quadruple are equal. */
static void test_turns_are_even(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        int place[2] = {0, 0}, second[2] = {0, 0};
        for (int k = 0; k < TURNS_QUADRUPLE; k++) {
            place[turns_version(turn, (uint64_t)k)] += k;
            second[turns_version(turn, (uint64_t)k)] += k % 2;
        }
        assert_int_equal(place[0], place[1]);
        assert_int_equal(second[0], second[1]);
    }
}

/* ---- One process ---- */

enum { SAMPLES = 40 };

/* Samples of both versions as a process takes them: a clock that drifts, and an effect of coming second. */
static void take(uint32_t turn, double ratio, double drift, double order, double a[SAMPLES],
                 double b[SAMPLES])
{
    size_t taken[2] = {0, 0};
    for (uint64_t k = 0; k < 2 * SAMPLES; k++) {
        int version = turns_version(turn, k);
        double seconds = 1e-5 * (1 + drift * (double)k) * (k % 2 ? 1 + order : 1);
        (version ? b : a)[taken[version]++] = version ? ratio * seconds : seconds;
    }
}

static void test_drift_and_order_cancel(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        double a[SAMPLES], b[SAMPLES];
        take(turn, 1.003, 1e-3, 0.02, a, b);
        struct paired paired = paired_of(a, b, SAMPLES, turns_first(turn));
        assert_int_equal(paired.quotients, SAMPLES / 2);
        assert_true(fabs(paired.log_ratio - log(1.003)) <
                    1e-5); /* the drift is not quite linear in the logarithm */
        assert_true(fabs(paired.order - log(1.02)) < 1.5e-3);
    }
}

static void test_little_is_known_of_few(void **state)
{
    (void)state;
    const double a[] = {1, 1, 1}, b[] = {2, 2, 2};
    assert_true(isnan(paired_of(a, b, 1, false).log_ratio));
    struct paired one = paired_of(a, b, 3, false); /* a whole quadruple, and a half */
    assert_int_equal(one.quotients, 1);
    assert_true(fabs(one.log_ratio - log(2)) < 1e-12 && isnan(one.variance));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_alternate),
        cmocka_unit_test(test_turns_are_even),
        cmocka_unit_test(test_drift_and_order_cancel),
        cmocka_unit_test(test_little_is_known_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
