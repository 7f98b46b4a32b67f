/* What the tolerances of families let pass: sums that lack their last terms, outputs that lack their last
 * elements, tiles in each other's place. Each of them must fail. */
#include "unit_test.h"

#include "family_test.h"
#include "family/rules.h"
#include "worker/verify.h"

/* A point with its right output and room for a wrong one. */
struct bench {
    struct family_run run;
    int output;
    uint64_t size;
    unsigned char *right, *wrong; /* of the output */
};

static struct bench bench_new(const char *kernel, const char *settings)
{
    struct bench b = {.run = family_run_new(kernel, settings)};
    b.run.inputs.setup = &b.run.setup;
    while (b.run.setup.buffer[b.output].role != BUFFER_OUTPUT)
        b.output++;
    const struct buffer *out = &b.run.setup.buffer[b.output];
    b.size = dtype_size(out->dtype);
    b.right = malloc(out->count * b.size);
    b.wrong = malloc(out->count * b.size);
    assert_true(b.right && b.wrong);
    b.run.family->reference(&b.run.point, &b.run.inputs, b.output, 0, out->count, b.right);
    memcpy(b.wrong, b.right, out->count * b.size);
    return b;
}

/* Stands in for the family's reference, which has been computed. */
static const struct bench *compared;
static void known(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                  uint64_t count, void *out)
{
    memcpy(out, compared->right + first * compared->size, count * compared->size);
}

static bool passes(struct bench *b)
{
    struct family family = *b->run.family;
    const uint64_t count = b->run.setup.buffer[b->output].count;
    family.reference = known;
    compared = b;
    b->run.inputs.setup = &b->run.setup;
    struct verification v = verify_start(&family, &b->run.point, &b->run.inputs, 2);
    struct verify_plan plan = verify_plan_buffer(&b->run.setup, b->output, 1);
    verify_range(&v, &plan, 0, count, b->wrong);
    return verify_passed(&v);
}

/* The planted fault is found, and the right output passes. */
static void assert_found(struct bench *b, const char *kernel, const char *settings, const char *fault)
{
    if (passes(b))
        fail_msg("%s %s: %s passes", kernel, settings, fault);
    memcpy(b->wrong, b->right, b->run.setup.buffer[b->output].count * b->size);
    assert_true(passes(b));
}

static void bench_free(struct bench *b)
{
    free(b->right);
    free(b->wrong);
}

/* Zero the last `count` of each `of` elements of an input, and compute the output with that. */
static void leave_out(struct bench *b, int input, uint64_t of, uint64_t count)
{
    const struct buffer *in = &b->run.setup.buffer[input], *out = &b->run.setup.buffer[b->output];
    b->run.inputs.setup = &b->run.setup; /* the bench has moved since it was made */
    for (uint64_t end = of; end <= in->count; end += of)
        memset((char *)b->run.data[input] + dtype_bytes(in->dtype, end - count), 0,
               dtype_bytes(in->dtype, count));
    b->run.family->reference(&b->run.point, &b->run.inputs, b->output, 0, out->count, b->wrong);
}

/* Faults of an output of whole rows: its last element, its last row, and two tiles of 16 columns swapped, or
 * never written. */
static void assert_outputs(const char *kernel, const char *settings, uint64_t row)
{
    struct bench b = bench_new(kernel, settings);
    const uint64_t count = b.run.setup.buffer[b.output].count;
    memset(b.wrong + (count - 1) * b.size, VERIFY_POISON, b.size);
    assert_found(&b, kernel, settings, "an element that is not written");
    memcpy(b.wrong + (count - row) * b.size, b.right, row * b.size);
    assert_found(&b, kernel, settings, "the first row in place of the last");
    for (uint64_t r = 0; r < 4; r++) {
        unsigned char *to = b.wrong + (count - row * r - 16) * b.size;
        memcpy(to, to - 16 * b.size, 16 * b.size);
    }
    assert_found(&b, kernel, settings, "a tile in place of its neighbour");
    bench_free(&b);
}

/* Terms of a product's sums that are left out: the last slice that a kernel has in shared memory at a time,
 * 128 bytes of rows, in all of C, and in one tile of 64 columns. */
static void assert_product(const char *settings)
{
    char text[200];
    struct bench b = bench_new("tensor_matmul", settings);
    const bool sparse = b.run.point.value[space_axis(b.run.point.space, "sparse")] != 0;
    const uint64_t k = (uint64_t)b.run.point.value[space_axis(b.run.point.space, "k")] / (sparse ? 2 : 1);
    const uint64_t slice = 128 * 8 / dtype_bits(b.run.setup.buffer[0].dtype) / (sparse ? 2 : 1);
    const uint64_t bytes = 64 * b.size;
    const uint64_t count = b.run.setup.buffer[b.output].count;
    leave_out(&b, 0, k, slice);
    unsigned char *part = malloc(bytes);
    assert_non_null(part);
    memcpy(part, b.wrong + count * b.size - bytes, bytes);
    snprintf(text, sizeof text, "C without the last %d columns of A", (int)slice);
    assert_found(&b, "tensor_matmul", settings, text);
    memcpy(b.wrong + count * b.size - bytes, part, bytes);
    snprintf(text, sizeof text, "64 elements without the last %d columns of A", (int)slice);
    assert_found(&b, "tensor_matmul", settings, text);
    free(part);
    bench_free(&b);
    assert_outputs("tensor_matmul", settings, 64);
}

TEST(tensor_products)
{
    static const char *const types[] = {
        "variant=mma dtype=f16 dtype_c=f32",
        "variant=mma dtype=bf16",
        "variant=mma dtype=f32",
        "variant=mma dtype=u8",
        "variant=wgmma dtype=e4m3",
        "variant=wgmma dtype=e4m3 dtype_c=f32",
        "variant=wgmma dtype=e5m2",
        "variant=wgmma dtype=e5m2 tile_shape=128x128 promote=1",
        "variant=cublaslt dtype=e4m3 promote=1",
        "variant=wgmma dtype=e4m3 data=whole",
        "variant=wgmma sparse=on dtype=e4m3",
        "variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e4m3",
        "variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e2m1",
    };
    static const int lengths[] = {256, 4096, 32768, 65536};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            char settings[200];
            snprintf(settings, sizeof settings, "%s m=8 n=64 k=%d", types[t], lengths[i]);
            assert_product(settings);
        }
}

TEST(products_of_f32)
{
    static const int lengths[] = {64, 4096, 16384};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "m=8 n=64 k=%d", lengths[i]);
        struct bench b = bench_new("matmul", settings);
        leave_out(&b, 0, (uint64_t)lengths[i], 8);
        assert_found(&b, "matmul", settings, "C without the last slice of 8 columns of A");
        leave_out(&b, 0, (uint64_t)lengths[i], 1);
        assert_found(&b, "matmul", settings, "C without the last column of A");
        bench_free(&b);
        assert_outputs("matmul", settings, 64);
    }
}

static void assert_sum(const char *kernel, const char *settings, int input)
{
    static const uint64_t lacking[] = {1024, 32, 1}; /* what a block, a warp and a thread add at a time */
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        struct bench b = bench_new(kernel, settings);
        char text[80];
        snprintf(text, sizeof text, "a sum without its last %d elements", (int)lacking[i]);
        leave_out(&b, input, b.run.setup.buffer[input].count, lacking[i]);
        assert_found(&b, kernel, settings, text);
        bench_free(&b);
    }
}

TEST(sums)
{
    assert_sum("reduce", "size=1MiB", 0);
    assert_sum("reduce", "size=64MiB", 0);
    assert_sum("reduce", "size=1MiB dtype=i32", 0);
    assert_sum("stream", "variant=dot size=1MiB", 0);
    assert_sum("stream", "variant=dot size=64MiB", 0);
    assert_sum("stream", "variant=dot size=1MiB dtype=f64", 0);
}

TEST(elements)
{
    static const char *const types[] = {"f32", "f16", "bf16", "e4m3", "e5m2"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char settings[80];
        snprintf(settings, sizeof settings, "dtype=%s batch=8 d=1024", types[t]);
        assert_outputs("silu_mul", settings, 1024);
        snprintf(settings, sizeof settings, "variant=gelu dtype=%s batch=8 d=1024", types[t]);
        assert_outputs("silu_mul", settings, 1024);
    }
}

/* A family with a tolerance is in a test here. */
TEST(all_families)
{
    static const char *const tested[] = {"matmul", "tensor_matmul", "reduce", "stream", "silu_mul"};
    for (const struct family *const *f = families; *f; f++) {
        bool here = (*f)->tolerance == rules_exact;
        for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
            here = here || !strcmp((*f)->space.kernel, tested[i]);
        if (!here)
            fail_msg("the tolerance of %s is not tested", (*f)->space.kernel);
    }
}
