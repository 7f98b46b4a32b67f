/* The pack_bits family: arithmetic by hand, both orders by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "pack_bits"
#include "family_test.h"

static const char *const variants[] = {"cub", "ballot", "wide"};

static struct point made_point(const char *variant, const char *order, int64_t size, int64_t items)
{
    char settings[100];
    snprintf(settings, sizeof settings, "variant=%s order=%s size=%lld items=%d", variant, order,
             (long long)size, (int)items);
    return point_of(settings);
}

TEST(bytes)
{
    struct point point = made_point("wide", "big", 1003, 4);
    struct work work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 1003);
    assert_int_equal(work.bytes_written, 126); /* 125 * 8 = 1000 */
    assert_int_equal(work.flops, 0);
    point = made_point("wide", "big", 3221225473, 4); /* 3 * 2^30 + 1 */
    work = family_of(&point)->work(&point);
    assert_int_equal(work.bytes_read, 3221225473);
    assert_int_equal(work.bytes_written, 402653185);
}

TEST(launch)
{
    /* A tile is 256 * 4 of 8, 1 and 16 values. */
    static const int64_t tiles[] = {8192, 1024, 16384};
    for (int v = 0; v < 3; v++) {
        for (int more = -1; more <= 1; more++) {
            struct point point = made_point(variants[v], "little", 3 * tiles[v] + more, 4);
            struct setup setup = family_setup(&point);
            assert_int_equal(setup.grid[0], more > 0 ? 4 : 3);
            assert_int_equal(setup.buffer[0].count, 3 * tiles[v] + more);
            assert_int_equal(setup.buffer[1].count, 3 * tiles[v] / 8 + (more > 0));
        }
        struct point one = made_point(variants[v], "little", 1, 4);
        assert_int_equal(family_setup(&one).grid[0], 1);
        assert_int_equal(family_setup(&one).buffer[1].count, 1);
    }
    struct point point = made_point("wide", "little", INT64_C(5) << 30, 4); /* beyond 2^31 values */
    assert_int_equal(family_setup(&point).grid[0], 327680);
    assert_int_equal(family_setup(&point).argument[2].value, UINT64_C(5) << 30);
}

TEST(what_cannot_exist)
{
    char reason[256];
    struct target unknown = {0}, host = {.host = true};
    struct point point = made_point("ballot", "little", INT64_C(1) << 40, 1);
    point.value[space_axis(point.space, "block")] = 32;
    assert_string_equal(family_skip(&point, &unknown, reason, sizeof reason),
                        "34359738368 blocks are more than a grid has, 2^31 - 1");
    point = made_point("wide", "little", 1, 1);
    assert_null(family_skip(&point, &unknown, reason, sizeof reason));
    assert_null(family_skip(&point, &host, reason, sizeof reason));
    point.value[space_axis(point.space, "block")] = 33;
    assert_string_equal(family_skip(&point, &unknown, reason, sizeof reason),
                        "a block of 33 threads is no whole number of warps");
}

/* Bit by bit into a clean array, in one go; the reference byte by byte, in odd portions. */
static void check_reference(const char *order, uint64_t count)
{
    struct point point = made_point("wide", order, (int64_t)count, 4);
    struct setup setup = family_setup(&point);
    uint64_t bytes = (count + 7) / 8, ones = 0;
    uint8_t *in = memory_new(count, 1), *expected = memory_new(bytes, 1), *out = memory_new(bytes, 1);
    fill_range(&setup.buffer[0].fill, DTYPE_U8, 23, 0, count, in);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(in[i] <= 1); /* what the kernels rest on */
        ones += in[i];
        if (in[i])
            expected[i / 8] |= !strcmp(order, "big") ? 0x80 >> i % 8 : 1 << i % 8;
    }
    if (count > 100)
        assert_true(ones > count / 4 && ones < count - count / 4);
    struct inputs inputs = {.setup = &setup, .seed = 23};
    memset(out, 0xff, bytes);
    for (uint64_t first = 0; first < bytes; first += 61)
        family_of(&point)->reference(&point, &inputs, 1, first, bytes - first < 61 ? bytes - first : 61,
                                     out + first);
    assert_memory_equal(out, expected, bytes);
    memset(out, 0xff, bytes);
    inputs.data[0] = in;
    family_of(&point)->reference(&point, &inputs, 1, 0, bytes, out);
    assert_memory_equal(out, expected, bytes);
    free(in);
    free(expected);
    free(out);
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

/* Each value is loaded once and each byte stored once, in full tiles and in what is cut. */
static void check_each_once(const char *variant, uint64_t count)
{
    struct point point = made_point(variant, "little", (int64_t)count, 4);
    family_set(&point, "block=96");
    struct setup setup = family_setup(&point);
    uint64_t bytes[2] = {count, (count + 7) / 8};
    uint8_t *touched[2] = {memory_new(bytes[0], 1), memory_new(bytes[1], 1)};
    struct access a;
    for (uint64_t warp = 0; warp < 3 * (uint64_t)setup.grid[0]; warp++)
        for (uint32_t index = 0; family_of(&point)->access(&point, &setup, warp, index, &a); index++) {
            assert_true(a.active && a.times == 1 && a.buffer == a.store);
            for (int lane = 0; lane < 32; lane++)
                for (uint32_t i = 0; i < a.width && (a.active >> lane & 1); i++) {
                    assert_true(a.address[lane] + i < bytes[a.buffer]);
                    touched[a.buffer][a.address[lane] + i]++;
                }
        }
    for (int b = 0; b < 2; b++) {
        for (uint64_t i = 0; i < bytes[b]; i++)
            if (touched[b][i] != 1)
                fail_msg("%s, %d values: byte %d of buffer %d is touched %d times", variant, (int)count,
                         (int)i, b, touched[b][i]);
        free(touched[b]);
    }
}

TEST(accesses_of_a_cut_tile)
{
    static const uint64_t counts[] = {1, 7, 8, 257, 1003, 8191, 20000, 33000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int v = 0; v < 3; v++)
            check_each_once(variants[v], counts[i]);
}
