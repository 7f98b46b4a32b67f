/* The matmul family: flops, bytes, grid and every reason to refuse by hand, the reference against three plain
 * loops, and the access pattern against the counts that the algorithm must have. */
#include "unit_test.h"

#define FAMILY "matmul"
#include "family_test.h"
#include "kernels/registry.h"

static const struct family *matmul(void)
{
    return family_find("matmul");
}

TEST(work)
{
    assert_work("m=3 n=5 k=7", 4 * (21 + 35), 60, 210);
    assert_work("variant=cublas m=4096 n=4096 k=4096", 128 << 20, 64 << 20, UINT64_C(137438953472));
    struct point point = point_of("variant=cublas m=4096 n=4096 k=4096");
    struct tolerance tolerance = matmul()->tolerance(&point);
    assert_true(tolerance.relative == 0 && tolerance.absolute < 0.001); /* an average product is 1/4 */
}

static void assert_launch(const char *settings, const char *entry, uint32_t blocks, uint32_t threads)
{
    assert_skip(settings, NULL);
    assert_grid(settings, blocks, threads);
    assert_string_equal(setup_of(settings).entry, entry);
}

TEST(launch)
{
    assert_launch("", "matmul_aligned", 64, 256);
    assert_launch("m=129 n=128", "matmul_aligned", 2, 256);
    assert_launch("m=1 n=1 k=1", "matmul", 1, 256);
    assert_launch("n=1023", "matmul", 64, 256);
    assert_launch("k=1022", "matmul", 64, 256);
    assert_launch("m=1023", "matmul_aligned", 64, 256); /* rows may be any number */
    assert_launch("block_tile=64", "matmul_aligned", 256, 64);
    assert_launch("block_tile=64 outputs=2", "matmul_aligned", 256, 1024);
    assert_launch("outputs=4", "matmul_aligned", 64, 1024);
    assert_launch("variant=tiled", "matmul", 1024, 1024);
    assert_launch("variant=tiled tile=8 m=9 n=17", "matmul", 6, 64);
    assert_launch("variant=naive m=9 n=33", "matmul", 4, 256);
    struct setup s = setup_of("variant=cublas m=3 n=5 k=7");
    assert_int_equal(s.engine, ENGINE_GEMM);
    assert_true(s.shape[0] == 3 && s.shape[1] == 5 && s.shape[2] == 7);
    assert_true(s.buffer[0].count == 21 && s.buffer[1].count == 35 && s.buffer[2].count == 15);
    assert_true(matmul()->materialise);
}

static const struct setup *assert_pipeline(const char *settings, const char *entry, uint32_t blocks,
                                           uint32_t threads, uint32_t shared)
{
    static struct setup s;
    struct point point = point_of(settings);
    assert_launch(settings, entry, blocks, threads);
    s = matmul()->setup(&point, &hopper);
    assert_int_equal(s.shared_dynamic, shared);
    return &s;
}

TEST(launch_of_pipelines)
{
    const struct setup *s = assert_pipeline("variant=cp_async m=129 n=132", "matmul", 4, 128, 4 * 8192);
    assert_true(s->arguments == 9 && s->buffers == 3 && s->argument[0].kind == ARGUMENT_BUFFER);
    s = assert_pipeline("variant=tma slice=16 tile_shape=256x128", "matmul", 32, 256, 4 * (24576 + 16));
    assert_true(s->argument[0].kind == ARGUMENT_TENSOR && s->argument[1].value == 1);
    assert_true(s->tensor[0].box_rows == 256 && s->tensor[0].box_columns == 16);
    assert_int_equal(s->tensor[0].swizzle, SWIZZLE_64B);
    assert_true(s->tensor[1].box_rows == 16 && s->tensor[1].box_columns == 128);
    assert_int_equal(s->tensor[1].swizzle, SWIZZLE_NONE);
    s = assert_pipeline("variant=tma slice=32 stages=3 tile_shape=128x64", "matmul", 128, 64,
                        3 * (24576 + 16));
    assert_int_equal(s->tensor[0].swizzle, SWIZZLE_128B);
    /* Three blocks for each of 64 tiles: as many parts, whose numbers leave some out. */
    s = assert_pipeline("variant=tma split=3", "matmul_shared", 192, 128, 4 * (8192 + 16));
    assert_true(s->buffers == 5 && s->arguments == 14);
    assert_true(s->argument[11].value == 0 && s->argument[12].value == 43 && s->argument[13].value == 128);
    assert_int_equal(s->buffer[3].count, 255 * 128 * 128);
    assert_true(s->buffer[4].role == BUFFER_ZEROED && s->buffer[4].count == 2 * 64);
    /* Two blocks for each multiprocessor; 1024 tiles are three waves and 232 tiles. */
    s = assert_pipeline("variant=tma split=0 m=4096 n=4096", "matmul_shared", 264, 128, 4 * (8192 + 16));
    assert_true(s->argument[11].value == 792 && s->argument[12].value == 113 && s->argument[13].value == 32);
    assert_int_equal(s->buffer[3].count, (2 * 232 + 31) * 128 * 128);
    /* An even number of waves. */
    s = assert_pipeline("variant=tma split=0 m=4096 n=8448", "matmul_shared", 264, 128, 4 * (8192 + 16));
    assert_true(s->argument[11].value == 2112 && s->argument[13].value == 0 &&
                s->buffer[3].count == 128 * 128);
    /* No more blocks than slices. */
    assert_pipeline("variant=cp_async split=64 k=20", "matmul_shared", 192, 128, 4 * 8192);
    assert_pipeline("variant=cp_async split=0 m=1 n=4 k=20", "matmul_shared", 3, 128, 4 * 8192);
}

TEST(every_reason)
{
    assert_skip("variant=tiled tile=64", "a tile of 64 elements is none of 8, 16 and 32");
    assert_skip("variant=tiled tile=12", "a tile of 12 elements");
    assert_skip("tile=16", "only tiled has tile to choose");
    assert_skip("variant=naive block_tile=64", "only register has block_tile to choose");
    assert_skip("tile_shape=256x128", "only cp_async and tma have tile_shape to choose");
    assert_skip("variant=tiled stages=3", "only cp_async and tma have stages to choose");
    assert_skip("variant=cublas split=2", "only cp_async and tma have split to choose");
    assert_skip("group=4", "only cp_async and tma have group to choose");
    assert_skip("variant=tma outputs=4", "only register has outputs to choose");
    assert_skip("variant=tma n=1022", "tma copies 16 bytes of a row at a time: n and k are multiples of 4");
    assert_skip("variant=cp_async k=1023", "cp_async copies 16 bytes of a row at a time");
    assert_skip("variant=tma slice=12", "a slice of 12 elements is none of 8, 16 and 32");
    assert_skip("variant=tma slice=32 stages=8",
                "262272 bytes of shared memory are more than the 232448 of a block");
    assert_skip("variant=tma slice=16 tile_shape=256x128 split=0", NULL);
    static const struct target turing = {.capability = 75}, ampere = {.capability = 80};
    assert_skip_on(&turing, "variant=cp_async", "cp_async needs compute capability 8.0");
    assert_skip_on(&ampere, "variant=tma", "tma needs compute capability 9.0");
    assert_skip_on(&ampere, "variant=cp_async", NULL);
    assert_skip("variant=tiled outputs=4", "only register has outputs to choose");
    assert_skip("variant=cublas slice=16", "only register, cp_async and tma have slice to choose");
    assert_skip("variant=cublas arch=sm_90", "the vendor's multiplication");
    assert_skip("variant=cublas carveout=50", "the vendor's multiplication");
    assert_skip("block_tile=96", "a block tile of 96 elements is neither 64 nor 128");
    assert_skip("outputs=3", "3 outputs are none of 2, 4 and 8");
    assert_skip("slice=12", "a slice of 12 elements is neither 8 nor 16");
    assert_skip("outputs=2", "64 x 64 threads make a block tile of 128 by 2 x 2 outputs; a block has 1024");
    assert_skip("variant=naive m=536870912 n=4096 k=1", "8589934592 blocks are more than a grid has");
    assert_skip("variant=naive", NULL);
    assert_skip("variant=tiled tile=8", NULL);
    assert_skip("outputs=4 slice=16", NULL);
    assert_skip("variant=cublas", NULL);
    assert_skip("variant=cublaslt", NULL);
    assert_skip("variant=cublaslt tile=16", "only tiled has tile to choose");
    assert_skip("variant=cublaslt arch=sm_90", "cublaslt is the vendor's multiplication");
}

static void assert_reference(uint64_t m, uint64_t n, uint64_t k)
{
    char settings[80];
    snprintf(settings, sizeof settings, "m=%d n=%d k=%d", (int)m, (int)n, (int)k);
    struct family_run run = run_new(settings);
    const float *a = run.data[0], *b = run.data[1], *c = run.data[2];
    family_run_reference(&run);
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++) {
            long double sum = 0;
            for (uint64_t l = 0; l < k; l++)
                sum += (long double)a[i * k + l] * (long double)b[l * n + j];
            if (!(fabsl(sum - (long double)c[i * n + j]) <= 1e-6L * fabsl(sum) + 1e-12L))
                fail_msg("%s: element %d, %d is %g, not %Lg", settings, (int)i, (int)j, (double)c[i * n + j],
                         sum);
        }
}

TEST(reference_at_odd_sizes)
{
    assert_reference(1, 1, 1);
    assert_reference(1, 1003, 5);
    assert_reference(1003, 1, 5);
    assert_reference(17, 257, 9); /* one over a patch, both ways */
    assert_reference(15, 255, 8);
    assert_reference(2, 3, 1003);
    assert_reference(33, 64, 3);
    assert_reference(1, 2, 1048583);
}

/* Sums of all accesses of all warps of a launch: useful bytes by kind, and what must not be. */
struct totals {
    uint64_t read[2], written, shared_read, shared_written, scratch_read, atomics;
};

static struct totals add_up(const char *settings, struct setup *s)
{
    struct point point = point_of(settings);
    struct totals t = {0};
    struct access a;
    *s = matmul()->setup(&point, &hopper);
    uint64_t warps = (uint64_t)s->grid[0] * s->block[0] / 32;
    for (uint64_t warp = 0; warp < warps; warp++)
        for (uint32_t i = 0; matmul()->access(&point, s, warp, i, &a); i++) {
            uint64_t bytes = (uint64_t)__builtin_popcount(a.active) * a.width * a.times;
            assert_true(a.times > 0);
            for (int lane = 0; lane < 32; lane++) {
                if (!(a.active >> lane & 1))
                    continue;
                assert_int_equal(a.address[lane] % a.width, 0);
                uint64_t room = a.space == ACCESS_GLOBAL ? s->buffer[a.buffer].count * 4 : 96 << 10;
                assert_true(a.address[lane] + a.width <= room);
            }
            if (a.space == ACCESS_SHARED)
                *(a.store ? &t.shared_written : &t.shared_read) += bytes;
            else if (a.atomic)
                t.atomics += a.active != 0;
            else if (a.store)
                t.written += bytes;
            else if (a.buffer == 3)
                t.scratch_read += bytes;
            else
                t.read[a.buffer] += bytes;
        }
    assert_false(matmul()->access(&point, s, warps, 0, &a));
    return t;
}

TEST(accesses_add_up)
{
    struct setup s;
    /* Each of m n threads reads k words of A and of B. */
    struct totals t = add_up("variant=naive m=20 n=36 k=11", &s);
    assert_int_equal(t.read[0], 20 * 11 * 4 * 36);
    assert_int_equal(t.read[1], 20 * 11 * 4 * 36);
    assert_int_equal(t.written, 20 * 36 * 4);
    /* Each block column reads A once, each block row B. */
    t = add_up("variant=tiled tile=16 m=33 n=50 k=40", &s);
    assert_int_equal(t.read[0], 4 * 33 * 40 * 4);
    assert_int_equal(t.read[1], 3 * 40 * 50 * 4);
    assert_int_equal(t.written, 33 * 50 * 4);
    assert_int_equal(t.shared_written, 12 * 3 * 2 * 256 * 4);             /* blocks, rounds, tiles */
    assert_int_equal(t.shared_read, UINT64_C(12) * 3 * 256 * 2 * 16 * 4); /* threads, words a round */
    t = add_up("m=256 n=384 k=64", &s);
    assert_int_equal(t.read[0], 3 * 256 * 64 * 4);
    assert_int_equal(t.read[1], 2 * 64 * 384 * 4);
    assert_int_equal(t.written, 256 * 384 * 4);
    assert_int_equal(t.shared_written, 6 * 8 * 2 * 128 * 8 * 4);
    assert_int_equal(t.shared_read, UINT64_C(6) * 256 * 64 * 16 * 4); /* 16 words a thread and step */
    t = add_up("block_tile=64 outputs=4 slice=16 m=64 n=100 k=20", &s);
    assert_int_equal(t.read[0], 2 * 64 * 20 * 4);
    assert_int_equal(t.read[1], 20 * 128 * 4); /* columns past the end read the last ones again */
    assert_int_equal(t.written, 64 * 100 * 4);
    t = add_up("m=64 n=101 k=21 block_tile=64", &s); /* word by word: only what is there */
    assert_int_equal(t.read[0], 2 * 64 * 21 * 4);
    assert_int_equal(t.read[1], 21 * 101 * 4);
    assert_int_equal(t.written, 64 * 101 * 4);
}

/* Copies of pipelines are no accesses: a thread reads 24 words a step, of all slices, and once more before the first. */
TEST(accesses_of_pipelines_add_up)
{
    struct setup s;
    struct totals t = add_up("variant=tma slice=16 m=129 n=256 k=40", &s);
    assert_true(t.read[0] == 0 && t.read[1] == 0 && t.shared_written == 0);
    assert_int_equal(t.written, 129 * 256 * 4);
    assert_int_equal(t.shared_read, UINT64_C(4) * 128 * (48 * 24 + 48) * 4);
    t = add_up("variant=cp_async tile_shape=256x128 m=300 n=140 k=8 group=1", &s);
    assert_int_equal(t.written, 300 * 140 * 4);
    assert_int_equal(t.shared_read, UINT64_C(4) * 256 * (8 * 24 + 48) * 4);
    /* Two parts of each of 64 tiles: written, read by the last block, which stores the tile; two counts and a zero for each. */
    t = add_up("variant=tma split=2", &s);
    assert_int_equal(t.shared_read, UINT64_C(64) * 128 * (1024 * 24 + 2 * 48) * 4);
    assert_int_equal(t.written, (1024 * 1024 + 2 * 1024 * 1024) * 4 + 64 * 8);
    assert_int_equal(t.scratch_read, 2 * 1024 * 1024 * 4);
    assert_int_equal(t.atomics, 2 * 64);
    /* 400 tiles on 264 blocks: 136 in the last wave, with 128 helpers. */
    t = add_up("variant=tma split=0 m=2560 n=2560 k=64", &s);
    assert_int_equal(t.shared_read, UINT64_C(128) * (400 * 64 * 24 + 264 * 48) * 4);
    assert_int_equal(t.written - t.scratch_read, 2560 * 2560 * 4 + 136 * 8);
    assert_int_equal(t.scratch_read / (128 * 128 * 4), t.atomics);
}

/* A half of a warp's 16-byte reads of A (of B) is pairs of equal addresses at lanes i, i ^ 1 (i, i ^ 2) and
 * no two different ones in the same banks. */
TEST(reads_of_slices_are_free_of_conflicts)
{
    static const char *const settings[] = {"m=128 n=128 k=8",
                                           "m=128 n=128 k=8 outputs=4",
                                           "m=64 n=64 k=8 block_tile=64",
                                           "variant=tma m=128 n=128 k=8",
                                           "variant=tma m=128 n=128 k=16 slice=16",
                                           "variant=cp_async m=128 n=128 k=32 slice=32 stages=3",
                                           "variant=cp_async m=256 n=128 k=16 slice=16 tile_shape=256x128"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct point point = point_of(settings[i]);
        struct setup s = matmul()->setup(&point, &hopper);
        struct access a;
        int reads = 0;
        for (uint32_t index = 0; matmul()->access(&point, &s, 1, index, &a); index++) {
            if (a.space != ACCESS_SHARED || a.store)
                continue;
            assert_int_equal(a.width, 16);
            int other = a.address[0] == a.address[1] ? 1 : 2;
            for (int lane = 0; lane < 32; lane++) {
                assert_int_equal(a.address[lane], a.address[lane ^ other]);
                for (int peer = lane / 16 * 16; peer < lane; peer++)
                    if (a.address[peer] != a.address[lane])
                        assert_int_not_equal(a.address[peer] / 16 % 8, a.address[lane] / 16 % 8);
            }
            reads++;
        }
        assert_true(reads >= 16);
    }
}
