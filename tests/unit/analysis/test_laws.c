/* Laws: which points they are about, that they are checked against the counters, and what is said of them. The counters are
 * made up here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/laws.h"
#include "core/frame.h"
#include "table/view.h"

#define L2 (50 << 20)

enum { KERNEL, VARIANT, DTYPE, CACHE, STATUS, GROUP, TEXTS };
static const char *const text_names[TEXTS] = {COLUMN(kernel), "variant",      COLUMN(dtype),
                                              "cache",        COLUMN(status), MERGE_GROUP};
enum { STRIDE, VECTOR, DEVICE, INTEGERS };
static const char *const integer_names[INTEGERS] = {"stride", "vector", COLUMN(device)};
enum { BYTES, READ, REALS };
static const char *const real_names[REALS] = {COLUMN(bytes_read), "dram_bytes_read"};

struct made {
    const char *group, *dtype, *cache, *status;
    int64_t stride;
    double bytes, counted; /* the latter for an access; NaN: not counted */
};

static struct merge_group groups[] = {{.label = "first"}, {.label = "second"}};

static struct merged make(const struct made *rows, size_t count)
{
    struct merged merged = {
        .all = {.results = frame_new(), .devices = frame_new()}, .group = groups, .groups = 2};
    struct frame *results = &merged.all.results;
    int l2 = frame_add_column(&merged.all.devices, DEVICE_COLUMN(l2_bytes), COLUMN_INTEGER, ROLE_OTHER,
                              "bytes", "");
    int text[TEXTS], integer[INTEGERS], real[REALS];
    frame_add_row(&merged.all.devices);
    frame_put_integer(&merged.all.devices, 0, l2, L2);
    for (int i = 0; i < TEXTS; i++)
        text[i] = frame_add_column(results, text_names[i], COLUMN_TEXT, ROLE_OTHER, "", "");
    for (int i = 0; i < INTEGERS; i++)
        integer[i] = frame_add_column(results, integer_names[i], COLUMN_INTEGER, ROLE_OTHER, "", "");
    for (int i = 0; i < REALS; i++)
        real[i] = frame_add_column(results, real_names[i], COLUMN_REAL, ROLE_OTHER, "", "");
    for (size_t row = 0; row < count; row++) {
        const struct made *m = &rows[row];
        const char *const texts[TEXTS] = {"copy", "load", m->dtype, m->cache, m->status, m->group};
        const int64_t integers[INTEGERS] = {m->stride, 1, 0};
        frame_add_row(results);
        for (int i = 0; i < TEXTS; i++)
            frame_put_text(results, row, text[i], texts[i]);
        for (int i = 0; i < INTEGERS; i++)
            frame_put_integer(results, row, integer[i], integers[i]);
        frame_put_real(results, row, real[BYTES], m->bytes);
        frame_put_real(results, row, real[READ], m->counted * m->bytes / 4);
    }
    return merged;
}

static void drop(struct merged *merged)
{
    frame_free(&merged->all.results);
    frame_free(&merged->all.devices);
}

#define LARGE (1 << 30)

static const struct made kept[] = {
    {"first", "f32", "cold", "ok", 1, LARGE, 4},     {"first", "f32", "cold", "ok", 8, LARGE, 32.3},
    {"first", "f32", "cold", "ok", 137, LARGE, 64},  {"second", "f32", "cold", "ok", 1, LARGE, 4},
    {"second", "f32", "cold", "ok", 8, LARGE, 64},   {"second", "f32", "cold", "ok", 137, LARGE, 128},
    {"first", "f32", "hot", "ok", 8, LARGE, 1},      {"first", "f32", "cold", "failed", 8, LARGE, 1},
    {"first", "f32", "cold", "ok", 8, 1 << 20, 1},   {"first", "f32", "cold", "ok", 8, LARGE, NAN},
    {"first", "unknown", "cold", "ok", 8, LARGE, 1},
};

static void test_points(void **state)
{
    (void)state;
    struct merged merged = make(kept, sizeof kept / sizeof *kept);
    const struct law *law = law_find("copy_read");
    struct law_point point;
    assert_non_null(law);
    assert_null(law_find("copy_reads"));
    assert_true(law_apply(law, &merged.all, 1, &point));
    assert_float_equal(point.x, 32, 0);
    assert_float_equal(point.expected, 32, 0);
    assert_float_equal(point.counted, 32.3, 1e-9);
    assert_true(law_apply(law, &merged.all, 2, &point));
    assert_float_equal(point.x, 548, 0);
    assert_float_equal(point.expected, 64, 0);
    for (size_t row = 6; row < sizeof kept / sizeof *kept; row++)
        assert_false(law_apply(law, &merged.all, row, &point));
    for (size_t i = 0; i < laws_count(); i++)
        assert_ptr_equal(law_find(laws[i].name), &laws[i]);
    drop(&merged);
}

/* One device keeps it, the other reads whole lines: nothing is said to hold that does not. */
static void test_groups(void **state)
{
    (void)state;
    static const char *const label[] = {"A", "B"};
    struct merged merged = make(kept, sizeof kept / sizeof *kept);
    const struct law *law = law_find("copy_read");
    const struct law_rows rows[2] = {law_rows_of(&merged, 0), law_rows_of(&merged, 1)};
    struct law_kept first = law_check(law, &rows[0]), second = law_check(law, &rows[1]);
    struct text out = {0};
    assert_int_equal(first.points, 3);
    assert_int_equal(first.within, 3);
    assert_float_equal(first.most, 0.3 / 32, 1e-9);
    assert_true(law_holds(&first));
    assert_int_equal(second.points, 3);
    assert_int_equal(second.within, 1);
    assert_float_equal(second.most, 1, 1e-9);
    assert_false(law_holds(&second));
    assert_true(law_tell(law, &merged, label, &out));
    assert_non_null(strstr(out.data,
                           "for distance 4 to 548 bytes: at 3 of 3 points on A (largest deviation 0.94 %) "
                           "and only at 1 of 3 on B (100 %)."));
    assert_null(strstr(out.data, law->meaning)); /* it does not follow for B */
    text_free(&out);
    merged.groups = 1;
    assert_true(law_tell(law, &merged, label, &out));
    assert_non_null(strstr(out.data, law->meaning));
    merged.groups = 2;
    text_free(&out);
    drop(&merged);
}

/* What `compare` says of the two. */
static void test_differences(void **state)
{
    (void)state;
    static const char *const label[2] = {"A", "B"};
    struct merged merged = make(kept, sizeof kept / sizeof *kept);
    const struct law_rows rows[2] = {law_rows_of(&merged, 0), law_rows_of(&merged, 1)};
    struct text out = {0};
    assert_true(law_tell_differences(rows, label, &out));
    assert_string_equal(
        out.data, "laws of the access model: both sides keep 0 of 1; they differ in:\n"
                  "copy_read: DRAM bytes read for an access = min(distance, 64)\n"
                  "  A: kept at 3 of 3 points, for distance 4 to 548 bytes, largest deviation 0.94 %\n"
                  "  B: kept only at 1 of 3 points, for distance 4 to 548 bytes, largest deviation 100 %\n");
    text_free(&out);
    drop(&merged);
    merged = make(kept, 4); /* too few of the second */
    const struct law_rows few[2] = {law_rows_of(&merged, 0), law_rows_of(&merged, 1)};
    assert_false(law_tell_differences(few, label, &out));
    assert_null(out.data);
    drop(&merged);
}

static void test_too_few(void **state)
{
    (void)state;
    static const char *const label[] = {"A", "B"};
    struct merged merged = make(kept, 2);
    struct text out = {0};
    const struct law_rows rows = law_rows_of(&merged, 0);
    struct law_kept two = law_check(law_find("copy_read"), &rows);
    assert_int_equal(two.points, 2);
    assert_false(law_holds(&two));
    assert_false(law_tell(law_find("copy_read"), &merged, label, &out));
    assert_null(out.data);
    drop(&merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
