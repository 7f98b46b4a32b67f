#include "family/access/access.h"

#include <assert.h>
#include <math.h>

#include "base/hash.h"

enum {
    CALLS_ALL = 4096,     /* up to so many accesses, all are evaluated */
    BLOCKS_ALL = 16,      /* up to so many blocks, all are evaluated */
    CALLS_LONG = 1024,    /* from so many accesses per block on, a window is one block */
    WINDOW_FIRST = 4,     /* blocks of a window */
    WINDOW_WIDE = 32,     /* blocks of a window of ragged blocks: enough for all alignments to a sector */
    STREAM_FIRST = 64,    /* a period is looked for after so many instructions of a warp, twice as many ... */
    STREAM_MAX = 512,     /* ... up to here, always in the last half */
    PROBES = 16,          /* instructions or blocks that are checked against a period */
    PROBED_ALL = 1 << 14, /* up to so many accesses, the last warps of all blocks are compared; ... */
    CALLS_PROBED = 2048,  /* ... beyond that, a random sample of so many accesses */
    CALLS_WATCHED = 1024, /* accesses in the footprint */
    WATCHED_MIN = 32,     /* blocks in the footprint, at least */
    PERIOD_BLOCKS = 64,   /* unequal blocks: a period is looked for in so many; otherwise ... */
    CALLS_UNLIKE = 1 << 18, /* ... all are evaluated, up to so many accesses; otherwise ... */
    SAMPLES = 512,          /* ... so many blocks stand for the grid */
};

/* Evaluate instruction `index` of a warp; false past the last. */
static bool step(struct launch *l, uint64_t warp, uint32_t index, struct portion *portion)
{
    struct access access;
    if (!l->family->access(l->point, l->setup, warp, index, &access))
        return false;
    *portion = portion_of(&access, l->capability);
    if (l->watching && access.space == ACCESS_GLOBAL && !access.atomic)
        footprint_add(l->watching, &access, access.times ? portion->sectors / (double)access.times : 0);
    return true;
}

/* Instructions [first, first + count) of a warp; the last `period` of them are assumed to repeat. */
struct cycle {
    const struct portion *stream;
    uint32_t first, count, period;
};

/* Does instruction first + `index` fit the period? */
static bool agrees(struct launch *l, uint64_t warp, const struct cycle *c, uint32_t index)
{
    struct portion p;
    struct footprint *watching = l->watching; /* probes must not be added to the footprint */
    l->watching = NULL;
    bool there = step(l, warp, c->first + index, &p);
    l->watching = watching;
    return there && portion_equal(&p, &c->stream[c->count - c->period + (index - c->count) % c->period]);
}

/* The number of whole periods that follow: a binary search for their end, checked at PROBES instructions
 * before it. */
static uint32_t cycles_of(struct launch *l, uint64_t warp, const struct cycle *c)
{
    uint64_t low = c->count - 1, high = 2 * (uint64_t)c->count;
    while (c->first + high < UINT32_MAX && agrees(l, warp, c, (uint32_t)high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (agrees(l, warp, c, (uint32_t)middle))
            low = middle;
        else
            high = middle;
    }
    uint32_t length = (uint32_t)low + 1 - c->count;
    for (uint64_t i = 0; i < PROBES && length; i++)
        if (!agrees(l, warp, c, c->count + (uint32_t)(hash_mix(i) % length)))
            return 0;
    return length / c->period;
}

/* Add the whole periods that follow instructions [first, first + count) of a warp. Returns the number of
 * instructions skipped; 0: nothing repeats. */
static uint32_t add_periods(struct launch *l, uint64_t warp, const struct portion *stream, uint32_t first,
                            uint32_t count, struct tally *sum)
{
    struct cycle c = {stream, first, count, portion_period(stream + count / 2, count / 2)};
    uint32_t cycles = c.period ? cycles_of(l, warp, &c) : 0;
    for (uint32_t i = count - c.period; i < count; i++)
        tally_add_portion(sum, &stream[i], cycles);
    return cycles * c.period;
}

/* The cost of a warp, with its loops cut short. A loop may follow another, as after one that stages a
 * table. */
static struct tally warp_tally(struct launch *l, uint64_t warp)
{
    struct portion stream[STREAM_MAX], p;
    struct tally sum = {0};
    uint32_t first = 0, count = 0; /* instructions in `stream` */
    bool staged = true; /* loaded data have been stored to shared memory: the next load begins a round */
    while (step(l, warp, first + count++, &p)) {
        bool loads = p.rounds > 0;
        p.rounds = staged ? p.rounds : 0;
        bool stages = p.space == ACCESS_SHARED && p.requests > 0 && !p.atomic && p.store;
        staged = !loads && (staged || stages);
        tally_add_portion(&sum, &p, 1);
        if (count > STREAM_MAX)
            continue;
        stream[count - 1] = p;
        uint32_t skipped = count >= STREAM_FIRST && !(count & (count - 1))
                               ? add_periods(l, warp, stream, first, count, &sum)
                               : 0;
        first += skipped ? count + skipped : 0;
        count = skipped ? 0 : count;
    }
    return sum;
}

static struct tally block_tally(struct launch *l, uint64_t block)
{
    struct tally sum = {0};
    for (uint64_t warp = 0; warp < l->warps; warp++) {
        struct tally t = warp_tally(l, block * l->warps + warp);
        tally_add(&sum, &t, 1);
    }
    return sum;
}

/* Blocks [first, first + count). `same`: all are equal to `block`. */
struct window {
    struct tally sum, block;
    bool same;
};
static struct window window_of(struct launch *l, uint64_t first, uint64_t count)
{
    struct window w = {.block = block_tally(l, first), .same = true};
    w.sum = w.block;
    for (uint64_t block = first + 1; block < first + count; block++) {
        struct tally t = block_tally(l, block);
        w.same &= tally_equal(&t, &w.block);
        tally_add(&w.sum, &t, 1);
    }
    return w;
}

/* Add blocks (first, last], assumed equal to `a` up to some block and equal to `b` after it; the block at the
 * turn may differ from both. Returns the turn, found by binary search; no search if a and b are equal. */
static uint64_t add_two_kinds(struct launch *l, uint64_t first, const struct tally *a, uint64_t last,
                              const struct tally *b, struct tally *sum)
{
    uint64_t low = first, high = last;
    struct tally odd = *b, t;
    while (!tally_equal(a, b) && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        t = block_tally(l, middle);
        if (tally_equal(&t, a)) {
            low = middle;
        } else {
            high = middle;
            odd = t;
        }
    }
    tally_add(sum, a, (double)(low - first));
    if (high > low)
        tally_add(sum, &odd, 1);
    tally_add(sum, b, (double)(last - high));
    if (tally_equal(a, b)) /* no search: high - low - 1 blocks are left */
        tally_add(sum, a, (double)(high - low - 1));
    return high;
}

static uint64_t wide_window(uint64_t blocks)
{
    return blocks / 3 < WINDOW_WIDE ? blocks / 3 : WINDOW_WIDE;
}

/* `count` blocks, from the average of three windows of `width` blocks. */
static struct tally windows_tally(const struct window w[3], uint64_t count, uint64_t width)
{
    struct tally sum = {0};
    for (int i = 0; i < 3; i++)
        tally_add(&sum, &w[i].sum, (double)count / (3 * (double)width));
    return sum;
}

/* Add `count` blocks whose costs repeat with a period, as rows of an odd width do, which step through the
 * alignments to a sector. Exact. False: there is no period, or a probed block further on does not fit it. */
static bool add_periodic_blocks(struct launch *l, uint64_t first, uint64_t count, struct tally *sum)
{
    struct tally block[PERIOD_BLOCKS], t;
    if (count < PERIOD_BLOCKS)
        return false;
    for (uint64_t i = 0; i < PERIOD_BLOCKS; i++)
        block[i] = block_tally(l, first + i);
    uint64_t period = tally_period(block, PERIOD_BLOCKS);
    if (!period)
        return false;
    for (uint64_t i = 0; i < PROBES; i++) {
        uint64_t probe = i ? hash_mix(i) % count : count - 1;
        t = block_tally(l, first + probe);
        if (!tally_equal(&t, &block[probe % period]))
            return false;
    }
    for (uint64_t i = 0; i < period; i++) {
        uint64_t times = (count - i + period - 1) / period;
        tally_add(sum, &block[i], (double)times);
    }
    return true;
}

/* `count` unequal blocks, for example tiles of a matrix with cut edges: a sample at multiples of the golden
 * ratio, which are evenly spread at any scale. */
static struct tally samples_tally(struct launch *l, uint64_t first, uint64_t count)
{
    struct tally sum = {0};
    uint64_t samples = count < SAMPLES ? count : SAMPLES;
    for (uint64_t i = 0; i < samples; i++) {
        double place = (double)i * 0.6180339887498949;
        uint64_t block = (uint64_t)((place - floor(place)) * (double)count);
        struct tally t = block_tally(l, first + (count <= samples ? i : block));
        tally_add(&sum, &t, (double)count / (double)samples);
    }
    return sum;
}

/* Do the blocks between the windows follow add_two_kinds, with its two turns? Compares the last warps of all
 * blocks or of a sample, because cut tiles at the end of a matrix row may lie between the windows. `start`:
 * the windows' first blocks. */
static bool fits_two_kinds(struct launch *l, uint64_t end, uint64_t calls, const uint64_t start[3],
                           const uint64_t turn[2])
{
    struct tally kind[3], t;
    for (int i = 0; i < 3; i++)
        kind[i] = warp_tally(l, start[i] * l->warps + l->warps - 1);
    uint64_t count = end - start[0], budget = CALLS_PROBED * l->warps;
    uint64_t some = (budget + calls - 1) / calls;
    bool all = count * calls <= PROBED_ALL * l->warps;
    for (uint64_t i = 0; i < (all ? count : some); i++) {
        uint64_t block = start[0] + (all ? i : hash_mix(i) % count), half = block > start[1];
        t = warp_tally(l, block * l->warps + l->warps - 1);
        if (block != turn[half] && !tally_equal(&t, &kind[half + (block > turn[half])]))
            return false;
    }
    return true;
}

/* Blocks [first, end) by three windows: at the start, in the middle, at the end. */
static struct tally interior_tally(struct launch *l, uint64_t first, uint64_t end, uint64_t calls)
{
    uint64_t count = end - first, width = calls > CALLS_LONG ? 1 : WINDOW_FIRST;
    if (l->ragged)
        width = wide_window(count);
    uint64_t start[3] = {first, first + (count - width) / 2, end - width};
    struct tally sum = {0};
    struct window w[3];
    for (int i = 0; i < 3; i++)
        w[i] = window_of(l, start[i], width);
    if (w[0].same && w[1].same && w[2].same) {
        struct tally kinds = w[0].block;
        uint64_t turn[2];
        turn[0] = add_two_kinds(l, first, &w[0].block, start[1], &w[1].block, &kinds);
        turn[1] = add_two_kinds(l, start[1], &w[1].block, end - 1, &w[2].block, &kinds);
        if (fits_two_kinds(l, end, calls, start, turn))
            return kinds;
    }
    if (count * calls <= CALLS_UNLIKE)
        return window_of(l, first, count).sum;
    if (add_periodic_blocks(l, first, count, &sum))
        return sum;
    return l->ragged ? windows_tally(w, count, width) : samples_tally(l, first, count);
}

/* Accesses of the middle block: its first warp's, up to STREAM_MAX, times its warps. */
static uint64_t block_calls(const struct launch *l)
{
    struct access access;
    uint32_t index = 0;
    uint64_t warp = l->blocks / 2 * l->warps;
    while (index < STREAM_MAX && l->family->access(l->point, l->setup, warp, index, &access))
        index++;
    return (index + 1) * l->warps;
}

struct tally launch_tally(struct launch *l)
{
    uint64_t calls = l->calls;
    struct tally sum = block_tally(l, 0);
    if (sum.random > 0) { /* all blocks are alike, and no two equal */
        struct tally all = {0};
        tally_add(&all, &sum, (double)l->blocks);
        return all;
    }
    if (l->blocks <= BLOCKS_ALL || l->blocks * calls <= CALLS_ALL)
        return window_of(l, 0, l->blocks).sum;
    struct tally interior = interior_tally(l, 1, l->blocks - 2, calls);
    struct window end = window_of(l, l->blocks - 2, 2);
    tally_add(&sum, &interior, 1);
    tally_add(&sum, &end.sum, 1);
    return sum;
}

void launch_watch(struct launch *l, struct footprint *footprint)
{
    uint64_t enough = l->calls ? CALLS_WATCHED / l->calls : 0;
    uint64_t count = enough < WATCHED_MIN ? WATCHED_MIN : enough;
    count = count < l->blocks ? count : l->blocks;
    uint64_t first = (l->blocks - count) / 2;
    assert(!l->watching);
    l->watching = footprint;
    for (uint64_t block = first; block < first + count && !footprint_full(footprint); block++) {
        if (count > 1 && block == first + count / 2)
            footprint_halfway(footprint);
        block_tally(l, block);
    }
    l->watching = NULL;
}

struct launch launch_of(const struct point *point, const struct setup *setup, int capability)
{
    uint64_t threads = (uint64_t)setup->block[0] * setup->block[1] * setup->block[2];
    struct launch l = {.point = point,
                       .family = family_of(point),
                       .setup = setup,
                       .capability = capability,
                       .blocks = (uint64_t)setup->grid[0] * setup->grid[1] * setup->grid[2],
                       .warps = (threads + 31) / 32,
                       .ragged = threads % 32 != 0};
    assert(l.blocks > 0 && l.warps > 0);
    l.calls = block_calls(&l);
    return l;
}
