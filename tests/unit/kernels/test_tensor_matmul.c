/* The tensor_matmul family: work, launches, reasons, tolerances, and the reference against products written
 * out. */
#include "unit_test.h"

#define FAMILY "tensor_matmul"
#include "family_test.h"

static const struct target b200 = {.capability = 100}, b300 = {.capability = 103}, rtx = {.capability = 120};

/* What no type rounds: tf32 has 10 bits after the point, u8 as signed bytes 7 in all. */
TEST(contents)
{
    static const char *const settings[] = {"dtype=f32", "dtype=u8", "variant=wgmma dtype=e4m3 data=whole",
                                           "dtype=u8 data=whole"};
    static const double lowest[] = {-1, 0, -1, 0}, highest[] = {1 - 0x1p-10, 127, 1, 1},
                        mean[] = {0, 63.5, 0, 0.5};
    for (size_t t = 0; t < 4; t++) {
        struct family_run run = run_new(settings[t]);
        double low = 1e9, high = -1e9, sum = 0;
        for (uint64_t i = 0; i < 65536; i++) {
            double value = dtype_load(run.setup.buffer[0].dtype,
                                      (const char *)run.data[0] + i * dtype_size(run.setup.buffer[0].dtype));
            assert_true(value * (t ? 1 : 1024) == floor(value * (t ? 1 : 1024)));
            low = fmin(low, value);
            high = fmax(high, value);
            sum += value;
        }
        assert_true(low == lowest[t] && high == highest[t]);
        assert_true(fabs(sum / 65536 - mean[t]) < (t == 1 ? 1 : 0.02));
    }
}

/* What the time model gets: a block of a pair loads its half of B; sums leave while the next tile is
 * multiplied. */
TEST(pipelines)
{
    struct tile_pipeline one, two, slow;
    struct point point = point_of("variant=tcgen05 m=8192 n=8192 k=8192");
    assert_true(family_of(&point)->pipeline(&point, &b200, &one));
    assert_true(one.tiles == 64 * 32 && one.slices == 128 && one.ahead == 3 && one.rate == 1 &&
                one.persistent);
    assert_true(one.bytes == (128 + 256) * 128 && one.flops == 2. * 128 * 256 * 64 && one.bank_bytes == 0);
    point = point_of("variant=tcgen05 m=8192 n=8192 k=8192 cluster=2");
    assert_true(family_of(&point)->pipeline(&point, &b200, &two));
    assert_true(two.tiles == one.tiles && two.bytes == (128 + 128) * 128 && two.flops == one.flops);
    point = point_of("variant=mma m=8192 n=8192 k=8192");
    assert_true(family_of(&point)->pipeline(&point, &b200, &slow));
    assert_true(slow.rate == 0.25);
    point = point_of("variant=mma dtype=u8");
    assert_true(family_of(&point)->pipeline(&point, &b300, &slow) && slow.rate == 1);
    point = point_of("variant=mma dtype=e4m3");
    assert_true(family_of(&point)->pipeline(&point, &rtx, &slow) && slow.rate == 0.5);
    point = point_of("variant=cublaslt");
    assert_false(family_of(&point)->pipeline(&point, &b200, &slow));
}

static uint64_t axis_of(const struct family_run *run, const char *name)
{
    return (uint64_t)run->point.value[space_axis(run->point.space, name)];
}

/* Every element of C against a sum in f64 of products of A and of B's rows, which are freed. */
static void assert_product(struct family_run *run, double *a, double *b)
{
    const enum dtype dtype = run->setup.buffer[2].dtype;
    const uint64_t m = axis_of(run, "m"), n = axis_of(run, "n"), k = axis_of(run, "k");
    const struct tolerance t = run->family->tolerance(&run->point);
    double squares = 0;
    family_run_reference(run);
    assert_int_equal(run->setup.buffer[2].count, m * n);
    for (uint64_t i = 0; i < m * n; i++) {
        double sum = 0, got = dtype_load(dtype, (char *)run->data[2] + dtype_size(dtype) * i);
        for (uint64_t p = 0; p < k; p++)
            sum += a[i / n * k + p] * b[i % n * k + p];
        assert_true(fabs(got - sum) <= t.absolute + t.relative * fabs(sum));
        squares += sum * sum;
    }
    assert_true(sqrt(squares / (double)(m * n)) > 10 * t.absolute); /* else nothing would be compared */
    free(a);
    free(b);
}

/* Rows of A or B; with scales each element times that of its 32 or 16 neighbours, in the layout of
 * tcgen05.cp: tiles of 128 rows and 4 blocks, of which 16 bytes are of rows r, r + 32, r + 64 and r + 96. */
static double *values_of(const struct family_run *run, int matrix)
{
    const enum dtype dtype = run->setup.buffer[matrix].dtype, type = run->setup.buffer[3].dtype;
    const unsigned char *bytes = run->data[matrix];
    const unsigned char *scales = run->setup.buffers > 4 ? run->data[matrix == 0 ? 3 : 4] : NULL;
    const bool nvfp4 = type == DTYPE_E4M3;
    const uint64_t k = axis_of(run, "k"), count = axis_of(run, matrix == 0 ? "m" : "n") * k,
                   pairs = (k + 255) / 256, tiles_fp4 = nvfp4 ? 4 * pairs : 2 * pairs,
                   tiles = dtype == DTYPE_E2M1 ? tiles_fp4 : (k + 127) / 128;
    double *values = malloc(count * sizeof *values);
    assert_non_null(values);
    dtype_load_range(dtype, bytes, values, count);
    for (uint64_t i = 0; i < count && scales; i++) {
        const uint64_t row = i / k, block = i % k / (nvfp4 ? 16 : 32);
        const unsigned char *scale =
            &scales[((row / 128 * tiles + block / 4) * 32 + row % 32) * 16 + row / 32 % 4 * 4 + block % 4];
        values[i] *= nvfp4 ? dtype_load(type, scale) : ldexp(1, *scale - 127);
    }
    return values;
}

/* Also where the reference takes portions that begin and end within rows. */
static void assert_reference(const char *settings)
{
    struct family_run run = run_new(settings);
    const uint64_t size = dtype_size(run.setup.buffer[2].dtype), n = axis_of(&run, "n");
    assert_product(&run, values_of(&run, 0), values_of(&run, 1));
    uint64_t first = n - 3, count = 2 * n + 5; /* the end of a row, two whole ones, two of the next */
    char *part = malloc(size * count);
    assert_non_null(part);
    run.family->reference(&run.point, &run.inputs, 2, first, count, part);
    assert_memory_equal(part, (char *)run.data[2] + size * first, size * count);
    free(part);
}

TEST(reference)
{
    assert_reference("m=5 n=40 k=24");
    assert_reference("m=19 n=264 k=520 dtype=f16 variant=wgmma");
    assert_reference("m=4 n=8 k=1032 data=ones");
    assert_reference("m=9 n=20 k=516 dtype=f32");
    assert_reference("m=9 n=300 k=528 dtype=u8");
    assert_reference("m=9 n=16 k=1040 dtype=e4m3 variant=wgmma");
    assert_reference("m=9 n=16 k=1040 dtype=e5m2 variant=wgmma dtype_c=f32 data=whole");
}

/* The sparse A that a thread's words of metadata describe (PTX ISA, figures of metadata of wgmma), word by
 * word; the reference goes by rows. Each field of four bits takes `of` columns. */
static double *expand_by_threads(const struct family_run *run, uint64_t m, uint64_t k)
{
    const enum dtype dtype = run->setup.buffer[0].dtype;
    const bool byte = dtype_size(dtype) == 1;
    const uint64_t of = dtype == DTYPE_F32 ? 2 : 4, slice = 128 / dtype_size(dtype);
    const uint64_t each = byte ? 2 : 1, slices = (k + slice - 1) / slice;
    double *a = calloc(m * k, sizeof *a);
    assert_non_null(a);
    for (uint64_t i = 0; i < run->setup.buffer[3].count; i++) {
        const uint64_t thread = i / each % 256, lane = thread % 32, four = lane % 4;
        const uint64_t block = i / each / 256 / slices, first = i / each / 256 % slices * slice;
        uint32_t word = ((const uint32_t *)run->data[3])[i];
        for (uint64_t f = 0; f < 8; f++, word >>= 4) {
            uint64_t row = block * 128 + thread / 32 * 16 + lane / 4, column;
            if (byte) { /* columns 0-31 of lanes 0 and 1, 32-63 of lanes 2 and 3, of 64 */
                row += four % 2 * 8;
                column = first + i % 2 * 64 + four / 2 * 32 + f * 4;
            } else { /* lanes 2 and 3 are selected by the second product */
                row += f / 4 * 8;
                column = first + (four / 2 * 8 + four % 2 * 4 + f % 4) * of;
            }
            if (row >= m || column >= k)
                continue;
            const uint32_t field = word & 15, low = field & 3, high = field >> 2;
            const char *stored = (const char *)run->data[0] + (row * k + column) / 2 * dtype_size(dtype);
            assert_true(of == 2 ? field == 4 || field == 14 : low < high);
            a[row * k + column + (of == 2 ? field == 14 : low)] = dtype_load(dtype, stored);
            if (of == 4)
                a[row * k + column + high] = dtype_load(dtype, stored + dtype_size(dtype));
        }
    }
    return a;
}

static void assert_sparse(const char *settings)
{
    struct family_run run = run_new(settings);
    const uint64_t m = axis_of(&run, "m"), k = axis_of(&run, "k");
    double *a = expand_by_threads(&run, m, k);
    uint64_t places[4] = {0};
    assert_int_equal(run.setup.buffer[0].count, m * k / 2);
    for (uint64_t i = 0; i < m * k; i++)
        places[i % 4] += a[i] != 0;
    for (int i = 0; i < 4; i++) /* half of each, at random */
        assert_true(fabs((double)places[i] / (double)(m * k / 4) - 0.5) < 0.1);
    assert_product(&run, a, values_of(&run, 1));
}

TEST(sparse)
{
    assert_sparse("variant=wgmma sparse=on m=150 n=8 k=144");
    assert_sparse("variant=wgmma sparse=on dtype=f16 m=40 n=16 k=1056");
    assert_sparse("variant=wgmma sparse=on dtype=f32 m=40 n=16 k=1048");
    assert_sparse("variant=wgmma sparse=on dtype=u8 m=150 n=8 k=288");
    assert_sparse("variant=wgmma sparse=on dtype=e4m3 m=40 n=16 k=1056");
}

/* What a lane of a warp gives to one mma.sp: four words of A, as they are stored, four of B, and one of
 * metadata. A word holds `each` elements. */
struct lane {
    const char *a[4], *b[4];
    uint32_t metadata;
};

/* The four bits that are about stored element `at` of a row of 16, of metadata that lanes hold (PTX ISA,
 * "Matrix fragments for multiply-accumulate operation with sparse matrix A", figures of the metadata of
 * m16n8k32, m16n8k16 and m16n8k64): `selector` names two lanes of each four, of types of one byte all four
 * have words. */
static uint32_t field_of(const struct lane *lanes, uint64_t row, uint64_t at, uint64_t size,
                         uint64_t selector)
{
    const uint64_t field = size == 4 ? at : at / 2, first = row % 8 * 4;
    if (size == 1)
        return lanes[first + field / 8 * 2 + row / 8].metadata >> field % 8 * 4 & 15;
    return lanes[first + selector * 2 + field / 4].metadata >> (row / 8 * 16 + field % 4 * 4) & 15;
}

/* Add one mma.sp to 16 x 8 sums: lane l holds, of A, stored elements of rows l / 4 and l / 4 + 8, of B
 * elements of column l / 4. */
static void multiply_sparse(const struct lane *lanes, enum dtype dtype, uint64_t selector, double *sums)
{
    const uint64_t size = dtype_size(dtype), each = 4 / size, group = size == 4 ? 2 : 4, k = 64 / size;
    double a[16][64] = {{0}}, b[8][64] = {{0}};
    for (uint64_t l = 0; l < 32; l++)
        for (uint64_t i = 0; i < 4 * each; i++) {
            const uint64_t word = i / each, part = l % 4 * each + i % each;
            const uint64_t row = l / 4 + word % 2 * 8, at = part + word / 2 * (k / 4);
            const uint32_t field = field_of(lanes, row, at, size, selector);
            uint64_t column = at % 2 ? at / 2 * 4 + (field >> 2) : at / 2 * 4 + (field & 3);
            if (group == 2)
                column = at * 2 + (field == 14);
            a[row][column] = dtype_load(dtype, lanes[l].a[word] + i % each * size);
            b[l / 4][part + word * 4 * each] = dtype_load(dtype, lanes[l].b[word] + i % each * size);
        }
    for (uint64_t i = 0; i < 16 * 8; i++)
        for (uint64_t p = 0; p < k; p++)
            sums[i] += a[i / 8][p] * b[i % 8][p];
}

/* 16 x 8 elements of C by the lanes of mma.sp, with the words of metadata that the kernel gives them, are
 * those of the reference. All sizes are whole: k is of whole slices. */
static void assert_fragments(const char *settings, uint64_t n, uint64_t k, uint64_t first_row)
{
    struct family_run run = run_new(settings);
    const enum dtype dtype = run.setup.buffer[0].dtype, of_c = run.setup.buffer[2].dtype;
    const uint64_t size = dtype_size(dtype), words = size == 1 ? 2 : 1, slices = k * size / 128;
    const struct tolerance t = run.family->tolerance(&run.point);
    const char *const a = run.data[0], *const b = run.data[1];
    double sums[16 * 8] = {0}, largest = 0;
    family_run_reference(&run);
    for (uint64_t step = 0; step < 2 * slices; step++) {
        struct lane lanes[32];
        for (uint64_t l = 0; l < 32; l++) {
            const uint64_t thread =
                (first_row / 128 * slices + step / 2) * 256 + first_row % 128 / 16 * 32 + l;
            const char *own_a = a + (first_row + l / 4) * k * size / 2 + step * 32 + l % 4 * 4;
            for (uint64_t i = 0; i < 4; i++) {
                lanes[l].a[i] = own_a + i % 2 * 8 * k * size / 2 + i / 2 * 16;
                lanes[l].b[i] = b + l / 4 * k * size + step * 64 + l % 4 * 4 + i * 16;
            }
            lanes[l].metadata = ((const uint32_t *)run.data[3])[thread * words + (words == 2 ? step % 2 : 0)];
        }
        multiply_sparse(lanes, dtype, words == 2 ? 0 : step % 2, sums);
    }
    for (uint64_t i = 0; i < 16 * 8; i++) {
        const uint64_t at = (first_row + i / 8) * n + i % 8;
        const double got = dtype_load(of_c, (const char *)run.data[2] + dtype_size(of_c) * at);
        assert_true(fabs(got - sums[i]) <= t.absolute + t.relative * fabs(sums[i]));
        largest = fmax(largest, fabs(sums[i]));
    }
    assert_true(largest > 1);
}

TEST(sparse_mma)
{
    assert_fragments("sparse=on m=160 n=8 k=192", 8, 192, 144);
    assert_fragments("sparse=on dtype=f16 dtype_c=f32 m=32 n=8 k=64", 8, 64, 16);
    assert_fragments("sparse=on dtype=f32 m=160 n=8 k=96", 8, 96, 128);
    assert_fragments("sparse=on dtype=u8 m=160 n=8 k=384", 8, 384, 144);
    assert_fragments("variant=wgmma sparse=on dtype=e4m3 m=48 n=8 k=128", 8, 128, 32);
}

static void assert_scaled(const char *settings)
{
    struct family_run run = run_new(settings);
    int times[256] = {0};
    assert_int_equal(run.setup.buffers, 5);
    assert_product(&run, values_of(&run, 0), values_of(&run, 1));
    for (uint64_t i = 0; i < run.setup.buffer[3].count; i++)
        times[((const unsigned char *)run.data[3])[i]]++;
    const bool nvfp4 = run.setup.buffer[3].dtype == DTYPE_E4M3;
    for (int code = 0; code < 256 && nvfp4; code++) /* 1/2 to 2, and no negative ones */
        assert_true(!times[code] || (code >= 0x30 && code <= 0x40));
    if (nvfp4)
        return;
    for (int code = 126; code <= 128; code++) /* 1/2, 1, 2 and no others */
        assert_true((uint64_t)times[code] > run.setup.buffer[3].count / 10);
    assert_true((uint64_t)(times[126] + times[127] + times[128]) == run.setup.buffer[3].count);
}

TEST(scales)
{
    assert_scaled("variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e4m3 dtype_c=f32 m=140 n=8 k=160");
    assert_scaled("variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e2m1 dtype_c=f32 m=40 n=136 k=1056");
    assert_scaled("variant=tcgen05 tile_shape=128x128 scale=e8m0 dtype=e2m1 m=9 n=16 k=96");
    assert_scaled("variant=tcgen05 tile_shape=128x128 scale=e4m3 dtype=e2m1 dtype_c=f32 m=140 n=8 k=1056");
    assert_scaled("variant=cublaslt scale=e4m3 dtype=e2m1 m=9 n=16 k=96");
}
