/* Faults planted in matrix products of every type, each at 100 random places: all of them are found, with the
 * reference that the GPU multiplies, and right products pass. `test_cuda_products PLACES` plants fewer. */
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "gpu_test.h"

enum { M = 1024, N = 1024, K = 512, TILE = 16 };

static const char *const variants[] = {"right", "element", "last_row", "swapped", "slice", "stale", NULL};

enum { FAULT, DTYPE, PLACE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [FAULT] = AXIS_VARIANT(variants, "right"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [PLACE] = AXIS_NUMBER("place", "", "number of a random place", "0", 0, 1 << 20, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* A naive product. `slice`: a tile lacks the last 64 terms; `stale`: it multiplies a slice of B with the
 * terms of the slice before. */
static const char source[] =
    "#include \"device.cuh\"\n"
    "#ifdef DTYPE_u8\n"
    "typedef u8 bits;\n"
    "typedef int number;\n"
    "typedef int result;\n"
    "#define VALUE(x) (int)(x)\n"
    "#define RESULT(x) (x)\n"
    "#else\n"
    "#include \"element.cuh\"\n"
    "typedef float number;\n"
    "#define VALUE(x) element_to_float(x)\n"
    "#if ELEMENT_SIZE == 1\n"
    "typedef u8 bits;\n"
    "#elif ELEMENT_SIZE == 2\n"
    "typedef u16 bits;\n"
    "#else\n"
    "typedef u32 bits;\n"
    "#endif\n"
    "#if ELEMENT_SIZE == 2\n"
    "typedef u16 result;\n"
    "#define RESULT(x) (u16)element_of_float(x)\n"
    "#else\n"
    "typedef float result;\n"
    "#define RESULT(x) (x)\n"
    "#endif\n"
    "#endif\n"
    "extern \"C\" __global__ void product(const bits *a, const bits *b, result *c, u32 n, u32 k, u32 "
    "at_row,\n"
    "                                     u32 at_column, float relative, float absolute) {\n"
    "    const u32 row = blockIdx.y * 16 + threadIdx.x / 16, column = blockIdx.x * 16 + threadIdx.x % 16;\n"
    "    const bool tile = row / 16 == at_row / 16 && column / 16 == at_column / 16;\n"
    "    u32 from_row = row, from_column = column, end = k;\n"
    "    number sum = 0;\n"
    "#if defined(variant_swapped)\n"
    "    if (tile) from_column = (column + 16) % n;\n"
    "#elif defined(variant_slice)\n"
    "    if (tile) end = k - 64;\n"
    "#elif defined(variant_last_row)\n"
    "    if (row == gridDim.y * 16 - 1) from_row = at_row < row ? at_row : 0;\n"
    "#endif\n"
    "    for (u32 i = 0; i < end; i++) {\n"
    "        u32 j = i;\n"
    "#if defined(variant_stale)\n"
    "        if (tile && i / 64 == at_column % (k / 64 - 1) + 1) j = i - 64;\n"
    "#endif\n"
    "        sum += VALUE(a[from_row * k + i]) * VALUE(b[from_column * k + j]);\n"
    "    }\n"
    "#if defined(variant_element)\n"
    "    if (row == at_row && column == at_column)\n"
    "        sum += absolute > 0 ? 2.1f * absolute + 2.2f * relative * fabsf((float)sum) : 1;\n"
    "#endif\n"
    "#if !defined(variant_right) && !defined(variant_element) && !defined(variant_last_row) && \\\n"
    "    !defined(variant_swapped) && !defined(variant_slice) && !defined(variant_stale)\n"
    "#error \"no variant_... is defined\"\n"
    "#endif\n"
    "    c[row * n + column] = RESULT(sum);\n"
    "}\n";

static enum dtype dtype_of(const struct point *point)
{
    return (enum dtype)point->value[DTYPE];
}

static enum dtype dtype_c(const struct point *point)
{
    const enum dtype dtype = dtype_of(point);
    if (dtype == DTYPE_U8)
        return DTYPE_I32;
    return dtype_size(dtype) == 2 ? dtype : DTYPE_F32;
}

/* Sums in f32 as in kernels/matmul, and a place of C. */
static struct tolerance tolerance(const struct point *point)
{
    const enum dtype c = dtype_c(point);
    if (c == DTYPE_I32)
        return (struct tolerance){0};
    double rounding = c == DTYPE_F16 ? 0x1p-10 : 0x1p-22;
    return (struct tolerance){.relative = c == DTYPE_BF16 ? 0x1p-7 : rounding, .absolute = (K + 8) * 0x1p-23};
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    const struct fill fill = dtype_of(point) == DTYPE_U8
                                 ? (struct fill){.kind = FILL_BELOW, .modulus = 128}
                                 : (struct fill){.kind = FILL_RANDOM, .low = -1, .high = 1};
    const uint64_t draw =
        hash_u64(hash_u64(HASH_START, (uint64_t)point->value[PLACE]), (uint64_t)point->value[FAULT]);
    const struct tolerance t = tolerance(point);
    return (struct setup){
        .entry = "product",
        .buffer = {buffer_input("a", dtype_of(point), M * K, fill),
                   buffer_input("b", dtype_of(point), N * K, fill),
                   buffer_output("c", dtype_c(point), M * N)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, N},
                     {ARGUMENT_U32, K},
                     {ARGUMENT_U32, draw % M},
                     {ARGUMENT_U32, draw / M % N},
                     {ARGUMENT_F32, bits_of((float)t.relative)},
                     {ARGUMENT_F32, bits_of((float)t.absolute)}},
        .arguments = 9,
        .grid = {N / TILE, M / TILE, 1},
        .block = {TILE * TILE, 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    return (struct work){.flops = UINT64_C(2) * M * N * K};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    double a[K], b[K];
    for (uint64_t i = 0; i < count; i++) {
        double sum = 0;
        inputs_real_range(inputs, 0, (first + i) / N * K, K, a);
        inputs_real_range(inputs, 1, (first + i) % N * K, K, b);
        for (int p = 0; p < K; p++)
            sum += a[p] * b[p];
        if (dtype_c(point) != DTYPE_I32)
            sum = (double)(float)sum;
        dtype_store(dtype_c(point), (char *)out + i * dtype_size(dtype_c(point)), sum);
    }
}

static struct product_shape product(const struct point *point)
{
    return (struct product_shape){M, N, K};
}

static void operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    for (uint64_t r = 0; r < rows; r++)
        inputs_real_range(inputs, side, (row + r) * K + first, count, out + r * count);
}

static const struct family planted = {
    .space = {.kernel = "planted", .axes = axes, .count = AXES},
    .summary = "products that are wrong on purpose",
    .materialise = true,
    .data_axes = FAMILY_AXIS(DTYPE),
    .source = source,
    .skip = gpu_test_skip_none,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .product = product,
    .operand = operand,
};

static struct device device;

/* Did verification fail? */
static bool is_found(int64_t fault, enum dtype dtype, int64_t place)
{
    struct point point = point_standard(&planted.space);
    point.value[FAULT] = fault;
    point.value[DTYPE] = dtype;
    point.value[PLACE] = place;
    struct result result = gpu_test_measure(&device, &point);
    const double by_product = result.real[REAL_verified_product];
    const bool failed = result.status == STATUS_FAILED && strstr(result.message, "output 'c'");
    CHECK(failed || result.status == STATUS_OK, "%s: %s", status_words[result.status], result.message);
    if (!fault)
        printf("%s: %.0f elements compared, %.0f by the GPU's product; %s\n", dtype_words[dtype],
               result.real[REAL_verified], by_product, failed ? result.message : "right");
    CHECK(result.real[REAL_verified] == M * N, "%s: not all of C was compared", dtype_words[dtype]);
    CHECK(getenv("WARPSWEEP_REFERENCE") || by_product == M * N, "%s: the GPU did not multiply the reference",
          dtype_words[dtype]);
    result_free(&result);
    return failed;
}

int main(int argc, char **argv)
{
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2, DTYPE_U8};
    const int places = argc > 1 ? atoi(argv[1]) : 100;
    int checked = 0;
    device = gpu_test_open();
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        CHECK(!is_found(0, types[t], 0), "%s: a right product fails", dtype_words[types[t]]);
        for (int64_t fault = 1; variants[fault]; fault++) {
            int found = 0;
            const clock_t began = clock();
            for (int64_t place = 0; place < places; place++)
                found += is_found(fault, types[t], place);
            printf("%s, %s: found %d of %d, %.3g s of the processor\n", dtype_words[types[t]],
                   variants[fault], found, places, (double)(clock() - began) / CLOCKS_PER_SEC);
            CHECK(found == places, "%s, %s", dtype_words[types[t]], variants[fault]);
            checked += places;
        }
    }
    backend_cuda.close();
    return gpu_test_end("products", checked);
}
