/* The silu_mul family: arithmetic by hand, the activations by other formulas, what cannot exist, accesses. */
#include "unit_test.h"

#define FAMILY "silu_mul"
#include "family_test.h"

/* The activations by the formulas that the kernel does not use. */
static double expected(const char *variant, double x, double y)
{
    if (!strcmp(variant, "silu"))
        return x * y * 0.5 * (1 + tanh(x / 2));
    if (!strcmp(variant, "gelu"))
        return x * y * (0.5 + 0.5 * erf(x / sqrt(2)));
    return 0.5 * x * y * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * pow(x, 3))));
}

/* Against the formula, element by element. */
static void check_reference(const char *variant, const char *dtype, int batch, int columns, double relative)
{
    char settings[100];
    snprintf(settings, sizeof settings, "variant=%s dtype=%s batch=%d d=%d", variant, dtype, batch, columns);
    struct family_run run = run_new(settings);
    enum dtype type = run.setup.buffer[0].dtype;
    uint64_t d = (uint64_t)columns, size = dtype_size(type);
    const char *in = run.data[0], *out = run.data[1];
    family_run_reference(&run);
    for (uint64_t i = 0; i < (uint64_t)batch * d; i++) {
        double x = dtype_load(type, in + (i / d * 2 * d + i % d) * size);
        double y = dtype_load(type, in + (i / d * 2 * d + d + i % d) * size);
        double want = expected(variant, x, y);
        assert_true(fabs(x) <= 4 && fabs(y) <= 4); /* what the tolerance rests on */
        assert_true(fabs(dtype_load(type, out + i * size) - want) <= relative * fabs(want) + 1e-7);
    }
}

TEST(reference)
{
    static const char *const variants[] = {"silu", "gelu", "gelu_tanh"};
    static const int shapes[][2] = {{1, 1},   {7, 1},   {1, 1003}, {3, 1003},
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
    struct point point = point_of("dtype=e4m3 d=1");
    struct tolerance tolerance = family_of(&point)->tolerance(&point);
    assert_true(fabs(1.125 - 1.0) <= tolerance.absolute + tolerance.relative * 1.0);
    assert_false(fabs(1.25 - 1.0) <= tolerance.absolute + tolerance.relative * 1.0);
    point = point_of("variant=gelu dtype=f32 d=1");
    tolerance = family_of(&point)->tolerance(&point);
    assert_true(tolerance.relative < 1e-5 && tolerance.absolute < 1e-5);
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
}

/* Blocks over the whole output: 4800 accesses of 96-element rows, 12 a row, 512 a block. */
TEST(elementwise)
{
    static const char settings[] = "loop=elementwise d=96 batch=400";
    uint64_t loaded[SETUP_BUFFERS_MAX];
    struct access access = access_of(settings, 5, 2); /* block 1, its second warp, its second x */
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
    access = access_of("loop=elementwise d=96 batch=400 unroll=2", 5, 4);
    assert_true(access.store && access.address[0] == (256 + 32) * 16);
}

/* A tile of x and one of y a block, from rows of 12 accesses; the last block by load instructions. */
TEST(bulk)
{
    static const char settings[] = "loop=bulk d=96 batch=400";
    uint64_t loaded[SETUP_BUFFERS_MAX];
    struct access access = access_of(settings, 5, 3); /* warp 1's second y */
    assert_int_equal(access.space, ACCESS_SHARED);
    assert_int_equal(access.address[9], 512 * 16 + (128 + 32 + 9) * 16);
    access = access_of(settings, 5, 9);
    assert_true(access.store && access.width == 16 && access.active == UINT32_MAX);
    assert_int_equal(access.address[31], (512 + 128 + 32 + 31) * 16);
    assert_accesses(settings, loaded);
    assert_int_equal(loaded[0], 192 * 2 * 16);
    assert_int_equal(tile_reads(settings, 8, 2 * 512 * 16), 2 * 512 * 16);
    assert_int_equal(tile_reads(settings, 9, 2 * 512 * 16), 0);
    assert_accesses("loop=bulk d=96 batch=401 unroll=2 vector=4 block=96", loaded);
    assert_int_equal(loaded[0], (401 * 24 % 192) * 2 * 8);
    assert_accesses("loop=bulk d=512 batch=6 unroll=1 block=64", loaded);
    assert_int_equal(loaded[0], 0);
}
