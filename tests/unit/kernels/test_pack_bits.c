/* The pack_bits family: arithmetic by hand, both orders by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "pack_bits"
#include "family_test.h"

/* Bit by bit into a clean array. */
static void check_reference(const char *order, uint64_t count)
{
    char settings[80];
    snprintf(settings, sizeof settings, "variant=wide order=%s size=%d", order, (int)count);
    struct family_run run = run_new(settings);
    uint64_t bytes = (count + 7) / 8, ones = 0;
    const uint8_t *in = run.data[0];
    uint8_t *expected = memory_new(bytes, 1);
    family_run_reference(&run);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(in[i] <= 1); /* what the kernels rest on */
        ones += in[i];
        if (in[i])
            expected[i / 8] |= !strcmp(order, "big") ? 0x80 >> i % 8 : 1 << i % 8;
    }
    if (count > 100)
        assert_true(ones > count / 4 && ones < count - count / 4);
    assert_memory_equal(run.data[1], expected, bytes);
    free(expected);
}

TEST(reference)
{
    static const uint64_t counts[] = {1, 7, 8, 9, 1003, 16383, 16384, 16385, (1 << 20) + 7};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_reference("little", counts[i]);
        check_reference("big", counts[i]);
    }
}

/* The multiplications of the device code, over all sixteen inputs. */
TEST(nibbles)
{
    for (uint32_t bits = 0; bits < 16; bits++) {
        uint32_t four = 0, mirrored = 0;
        for (int i = 0; i < 4; i++) {
            four |= (bits >> i & 1) << (8 * i);
            mirrored |= (bits >> i & 1) << (3 - i);
        }
        assert_int_equal(four * 0x01020408u >> 24, bits);
        assert_int_equal(four * 0x08040201u >> 24, mirrored);
    }
}
