/* What is said of the kernels of a launch: names, rows, gaps, and what does not fit. */
#include "unit_test.h"

#include <inttypes.h>

#include "core/activity.h"

static const uint32_t none[3], grid[3] = {4294967295, 65535, 65535}, block[3] = {1024, 1, 1};

static void expect_name(const char *name, const char *expected)
{
    struct activity activity = {0};
    activity_add(&activity, name, grid, block, 0, 1);
    assert_string_equal(activity.record[0].row.name, expected);
    activity_free(&activity);
}

TEST(names_lose_their_arguments)
{
    char longest[ACTIVITY_NAME_SIZE + 1], clipped[ACTIVITY_NAME_SIZE];
    expect_name("triton_kernel", "triton_kernel");
    expect_name("void f<int>(float*, int)", "f<int>");
    expect_name("void f<(kind)3>(void (*)(int), int)", "f<(kind)3>");
    expect_name("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
    expect_name("f(int) [clone]", "f(int) [clone]");
    expect_name("odd)", "odd)");
    expect_name("(all)", "(all)");
    expect_name("a\"b\\c\n\xc3", "a'b/c??");
    memset(longest, 'x', sizeof longest);
    longest[ACTIVITY_NAME_SIZE] = '\0';
    snprintf(clipped, sizeof clipped, "%.*s...", ACTIVITY_NAME_SIZE - 4, longest);
    expect_name(longest, clipped);
    expect_name(longest + 1, longest + 1);
}

/* Out of order, overlapping, one within another; equal ends of long names stay apart. */
TEST(rows_and_gaps)
{
    struct activity activity = {0};
    struct activity_summary summary;
    uint32_t other[3] = {1, 1, 1};
    activity_add(&activity, "late", grid, block, 9000, 10000);
    activity_add(&activity, "f", grid, block, 2000, 5000);
    activity_add(&activity, "f", grid, block, 3000, 4000);
    activity_add(&activity, "f", other, block, 4000, 6000);
    activity_add(&activity, "[memset]", none, none, 0, 500);
    activity_add(&activity, "void f(int)", grid, block, 500, 600);
    activity_summarise(&activity, "", &summary);
    assert_true(fabs(summary.span - 10e-6) < 1e-12);
    assert_true(fabs(summary.idle - 0.44) < 1e-12);
#define BLOCK "[1024, 1, 1], "
#define GRID  "[4294967295, 65535, 65535], " BLOCK
    assert_string_equal(summary.text,
                        "[[\"f\", " GRID "2, 4e-06], [\"f\", [1, 1, 1], " BLOCK "1, 2e-06], "
                        "[\"late\", " GRID "1, 1e-06], "
                        "[\"[memset]\", [0, 0, 0], [0, 0, 0], 1, 5e-07], [\"f\", " GRID "1, 1e-07]]");
    activity_free(&activity);
}

TEST(what_does_not_fit_is_added_up)
{
    struct activity activity = {0};
    struct activity_summary summary;
    uint32_t rows = 0, launches;
    double seconds;
    for (uint32_t i = 0; i < 1000; i++) {
        char name[2 * ACTIVITY_NAME_SIZE];
        snprintf(name, sizeof name, "%0*u", ACTIVITY_NAME_SIZE + 10, i); /* clipped, they are equal */
        activity_add(&activity, name, grid, block, UINT64_C(1800000000000000000) + i, /* ns since 1970 */
                     UINT64_C(1800000000000001000) + 2 * i);
    }
    activity_summarise(&activity, "", &summary);
    for (const char *text = summary.text; (text = strstr(text, "[\""));
         text++) /* all but the last have one launch */
        rows++;
    assert_true(rows > 10 && rows < 30);
    const char *others = strstr(summary.text, "[\"[others]\", [0, 0, 0], [0, 0, 0], ");
    assert_non_null(others);
    assert_int_equal(
        sscanf(others, "[\"[others]\", [0, 0, 0], [0, 0, 0], %" SCNu32 ", %lf]]", &launches, &seconds), 2);
    assert_int_equal(launches, 1000 - (rows - 1));
    assert_true(seconds > 1000e-9 * launches && seconds < 2000e-9 * launches);
    assert_string_equal(summary.text + strlen(summary.text) - 2, "]]");
    activity_free(&activity);
}

TEST(nothing_is_missing_for_a_reason)
{
    struct activity activity = {0};
    struct activity_summary summary;
    activity_summarise(&activity, "no CUPTI", &summary);
    assert_string_equal(summary.text, "missing: no CUPTI");
    assert_true(isnan(summary.span) && isnan(summary.idle));
    assert_string_equal(activity_none().text, "");
}
