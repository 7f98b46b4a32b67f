/* The table of /devices: ranges of peaks, and what data sheets say. */
#include "unit_test.h"

#include "core/device.h"
#include "statistics/summary.h"

TEST(a_peak_has_a_range)
{
    const double rates[] = {90, 100, 110, 100, 100, 100, 100, 100, 100};
    struct device device = device_unknown();
    struct statistics statistics = statistics_of(rates, sizeof rates / sizeof *rates);
    DEVICE_PEAK_SET(&device, peak_copy, statistics);
    assert_true(device.peak_copy == 100 && device.peak_copy_low < 100 && device.peak_copy_high > 100);
}

static struct device named(const char *name)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "%s", name);
    datasheet_fill(&device);
    return device;
}

/* Two instructions for halves are two pipes: twice FP32's rate on H100 and H200, four times on A100, whose
 * BF16 has one. */
TEST(data_sheets)
{
    struct device h200 = named("NVIDIA H200"), h100 = named("NVIDIA H100 80GB HBM3"),
                  a100 = named("NVIDIA A100-SXM4-80GB"), b200 = named("NVIDIA B200"),
                  b300 = named("NVIDIA B300 SXM6 AC"), other = named("NVIDIA H20");
    assert_true(h200.datasheet == 4.8e12 && h200.datasheet_flop_f32 == 67e12);
    assert_true(h100.datasheet_flop_f16 == 2 * h100.datasheet_flop_f32);
    assert_true(a100.datasheet_flop_f16 == 2 * a100.datasheet_flop_bf16);
    /* 3996 MHz, 7680 bits: within 1 % of the sheet. */
    assert_true(fabs(b200.datasheet / (2 * 3996e6 * 7680 / 8) - 1) < 0.01);
    assert_true(b300.datasheet_flop_f32 == 60 * b300.datasheet_flop_f64);
    assert_true(isnan(other.datasheet) && isnan(other.datasheet_flop_f16));
}

TEST(which_columns_are_measured)
{
    assert_true(device_is_measured("peak_l2_copy_low") && device_is_measured("memory_clock_load"));
    assert_false(device_is_measured("power_limit") || device_is_measured("datasheet_flop_f16"));
}
