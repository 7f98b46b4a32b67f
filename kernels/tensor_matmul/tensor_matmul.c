/* tensor_matmul - C = A B' on tensor cores, with cuBLASLt as the baseline. Device code: tensor_matmul.cu;
 * reference and tolerance: reference.c.
 *
 * A is m x k and B is n x k, of one type; C is m x n; all are row-major. Both operands lie along the sum, as
 * the instructions read them. A sparse A is stored as m x k/2 elements, and metadata that say where they are
 * (reference.c). */
#include "kernels/tensor_matmul/tensor_matmul.h"

#include <math.h>
#include <stdio.h>

#include "family/rules.h"

extern const char tensor_matmul_source[], tensor_matmul_claims[];

static const char *const variants[] = {"mma", "wgmma", "tcgen05", "cublaslt", NULL};

static const char *const tile_shapes[] = {"128x128", "128x256", NULL};

static const char *const types_of_c[] = {"default", "f32", NULL}; /* enum tensor_matmul_type_of_c */

static const char *const switches[] = {"off", "on", NULL};

static const char *const copies[] = {"cp_async", "tma", NULL};
static const char *const scales[] = {"none", "e8m0", "e4m3", NULL}; /* enum tensor_matmul_scale */

static const char *const contents[] = {"random", "whole", "ones", "zeros", NULL};

/* As in the device code: rows of a tile; threads of a block, and rows of a warp's box of results, of which
 * those of all warps are as many as the tile has. tcgen05 has four barriers for its tiles, and the address of
 * its tensor memory. */
enum {
    TILE_M = 128,
    WGMMA_THREADS = 384,
    WGMMA_BOX_ROWS = 16,
    TCGEN05_THREADS = 192,
    TCGEN05_BOX_ROWS = 32,
    TCGEN05_BYTES = 4 * 8 + 8,
    SLOT_BYTES = TILE_M * TENSOR_SLICE_BYTES,
    SHARED_BYTES = (227 << 10) - 2048
};

/* Of fp8, some tensor cores keep 14 bits of a sum (reference.c): so many ones are exact, and so many random
 * whole numbers, whose sums have a root mean square of 2/3 of the root of their number, six of which are
 * below 2^13. */
#define FP8_ONES_MAX  (INT64_C(1) << 13)
#define FP8_WHOLE_MAX (INT64_C(1) << 22)

/* u8 is filled with values below 128: so many products fit i32. */
#define U8_SUM_MAX (INT64_C(1) << 17)

/* Of each side: the bytes of all three matrices then fit 64 bits, and coordinates of tensor maps fit int. */
#define SIDE_MAX (INT64_C(1) << 29)

static const struct axis axes[TENSOR_AXES] = {
    [TENSOR_VARIANT] = AXIS_VARIANT(variants, "mma"),
    [TENSOR_DTYPE] = AXIS_WORDS("dtype", "element type", "bf16", dtype_tensor_words, true),
    [TENSOR_DTYPE_C] =
        AXIS_WORDS("dtype_c", "type of C; default: that of A and B, of e4m3 and e5m2 bf16, of u8 i32",
                   "default", types_of_c, true),
    [TENSOR_M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, SIDE_MAX, false),
    [TENSOR_N] = AXIS_NUMBER("n", "elements", "rows of B and columns of C", "1024", 1, SIDE_MAX, false),
    [TENSOR_K] = AXIS_NUMBER("k", "elements", "columns of A and B", "1024", 1, SIDE_MAX, false),
    [TENSOR_TILE_SHAPE] = AXIS_WORDS("tile_shape", "rows x columns of C that a block computes at a time",
                                     "128x256", tile_shapes, true),
    [TENSOR_STAGES] = AXIS_NUMBER("stages", "stages", "slices of A and B in shared memory", "4", 1, 8, true),
    [TENSOR_CLUSTER] = AXIS_NUMBER(
        "cluster", "blocks",
        "wgmma: blocks that share the slices of B; tcgen05: blocks that multiply together (cta_group)", "1",
        1, 2, true),
    [TENSOR_GROUP] =
        AXIS_NUMBER("group", "tiles",
                    "rows of tiles (wgmma, tcgen05: of clusters) that are taken together, column by column",
                    "8", 1, 1 << 20, false),
    [TENSOR_PERSISTENT] = AXIS_WORDS(
        "persistent",
        "wgmma, tcgen05: blocks take one tile after another, and store one while they multiply the next",
        "on", switches, false),
    [TENSOR_PROMOTE] = AXIS_NUMBER(
        "promote", "slices",
        "wgmma: slices of 128 bytes whose sums are then added in f32; 0: all are summed in the tensor cores."
        " cublaslt, of fp8: 0 allows that, 1 does not",
        "0", 0, 16, true),
    [TENSOR_COPY] =
        AXIS_WORDS("copy", "mma: who copies slices into shared memory: all threads, or one by tensor copies",
                   "cp_async", copies, true),
    [TENSOR_SPARSE] =
        AXIS_WORDS("sparse",
                   "mma, wgmma: on: two of each four elements of a row of A are zeros that are not "
                   "stored (of tf32, one of two). They count in flop_rate, "
                   "not in flop_rate_executed. cuBLASLt has no such product",
                   "off", switches, true),
    [TENSOR_SCALE] =
        AXIS_WORDS("scale",
                   "tcgen05 and cublaslt, of e4m3, e5m2 and e2m1: e8m0: each 32 elements of a row of A and "
                   "of B have a scale, a power of two (OCP Microscaling Formats: MXFP8, MXFP4); "
                   "e4m3: each 16 elements of e2m1 have a scale of fp8 (NVFP4)",
                   "none", scales, true),
    [TENSOR_LT_ALGORITHM] = AXIS_LT_ALGORITHM(GEMM_LT_ALGORITHMS - 1),
    [TENSOR_DATA] = AXIS_WORDS(
        "data",
        "contents of A and B, on which power depends: random in [-1, 1), whole numbers of -1 to 1, ones, "
        "zeros; of u8, random below 128, and 0 or 1",
        "random", contents, false),
    [TENSOR_CACHE] = AXIS_CACHE,
    [TENSOR_ARCH] = AXIS_ARCHITECTURE,
    [TENSOR_DTYPE_C].late = true,
    [TENSOR_PERSISTENT].late = true,
    [TENSOR_PROMOTE].late = true,
    [TENSOR_COPY].late = true,
    [TENSOR_SPARSE].late = true,
    [TENSOR_SCALE].late = true,
};

/* C in tiles: `down` x `across`, those of a cluster counted as one. */
struct shape {
    uint64_t m, n, k, tile_n, stages, cluster, down, across, stage_bytes, bits, size_c;
    uint64_t k_stored, words; /* of a sparse A: half of k, and words of metadata */
    uint64_t scales_a, scales_b;
};

static bool is_mma_by_tma(const struct point *point)
{
    return point->value[TENSOR_VARIANT] == TENSOR_MMA && point->value[TENSOR_COPY] == TENSOR_TMA;
}

/* Operands stay in shared memory, where bulk tensor copies put them. */
static bool is_bulk(const struct point *point)
{
    return point->value[TENSOR_VARIANT] == TENSOR_WGMMA || point->value[TENSOR_VARIANT] == TENSOR_TCGEN05;
}

/* Bytes of scales of a matrix with so many rows: those of whole pairs of tiles, so that axes of the launch do
 * not change the inputs. */
static uint64_t scales_of(const struct point *point, uint64_t rows)
{
    return (rows + 2 * TILE_M - 1) / (2 * TILE_M) * 2 * tensor_matmul_scale_tiles(point) * TENSOR_SCALE_TILE;
}

static struct shape shape_of(const struct point *point)
{
    const int64_t *value = point->value;
    struct shape s = {.m = (uint64_t)value[TENSOR_M],
                      .n = (uint64_t)value[TENSOR_N],
                      .k = (uint64_t)value[TENSOR_K],
                      .tile_n = UINT64_C(128) << value[TENSOR_TILE_SHAPE],
                      .stages = (uint64_t)value[TENSOR_STAGES],
                      .cluster = is_bulk(point) ? (uint64_t)value[TENSOR_CLUSTER] : 1,
                      .bits = dtype_bits(tensor_matmul_dtype(point)),
                      .size_c = dtype_size(tensor_matmul_dtype_c(point))};
    s.k_stored = tensor_matmul_is_sparse(point) ? s.k / 2 : s.k;
    s.down = (s.m + TILE_M * s.cluster - 1) / (TILE_M * s.cluster);
    s.across = (s.n + s.tile_n - 1) / s.tile_n;
    s.stage_bytes = (TILE_M + s.tile_n) * TENSOR_SLICE_BYTES;
    if (value[TENSOR_VARIANT] == TENSOR_TCGEN05) /* each block of a pair has a part of B */
        s.stage_bytes = (TILE_M + s.tile_n / s.cluster) * TENSOR_SLICE_BYTES;
    if (tensor_matmul_is_sparse(point)) {
        uint64_t slices = (s.k * s.bits / 8 + TENSOR_SLICE_BYTES - 1) / TENSOR_SLICE_BYTES,
                 words = tensor_matmul_words(point);
        s.stage_bytes = TILE_M * TENSOR_SLICE_BYTES / 2 + s.tile_n * TENSOR_SLICE_BYTES + 4 * words;
        /* A cluster may have a tile past the last row: whole clusters, so that axes of the launch do not
         * change the inputs. */
        s.words = (s.m + 2 * TILE_M - 1) / (2 * TILE_M) * 2 * slices * words;
    }
    if (tensor_matmul_is_scaled(point)) {
        s.scales_a = scales_of(point, s.m);
        s.scales_b = scales_of(point, s.n);
        s.stage_bytes += 2 * tensor_matmul_slice_tiles(point) * TENSOR_SCALE_TILE;
    }
    return s;
}

/* Boxes of results that each warp has in shared memory: as many as fit beside the stages, at most a row of
 * the tile. */
static uint64_t slots_of(const struct shape *s)
{
    uint64_t stages = s->stages * s->stage_bytes, most = s->tile_n * s->size_c / TENSOR_SLICE_BYTES;
    uint64_t fitting = stages < SHARED_BYTES ? (SHARED_BYTES - stages) / SLOT_BYTES : 0;
    return fitting < most ? fitting : most;
}

/* Dynamic shared memory of a block. mma: stages, then 128 bytes of each of a warp's 64 rows of C in their
 * place, which are no more; with tensor copies, two barriers for each stage. The others: stages, results, and
 * barriers. */
static uint64_t shared_of(const struct point *point)
{
    struct shape s = shape_of(point);
    uint64_t stages = s.stages * s.stage_bytes;
    if (point->value[TENSOR_VARIANT] == TENSOR_MMA)
        return stages + (is_mma_by_tma(point) ? 16 * s.stages : 0);
    return stages + slots_of(&s) * SLOT_BYTES + 16 * s.stages +
           (point->value[TENSOR_VARIANT] == TENSOR_TCGEN05 ? TCGEN05_BYTES : 0);
}

/* ---- unsupported points ---- */

/* Axes that another variant is about must be left alone. */
static const char *skip_unused(const struct point *point, char *reason, size_t size)
{
    enum {
        MMA = 1 << TENSOR_MMA,
        WGMMA = 1 << TENSOR_WGMMA,
        TCGEN05 = 1 << TENSOR_TCGEN05,
        CUBLASLT = 1 << TENSOR_CUBLASLT,
        OWN = MMA | WGMMA | TCGEN05
    };
    static const struct {
        int axis, variants;
        const char *of;
    } uses[] = {{TENSOR_TILE_SHAPE, OWN, ""},
                {TENSOR_STAGES, OWN, ""},
                {TENSOR_GROUP, OWN, ""},
                {TENSOR_ARCH, OWN, ""},
                {TENSOR_CLUSTER, WGMMA | TCGEN05, "only wgmma and tcgen05 have"},
                {TENSOR_PERSISTENT, WGMMA | TCGEN05, "only wgmma and tcgen05 have"},
                {TENSOR_PROMOTE, WGMMA | CUBLASLT, "only wgmma has"},
                {TENSOR_SPARSE, MMA | WGMMA, "only mma and wgmma have"},
                {TENSOR_SCALE, TCGEN05 | CUBLASLT, "only tcgen05 and cublaslt have"},
                {TENSOR_LT_ALGORITHM, CUBLASLT, "only cublaslt has"}};
    const int64_t variant = point->value[TENSOR_VARIANT];
    const struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].variants >> variant & 1 || point->value[uses[i].axis] == standard.value[uses[i].axis])
            continue;
        if (variant == TENSOR_CUBLASLT)
            snprintf(reason, size, "cublaslt is the vendor's multiplication: it has no %s to choose",
                     axes[uses[i].axis].name);
        else
            snprintf(reason, size, "%s %s to choose", uses[i].of, axes[uses[i].axis].name);
        return reason;
    }
    return NULL;
}

static const char *skip_types(const struct point *point, char *reason, size_t size)
{
    const enum dtype dtype = tensor_matmul_dtype(point);
    const int64_t k = point->value[TENSOR_K], data = point->value[TENSOR_DATA];
    const bool fp8 = tensor_matmul_is_fp8(point);
    const bool scaled = tensor_matmul_is_scaled(point);
    if (dtype == DTYPE_E8M0)
        return "e8m0 is a type of scales: see the axis scale";
    if (dtype == DTYPE_E2M1 && !scaled)
        return "e2m1 is multiplied with scales here: scale=e8m0 or scale=e4m3";
    if (scaled && !fp8 && dtype != DTYPE_E2M1)
        return "e4m3, e5m2 and e2m1 have block scales, other types have none";
    if (point->value[TENSOR_SCALE] == TENSOR_E4M3 && dtype != DTYPE_E2M1)
        return "scales of e4m3 are of e2m1 (NVFP4)";
    if (scaled && k % 32)
        return "a scale is of 32 elements, and two of 16: k is a multiple of 32";
    if (dtype == DTYPE_I32 || dtype == DTYPE_I64 || dtype == DTYPE_F64)
        snprintf(reason, size, "no product of %s is written here", dtype_words[dtype]);
    else if (point->value[TENSOR_DTYPE_C] != TENSOR_C_DEFAULT && dtype == DTYPE_U8)
        return "sums of u8 are i32, and so is C";
    else if (point->value[TENSOR_PROMOTE] && dtype == DTYPE_U8)
        return "sums of u8 are exact: there is nothing to promote";
    else if (dtype == DTYPE_U8 && k > U8_SUM_MAX)
        snprintf(reason, size, "sums of more than %d products of u8 do not fit i32", (int)U8_SUM_MAX);
    else if (fp8 && !(point->value[TENSOR_PROMOTE] && point->value[TENSOR_VARIANT] == TENSOR_WGMMA) &&
             ((data == TENSOR_ONES && k > FP8_ONES_MAX) || (data == TENSOR_WHOLE && k > FP8_WHOLE_MAX)))
        snprintf(reason, size, "sums of more than %d %s of fp8 are not exact in tensor cores",
                 (int)(data == TENSOR_ONES ? FP8_ONES_MAX : FP8_WHOLE_MAX),
                 data == TENSOR_ONES ? "ones" : "whole numbers");
    else
        return NULL;
    return reason;
}

static const char *skip_mma(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const int capability = rules_code_capability(point, target);
    if (point->value[TENSOR_STAGES] < 2)
        return "mma multiplies one stage while others are loaded: stages is at least 2";
    if (capability && tensor_matmul_is_fp8(point) && capability != 89 && capability < 120)
        return "mma of fp8 is made of f16 products here; compute capability 8.9 and 12.0 have it";
    if (is_mma_by_tma(point))
        return rules_capability("a tensor copy", 90, point, target, reason, size);
    return rules_capability("mma", 80, point, target, reason, size);
}

static const char *skip_results(const struct point *point, char *reason, size_t size)
{
    const struct shape s = shape_of(point);
    if (slots_of(&s))
        return NULL;
    snprintf(reason, size, "%d stages leave no shared memory for the results", (int)s.stages);
    return reason;
}

static const char *skip_wgmma(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    struct shape s = shape_of(point);
    int64_t wanted = point->value[TENSOR_ARCH];
    int capability = rules_code_capability(point, target);
    if (capability && (capability != 90 || (wanted != ARCH_NATIVE && wanted % 10 != 1)))
        return "wgmma is of sm_90a alone";
    if (point->value[TENSOR_PROMOTE] && s.tile_n > 128)
        return "with promote a thread has two sets of sums: only those of tile_shape=128x128 fit its "
               "registers";
    return skip_results(point, reason, size);
}

static const char *skip_tcgen05(const struct point *point, const struct target *target, char *reason,
                                size_t size)
{
    const char *other = rules_tcgen05(tensor_matmul_dtype(point) == DTYPE_U8, point, target);
    if (other)
        return other;
    if (tensor_matmul_is_scaled(point) &&
        (point->value[TENSOR_CLUSTER] > 1 || point->value[TENSOR_TILE_SHAPE]))
        return "scales lie in tensor memory beside two tiles, of one block: a scale has "
               "tile_shape=128x128 and "
               "cluster=1";
    return skip_results(point, reason, size);
}

static const char *skip_cublaslt(const struct point *point, const struct target *target)
{
    if (tensor_matmul_dtype(point) == DTYPE_E5M2)
        return "cuBLASLt multiplies e5m2 only with e4m3";
    if (tensor_matmul_is_fp8(point) && target->capability && target->capability < 89)
        return "fp8 needs compute capability 8.9";
    if (tensor_matmul_is_scaled(point) && target->capability && target->capability < 100)
        return "block-scaled products of cuBLASLt need compute capability 10.0";
    if (tensor_matmul_dtype(point) == DTYPE_E2M1 && point->value[TENSOR_SCALE] != TENSOR_E4M3)
        return "cuBLASLt has no MXFP4: scale=e4m3 (NVFP4)";
    if (point->value[TENSOR_PROMOTE] > (tensor_matmul_is_fp8(point) ? 1 : 0))
        return "how often cuBLASLt adds sums in f32 is its own choice: promote is 0, or 1 of fp8";
    return NULL;
}

/* Rows are copied by 16 bytes. cuBLASLt needs that for types of one byte. */
static const char *skip_rows(const struct point *point, const struct shape *s, char *reason, size_t size)
{
    const uint64_t k = (tensor_matmul_is_sparse(point) ? 256 : 128) / s->bits, n = 16 / s->size_c;
    if ((point->value[TENSOR_VARIANT] == TENSOR_CUBLASLT && s->bits > 8) || (s->n % n == 0 && s->k % k == 0))
        return NULL;
    snprintf(reason, size, "rows are copied by 16 bytes: n is a multiple of %d and k of %d", (int)n, (int)k);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const int64_t variant = point->value[TENSOR_VARIANT];
    const struct shape s = shape_of(point);
    const char *why = skip_types(point, reason, size);
    if (variant != TENSOR_MMA && point->value[TENSOR_COPY])
        return "only mma has copy to choose";
    if (!why)
        why = skip_unused(point, reason, size);
    if (!why)
        why = skip_rows(point, &s, reason, size);
    if (!why && variant == TENSOR_MMA)
        why = skip_mma(point, target, reason, size);
    else if (!why && variant == TENSOR_WGMMA)
        why = skip_wgmma(point, target, reason, size);
    else if (!why && variant == TENSOR_TCGEN05)
        why = skip_tcgen05(point, target, reason, size);
    else if (!why)
        why = skip_cublaslt(point, target);
    if (why || variant == TENSOR_CUBLASLT)
        return why;
    if (target->shared_bytes && shared_of(point) > target->shared_bytes) {
        snprintf(reason, size, "%d bytes of shared memory are more than the %d of a block",
                 (int)shared_of(point), (int)target->shared_bytes);
        return reason;
    }
    return rules_grid(s.down * s.across * s.cluster, reason, size);
}

/* ---- launch ---- */

/* A slice of a matrix with `rows` rows comes in boxes of `box_rows`, which the hardware swizzles. */
static struct tensor slices(int buffer, uint64_t bits, uint64_t rows, uint64_t columns, uint64_t box_rows)
{
    return (struct tensor){.buffer = buffer,
                           .rows = rows,
                           .columns = columns,
                           .box_rows = (uint32_t)box_rows,
                           .box_columns = (uint32_t)(8 * TENSOR_SLICE_BYTES / bits),
                           .swizzle = SWIZZLE_128B};
}

static struct tensor slices_of_a(const struct point *point, const struct shape *shape)
{
    struct tensor a = slices(TENSOR_A, shape->bits, shape->m, shape->k_stored, TILE_M);
    if (tensor_matmul_is_sparse(point)) { /* half as many bytes */
        a.box_columns /= 2;
        a.swizzle = SWIZZLE_64B;
    }
    return a;
}

static void setup_mma(struct setup *s, const struct shape *shape, const struct point *point)
{
    const enum argument_kind matrix = is_mma_by_tma(point) ? ARGUMENT_TENSOR : ARGUMENT_BUFFER;
    const struct argument arguments[] = {{matrix, 0},
                                         {matrix, 1},
                                         {ARGUMENT_BUFFER, 2},
                                         {ARGUMENT_U32, shape->m},
                                         {ARGUMENT_U32, shape->n},
                                         {ARGUMENT_U32, shape->k},
                                         {ARGUMENT_U32, shape->down},
                                         {ARGUMENT_U32, shape->across},
                                         {ARGUMENT_U32, (uint64_t)point->value[TENSOR_GROUP]},
                                         {ARGUMENT_BUFFER, TENSOR_METADATA}};
    s->arguments = sizeof arguments / sizeof *arguments - (tensor_matmul_is_sparse(point) ? 0 : 1);
    memcpy(s->argument, arguments, sizeof arguments);
    if (is_mma_by_tma(point)) {
        s->tensor[0] = slices_of_a(point, shape);
        s->tensor[1] = slices(1, shape->bits, shape->n, shape->k, shape->tile_n);
    }
    s->grid[0] = (uint32_t)(shape->down * shape->across);
    s->block[0] = (uint32_t)shape->tile_n; /* a warp for each 64 x 64 elements */
}

static void setup_bulk(struct setup *s, const struct shape *shape, const struct point *point,
                       const struct target *target)
{
    const bool sparse = tensor_matmul_is_sparse(point), scaled = tensor_matmul_is_scaled(point);
    const uint64_t in_byte = shape->bits < 8 ? 8 / shape->bits : 1; /* elements that are copied as one byte */
    const struct argument arguments[] = {{ARGUMENT_TENSOR, 0},
                                         {ARGUMENT_TENSOR, 1},
                                         {ARGUMENT_TENSOR, 2},
                                         {ARGUMENT_U32, shape->k / in_byte},
                                         {ARGUMENT_U32, shape->down},
                                         {ARGUMENT_U32, shape->across},
                                         {ARGUMENT_U32, (uint64_t)point->value[TENSOR_GROUP]},
                                         {ARGUMENT_BUFFER, TENSOR_METADATA},
                                         {ARGUMENT_BUFFER, TENSOR_SCALE_B}};
    const bool wgmma = point->value[TENSOR_VARIANT] == TENSOR_WGMMA;
    uint64_t tiles = shape->down * shape->across;
    uint64_t clusters =
        point->value[TENSOR_PERSISTENT] ? rules_multiprocessors(target) / shape->cluster : tiles;
    s->arguments = sizeof arguments / sizeof *arguments;
    if (!scaled)
        s->arguments -= sparse ? 1 : 2;
    memcpy(s->argument, arguments, sizeof arguments);
    s->tensor[0] = slices_of_a(point, shape);
    s->tensor[1] = slices(1, shape->bits, shape->n, shape->k, shape->tile_n / shape->cluster);
    s->tensor[2] =
        slices(2, 8 * shape->size_c, shape->m, shape->n, wgmma ? WGMMA_BOX_ROWS : TCGEN05_BOX_ROWS);
    s->grid[0] = (uint32_t)((tiles < clusters ? tiles : clusters) * shape->cluster);
    s->block[0] = wgmma ? WGMMA_THREADS : TCGEN05_THREADS;
}

static struct fill contents_of_u8(enum tensor_matmul_data data)
{
    const uint64_t below[] = {[TENSOR_RANDOM] = 128, [TENSOR_WHOLE] = 2, [TENSOR_ZEROS] = 1};
    if (data == TENSOR_ONES)
        return (struct fill){.kind = FILL_INDEX, .addend = 1, .modulus = 2};
    return (struct fill){.kind = FILL_BELOW, .modulus = below[data]};
}

/* Random f32 are multiples of 2^-10, which tf32 has. */
static struct fill contents_of(const struct point *point)
{
    static const float low[] = {[TENSOR_RANDOM] = -1, [TENSOR_WHOLE] = -1, [TENSOR_ONES] = 1},
                       high[] = {
                           [TENSOR_RANDOM] = 1, [TENSOR_WHOLE] = 2, [TENSOR_ONES] = 1, [TENSOR_ZEROS] = 0};
    const enum tensor_matmul_data data = (enum tensor_matmul_data)point->value[TENSOR_DATA];
    struct fill fill = {.kind = FILL_RANDOM, .high = high[data]};
    if (tensor_matmul_dtype(point) == DTYPE_U8)
        return contents_of_u8(data);
    fill.low = data == TENSOR_ZEROS ? 0 : low[data];
    if (data == TENSOR_WHOLE)
        fill.modulus = 3;
    else if (data == TENSOR_RANDOM && tensor_matmul_dtype(point) == DTYPE_F32)
        fill.modulus = 2048;
    else if (data == TENSOR_RANDOM && tensor_matmul_dtype(point) == DTYPE_E2M1)
        fill.low = -6, fill.high = 6; /* all of its values */
    return fill;
}

static enum dtype scales_type(const struct point *point)
{
    return point->value[TENSOR_SCALE] == TENSOR_E4M3 ? DTYPE_E4M3 : DTYPE_E8M0;
}

/* Scales of 1/2, 1 and 2, of e4m3 also between them. Where sums are to be exact, of 1. */
static struct fill scales_contents(const struct point *point)
{
    const bool random = point->value[TENSOR_DATA] == TENSOR_RANDOM;
    return (struct fill){.kind = FILL_RANDOM, .low = random ? 0.5f : 1, .high = random ? 2 : 1};
}

static struct fill metadata_of(const struct point *point)
{
    return (struct fill){.kind = FILL_METADATA, .modulus = tensor_matmul_group(point)};
}

static uint64_t gemm_flags(const struct point *point)
{
    return GEMM_LT_ALGORITHM(point->value[TENSOR_LT_ALGORITHM]) | GEMM_TRANSPOSED |
           (tensor_matmul_dtype(point) == DTYPE_F32 ? GEMM_TF32 : 0) |
           (tensor_matmul_is_fp8(point) && !point->value[TENSOR_PROMOTE] ? GEMM_FAST_SUMS : 0);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    struct shape shape = shape_of(point);
    enum dtype dtype = tensor_matmul_dtype(point);
    struct setup s = {
        .engine = point->value[TENSOR_VARIANT] == TENSOR_CUBLASLT ? ENGINE_GEMM_LT : ENGINE_KERNEL,
        .entry = "tensor_matmul",
        .buffer = {buffer_input("a", dtype, shape.m * shape.k_stored, contents_of(point)),
                   buffer_input("b", dtype, shape.n * shape.k, contents_of(point)),
                   buffer_output("c", tensor_matmul_dtype_c(point), shape.m * shape.n),
                   buffer_input("metadata", DTYPE_I32, shape.words, metadata_of(point))},
        .buffers = tensor_matmul_is_sparse(point) ? 4 : 3,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .carveout = -1,
        .shape = {shape.m, shape.n, shape.k, gemm_flags(point)},
    };
    if (tensor_matmul_is_scaled(point)) {
        s.buffer[TENSOR_SCALE_A] =
            buffer_input("scale_a", scales_type(point), shape.scales_a, scales_contents(point));
        s.buffer[TENSOR_SCALE_B] =
            buffer_input("scale_b", scales_type(point), shape.scales_b, scales_contents(point));
        s.buffers = 5;
    }
    if (point->value[TENSOR_VARIANT] == TENSOR_MMA)
        setup_mma(&s, &shape, point);
    if (is_bulk(point))
        setup_bulk(&s, &shape, point, target);
    if (point->value[TENSOR_VARIANT] != TENSOR_CUBLASLT)
        s.shared_dynamic = (uint32_t)shared_of(point);
    return s;
}

/* Each matrix once, as it is stored; a multiplication and an addition for each of m n k, also of zeros that
 * are not stored. */
static struct work work(const struct point *point)
{
    struct shape s = shape_of(point);
    return (struct work){.bytes_read = s.bits * (s.m * s.k_stored + s.n * s.k) / 8 + 4 * s.words +
                                       s.scales_a + s.scales_b,
                         .bytes_written = s.size_c * s.m * s.n,
                         .flops = 2 * s.m * s.n * s.k,
                         .flops_of_zeros = 2 * s.m * s.n * (s.k - s.k_stored)};
}

/* Of the roof, which is the dense wgmma's on compute capability 9.0: mma has two thirds of its rate for every
 * type, sparse mma the same rate (analysis/data/h200-mma.h5, h100-mma.h5). On 10.x, mma has a quarter of
 * tcgen05's: 577 of 2325 TFLOP/s of bf16 on a B300 (github.com/ademeure/QuickRunCUDA, b300_clean); of
 * integers on 10.3, where tcgen05 has none, it is the roof. On 12.x, mma of fp8 has half of the rate of mma
 * with block scales: 370 of 737 TFLOP/s on an RTX 5090. */
static double rate_of(const struct point *point, const struct target *target)
{
    const int capability = target->capability;
    double rate = 1;
    if (point->value[TENSOR_VARIANT] == TENSOR_MMA) {
        if (capability == 90)
            return tensor_matmul_is_sparse(point) ? 1 : 2 / 3.;
        if (capability >= 100 && capability < 120)
            rate = capability == 103 && tensor_matmul_dtype(point) == DTYPE_U8 ? 1 : 0.25;
        else if (capability >= 120 && tensor_matmul_is_fp8(point))
            rate = 0.5;
    }
    return tensor_matmul_is_sparse(point) ? 2 * rate : rate;
}

/* Bytes of a slice that pass shared memory; 0: in less time than it is multiplied. A warp of mma reads 64
 * rows of A and B each, and what comes is written. Of sparse products, two groups of wgmma read all of B and
 * half of A's bytes in half the cycles: no less time than they multiply. Dense ones hide these reads. */
static double bank_bytes_of(const struct point *point, const struct shape *s)
{
    const double rows = 64, warps = (double)s->tile_n / 32, slice = TENSOR_SLICE_BYTES;
    if (point->value[TENSOR_VARIANT] != TENSOR_MMA)
        return tensor_matmul_is_sparse(point) ? (2 * (double)s->tile_n + TILE_M / 2.) * slice : 0;
    if (tensor_matmul_is_sparse(point))
        return warps * rows * (1.5 * slice + 4 * (double)tensor_matmul_words(point) / TILE_M) +
               (double)s->stage_bytes;
    return warps * 2 * rows * slice + (double)s->stage_bytes;
}

/* With promote, each of a thread's sums is added between products: two warps of each quarter of a
 * multiprocessor. Of tcgen05, a stage is what a block of a pair loads itself, and sums leave tensor memory
 * while the next tile is multiplied. */
static bool pipeline(const struct point *point, const struct target *target, struct tile_pipeline *out)
{
    const int64_t *value = point->value;
    const struct shape s = shape_of(point);
    const bool mma = value[TENSOR_VARIANT] == TENSOR_MMA, tcgen05 = value[TENSOR_VARIANT] == TENSOR_TCGEN05;
    const uint64_t own_rows =
        tcgen05 ? s.tile_n : s.tile_n / s.cluster; /* of B; the others' come by multicast */
    const double sums = (double)s.tile_n / 2;
    const double fixed = tcgen05 ? TCGEN05_THREADS : WGMMA_THREADS;
    const double warps = (mma ? (double)s.tile_n : fixed) / 32;
    if (value[TENSOR_VARIANT] == TENSOR_CUBLASLT)
        return false;
    *out = (struct tile_pipeline){
        .tiles = (double)(s.down * s.across * s.cluster),
        .slices = ceil((double)(s.k * s.bits) / 8 / TENSOR_SLICE_BYTES),
        .ahead = (double)s.stages - 1,
        .flops = 2. * TILE_M * (double)s.tile_n * TENSOR_SLICE_BYTES * 8 / (double)s.bits,
        .rate = rate_of(point, target),
        .bytes = (double)(s.stage_bytes - (s.tile_n - own_rows) * TENSOR_SLICE_BYTES),
        .bank_bytes = bank_bytes_of(point, &s),
        .apart = value[TENSOR_PROMOTE] ? 2 * sums / (double)value[TENSOR_PROMOTE] : 0,
        .stored = TILE_M * (double)(s.tile_n * s.size_c),
        .warps = warps,
        .resident = mma ? 8 / warps : 1, /* nearly all of 255 registers of a thread */
        .persistent = !mma && value[TENSOR_PERSISTENT]};
    return true;
}

static struct product_shape product(const struct point *point)
{
    return (struct product_shape){(uint64_t)point->value[TENSOR_M], (uint64_t)point->value[TENSOR_N],
                                  (uint64_t)point->value[TENSOR_K]};
}

const struct family family_tensor_matmul = {
    .space = {.kernel = "tensor_matmul", .axes = axes, .count = TENSOR_AXES},
    .summary = "multiply matrices of f16, bf16, tf32, fp8 or u8 on tensor cores: mma, wgmma, tcgen05, and "
               "the vendor's library",
    .materialise = true,
    .tensor_cores = true,
    .block_scales = true,
    .data_axes = FAMILY_AXIS(TENSOR_DTYPE) | FAMILY_AXIS(TENSOR_DTYPE_C) | FAMILY_AXIS(TENSOR_M) |
                 FAMILY_AXIS(TENSOR_N) | FAMILY_AXIS(TENSOR_K) | FAMILY_AXIS(TENSOR_DATA) |
                 FAMILY_AXIS(TENSOR_SPARSE) | FAMILY_AXIS(TENSOR_SCALE),
    .source = tensor_matmul_source,
    .claims = tensor_matmul_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .pipeline = pipeline,
    .tolerance = tensor_matmul_tolerance,
    .reference = tensor_matmul_reference,
    .product = product,
    .operand = tensor_matmul_operand,
};
