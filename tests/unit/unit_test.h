/* unit_test.h - cmocka, and the headers that most tests use. TEST(name) { ... } defines and lists a test;
 * main runs a file's tests in order. EACH gives the set-up and the tear-down of each of them, GROUP those of
 * the file. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { UNIT_TESTS_MAX = 64 };

static struct CMUnitTest unit_tests[UNIT_TESTS_MAX]; /* cmocka passes over the empty ones */
static int (*unit_set_up)(void **), (*unit_tear_down)(void **);
static int (*unit_set_up_each)(void **), (*unit_tear_down_each)(void **);

static inline void unit_list(const char *name, void (*run)(void **))
{
    int i = 0;
    while (unit_tests[i].name)
        i++;
    if (i == UNIT_TESTS_MAX - 1)
        abort();
    unit_tests[i] = (struct CMUnitTest){.name = name, .test_func = run};
}

#define TEST(name)                                                                                           \
    static void test_##name(void **state);                                                                   \
    __attribute__((constructor)) static void list_##name(void)                                               \
    {                                                                                                        \
        unit_list(#name, test_##name);                                                                       \
    }                                                                                                        \
    static void test_##name(__attribute__((unused)) void **state)

#define EACH(set_up, tear_down)                                                                              \
    __attribute__((constructor)) static void list_each(void)                                                 \
    {                                                                                                        \
        unit_set_up_each = set_up;                                                                           \
        unit_tear_down_each = tear_down;                                                                     \
    }

#define GROUP(set_up, tear_down)                                                                             \
    __attribute__((constructor)) static void list_group(void)                                                \
    {                                                                                                        \
        unit_set_up = set_up;                                                                                \
        unit_tear_down = tear_down;                                                                          \
    }

int main(void)
{
    for (struct CMUnitTest *test = unit_tests; test->name; test++) {
        test->setup_func = unit_set_up_each;
        test->teardown_func = unit_tear_down_each;
    }
    return cmocka_run_group_tests(unit_tests, unit_set_up, unit_tear_down);
}
