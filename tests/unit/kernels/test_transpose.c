/* The transpose family: bytes, grid and every reason to refuse by hand, the reference against a plain loop,
 * and what the access pattern says about banks. */
#include "unit_test.h"

#include "family/access/access.h"
#define FAMILY "transpose"
#include "family_test.h"
#include "kernels/registry.h"

static const struct family *transpose(void)
{
    return family_find("transpose");
}

TEST(tensors)
{
    struct setup s = setup_of("variant=tma rows=80 columns=4000 dtype=f16 tile=64");
    /* 128 bytes */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.tensor[i].box_rows, 64);
        assert_int_equal(s.tensor[i].box_columns, 64);
        assert_int_equal(s.tensor[i].swizzle, SWIZZLE_128B);
        assert_int_equal(s.argument[i].kind, ARGUMENT_TENSOR);
        assert_int_equal(s.argument[i].value, i);
    }
    assert_int_equal(s.argument[2].value, 2 * 63); /* tiles */
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
