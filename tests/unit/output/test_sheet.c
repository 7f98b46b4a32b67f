/* Tables of a paper: digits, what is missing, escapes, and how many rows a page holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/sheet.h"
#include "table/units.h"

static struct sheet example(void)
{
    struct sheet sheet = sheet_new("example", false);
    sheet_head(&sheet, SHEET_WORDS, "", "Variant");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    sheet_head(&sheet, SHEET_NUMBER, "us", "Time");
    sheet_head(&sheet, SHEET_COUNT, "", "Points");
    sheet_caption(&sheet, "50 %% of <all>");
    sheet_text(&sheet, "a_b & <c>");
    sheet_text(&sheet, "size 64MiB");
    sheet_number(&sheet, 4293.2, 7.1);
    sheet_number(&sheet, 12, NAN);
    sheet_text(&sheet, "d");
    sheet_text(&sheet, "%s", "");
    sheet_number(&sheet, NAN, NAN);
    sheet_number(&sheet, 3, NAN);
    return sheet;
}

/* What a printer writes; the caller frees. */
static char *print_latex(const struct sheet *sheet, size_t first, size_t rows)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sheet_print_rows(out, MARKUP_LATEX, SHEET_PAPER, sheet, first, rows);
    fclose(out);
    return text;
}

static void test_latex(void **state)
{
    (void)state;
    struct sheet sheet = example();
    char *all = print_latex(&sheet, 0, 10), *last = print_latex(&sheet, 1, 10);
    assert_int_equal(sheet_rows(&sheet), 2);
    assert_non_null(strstr(all, "S[table-format=4.0(1)]S[table-format=2.0]@{}}"));
    assert_non_null(strstr(all, "{} & {} & {(\\si{\\micro\\second})} & {} \\\\"));
    assert_non_null(strstr(all, "a\\_b \\& $<$c$>$ & size 64MiB & 4293(7) & 12 \\\\"));
    assert_non_null(strstr(all, "d &  & {---} & 3 \\\\"));
    assert_non_null(strstr(all, "\\end{tabularx}"));
    assert_null(strstr(last, "4293"));
    free(all);
    free(last);
    sheet_free(&sheet);
}

static void test_html(void **state)
{
    (void)state;
    struct sheet sheet = example();
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sheet_print(out, MARKUP_HTML, SHEET_PAPER, &sheet);
    fclose(out);
    assert_non_null(strstr(text, "<caption>50 % of &lt;all&gt;</caption>"));
    assert_non_null(strstr(text, "<th scope=\"row\">a_b &amp; &lt;c&gt;</th>"));
    assert_non_null(strstr(text, "data-v=\"4293.2\">4293<small> ±&#8239;7</small></td>"));
    assert_non_null(strstr(text, "<td class=\"n\">—</td>"));
    free(text);
    sheet_free(&sheet);
}

/* Columns as wide as their widest cell, counted in characters; the last one has no blanks after it. */
static void test_text_and_markdown(void **state)
{
    (void)state;
    struct sheet sheet = example();
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sheet.indent = 1;
    sheet_print(out, MARKUP_TEXT, SHEET_PLAIN, &sheet);
    sheet_print(out, MARKUP_MD, SHEET_PLAIN, &sheet);
    fclose(out);
    assert_string_equal(text, " Variant    at              Time  Points\n"
                              " a_b & <c>  size 64MiB  4293 ± 7      12\n"
                              " d                             —       3\n"
                              "| Variant | at | Time | Points |\n"
                              "|---|---|---:|---:|\n"
                              "| a\\_b & \\<c\\> | size 64MiB | 4293 ± 7 | 12 |\n"
                              "| d |  | — | 3 |\n");
    free(text);
    sheet_free(&sheet);
}

static void test_plain_numbers(void **state)
{
    (void)state;
    static const struct {
        double value, half;
        const char *text;
    } numbers[] = {{4293.2, 7.1, "4293 ± 7"},    {0.4291, 0.012, "0.429 ± 0.012"},
                   {6271, 318, "6271 ± 318"},    {12.3456, NAN, "12.35"},
                   {12.3456, INFINITY, "12.35"}, {8.0714, 2670681, "8.071 ± ?"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64];
        units_format(numbers[i].value, numbers[i].half, text, sizeof text);
        assert_string_equal(text, numbers[i].text);
    }
}

/* Rows of a page: words that wrap take more lines; one row always fits, so that no table is without end. */
static void test_fit(void **state)
{
    (void)state;
    struct sheet sheet = sheet_new("fit", false);
    sheet_head(&sheet, SHEET_WORDS, "", "Variant");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    for (int row = 0; row < 50; row++) {
        sheet_text(&sheet, "load");
        sheet_text(
            &sheet, "%s",
            row < 40
                ? "size 1MiB"
                : "a very long description, which takes several lines of a narrow column because it is long");
    }
    assert_int_equal(sheet_fit(&sheet, 0, 20), 20);
    assert_in_range(sheet_fit(&sheet, 40, 20), 3, 9);
    assert_int_equal(sheet_fit(&sheet, 45, 1), 1);
    assert_int_equal(sheet_fit(&sheet, 50, 20), 0);
    sheet_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_latex), cmocka_unit_test(test_html),
                                       cmocka_unit_test(test_text_and_markdown),
                                       cmocka_unit_test(test_plain_numbers), cmocka_unit_test(test_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
