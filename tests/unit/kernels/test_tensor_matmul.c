/* The tensor_matmul family: work, launches, reasons, tolerances, and the reference against products written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "family_test.h"

static struct setup launch_of(const char *settings)
{
    struct point point = family_point("tensor_matmul", settings);
    return family_of(&point)->setup(&point, &hopper);
}

static void test_work(void **state)
{
    (void)state;
    family_assert_work("tensor_matmul", "m=100 n=200 k=304", 2 * (100 * 304 + 200 * 304), 2 * 100 * 200,
                       UINT64_C(2) * 100 * 200 * 304);
}

static void test_launch(void **state)
{
    (void)state;
    struct setup s = launch_of("variant=mma m=1000 n=520 k=200"); /* 8 x 3 tiles of 128 x 256 */
    assert_int_equal(s.grid[0], 24);
    assert_int_equal(s.block[0], 256);
    assert_int_equal(s.shared_dynamic, 4 * (128 + 256) * 128);
    s = launch_of(
        "variant=mma tile_shape=128x128 stages=2"); /* the tile of C takes no more than the stages */
    assert_int_equal(s.block[0], 128);
    assert_int_equal(s.shared_dynamic, 2 * (128 + 128) * 128);
    s = launch_of("variant=wgmma m=8192 n=8192 k=8192"); /* as many clusters as there is room for */
    assert_int_equal(s.grid[0], 132);
    assert_int_equal(s.block[0], 384);
    assert_int_equal(s.tensor[1].box_rows, 128);
    s = launch_of("variant=wgmma m=200 n=264 k=72 cluster=1"); /* 2 x 2 tiles */
    assert_int_equal(s.grid[0], 4);
    assert_int_equal(s.tensor[0].rows, 200);
    assert_int_equal(s.tensor[0].columns, 72);
    assert_int_equal(s.tensor[1].box_rows, 256);
    assert_int_equal(s.tensor[2].columns, 264);
    assert_int_equal(launch_of("variant=cublaslt").engine, ENGINE_GEMM_LT);
    assert_int_equal(launch_of("variant=cublaslt").shape[3], 1); /* B has n rows */
}

static void assert_skip(const char *settings, const struct target *target, const char *why)
{
    family_assert_skip("tensor_matmul", settings, target, why);
}

static void test_every_reason(void **state)
{
    (void)state;
    static const struct target turing = {.capability = 75}, blackwell = {.capability = 100};
    assert_skip("", &hopper, NULL);
    assert_skip("", &blackwell, NULL);
    assert_skip("", &turing, "mma");
    assert_skip("dtype=f32", &hopper, "no product of f32 is written here");
    assert_skip("n=1004", &hopper, "n and k are multiples of 8");
    assert_skip("k=1004", &hopper, "n and k are multiples of 8");
    assert_skip("m=1001", &hopper, NULL);
    assert_skip("cluster=1", &hopper, "only wgmma has cluster to choose");
    assert_skip("stages=8", &hopper, "bytes of shared memory are more than the");
    assert_skip("variant=wgmma", &hopper, NULL);
    assert_skip("variant=wgmma", &blackwell, "wgmma is of sm_90a alone");
    assert_skip("variant=wgmma arch=sm_90", &hopper, "wgmma is of sm_90a alone");
    assert_skip("variant=wgmma stages=5", &hopper, "5 stages leave no shared memory for the results");
    assert_skip("variant=cublaslt", &hopper, NULL);
    assert_skip("variant=cublaslt group=1", &hopper, "it has no group to choose");
}

static void test_tolerance(void **state)
{
    (void)state;
    struct point point = family_point("tensor_matmul", "dtype=f16 k=4096");
    struct tolerance t = family_of(&point)->tolerance(&point);
    assert_true(t.relative == 0x1p-10);
    assert_true(t.absolute == 0x1p18 * 0x1p-25); /* 4096^1.5 is 2^18 */
    point = family_point("tensor_matmul", "dtype=bf16 data=ones");
    t = family_of(&point)->tolerance(&point);
    assert_true(t.relative == 0 && t.absolute == 0);
}

/* Every element, against a sum in f64; also where the reference takes portions that begin and end within rows. */
static void assert_reference(const char *settings, uint64_t m, uint64_t n, uint64_t k)
{
    struct family_run run = family_run_new("tensor_matmul", settings);
    enum dtype dtype = run.setup.buffer[2].dtype;
    struct tolerance t = run.family->tolerance(&run.point);
    const char *a = run.data[0], *b = run.data[1];
    double largest = 0;
    family_run_reference(&run);
    assert_int_equal(run.setup.buffer[2].count, m * n);
    for (uint64_t i = 0; i < m * n; i++) {
        double sum = 0, got = dtype_load(dtype, (char *)run.data[2] + 2 * i);
        for (uint64_t p = 0; p < k; p++)
            sum += dtype_load(dtype, a + 2 * (i / n * k + p)) * dtype_load(dtype, b + 2 * (i % n * k + p));
        assert_true(fabs(got - sum) <= t.absolute + t.relative * fabs(sum));
        largest = fmax(largest, fabs(sum));
    }
    assert_true(largest > 1);
    uint64_t first = n - 3, count = 2 * n + 5; /* the end of a row, two whole ones, two of the next */
    char *part = malloc(2 * count);
    assert_non_null(part);
    run.family->reference(&run.point, &run.inputs, 2, first, count, part);
    assert_memory_equal(part, (char *)run.data[2] + 2 * first, 2 * count);
    free(part);
    family_run_free(&run);
}

static void test_reference(void **state)
{
    (void)state;
    assert_reference("m=5 n=40 k=24", 5, 40, 24);
    assert_reference("m=19 n=264 k=520 dtype=f16 variant=wgmma", 19, 264, 520);
    assert_reference("m=4 n=8 k=1032 data=ones", 4, 8, 1032);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),         cmocka_unit_test(test_launch),
        cmocka_unit_test(test_every_reason), cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
