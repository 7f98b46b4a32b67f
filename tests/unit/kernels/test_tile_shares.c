/* Blocks that share the tiles of a product: every slice of every tile is computed once, and parts are added
 * up in the order of k. */
#include "unit_test.h"

#include "kernels/tile_shares.cuh"

/* What blocks have done to a tile: slices computed, parts, and the slot of the part that computed each
 * slice. */
struct tile {
    uint32_t slices, parts;
};

/* Walk all parts of all blocks. `slot_of`: by tile and slice. Returns the most slices of a block. */
static uint64_t walk(const struct tile_shares *s, struct tile *tile, uint32_t *slot_of, uint8_t *used)
{
    uint64_t most = 0;
    for (uint32_t block = 0; block < s->blocks; block++) {
        const struct tile_part last = tile_shares_last(s, block);
        uint64_t work = 0;
        for (struct tile_part part = tile_shares_first(s, block, &last); part.slice != part.end;
             part = tile_shares_next(s, part, &last)) {
            assert_true(part.tile < s->tiles && part.slice < part.end && part.end <= s->slices);
            work += part.end - part.slice;
            tile[part.tile].slices += part.end - part.slice;
            tile[part.tile].parts++;
            if (part.end - part.slice == s->slices)
                continue;
            assert_true(part.tile >= s->whole);
            uint32_t slot = part.slice ? tile_shares_slot(s, part.tile, block - tile_shares_rest(s))
                                       : part.tile - s->whole;
            assert_true(slot < tile_shares_slots(s) && !used[slot]);
            used[slot] = 1;
            for (uint32_t slice = part.slice; slice < part.end; slice++) {
                assert_int_equal(slot_of[part.tile * s->slices + slice], UINT32_MAX);
                slot_of[part.tile * s->slices + slice] = slot;
            }
        }
        most = work > most ? work : most;
    }
    return most;
}

/* The parts of a tile as the block adds them up that comes last: its own block's, then helpers from the first
 * on. */
static void assert_order(const struct tile_shares *s, uint32_t t, uint32_t parts, const uint32_t *slot_of)
{
    const uint32_t helper = tile_shares_helper(s, tile_shares_number(s, t));
    uint32_t part = 0;
    for (uint32_t slice = 0; slice < s->slices; slice++) {
        part += slice && slot_of[slice] != slot_of[slice - 1];
        assert_int_equal(slot_of[slice], part ? tile_shares_slot(s, t, helper + part - 1) : t - s->whole);
    }
    assert_int_equal(part + 1, parts);
    assert_int_equal(parts, 2 + tile_shares_helper(s, tile_shares_number(s, t + 1) - 1) - helper);
}

static void assert_shares(uint32_t tiles, uint32_t slices, uint32_t blocks)
{
    const struct tile_shares s = tile_shares_of(tiles, slices, blocks);
    struct tile *tile = calloc(tiles, sizeof *tile);
    uint32_t *slot_of = malloc(sizeof *slot_of * tiles * slices);
    uint8_t *used = calloc(tile_shares_slots(&s) + 1, 1);
    for (uint64_t i = 0; i < (uint64_t)tiles * slices; i++)
        slot_of[i] = UINT32_MAX;
    const uint64_t most = walk(&s, tile, slot_of, used);
    for (uint32_t t = 0; t < tiles; t++) {
        assert_int_equal(tile[t].slices, slices);
        if (tile[t].parts > 1)
            assert_order(&s, t, tile[t].parts, slot_of + (uint64_t)t * slices);
        else
            assert_int_equal(slot_of[(uint64_t)t * slices], UINT32_MAX); /* stored at once */
    }
    /* No block has more than an equal share, rounded up. */
    assert_int_equal(most, ((uint64_t)tiles * slices + blocks - 1) / blocks);
    assert_true(s.whole % blocks == 0 && tiles - s.whole < blocks);
    free(tile);
    free(slot_of);
    free(used);
}

TEST(every_slice_is_computed_once)
{
    for (uint32_t tiles = 1; tiles <= 30; tiles++)
        for (uint32_t slices = 1; slices <= 14; slices++)
            for (uint32_t blocks = 1; blocks <= 40 && blocks <= tiles * slices; blocks++)
                assert_shares(tiles, slices, blocks);
    static const uint32_t blocks[] = {108, 114, 132, 148, 160, 264};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (uint32_t tiles = 1; tiles < 600; tiles += 7)
            assert_shares(tiles, 128, blocks[i]);
}

TEST(an_even_wave_is_not_split)
{
    struct tile_shares s = tile_shares_of(1056, 128, 132);
    assert_true(s.whole == 1056 && s.helpers == 0 && tile_shares_slots(&s) == 0);
    assert_shares(1056, 128, 132);
    s = tile_shares_of(131, 128, 132); /* 127.03 slices for each */
    assert_true(s.whole == 0 && s.cut == 128 && s.helpers == 0);
}

/* 4096 x 4096 in tiles of 128 x 256, slices of 32: 116 tiles in the last wave of 132 multiprocessors. */
TEST(the_last_wave)
{
    const struct tile_shares s = tile_shares_of(512, 128, 132);
    assert_true(s.whole == 396 && s.cut == 113 && s.helpers == 16);
    const struct tile_part own = tile_shares_last(&s, 115), helper = tile_shares_last(&s, 116);
    assert_true(own.tile == 511 && own.slice == 0 && own.end == 113 && own.left == 0);
    assert_true(helper.tile == 396 && helper.slice == 113 && helper.end == 128 && helper.left == 108 - 15);
}

/* With a multiple of the number of tiles, each tile has as many parts. */
TEST(split_of_each_tile)
{
    for (uint32_t split = 2; split <= 12; split++)
        for (uint32_t slices = split; slices <= 40; slices++) {
            const struct tile_shares s = tile_shares_of(5, slices, 5 * split);
            assert_shares(5, slices, 5 * split);
            assert_int_equal(s.helpers, 5 * (split - 1));
            for (uint32_t t = 0; t < 5; t++) {
                assert_int_equal(tile_shares_helper(&s, tile_shares_number(&s, t)), t * (split - 1));
                assert_int_equal(tile_shares_helper(&s, tile_shares_number(&s, t + 1) - 1),
                                 (t + 1) * (split - 1) - 1);
            }
        }
}
