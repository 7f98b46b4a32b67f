/* The fewest instructions: of listings worked out by hand, each with what its warp has to do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "family/time/executed.h"

/* A body as nvdisasm lists it, an instruction or a label a line. */
static double least(const char *body, const struct warp_work *work)
{
    char listing[4096];
    struct sass sass;
    snprintf(listing, sizeof listing, "\t.section\t.text.kernel,\"ax\",@progbits\n%s", body);
    assert_int_equal(sass_read(listing, "kernel", &sass), 0);
    double count = executed_min(&sass, work);
    sass_free(&sass);
    return count;
}

static void assert_least(const char *body, const struct warp_work *work, double expected)
{
    double count = least(body, work);
    if (!(fabs(count - expected) < 1e-6))
        fail_msg("%g instructions, expected %g, of\n%s", count, expected, body);
}

/* A guard, which only whole warps past the end take; then one load and store. */
static const char guarded[] = "/*0000*/ S2R R0, SR_TID.X ;\n"
                              "/*0010*/ @P0 EXIT ;\n"
                              "/*0020*/ LDG.E R2, [R2.64] ;\n"
                              "/*0030*/ STG.E [R4.64], R2 ;\n"
                              "/*0040*/ EXIT ;\n";

static void test_straight(void **state)
{
    (void)state;
    assert_least(guarded, &(struct warp_work){.loads = 1, .stores = 1}, 5);
    /* A warp in four is past the end. */
    assert_least(guarded, &(struct warp_work){.loads = 0.75, .stores = 0.75}, 0.75 * 5 + 0.25 * 2);
}

/* Four loads a round, and one a round for what is left. */
static const char unrolled[] = "/*0000*/ S2R R0, SR_TID.X ;\n"
                               "/*0010*/ @!P0 BRA `(.L_rest) ;\n"
                               ".L_four:\n"
                               "/*0020*/ LDG.E R2, [R2.64] ;\n"
                               "/*0030*/ LDG.E R3, [R2.64+0x4] ;\n"
                               "/*0040*/ LDG.E R4, [R2.64+0x8] ;\n"
                               "/*0050*/ LDG.E R5, [R2.64+0xc] ;\n"
                               "/*0060*/ @P1 BRA `(.L_four) ;\n"
                               ".L_rest:\n"
                               "/*0070*/ @P2 BRA `(.L_end) ;\n"
                               ".L_one:\n"
                               "/*0080*/ LDG.E R2, [R2.64] ;\n"
                               "/*0090*/ @P3 BRA `(.L_one) ;\n"
                               ".L_end:\n"
                               "/*00a0*/ STG.E [R4.64], R2 ;\n"
                               "/*00b0*/ EXIT ;\n";

static void test_loops(void **state)
{
    (void)state;
    /* 100 rounds of 5, the branch past the rest, and what is outside: the loop of four is the shorter way. */
    assert_least(unrolled, &(struct warp_work){.loads = 400, .stores = 1}, 2 + 100 * 5 + 1 + 2);
    /* One load of a warp on average: a warp in four makes four, which is a shorter way than one each by the rest. */
    assert_least(unrolled, &(struct warp_work){.loads = 1, .stores = 1}, 2 + 5 / 4.0 + 1 + 2);
    /* Loads of which there are none cannot be made; stores, only once. */
    assert_true(isnan(least(unrolled, &(struct warp_work){.loads = 4, .stores = 1, .shared_loads = 1})));
    assert_true(isnan(least(unrolled, &(struct warp_work){.loads = 4, .stores = 2})));
    assert_true(isnan(least(unrolled, &(struct warp_work){.loads = NAN, .stores = 1})));
}

/* A loop of arithmetic, without an access, within one of loads. */
static const char nested[] = ".L_out:\n"
                             "/*0000*/ LDS R2, [R2] ;\n"
                             ".L_in:\n"
                             "/*0010*/ FFMA R3, R2, R3, R3 ;\n"
                             "/*0020*/ FFMA R3, R2, R3, R3 ;\n"
                             "/*0030*/ @P0 BRA `(.L_in) ;\n"
                             "/*0040*/ @P1 BRA `(.L_out) ;\n"
                             "/*0050*/ EXIT ;\n";

static void test_flops(void **state)
{
    (void)state;
    assert_least(nested, &(struct warp_work){.shared_loads = 10}, 10 * 5 + 1);
    /* 64 flops a load are 16 rounds of two multiply-adds. */
    assert_least(nested, &(struct warp_work){.shared_loads = 10, .flops = 640}, 10 * (1 + 16 * 3 + 1) + 1);
    /* Fewer than are made anyway ask for nothing. */
    assert_least(nested, &(struct warp_work){.shared_loads = 10, .flops = 7}, 10 * 5 + 1);
    /* Flops that no instruction is known to make are left out. */
    assert_least(guarded, &(struct warp_work){.loads = 1, .stores = 1, .flops = 5}, 5);
}

/* A predicated access is executed by warps of which no lane takes part. */
static const char predicated[] = "/*0000*/ @!P0 LDG.E R2, [R2.64] ;\n"
                                 "/*0010*/ @!P0 STG.E [R4.64], R2 ;\n"
                                 "/*0020*/ EXIT ;\n";

static void test_predicates(void **state)
{
    (void)state;
    assert_least(predicated, &(struct warp_work){.loads = 1, .stores = 1}, 3);
    assert_least(predicated, &(struct warp_work){.loads = 0.5, .stores = 0.25}, 3);
    assert_true(isnan(least(predicated, &(struct warp_work){.loads = 2})));
    /* A branch's predicate may stand among its operands; one that is always taken has none. */
    assert_least("/*0000*/ BRA P0, `(.L_end) ;\n"
                 "/*0010*/ NOP ;\n"
                 ".L_end:\n"
                 "/*0020*/ LDG.E R2, [R2.64] ;\n"
                 "/*0030*/ EXIT ;\n",
                 &(struct warp_work){.loads = 1}, 3);
    assert_least("/*0000*/ BRA `(.L_load) ;\n"
                 ".L_end:\n"
                 "/*0010*/ EXIT ;\n"
                 ".L_load:\n"
                 "/*0020*/ LDG.E R2, [R2.64] ;\n"
                 "/*0030*/ BRA `(.L_end) ;\n",
                 &(struct warp_work){.loads = 1}, 4);
}

static void test_unknown_ways(void **state)
{
    (void)state;
    assert_true(isnan(least("/*0000*/ BRX R2 -0x10 ;\n/*0010*/ EXIT ;\n", &(struct warp_work){0})));
}

static void test_work_of_a_warp(void **state)
{
    (void)state;
    struct prediction p = {
        .load_requests = 64, .store_requests = 16, .shared_load_requests = NAN, .shared_store_requests = 8};
    struct work work = {.flops = 32 * 16 * 3};
    struct warp_work each = warp_work_of(&p, &work, 16);
    assert_true(each.loads == 4 && each.stores == 1 && each.shared_loads == 0 && each.shared_stores == 0.5 &&
                each.flops == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),     cmocka_unit_test(test_loops),
        cmocka_unit_test(test_flops),        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_unknown_ways), cmocka_unit_test(test_work_of_a_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
