/* Student's t and its helpers against tables and closed forms. */
#include "unit_test.h"

#include "statistics/student.h"

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* One and two degrees of freedom have closed forms: 1 - 2 atan(t) / pi, and 1 - t / sqrt(2 + t^2). */
TEST(closed_forms)
{
    for (double t = 0.01; t < 100; t *= 1.7) {
        assert_close(student_two_sided(t, 1), 1 - 2 * atan(t) / acos(-1), 1e-9);
        assert_close(student_two_sided(-t, 2), 1 - t / sqrt(2 + t * t), 1e-9);
    }
    assert_close(student_two_sided(0, 3.7), 1, 1e-12);
    assert_close(student_two_sided(1.5, INFINITY), erfc(1.5 / sqrt(2)), 1e-12);
    assert_close(student_two_sided(1.5, 9e6), erfc(1.5 / sqrt(2)), 1e-5);
    assert_true(student_two_sided(INFINITY, 3) == 0);
    assert_true(isnan(student_two_sided(NAN, 3)) && isnan(student_two_sided(1, 0)));
}

TEST(table)
{
    static const struct {
        double p, dof, t;
    } rows[] = {
        {0.05, 1, 12.706204736},  {0.05, 2, 4.302652730},  {0.05, 4, 2.776445105},
        {0.05, 10, 2.228138852},  {0.05, 30, 2.042272456}, {0.01, 4, 4.604094871},
        {0.001, 10, 4.586893859}, {0.5, 3, 0.764892328},   {0.05, INFINITY, 1.959963985},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_close(student_critical(rows[i].p, rows[i].dof), rows[i].t, 1e-8);
    for (double dof = 0.7; dof < 1e9; dof *= 3.1)
        for (double p = 0.9; p > 1e-8; p *= 0.2)
            assert_close(student_two_sided(student_critical(p, dof), dof), p, 1e-7);
    assert_true(isnan(student_critical(0, 2)) && isnan(student_critical(1, 2)));
}
