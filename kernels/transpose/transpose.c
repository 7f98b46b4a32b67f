/* transpose - out[c][r] = in[r][c] for a rows x cols matrix, with cuBLAS's geam as a baseline. Device code:
 * transpose.cu. */
#include "family/rules.h"

#include <stdio.h>

extern const char transpose_source[], transpose_claims[];

static const char *const variants[] = {"naive",      "shared", "padded", "swizzled",
                                       "vectorized", "tma",    "cublas", NULL};
enum variant { NAIVE, SHARED, PADDED, SWIZZLED, VECTORIZED, TMA, CUBLAS };
static const char *const layouts[] = {"padded", "swizzled", NULL};
enum layout { LAYOUT_PADDED, LAYOUT_SWIZZLED };

static const char *const stores[] = {"coalesced", "scattered", NULL};
enum store { COALESCED, SCATTERED };

/* Of each side: the bytes of both matrices then fit 64 bits. */
#define SIDE_MAX (INT64_C(1) << 29)

enum {
    VARIANT,
    ROWS,
    COLUMNS,
    DTYPE,
    VECTOR,
    TILE,
    LAYOUT,
    STORE,
    STAGES,
    GROUP,
    CARVEOUT,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "padded"),
    [ROWS] = AXIS_NUMBER("rows", "elements", "rows of the input", "4096", 1, SIDE_MAX, false),
    [COLUMNS] = AXIS_NUMBER("columns", "elements", "columns of the input", "4096", 1, SIDE_MAX, false),
    [DTYPE] = AXIS_DTYPE("f32"),
    [VECTOR] = AXIS_NUMBER("vector", "elements",
                           "vectorized: elements per access to global memory, 16 or 32 bytes; 0: 16 bytes",
                           "0", 0, 32, true),
    [TILE] =
        AXIS_NUMBER("tile", "elements", "side of the square tile that a block works on", "32", 8, 128, true),
    [LAYOUT] = AXIS_WORDS("layout", "vectorized: how 16-byte chunks avoid each other's banks", "swizzled",
                          layouts, true),
    [STORE] = AXIS_WORDS("store", "shared, padded, swizzled: to neighbours, or a whole output row apart",
                         "coalesced", stores, true),
    [STAGES] = AXIS_NUMBER("stages", "stages", "tma: tiles of a block under way at once", "4", 2, 8, true),
    [GROUP] = AXIS_NUMBER("group", "tiles", "tile rows that are walked together, column by column", "8", 1,
                          1 << 20, false),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Shape of a point, for setup, work and access. The device code uses the same names. */
struct shape {
    uint64_t rows, cols, size; /* elements, elements, bytes of an element */
    uint32_t tile, down, across, group;
    uint32_t v, chunks, threads, each; /* squares of v x v elements; `each` of them a thread */
    uint32_t wide, row_accesses; /* chunks of an access to global memory; such accesses of a tile's row */
    uint32_t stage_bytes;
};

static uint64_t tiles_of(const struct point *point)
{
    uint64_t tile = (uint64_t)point->value[TILE];
    return (((uint64_t)point->value[ROWS] + tile - 1) / tile) *
           (((uint64_t)point->value[COLUMNS] + tile - 1) / tile);
}

static bool is_square_wise(const struct point *point)
{
    return point->value[VARIANT] == VECTORIZED || point->value[VARIANT] == TMA;
}

static struct shape shape_of(const struct point *point)
{
    struct shape s = {.rows = (uint64_t)point->value[ROWS],
                      .cols = (uint64_t)point->value[COLUMNS],
                      .size = dtype_size((enum dtype)point->value[DTYPE]),
                      .tile = (uint32_t)point->value[TILE]};
    s.down = (uint32_t)((s.rows + s.tile - 1) / s.tile);
    s.across = (uint32_t)((s.cols + s.tile - 1) / s.tile);
    s.group = point->value[GROUP] < s.down ? (uint32_t)point->value[GROUP] : s.down;
    s.v = 16 / (uint32_t)s.size;
    s.chunks = s.tile / s.v;
    s.wide = point->value[VECTOR] > s.v ? 2 : 1;
    s.row_accesses = s.chunks / s.wide;
    uint32_t squares = s.chunks * s.chunks, pieces = squares / s.wide;
    s.threads = is_square_wise(point) && pieces < 256 ? pieces : 256;
    s.each = squares / s.threads;
    s.stage_bytes = s.tile * s.tile * (uint32_t)s.size;
    return s;
}

/* ---- unsupported points ---- */

static const char *skip_cublas(const struct point *point)
{
    static const int choices[] = {VECTOR, TILE, LAYOUT, STORE, STAGES, GROUP, CARVEOUT, ARCH};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (point->value[choices[i]] != standard.value[choices[i]])
            return "cublas is the vendor's transposition: it has no vector, tile, layout, store, stages, "
                   "group, "
                   "carveout or arch to choose";
    if (point->value[DTYPE] != DTYPE_F32 && point->value[DTYPE] != DTYPE_F64)
        return "cuBLAS's geam has f32 and f64 only";
    return NULL;
}

/* Accesses of 16 or 32 bytes. */
static const char *skip_vector(const struct point *point, char *reason, size_t size)
{
    int64_t bytes = point->value[VECTOR] * (int64_t)dtype_size((enum dtype)point->value[DTYPE]);
    if (bytes && point->value[VARIANT] != VECTORIZED)
        snprintf(reason, size, "only vectorized has a vector to choose");
    else if (bytes && bytes != 16 && bytes != 32)
        snprintf(reason, size, "an access of %d %s elements is none of 16 or 32 bytes",
                 (int)point->value[VECTOR], dtype_words[point->value[DTYPE]]);
    else
        return NULL;
    return reason;
}

/* Wide accesses need whole chunks, on both sides, and as many of them in a tile's row as eight lanes
 * access. */
static const char *skip_square_wise(const struct point *point, char *reason, size_t size)
{
    struct shape s = shape_of(point);
    int bytes = 16 * (int)s.wide, row = (int)(s.tile * s.size), v = (int)(s.v * s.wide);
    const char *variant = variants[point->value[VARIANT]], *dtype = dtype_words[point->value[DTYPE]];
    if (row < 8 * bytes)
        snprintf(reason, size, "%s%s needs tile rows of at least %d bytes; %d %s elements are %d bytes",
                 variant, s.wide > 1 ? " by 32 bytes" : "", 8 * bytes, (int)s.tile, dtype, row);
    else if (s.rows % (uint64_t)v || s.cols % (uint64_t)v)
        snprintf(reason, size, "%s needs rows and columns that are multiples of %d %s elements, %d bytes",
                 variant, v, dtype, bytes);
    else
        return NULL;
    return reason;
}

static uint32_t tma_shared(const struct point *point)
{
    return (uint32_t)point->value[STAGES] * (shape_of(point).stage_bytes + 8);
}

static const char *skip_tma(const struct point *point, const struct target *target, char *reason, size_t size)
{
    uint64_t most = target->shared_bytes ? target->shared_bytes : 227 << 10; /* the most any device has */
    if (target->host)
        return "tma is about the GPU's bulk tensor copies, which the host has not";
    if (rules_capability("tma", 90, point, target, reason, size))
        return reason;
    if (tma_shared(point) <= most)
        return NULL;
    snprintf(reason, size, "%d stages need %u bytes of shared memory; a block has %llu",
             (int)point->value[STAGES], tma_shared(point), (unsigned long long)most);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int64_t tile = point->value[TILE], bytes = (int64_t)dtype_size((enum dtype)point->value[DTYPE]);
    int64_t variant = point->value[VARIANT];
    if (variant == CUBLAS)
        return skip_cublas(point);
    if (tile < 16 || (tile & (tile - 1)))
        snprintf(reason, size, "a tile of %d elements is none of 16, 32, 64 and 128", (int)tile);
    else if (tile * tile * bytes > 32 << 10)
        snprintf(reason, size, "a tile of %d x %d %s elements is larger than 32 KiB", (int)tile, (int)tile,
                 dtype_words[point->value[DTYPE]]);
    else if (variant != VECTORIZED && point->value[LAYOUT] != LAYOUT_SWIZZLED)
        return "only vectorized has a layout to choose";
    else if (variant != SHARED && variant != PADDED && variant != SWIZZLED &&
             point->value[STORE] != COALESCED)
        return "only shared, padded and swizzled have a store to choose";
    else if (variant != TMA && point->value[STAGES] != space_standard(point->space, STAGES))
        return "only tma has stages to choose";
    else if (skip_vector(point, reason, size) ||
             rules_grid(tiles_of(point), reason, size) || /* a block a tile */
             (is_square_wise(point) && skip_square_wise(point, reason, size)))
        return reason;
    else
        return variant == TMA ? skip_tma(point, target, reason, size) : NULL;
    return reason;
}

/* ---- launch and arithmetic ---- */

static void setup_tma(struct setup *s, const struct point *point, const struct target *target)
{
    struct shape shape = shape_of(point);
    uint64_t tiles = tiles_of(point),
             resident = rules_blocks_resident(target, shape.threads, tma_shared(point));
    uint32_t box = 128 / (uint32_t)shape.size;
    struct tensor view = {.buffer = 0,
                          .rows = shape.rows,
                          .columns = shape.cols,
                          .box_rows = shape.tile,
                          .box_columns = box,
                          .swizzle = SWIZZLE_128B};
    s->tensor[0] = s->tensor[1] = view;
    s->tensor[1].buffer = 1;
    s->tensor[1].rows = shape.cols;
    s->tensor[1].columns = shape.rows;
    const struct argument arguments[] = {{ARGUMENT_TENSOR, 0},         {ARGUMENT_TENSOR, 1},
                                         {ARGUMENT_U32, tiles},        {ARGUMENT_U32, shape.down},
                                         {ARGUMENT_U32, shape.across}, {ARGUMENT_U32, shape.group}};
    memcpy(s->argument, arguments, sizeof arguments);
    s->arguments = sizeof arguments / sizeof *arguments;
    s->grid[0] = (uint32_t)(tiles < resident ? tiles : resident);
    s->shared_dynamic = tma_shared(point);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    struct shape shape = shape_of(point);
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t count = shape.rows * shape.cols;
    struct setup s = {
        .engine = point->value[VARIANT] == CUBLAS ? ENGINE_GEAM : ENGINE_KERNEL,
        .entry = "transpose",
        .buffer = {buffer_input("in", dtype, count, random), buffer_output("out", dtype, count)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U32, shape.rows},
                     {ARGUMENT_U32, shape.cols},
                     {ARGUMENT_U32, shape.down},
                     {ARGUMENT_U32, shape.across},
                     {ARGUMENT_U32, shape.group}},
        .arguments = 7,
        .grid = {(uint32_t)tiles_of(point), 1, 1},
        .block = {shape.threads, 1, 1},
        .carveout = rules_carveout(point->value[CARVEOUT]),
        .shape = {shape.rows, shape.cols},
    };
    if (point->value[VARIANT] == TMA)
        setup_tma(&s, point, target);
    return s;
}

static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[ROWS] * (uint64_t)point->value[COLUMNS] *
                     dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = bytes, .bytes_written = bytes};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t rows = (uint64_t)point->value[ROWS], cols = (uint64_t)point->value[COLUMNS];
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]);
    uint64_t column = first / rows, row = first % rows; /* of the input */
    for (uint64_t i = 0; i < count; i++) {
        inputs_load(inputs, 0, row * cols + column, (char *)out + i * size);
        if (++row == rows) {
            row = 0;
            column++;
        }
    }
}

/* ---- access pattern ---- */

/* First row and column of tile number `tile`, as place_of in the device code. */
static void place(const struct shape *s, uint64_t tile, uint64_t *row, uint64_t *column)
{
    uint64_t band = tile / ((uint64_t)s->group * s->across), within = tile % ((uint64_t)s->group * s->across);
    uint64_t first = band * s->group, height = s->down - first < s->group ? s->down - first : s->group;
    *row = (first + within % height) * s->tile;
    *column = within / height * s->tile;
}

/* Add the lane's access when it lies within the matrix. */
static void touch(struct access *a, uint32_t lane, uint64_t row, uint64_t column, uint64_t rows,
                  uint64_t cols, uint64_t size)
{
    if (row >= rows || column >= cols)
        return;
    a->active |= 1u << lane;
    a->address[lane] = (row * cols + column) * size;
}

static uint64_t shared_index(const struct point *point, const struct shape *s, uint64_t y, uint64_t x)
{
    uint64_t pad = s->size < 4 ? 4 / s->size : 1;
    switch (point->value[VARIANT]) {
    case PADDED:
        return y * (s->tile + pad) + x;
    case SWIZZLED:
        return y * s->tile + (x ^ y);
    default:
        return y * s->tile + x;
    }
}

/* Is load `item` of `items` from shared memory under the guard of the store of what it loads? The source
 * guards none: past the edge they read what is never stored. But the assembler moves the first into its
 * store's branch, and where stores are scattered the last too: so machine code for sm_90 has it, and that for
 * sm_100 and sm_120 where it was looked at, by CUDA 13.0. Not so, and left out here: single bytes of shared
 * and padded, and code for sm_80, guard the second too; that of `vectorized` by 16 bytes for sm_100 guards
 * the last too. */
static bool guards_load(uint32_t item, uint32_t items, bool scattered)
{
    return item == 0 || (scattered && item == items - 1);
}

/* naive, shared, padded, swizzled: `items` loads; stores to and loads from shared memory; stores. */
static bool access_elements(const struct point *point, const struct shape *s, uint64_t warp, uint32_t index,
                            struct access *a)
{
    uint32_t step = 256 / s->tile, items = s->tile / step, phase = index / items, item = index % items;
    uint64_t row, column;
    bool naive = point->value[VARIANT] == NAIVE, scattered = naive || point->value[STORE] == SCATTERED;
    if (phase >= (naive ? 2 : 4))
        return false;
    place(s, warp / 8, &row, &column);
    a->width = (uint32_t)s->size;
    a->space = naive || phase == 0 || phase == 3 ? ACCESS_GLOBAL : ACCESS_SHARED;
    a->store = phase == 3 || phase == 1;
    a->buffer = a->space == ACCESS_GLOBAL && a->store;
    bool guarded = phase == 2 && guards_load(item, items, scattered);
    uint32_t shift = (uint32_t)__builtin_ctz(s->tile); /* a power of two */
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = (uint32_t)(warp % 8) * 32 + lane;
        uint64_t x = thread & (s->tile - 1), y = (thread >> shift) + item * step;
        uint64_t out_row = column + (scattered ? x : y), out_column = row + (scattered ? y : x);
        if (phase == 0) {
            touch(a, lane, row + y, column + x, s->rows, s->cols, s->size);
        } else if (a->space == ACCESS_GLOBAL) {
            touch(a, lane, out_row, out_column, s->cols, s->rows, s->size);
        } else if (!guarded || (out_row < s->cols && out_column < s->rows)) {
            a->active |= 1u << lane;
            bool along = phase == 1 && !scattered; /* a row of the tile; else a column */
            a->address[lane] =
                (along ? shared_index(point, s, y, x) : shared_index(point, s, x, y)) * s->size;
        }
    }
    return true;
}

/* Byte offset of a 16-byte chunk of the tile in shared memory, as chunk_of and chunk_offset have it. */
static uint64_t chunk_at(const struct point *point, const struct shape *s, uint64_t row, uint64_t chunk)
{
    uint64_t place = chunk / s->wide + chunk % s->wide * s->row_accesses, band = row / (s->v * s->wide);
    if (point->value[VARIANT] == TMA)
        return chunk / 8 * 128 * s->tile + row * 128 + ((chunk ^ row) & 7) * 16;
    if (point->value[LAYOUT] == LAYOUT_PADDED)
        return (row * s->chunks + band + place) * 16;
    return (row * s->chunks + (place ^ band)) * 16;
}

/* vectorized: rows of squares are loaded and go to shared memory by chunks, from where output rows come and
 * are stored. */
enum vectorized_phase { LOAD_ROWS, PUT_CHUNKS, GET_CHUNKS, STORE_ROWS };
struct vectorized_step {
    enum vectorized_phase phase;
    uint32_t access; /* of the thread's accesses to global memory on this side, the one that it belongs to */
    uint32_t part;   /* of that access, where chunks go one by one */
};
static bool vectorized_step(const struct shape *s, uint32_t index, struct vectorized_step *out)
{
    uint32_t chunks = s->each * s->v, accesses = chunks / s->wide;
    if (index < accesses) {
        *out = (struct vectorized_step){LOAD_ROWS, index, 0};
    } else if ((index -= accesses) < chunks) { /* square by square */
        uint32_t square = index / s->v;
        *out = (struct vectorized_step){PUT_CHUNKS, square / s->wide * s->v + index % s->v, square % s->wide};
    } else if ((index -= chunks) < chunks) {
        *out = (struct vectorized_step){GET_CHUNKS, index / s->wide, index % s->wide};
    } else if ((index -= chunks) < accesses) {
        *out = (struct vectorized_step){STORE_ROWS, index, 0};
    } else {
        return false;
    }
    return true;
}

static bool access_vectorized(const struct point *point, const struct shape *s, uint64_t warp, uint32_t index,
                              struct access *a)
{
    uint32_t warps = s->threads / 32;
    uint64_t row, column;
    struct vectorized_step step;
    if (!vectorized_step(s, index, &step))
        return false;
    bool input = step.phase <= PUT_CHUNKS, global = step.phase == LOAD_ROWS || step.phase == STORE_ROWS;
    place(s, warp / warps, &row, &column);
    a->width = global ? 16 * s->wide : 16;
    a->space = global ? ACCESS_GLOBAL : ACCESS_SHARED;
    a->store = step.phase == PUT_CHUNKS || step.phase == STORE_ROWS;
    a->buffer = step.phase == STORE_ROWS;
    bool guarded = step.phase == GET_CHUNKS && guards_load(step.access, s->each * s->v / s->wide, false);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = (uint32_t)(warp % warps) * 32 + lane;
        /* Its v x v squares beside each other in the input, or its piece of an output row. */
        uint32_t piece = thread + (input ? step.access / s->v : step.access) * s->threads;
        uint64_t down = piece / s->row_accesses, chunk = piece % s->row_accesses * s->wide;
        uint64_t out_row = column + down, out_column = row + chunk * s->v;
        if (step.phase == LOAD_ROWS) {
            touch(a, lane, row + down * s->v + step.access % s->v, column + chunk * s->v, s->rows, s->cols,
                  s->size);
        } else if (step.phase == STORE_ROWS) {
            touch(a, lane, out_row, out_column, s->cols, s->rows, s->size);
        } else if (!guarded || (out_row < s->cols && out_column < s->rows)) {
            a->active |= 1u << lane;
            a->address[lane] = input
                                   ? chunk_at(point, s, (chunk + step.part) * s->v + step.access % s->v, down)
                                   : chunk_at(point, s, down, chunk + step.part);
        }
    }
    return true;
}

/* tma: what the threads do, in place, for each tile of their block. Bulk copies are no instructions of lanes;
 * they do not pass through the units that count sectors and requests of loads and stores. */
static bool access_tma(const struct point *point, const struct shape *s, const struct setup *launch,
                       uint64_t warp, uint32_t index, struct access *a)
{
    uint32_t warps = s->threads / 32, phase = index / (s->each * s->v), item = index % (s->each * s->v);
    uint32_t boxes = s->chunks / 8;
    uint64_t block = warp / warps, tiles = tiles_of(point);
    if (phase > 1)
        return false;
    a->space = ACCESS_SHARED;
    a->store = phase == 1;
    a->width = 16;
    a->active = UINT32_MAX;
    a->times = (tiles - block + launch->grid[0] - 1) / launch->grid[0];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t number = (uint32_t)(warp % warps) * 32 + lane + item / s->v * s->threads, i = item % s->v;
        uint64_t across = number / 64 % boxes * 8 + number % 8;
        uint64_t down = number / 64 / boxes * 8 + ((number ^ number / 8) & 7);
        a->address[lane] = phase == 0 ? chunk_at(point, s, down * s->v + i, across)
                                      : chunk_at(point, s, across * s->v + i, down);
    }
    return true;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct shape shape = shape_of(point);
    *out = (struct access){.times = 1};
    if (s->engine != ENGINE_KERNEL || warp >= (uint64_t)s->grid[0] * (shape.threads / 32))
        return false;
    if (point->value[VARIANT] == VECTORIZED)
        return access_vectorized(point, &shape, warp, index, out);
    if (point->value[VARIANT] == TMA)
        return access_tma(point, &shape, s, warp, index, out);
    return access_elements(point, &shape, warp, index, out);
}

const struct family family_transpose = {
    .space = {.kernel = "transpose", .axes = axes, .count = AXES},
    .summary = "transpose a matrix: bank conflicts, padding, swizzling, wide accesses, bulk tensor copies",
    .data_axes = FAMILY_AXIS(ROWS) | FAMILY_AXIS(COLUMNS) | FAMILY_AXIS(DTYPE),
    .source = transpose_source,
    .claims = transpose_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* also of geam, which multiplies by one and adds zero times zero */
    .reference = reference,
    .access = access_of,
};
