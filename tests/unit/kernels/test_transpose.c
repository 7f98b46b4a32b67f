/* The transpose family: bytes, grid and every reason to refuse by hand, the reference against a plain loop,
 * and what the access pattern says about banks. */
#include "unit_test.h"

#include "family/access/access.h"
#define FAMILY "transpose"
#include "family_test.h"
#include "kernels/registry.h"

static const struct target ampere = {80,        108,       40 << 20, UINT64_C(80) << 30,
                                     163 << 10, 164 << 10, 2048,     false};
static const struct target unknown;

static const struct family *transpose(void)
{
    return family_find("transpose");
}

TEST(work)
{
    assert_work("", 64 << 20, 64 << 20, 0);
    assert_work("rows=16384 columns=16384", 1 << 30, 1 << 30, 0);
    assert_work("rows=1003 columns=7 dtype=u8", 7021, 7021, 0);
    assert_work("rows=1048583 columns=1 dtype=bf16", 2097166, 2097166, 0);
    assert_work("variant=cublas rows=100 columns=10", 4000, 4000, 0);
}

static void assert_launch(const char *settings, uint32_t blocks, uint32_t threads, uint32_t shared_dynamic)
{
    assert_grid(settings, blocks, threads);
    assert_int_equal(setup_of(settings).shared_dynamic, shared_dynamic);
}

TEST(grid)
{
    assert_launch("", 128 * 128, 256, 0);
    assert_launch("rows=1 columns=1", 1, 256, 0);
    assert_launch("rows=33 columns=64", 4, 256, 0);
    assert_launch("rows=31 columns=65 tile=64", 2, 256, 0);
    assert_launch("variant=vectorized", 128 * 128, 64, 0);                  /* 8 x 8 squares of 4 x 4 */
    assert_launch("variant=vectorized tile=64", 64 * 64, 256, 0);           /* 16 x 16 squares */
    assert_launch("variant=vectorized tile=64 dtype=f64", 64 * 64, 256, 0); /* 1024 squares, four a thread */
    assert_launch("variant=vectorized tile=64 dtype=f16", 64 * 64, 64, 0);  /* 8 x 8 squares of 8 x 8 */
    assert_launch("variant=vectorized tile=128 dtype=u8 rows=16 columns=16", 1, 64, 0);
    /* 64 x 64 f32 is 16 KiB; four of them and their barriers: three blocks fit 228 KiB. */
    assert_launch("variant=tma tile=64", 3 * 132, 256, 4 * 16384 + 32);
    assert_launch("variant=tma tile=32 stages=2", 25 * 132, 64, 2 * 4096 + 16); /* 228 KiB / (8208 + 1024) */
    assert_launch("variant=tma tile=64 rows=64 columns=128", 2, 256, 4 * 16384 + 32);
}

TEST(tensors)
{
    struct setup s = setup_of("variant=tma rows=80 columns=4000 dtype=f16 tile=64");
    assert_int_equal(s.tensor[0].buffer, 0);
    assert_int_equal(s.tensor[0].rows, 80);
    assert_int_equal(s.tensor[0].columns, 4000);
    assert_int_equal(s.tensor[1].buffer, 1);
    assert_int_equal(s.tensor[1].rows, 4000);
    assert_int_equal(s.tensor[1].columns, 80);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.tensor[i].box_rows, 64);
        assert_int_equal(s.tensor[i].box_columns, 64); /* 128 bytes */
        assert_int_equal(s.tensor[i].swizzle, SWIZZLE_128B);
        assert_int_equal(s.argument[i].kind, ARGUMENT_TENSOR);
        assert_int_equal(s.argument[i].value, i);
    }
    assert_int_equal(s.argument[2].value, 2 * 63); /* tiles */
    assert_int_equal(s.argument[3].value, 2);      /* down */
    assert_int_equal(s.argument[4].value, 63);     /* across */
    assert_int_equal(s.argument[5].value, 2);      /* group: no more than there are */
    s = setup_of("variant=cublas rows=80 columns=4000");
    assert_int_equal(s.engine, ENGINE_GEAM);
    assert_int_equal(s.shape[0], 80);
    assert_int_equal(s.shape[1], 4000);
}

TEST(every_reason)
{
    assert_skip("tile=8", "a tile of 8 elements is none of 16, 32, 64 and 128");
    assert_skip("tile=48", "a tile of 48 elements is none of");
    assert_skip("tile=128", "a tile of 128 x 128 f32 elements is larger than 32 KiB");
    assert_skip("tile=128 dtype=f16", NULL);
    assert_skip("tile=64 dtype=f64", NULL);
    assert_skip("rows=536870912 columns=4096 dtype=u8 tile=16", "8589934592 blocks are more than a grid");
    assert_skip("layout=padded", "only vectorized has a layout");
    assert_skip("variant=tma layout=padded", "only vectorized has a layout");
    assert_skip("variant=vectorized layout=padded", NULL);
    assert_skip("variant=naive store=scattered", "only shared, padded and swizzled have a store");
    assert_skip("variant=vectorized store=scattered", "only shared, padded and swizzled have a store");
    assert_skip("variant=cublas store=scattered", "the vendor's transposition");
    assert_skip("variant=swizzled store=scattered", NULL);
    assert_skip("variant=vectorized stages=2", "only tma has stages");
    assert_skip("variant=vectorized tile=16", "at least 128 bytes; 16 f32 elements are 64 bytes");
    assert_skip("variant=tma dtype=u8 tile=64", "at least 128 bytes; 64 u8 elements are 64 bytes");
    assert_skip("variant=vectorized rows=1003", "multiples of 4 f32 elements, 16 bytes");
    assert_skip("variant=tma columns=4092 dtype=f16 tile=64", "multiples of 8 f16 elements, 16 bytes");
    assert_skip("variant=tma columns=4092 dtype=f32", NULL);
    assert_skip("vector=4", "only vectorized has a vector to choose");
    assert_skip("variant=tma tile=64 vector=8", "only vectorized has a vector to choose");
    assert_skip("variant=vectorized tile=64 vector=2",
                "an access of 2 f32 elements is none of 16 or 32 bytes");
    assert_skip("variant=vectorized tile=32 vector=8",
                "by 32 bytes needs tile rows of at least 256 bytes; 32 f32 elements are 128 bytes");
    assert_skip("variant=vectorized dtype=u8 tile=128 vector=32", "at least 256 bytes");
    assert_skip("variant=vectorized tile=64 vector=8 rows=4100", "multiples of 8 f32 elements, 32 bytes");
    assert_skip("variant=vectorized tile=64 vector=8", NULL);
    assert_skip("variant=vectorized tile=64 vector=4 rows=4100", NULL);
    assert_skip("variant=cublas vector=4", "the vendor's transposition");
    assert_skip_on(&on_host, "variant=tma", "bulk tensor copies, which the host has not");
    assert_skip_on(&ampere, "variant=tma", "tma needs compute capability 9.0; this is 8.0");
    assert_skip("variant=tma arch=compute_80", "tma needs compute capability 9.0; this is 8.0");
    assert_skip("variant=tma arch=sm_90", NULL);
    assert_skip_on(&unknown, "variant=tma", NULL);
    assert_skip("variant=tma tile=64 dtype=f64 stages=7", NULL); /* 229432 bytes of 232448 */
    assert_skip("variant=tma tile=64 dtype=f64 stages=8",
                "8 stages need 262208 bytes of shared memory; a block has 232448");
    assert_skip("variant=cublas", NULL);
    assert_skip("variant=cublas dtype=f64", NULL);
    assert_skip("variant=cublas dtype=f16", "geam has f32 and f64 only");
    assert_skip("variant=cublas tile=64", "the vendor's transposition");
    assert_skip("variant=cublas group=1", "the vendor's transposition");
    assert_skip("variant=cublas stages=3", "the vendor's transposition");
    assert_skip("variant=cublas arch=sm_90", "the vendor's transposition");
    assert_skip_on(&on_host, "variant=naive rows=1003 columns=1", NULL);
}

TEST(reference_at_odd_sizes)
{
    static const uint64_t sides[][2] = {{1, 1},   {1, 1003}, {1003, 1}, {31, 33},
                                        {32, 32}, {63, 65},  {127, 16}, {1048583, 1}};
    static const char *const types[] = {"u8", "f16", "f32", "f64"};
    for (int i = 0; i < 8 * 4; i++) {
        uint64_t rows = sides[i / 4][0], cols = sides[i / 4][1];
        char settings[128];
        snprintf(settings, sizeof settings, "rows=%d columns=%d dtype=%s", (int)rows, (int)cols,
                 types[i % 4]);
        struct family_run run = run_new(settings);
        uint64_t size = dtype_size(run.setup.buffer[0].dtype);
        const char *in = run.data[0], *out = run.data[1];
        family_run_reference(&run);
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t c = 0; c < cols; c++)
                assert_memory_equal(out + (c * rows + r) * size, in + (r * cols + c) * size, size);
    }
}

/* The most wavefronts of a shared-memory store and of a load over the first warps. */
static void assert_wavefronts(const char *settings, uint32_t store, uint32_t load)
{
    struct point point = point_of(settings);
    char reason[256];
    const char *why = family_skip(&point, &hopper, reason, sizeof reason);
    if (why)
        fail_msg("%s: %s", settings, why);
    struct setup s = transpose()->setup(&point, &hopper);
    struct access a;
    uint32_t most[2] = {0};
    for (uint64_t warp = 0; warp < 16; warp++)
        for (uint32_t i = 0; transpose()->access(&point, &s, warp, i, &a); i++)
            if (a.space == ACCESS_SHARED && access_model_cost(&a, 90).wavefronts > most[a.store])
                most[a.store] = access_model_cost(&a, 90).wavefronts;
    if (most[1] != store || most[0] != load)
        fail_msg("%s: a store takes %u wavefronts, a load %u", settings, most[1], most[0]);
}

TEST(bank_conflicts)
{
    assert_wavefronts("variant=naive", 0, 0);
    assert_wavefronts("variant=shared", 1, 32);
    assert_wavefronts("variant=shared tile=64", 1, 32);
    assert_wavefronts("variant=shared tile=16", 1, 8);    /* two columns of 16, each over two banks */
    assert_wavefronts("variant=shared dtype=f64", 2, 32); /* two phases of 16 lanes each */
    assert_wavefronts("variant=padded", 1, 1);
    assert_wavefronts("variant=padded tile=64", 1, 1);
    assert_wavefronts("variant=padded dtype=f64", 2, 2);
    assert_wavefronts("variant=padded dtype=f16", 1, 1);
    assert_wavefronts("variant=padded dtype=u8", 1, 1);
    assert_wavefronts("variant=swizzled tile=16", 1, 1);
    assert_wavefronts("variant=swizzled", 1, 1);
    assert_wavefronts("variant=swizzled tile=64", 1, 1);
    assert_wavefronts("variant=swizzled dtype=f64", 2, 2);
    assert_wavefronts("variant=swizzled dtype=f16", 1, 1);
    assert_wavefronts("variant=swizzled dtype=u8", 1, 1);
    static const char *const shapes[] = {"dtype=f32 tile=32", "dtype=f32 tile=64", "dtype=f64 tile=16",
                                         "dtype=f64 tile=64", "dtype=f16 tile=64", "dtype=f16 tile=128",
                                         "dtype=u8 tile=128"};
    static const char *const ways[] = {"variant=vectorized layout=padded",
                                       "variant=vectorized layout=swizzled", "variant=tma stages=2"};
    for (int i = 0; i < 7 * 3; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "%s %s", ways[i % 3], shapes[i / 3]);
        assert_wavefronts(settings, 4, 4); /* 512 bytes: four wavefronts, no conflict */
    }
    static const char *const wide[] = {"dtype=f32 tile=64 vector=8", "dtype=f64 tile=32 vector=4",
                                       "dtype=f64 tile=64 vector=4", "dtype=f16 tile=128 vector=16"};
    for (int i = 0; i < 4 * 2; i++) { /* as many, for the halves of 32 bytes */
        char settings[128];
        snprintf(settings, sizeof settings, "%s %s", ways[i % 2], wide[i / 2]);
        assert_wavefronts(settings, 4, 4);
    }
}

/* Each element is loaded and stored, and nothing else. */
TEST(accesses)
{
    static const char *const settings[] = {
        "variant=naive rows=67 columns=129",
        "variant=shared rows=67 columns=129 tile=16 group=3",
        "variant=padded rows=1 columns=1003 dtype=u8",
        "variant=swizzled rows=130 columns=65 tile=64 dtype=f64 group=1",
        "variant=shared rows=67 columns=129 tile=16 group=3 store=scattered",
        "variant=padded rows=1 columns=1003 dtype=u8 store=scattered",
        "variant=swizzled rows=130 columns=65 tile=64 dtype=f64 group=1 store=scattered",
        "variant=vectorized rows=68 columns=132 layout=padded group=2",
        "variant=vectorized rows=136 columns=72 tile=64 dtype=f16",
        "variant=vectorized rows=16 columns=144 tile=128 dtype=u8",
        "variant=vectorized rows=130 columns=66 tile=64 dtype=f64",
        "variant=vectorized rows=72 columns=136 tile=64 vector=8 group=2",
        "variant=vectorized rows=132 columns=68 tile=64 dtype=f64 vector=4 layout=padded",
        "variant=vectorized rows=144 columns=272 tile=128 dtype=f16 vector=16",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX];
        struct point point = point_of(settings[i]);
        assert_accesses(settings[i], loaded);
        assert_int_equal(loaded[0], family_of(&point)->work(&point).bytes_read);
    }
}
