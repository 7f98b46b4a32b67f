/* mma_rate - how fast tensor cores multiply matrices that need not be fetched. The device code is in
 * mma_rate.cu.
 *
 * A warp (mma), four warps (wgmma) or a thread (tcgen05) multiply the same two small matrices over and over,
 * and add to or take from `chains` accumulators in registers or, of tcgen05, tensor memory. One chain on one
 * warp shows the latency of a product; many chains on all multiprocessors show the rate, which is the roof of
 * a matrix product. With cluster=2, two blocks of tcgen05 multiply together.
 *
 * tcgen05_ld has no products: warps load words of 32 bits from tensor memory, `shape_n` columns of their 32
 * rows at a time. Its bytes are what lanes load, so that the bandwidth is that of tensor memory. A chain is a
 * load; all chains are in flight, then waited for. */
#include "family/rules.h"

#include <stdio.h>

extern const char mma_rate_source[], mma_rate_claims[];

static const char *const variants[] = {"mma",        "wgmma_ss",   "wgmma_rs", "tcgen05",
                                       "tcgen05_ts", "tcgen05_ld", NULL};
enum variant { MMA, WGMMA_SS, WGMMA_RS, TCGEN05, TCGEN05_TS, TCGEN05_LD };

static const char *const switches[] = {"off", "on", NULL};

static const char *const scales[] = {"none", "e8m0", "e4m3", NULL};
enum scale { UNSCALED, E8M0, E4M3 };

static const char *const contents[] = {"random", "ones", "zeros", NULL};
enum content { RANDOM, ONES, ZEROS };

/* As in the device code: products of a chain in a round, and bytes of a row of either matrix. */
enum { ROUND = 8, ROW_BYTES = 32, MMA_ROWS = 16, WGMMA_ROWS = 64, TCGEN05_ROWS = 128, GROUP = 128 };
enum { ACCUMULATORS_MOST = 128, REGISTERS = 65536 };
enum { TENSOR_MEMORY_COLUMNS = 512, SCALE_COLUMNS = 16, LEFT_COLUMNS = 8 };

enum {
    VARIANT,
    DTYPE,
    SPARSE,
    SCALE,
    SHAPE_N,
    CHAINS,
    CLUSTER,
    BLOCK,
    BLOCKS,
    ROUNDS,
    DATA,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "mma"),
    [DTYPE] = AXIS_WORDS("dtype", "element type", "bf16", dtype_tensor_words, true),
    [SPARSE] =
        AXIS_WORDS("sparse",
                   "on: the left matrix has two zeros in each four elements (of tf32, one in each two), "
                   "which are not stored, and count as operations",
                   "off", switches, true),
    [SCALE] = AXIS_WORDS("scale",
                         "mma, tcgen05 and tcgen05_ts, of e4m3, e5m2 and e2m1: e8m0: blocks of 32 elements "
                         "have scales of e8m0 "
                         "(MXFP8, MXFP4); e4m3: blocks of 16 of e2m1 have scales of e4m3 (NVFP4). All are 1",
                         "none", scales, true),
    [SHAPE_N] = AXIS_NUMBER("shape_n", "columns",
                            "columns of the product, or of the load, of one instruction", "8", 8, 256, true),
    [CHAINS] =
        AXIS_NUMBER("chains", "chains", "accumulators that products alternate between, or loads in flight",
                    "4", 1, 8, true),
    [CLUSTER] = AXIS_NUMBER(
        "cluster", "blocks",
        "tcgen05, tcgen05_ts: blocks that multiply together (cta_group), each its 128 rows", "1", 1, 2, true),
    [BLOCK] = AXIS_BLOCK("256"),
    [BLOCKS] = AXIS_NUMBER("blocks", "blocks", "blocks in the grid; 0: one for each multiprocessor", "0", 0,
                           1 << 20, false),
    [ROUNDS] = AXIS_NUMBER("rounds", "rounds",
                           "rounds of 8 products or loads for each chain, of all blocks or pairs of them "
                           "together, which share them "
                           "evenly",
                           "262144", 1, 1 << 24, false),
    [DATA] = AXIS_WORDS(
        "data",
        "contents of both matrices, on which power depends: random whole numbers of 0 to 7 (of e2m1, to 3), "
        "of tensor memory random bits; ones, zeros",
        "random", contents, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
    [SPARSE].late = true,
    [SCALE].late = true,
    [CLUSTER].late = true,
};

static bool is_mma(const struct point *point)
{
    return point->value[VARIANT] == MMA;
}

static bool is_load(const struct point *point)
{
    return point->value[VARIANT] == TCGEN05_LD;
}

/* Sums lie in tensor memory. */
static bool is_tcgen05(const struct point *point)
{
    return point->value[VARIANT] == TCGEN05 || point->value[VARIANT] == TCGEN05_TS;
}

/* Words that a thread loads at once, and that a row of tensor memory has. */
static uint64_t words_of(const struct point *point)
{
    return (uint64_t)(point->value[SHAPE_N] * point->value[CHAINS]);
}

static uint64_t rows_of(const struct point *point)
{
    if (is_tcgen05(point))
        return TCGEN05_ROWS * (uint64_t)point->value[CLUSTER];
    return is_mma(point) ? MMA_ROWS : WGMMA_ROWS;
}

/* Columns of the left matrix that are stored. */
static uint64_t depth_of(const struct point *point)
{
    return 8 * ROW_BYTES / dtype_bits((enum dtype)point->value[DTYPE]);
}

/* Rows of the right matrix: all columns of the left one. */
static uint64_t right_depth_of(const struct point *point)
{
    return depth_of(point) << point->value[SPARSE];
}

/* Units that multiply, in a cluster: warps, groups of four, or all of tcgen05's. */
static uint64_t units_of(const struct point *point)
{
    if (is_tcgen05(point))
        return 1;
    return (uint64_t)point->value[BLOCK] / (is_mma(point) ? 32 : GROUP);
}

/* Clusters, which are blocks but where two multiply together. */
static uint64_t clusters_of(const struct point *point, const struct target *target)
{
    const uint64_t cluster = (uint64_t)point->value[CLUSTER], rounds = (uint64_t)point->value[ROUNDS];
    const uint64_t each = rules_multiprocessors(target) / cluster;
    if (point->value[BLOCKS])
        return (uint64_t)point->value[BLOCKS] / cluster;
    return each < rounds ? each : rounds;
}

static const char *skip_wgmma(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    int64_t n = point->value[SHAPE_N];
    arch wanted = (arch)point->value[ARCH];
    int capability = rules_code_capability(point, target);
    if (capability && (capability != 90 || (wanted != ARCH_NATIVE && wanted % 10 != 1)))
        return "wgmma is of sm_90a alone";
    if (n != 8 && n != 32 && n != 64 && n != 128 && n != 256)
        snprintf(reason, size, "%d columns are none of 8, 32, 64, 128 and 256", (int)n);
    else if (point->value[BLOCK] % GROUP)
        snprintf(reason, size, "a block of %d threads is no whole number of groups of four warps",
                 (int)point->value[BLOCK]);
    else if (n / 2 * point->value[CHAINS] > ACCUMULATORS_MOST)
        snprintf(reason, size, "%d accumulators of %d columns are more than %d registers of a thread",
                 (int)point->value[CHAINS], (int)n, ACCUMULATORS_MOST);
    else
        return NULL;
    return reason;
}

/* The loads' words take at most half of the registers that a thread or a block can have: addresses and sums
 * take others. */
static const char *skip_load(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    const int64_t n = point->value[SHAPE_N], block = point->value[BLOCK];
    const char *other = rules_tcgen05(false, point, target);
    if (other)
        return other;
    if (point->value[DTYPE] != DTYPE_I32)
        return "tcgen05_ld loads words of 32 bits of tensor memory: dtype=i32";
    if (point->value[SPARSE])
        return "loads from tensor memory have no sparse matrix";
    if (n != 16 && n != 32 && n != 64 && n != 128)
        snprintf(reason, size, "%d columns are none of 16, 32, 64 and 128", (int)n);
    else if (words_of(point) > ACCUMULATORS_MOST)
        snprintf(reason, size, "%d loads of %d columns take more than %d registers of a thread",
                 (int)point->value[CHAINS], (int)n, ACCUMULATORS_MOST);
    else if (words_of(point) * (uint64_t)block > REGISTERS / 2)
        snprintf(reason, size,
                 "%d loads of %d columns by %d threads take more than half of the %d registers of a block",
                 (int)point->value[CHAINS], (int)n, (int)block, REGISTERS);
    else
        return rules_whole_warps(block, reason, size);
    return reason;
}

static const char *skip_tcgen05(const struct point *point, const struct target *target, char *reason,
                                size_t size)
{
    const int64_t n = point->value[SHAPE_N];
    const char *other = rules_tcgen05(point->value[DTYPE] == DTYPE_U8, point, target);
    if (other)
        return other;
    if (point->value[SPARSE])
        return "sparse products of tcgen05 have their metadata in tensor memory, and are not written here";
    if (point->value[BLOCK] != GROUP)
        return "four warps read the sums of tcgen05: a block has 128 threads";
    const int64_t others =
        (point->value[SCALE] ? SCALE_COLUMNS : 0) + (point->value[VARIANT] == TCGEN05_TS ? LEFT_COLUMNS : 0);
    if (n != 32 && n != 64 && n != 128 && n != 256)
        snprintf(reason, size, "%d columns are none of 32, 64, 128 and 256", (int)n);
    else if (n * point->value[CHAINS] + others > TENSOR_MEMORY_COLUMNS)
        snprintf(reason, size,
                 "%d accumulators of %d columns are more than the %d columns of tensor memory%s",
                 (int)point->value[CHAINS], (int)n, TENSOR_MEMORY_COLUMNS - (int)others,
                 others ? " beside scales or the left matrix" : "");
    else if (point->value[BLOCKS] % point->value[CLUSTER])
        snprintf(reason, size, "%d blocks are no whole number of pairs", (int)point->value[BLOCKS]);
    else
        return NULL;
    return reason;
}

static const char *skip_scales(const struct point *point, const struct target *target)
{
    const enum dtype dtype = (enum dtype)point->value[DTYPE];
    const int64_t scale = point->value[SCALE], wanted = point->value[ARCH];
    const int capability = rules_code_capability(point, target);
    if (dtype == DTYPE_E8M0)
        return "e8m0 is a type of scales: see the axis scale";
    if (dtype == DTYPE_E2M1 && !scale)
        return "e2m1 is multiplied with scales here: scale=e8m0 or scale=e4m3";
    if (!scale)
        return NULL;
    if (dtype != DTYPE_E2M1 && (scale == E4M3 || (dtype != DTYPE_E4M3 && dtype != DTYPE_E5M2)))
        return "scales of e8m0 are of e4m3, e5m2 and e2m1, those of e4m3 of e2m1";
    if (!is_mma(point) && !is_tcgen05(point))
        return "only mma and tcgen05 have block scales";
    if (point->value[SPARSE])
        return "sparse products with block scales are not written here";
    if (is_mma(point) && capability &&
        ((capability != 120 && capability != 121) || arch_is_virtual(wanted) ||
         (wanted != ARCH_NATIVE && wanted % 10 == 0)))
        return "mma with block scales is of sm_120a, sm_121a and their family";
    return NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (target->host)
        return "mma_rate is about a GPU's tensor cores, which the host has not";
    if ((dtype == DTYPE_I32 && !is_load(point)) || dtype == DTYPE_I64 || dtype == DTYPE_F64) {
        snprintf(reason, size, "no product of %s is written here", dtype_words[dtype]);
        return reason;
    }
    if (point->value[BLOCKS] > point->value[ROUNDS] * point->value[CLUSTER]) {
        snprintf(reason, size, "%d rounds are not one for each of %d %s", (int)point->value[ROUNDS],
                 (int)(point->value[BLOCKS] / point->value[CLUSTER]),
                 point->value[CLUSTER] > 1 ? "pairs of blocks" : "blocks");
        return reason;
    }
    if (point->value[CLUSTER] > 1 && !is_tcgen05(point))
        return "only tcgen05 and tcgen05_ts have blocks that multiply together: cluster=1";
    const char *unscaled = skip_scales(point, target);
    if (unscaled)
        return unscaled;
    if (is_load(point))
        return skip_load(point, target, reason, size);
    if (is_tcgen05(point))
        return skip_tcgen05(point, target, reason, size);
    if (!is_mma(point))
        return skip_wgmma(point, target, reason, size);
    if (point->value[SHAPE_N] != 8)
        return "mma has products of 8 columns";
    int capability = rules_code_capability(point, target);
    if (capability && (dtype == DTYPE_E4M3 || dtype == DTYPE_E5M2) && capability != 89 && capability < 120 &&
        !point->value[SCALE])
        return "mma of fp8 is made of f16 products here; compute capability 8.9 and 12.0 have it";
    return rules_capability("mma", 80, point, target, reason, size)
               ? reason
               : rules_whole_warps(point->value[BLOCK], reason, size);
}

/* Small whole numbers are exact in every type, and so are their products and sums. */
static struct fill contents_of(const struct point *point)
{
    switch ((enum content)point->value[DATA]) {
    case ONES:
        return (struct fill){.kind = FILL_INDEX, .addend = 1, .modulus = 2};
    case ZEROS:
        return (struct fill){.kind = FILL_BELOW, .modulus = 1};
    default:
        return is_load(point)
                   ? (struct fill){.kind = FILL_RANDOM}
                   : (struct fill){.kind = FILL_BELOW, .modulus = point->value[DTYPE] == DTYPE_E2M1 ? 4 : 8};
    }
}

static struct setup setup_load(const struct point *point, const struct target *target)
{
    const uint64_t blocks = clusters_of(point, target), block = (uint64_t)point->value[BLOCK];
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "mma_rate",
        .buffer = {buffer_input("words", DTYPE_I32, TCGEN05_ROWS * words_of(point), contents_of(point)),
                   buffer_output("out", DTYPE_I32, blocks * block)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]}},
        .arguments = 3,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .carveout = -1,
    };
}

static struct setup setup(const struct point *point, const struct target *target)
{
    if (is_load(point))
        return setup_load(point, target);
    uint64_t depth = depth_of(point), rows = rows_of(point), n = (uint64_t)point->value[SHAPE_N];
    uint64_t clusters = clusters_of(point, target);
    enum dtype sums = point->value[DTYPE] == DTYPE_U8 ? DTYPE_I32 : DTYPE_F32;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "mma_rate",
        .buffer = {buffer_input("a", DTYPE_U8, rows * depth, contents_of(point)),
                   buffer_input("b", DTYPE_U8, n * right_depth_of(point), contents_of(point)),
                   buffer_output("out", sums, clusters * units_of(point) * rows * n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]}},
        .arguments = 4,
        .grid = {(uint32_t)(clusters * (uint64_t)point->value[CLUSTER]), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = -1,
    };
}

/* Sparse: zeros that are not stored count, as in data sheets. Without the first product of each block, one of
 * some 16,000: it is not known here how many blocks there are. */
static struct work work(const struct point *point)
{
    if (is_load(point))
        return (struct work){.bytes_read = (uint64_t)point->value[ROUNDS] * ROUND * words_of(point) * 4 *
                                           (uint64_t)point->value[BLOCK]};
    uint64_t products =
        (uint64_t)point->value[ROUNDS] * ROUND * (uint64_t)point->value[CHAINS] * units_of(point);
    uint64_t each = products * 2 * rows_of(point) * (uint64_t)point->value[SHAPE_N];
    return (struct work){.flops = each * right_depth_of(point),
                         .flops_of_zeros = each * (right_depth_of(point) - depth_of(point))};
}

/* The product of row `row` of the left matrix and column `column` of the right one. */
static uint32_t product_of(const struct point *point, const struct inputs *inputs, uint64_t row,
                           uint64_t column)
{
    const uint64_t depth = depth_of(point), right = right_depth_of(point), each = right / depth;
    unsigned char a[2 * ROW_BYTES], b[2 * ROW_BYTES]; /* elements of one byte; a row has at most 64 */
    uint32_t sum = 0;
    inputs_load_range(inputs, 0, row * depth, depth, a);
    inputs_load_range(inputs, 1, column * right, right, b);
    for (uint64_t k = 0; k < depth; k++)
        sum += (uint32_t)a[k] * b[k * each + each - 1]; /* sparse: the second of each two */
    return sum;
}

static uint64_t rounds_of(const struct point *point, uint64_t cluster, uint64_t clusters)
{
    uint64_t rounds = (uint64_t)point->value[ROUNDS];
    return rounds / clusters + (cluster < rounds % clusters);
}

/* How often a cluster's accumulators have the product in the end: those of u8 all add up, modulo 2^32. Those
 * of other types are added and taken away in turn, and the first one remains. */
static uint32_t times_of(const struct point *point, uint64_t cluster, uint64_t clusters)
{
    return (uint32_t)point->value[CHAINS] * (point->value[DTYPE] == DTYPE_U8
                                                 ? (uint32_t)(rounds_of(point, cluster, clusters) * ROUND + 1)
                                                 : 1);
}

/* What a thread has loaded, modulo 2^32: in each step the first and the last word of each load, and in the
 * end all words of its row. */
static void reference_load(const struct point *point, const struct inputs *inputs, uint64_t first,
                           uint64_t count, uint32_t *out)
{
    const uint64_t block = (uint64_t)point->value[BLOCK], n = (uint64_t)point->value[SHAPE_N],
                   held = words_of(point);
    for (uint64_t i = first; i < first + count; i++) {
        uint32_t words[ACCUMULATORS_MOST], ends = 0, all = 0;
        inputs_load_range(inputs, 0, i % block % TCGEN05_ROWS * held, held, words);
        for (uint64_t w = 0; w < held; w++) {
            all += words[w];
            ends += w % n == 0 || w % n == n - 1 ? words[w] : 0;
        }
        out[i - first] = all + (uint32_t)(rounds_of(point, i / block, inputs->setup->grid[0]) * ROUND) * ends;
    }
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    if (is_load(point)) {
        reference_load(point, inputs, first, count, out);
        return;
    }
    uint64_t n = (uint64_t)point->value[SHAPE_N], size = rows_of(point) * n, cluster = size * units_of(point);
    uint64_t clusters = inputs->setup->grid[0] / (uint64_t)point->value[CLUSTER];
    uint32_t product[2 * TCGEN05_ROWS * 256], chains = (uint32_t)point->value[CHAINS];
    (void)buffer;
    for (uint64_t i = 0; i < size; i++)
        product[i] = product_of(point, inputs, i / n, i % n);
    for (uint64_t i = first; i < first + count && size && cluster; i++) {
        uint32_t whole = product[i % size] * times_of(point, i / cluster, clusters) +
                         chains * (chains - 1) / 2; /* number c begins with c */
        float real = (float)whole;
        memcpy((char *)out + 4 * (i - first),
               point->value[DTYPE] == DTYPE_U8 ? (void *)&whole : (void *)&real, 4);
    }
}

const struct family family_mma_rate = {
    .space = {.kernel = "mma_rate", .axes = axes, .count = AXES},
    .summary = "multiply small matrices held in registers or shared memory: rate and latency of tensor "
               "cores, and of loads from tensor memory",
    .materialise = true,
    .block_scales = true,
    .memory = MEMORY_NONE,
    .source = mma_rate_source,
    .claims = mma_rate_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
};
