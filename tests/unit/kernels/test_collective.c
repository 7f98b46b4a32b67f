/* The collective family: bytes as nccl-tests counts them, the factors of its bus bandwidth, references by
 * hand, which device has which buffer, and every reason to refuse. Its calls: tests/fake_nccl. */
#include "unit_test.h"

#include "family_test.h"

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

/* Sums of eight in any order are exact in their type: the largest inputs add up to a number of the type, in
 * steps of one. */
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
        family_run_whole("collective", some[i]);
    }
}
