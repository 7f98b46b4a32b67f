/* What bounds a point: the family's level of memory, its mix of reads and writes, its arithmetic, the state
 * of L2, and what the device's peaks tell. */
#include "unit_test.h"

#include "family/time/roof.h"
#include "family_test.h"

static struct device gpu(void)
{
    struct device device = device_unknown();
    device.l2_bytes = 50 << 20;
    device.multiprocessors = 132;
    device.peak_copy = 3000;
    device.peak_read = 3100;
    device.peak_write = 3200;
    device.peak_l2_read = 7000;
    device.peak_l2_copy = 5000;
    device.peak_l2_write = 4000;
    device.peak_shared = 30000;
    device.peak_h2d = 54;
    device.peak_d2h = 55;
    device.peak_flop_f16 = 120e3;
    device.peak_flop_bf16 = 110e3;
    device.peak_flop_f32 = 60e3;
    device.peak_flop_f64 = 30e3;
    return device;
}

static void assert_roof(const char *kernel, const char *settings, enum cache_mode cache, enum roof_kind kind,
                        double rate)
{
    struct device device = gpu();
    struct point point = family_point(kernel, settings);
    struct roof roof = roof_of(&point, cache, &device, NAN);
    if (roof.kind != kind || !(fabs(roof.rate - rate) < 1e-9 * rate))
        fail_msg("%s %s: %s at %g, expected %s at %g", kernel, settings, roof_words[roof.kind], roof.rate,
                 roof_words[kind], rate);
}

TEST(mix)
{
    assert_true(roof_of_mix(1, 3100, 3000, 3200) == 3100);
    assert_true(roof_of_mix(0, 3100, 3000, 3200) == 3200);
    assert_true(fabs(roof_of_mix(0.5, 3100, 3000, 3200) - 3000) < 1e-9);
    /* Three quarters read: half-way from a copy to reading, in seconds a byte. */
    assert_true(fabs(roof_of_mix(0.75, 3100, 3000, 3200) - 2 / (1 / 3000.0 + 1 / 3100.0)) < 1e-9);
    assert_true(fabs(roof_of_mix(0.75, NAN, 3000, 3200) - 3000) < 1e-9);
    assert_true(isnan(roof_of_mix(0.75, 3100, NAN, 3200)));
    assert_true(roof_of_mix(1, 3100, NAN, 3200) == 3100);
}

TEST(levels)
{
    assert_roof("copy", "size=1GiB", CACHE_COLD, ROOF_dram_mix, 3000);
    assert_roof("copy", "size=1GiB", CACHE_HOT, ROOF_dram_mix, 3000);
    assert_roof("copy", "size=1MiB", CACHE_HOT, ROOF_l2, 5000);
    assert_roof("copy", "size=1MiB", CACHE_COLD, ROOF_dram_mix, 3000);
    assert_roof("copy", "size=1MiB", CACHE_CLEAN, ROOF_dram_read, 2 * 3100); /* L2 keeps what is written */
    assert_roof("prefetch", "work=0", CACHE_COLD, ROOF_dram_read, 3100);
    assert_roof("shared_stride", "", CACHE_COLD, ROOF_shared, 30000);
    assert_roof("host_copy", "direction=h2d", CACHE_HOT, ROOF_link_h2d, 54);
    assert_roof("host_copy", "direction=d2h", CACHE_HOT, ROOF_link_d2h, 55);
    assert_roof("matmul", "", CACHE_COLD, ROOF_flop_f32, 60e3);
}

/* Reduce reads all and writes next to nothing: its roof is a hair from that of reading, not that of a
 * copy. */
TEST(a_mix_of_its_own)
{
    struct device device = gpu();
    struct point point = family_point("reduce", "size=1GiB");
    struct roof roof = roof_of(&point, CACHE_COLD, &device, NAN);
    assert_true(roof.rate > 3099 && roof.rate <= 3100);
}

static double rate_between_devices(const char *kernel, const char *settings)
{
    struct device device = gpu();
    struct point point = family_point(kernel, settings);
    struct roof roof = roof_of(&point, CACHE_COLD, &device, 370);
    struct result result = result_new();
    result.real[REAL_link_peak] = 370;
    roof_fill(&result, &point, CACHE_COLD, &device);
    assert_true(roof.kind != ROOF_link_peer || roof.rate == 370 * result.real[REAL_roof_links]);
    return roof.kind == ROOF_link_peer ? roof.rate : NAN;
}

/* As many links as devices send: a device that only has a buffer adds none. Work beside messages crosses no
 * link. */
TEST(links_between_devices)
{
    assert_true(rate_between_devices("contention", "gpus=2 pattern=one") == 370);
    assert_true(rate_between_devices("contention", "gpus=2 pattern=one variant=load") == 370);
    assert_true(rate_between_devices("contention", "gpus=2 pattern=both") == 740);
    assert_true(rate_between_devices("contention", "gpus=2 pattern=both variant=copy_engine") == 740);
    assert_true(rate_between_devices("collective", "gpus=2 variant=all_gather") == 740);
    assert_true(rate_between_devices("collective", "gpus=2 variant=all_reduce") == 370);
    assert_true(
        isnan(rate_between_devices("contention", "gpus=2 pattern=both beside=local_copy measured=work")));
    assert_true(isnan(rate_between_devices("contention", "gpus=2 pattern=both beside=matmul measured=work")));
}

/* Products beside messages are of f16 on tensor cores: arithmetic outside of these does not bound them. */
TEST(products_beside_messages)
{
    struct device device = gpu();
    struct point point = family_point("contention", "gpus=2 pattern=both beside=matmul measured=work");
    assert_int_equal(roof_of(&point, CACHE_HOT, &device, NAN).kind, ROOF_none);
    device.peak_tensor_f16 = 900e3;
    assert_int_equal(roof_of(&point, CACHE_HOT, &device, NAN).kind, ROOF_tensor_f16);
}

TEST(unknown_peaks_bound_nothing)
{
    struct device device = device_unknown();
    struct point point = family_point("copy", "size=1GiB"), chase = family_point("latency", "");
    assert_int_equal(roof_of(&point, CACHE_COLD, &device, NAN).kind, ROOF_none);
    device = gpu();
    assert_int_equal(roof_of(&chase, CACHE_COLD, &device, NAN).kind, ROOF_none);
}

TEST(columns)
{
    struct device device = gpu();
    struct result result = result_new();
    struct point point = family_point("copy", "size=1GiB"), shared = family_point("shared_stride", "");
    roof_fill(&result, &point, CACHE_COLD, &device);
    assert_int_equal(result.roof, ROOF_dram_mix);
    assert_true(isnan(result.real[REAL_roof_links]));
    roof_fill(&result, &shared, CACHE_COLD, &device);
    assert_int_equal(result.roof, ROOF_shared);
}

static void near(double value, double expected)
{
    if (!(fabs(value / expected - 1) < 1e-6))
        fail_msg("%.9g, expected %.9g", value, expected);
}

/* Where arithmetic bounds a point, each half-precision type has the roof of its own. */
TEST(halves)
{
    struct device device = gpu();
    device.peak_copy = device.peak_read = device.peak_write = 1e9; /* memory bounds nothing */
    struct point f16 = family_point("silu_mul", "dtype=f16"), bf16 = family_point("silu_mul", "dtype=bf16"),
                 f32 = family_point("silu_mul", "dtype=f32");
    assert_int_equal(roof_of(&f16, CACHE_COLD, &device, NAN).kind, ROOF_flop_f16);
    assert_int_equal(roof_of(&bf16, CACHE_COLD, &device, NAN).kind, ROOF_flop_bf16);
    assert_int_equal(roof_of(&f32, CACHE_COLD, &device, NAN).kind, ROOF_flop_f32);
    near(roof_of(&bf16, CACHE_COLD, &device, NAN).rate, 110e3);
}
