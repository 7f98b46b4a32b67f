/* Verification against a family made for it: planted errors of every kind must be found, right output must
 * pass, and the message must say where and what. */
#include "unit_test.h"

#include "worker/verify.h"

/* The family: out[i] = 2 * in[i] + 1 in the buffer's dtype, except every `gap`-th element, which the kernel
 * does not write. Where `special` is set, element 5 is a NaN and element 6 an infinity. */
struct knobs {
    uint64_t gap;
    int special;
    struct tolerance tolerance;
};
static struct knobs knobs;

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    enum dtype dtype = inputs->setup->buffer[buffer].dtype;
    uint64_t size = dtype_size(dtype);
    for (uint64_t i = first; i < first + count; i++) {
        double value = 2 * inputs_real(inputs, 0, i) + 1;
        if (knobs.special && i == 5)
            value = NAN;
        if (knobs.special && i == 6)
            value = INFINITY;
        if (!knobs.gap || i % knobs.gap)
            dtype_store(dtype, (char *)out + (i - first) * size, value);
    }
}

static struct tolerance tolerance(const struct point *point)
{
    return knobs.tolerance;
}

static const struct family family = {.reference = reference, .tolerance = tolerance};
static const struct point point;

/* A whole correct output of `count` elements, as a kernel would leave it. */
struct bench {
    struct setup setup;
    struct inputs inputs;
    unsigned char *out;
    uint64_t size;
};

static struct bench bench_new(enum dtype dtype, uint64_t count, struct knobs with)
{
    struct bench b = {.size = dtype_size(dtype)};
    static unsigned char *last; /* the output, until the next one */
    knobs = with;
    b.setup.buffer[0] = (struct buffer){.name = "in", .role = BUFFER_INPUT, .dtype = dtype, .count = count};
    b.setup.buffer[0].fill = (struct fill){.kind = FILL_RANDOM, .low = 1, .high = 2};
    b.setup.buffer[1] = (struct buffer){.name = "out", .role = BUFFER_OUTPUT, .dtype = dtype, .count = count};
    b.setup.buffers = 2;
    free(last);
    b.out = last = malloc(count * b.size + 1);
    memset(b.out, VERIFY_POISON, count * b.size);
    b.inputs.setup = &b.setup;
    b.inputs.seed = 7;
    reference(&point, &b.inputs, 1, 0, count, b.out);
    return b;
}

/* What a back end does: fetch what the plan names and compare it. */
static struct verification bench_verify(struct bench *b, int threads)
{
    b->inputs.setup = &b->setup;
    struct verification v = verify_start(&family, &point, &b->inputs, threads);
    struct verify_plan plan = verify_plan_buffer(&b->setup, 1, 99);
    for (int i = 0; i < plan.ranges; i++)
        verify_range(&v, &plan, plan.range[i].first, plan.range[i].count,
                     b->out + plan.range[i].first * b->size);
    if (plan.samples) {
        unsigned char *gathered = malloc(plan.samples * b->size);
        for (uint64_t k = 0; k < plan.samples; k++)
            memcpy(gathered + k * b->size, b->out + verify_index(&plan, k) * b->size, b->size);
        verify_samples(&v, &plan, 0, plan.samples / 3, gathered);
        verify_samples(&v, &plan, plan.samples / 3, plan.samples - plan.samples / 3,
                       gathered + plan.samples / 3 * b->size);
        free(gathered);
    }
    return v;
}

static void assert_passes(struct bench *b)
{
    struct verification v = bench_verify(b, 2);
    assert_true(verify_passed(&v));
}

/* So many elements are wrong, the first of them at an index. */
static struct verification assert_wrong(struct bench *b, uint64_t mismatches, uint64_t index)
{
    struct verification v = bench_verify(b, 2);
    assert_false(verify_passed(&v));
    assert_int_equal(v.mismatches, mismatches);
    assert_int_equal(v.bad_index, index);
    return v;
}

static void assert_says(const struct verification *v, const char *part)
{
    char text[256];
    verify_describe(v, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static void put(struct bench *b, uint64_t index, double value)
{
    dtype_store(b->setup.buffer[1].dtype, b->out + index * b->size, value);
}

TEST(right_output_passes)
{
    static const uint64_t counts[] = {1, 2, 1003, 4096, 4097, (1 << 20) + 7};
    for (int dtype = 0; dtype < DTYPE_E2M1; dtype++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct bench b = bench_new((enum dtype)dtype, counts[c], (struct knobs){.gap = c % 2 ? 3 : 0});
            struct verification v = bench_verify(&b, 1 + (int)c);
            assert_true(verify_passed(&v));
            assert_int_equal(v.compared, counts[c]);
            assert_int_equal(v.mismatches, 0);
            assert_true(v.error_max == 0);
        }
    }
}

TEST(one_wrong_element_is_found_anywhere)
{
    enum { COUNT = 300001 };
    static const uint64_t places[] = {0, 1, 4095, 4096, COUNT / 2, 65536, COUNT - 2, COUNT - 1};
    struct bench b = bench_new(DTYPE_F32, COUNT, (struct knobs){0});
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        float *element = (float *)b.out + places[i], right = *element;
        *element = nextafterf(right, INFINITY);
        struct verification v = assert_wrong(&b, 1, places[i]);
        assert_int_equal(v.bad_buffer, 1);
        assert_true(v.error_max > 0 && v.error_max < 1e-6);
        *element = right;
    }
    assert_passes(&b);
}

TEST(the_lowest_index_is_reported)
{
    enum { COUNT = 500000 };
    struct bench b = bench_new(DTYPE_F32, COUNT, (struct knobs){0});
    for (uint64_t i = 1234; i < COUNT; i += 1000)
        put(&b, i, -1);
    for (int round = 0; round < 10; round++) {
        struct verification v = bench_verify(&b, 7);
        assert_int_equal(v.bad_index, 1234);
        assert_int_equal(v.mismatches, (COUNT - 1234 + 999) / 1000);
    }
}

TEST(poison_that_stayed_fails)
{
    struct tolerance loose = {.relative = 1e-2, .absolute = 1e-2};
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64, DTYPE_E4M3, DTYPE_E5M2};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct bench b = bench_new(types[t], 1000, (struct knobs){.tolerance = loose});
        memset(b.out + 999 * b.size, VERIFY_POISON, b.size);
        struct verification v = assert_wrong(&b, 1, 999);
        assert_true(isinf(v.error_max));
        assert_says(&v, "got nan (the poison: it looks unwritten)");
    }
}

TEST(a_written_gap_fails_under_any_tolerance)
{
    struct tolerance loose = {.relative = 1e30, .absolute = 1e30};
    struct bench b = bench_new(DTYPE_F32, 1000, (struct knobs){.gap = 10, .tolerance = loose});
    assert_passes(&b);
    put(&b, 990, 0);
    struct verification v = assert_wrong(&b, 1, 990);
    assert_says(&v, "expected nan, got 0 (the poison was to stay)");
}

TEST(not_a_number_fails_unless_expected_bit_for_bit)
{
    struct tolerance loose = {.relative = 1e30, .absolute = 1e30};
    struct bench b = bench_new(DTYPE_F32, 100, (struct knobs){.tolerance = loose});
    put(&b, 50, NAN);
    assert_wrong(&b, 1, 50);
    b = bench_new(DTYPE_F32, 100, (struct knobs){.special = 1, .tolerance = loose});
    assert_passes(&b); /* the expected NaN and infinity */
    put(&b, 5, 1);
    assert_wrong(&b, 1, 5); /* a number for the NaN */
    uint32_t other = 0x7fc00123;
    memcpy(b.out + 5 * 4, &other, 4);
    struct verification v = assert_wrong(&b, 1, 5); /* another NaN */
    assert_says(&v, "got 0x7fc00123");
}

TEST(infinity_is_no_matter_of_tolerance)
{
    struct tolerance loose = {.relative = 1e-3};
    struct bench b = bench_new(DTYPE_F32, 100, (struct knobs){.special = 1, .tolerance = loose});
    put(&b, 6, 1e30); /* |1e30 - inf| <= 1e-3 * inf holds */
    assert_wrong(&b, 1, 6);
    put(&b, 6, -INFINITY);
    assert_wrong(&b, 1, 6);
    put(&b, 6, INFINITY);
    put(&b, 7, INFINITY);
    assert_wrong(&b, 1, 7);
}

TEST(tolerance_is_relative_plus_absolute)
{
    struct bench b = bench_new(DTYPE_F64, 100, (struct knobs){.tolerance = {.relative = 1e-3}});
    double right = ((double *)b.out)[10];
    put(&b, 10, right * (1 + 0.9e-3));
    struct verification v = bench_verify(&b, 1);
    assert_true(verify_passed(&v));
    assert_true(v.error_max > 0.89e-3 && v.error_max < 0.91e-3);
    put(&b, 10, right * (1 - 1.1e-3));
    assert_wrong(&b, 1, 10);
    knobs.tolerance = (struct tolerance){.absolute = 0.01};
    put(&b, 10, right + 0.0099);
    assert_passes(&b);
    put(&b, 10, right - 0.0101);
    assert_wrong(&b, 1, 10);
}

/* The reference is 3 to 5. Of a quarter of 1000 elements the outputs are 0.01 too large, one is 0.5 too
 * small. */
TEST(deviation)
{
    struct result result = result_new();
    struct bench b = bench_new(DTYPE_F64, 1000, (struct knobs){.tolerance = {.absolute = 1}, .gap = 5});
    double squares = 0, count = 0;
    for (uint64_t i = 0; i < 1000; i++)
        if (i % 5) { /* the others are not written */
            double right = ((double *)b.out)[i];
            squares += right * right;
            count++;
            double wrong = i == 502 ? -0.5 : 0;
            put(&b, i, right + (i % 4 == 1 ? 0.01 : wrong));
        }
    struct verification v = bench_verify(&b, 3);
    verify_conclude(&v, &result);
    assert_true(verify_passed(&v));
    assert_true(fabs(result.real[REAL_error_rms] - sqrt((200 * 1e-4 + 0.25) / squares)) < 1e-12);
    assert_true(fabs(result.real[REAL_error_peak] - 0.5 / sqrt(squares / count)) < 1e-12);
    put(&b, 7, INFINITY);
    v = bench_verify(&b, 3);
    verify_conclude(&v, &result);
    assert_true(isinf(result.real[REAL_error_rms]) && isinf(result.real[REAL_error_peak]));
    /* What is infinite or no number, and equal, has no error, and is no reference. */
    b = bench_new(DTYPE_F64, 128, (struct knobs){.special = 1, .tolerance = {.absolute = 1}});
    v = bench_verify(&b, 1);
    assert_true(verify_passed(&v) && v.deviation.squares == 0 && v.deviation.count == 126);
    put(&b, 6, 1);
    v = bench_verify(&b, 1);
    assert_true(v.mismatches == 1 && isinf(v.deviation.largest) && v.deviation.count == 126);
    knobs.tolerance = (struct tolerance){0};
    result.real[REAL_error_rms] = result.real[REAL_error_peak] = NAN;
    v = bench_verify(&b, 3);
    verify_conclude(&v, &result);
    assert_true(isnan(result.real[REAL_error_rms]) && isnan(result.real[REAL_error_peak]));
}

/* Errors that each element may have, but not 64 of them; where the output is sampled, 64 samples. */
TEST(root_mean_square_is_bounded)
{
    struct bench b = bench_new(DTYPE_F64, 1000, (struct knobs){.tolerance = {.absolute = 1, .rms = 0.1}});
    for (uint64_t i = 0; i < 1000; i += 64)
        ((double *)b.out)[i] += 0.7; /* one in 64: 0.0875 */
    assert_passes(&b);
    for (uint64_t i = 640; i < 704; i += 2)
        ((double *)b.out)[i] += 0.2;
    struct verification v = bench_verify(&b, 3);
    assert_false(verify_passed(&v));
    assert_true(v.mismatches == 0 && v.piece.count == 1 && v.piece.index == 640);
    assert_says(&v,
                "output 'out'[640] and 63 more: the root mean square of the errors beyond rounding is 0.1");
    knobs.tolerance.relative = 0.1; /* half of it, times 3 to 5, is more */
    assert_passes(&b);
    uint64_t count = VERIFY_WHOLE_BYTES / 4 + 1000;
    b = bench_new(DTYPE_F32, count, (struct knobs){.tolerance = {.absolute = 1, .rms = 0.1}});
    for (uint64_t i = VERIFY_EDGE_BYTES / 4; i < count - VERIFY_EDGE_BYTES / 4; i++)
        ((float *)b.out)[i] += 0.11f;
    v = bench_verify(&b, 2);
    assert_false(verify_passed(&v));
    assert_true(v.mismatches == 0 && v.piece.count > VERIFY_SAMPLES / VERIFY_PIECE * 9 / 10);
}

/* Outputs that are sampled. */
TEST(deviation_of_samples)
{
    struct result result = result_new();
    uint64_t count = VERIFY_WHOLE_BYTES / 4 + 1000;
    struct bench b = bench_new(DTYPE_F32, count, (struct knobs){.tolerance = {.relative = 0.01}});
    for (uint64_t i = 0; i < count; i++)
        ((float *)b.out)[i] *= 1.0078125f;
    struct verification v = bench_verify(&b, 2);
    verify_conclude(&v, &result);
    assert_true(verify_passed(&v));
    assert_true(fabs(result.real[REAL_error_rms] - 0.0078125) < 1e-6);
    assert_true(v.deviation.count == v.compared);
}

TEST(without_tolerance_bits_count)
{
    struct bench b = bench_new(DTYPE_F64, 10, (struct knobs){0});
    b.setup.buffer[0].fill =
        (struct fill){.kind = FILL_RANDOM, .low = -0.5f, .high = -0.5f}; /* 2 * -0.5 + 1 = 0 */
    b.inputs.setup = &b.setup;
    reference(&point, &b.inputs, 1, 0, 10, b.out);
    assert_passes(&b);
    put(&b, 3, -0.0);
    assert_wrong(&b, 1, 3);
}

TEST(the_plan_of_a_large_output)
{
    struct setup setup = {.buffers = 1};
    for (int dtype = 0; dtype < DTYPE_E2M1; dtype++) {
        uint64_t size = dtype_size((enum dtype)dtype), whole = VERIFY_WHOLE_BYTES / size;
        setup.buffer[0] = (struct buffer){.dtype = (enum dtype)dtype, .count = whole};
        struct verify_plan plan = verify_plan_buffer(&setup, 0, 1);
        assert_int_equal(plan.ranges, 1);
        assert_int_equal(plan.range[0].first, 0);
        assert_int_equal(plan.range[0].count, whole);
        assert_int_equal(plan.samples, 0);

        setup.buffer[0].count = whole + 1;
        plan = verify_plan_buffer(&setup, 0, 1);
        assert_int_equal(plan.ranges, 2);
        assert_int_equal(plan.range[0].first, 0);
        assert_int_equal(plan.range[0].count * size, 1 << 20);
        assert_int_equal(plan.range[1].first + plan.range[1].count, whole + 1);
        assert_int_equal(plan.range[1].count * size, 1 << 20);
        assert_true(plan.samples >= 1 << 20);
    }
    setup.buffer[0].count = 0;
    struct verify_plan plan = verify_plan_buffer(&setup, 0, 1);
    assert_int_equal(plan.ranges, 0);
    assert_int_equal(plan.samples, 0);
}

/* Of 1000 rows, 20: in order, one in each part of 50. */
TEST(rows_to_compare)
{
    struct setup setup = {.buffer = {{.dtype = DTYPE_F32, .count = 1000 * 48}}, .buffers = 1};
    setup.rows = 1000;
    setup.rows_compared = 20;
    struct verify_plan a = verify_plan_buffer(&setup, 0, 1), b = verify_plan_buffer(&setup, 0, 2);
    int same = 0;
    assert_int_equal(a.ranges, 20);
    assert_int_equal(a.samples, 0);
    for (uint64_t r = 0; r < 20; r++) {
        assert_int_equal(a.range[r].count, 48);
        assert_int_equal(a.range[r].first % 48, 0);
        assert_int_equal(a.range[r].first / 48 / 50, r);
        same += a.range[r].first == b.range[r].first;
    }
    assert_int_equal(a.range[0].first, 0);
    assert_int_equal(a.range[19].first, 999 * 48);
    assert_in_range(same, 2, 8);

    setup.rows_compared = 1; /* the first and the last */
    assert_int_equal(verify_plan_buffer(&setup, 0, 1).ranges, 2);
    setup.rows_compared = 5000;
    assert_int_equal(verify_plan_buffer(&setup, 0, 1).ranges, 1); /* the whole */
    setup.rows_compared = 999;
    assert_int_equal(verify_plan_buffer(&setup, 0, 1).ranges, VERIFY_ROWS_MAX);
}

/* Faults are found in the rows that are compared, and in no other. */
TEST(faults_in_rows_to_compare)
{
    struct bench b = bench_new(DTYPE_F32, 1000 * 48, (struct knobs){0});
    b.setup.rows = 1000;
    b.setup.rows_compared = 20;
    struct verify_plan plan = verify_plan_buffer(&b.setup, 1, 99);
    struct verification v = bench_verify(&b, 2);
    assert_true(verify_passed(&v));
    assert_int_equal(v.compared, 20 * 48);
    for (int r = 0; r < plan.ranges; r++) {
        const uint64_t index = plan.range[r].first + (uint64_t)r;
        const float right = ((float *)b.out)[index];
        put(&b, index, 1000);
        assert_wrong(&b, 1, index);
        put(&b, index, right);
    }
    put(&b, 48 * (plan.range[3].first / 48 + 1), 1000);
    assert_passes(&b);
}

TEST(samples_spread_over_the_whole_and_follow_the_seed)
{
    struct setup setup = {.buffer = {{.dtype = DTYPE_F32, .count = UINT64_C(3000000017)}}, .buffers = 1};
    struct verify_plan a = verify_plan_buffer(&setup, 0, 1), b = verify_plan_buffer(&setup, 0, 2);
    int bucket[16] = {0}, same = 0;
    for (uint64_t k = 0; k < a.samples; k++) {
        uint64_t index = verify_index(&a, k);
        assert_true(index < a.count);
        assert_int_equal(index, fill_bits(1, k) % a.count); /* the formula that device code gathers by */
        bucket[index * 16 / a.count]++;
        same += index == verify_index(&b, k);
    }
    for (int i = 0; i < 16; i++) /* 65536 each; standard deviation 248 */
        assert_in_range(bucket[i], 65536 - 1500, 65536 + 1500);
    assert_true(same < 10);
}

/* Above 64 MiB: head, tail, and errors that are dense enough for the samples. */
TEST(large_output)
{
    const uint64_t count = VERIFY_WHOLE_BYTES + 12345;
    struct bench b = bench_new(DTYPE_U8, count, (struct knobs){.gap = 5});
    struct verification v = bench_verify(&b, 2);
    assert_true(verify_passed(&v));
    assert_int_equal(v.compared, 2 * VERIFY_EDGE_BYTES + VERIFY_SAMPLES);

    b.out[count - 1] ^= 1; /* a tail that was not handled */
    assert_wrong(&b, 1, count - 1);
    b.out[count - 1] ^= 1;

    for (uint64_t i = VERIFY_EDGE_BYTES; i < count - VERIFY_EDGE_BYTES; i += 1024)
        b.out[i] ^= 0x40; /* one in 1024: about 1000 of the samples */
    v = bench_verify(&b, 2);
    assert_in_range(v.mismatches, 700, 1300);
    assert_int_equal((v.bad_index - VERIFY_EDGE_BYTES) % 1024, 0);
    assert_int_equal(v.bad_actual, b.out[v.bad_index]);
    assert_int_equal(v.bad_expected, b.out[v.bad_index] ^ 0x40);
}

TEST(the_message)
{
    char text[256];
    struct bench b = bench_new(DTYPE_F32, 1000, (struct knobs){0});
    ((float *)b.out)[123] = NAN;
    for (int i = 200; i < 216; i++)
        put(&b, (uint64_t)i, 0);
    struct verification v = bench_verify(&b, 3);
    verify_describe(&v, text, sizeof text);
    float expected = 0;
    reference(&point, &b.inputs, 1, 123, 1, &expected);
    char wanted[256];
    snprintf(wanted, sizeof wanted,
             "output 'out'[123]: expected %.9g, got nan; 17 of 1000 compared elements differ",
             (double)expected);
    assert_string_equal(text, wanted);

    b = bench_new(DTYPE_I64, 4, (struct knobs){0});
    int64_t large = INT64_C(9007199254740993); /* 2^53 + 1: a double cannot say it */
    memcpy(b.out, &large, 8);
    v = bench_verify(&b, 1);
    assert_says(&v, "got 9007199254740993;");
}

TEST(nothing_compared_is_no_pass)
{
    struct bench b = bench_new(DTYPE_F32, 4, (struct knobs){0});
    struct verification v = verify_start(&family, &point, &b.inputs, 1);
    assert_false(verify_passed(&v));
    char text[64];
    verify_describe(&v, text, sizeof text);
    assert_string_equal(text, "no output element was compared");
}

/* ---- What is kept ---- */

static _Atomic uint64_t asked; /* elements that a reference was asked for */

static void counting_reference(const struct point *of, const struct inputs *inputs, int buffer,
                               uint64_t first, uint64_t count, void *out)
{
    asked += count;
    reference(of, inputs, buffer, first, count, out);
}

static const struct family kept_family = {
    .space = {.kernel = "kept"}, .reference = counting_reference, .tolerance = tolerance};

/* Compares all but the last `left` elements; how many the reference was asked for. */
static uint64_t verify_kept(struct bench *b, struct expectations *kept, uint64_t left, bool right)
{
    const struct point of = {.space = &kept_family.space};
    b->inputs.setup = &b->setup;
    struct verification v = verify_start(&kept_family, &of, &b->inputs, 3);
    struct verify_plan plan = verify_plan_buffer(&b->setup, 1, b->inputs.seed);
    v.kept = kept;
    asked = 0;
    verify_range(&v, &plan, 0, 1000, b->out);
    verify_range(&v, &plan, 1000, plan.count - 1000 - left, b->out + 1000 * b->size);
    assert_int_equal(verify_passed(&v), right);
    assert_int_equal(verify_is_known(&v), left == 0);
    return asked;
}

/* The second time nothing is computed, and what is wrong is found all the same; other inputs are others'. */
TEST(a_reference_is_computed_once)
{
    enum { COUNT = 50000 };
    struct expectations *kept = expectations_new(1 << 20);
    struct bench b = bench_new(DTYPE_F32, COUNT, (struct knobs){.gap = 7});
    assert_int_equal(verify_kept(&b, kept, 500, true), COUNT - 500); /* an attempt that came no further */
    assert_int_equal(verify_kept(&b, kept, 0, true), COUNT - 1000);  /* the second portion was not whole */
    assert_int_equal(verify_kept(&b, kept, 0, true), 0);
    put(&b, 49999, 0);
    assert_int_equal(verify_kept(&b, kept, 0, false), 0);
    b.inputs.seed++;
    reference(&point, &b.inputs, 1, 0, COUNT, b.out);
    assert_int_equal(verify_kept(&b, kept, 0, true), COUNT);
    b.setup.buffer[0].fill.high = 3;
    reference(&point, &b.inputs, 1, 0, COUNT, b.out);
    assert_int_equal(verify_kept(&b, kept, 0, true), COUNT);
    assert_int_equal(verify_kept(&b, NULL, 1, true), COUNT - 1); /* with nothing kept, all of it */
    expectations_free(kept);
}

TEST(a_reference_of_rows_is_computed_once)
{
    struct expectations *kept = expectations_new(1 << 20);
    struct bench b = bench_new(DTYPE_F32, 1000 * 48, (struct knobs){0});
    const struct point of = {.space = &kept_family.space};
    b.setup.rows = 1000;
    b.setup.rows_compared = 20;
    b.inputs.setup = &b.setup;
    for (int turn = 0; turn < 2; turn++) {
        struct verification v = verify_start(&kept_family, &of, &b.inputs, 3);
        struct verify_plan plan = verify_plan_buffer(&b.setup, 1, b.inputs.seed);
        v.kept = kept;
        asked = 0;
        for (int r = 0; r < plan.ranges; r++)
            verify_range(&v, &plan, plan.range[r].first, plan.range[r].count,
                         b.out + plan.range[r].first * b.size);
        assert_true(verify_passed(&v) && verify_is_known(&v));
        assert_int_equal(v.compared, 20 * 48);
        assert_int_equal(asked, turn ? 0 : 20 * 48);
    }
    expectations_free(kept);
}
