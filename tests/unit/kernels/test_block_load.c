/* The block_load family: arithmetic by hand, the arrangements by another way, what cannot exist, accesses. */
#include "unit_test.h"

#include "base/memory.h"
#define FAMILY "block_load"
#include "family_test.h"

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

static void check_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    uint64_t count = run.setup.buffer[1].count, offset = run.setup.argument[3].value;
    uint32_t *expected = memory_new(count, 4);
    run_blocks(&run.setup, (const uint32_t *)run.data[0] + offset, expected, count,
               (uint64_t)point_value(&run.point, "items", 0), strstr(settings, "striped") != NULL);
    family_run_reference(&run);
    assert_memory_equal(run.data[1], expected, count * 4);
    free(expected);
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

TEST(wide_access)
{
    struct access access = access_of("variant=wide items=8 size=64KiB offset=8", 6, 0); /* block 1, warp 2 */
    assert_true(!access.store && access.width == 32 && access.active == UINT32_MAX);
    assert_int_equal(access.address[3], 32 + 4096 + (64 + 3) * 32);
}
