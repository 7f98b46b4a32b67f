#include "family/model.h"

#include <math.h>
#include <stddef.h>

#include "base/hash.h"
#include "family/access_model.h"
#include "family/footprint.h"

enum {
    CALLS_ALL = 4096,  /* accesses that are gone through one by one */
    BLOCKS_ALL = 16,   /* so are these few blocks */
    CALLS_LONG = 1024, /* of a block: then windows are of single blocks */
    WINDOW_FIRST = 4,  /* blocks of a window: enough for most */
    WINDOW_WIDE = 32,  /* neighbouring blocks of any size step through all alignments to a sector */
    STREAM_FIRST = 64, /* instructions of a warp: after so many, twice, four times as many a period is ... */
    STREAM_MOST = 512, /* ... looked for in their last half, up to here */
    PROBES = 16,       /* instructions that have to agree with it */
    PROBED_ALL = 1 << 14,    /* accesses of all blocks' last warps, which have to be like a window's; ... */
    CALLS_PROBED = 2048,     /* ... when they are more, so many */
    CALLS_WATCHED = 1024,    /* accesses whose footprint is taken */
    WATCHED_LEAST = 32,      /* blocks */
    WATCHED_THRIFTY = 4,     /* of them, when many points are predicted roughly */
    THRIFT = 16,             /* times fewer accesses then */
    PERIOD_BLOCKS = 64,      /* unlike blocks: a period is looked for in so many, ... */
    CALLS_UNLIKE = 1 << 18,  /* ... or all are gone through, up to so many accesses, ... */
    SAMPLES = 512,           /* ... or so many stand for the grid */
    CAPABILITY_ASSUMED = 90, /* where there is no chip */
    L2_ASSUMED = 50 * (1 << 20), /* bytes */
};

/* Of L2, what the last accesses of a kernel leave there; counted on an H200 (bytes stored less bytes written
 * back: 0.68 to 0.83). */
#define L2_HOLDS 0.75

/* Of L2, dirty lines at most, however much is stored: kernels that only read, after L2 had been filled by writes, wrote
 * 23.4 to 24.6 MiB of an H100's 50. */
#define L2_DIRTY_MOST 0.475

/* Sectors that only the edges of the window cut do not count as written in part. */
#define PARTIAL_LEAST 0.3

/* Sums over accesses. */
struct tally {
    double requests[2][2], bytes[2], sectors[2]; /* [space][store], [store], [store] */
    double wavefronts[2], conflicts[2];          /* [store] */
    double buffer_sectors[2][SETUP_BUFFERS_MAX]; /* [store][buffer] */
    /* For the time model alone, and no part of what makes two tallies equal: lines are longer than sectors, so that
     * their alignment repeats later; and one access alone tells of no round. */
    double stored_lines, rounds;
};
enum {
    TALLY_REALS = sizeof(struct tally) / sizeof(double),
    TALLY_COMPARED = offsetof(struct tally, stored_lines) / sizeof(double),
};

struct model {
    const struct point *point;
    const struct family *family;
    const struct setup *setup;
    int capability;
    uint64_t blocks, warps /* of a block */;
    bool ragged;  /* blocks are no whole warps: neighbours do not start alike within a sector */
    double l2;    /* bytes */
    double dirty; /* share of L2's lines when the launch begins; NaN: what it leaves itself */
    struct footprint *footprint;
    bool watching;   /* the footprint grows */
    uint64_t thrift; /* 1; or so many times fewer accesses are gone through */
};

static void tally_add(struct tally *sum, const struct tally *part, double times)
{
    double *to = (double *)sum;
    const double *from = (const double *)part;
    for (int i = 0; i < TALLY_REALS; i++)
        to[i] += times * from[i];
}

static bool tally_equal(const struct tally *a, const struct tally *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    for (int i = 0; i < TALLY_COMPARED; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

static struct tally tally_of(const struct access *access, int capability)
{
    struct tally t = {0};
    struct access_cost cost = access_model_cost(access, capability);
    int store = access->store;
    t.requests[access->space][store] = cost.requests;
    if (access->space == ACCESS_GLOBAL) {
        t.bytes[store] = cost.bytes;
        t.sectors[store] = cost.sectors;
        t.buffer_sectors[store][access->buffer] = cost.sectors;
        t.stored_lines = store ? cost.lines : 0;
    } else {
        t.wavefronts[store] = cost.wavefronts;
        t.conflicts[store] = cost.conflicts;
    }
    return t;
}

/* Instruction `index` of a warp, times its times, into `t`; false past the last. */
static bool step(struct model *m, uint64_t warp, uint32_t index, struct tally *t)
{
    struct access access;
    if (!m->family->access(m->point, m->setup, warp, index, &access))
        return false;
    struct tally one = tally_of(&access, m->capability);
    *t = (struct tally){0};
    tally_add(t, &one, (double)access.times);
    t->rounds = access.space == ACCESS_GLOBAL && !access.store ? (double)access.times : 0;
    if (m->watching && access.space == ACCESS_GLOBAL)
        footprint_add(m->footprint, &access, one.sectors[access.store]);
    return true;
}

/* The smallest period of `count` instructions, of which it must fit twice; 0: none. */
static uint32_t period_of(const struct tally *stream, uint32_t count)
{
    for (uint32_t period = 1; period <= count / 2; period++) {
        uint32_t i = period;
        while (i < count && tally_equal(&stream[i], &stream[i - period]))
            i++;
        if (i == count)
            return period;
    }
    return 0;
}

/* The last `period` of `count` instructions, thought to go on. */
struct cycle {
    const struct tally *stream;
    uint32_t count, period;
};

static bool agrees(struct model *m, uint64_t warp, const struct cycle *c, uint32_t index)
{
    struct tally t;
    bool watching = m->watching; /* a look ahead: the footprint must not see it twice */
    m->watching = false;
    bool there = step(m, warp, index, &t);
    m->watching = watching;
    return there && tally_equal(&t, &c->stream[c->count - c->period + (index - c->count) % c->period]);
}

/* How many whole periods follow: their end is searched for, and PROBES instructions before it have to agree.
 */
static uint32_t cycles_of(struct model *m, uint64_t warp, const struct cycle *c)
{
    uint64_t low = c->count - 1, high = 2 * (uint64_t)c->count;
    while (high < UINT32_MAX && agrees(m, warp, c, (uint32_t)high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (agrees(m, warp, c, (uint32_t)middle))
            low = middle;
        else
            high = middle;
    }
    uint32_t length = (uint32_t)low + 1 - c->count;
    for (uint64_t i = 0; i < PROBES && length; i++)
        if (!agrees(m, warp, c, c->count + (uint32_t)(hash_mix(i) % length)))
            return 0;
    return length / c->period;
}

/* Add the whole periods of a warp's instructions from `count` on; returns how many instructions that are, 0
 * when nothing repeats. */
static uint32_t add_periods(struct model *m, uint64_t warp, const struct tally *stream, uint32_t count,
                            struct tally *sum)
{
    struct cycle c = {stream, count, period_of(stream + count / 2, count / 2)};
    uint32_t cycles = c.period ? cycles_of(m, warp, &c) : 0;
    for (uint32_t i = count - c.period; i < count; i++)
        tally_add(sum, &stream[i], cycles);
    return cycles * c.period;
}

static struct tally warp_tally(struct model *m, uint64_t warp)
{
    struct tally stream[STREAM_MOST], sum = {0}, t;
    uint32_t index = 0, skipped = 0;
    bool staged = true; /* what was loaded has gone to shared memory: the next load begins a round */
    while (step(m, warp, index++, &t)) {
        bool loads = t.rounds > 0;
        t.rounds = staged ? t.rounds : 0;
        staged = !loads && (staged || t.requests[ACCESS_SHARED][1] > 0);
        tally_add(&sum, &t, 1);
        if (skipped || index > STREAM_MOST)
            continue;
        stream[index - 1] = t;
        if (index >= STREAM_FIRST && !(index & (index - 1)))
            index += skipped = add_periods(m, warp, stream, index, &sum);
    }
    return sum;
}

static struct tally block_tally(struct model *m, uint64_t block)
{
    struct tally sum = {0};
    for (uint64_t warp = 0; warp < m->warps; warp++) {
        struct tally t = warp_tally(m, block * m->warps + warp);
        tally_add(&sum, &t, 1);
    }
    return sum;
}

/* Blocks [first, first + count); `same`: whether all are alike, and what each then is. */
struct window {
    struct tally sum, block;
    bool same;
};
static struct window window_of(struct model *m, uint64_t first, uint64_t count)
{
    struct window w = {.block = block_tally(m, first), .same = true};
    w.sum = w.block;
    for (uint64_t block = first + 1; block < first + count; block++) {
        struct tally t = block_tally(m, block);
        w.same &= tally_equal(&t, &w.block);
        tally_add(&w.sum, &t, 1);
    }
    return w;
}

/* Blocks (first, last]: like `a` up to some block, like `b` after it, and that block may be in between. Which
 * one it is need not be asked when a and b are equal. Returns that block. */
static uint64_t add_two_kinds(struct model *m, uint64_t first, const struct tally *a, uint64_t last,
                              const struct tally *b, struct tally *sum)
{
    uint64_t low = first, high = last;
    struct tally odd = *b, t;
    while (!tally_equal(a, b) && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        t = block_tally(m, middle);
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
    if (tally_equal(a, b)) /* nothing was searched: high - low - 1 blocks are left */
        tally_add(sum, a, (double)(high - low - 1));
    return high;
}

static uint64_t wide_window(uint64_t blocks)
{
    return blocks / 3 < WINDOW_WIDE ? blocks / 3 : WINDOW_WIDE;
}

/* `count` blocks by the averages of three windows of `width`. */
static struct tally windows_tally(const struct window w[3], uint64_t count, uint64_t width)
{
    struct tally sum = {0};
    for (int i = 0; i < 3; i++)
        tally_add(&sum, &w[i].sum, (double)count / (3 * (double)width));
    return sum;
}

/* `count` blocks that are alike only every so many, as rows of an odd width step through the alignments to a sector: exact.
 * False: no such period is seen, or some block further on does not keep to it. */
static bool add_periodic_blocks(struct model *m, uint64_t first, uint64_t count, struct tally *sum)
{
    struct tally block[PERIOD_BLOCKS], t;
    if (count < PERIOD_BLOCKS)
        return false;
    for (uint64_t i = 0; i < PERIOD_BLOCKS; i++)
        block[i] = block_tally(m, first + i);
    uint64_t period = period_of(block, PERIOD_BLOCKS);
    if (!period)
        return false;
    for (uint64_t i = 0; i < PROBES; i++) {
        uint64_t probe = i ? hash_mix(i) % count : count - 1;
        t = block_tally(m, first + probe);
        if (!tally_equal(&t, &block[probe % period]))
            return false;
    }
    for (uint64_t i = 0; i < period; i++) {
        uint64_t times = (count - i + period - 1) / period;
        tally_add(sum, &block[i], (double)times);
    }
    return true;
}

/* `count` unlike blocks, as of a matrix whose last tiles are cut: by blocks spread evenly at any scale, which
 * multiples of the golden ratio are. */
static struct tally samples_tally(struct model *m, uint64_t first, uint64_t count)
{
    struct tally sum = {0};
    uint64_t samples = count < SAMPLES / m->thrift ? count : SAMPLES / m->thrift;
    for (uint64_t i = 0; i < samples; i++) {
        double place = (double)i * 0.6180339887498949;
        uint64_t block = (uint64_t)((place - floor(place)) * (double)count);
        struct tally t = block_tally(m, first + (count <= samples ? i : block));
        tally_add(&sum, &t, (double)count / (double)samples);
    }
    return sum;
}

/* Are blocks between the windows as add_two_kinds has them, with its two blocks `turn`? As far as their last warps show, of
 * all or of some: the last tiles of a matrix's rows may be cut, and lie anywhere between. `start` has the windows' first
 * blocks. */
static bool alike(struct model *m, uint64_t end, uint64_t calls, const uint64_t start[3],
                  const uint64_t turn[2])
{
    struct tally kind[3], t;
    for (int i = 0; i < 3; i++)
        kind[i] = warp_tally(m, start[i] * m->warps + m->warps - 1);
    uint64_t count = end - start[0], budget = CALLS_PROBED / m->thrift * m->warps;
    uint64_t some = (budget + calls - 1) / calls;
    bool all = count * calls <= PROBED_ALL / m->thrift * m->warps;
    for (uint64_t i = 0; i < (all ? count : some); i++) {
        uint64_t block = start[0] + (all ? i : hash_mix(i) % count), half = block > start[1];
        t = warp_tally(m, block * m->warps + m->warps - 1);
        if (block != turn[half] && !tally_equal(&t, &kind[half + (block > turn[half])]))
            return false;
    }
    return true;
}

/* Blocks [first, end) by three windows: at the start, in the middle, at the end. */
static struct tally interior_tally(struct model *m, uint64_t first, uint64_t end, uint64_t calls)
{
    uint64_t count = end - first, width = calls > CALLS_LONG ? 1
                                          : m->thrift > 1    ? WINDOW_FIRST / 2
                                                             : WINDOW_FIRST;
    if (m->ragged)
        width = wide_window(count);
    uint64_t start[3] = {first, first + (count - width) / 2, end - width};
    struct tally sum = {0};
    struct window w[3];
    for (int i = 0; i < 3; i++)
        w[i] = window_of(m, start[i], width);
    if (w[0].same && w[1].same && w[2].same) {
        struct tally kinds = w[0].block;
        uint64_t turn[2];
        turn[0] = add_two_kinds(m, first, &w[0].block, start[1], &w[1].block, &kinds);
        turn[1] = add_two_kinds(m, start[1], &w[1].block, end - 1, &w[2].block, &kinds);
        if (alike(m, end, calls, start, turn))
            return kinds;
    }
    if (count * calls <= CALLS_UNLIKE / m->thrift)
        return window_of(m, first, count).sum;
    if (add_periodic_blocks(m, first, count, &sum))
        return sum;
    return m->ragged ? windows_tally(w, count, width) : samples_tally(m, first, count);
}

/* Accesses of a block in the middle, as far as it matters. */
static uint64_t block_calls(const struct model *m)
{
    struct access access;
    uint32_t index = 0;
    uint64_t warp = m->blocks / 2 * m->warps;
    while (index < STREAM_MOST && m->family->access(m->point, m->setup, warp, index, &access))
        index++;
    return (index + 1) * m->warps;
}

static struct tally grid_tally(struct model *m)
{
    uint64_t calls = block_calls(m);
    if (m->blocks <= BLOCKS_ALL || m->blocks * calls <= CALLS_ALL / m->thrift)
        return window_of(m, 0, m->blocks).sum;
    struct tally sum = block_tally(m, 0);
    struct tally interior = interior_tally(m, 1, m->blocks - 2, calls);
    struct window end = window_of(m, m->blocks - 2, 2);
    tally_add(&sum, &interior, 1);
    tally_add(&sum, &end.sum, 1);
    return sum;
}

/* What neighbouring blocks fetch: a window in the middle, or all there are. */
static void watch(struct model *m)
{
    uint64_t calls = block_calls(m), enough = calls ? CALLS_WATCHED / m->thrift / calls : 0;
    uint64_t least = m->thrift > 1 ? WATCHED_THRIFTY : WATCHED_LEAST;
    uint64_t count = enough < least ? least : enough;
    count = count < m->blocks ? count : m->blocks;
    uint64_t first = (m->blocks - count) / 2;
    m->watching = true;
    for (uint64_t block = first; block < first + count && !footprint_full(m->footprint); block++) {
        if (count > 1 && block == first + count / 2)
            footprint_halfway(m->footprint);
        block_tally(m, block);
    }
    m->watching = false;
}

/* ---- DRAM ---- */

static double buffer_bytes(const struct buffer *buffer)
{
    return (double)buffer->count * (double)dtype_size(buffer->dtype);
}

/* The same when L2 keeps nothing for later. */
static double moved_of_buffer(const struct model *m, const struct tally *all, int b, bool store)
{
    struct footprint_part part = footprint_part(m->footprint, b, store);
    return all->buffer_sectors[store][b] > 0 ? all->buffer_sectors[store][b] * part.share : 0;
}

/* Bytes of DRAM that the accesses to one buffer fetch or write; NaN where L2's part in it is not known. */
static double dram_of_buffer(const struct model *m, const struct tally *all, int b, bool store)
{
    struct footprint_part part = footprint_part(m->footprint, b, store);
    double bytes = isnan(part.saturated) ? all->buffer_sectors[store][b] * part.share : part.saturated;
    double most = ceil(buffer_bytes(&m->setup->buffer[b]) / GRANULE_BYTES) * GRANULE_BYTES, together = 0;
    if (!(all->buffer_sectors[store][b] > 0))
        return 0;
    for (int i = 0; i < m->setup->buffers; i++)
        together += buffer_bytes(&m->setup->buffer[i]);
    /* Windows share sectors at their edges: a little more than there is, is all there is. */
    if (bytes <= 1.5 * most || most <= m->l2 / 2 || together <= m->l2)
        return bytes < most ? bytes : most;
    return NAN;
}

static double dram_bytes(const struct model *m, const struct tally *all, bool store)
{
    struct work work = m->family->work(m->point);
    double useful = (double)(store ? work.bytes_written : work.bytes_read), sum = 0, room = 0;
    for (int b = 0; b < m->setup->buffers; b++) {
        const struct buffer *buffer = &m->setup->buffer[b];
        if (buffer->on_host || (!store && buffer->role != BUFFER_INPUT))
            continue;
        sum += dram_of_buffer(m, all, b, store);
        room += buffer_bytes(buffer);
    }
    /* Less than has to move: the rest comes another way. Useful bytes of shared memory fill no buffer. */
    useful = useful < room ? useful : room;
    return sum < 0.98 * useful ? useful : sum;
}

/* Sectors that are written in part are fetched, to be completed. */
static double dram_fills(const struct model *m, const struct tally *all)
{
    double sum = 0;
    for (int b = 0; b < m->setup->buffers; b++) {
        double partial = footprint_part(m->footprint, b, true).partial;
        if (!m->setup->buffer[b].on_host && partial > PARTIAL_LEAST)
            sum += partial * dram_of_buffer(m, all, b, true);
    }
    return sum;
}

/* Share of L2's lines that stores fill: whole ones, unless `fills` tell that lanes skip bytes; a line has
 * room for four sectors, however many are used. */
static double density_of_stores(const struct model *m, double stored, double fills)
{
    double room = 0;
    for (int b = 0; b < m->setup->buffers; b++)
        if (m->setup->buffer[b].role == BUFFER_OUTPUT && !m->setup->buffer[b].on_host)
            room += buffer_bytes(&m->setup->buffer[b]);
    return fills > 0 ? fmin(1, fmax(stored / room, (double)SECTOR_BYTES / LINE_BYTES)) : 1;
}

/* Bytes of L2 that wait to be written when of what moved last the share `stored` was stored. */
static double dirty_bytes(const struct model *m, double stored)
{
    return fmin(L2_HOLDS * stored, L2_DIRTY_MOST) * m->l2;
}

static void predict_dram(const struct model *m, const struct tally *all, struct prediction *p)
{
    double stored = dram_bytes(m, all, true), fills = dram_fills(m, all);
    p->dram_bytes_read = dram_bytes(m, all, false) + fills;
    double moved = p->dram_bytes_read + stored, density = density_of_stores(m, stored, fills);
    if (!(moved > 0))
        return;
    p->dirty_left = density * stored / moved;
    /* What moved last is still in L2, dirty where it was stored; it has pushed others' lines out. */
    double left = fmin(stored, dirty_bytes(m, p->dirty_left));
    double pushed_out = dirty_bytes(m, m->dirty) * fmin(1, moved / (density * L2_HOLDS * m->l2));
    p->dram_bytes_written = stored - left + (isnan(m->dirty) ? left : pushed_out);
}

/* Rows of so many bytes and more come from DRAM at its full rate. */
#define ROW_BYTES 128

/* How scattered the accesses to DRAM are: of short runs, the less of a buffer they touch. Weighted by bytes. */
static double scattered(const struct model *m, const struct tally *all, bool store)
{
    double sum = 0, weight = 0;
    for (int b = 0; b < m->setup->buffers; b++) {
        double bytes = dram_of_buffer(m, all, b, store), run = footprint_part(m->footprint, b, store).run;
        double dense = fmin(1, bytes / buffer_bytes(&m->setup->buffer[b]));
        if (isnan(bytes)) {
            bytes = moved_of_buffer(m, all, b, store);
            dense = 0;
        }
        if (m->setup->buffer[b].on_host || !(bytes > 0))
            continue;
        weight += bytes;
        sum += run < ROW_BYTES ? bytes * (1 - dense) * (1 - dense) : 0;
    }
    return weight > 0 ? sum / weight : 0;
}

/* What is read when nothing stays in L2 for later: where it is not known what does. */
static double moved_bytes(const struct model *m, const struct tally *all)
{
    double sum = 0;
    for (int b = 0; b < m->setup->buffers; b++)
        if (!m->setup->buffer[b].on_host)
            sum += moved_of_buffer(m, all, b, false);
    return sum;
}

/* ---- the whole point ---- */

static double over(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static void predict_counts(const struct tally *t, struct prediction *p)
{
    const double *global = t->requests[ACCESS_GLOBAL], *shared = t->requests[ACCESS_SHARED];
    p->load_requests = global[0];
    p->load_sectors = t->sectors[0];
    p->load_sectors_per_request = over(t->sectors[0], global[0]);
    p->load_efficiency = 100 * over(t->bytes[0], SECTOR_BYTES * t->sectors[0]);
    p->store_requests = global[1];
    p->store_sectors = t->sectors[1];
    p->store_sectors_per_request = over(t->sectors[1], global[1]);
    p->store_efficiency = 100 * over(t->bytes[1], SECTOR_BYTES * t->sectors[1]);
    if (!(shared[0] + shared[1] > 0))
        return;
    p->shared_load_requests = shared[0];
    p->shared_load_wavefronts = t->wavefronts[0];
    p->shared_load_wavefronts_per_request = over(t->wavefronts[0], shared[0]);
    p->shared_load_conflicts = t->conflicts[0];
    p->shared_store_requests = shared[1];
    p->shared_store_wavefronts = t->wavefronts[1];
    p->shared_store_wavefronts_per_request = over(t->wavefronts[1], shared[1]);
    p->shared_store_conflicts = t->conflicts[1];
}

static int capability_of(const struct point *point, const struct target *target)
{
    int compiled = arch_capability((arch)point_value(point, "arch", ARCH_NATIVE));
    return compiled ? compiled : target->capability ? target->capability : CAPABILITY_ASSUMED;
}

static bool predict(struct model *m, struct prediction *p)
{
    struct tally t = grid_tally(m);
    if (!(t.requests[0][0] + t.requests[0][1] + t.requests[1][0] + t.requests[1][1] > 0))
        return false;
    predict_counts(&t, p);
    p->rounds = t.requests[ACCESS_SHARED][1] > 0 ? t.rounds / ((double)m->blocks * (double)m->warps) : 1;
    p->stored_lines = over(t.stored_lines, t.requests[ACCESS_GLOBAL][1]);
    if (point_value(m->point, "cache", CACHE_COLD) == CACHE_HOT)
        return true;
    watch(m);
    predict_dram(m, &t, p);
    p->moved_read = moved_bytes(m, &t);
    p->scattered_read = scattered(m, &t, false);
    p->scattered_write = scattered(m, &t, true);
    return true;
}

static bool predict_point(const struct point *point, const struct setup *setup, const struct target *target,
                          double dirty, uint64_t thrift, struct prediction *prediction)
{
    uint64_t threads = (uint64_t)setup->block[0] * setup->block[1] * setup->block[2];
    struct model m = {.point = point,
                      .family = family_of(point),
                      .setup = setup,
                      .capability = capability_of(point, target),
                      .blocks = (uint64_t)setup->grid[0] * setup->grid[1] * setup->grid[2],
                      .warps = (threads + 31) / 32,
                      .ragged = threads % 32 != 0,
                      .dirty = dirty,
                      .thrift = thrift,
                      .l2 = target->l2_bytes && !target->host ? (double)target->l2_bytes : L2_ASSUMED};
    for (size_t i = 0; i < sizeof *prediction / sizeof(double); i++)
        ((double *)prediction)[i] = NAN;
    if (setup->engine != ENGINE_KERNEL || !m.family->access)
        return false;
    m.footprint = footprint_new();
    bool known = predict(&m, prediction);
    footprint_free(m.footprint);
    return known;
}

bool model_predict(const struct point *point, const struct setup *setup, const struct target *target,
                   double dirty, struct prediction *prediction)
{
    return predict_point(point, setup, target, dirty, 1, prediction);
}

bool model_predict_roughly(const struct point *point, const struct setup *setup, const struct target *target,
                           double dirty, struct prediction *prediction)
{
    return predict_point(point, setup, target, dirty, THRIFT, prediction);
}
