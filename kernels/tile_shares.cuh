/* tile_shares.cuh - how blocks that run at once share the tiles of a matrix product, so that none idles in a
 * last, partly filled wave. Included by NAME.cu as "tile_shares.cuh"; both the C compiler and NVRTC compile
 * it.
 *
 * A sum over k is cut into slices. Block b computes the tiles b, b + blocks, b + 2 blocks ... alone, as in
 * any persistent kernel. Of the tiles of the last wave, if it is not full, their blocks compute the first
 * slices only, up to `cut`; blocks without a tile share the slices from `cut` on evenly. The parts of such a
 * tile are added up in their order along k. (Stream-K with whole tiles in full waves: Osama, Merrill, Cecka,
 * Garland & Owens, PPoPP 2023. There, shares follow each other along k. Here all blocks of the last wave are
 * at the same k at the same time, as in the waves before it, so that L2 serves neighbours together.) */
#ifndef KERNELS_TILE_SHARES_CUH
#define KERNELS_TILE_SHARES_CUH

#ifdef __CUDACC_RTC__
#define SHARES_FUNCTION static __device__ __forceinline__
#else
#define SHARES_FUNCTION static inline
#endif

typedef unsigned int shares_u32;
typedef unsigned long long shares_u64;

struct tile_shares {
    shares_u32 tiles, slices, blocks; /* slices of a tile */
    shares_u32 whole;                 /* tiles in full waves; the others are the rest */
    shares_u32
        cut; /* slices of a tile of the rest that its own block computes; all of them if there is no helper */
    shares_u32 helpers; /* blocks that compute the slices from `cut` on; each has at least one */
};

/* Slices [slice, end) of a tile, by one block; `left`: slices of a helper after these. A part without slices
 * ends a block's work. */
struct tile_part {
    shares_u32 tile, slice, end, left;
};

/* At least one of each; a product has less than 2^64 slices times blocks. */
SHARES_FUNCTION struct tile_shares tile_shares_of(shares_u32 tiles, shares_u32 slices, shares_u32 blocks)
{
    const shares_u32 rest = tiles % blocks;
    struct tile_shares s = {tiles, slices, blocks, tiles - rest, slices, 0};
    if (rest) {
        /* Rounded up: helpers also change tiles. */
        s.cut = (shares_u32)(((shares_u64)rest * slices + blocks - 1) / blocks);
        const shares_u64 others = (shares_u64)rest * (slices - s.cut);
        s.helpers = others < blocks - rest ? (shares_u32)others : blocks - rest;
    }
    return s;
}

SHARES_FUNCTION shares_u32 tile_shares_rest(const struct tile_shares *s)
{
    return s->tiles - s->whole;
}

/* The first slice of a helper; slices from `cut` on are numbered tile by tile. */
SHARES_FUNCTION shares_u64 tile_shares_begin(const struct tile_shares *s, shares_u32 helper)
{
    return helper * ((shares_u64)tile_shares_rest(s) * (s->slices - s->cut)) / s->helpers;
}

/* The helper that computes slice `number` of these, and the number of the first one of a tile of the rest. */
SHARES_FUNCTION shares_u32 tile_shares_helper(const struct tile_shares *s, shares_u64 number)
{
    const shares_u64 all = (shares_u64)tile_shares_rest(s) * (s->slices - s->cut);
    return (shares_u32)(((number + 1) * s->helpers - 1) / all);
}
SHARES_FUNCTION shares_u64 tile_shares_number(const struct tile_shares *s, shares_u32 tile)
{
    return (shares_u64)(tile - s->whole) * (s->slices - s->cut);
}

/* The part of a block in the last wave, if that is not full. */
SHARES_FUNCTION struct tile_part tile_shares_last(const struct tile_shares *s, shares_u32 block)
{
    struct tile_part part = {s->whole + block, 0, s->cut, 0};
    const shares_u32 rest = tile_shares_rest(s), helper = block - rest, others = s->slices - s->cut;
    if (block < rest)
        return part;
    part.end = 0;
    if (helper >= s->helpers)
        return part;
    const shares_u64 from = tile_shares_begin(s, helper);
    const shares_u32 count = (shares_u32)(tile_shares_begin(s, helper + 1) - from);
    part.tile = s->whole + (shares_u32)(from / others);
    part.slice = s->cut + (shares_u32)(from % others);
    part.end = s->slices - part.slice < count ? s->slices : part.slice + count;
    part.left = count - (part.end - part.slice);
    return part;
}

/* A block's first part, and the one after `part`; `last`: its part in the last wave, from above. */
SHARES_FUNCTION struct tile_part tile_shares_first(const struct tile_shares *s, shares_u32 block,
                                                   const struct tile_part *last)
{
    const struct tile_part part = {block, 0, s->slices, 0};
    return s->whole ? part : *last;
}
SHARES_FUNCTION struct tile_part tile_shares_next(const struct tile_shares *s, struct tile_part part,
                                                  const struct tile_part *last)
{
    if (part.tile < s->whole) {
        part.tile += s->blocks;
        part.slice = 0;
        return part.tile < s->whole ? part : *last;
    }
    part.tile++;
    part.slice = s->cut;
    part.end = part.left < s->slices - s->cut ? s->cut + part.left : s->slices;
    part.left -= part.end - part.slice;
    return part;
}

/* Number of a helper's part among all that are added up. Those of the tiles' own blocks have the first ones,
 * in the order of tiles. */
SHARES_FUNCTION shares_u32 tile_shares_slot(const struct tile_shares *s, shares_u32 tile, shares_u32 helper)
{
    return tile_shares_rest(s) + (tile - s->whole) + helper;
}
SHARES_FUNCTION shares_u32 tile_shares_slots(const struct tile_shares *s)
{
    return s->helpers ? 2 * tile_shares_rest(s) + s->helpers - 1 : 0;
}

#endif
