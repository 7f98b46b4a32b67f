/* The silu_mul family: arithmetic by hand, the activations by other formulas, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "silu_mul"
#include "family_test.h"

static struct point made_point(const char *variant, const char *dtype, int64_t batch, int64_t d)
{
    char settings[100];
    snprintf(settings, sizeof settings, "variant=%s dtype=%s batch=%lld d=%lld", variant, dtype,
             (long long)batch, (long long)d);
    return point_of(settings);
}

TEST(bytes_and_operations)
{
    struct point point = made_point("silu", "f16", 8192, 4096);
    struct work work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 134217728); /* 2^13 * 2 * 2^12 * 2 */
    assert_int_equal(work.bytes_written, 67108864);
    assert_int_equal(work.flops, 5 * 33554432ll);
    point = made_point("gelu_tanh", "e4m3", 3, 1003);
    work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 6018);
    assert_int_equal(work.bytes_written, 3009);
    assert_int_equal(work.flops, 9 * 3009);
}

TEST(launch)
{
    static const struct {
        const char *dtype;
        int64_t d;
        uint32_t block;
    } cases[] = {
        {"f16", 4096, 256},  /* 512 accesses of 16 bytes, two a thread */
        {"f16", 11008, 480}, /* 1376, three a thread: 459, in whole warps */
        {"f16", 1003, 512},  /* 1003 accesses of 2 bytes, two a thread: 502 */
        {"f16", 1, 32},      {"f32", 2048, 256},
        {"e5m2", 4096, 128}, {"f16", 1 << 20, 512}, /* 131072 accesses */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = made_point("silu", cases[i].dtype, 77, cases[i].d);
        struct setup setup = family_setup(&point);
        assert_int_equal(setup.grid[0], 77);
        assert_int_equal(setup.block[0], cases[i].block);
        assert_int_equal(setup.buffer[0].count, 77 * 2 * cases[i].d);
        assert_int_equal(setup.buffer[1].count, 77 * cases[i].d);
        assert_false(setup.programmatic_launch);
        point.value[space_axis(point.space, "block")] = 96;
        family_set(&point, "pdl=on");
        setup = family_setup(&point);
        assert_int_equal(setup.block[0], 96);
        assert_true(setup.programmatic_launch);
    }
}

TEST(what_cannot_exist)
{
    char reason[256];
    struct target ampere = {.capability = 80}, host = {.host = true}, unknown = {0};
    struct point point = made_point("silu", "i32", 4, 4);
    assert_string_equal(family_skip(&point, &unknown, reason, sizeof reason),
                        "activations are computed in float from f16, bf16, f32, e4m3 and e5m2, not i32");
    point = made_point("silu", "e4m3", 4, 4);
    assert_null(family_skip(&point, &ampere, reason, sizeof reason));
    assert_null(family_skip(&point, &host, reason, sizeof reason));
    family_set(&point, "pdl=on");
    assert_null(family_skip(&point, &unknown, reason, sizeof reason));
    assert_null(family_skip(&point, &hopper, reason, sizeof reason));
    assert_string_equal(family_skip(&point, &ampere, reason, sizeof reason),
                        "programmatic dependent launch needs compute capability 9.0; this is 8.0");
    assert_string_equal(family_skip(&point, &host, reason, sizeof reason),
                        "the host back end has no programmatic dependent launch");
    family_set(&point, "arch=compute_80"); /* the code decides, not the device */
    assert_string_equal(family_skip(&point, &hopper, reason, sizeof reason),
                        "programmatic dependent launch needs compute capability 9.0; this is 8.0");
}

/* The activations by the formulas that the kernel does not use. */
static double expected(const char *variant, double x, double y)
{
    if (!strcmp(variant, "silu"))
        return x * y * 0.5 * (1 + tanh(x / 2));
    if (!strcmp(variant, "gelu"))
        return x * y * (0.5 + 0.5 * erf(x / sqrt(2)));
    return 0.5 * x * y * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
}

/* In parts of odd length, against the formula element by element; inputs generated and in memory. */
static void check_reference(const char *variant, const char *dtype, int64_t batch, int64_t d, double relative)
{
    struct point point = made_point(variant, dtype, batch, d);
    struct setup setup = family_setup(&point);
    struct inputs generated = {.setup = &setup, .seed = 5}, loaded = generated;
    enum dtype type = setup.buffer[0].dtype;
    uint64_t count = (uint64_t)(batch * d), size = dtype_size(type);
    unsigned char *in = memory_new(2 * count, size), *out = memory_new(count, size),
                  *again = memory_new(count, size);
    fill_range(&setup.buffer[0].fill, type, 5, 0, 2 * count, in);
    loaded.data[0] = in;
    for (uint64_t first = 0; first < count; first += 97) {
        uint64_t n = count - first < 97 ? count - first : 97;
        family_of(&point)->reference(&point, &generated, 1, first, n, out + first * size);
    }
    family_of(&point)->reference(&point, &loaded, 1, 0, count, again);
    assert_memory_equal(out, again, count * size);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = i / (uint64_t)d, column = i % (uint64_t)d;
        double x = dtype_load(type, in + (row * 2 * (uint64_t)d + column) * size);
        double y = dtype_load(type, in + (row * 2 * (uint64_t)d + (uint64_t)d + column) * size);
        double want = expected(variant, x, y);
        assert_true(fabs(x) <= 4 && fabs(y) <= 4); /* what the tolerance rests on */
        assert_true(fabs(dtype_load(type, out + i * size) - want) <= relative * fabs(want) + 1e-7);
    }
    free(in);
    free(out);
    free(again);
}

TEST(reference)
{
    static const char *const variants[] = {"silu", "gelu", "gelu_tanh"};
    static const int64_t shapes[][2] = {{1, 1},   {7, 1},   {1, 1003}, {3, 1003},
                                        {5, 255}, {5, 256}, {5, 257},  {2, 4096}};
    for (size_t v = 0; v < 3; v++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            check_reference(variants[v], "f32", shapes[s][0], shapes[s][1], 1e-7);
            check_reference(variants[v], "f16", shapes[s][0], shapes[s][1], 0x1p-11 + 1e-7);
            check_reference(variants[v], "bf16", shapes[s][0], shapes[s][1], 0x1p-8 + 1e-7);
        }
}

/* fp8 has few numbers: products round by up to half the spacing. */
TEST(tolerance_covers_one_step)
{
    struct point point = made_point("silu", "e4m3", 1, 1);
    struct tolerance tolerance = family_of(&point)->tolerance(&point);
    assert_true(fabs(1.125 - 1.0) <= tolerance.absolute + tolerance.relative * 1.0);
    assert_false(fabs(1.25 - 1.0) <= tolerance.absolute + tolerance.relative * 1.0);
    point = made_point("gelu", "f32", 1, 1);
    tolerance = family_of(&point)->tolerance(&point);
    assert_true(tolerance.relative < 1e-5 && tolerance.absolute < 1e-5);
}

static void check_access(const struct access *access, bool store, uint32_t width, uint32_t active,
                         uint64_t first)
{
    assert_int_equal(access->space, ACCESS_GLOBAL);
    assert_int_equal(access->store, store);
    assert_int_equal(access->buffer, store);
    assert_int_equal(access->width, width);
    assert_int_equal(access->active, active);
    assert_int_equal(access->times, 1);
    for (uint64_t lane = 0; lane < 32; lane++)
        if (active >> lane & 1)
            assert_int_equal(access->address[lane], first + lane * width);
}

/* The width that is asked for, however rows are aligned, and what it cannot be. */
TEST(vectors)
{
    static const int vectors[] = {0, 1, 2, 4, 8, 16};
    for (int i = 0; i < 6 * 2; i++) {
        char settings[80];
        uint64_t loaded[SETUP_BUFFERS_MAX];
        snprintf(settings, sizeof settings, "batch=3 d=%d vector=%d", i / 6 ? 96 : 4800, vectors[i % 6]);
        assert_accesses(settings, loaded);
        assert_int_equal(loaded[0], 3 * 2 * 2 * (i / 6 ? 96 : 4800));
        int width = vectors[i % 6] ? 2 * vectors[i % 6] : 16;
        assert_int_equal(access_of(settings, 0, 0).width, width);
    }
    assert_skip("vector=32", "64 bytes is wider");
    assert_skip("vector=3", "no power of two");
    assert_skip("d=1003 vector=2", "rows of 1003 elements are no whole number of vectors of 2");
    assert_skip("dtype=e4m3 vector=32", NULL);
}

/* Blocks over the whole output: 4800 accesses of 96-element rows, 12 a row, 512 a block. */
TEST(elementwise)
{
    static const char settings[] = "loop=elementwise d=96 batch=400";
    struct point point = point_of(settings);
    struct setup setup = family_setup(&point);
    uint64_t loaded[SETUP_BUFFERS_MAX];
    struct access access;
    assert_int_equal(setup.engine, ENGINE_KERNEL);
    assert_int_equal(setup.grid[0], 10); /* the last has 192 accesses */
    assert_int_equal(setup.block[0], 128);
    assert_int_equal(setup.argument[2].value, 4800);
    assert_int_equal(setup.arguments, 3);
    access = access_of(settings, 5, 2); /* block 1, its second warp, its second x */
    assert_int_equal(access.active, UINT32_MAX);
    for (uint64_t lane = 0; lane < 32; lane++) {
        uint64_t k = 512 + 128 + 32 + lane;
        assert_int_equal(access.address[lane], (k / 12 * 24 + k % 12) * 16);
    }
    access = access_of(settings, 5, 3); /* its y */
    assert_int_equal(access.address[9], ((512 + 160 + 9) / 12 * 24 + 12 + (512 + 160 + 9) % 12) * 16);
    access = access_of(settings, 5, 9); /* the store */
    assert_true(access.store && access.address[9] == (512 + 160 + 9) * 16);
    assert_accesses(settings, loaded);
    assert_int_equal(loaded[0], 400 * 2 * 2 * 96);
    assert_accesses("loop=elementwise d=1003 batch=7 unroll=1 block=96", loaded);
    assert_int_equal(loaded[0], 7 * 2 * 2 * 1003);
    assert_accesses("loop=elementwise d=96 batch=401 unroll=2 vector=4 block=96", loaded);
    assert_int_equal(loaded[0], 401 * 2 * 2 * 96);
    point = point_of("loop=elementwise d=96 batch=400 unroll=2");
    assert_int_equal(family_setup(&point).grid[0], 19); /* 256 accesses a block */
    access = access_of("loop=elementwise d=96 batch=400 unroll=2", 5, 4);
    assert_true(access.store && access.address[0] == (256 + 32) * 16);
    assert_int_equal(point_of("").value[space_axis(point.space, "loop")], 0);
    assert_skip("loop=elementwise d=1048577 batch=2048", "in 32 bits");
    assert_skip("loop=elementwise d=1048577 batch=2047", NULL);
}

/* A tile of x and one of y a block, from rows of 12 accesses; the last block by load instructions. */
TEST(bulk)
{
    static const char settings[] = "loop=bulk d=96 batch=400";
    struct point point = point_of(settings);
    struct setup setup = family_setup(&point);
    uint64_t loaded[SETUP_BUFFERS_MAX];
    assert_int_equal(setup.grid[0], 10); /* the last has 192 accesses of 512 */
    assert_int_equal(setup.block[0], 128);
    assert_int_equal(setup.argument[2].value, 4800);
    assert_int_equal(setup.arguments, 3);
    assert_int_equal(setup.shared_dynamic, 2 * 512 * 16 + 8);
    assert_int_equal(setup.carveout, 25);
    struct access access = access_of(settings, 5, 3); /* warp 1's second y */
    assert_int_equal(access.space, ACCESS_SHARED);
    assert_int_equal(access.address[9], 512 * 16 + (128 + 32 + 9) * 16);
    access = access_of(settings, 5, 9);
    check_access(&access, true, 16, UINT32_MAX, (512 + 128 + 32) * 16);
    assert_accesses(settings, loaded);
    assert_int_equal(loaded[0], 192 * 2 * 16);
    assert_int_equal(tile_reads(settings, 8, 2 * 512 * 16), 2 * 512 * 16);
    assert_int_equal(tile_reads(settings, 9, 2 * 512 * 16), 0);
    assert_accesses("loop=bulk d=96 batch=401 unroll=2 vector=4 block=96", loaded);
    assert_int_equal(loaded[0], (401 * 24 % 192) * 2 * 8);
    assert_accesses("loop=bulk d=512 batch=6 unroll=1 block=64", loaded);
    assert_int_equal(loaded[0], 0);
    assert_skip("loop=bulk", NULL);
    assert_skip_on(&on_host, "loop=bulk", NULL);
    assert_skip("loop=bulk pdl=on variant=gelu", NULL);
    assert_skip("loop=bulk arch=compute_80", "a bulk load needs compute capability 9.0");
    assert_skip("loop=bulk d=1003", "rows of 2006 bytes are no whole number of 16");
    assert_skip("loop=bulk vector=16", "32 bytes to shared memory is wider than 16");
    assert_skip("loop=bulk vector=1 block=1 unroll=1", "a block's part of 2 bytes");
    assert_skip("loop=bulk dtype=e4m3 vector=16 block=1024", NULL);
}

/* The vendor's loop: an engine, and nothing to choose. */
TEST(cub_transform)
{
    struct point point = point_of("loop=cub_transform d=1003 batch=5");
    struct setup setup = family_setup(&point);
    struct access access;
    assert_int_equal(setup.engine, ENGINE_CUB_SILU_MUL);
    assert_int_equal(setup.shape[0], 5);
    assert_int_equal(setup.shape[1], 1003);
    assert_false(family_of(&point)->access(&point, &setup, 0, 0, &access));
    assert_skip("loop=cub_transform", NULL);
    assert_skip("loop=cub_transform dtype=bf16 d=11008", NULL);
    static const char *const chosen[] = {"vector=4", "unroll=1", "pdl=on", "block=96", "arch=sm_90"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "loop=cub_transform %s", chosen[i]);
        assert_skip(settings, "the vendor's loop");
    }
    assert_skip("loop=cub_transform variant=gelu", "silu of f16, bf16 and f32 only");
    assert_skip("loop=cub_transform dtype=e4m3", "silu of f16, bf16 and f32 only");
}
