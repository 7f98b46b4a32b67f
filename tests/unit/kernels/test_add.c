/* The add family: arithmetic by hand, every reason to refuse, the reference against additions of its own, and
 * the access pattern against the reference. */
#include "unit_test.h"

#define FAMILY "add"
#include "family_test.h"

TEST(work)
{
    assert_work("rows=1024 columns=1024", 8 << 20, 4 << 20, 1 << 20);
    assert_work("rows=1024 columns=2048 dtype=f16 variant=packed", 8 << 20, 4 << 20, 2 << 20);
    assert_work("rows=1 columns=1 dtype=bf16", 4, 2, 1);
    assert_work("rows=17 columns=59 offset=4 variant=vector", 8024, 4012, 1003);
    assert_work("rows=16384 columns=16384", UINT64_C(2) << 30, 1 << 30, 1 << 28);
}

/* 32-bit numbers as long as they count all of the last block's elements; offsets are the pointers'. */
TEST(arguments)
{
    struct point point = point_of("rows=1 columns=1003 variant=vector offset=8");
    struct setup s = family_setup(&point);
    assert_string_equal(s.entry, "add");
    assert_int_equal(s.argument[2].value, BUFFER_FROM(2, 32));
    assert_int_equal(s.buffer[2].count, 1011);
    assert_int_equal(s.argument[3].kind, ARGUMENT_U32);
    assert_int_equal(s.argument[3].value, 1003);
    point = point_of("rows=262144 columns=8192");
    assert_string_equal(family_setup(&point).entry, "add");
    point = point_of("rows=262145 columns=8192");
    s = family_setup(&point);
    assert_string_equal(s.entry, "add_large");
    assert_int_equal(s.argument[3].kind, ARGUMENT_U64);
}

/* The vendor's addition: an engine, and nothing to choose but the type. */
TEST(cub_transform)
{
    static const char *const chosen[] = {"vector=4", "restrict=no", "hint=stream", "offset=1",
                                         "block=64", "items=2",     "carveout=50", "arch=sm_90"};
    struct point point = point_of("variant=cub_transform dtype=bf16 rows=3 columns=1003");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    struct access access;
    assert_int_equal(s.engine, ENGINE_CUB_ADD);
    assert_int_equal(s.buffer[0].count, 3009);
    assert_false(family_of(&point)->access(&point, &s, 0, 0, &access));
    assert_work("rows=3 columns=1003 variant=cub_transform", 2 * 4 * 3009, 4 * 3009, 3009);
    assert_skip("variant=cub_transform", NULL);
    assert_skip("variant=cub_transform dtype=f16", NULL);
    assert_skip("variant=cub_transform dtype=f64", "not f64");
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "variant=cub_transform %s", chosen[i]);
        assert_skip(settings, "the vendor's addition");
    }
}

TEST(every_reason)
{
    assert_skip("dtype=f64", "add is for f32, f16 and bf16, not f64");
    assert_skip("dtype=u8", "not u8");
    assert_skip("variant=vector dtype=f16", "vector is the wide access of floats");
    assert_skip("variant=vector dtype=bf16", "are those of bf16");
    assert_skip("variant=half2", "half2 pairs 16-bit elements");
    assert_skip("variant=unpacked", "unpacked pairs 16-bit elements");
    assert_skip("variant=packed", "packed pairs 16-bit elements");
    assert_skip("variant=vector vector=8 hint=stream", "accesses of 32 bytes are without hints");
    assert_skip("variant=vector vector=8 offset=4", "an offset of 4 elements misaligns accesses of 8");
    assert_skip("variant=packed dtype=f16 vector=4 offset=4", NULL);
    assert_skip("variant=vector vector=1", "an access of 1 f32 elements is none of 8, 16 or 32 bytes");
    assert_skip("variant=vector vector=3", "none of 8, 16 or 32 bytes");
    assert_skip("variant=vector vector=16", "none of 8, 16 or 32 bytes");
    assert_skip("variant=packed dtype=f16 vector=2", "none of 8, 16 or 32 bytes");
    assert_skip("variant=half2 dtype=f16 vector=2", "half2 has no vector to choose");
    assert_skip("vector=4", "scalar has no vector to choose");
    for (int vector = 2; vector <= 8; vector *= 2) {
        char settings[64];
        snprintf(settings, sizeof settings, "variant=vector vector=%d", vector);
        assert_skip(settings, NULL);
        snprintf(settings, sizeof settings, "variant=packed dtype=bf16 vector=%d", 2 * vector);
        assert_skip(settings, NULL);
    }
    assert_skip("variant=vector offset=2", "an offset of 2 elements misaligns accesses of 4");
    assert_skip("variant=packed dtype=f16 offset=4", "misaligns accesses of 8");
    assert_skip("variant=unpacked dtype=f16 offset=4", NULL);
    assert_skip("offset=3", NULL);
    assert_skip("rows=1048576 columns=65536 block=1", "68719476736 blocks are more");
    assert_skip("rows=262144 columns=65536 variant=vector", "192 GiB");
    for (int i = 0; i < 3; i++) {
        static const char *const half[] = {"variant=half2", "variant=unpacked", "variant=packed"};
        char settings[64];
        snprintf(settings, sizeof settings, "%s dtype=bf16", half[i]);
        assert_skip(settings, NULL);
        assert_skip_on(&on_host, settings, NULL);
    }
}

static const char *const variants[][2] = {{"scalar", "f32"},          {"scalar", "f16"},
                                          {"scalar", "bf16"},         {"vector", "f32"},
                                          {"half2", "f16"},           {"half2", "bf16"},
                                          {"unpacked", "f16"},        {"unpacked", "bf16"},
                                          {"packed", "f16"},          {"packed", "bf16"},
                                          {"vector", "f32 vector=2"}, {"vector", "f32 vector=8"},
                                          {"packed", "f16 vector=4"}, {"packed", "bf16 vector=16"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Correctly rounded sums: the nearest of the neighbours of the double sum, found by search. */
static void assert_nearest(enum dtype dtype, double exact, const void *sum)
{
    uint64_t size = dtype_size(dtype);
    uint32_t bits = 0;
    memcpy(&bits, sum, size);
    double error = fabs(dtype_load(dtype, &bits) - exact);
    for (int step = -1; step <= 1; step += 2) {
        uint32_t neighbour = bits + (uint32_t)step;
        double other = fabs(dtype_load(dtype, &neighbour) - exact);
        assert_true(isnan(other) || error <= other);
    }
}

TEST(reference_at_odd_sizes)
{
    static const int columns[] = {1, 2, 31, 255, 257, 1003, 2047, 2048, 2049};
    for (int v = 0; v < VARIANTS; v++)
        for (int c = 0; c < 9; c++) {
            char settings[128];
            snprintf(settings, sizeof settings, "variant=%s dtype=%s rows=%d columns=%d offset=%d",
                     variants[v][0], variants[v][1], 1 + c % 2, columns[c], c % 3 * 16);
            struct family_run run = run_new(settings);
            family_run_reference(&run);
            enum dtype dtype = run.setup.buffer[2].dtype;
            uint64_t size = dtype_size(dtype);
            for (uint64_t i = 0; i < run.setup.buffer[2].count; i++) {
                char *sum = (char *)run.data[2] + i * size;
                if (i < (uint64_t)(c % 3 * 16))
                    assert_memory_equal(sum, "\xff\xff\xff\xff", size);
                else
                    assert_nearest(dtype,
                                   dtype_load(dtype, (char *)run.data[0] + i * size) +
                                       dtype_load(dtype, (char *)run.data[1] + i * size),
                                   sum);
            }
        }
}

TEST(a_million_and_seven)
{
    struct family_run run = run_new("rows=1 columns=1048583 variant=vector");
    const float *a = run.data[0], *b = run.data[1], *out = run.data[2];
    family_run_reference(&run);
    for (uint64_t i = 0; i < 1048583; i++)
        assert_true(out[i] == a[i] + b[i]);
}

TEST(accesses_cover_the_arrays)
{
    static const int counts[] = {1, 33, 1003, 2047, 2048, 2049, 6000};
    for (int i = 0; i < VARIANTS * 7 * 4; i++) {
        char settings[160];
        int count = counts[i / VARIANTS % 7], k = i / VARIANTS / 7;
        uint64_t loaded[SETUP_BUFFERS_MAX];
        snprintf(settings, sizeof settings,
                 "variant=%s dtype=%s rows=1 columns=%d restrict=%s items=%d block=%d offset=%d",
                 variants[i % VARIANTS][0], variants[i % VARIANTS][1], count, k % 2 ? "yes" : "no", 1 + k,
                 k == 3 ? 48 : 64, 16 * k);
        assert_accesses(settings, loaded);
        uint64_t bytes = (uint64_t)count * (strncmp(variants[i % VARIANTS][1], "f32", 3) ? 2 : 4);
        assert_int_equal(loaded[0], bytes);
        assert_int_equal(loaded[1], bytes);
    }
}

/* bulk_load: whole blocks read a tile of both arrays, the last block goes element by element. */
TEST(bulk)
{
    static const char *const chosen[] = {"dtype=f32", "dtype=f32 vector=1 items=3 block=256",
                                         "dtype=f16 vector=2", "dtype=bf16 items=4 block=48"};
    static const int tiles[] = {128 * 16, 256 * 3 * 4, 128 * 4, 48 * 4 * 16};
    for (int i = 0; i < 4 * 4; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX], tile = (uint64_t)tiles[i / 4], size = i / 4 < 2 ? 4 : 2;
        uint64_t ragged = i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : i % 4 == 2 ? 37 : tile / size - 1;
        char settings[160];
        snprintf(settings, sizeof settings, "variant=bulk_load block=128 %s rows=1 columns=%d offset=%d",
                 chosen[i / 4], (int)(3 * tile / size + ragged), i % 4 * 8);
        struct point point = point_of(settings);
        struct setup s = family_setup(&point);
        assert_int_equal(s.shared_dynamic, 2 * tile + 8);
        assert_int_equal(s.grid[0], 3 + (ragged > 0));
        assert_accesses(settings, loaded); /* by load instructions: the last block's */
        assert_int_equal(loaded[0], ragged * size);
        assert_int_equal(loaded[1], ragged * size);
        assert_int_equal(tile_reads(settings, 2, 2 * tile), 2 * tile);
        if (ragged)
            assert_int_equal(tile_reads(settings, 3, 2 * tile), 0);
    }
    struct access a = access_of("variant=bulk_load block=128 items=2 dtype=f16", 5, 3); /* the second of b */
    assert_int_equal(a.space, ACCESS_SHARED);
    assert_int_equal(a.width, 16);
    assert_int_equal(a.address[1], 2 * 128 * 16 + (128 + 33) * 16);
    assert_work("variant=bulk_load rows=1 columns=1003", 8024, 4012, 1003);
}

TEST(bulk_reasons)
{
    static const char *const reasons[][2] = {
        {"vector=8", "none of 2, 4, 8 or 16 bytes"},
        {"vector=3", "none of 2, 4, 8 or 16 bytes"},
        {"offset=4", NULL},
        {"offset=6 vector=2", "an offset of 6 elements misaligns bulk copies"},
        {"restrict=no", "no restrict to choose"},
        {"hint=stream", "no hint but stream_out"},
        {"hint=read_ahead", "no hint but stream_out"},
        {"hint=stream_out", NULL},
        {"block=3 vector=2", "a block's part of 24 bytes"},
        {"block=1024 items=8", "more shared memory"},
        {"block=1024 items=7", NULL},
        {"arch=sm_80", "a bulk load needs compute capability 9.0; this is 8.0"},
        {"block=1 vector=4 rows=1048576 columns=16384", "4294967296 blocks are more"},
        {"dtype=f64", "not f64"}};
    static const struct target any;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "variant=bulk_load %s", reasons[i][0]);
        family_assert_skip("add", settings, strncmp(reasons[i][0], "arch", 4) ? &hopper : &any,
                           reasons[i][1]);
    }
    assert_skip_on(&on_host, "variant=bulk_load", NULL);
}
