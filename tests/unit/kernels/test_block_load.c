/* The block_load family: arithmetic by hand, the arrangements by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "block_load"
#include "family_test.h"

TEST(bytes_and_launch)
{
    static const struct {
        const char *axes;
        uint64_t bytes;
        uint32_t blocks;
    } cases[] = {
        {"size=1GiB", 1 << 30, 524288},           /* tiles of 128 * 4 */
        {"size=1003B dtype=u8", 1003, 2},         /* 512 and 491 */
        {"size=1003B dtype=u8 items=1", 1003, 8}, /* 7 * 128 = 896 */
        {"size=2044B", 2044, 1},
        {"size=2048B", 2048, 1},
        {"size=2052B", 2052, 2},
        {"size=2052B offset=1", 2048, 1},
        {"size=4B dtype=f32 block=512 items=16", 4, 1},
        {"size=5GiB dtype=u8 block=64 items=1", UINT64_C(5) << 30, 83886080}, /* beyond 2^31 elements */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].axes);
        struct setup setup = family_setup(&point);
        struct work work = family_of(&point)->work(&point);
        assert_int_equal(work.bytes_read, cases[i].bytes);
        assert_int_equal(work.bytes_written, cases[i].bytes);
        assert_int_equal(work.flops, 0);
        assert_int_equal(setup.grid[0], cases[i].blocks);
        assert_int_equal(dtype_bytes(setup.buffer[1].dtype, setup.buffer[1].count), cases[i].bytes);
    }
}

TEST(what_cannot_exist)
{
    static const struct {
        const char *axes, *reason;
    } cases[] = {
        {"size=1003B", "1003 bytes are no whole number of f32 elements"},
        {"size=400B offset=100", "the array ends before that offset"},
        {"block=100", "a block of 100 threads is no whole number of warps"},
        {"size=1TiB dtype=u8 block=64 items=1", "17179869184 blocks are more than a grid has, 2^31 - 1"},
        {"variant=transpose block=512 items=16 dtype=f64",
         "its tile takes 67600 bytes of static shared memory, of which there are 49152"},
        {"variant=warp_transpose block=512 items=12 dtype=f64",
         "its tile takes 49168 bytes of static shared memory, of which there are 49152"},
        {"variant=manual block=512 items=13 dtype=i64",
         "its tile takes 53248 bytes of static shared memory, of which there are 49152"},
    };
    static const char *const possible[] = {
        "variant=manual block=512 items=12 dtype=f64",
        "variant=transpose block=512 items=16 dtype=f32",
        "variant=direct block=512 items=16 dtype=f64",
        "size=400B offset=99",
        "variant=warp_transpose_timesliced block=512 items=16 dtype=f64",
    };
    char reason[256];
    struct target unknown = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = point_of(cases[i].axes);
        assert_string_equal(family_skip(&point, &unknown, reason, sizeof reason), cases[i].reason);
    }
    for (size_t i = 0; i < sizeof possible / sizeof *possible; i++) {
        struct point point = point_of(possible[i]);
        assert_null(family_skip(&point, &unknown, reason, sizeof reason));
    }
}

/* As the blocks do it: load a padded tile, hand out items, reverse each thread's, put them back. */
static void run_blocks(const struct setup *setup, const uint32_t *in, uint32_t *out, uint64_t count,
                       uint64_t items, bool striped)
{
    uint64_t block = setup->block[0];
    uint32_t *tile = memory_new(block * items, sizeof *tile), *item = memory_new(items, sizeof *item);
    for (uint64_t first = 0; first < count; first += block * items) {
        uint64_t valid = count - first < block * items ? count - first : block * items;
        memset(tile, 0, block * items * sizeof *tile);
        memcpy(tile, in + first, valid * sizeof *tile);
        for (uint64_t thread = 0; thread < block; thread++) {
            for (uint64_t i = 0; i < items; i++)
                item[i] = tile[striped ? i * block + thread : thread * items + i];
            for (uint64_t i = 0; i < items; i++)
                tile[striped ? i * block + thread : thread * items + i] = item[items - 1 - i];
        }
        memcpy(out + first, tile, valid * sizeof *tile);
    }
    free(tile);
    free(item);
}

static void check_reference(const char *axes)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    uint64_t count = setup.buffer[1].count, offset = setup.argument[3].value;
    uint64_t items = (uint64_t)point_value(&point, "items", 0);
    uint32_t *in = memory_new(count + offset, 4), *expected = memory_new(count, 4),
             *out = memory_new(count, 4);
    fill_range(&setup.buffer[0].fill, DTYPE_I32, 5, 0, count + offset, in);
    run_blocks(&setup, in + offset, expected, count, items, strstr(axes, "striped") != NULL);
    struct inputs inputs = {.setup = &setup, .seed = 5};
    for (uint64_t first = 0; first < count; first += 59)
        family_of(&point)->reference(&point, &inputs, 1, first, count - first < 59 ? count - first : 59,
                                     out + first);
    assert_memory_equal(out, expected, count * 4);
    memset(out, 0xff, count * 4);
    inputs.data[0] = in;
    family_of(&point)->reference(&point, &inputs, 1, 0, count, out);
    assert_memory_equal(out, expected, count * 4);
    free(in);
    free(expected);
    free(out);
}

TEST(reference)
{
    static const char *const sizes[] = {"4B", "4012B", "2044B", "2048B", "2052B", "4194332B"};
    static const char *const ways[] = {"variant=direct",
                                       "variant=striped",
                                       "variant=manual items=3 offset=1",
                                       "variant=striped items=16 block=64",
                                       "variant=transpose items=1",
                                       "variant=wide items=8"};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (size_t s = w == 2; s < sizeof sizes / sizeof *sizes;
             s++) { /* one element is not left at offset 1 */
            char axes[200];
            snprintf(axes, sizeof axes, "dtype=i32 size=%s %s", sizes[s], ways[w]);
            check_reference(axes);
        }
    }
}

static void check(const char *axes, uint64_t warp, uint32_t index, enum access_space space, bool store,
                  uint32_t active, uint64_t first, uint64_t step)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    struct access access;
    assert_true(family_of(&point)->access(&point, &setup, warp, index, &access));
    assert_int_equal(access.space, space);
    assert_int_equal(access.store, store);
    assert_int_equal(access.buffer, space == ACCESS_GLOBAL && store);
    assert_int_equal(access.width, 4);
    assert_int_equal(access.active, active);
    for (uint64_t lane = 0; lane < 32; lane++)
        if (active >> lane & 1)
            assert_int_equal(access.address[lane], first + lane * step);
}

static uint32_t accesses_of(const char *axes, uint64_t warp)
{
    struct point point = point_of(axes);
    struct setup setup = family_setup(&point);
    struct access access;
    uint32_t count = 0;
    while (family_of(&point)->access(&point, &setup, warp, count, &access))
        count++;
    return count;
}

/* The last tile has 100 elements: three warps and four lanes of the first item. */
TEST(accesses_of_the_last_tile)
{
    assert_accesses("variant=direct size=4012", NULL);
    assert_accesses("variant=direct size=4012 items=3 offset=5 dtype=f16", NULL);
}

/* A thread's elements at once: 32 bytes, or as many accesses of that. */
TEST(wide)
{
    struct point point = point_of("variant=wide items=8 size=64KiB offset=8");
    struct setup setup = family_setup(&point);
    struct access access;
    assert_true(family_of(&point)->access(&point, &setup, 6, 0, &access)); /* block 1, warp 2 */
    assert_true(!access.store && access.width == 32 && access.active == UINT32_MAX);
    assert_int_equal(access.address[3], 32 + 4096 + (64 + 3) * 32);
    assert_true(family_of(&point)->access(&point, &setup, 6, 1, &access));
    assert_true(access.store && access.buffer == 1 && access.width == 32);
    assert_int_equal(access.address[3], 4096 + (64 + 3) * 32);
    assert_int_equal(accesses_of("variant=wide items=8 size=64KiB offset=8", 6), 2);
    assert_int_equal(accesses_of("variant=wide items=16 size=64KiB", 6), 4);
    assert_int_equal(accesses_of("variant=wide size=64KiB", 6), 2);
    /* The last tile, of 100 elements, four a thread: one by one. */
    check("variant=wide size=2448B", 4, 1, ACCESS_GLOBAL, false, (1u << 25) - 1, 2048 + 4, 16);
    assert_int_equal(accesses_of("variant=wide size=2448B", 4), 8);
    assert_int_equal(accesses_of("variant=wide size=2448B", 5), 0);
    assert_skip("variant=wide items=8 offset=4", "misaligns accesses of 32 bytes");
    assert_skip("variant=wide items=3", "3 elements are 12 bytes, and those no whole");
    assert_skip("variant=wide items=12 dtype=f64", NULL);
    assert_skip("variant=wide items=12", "48 bytes");
}
