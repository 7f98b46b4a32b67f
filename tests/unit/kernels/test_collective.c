/* The collective family: bytes as nccl-tests counts them, the factors of its bus bandwidth, references by hand, which device has which
 * buffer, and every reason to refuse. Its calls: tests/fake_nccl. */
#include "unit_test.h"

#include "family_test.h"
#include "kernels/registry.h"

static void assert_bytes(const char *settings, uint64_t bytes, uint64_t bus)
{
    struct point point = family_point("collective", settings);
    family_assert_work("collective", settings, 0, bytes, 0);
    struct work work = family_of(&point)->work(&point);
    if (work.bus_bytes != bus)
        fail_msg("%s: %llu bytes on the bus", settings, (unsigned long long)work.bus_bytes);
}

/* Of n devices: 2 (n - 1) / n, (n - 1) / n, or 1. */
TEST(bus_bandwidth)
{
    assert_bytes("variant=all_reduce gpus=2 size=1MiB", 1 << 20, 1 << 20);
    assert_bytes("variant=all_reduce gpus=4 size=1MiB", 1 << 20, 3 << 19);
    assert_bytes("variant=all_reduce gpus=8 size=8GiB", UINT64_C(8) << 30, UINT64_C(14) << 30);
    assert_bytes("variant=all_gather gpus=2 size=1MiB", 1 << 20, 1 << 19);
    assert_bytes("variant=reduce_scatter gpus=4 size=1MiB", 1 << 20, 3 << 18);
    assert_bytes("variant=all_to_all gpus=8 size=1MiB", 1 << 20, 7 << 17);
    assert_bytes("variant=broadcast gpus=8 size=1MiB", 1 << 20, 1 << 20);
    assert_bytes("variant=send_recv gpus=8 size=1MiB", 1 << 20, 1 << 20);
    assert_bytes("variant=all_reduce gpus=1 size=1MiB", 1 << 20, 0); /* no link */
    assert_bytes("variant=send_recv gpus=1 size=1MiB", 1 << 20, 0);
}

/* Parts are multiples of 16 bytes, buffers of whole elements. */
TEST(sizes)
{
    assert_bytes("variant=all_gather gpus=3 size=1000 dtype=u8", 960, 640);
    assert_bytes("variant=all_reduce gpus=3 size=1003 dtype=f32", 1000, 1333);
    struct point point = family_point("collective", "variant=reduce_scatter gpus=3 size=1000 dtype=f16");
    struct setup s = family_setup(&point);
    assert_int_equal(s.buffers, 6);
    assert_int_equal(s.buffer[2].count, 480);
    assert_int_equal(s.buffer[3].count, 160);
}

TEST(devices)
{
    struct point alone = family_point("collective", ""), three = family_point("collective", "gpus=3");
    struct devices devices = family_devices(&three);
    assert_int_equal(family_devices(&alone).count, 0);
    assert_int_equal(devices.count, 3);
    for (int d = 0; d < 3; d++)
        assert_int_equal(devices.ordinal[d], d);
    struct setup s = family_setup(&three);
    for (int b = 0; b < 6; b++)
        assert_true(s.buffer[b].device == b % 3 &&
                    s.buffer[b].role == (b < 3 ? BUFFER_INPUT : BUFFER_OUTPUT));
    struct point root = family_point("collective", "variant=broadcast gpus=3");
    s = family_setup(&root);
    assert_int_equal(s.buffers, 4); /* only the root has an input */
    for (int b = 0; b < 4; b++)
        assert_int_equal(s.buffer[b].device, b ? b - 1 : 0);
    struct point replaced = family_point("collective", "variant=broadcast gpus=3 in_place=yes");
    s = family_setup(&replaced);
    assert_int_equal(s.buffers, 3);
    assert_true(s.buffer[0].role == BUFFER_IN_PLACE && s.buffer[1].role == BUFFER_OUTPUT);
    assert_true(family_of(&three)->node_exclusive);
}

/* Element `index` of a buffer by the reference, and of an input as it is filled. */
static double expected(const char *settings, int buffer, uint64_t index)
{
    struct point point = family_point("collective", settings);
    struct setup s = family_setup(&point);
    const struct inputs inputs = {.setup = &s, .seed = 21};
    uint64_t element = 0;
    family_of(&point)->reference(&point, &inputs, buffer, index, 1, &element);
    return dtype_load(s.buffer[buffer].dtype, &element);
}

static double input(const char *settings, int buffer, uint64_t index)
{
    struct point point = family_point("collective", settings);
    struct setup s = family_setup(&point);
    const struct inputs inputs = {.setup = &s, .seed = 21};
    return inputs_real(&inputs, buffer, index);
}

/* 3 devices, parts of 8 f32. */
TEST(references)
{
    const char *s = "variant=all_reduce gpus=3 size=96";
    assert_true(expected(s, 4, 5) == input(s, 0, 5) + input(s, 1, 5) + input(s, 2, 5));
    s = "variant=all_gather gpus=3 size=96";
    assert_true(expected(s, 3, 10) == input(s, 1, 2) && expected(s, 5, 23) == input(s, 2, 7));
    s = "variant=all_gather gpus=3 size=96 in_place=yes";
    assert_true(expected(s, 0, 10) == input(s, 1, 10) && expected(s, 2, 23) == input(s, 2, 23));
    s = "variant=reduce_scatter gpus=3 size=96";
    assert_true(expected(s, 4, 3) == input(s, 0, 11) + input(s, 1, 11) + input(s, 2, 11));
    s = "variant=reduce_scatter gpus=3 size=96 in_place=yes";
    assert_true(expected(s, 1, 11) == input(s, 0, 11) + input(s, 1, 11) + input(s, 2, 11));
    assert_true(expected(s, 1, 3) == input(s, 1, 3)); /* another device's part */
    s = "variant=all_to_all gpus=3 size=96";
    assert_true(expected(s, 5, 9) == input(s, 1, 17)); /* device 2 gets the last part of device 1 */
    s = "variant=broadcast gpus=3 size=96";
    assert_true(expected(s, 1, 9) == input(s, 0, 9) && expected(s, 3, 9) == input(s, 0, 9));
    s = "variant=send_recv gpus=3 size=96";
    assert_true(expected(s, 3, 9) == input(s, 2, 9) && expected(s, 5, 9) == input(s, 1, 9));
}

/* Sums of eight in any order are exact in their type: the largest inputs add up to a number of the type, in steps of one. */
TEST(sums_are_exact)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64, DTYPE_E4M3, DTYPE_E5M2};
    for (int t = 0; t < 6; t++) {
        char settings[100];
        snprintf(settings, sizeof settings, "gpus=8 size=1KiB dtype=%s", dtype_words[types[t]]);
        struct point point = family_point("collective", settings);
        struct setup s = family_setup(&point);
        uint64_t most = 8 * (s.buffer[0].fill.modulus - 1), stored = 0;
        assert_true(most > 0 && s.buffer[0].fill.low == 0);
        assert_true(s.buffer[0].fill.high == (float)s.buffer[0].fill.modulus);
        for (uint64_t sum = most > 70000 ? most - 70000 : 0; sum <= most; sum++) {
            dtype_store(types[t], &stored, (double)sum);
            assert_true(dtype_load(types[t], &stored) == (double)sum);
        }
    }
}

TEST(portions)
{
    static const char *const some[] = {
        "variant=all_reduce gpus=2 size=40004 dtype=i32", "variant=all_reduce gpus=5 size=40004 dtype=bf16",
        "variant=reduce_scatter gpus=3 size=40004 dtype=u8", "variant=all_to_all gpus=4 size=40004 dtype=f64",
        "variant=all_gather gpus=8 size=40004 dtype=e4m3"};
    for (int i = 0; i < 5; i++) {
        struct family_run run = family_run_new("collective", some[i]);
        family_run_reference(&run);
    }
}

/* Only what is timed differs: the ids of points from before the axis, and what they compute, are the same. */
TEST(back_to_back)
{
    struct point alone = family_point("collective", "gpus=2"),
                 row = family_point("collective", "gpus=2 launch=back_to_back");
    assert_int_equal(family_setup(&alone).in_a_row, 0);
    assert_int_equal(family_setup(&row).in_a_row, 20);
    assert_true(family_of(&row)->work(&row).bus_bytes == family_of(&alone)->work(&alone).bus_bytes);
    family_assert_skip("collective", "gpus=2 launch=back_to_back cache=rotate", &hopper, NULL);
    family_assert_skip("collective", "gpus=2 launch=back_to_back cache=clean", &hopper, "has left in L2");
}

TEST(refusals)
{
    struct target ampere = hopper;
    ampere.capability = 80;
    family_assert_skip("collective", "gpus=2", &on_host, NULL);
    family_assert_skip("collective", "gpus=8 algorithm=tree protocol=ll128", &hopper, NULL);
    family_assert_skip("collective", "gpus=2 in_place=yes", &on_host, "the reference, which is not in place");
    family_assert_skip("collective", "in_place=yes", &hopper, "nothing to do");
    family_assert_skip("collective", "gpus=2 in_place=yes variant=all_to_all", &hopper, "cannot be in place");
    family_assert_skip("collective", "gpus=2 variant=send_recv protocol=ll", &hopper,
                       "no protocol to choose");
    family_assert_skip("collective", "gpus=2 variant=all_gather algorithm=tree", &hopper,
                       "no all_gather of algorithm tree");
    family_assert_skip("collective", "gpus=2 variant=broadcast algorithm=nvls", &hopper,
                       "no broadcast of algorithm nvls");
    family_assert_skip("collective", "gpus=2 algorithm=nvls protocol=ll", &hopper, "simple only");
    family_assert_skip("collective", "gpus=1 algorithm=ring", &hopper, "within one device");
    family_assert_skip("collective", "gpus=4 variant=all_gather size=63", &hopper, "at least 16 bytes");
    family_assert_skip("collective", "gpus=2 size=3", &hopper, "at least 4 bytes");
    family_assert_skip("collective", "gpus=2 dtype=e4m3", &ampere, "NCCL's sum of fp8");
    family_assert_skip("collective", "gpus=2 dtype=e4m3 variant=broadcast", &ampere, NULL);
}
