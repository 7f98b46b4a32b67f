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

/* Copies of pipelines are no accesses: a thread reads 24 words a step, of all slices, and once more before
 * the first. */
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
    /* Two parts of each of 64 tiles: written, read by the last block, which stores the tile; two counts and a
     * zero for each. */
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
