/* The access pattern of matmul.cu. A warp does the same round after round of k; only the rows and columns of
 * the matrices move on, mostly by whole sectors: such rounds are one access with `times`. */
#include "kernels/matmul/matmul.h"

/* A group of instructions that differ by their number only. */
struct section {
    uint32_t count; /* instructions; 0 when there are none */
    uint64_t times;
};

/* In which section instruction `index` is: its number within the section, or false past the last. */
static bool find_section(const struct section *sections, int count, uint32_t index, int *section,
                         uint32_t *number)
{
    for (*section = 0; *section < count; (*section)++) {
        uint32_t here = sections[*section].times ? sections[*section].count : 0;
        if (index < here) {
            *number = index;
            return true;
        }
        index -= here;
    }
    return false;
}

static void global(struct access *a, int buffer, uint32_t width)
{
    a->space = ACCESS_GLOBAL;
    a->buffer = buffer;
    a->store = buffer == 2;
    a->width = width;
}

static void shared(struct access *a, bool store, uint32_t width)
{
    a->space = ACCESS_SHARED;
    a->store = store;
    a->width = width;
}

static void touch(struct access *a, uint32_t lane, uint64_t address)
{
    a->active |= 1u << lane;
    a->address[lane] = address;
}

/* One word of A for the warp and 32 of B, k times; then C. Rows of B shift against sectors when n is no
 * multiple of 8; after eight rows it starts over. */
static bool access_naive(const struct matmul_shape *s, uint64_t warp, uint32_t index, struct access *a)
{
    uint64_t row = warp / 8 / s->across * 8 + warp % 8, column = warp / 8 % s->across * 32;
    uint32_t residues = s->k < 8 ? (uint32_t)s->k : 8;
    if (row >= s->m || index > residues + 1)
        return false;
    uint64_t first;
    if (index == 0) {
        global(a, 0, 4);
        a->times = s->k;
        first = row * s->k;
    } else if (index <= residues) {
        global(a, 1, 4);
        a->times = (s->k - index) / 8 + 1;
        first = (index - 1) * s->n + column;
    } else {
        global(a, 2, 4);
        a->times = 1;
        first = row * s->n + column;
    }
    access_evenly(a, 4 * first, index ? 4 : 0, s->n - column);
    return true;
}

/* Per round a word of A and of B each to shared memory, a row of the tile of A in 16-byte reads (the
 * assembler joins neighbours), a column of B's word by word. `tail`: the last round, when k is no multiple of
 * the tile. */
/* Every thread of a warp, from thread `first` of a tile on: 4-byte words at base + x * by_x + y * by_y. */
static void touch_tile(struct access *a, uint32_t first, uint32_t tile, uint32_t base, uint32_t by_x,
                       uint32_t by_y)
{
    uint32_t x = first % tile, word = base + x * by_x + first / tile * by_y;
    a->active = UINT32_MAX;
    for (uint32_t lane = 0; lane < 32; lane++) {
        a->address[lane] = 4 * (uint64_t)word;
        word += by_x;
        if (++x == tile) {
            word += by_y - tile * by_x;
            x = 0;
        }
    }
}

static bool access_tiled(const struct matmul_shape *s, uint64_t warp, uint32_t index, struct access *a)
{
    uint32_t tile = s->rows, number, warps = s->threads / 32;
    uint64_t full = s->k / tile, tail = s->k % tile != 0, rounds = full + tail;
    const struct section sections[] = {{2, full},          {2, tail},      {2, rounds},
                                       {tile / 4, rounds}, {tile, rounds}, {1, 1}};
    uint64_t block = warp / warps;
    int section;
    if (!find_section(sections, 6, index, &section, &number))
        return false;
    a->times = sections[section].times;
    if (section < 2)
        global(a, (int)number, 4);
    else if (section < 5)
        shared(a, section == 2, section == 3 ? 16 : 4);
    else
        global(a, 2, 4);
    uint32_t first = (uint32_t)(warp % warps) * 32;
    if (section == 2) /* left[y][x], then right[y][x] */
        touch_tile(a, first, tile, number * tile * tile, 1, tile);
    else if (section == 3)
        touch_tile(a, first, tile, number * 4, 0, tile);
    else if (section == 4)
        touch_tile(a, first, tile, tile * tile + number * tile, 1, 0);
    for (uint32_t lane = 0; lane < 32 && (section < 2 || section == 5); lane++) {
        uint32_t thread = first + lane, x = thread % tile, y = thread / tile;
        uint64_t row = block / s->across * tile + y, column = block % s->across * tile + x;
        uint64_t step = section == 1 ? full * tile : 0;
        if (section < 2 && number == 0 && row < s->m && step + x < s->k)
            touch(a, lane, 4 * (row * s->k + step + x));
        else if (section < 2 && number == 1 && step + y < s->k && column < s->n)
            touch(a, lane, 4 * ((step + y) * s->n + column));
        else if (section == 5 && row < s->m && column < s->n)
            touch(a, lane, 4 * (row * s->n + column));
    }
    return true;
}

/* What matmul.cu calls by the same names, of one thread. */
struct layout {
    uint32_t width, parts, pitch, pieces, each, a_pieces, b_pieces;
    uint64_t row0, column0;
};

static struct layout layout_of(const struct matmul_shape *s, uint64_t block)
{
    struct layout l = {.width = s->outputs < 4 ? s->outputs : 4,
                       .pitch = s->rows + 4,
                       .pieces = s->rows * s->slice / 4,
                       .a_pieces = s->slice / 4,
                       .b_pieces = s->rows / 4};
    l.parts = s->outputs / l.width;
    l.each = (l.pieces + s->threads - 1) / s->threads;
    matmul_place(s, block, 8, &l.row0, &l.column0);
    l.row0 *= s->rows;
    l.column0 *= s->rows;
    return l;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Number `number` of the loads of a slice of A or B that starts at `step` of k: 16 bytes, or four words. */
static void fetch(const struct matmul_shape *s, const struct layout *l, uint32_t first_thread, int buffer,
                  uint64_t step, uint32_t number, struct access *a)
{
    uint32_t words = s->aligned ? 1 : 4, e = number / words, word = number % words;
    global(a, buffer, s->aligned ? 16 : 4);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t piece = first_thread + lane + e * s->threads;
        uint64_t row = least(l->row0 + piece / l->a_pieces, s->m - 1), ka = step + piece % l->a_pieces * 4;
        uint64_t column = l->column0 + piece % l->b_pieces * 4, kb = step + piece / l->b_pieces;
        if (piece >= l->pieces)
            continue;
        if (buffer == 0 && ka + word < s->k)
            touch(a, lane, 4 * (row * s->k + ka + word));
        else if (buffer == 1 && kb < s->k && s->aligned)
            touch(a, lane, 4 * (kb * s->n + least(column, s->n - 4)));
        else if (buffer == 1 && kb < s->k && column + word < s->n)
            touch(a, lane, 4 * (kb * s->n + column + word));
    }
}

/* Pieces on their way into a slice: four words down a column of A's, 16 bytes of a row of B's. */
static void put(const struct matmul_shape *s, const struct layout *l, uint32_t first_thread, int buffer,
                uint32_t number, struct access *a)
{
    uint32_t words = buffer == 0 ? 4 : 1, e = number / words, word = number % words;
    shared(a, true, buffer == 0 ? 4 : 16);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t piece = first_thread + lane + e * s->threads;
        if (piece >= l->pieces)
            continue;
        if (buffer == 0)
            touch(a, lane, 4 * ((uint64_t)(piece % l->a_pieces * 4 + word) * l->pitch + piece / l->a_pieces));
        else
            touch(a, lane,
                  4 * ((uint64_t)s->slice * l->pitch + piece / l->b_pieces * s->rows +
                       piece % l->b_pieces * 4));
    }
}

/* Row and column of a thread's first output within its block. */
static void place(const struct matmul_shape *s, const struct layout *l, uint32_t thread, uint32_t *row,
                  uint32_t *column)
{
    uint32_t lane = thread % 32, warp = thread / 32, across = s->rows / (4 * s->outputs);
    uint32_t x = (lane & 1) | (lane >> 1 & 2), y = (lane >> 1 & 1) | (lane >> 2 & 6);
    *row = warp / across * 8 * s->outputs + y * l->width;
    *column = warp % across * 4 * s->outputs + x * l->width;
}

/* Reads of a slice for step number / parts of it. */
static void read_slice(const struct matmul_shape *s, const struct layout *l, uint32_t first_thread,
                       int buffer, uint32_t number, struct access *a)
{
    uint32_t step = number / l->parts, part = number % l->parts, row, column;
    shared(a, false, 4 * l->width);
    for (uint32_t lane = 0; lane < 32; lane++) {
        place(s, l, first_thread + lane, &row, &column);
        if (buffer == 0)
            touch(a, lane, 4 * ((uint64_t)step * l->pitch + row + part * 8 * l->width));
        else
            touch(a, lane,
                  4 * ((uint64_t)s->slice * l->pitch + step * s->rows + column + part * 4 * l->width));
    }
}

/* Stores of C: the rows of a thread, and in each its parts, whole or word by word. */
static void store(const struct matmul_shape *s, const struct layout *l, uint32_t first_thread,
                  uint32_t number, struct access *a)
{
    uint32_t words = s->aligned ? 1 : l->width, r = number / (l->parts * words);
    uint32_t part = number / words % l->parts, word = number % words, row, column;
    global(a, 2, s->aligned ? 4 * l->width : 4);
    for (uint32_t lane = 0; lane < 32; lane++) {
        place(s, l, first_thread + lane, &row, &column);
        uint64_t i = l->row0 + row + r / l->width * 8 * l->width + r % l->width;
        uint64_t j = l->column0 + column + part * 4 * l->width + word;
        if (i < s->m && j < s->n)
            touch(a, lane, 4 * (i * s->n + j));
    }
}

static bool access_register(const struct matmul_shape *s, uint64_t warp, uint32_t index, struct access *a)
{
    uint32_t warps = s->threads / 32, first = (uint32_t)(warp % warps) * 32, number;
    uint64_t full = s->k / s->slice, tail = s->k % s->slice != 0, rounds = full + tail;
    struct layout l = layout_of(s, warp / warps);
    /* Warps with no piece at all have no instruction for it. */
    uint32_t each = first < l.pieces ? l.each : 0, loads = each * (s->aligned ? 1 : 4);
    uint32_t stores = s->outputs * l.parts * (s->aligned ? 1 : l.width), reads = s->slice * l.parts;
    const struct section sections[] = {{loads, full},   {loads, full},      {loads, tail},
                                       {loads, tail},   {4 * each, rounds}, {each, rounds},
                                       {reads, rounds}, {reads, rounds},    {stores, 1}};
    int section;
    if (!find_section(sections, 9, index, &section, &number))
        return false;
    a->times = sections[section].times;
    if (section < 4)
        fetch(s, &l, first, section % 2, section < 2 ? 0 : full * s->slice, number, a);
    else if (section < 6)
        put(s, &l, first, section - 4, number, a);
    else if (section < 8)
        read_slice(s, &l, first, section - 6, number, a);
    else
        store(s, &l, first, number, a);
    return true;
}

/* A chunk of 16 bytes of a row of A in a stage of a pipeline (chunk_offset in kernels/pipeline.cuh). */
static uint64_t chunk_offset(const struct matmul_shape *s, uint64_t row, uint64_t chunk)
{
    uint64_t bytes = 4 * (uint64_t)s->slice;
    return row * bytes + (chunk ^ row * bytes / 128 % (bytes / 16)) * 16;
}

enum { PARTS = MATMUL_THREAD_COLUMNS / 4, ROWS = MATMUL_THREAD_ROWS, PIECES = ROWS * PARTS };

/* A warp of a pipeline. */
struct pipeline_warp {
    const struct matmul_shape *s;
    struct tile_shares shares;
    uint32_t block, row, column,
        thread; /* of the first outputs, in the tile; the first thread, in the block */
};

/* A piece of 16 bytes of each thread, of a tile of C. */
static void store_piece(const struct pipeline_warp *w, uint32_t tile, uint32_t piece, struct access *a)
{
    const struct matmul_shape *s = w->s;
    uint64_t row0, column0;
    matmul_place(s, tile, s->group, &row0, &column0);
    global(a, 2, 16);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t i = row0 * s->rows + w->row + ((lane >> 1 & 1) | (lane >> 2 & 6)) + piece / PARTS * 8;
        uint64_t j =
            column0 * s->columns + w->column + ((lane & 1) | (lane >> 1 & 2)) * 4 + piece % PARTS * 16;
        if (i < s->m && j < s->n)
            touch(a, lane, 4 * (i * s->n + j));
    }
}

/* The same of part `slot` in scratch memory. */
static void touch_part(const struct pipeline_warp *w, uint32_t slot, uint32_t piece, bool is_store,
                       struct access *a)
{
    global(a, 3, 16);
    a->store = is_store;
    access_evenly(a, 16 * (((uint64_t)slot * PIECES + piece) * w->s->threads + w->thread), 16, 32);
}

/* Bookkeeping of a shared tile by the first thread of a block: its counter, which the last block makes
 * zero. */
static void count_part(const struct pipeline_warp *w, uint32_t tile, bool is_store, struct access *a)
{
    global(a, 4, 8);
    a->store = is_store;
    a->atomic = !is_store;
    access_evenly(a, 8 * (uint64_t)(tile - w->shares.whole), 0, w->thread == 0);
}

/* What is left of a part's sums when they are complete, by number. Which block of a tile is the last is not
 * known; it is the tile's own here, and no counter tells the difference. False past the last; `index` is then
 * what was left of it. */
static bool access_sums(const struct pipeline_warp *w, const struct tile_part *part, uint32_t *index,
                        struct access *a)
{
    const struct tile_shares *shares = &w->shares;
    const bool whole = part->end - part->slice == shares->slices;
    uint32_t parts = 1, first = 0;
    if (!whole && part->slice == 0) {
        first = tile_shares_helper(shares, tile_shares_number(shares, part->tile));
        parts = 2 + tile_shares_helper(shares, tile_shares_number(shares, part->tile + 1) - 1) - first;
    }
    const struct section sections[] = {{PIECES, !whole},
                                       {1, !whole && w->thread == 0},
                                       {parts * PIECES, !whole && part->slice == 0},
                                       {PIECES, part->slice == 0},
                                       {1, !whole && part->slice == 0 && w->thread == 0}};
    int section;
    uint32_t number, rest = tile_shares_rest(shares), tile = part->tile - shares->whole, total = 0;
    if (!find_section(sections, 5, *index, &section, &number)) {
        for (int i = 0; i < 5; i++)
            total += sections[i].times ? sections[i].count : 0;
        *index -= total;
        return false;
    }
    const uint32_t own = part->slice ? tile_shares_slot(shares, part->tile, w->block - rest) : tile;
    const uint32_t other = number / PIECES;
    if (section == 0)
        touch_part(w, own, number, true, a);
    else if (section == 2)
        touch_part(w, other ? tile_shares_slot(shares, part->tile, first + other - 1) : tile, number % PIECES,
                   false, a);
    else if (section == 3)
        store_piece(w, part->tile, number, a);
    else
        count_part(w, part->tile, section == 4, a);
    return true;
}

/* A pipeline's reads of stages, the same ones from every stage, and of the first operands; then what is done
 * with the sums of each part. Asynchronous and bulk copies are no accesses of the load and store units. */
static bool access_pipeline(const struct matmul_shape *s, uint32_t blocks, uint64_t warp, uint32_t index,
                            struct access *a)
{
    const uint32_t warps = s->threads / 32, across = s->columns / (4 * MATMUL_THREAD_COLUMNS);
    const uint32_t in_block = (uint32_t)(warp % warps);
    const struct pipeline_warp w = {.s = s,
                                    .shares = matmul_shares(s, blocks),
                                    .block = (uint32_t)(warp / warps),
                                    .row = in_block / across * 8 * ROWS,
                                    .column = in_block % across * 4 * MATMUL_THREAD_COLUMNS,
                                    .thread = in_block * 32};
    const struct tile_part last = tile_shares_last(&w.shares, w.block);
    struct tile_part part = tile_shares_first(&w.shares, w.block, &last);
    if (part.slice == part.end)
        return false;
    const uint64_t slices =
        (uint64_t)w.shares.whole / blocks * w.shares.slices + last.end - last.slice + last.left;
    const struct section sections[] = {
        {s->slice / 4 * ROWS, slices}, {s->slice * PARTS, slices}, {ROWS, 1}, {PARTS, 1}};
    int section;
    uint32_t number;
    if (!find_section(sections, 4, index, &section, &number)) {
        index -= s->slice / 4 * ROWS + s->slice * PARTS + ROWS + PARTS;
        for (; part.slice != part.end; part = tile_shares_next(&w.shares, part, &last))
            if (access_sums(&w, &part, &index, a))
                return true;
        return false;
    }
    a->times = sections[section].times;
    shared(a, false, 16);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t row = w.row + ((lane >> 1 & 1) | (lane >> 2 & 6));
        uint32_t column = w.column + ((lane & 1) | (lane >> 1 & 2)) * 4;
        if (section == 0 || section == 2)
            touch(a, lane, chunk_offset(s, row + number % ROWS * 8, number / ROWS));
        else
            touch(a, lane,
                  4 * ((uint64_t)s->slice * s->rows + (uint64_t)(number / PARTS) * s->columns + column +
                       number % PARTS * 16));
    }
    return true;
}

bool matmul_access(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out)
{
    struct matmul_shape s = matmul_shape_of(point);
    *out = (struct access){.times = 1};
    if (setup->engine != ENGINE_KERNEL || warp >= (uint64_t)setup->grid[0] * (s.threads / 32))
        return false;
    switch (s.variant) {
    case MATMUL_CP_ASYNC:
    case MATMUL_TMA:
        return access_pipeline(&s, setup->grid[0], warp, index, out);
    case MATMUL_NAIVE:
        return access_naive(&s, warp, index, out);
    case MATMUL_TILED:
        return access_tiled(&s, warp, index, out);
    default:
        return access_register(&s, warp, index, out);
    }
}
