/* matmul - C = A B in f32, with cuBLAS and cuBLASLt (without TF32) as baselines. Device code: matmul.cu;
 * reference and tolerance: matmul_reference.c; access pattern: access.c. */
#include "kernels/matmul/matmul.h"

#include <stdio.h>

#include "family/rules.h"

extern const char matmul_source[], matmul_claims[];

static const char *const variants[] = {"naive", "tiled",  "register", "cp_async",
                                       "tma",   "cublas", "cublaslt", NULL};

static const char *const tile_shapes[] = {"128x128", "256x128", "128x256", "128x64", NULL}; /* shape.c */

/* Of each side: the bytes of all three matrices then fit 64 bits, and indices along a side fit int. */
#define SIDE_MAX (INT64_C(1) << 29)

static const struct axis axes[MATMUL_AXES] = {
    [MATMUL_VARIANT] = AXIS_VARIANT(variants, "register"),
    [MATMUL_M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, SIDE_MAX, false),
    [MATMUL_N] = AXIS_NUMBER("n", "elements", "columns of B and C", "1024", 1, SIDE_MAX, false),
    [MATMUL_K] = AXIS_NUMBER("k", "elements", "columns of A, rows of B", "1024", 1, SIDE_MAX, false),
    [MATMUL_TILE] = AXIS_NUMBER("tile", "elements", "tiled: side of the square tile that a block works on",
                                "32", 8, 128, true),
    [MATMUL_BLOCK_TILE] =
        AXIS_NUMBER("block_tile", "elements", "register: side of the square of C that a block makes", "128",
                    64, 128, true),
    [MATMUL_OUTPUTS] = AXIS_NUMBER("outputs", "elements",
                                   "register: side of the square of C that a thread makes", "8", 2, 8, true),
    [MATMUL_SLICE] =
        AXIS_NUMBER("slice", "elements",
                    "register, cp_async, tma: columns of A and rows of B staged at a time", "8", 8, 32, true),
    [MATMUL_TILE_SHAPE] =
        AXIS_WORDS("tile_shape", "cp_async, tma: rows x columns of C that a block computes at a time",
                   "128x128", tile_shapes, true),
    [MATMUL_STAGES] =
        AXIS_NUMBER("stages", "stages", "cp_async, tma: slices of A and B in shared memory", "4", 3, 8, true),
    [MATMUL_GROUP] = AXIS_NUMBER("group", "tiles",
                                 "cp_async, tma: rows of tiles that are taken together, column by column",
                                 "8", 1, 1 << 20, false),
    [MATMUL_SPLIT] = AXIS_NUMBER("split", "blocks",
                                 "cp_async, tma: blocks that share the sum of each tile (split-K); 0: as "
                                 "many blocks as run at once, which share the tiles of a last wave that is "
                                 "not full",
                                 "1", 0, 64, false),
    [MATMUL_LT_ALGORITHM] = AXIS_LT_ALGORITHM(GEMM_LT_ALGORITHMS - 1),
    [MATMUL_CARVEOUT] = AXIS_CARVEOUT("default"),
    [MATMUL_CACHE] = AXIS_CACHE,
    [MATMUL_ARCH] = AXIS_ARCHITECTURE,
    [MATMUL_TILE_SHAPE].late = true,
    [MATMUL_STAGES].late = true,
    [MATMUL_GROUP].late = true,
    [MATMUL_SPLIT].late = true,
};

/* ---- unsupported points ---- */

static const char *skip_tiled(const struct point *point, char *reason, size_t size)
{
    int tile = (int)point->value[MATMUL_TILE];
    if (tile == 8 || tile == 16 || tile == 32)
        return NULL;
    snprintf(reason, size, "a tile of %d elements is none of 8, 16 and 32", tile);
    return reason;
}

static const char *skip_register(const struct point *point, char *reason, size_t size)
{
    int block_tile = (int)point->value[MATMUL_BLOCK_TILE], outputs = (int)point->value[MATMUL_OUTPUTS];
    int slice = (int)point->value[MATMUL_SLICE];
    if (block_tile != 64 && block_tile != 128)
        snprintf(reason, size, "a block tile of %d elements is neither 64 nor 128", block_tile);
    else if (outputs != 2 && outputs != 4 && outputs != 8)
        snprintf(reason, size, "%d outputs are none of 2, 4 and 8", outputs);
    else if (slice != 8 && slice != 16)
        snprintf(reason, size, "a slice of %d elements is neither 8 nor 16", slice);
    else if (block_tile / outputs > 32)
        snprintf(reason, size, "%d x %d threads make a block tile of %d by %d x %d outputs; a block has 1024",
                 block_tile / outputs, block_tile / outputs, block_tile, outputs, outputs);
    else
        return NULL;
    return reason;
}

/* Dynamic shared memory of a pipeline's block: stages, and for tma two barriers for each. */
static uint32_t shared_of(const struct matmul_shape *s)
{
    return s->stages * (matmul_stage_bytes(s) + (s->variant == MATMUL_TMA ? 16 : 0));
}

static const char *skip_pipeline(const struct point *point, const struct target *target, char *reason,
                                 size_t size)
{
    const struct matmul_shape s = matmul_shape_of(point);
    const char *name = variants[s.variant];
    if (!s.aligned)
        snprintf(reason, size, "%s copies 16 bytes of a row at a time: n and k are multiples of 4", name);
    else if (s.slice != 8 && s.slice != 16 && s.slice != 32)
        snprintf(reason, size, "a slice of %d elements is none of 8, 16 and 32", (int)s.slice);
    else if (target->shared_bytes && shared_of(&s) > target->shared_bytes)
        snprintf(reason, size, "%d bytes of shared memory are more than the %d of a block",
                 (int)shared_of(&s), (int)target->shared_bytes);
    else
        return rules_capability(name, s.variant == MATMUL_TMA ? 90 : 80, point, target, reason, size);
    return reason;
}

/* Axes that another variant is about must be left alone: a point that varies them would measure nothing new.
 */
static const char *skip_unused(const struct point *point, char *reason, size_t size)
{
    enum { PIPELINES = 1 << MATMUL_CP_ASYNC | 1 << MATMUL_TMA, REGISTER = 1 << MATMUL_REGISTER };
    static const struct {
        int axis, users;
        const char *names;
    } uses[] = {{MATMUL_TILE, 1 << MATMUL_TILED, "only tiled has"},
                {MATMUL_BLOCK_TILE, REGISTER, "only register has"},
                {MATMUL_OUTPUTS, REGISTER, "only register has"},
                {MATMUL_SLICE, REGISTER | PIPELINES, "only register, cp_async and tma have"},
                {MATMUL_TILE_SHAPE, PIPELINES, "only cp_async and tma have"},
                {MATMUL_STAGES, PIPELINES, "only cp_async and tma have"},
                {MATMUL_GROUP, PIPELINES, "only cp_async and tma have"},
                {MATMUL_SPLIT, PIPELINES, "only cp_async and tma have"},
                {MATMUL_LT_ALGORITHM, 1 << MATMUL_CUBLASLT, "only cublaslt has"}};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].users >> point->value[MATMUL_VARIANT] & 1 ||
            point->value[uses[i].axis] == standard.value[uses[i].axis])
            continue;
        snprintf(reason, size, "%s %s to choose", uses[i].names, point->space->axes[uses[i].axis].name);
        return reason;
    }
    if (point->value[MATMUL_VARIANT] < MATMUL_CUBLAS ||
        (point->value[MATMUL_ARCH] == ARCH_NATIVE && !point->value[MATMUL_CARVEOUT]))
        return NULL;
    snprintf(reason, size, "%s is the vendor's multiplication: it has no arch or carveout to choose",
             variants[point->value[MATMUL_VARIANT]]);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    struct matmul_shape s = matmul_shape_of(point);
    const char *why = skip_unused(point, reason, size);
    if (!why && s.variant == MATMUL_TILED)
        why = skip_tiled(point, reason, size);
    if (!why && s.variant == MATMUL_REGISTER)
        why = skip_register(point, reason, size);
    if (!why && s.pipeline)
        why = skip_pipeline(point, target, reason, size);
    if (why)
        return why;
    uint64_t parts = s.pipeline && point->value[MATMUL_SPLIT] ? (uint64_t)point->value[MATMUL_SPLIT] : 1;
    return rules_grid(s.down * s.across * parts, reason, size);
}

/* ---- launch and arithmetic ---- */

/* Registers suffice for so many threads of a pipeline on a multiprocessor (kernels/pipeline.cuh). */
enum { PIPELINE_THREADS = 256 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A slice of A comes in a box whose rows the hardware swizzles, as many bytes as they have. */
static void setup_tensors(struct setup *s, const struct matmul_shape *shape)
{
    enum tensor_swizzle swizzle = shape->slice == 16 ? SWIZZLE_64B : SWIZZLE_128B;
    if (shape->slice == 8)
        swizzle = SWIZZLE_32B;
    s->tensor[0] = (struct tensor){.buffer = 0,
                                   .rows = shape->m,
                                   .columns = shape->k,
                                   .box_rows = shape->rows,
                                   .box_columns = shape->slice,
                                   .swizzle = swizzle};
    s->tensor[1] = (struct tensor){.buffer = 1,
                                   .rows = shape->k,
                                   .columns = shape->n,
                                   .box_rows = shape->slice,
                                   .box_columns = shape->columns,
                                   .swizzle = SWIZZLE_NONE};
    s->argument[0].kind = s->argument[1].kind = ARGUMENT_TENSOR;
}

/* Blocks that share tiles (kernels/tile_shares.cuh): `split` for each, or as many as run at once. Each part
 * of a shared tile has room for its sums, and each such tile a counter of 64 bits. */
static void setup_shared_tiles(struct setup *s, const struct matmul_shape *shape, uint64_t split,
                               const struct target *target)
{
    const uint64_t tiles = shape->down * shape->across, slices = (shape->k + shape->slice - 1) / shape->slice;
    const uint64_t resident =
        rules_multiprocessors(target) *
        rules_blocks_of_threads(target, shape->threads, s->shared_dynamic, PIPELINE_THREADS);
    s->entry = "matmul_shared";
    s->grid[0] = (uint32_t)(split ? tiles * least(split, slices) : least(resident, tiles * slices));
    const struct tile_shares shares = matmul_shares(shape, s->grid[0]);
    const uint64_t slots = tile_shares_slots(&shares), rest = tile_shares_rest(&shares);
    s->buffer[3] = (struct buffer){.name = "parts",
                                   .role = BUFFER_SCRATCH,
                                   .dtype = DTYPE_F32,
                                   .count = (slots ? slots : 1) * shape->rows * shape->columns};
    s->buffer[4] = (struct buffer){
        .name = "counters", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 2 * (rest ? rest : 1)};
    s->buffers = 5;
    s->argument[s->arguments++] = (struct argument){ARGUMENT_BUFFER, 3};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_BUFFER, 4};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shares.whole};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shares.cut};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shares.helpers};
}

static void setup_pipeline(struct setup *s, const struct matmul_shape *shape, const struct point *point,
                           const struct target *target)
{
    s->shared_dynamic = shared_of(shape);
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shape->down};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shape->across};
    s->argument[s->arguments++] = (struct argument){ARGUMENT_U32, shape->group};
    if (shape->variant == MATMUL_TMA)
        setup_tensors(s, shape);
    if (point->value[MATMUL_SPLIT] != 1)
        setup_shared_tiles(s, shape, (uint64_t)point->value[MATMUL_SPLIT], target);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    struct matmul_shape shape = matmul_shape_of(point);
    bool aligned = shape.variant == MATMUL_REGISTER && shape.aligned;
    const enum engine engine = shape.variant == MATMUL_CUBLASLT ? ENGINE_GEMM_LT : ENGINE_KERNEL;
    struct setup s = {
        .engine = shape.variant == MATMUL_CUBLAS ? ENGINE_GEMM : engine,
        .entry = aligned ? "matmul_aligned" : "matmul",
        .buffer = {buffer_input("a", DTYPE_F32, shape.m * shape.k, random),
                   buffer_input("b", DTYPE_F32, shape.k * shape.n, random),
                   buffer_output("c", DTYPE_F32, shape.m * shape.n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, shape.m},
                     {ARGUMENT_U32, shape.n},
                     {ARGUMENT_U32, shape.k}},
        .arguments = 6,
        .grid = {(uint32_t)(shape.down * shape.across), 1, 1},
        .block = {shape.threads, 1, 1},
        .carveout = rules_carveout(point->value[MATMUL_CARVEOUT]),
        .shape = {shape.m, shape.n, shape.k, GEMM_LT_ALGORITHM(point->value[MATMUL_LT_ALGORITHM])},
    };
    if (shape.pipeline)
        setup_pipeline(&s, &shape, point, target);
    return s;
}

/* Each matrix once; a multiplication and an addition for each of m n k. */
static struct work work(const struct point *point)
{
    struct matmul_shape s = matmul_shape_of(point);
    return (struct work){.bytes_read = 4 * (s.m * s.k + s.k * s.n),
                         .bytes_written = 4 * s.m * s.n,
                         .flops = 2 * s.m * s.n * s.k};
}

static struct product_shape product(const struct point *point)
{
    struct matmul_shape s = matmul_shape_of(point);
    return (struct product_shape){s.m, s.n, s.k};
}

const struct family family_matmul = {
    .space = {.kernel = "matmul", .axes = axes, .count = MATMUL_AXES},
    .summary = "multiply f32 matrices: data reuse in shared memory and registers, and the vendor's libraries",
    .materialise = true,
    .data_axes = FAMILY_AXIS(MATMUL_M) | FAMILY_AXIS(MATMUL_N) | FAMILY_AXIS(MATMUL_K),
    .source = matmul_source,
    .claims = matmul_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = matmul_tolerance,
    .reference = matmul_reference,
    .product = product,
    .operand = matmul_operand,
    .access = matmul_access,
};
