/* cute_matmul - the family `tensor_matmul` with products of CUTLASS, which are written with CuTe: the same
 * matrices, bytes, operations and tolerance, so that all stand in one table. launches.cu has the products,
 * and `build` says which of them were compiled. */
#include "../matmul.h"

#include <stdio.h>

#include "launches.h"
#include "products.h" /* by build: PRODUCTS(X), a line X(schedule, rows, columns, cluster, dtype) for each, and CUTLASS_VERSION */

#define DECLARE(schedule, rows, columns, cluster, dtype)                                                     \
    const char *cute_##schedule##_##rows##_##columns##_##cluster##_##dtype(const struct cute_launch *);
PRODUCTS(DECLARE)

static const char *const variants[] = {"cooperative", "pingpong", NULL};
static const char *const tile_shapes[] = {"128x128", "128x256", "256x128", NULL};
enum { cooperative, pingpong };

enum { VARIANT, DTYPE, M, N, K, TILE_SHAPE, CLUSTER, SWIZZLE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "cooperative"),
    [DTYPE] = AXIS_DTYPE("bf16"),
    [M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, 1 << 20, false),
    [N] = AXIS_NUMBER("n", "elements", "rows of B and columns of C", "1024", 1, 1 << 20, false),
    [K] = AXIS_NUMBER("k", "elements", "columns of A and B", "1024", 1, 1 << 20, false),
    [TILE_SHAPE] = AXIS_WORDS("tile_shape", "rows x columns of C that a block computes at a time", "128x256",
                              tile_shapes, false),
    [CLUSTER] = AXIS_NUMBER("cluster", "blocks", "blocks below each other that share B", "2", 1, 2, false),
    [SWIZZLE] =
        AXIS_NUMBER("swizzle", "tiles",
                    "CUTLASS's max_swizzle_size: rows of tiles that are taken together, at most; 1, 2, 4, 8",
                    "8", 1, 8, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

typedef const char *product_function(const struct cute_launch *);

/* NULL if the point's product was not compiled. */
static product_function *compiled(const struct point *point)
{
    static const struct {
        int64_t variant;
        const char *tile_shape;
        int64_t cluster;
        const char *dtype;
        product_function *queue;
    } products[] = {
#define ROW(schedule, rows, columns, cluster, dtype)                                                         \
    {schedule, #rows "x" #columns, cluster, #dtype,                                                          \
     cute_##schedule##_##rows##_##columns##_##cluster##_##dtype},
        PRODUCTS(ROW)};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (products[i].variant == point->value[VARIANT] && products[i].cluster == point->value[CLUSTER] &&
            !strcmp(products[i].tile_shape, tile_shapes[point->value[TILE_SHAPE]]) &&
            !strcmp(products[i].dtype, dtype_words[point->value[DTYPE]]))
            return products[i].queue;
    return NULL;
}

static struct matmul product_of(const struct point *point)
{
    const int64_t *value = point->value;
    return (struct matmul){(enum dtype)value[DTYPE], (uint64_t)value[M], (uint64_t)value[N],
                           (uint64_t)value[K]};
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)reason, (void)size;
    if (!compiled(point))
        return "this product was not compiled: examples/cute/build has a list of products";
    if (target->capability && target->capability != 90)
        return "the products are compiled for sm_90a";
    if (point->value[N] % 8 || point->value[K] % 8)
        return "rows are copied by 16 bytes: n and k are multiples of 8";
    return NULL;
}

/* shape[0]: multiprocessors, for the launch. */
static struct setup setup(const struct point *point, const struct target *target)
{
    const struct matmul product = product_of(point);
    struct setup setup = {.engine = ENGINE_CALL, .carveout = -1, .shape = {rules_multiprocessors(target)}};
    matmul_buffers(&product, &setup);
    return setup;
}

static struct work work(const struct point *point)
{
    const struct matmul product = product_of(point);
    return matmul_work(&product);
}

static struct tolerance tolerance(const struct point *point)
{
    const struct matmul product = product_of(point);
    return matmul_tolerance(&product);
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    const struct matmul product = product_of(point);
    (void)buffer;
    matmul_reference(&product, inputs, first, count, out);
}

static struct product_shape product(const struct point *point)
{
    const struct matmul of = product_of(point);
    return matmul_product(&of);
}

static void operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    const struct matmul of = product_of(point);
    matmul_operand(&of, inputs, side, row, rows, first, count, out);
}

static int open_call(struct call *call)
{
    call->library_version = CUTLASS_VERSION;
    return 0;
}

static int call(struct call *call)
{
    const int64_t *value = call->point->value;
    const struct cute_launch launch = {.a = call->buffer[MATMUL_A],
                                       .b = call->buffer[MATMUL_B],
                                       .c = call->buffer[MATMUL_C],
                                       .m = (int)value[M],
                                       .n = (int)value[N],
                                       .k = (int)value[K],
                                       .swizzle = (int)value[SWIZZLE],
                                       .multiprocessors = (int)call->setup->shape[0],
                                       .stream = call->stream};
    const char *why = compiled(call->point)(&launch);
    if (why)
        snprintf(call->reason, sizeof call->reason, "CUTLASS: %s", why);
    return why ? -1 : 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "cute_matmul", .axes = axes, .count = AXES},
    .summary = "multiply matrices by products of CUTLASS, written with CuTe: schedule, tile and cluster",
    .materialise = true,
    .tensor_cores = true,
    .data_axes = FAMILY_AXIS(DTYPE) | FAMILY_AXIS(M) | FAMILY_AXIS(N) | FAMILY_AXIS(K),
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .product = product,
    .operand = operand,
    .open_call = open_call,
    .call = call,
};
