/* Blocks of a multiprocessor: as the driver told them of an H200, each row a kernel of analysis/data/h200-paper.h5, and at limits
 * that no kernel there is near. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family/occupancy.h"

#define THREADS_SM 2048
#define SHARED_SM  233472

static const struct {
    int threads, registers, shared_static, shared_dynamic, blocks;
} rows[] = {
    {32, 24, 0, 0, 32},      /* silu_mul silu */
    {64, 38, 4096, 0, 24},   /* transpose vectorized */
    {64, 44, 0, 16416, 13},  /* transpose tma */
    {128, 40, 8192, 0, 12},  /* block_load manual */
    {128, 48, 0, 0, 10},     /* silu_mul silu */
    {128, 52, 0, 0, 9},      /* silu_mul silu */
    {128, 56, 8464, 0, 9},   /* block_load transpose */
    {256, 30, 0, 65536, 3},  /* lookup shared */
    {256, 38, 0, 0, 6},      /* transpose naive */
    {256, 44, 0, 65568, 3},  /* transpose tma */
    {256, 45, 0, 16, 5},     /* shared_stride read */
    {256, 46, 36, 0, 5},     /* reduce redux */
    {256, 64, 0, 4, 4},      /* shared_stride write */
    {256, 127, 16640, 0, 2}, /* matmul register */
    {352, 32, 0, 0, 5},      /* silu_mul silu */
    {480, 32, 0, 0, 4},      /* silu_mul silu */
    {480, 35, 0, 0, 3},      /* silu_mul gelu */
    {480, 54, 0, 0, 2},      /* silu_mul silu */
    {32, 16, 0, 0, 32},      /* no more than 32 blocks */
    {1024, 64, 0, 0, 1},     /* registers of all but one */
    {96, 40, 0, 0, 16},      /* a quarter holds 12 warps of 1280 registers: 48 of 3 warps each */
    {256, 32, 0, 231424, 1}, /* shared memory, with the 1 KiB of the system */
    {256, 32, 115712, 0, 2},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct code_needs needs = {.registers = rows[i].registers, .shared_static = rows[i].shared_static};
        double blocks =
            occupancy_blocks(&needs, rows[i].threads, rows[i].shared_dynamic, THREADS_SM, SHARED_SM);
        if (blocks != rows[i].blocks)
            fail_msg("row %zu: %g blocks, expected %d", i, blocks, rows[i].blocks);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    struct code_needs needs = {0};
    assert_true(isnan(occupancy_blocks(&needs, 256, 0, THREADS_SM, SHARED_SM)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
