/* Products that something else multiplied: right ones agree with the family's reference to the bit, and what
 * is planted in C, at random places, is found, both in such a product and in an output that is compared with
 * it. */
#include "unit_test.h"

#include "family_test.h"
#include "worker/product.h"
#include "worker/verify.h"

enum { PLACES = 100, THREADS = 2, TILE = 16 };

static const char *const types[][2] = {
    {"matmul", ""},
    {"tensor_matmul", "variant=mma dtype=f16"},
    {"tensor_matmul", "variant=mma dtype=bf16"},
    {"tensor_matmul", "variant=mma dtype=bf16 dtype_c=f32"},
    {"tensor_matmul", "variant=mma dtype=f32"},
    {"tensor_matmul", "variant=mma dtype=u8"},
    {"tensor_matmul", "variant=wgmma dtype=e4m3"},
    {"tensor_matmul", "variant=wgmma dtype=e5m2"},
    {"tensor_matmul", "variant=wgmma dtype=bf16 data=ones"},
    {"tensor_matmul", "variant=wgmma dtype=bf16 data=zeros"},
    {"tensor_matmul", "variant=wgmma dtype=e4m3 data=whole"},
    {"tensor_matmul", "variant=wgmma dtype=f16 sparse=on"},
    {"tensor_matmul", "variant=wgmma dtype=f32 sparse=on"},
    {"tensor_matmul", "variant=wgmma dtype=e4m3 sparse=on"},
    {"tensor_matmul", "variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e4m3"},
    {"tensor_matmul", "variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e2m1"},
    {"tensor_matmul", "variant=tcgen05 tile_shape=128x128 scale=e4m3 dtype=e2m1"},
};
enum { TYPES = sizeof types / sizeof *types };

/* A product whose operands are floats, and C in f64. */
struct bench {
    struct family_run run;
    struct product_shape of;
    struct product_check *check;
    int output;
    uint64_t pitch;
    float *a, *b;
    double *right, *wrong;
};

static void multiply(const struct bench *b, uint64_t k, double *c)
{
    for (uint64_t i = 0; i < b->of.m; i++)
        for (uint64_t j = 0; j < b->of.n; j++) {
            double sum = 0;
            for (uint64_t p = 0; p < k; p++)
                sum += (double)b->a[i * b->pitch + p] * (double)b->b[j * b->pitch + p];
            c[i * b->of.n + j] = sum;
        }
}

/* The operands in two portions each, as staging memory would hold them. */
static void load(struct bench *b, int side, uint64_t rows, float *out)
{
    const uint64_t half = rows / 2;
    product_load(b->check, side, 0, half, out);
    product_load(b->check, side, half, rows - half, out + half * b->pitch);
}

static struct bench bench_new(const char *kernel, const char *settings, const char *size)
{
    char text[200];
    snprintf(text, sizeof text, "%s%s%s", settings, *settings ? " " : "", size);
    struct bench b = {.run = family_run_new(kernel, text)};
    b.of = b.run.family->product(&b.run.point);
    b.pitch = product_pitch(&b.of);
    while (b.run.setup.buffer[b.output].role != BUFFER_OUTPUT)
        b.output++;
    b.a = malloc(b.of.m * b.pitch * sizeof(float));
    b.b = malloc(b.of.n * b.pitch * sizeof(float));
    b.right = malloc(b.of.m * b.of.n * sizeof(double));
    b.wrong = malloc(b.of.m * b.of.n * sizeof(double));
    assert_true(b.a && b.b && b.right && b.wrong);
    return b;
}

/* Inputs are generated, as for a device, and not in memory. */
static void generate(struct bench *b, uint64_t seed)
{
    for (int i = 0; i < b->run.setup.buffers; i++)
        b->run.inputs.data[i] = NULL;
    b->run.inputs.seed = seed;
}

static void bench_load(struct bench *b)
{
    b->run.inputs.setup = &b->run.setup;
    b->check = product_check_new(b->run.family, &b->run.point, &b->run.inputs, THREADS);
    load(b, 1, b->of.n, b->b);
    load(b, 0, b->of.m, b->a);
    multiply(b, b->of.k, b->right);
    memcpy(b->wrong, b->right, b->of.m * b->of.n * sizeof(double));
}

static void bench_free(struct bench *b)
{
    product_check_free(b->check);
    free(b->a);
    free(b->b);
    free(b->right);
    free(b->wrong);
}

static bool agrees(struct bench *b, const double *c)
{
    const uint64_t half = b->of.m / 2; /* in two panels */
    return product_agrees(b->check, 0, half, c) &&
           product_agrees(b->check, half, b->of.m - half, c + half * b->of.n);
}

/* Rows of floats are the family's operands: their products are its reference, bit by bit where no sum lies
 * between two of C's values. */
TEST(right_products_agree)
{
    for (size_t t = 0; t < TYPES; t++) {
        struct bench b = bench_new(types[t][0], types[t][1], "m=37 n=72 k=1056");
        generate(&b, 21);
        bench_load(&b);
        const enum dtype dtype = b.run.setup.buffer[b.output].dtype;
        const uint64_t count = b.of.m * b.of.n, size = dtype_size(dtype);
        unsigned char *stored = malloc(count * size);
        assert_non_null(stored);
        product_store(dtype, b.right, count, stored);
        b.run.family->reference(&b.run.point, &b.run.inputs, b.output, 0, count, b.run.data[b.output]);
        if (memcmp(stored, b.run.data[b.output], count * size))
            fail_msg("%s: the operands' product is not the reference", types[t][1]);
        assert_true(agrees(&b, b.right));
        free(stored);
        bench_free(&b);
    }
}

/* What is planted: into C in f64, 48 x 64, at a place that is drawn from `draw`: one of many elements, of
 * each row, of each tile. */
enum fault { ELEMENT, LAST_ROW, SWAPPED, SLICE, STALE, FAULTS };
static const uint64_t places[FAULTS] = {PLACES, 48 - 1, 3 * 4, 3 * 4, 3 * 4};
static const char *const faults[] = {"one element", "the last row", "a tile swapped", "a slice of k left out",
                                     "a stale tile"};

static void plant_tile(const struct bench *b, double *c, uint64_t draw, const double *from, bool shifted)
{
    const uint64_t row = draw % (b->of.m / TILE) * TILE,
                   column = draw / (b->of.m / TILE) % (b->of.n / TILE) * TILE;
    for (uint64_t r = row; r < row + TILE; r++)
        for (uint64_t j = column; j < column + TILE; j++)
            c[r * b->of.n + j] = from[r * b->of.n + (shifted ? (j + TILE) % b->of.n : j)];
}

/* `other`: C without the last slice of k, or from other inputs. `error`: of one element. */
static void plant(const struct bench *b, enum fault fault, uint64_t draw, const double *shorter,
                  const double *older, double error, double *c)
{
    const uint64_t n = b->of.n, count = b->of.m * n, at = draw % count;
    memcpy(c, b->right, count * sizeof *c);
    if (fault == ELEMENT)
        c[at] += draw >> 32 & 1 ? error : -error;
    if (fault == LAST_ROW) /* stands for another row */
        memcpy(c + count - n, c + at % (b->of.m - 1) * n, n * sizeof *c);
    if (fault == SWAPPED)
        plant_tile(b, c, draw, b->right, true);
    if (fault == SLICE)
        plant_tile(b, c, draw, shorter, false);
    if (fault == STALE)
        plant_tile(b, c, draw, older, false);
}

/* The C that an earlier launch on other inputs has left. */
static void older_product(const char *kernel, const char *settings, const char *size, double *c)
{
    struct bench b = bench_new(kernel, settings, size);
    generate(&b, 99);
    bench_load(&b);
    memcpy(c, b.right, b.of.m * b.of.n * sizeof *c);
    bench_free(&b);
}

/* Is the output that C in f64 makes found wrong, when it is compared with the right product? */
static bool output_fails(struct bench *b, const double *c)
{
    const enum dtype dtype = b->run.setup.buffer[b->output].dtype;
    const uint64_t count = b->of.m * b->of.n;
    unsigned char *actual = malloc(count * dtype_size(dtype));
    assert_non_null(actual);
    product_store(dtype, c, count, actual);
    struct verification v = verify_start(b->run.family, &b->run.point, &b->run.inputs, THREADS);
    v.whole = true;
    struct verify_plan plan = verify_plan_for(&v, b->output, 1);
    v.panel.values = b->right;
    verify_range(&v, &plan, 0, count, actual);
    assert_true(v.compared == count && v.by_product == count);
    free(actual);
    return !verify_passed(&v);
}

/* Just more than an element may differ by: the tolerance, and places of C's type for its rounding; of exact
 * sums of whole numbers 1. */
static double error_beyond(const struct bench *b, double value)
{
    const struct tolerance t = b->run.family->tolerance(&b->run.point);
    const enum dtype dtype = b->run.setup.buffer[b->output].dtype;
    const double place = fabs(value) * (dtype_size(dtype) == 4 ? 0x1p-22 : 0x1p-7);
    if (t.absolute == 0)
        return 1 + (dtype == DTYPE_I32 ? 0 : 2 * place);
    return t.absolute + t.relative * fabs(value) + 2 * place;
}

static void assert_faults(const char *kernel, const char *settings)
{
    static const char size[] = "m=48 n=64 k=256";
    double shorter[48 * 64], older[48 * 64];
    const bool nothing = strstr(settings, "zeros") || strstr(settings, "ones"); /* tiles are all alike */
    older_product(kernel, settings, size, older);
    struct bench b = bench_new(kernel, settings, size);
    bench_load(&b);
    multiply(&b, b.of.k - 32, shorter);
    assert_true(agrees(&b, b.right) && !output_fails(&b, b.right));
    for (int fault = 0; fault < FAULTS; fault++)
        for (uint64_t place = 0; place < places[fault]; place++) {
            const uint64_t draw = fault == ELEMENT ? fill_bits(5, place) : place,
                           at = draw % (b.of.m * b.of.n);
            if (nothing && fault != ELEMENT)
                continue;
            plant(&b, (enum fault)fault, draw, shorter, older, error_beyond(&b, b.right[at]), b.wrong);
            if (agrees(&b, b.wrong))
                fail_msg("%s %s: %s in the device's product agrees", kernel, settings, faults[fault]);
            if (!output_fails(&b, b.wrong))
                fail_msg("%s %s: %s in the output passes", kernel, settings, faults[fault]);
        }
    bench_free(&b);
}

TEST(planted_faults_are_found)
{
    for (size_t t = 0; t < TYPES; t++)
        assert_faults(types[t][0], types[t][1]);
}

/* Of a device's product, 2^-40 of what a row adds up: the tolerance is 100 times that. */
TEST(the_smallest_error)
{
    struct bench b = bench_new("matmul", "", "m=48 n=512 k=1024");
    bench_load(&b);
    const double error = 0x1p-40 * sqrt(1024) / 3 * 512;
    assert_true(100 * error < b.run.family->tolerance(&b.run.point).absolute);
    for (uint64_t place = 0; place < PLACES; place++) {
        const uint64_t at = fill_bits(3, place) % (b.of.m * b.of.n);
        b.wrong[at] += error;
        assert_false(agrees(&b, b.wrong));
        b.wrong[at] = b.right[at];
        assert_true(agrees(&b, b.wrong));
        b.wrong[at] = NAN;
        assert_false(agrees(&b, b.wrong));
        b.wrong[at] = b.right[at];
    }
    bench_free(&b);
}

/* A family whose operands are not what its reference multiplies. */
static void other_operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                          uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    family_find("matmul")->operand(point, inputs, side, row, rows, first, count, out);
    for (uint64_t i = 0; i < rows * count; i++)
        out[i] *= 1.001;
}

TEST(operands_are_those_of_the_reference)
{
    struct bench b = bench_new("matmul", "", "m=48 n=64 k=512");
    struct family family = *b.run.family;
    family.operand = other_operand;
    b.run.family = &family;
    bench_load(&b);
    assert_false(agrees(&b, b.right));
    bench_free(&b);
}

TEST(large_products)
{
    struct point small = family_point("matmul", "m=512 n=512 k=1024"),
                 large = family_point("matmul", "m=513 n=1024 k=512"), copy = family_point("copy", "");
    assert_false(product_is_large(family_of(&small), &small));
    assert_true(product_is_large(family_of(&large), &large));
    assert_false(product_is_large(family_of(&copy), &copy));
}
