/* What the worker reads of a board, with a stand-in of NVML in the library path: all of it, nothing of it,
 * and no board. */
#include "unit_test.h"

#include "worker/cuda/device/nvml.h"

static struct device describe(const char *mode)
{
    struct device device = device_unknown();
    if (mode)
        setenv("FAKE_NVML", mode, 1);
    else
        unsetenv("FAKE_NVML");
    struct nvml *nvml = nvml_open("0000:1b:00.0");
    assert_non_null(nvml);
    nvml_describe(nvml, &device);
    nvml_describe_load(nvml, &device);
    nvml_close(nvml);
    return device;
}

TEST(a_board)
{
    struct device device = describe(NULL);
    assert_string_equal(device.driver, "580.65.06");
    assert_string_equal(device.vbios, "96.00.D0.00.01");
    assert_string_equal(device.board_part, "692-2G520-0280-001");
    assert_string_equal(device.ecc, "on");
    assert_string_equal(device.mig, "off"); /* what is in force, not what comes with the next reset */
    assert_string_equal(device.fabric, "completed");
    assert_true(device.bar1_bytes == INT64_C(1) << 38);
    assert_true(device.power_limit == 600 && device.power_limit_default == 700);
    assert_true(device.clock_applied == 1755e6 && device.memory_clock_applied == 3200e6);
    assert_true(device.memory_clock_load == 3201e6);
    assert_int_equal(device.nvlinks, 17);          /* of 18, one is down */
    assert_true(device.link_nominal == 17 * 50e9); /* without the encoding of 53.125 GB/s */
    assert_true(device.pcie_generation == 5 && device.pcie_width == 16);
}

/* Missing, not zero: numbers that the library left behind do not count. */
TEST(what_is_refused_is_missing)
{
    struct device device = describe("refuse");
    const char *const texts[] = {device.driver, device.vbios, device.board_part,
                                 device.ecc,    device.mig,   device.fabric};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(texts[i], "");
    assert_int_equal(device.bar1_bytes, -1);
    assert_true(isnan(device.power_limit) && isnan(device.power_limit_default));
    assert_true(isnan(device.clock_applied) && isnan(device.memory_clock_applied));
    assert_true(isnan(device.memory_clock_load));
    assert_int_equal(device.nvlinks, -1);
    assert_true(isnan(device.pcie_generation) && isnan(device.pcie_width));
}

TEST(no_board)
{
    struct device device = device_unknown();
    setenv("FAKE_NVML", "nothing", 1);
    assert_null(nvml_open("0000:1b:00.0"));
    nvml_describe(NULL, &device);
    assert_string_equal(device.ecc, "");
    nvml_describe_load(NULL, &device);
    assert_true(isnan(device.memory_clock_load));
}

static struct nvml *open_as(const char *mode)
{
    setenv("FAKE_NVML", mode, 1);
    return nvml_open("0000:1b:00.0");
}

TEST(energy_and_power)
{
    double lag;
    struct nvml *nvml = open_as("");
    assert_true(nvml_joules(nvml) == 1e-3 * 0x1p40);
    for (int type = 0; type < 4; type++)
        assert_true(nvml_watts(nvml, &lag) == 1e-3 * 412500 && lag == 0);
    assert_true(nvml_sm_clock(nvml) == 1980e6);
    nvml_close(nvml);
    nvml = open_as("average");
    assert_true(nvml_watts(nvml, &lag) == 1e-3 * 345678 && lag == 1);
    nvml_close(nvml);
}

TEST(energy_that_is_refused_is_missing)
{
    double lag;
    struct nvml *nvml = open_as("refuse");
    assert_true(isnan(nvml_joules(nvml)) && isnan(nvml_watts(nvml, &lag)) && isnan(nvml_sm_clock(nvml)));
    nvml_close(nvml);
    assert_true(isnan(nvml_joules(NULL)) && isnan(nvml_watts(NULL, &lag)) && isnan(nvml_sm_clock(NULL)));
}

TEST(processes)
{
    unsigned id[NVML_PROCESSES_MAX];
    struct nvml *nvml = open_as("");
    assert_int_equal(nvml_processes(nvml, id), 2);
    assert_true(id[0] == 41 && id[1] == 42);
    nvml_close(nvml);
    nvml = open_as("refuse");
    assert_int_equal(nvml_processes(nvml, id), -1);
    nvml_close(nvml);
    assert_int_equal(nvml_processes(NULL, id), -1);
}
