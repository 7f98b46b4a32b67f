/* Small linear programs whose solutions are known, ones without any, and ones that would go round in circles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "family/time/linear_program.h"

static double least(int rows, int columns, const double *matrix, const double *right, const double *cost)
{
    struct linear_program program = linear_program_new(rows, columns);
    memcpy(program.matrix, matrix, (size_t)(rows * columns) * sizeof *matrix);
    memcpy(program.right, right, (size_t)rows * sizeof *right);
    memcpy(program.cost, cost, (size_t)columns * sizeof *cost);
    double value = linear_program_minimum(&program);
    linear_program_free(&program);
    return value;
}

static void test_known(void **state)
{
    (void)state;
    /* x + y = 10 at 3 and 2 each; y at most 4, by a slack. */
    const double mix[] = {1, 1, 0, 0, 1, 1}, have[] = {10, 4}, price[] = {3, 2, 0};
    assert_true(fabs(least(2, 3, mix, have, price) - (6 * 3 + 4 * 2)) < 1e-9);
    /* The same row twice, and a sum of both: superfluous, not impossible. */
    const double twice[] = {1, 2, 1, 2, 2, 4}, same[] = {6, 6, 12}, unit[] = {1, 1};
    assert_true(fabs(least(3, 2, twice, same, unit) - 3) < 1e-9);
    /* Fractions: 3 x + y = 1 at 1 each is x = 1/3. */
    const double part[] = {3, 1}, one[] = {1};
    assert_true(fabs(least(1, 2, part, one, unit) - 1.0 / 3) < 1e-9);
}

static void test_impossible(void **state)
{
    (void)state;
    const double matrix[] = {1, 1, 1, 1}, right[] = {1, 2}, cost[] = {1, 1};
    assert_true(isnan(least(2, 2, matrix, right, cost)));
    const double negative[] = {-1, -1}, wanted[] = {1};
    assert_true(isnan(least(1, 2, negative, wanted, cost)));
    const double nothing[] = {0, 0};
    assert_true(isnan(least(1, 2, nothing, wanted, cost)));
}

/* One unit flows from one corner of a grid to the other, right and down, at a price for each step: all right sides but one are
 * zero, where steps of the simplex method may lead nowhere. The cheapest way is found by going through the grid, too. */
enum { SIDE = 7, NODES = SIDE * SIDE, STEPS = 2 * SIDE * (SIDE - 1) };

static double price_of(int step, int seed)
{
    return 1 + (step * 7 + seed * 11) % 5;
}

static double cheapest(int seed)
{
    double at[NODES];
    int step = 0;
    for (int i = 0; i < NODES; i++)
        at[i] = i ? INFINITY : 0;
    for (int i = 0; i < NODES; i++) {
        if (i % SIDE < SIDE - 1)
            at[i + 1] = fmin(at[i + 1], at[i] + price_of(step++, seed));
        if (i / SIDE < SIDE - 1)
            at[i + SIDE] = fmin(at[i + SIDE], at[i] + price_of(step++, seed));
    }
    return at[NODES - 1];
}

static void test_flow(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        struct linear_program program = linear_program_new(NODES, STEPS + 1);
        int step = 0;
        for (int i = 0; i < NODES; i++)
            for (int down = 0; down < 2; down++) {
                if ((down ? i / SIDE : i % SIDE) == SIDE - 1)
                    continue;
                program.cost[step] = price_of(step, seed);
                *linear_program_at(&program, i, step) = 1;
                *linear_program_at(&program, i + (down ? SIDE : 1), step++) = -1;
            }
        *linear_program_at(&program, NODES - 1, STEPS) = 1;
        program.right[0] = 1;
        assert_true(fabs(linear_program_minimum(&program) - cheapest(seed)) < 1e-9);
        linear_program_free(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_impossible),
                                       cmocka_unit_test(test_flow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
