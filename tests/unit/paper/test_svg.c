/* Drawings for pages: what is not seen goes, what is seen stays, and several can stand on one page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "paper/svg.h"

#define HEAD                                                                                                 \
    "<?xml version=\"1.0\"?>\n<svg \n width=\"300\" height=\"200\"\n viewBox=\"0 0 300 200\"\n>\n"           \
    "<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n<g "                        \
    "id=\"gnuplot_canvas\">\n"                                                                               \
    "<rect x=\"0\" y=\"0\" width=\"300\" height=\"200\" fill=\"#ffffff\"/>\n<defs>\n"                        \
    "<circle id='gpPt5' cx='0' cy='0' r='1'/>\n<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor'/>\n"  \
    "<path id='gpPt1' d='M-1,-1 L1,1'/>\n</defs>\n"
#define TAIL "</g>\n</svg>\n"

/* How often `word` is in `text`. */
static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        found++;
    return found;
}

static struct svg read_drawing(const char *drawing, const char *prefix)
{
    struct svg svg;
    assert_int_equal(svg_read(drawing, prefix, &svg), 0);
    return svg;
}

static void test_what_is_not_seen_goes(void **state)
{
    (void)state;
    struct svg svg = read_drawing(
        HEAD
        "<g fill=\"none\" color=\"black\">\n</g>\n"
        "<g stroke-width=\"0.60\"><path stroke='rgb( 51,  51,  51)'  d='M5.00,5.00 L5.00,5.00 M1.00,2.00 "
        "L1.00,9.00 M1.00,2.00 L1.00,9.00  '/></g>\n"
        "<g transform=\"translate(1,2)\" font-family=\"Sans\"><text></text></g>\n"
        "<g transform=\"translate(1,2)\" font-family=\"Sans\"><text>GB/s</text></g>\n" TAIL,
        "p");
    assert_int_equal(count(svg.body.data, "<g"), 3); /* the canvas, the line, the text */
    assert_non_null(strstr(svg.body.data, "stroke=\"#333333\" d=\"M1.00,2.00V9.00\""));
    assert_int_equal(count(svg.body.data, "<text>"), 1);
    assert_null(strstr(svg.body.data, "<rect"));
    assert_null(strstr(svg.body.data, "<defs>"));
    assert_string_equal(svg.maker, "GNUPLOT 5.4 patchlevel 4 ");
    svg_free(&svg);
}

/* A bar filled with a pattern has it, by a name of the drawing's own. */
static void test_patterns(void **state)
{
    (void)state;
    struct svg svg = read_drawing(
        HEAD "<defs>\n<pattern id='gpPat1' width='8'>\n<path d='M0,0 L8,8'/>\n</pattern>\n</defs>\n"
             "<g stroke='none'>\n<polygon  fill = 'url(#gpPat1)' points = '1,2 3,4 '/>\n</g>\n" TAIL,
        "q");
    assert_non_null(strstr(svg.body.data, "<pattern id='qpat1'"));
    assert_non_null(strstr(svg.body.data, "url(#qpat1)"));
    assert_null(strstr(svg.body.data, "gpPat"));
    svg_free(&svg);
}

static void test_marks_once_and_by_name(void **state)
{
    (void)state;
    const char *drawing = HEAD "<g>\n<use xlink:href='#gpPt6' transform='translate(10.00,20.00) scale(1.89)' "
                               "color='rgb(  0, 114, 178)'/>\n"
                               "<use xlink:href='#gpPt6' transform='translate(10.00,20.00) scale(1.89)' "
                               "color='rgb(  0, 114, 178)'/>\n"
                               "<use xlink:href='#gpPt6' transform='translate(30.00,20.00) scale(1.89)' "
                               "color='rgb(  0, 114, 178)'/>\n"
                               "</g>\n" TAIL;
    struct svg svg = read_drawing(drawing, "f7-"), other = read_drawing(drawing, "f8-");
    assert_int_equal(count(svg.body.data, "<use href=\"#f7-m0\""), 2); /* not three */
    assert_int_equal(count(svg.body.data, "id=\"f7-m0\""), 1);
    assert_int_equal(count(svg.body.data, "id=\"f7-6\""),
                     1); /* what the mark is made of, and what that is made of */
    assert_int_equal(count(svg.body.data, "id=\"f7-5\""), 1);
    assert_int_equal(count(svg.body.data, "id=\"f7-1\""), 0);
    assert_null(strstr(other.body.data, "f7-"));
    svg_free(&svg);
    svg_free(&other);
}

static void test_both_forms(void **state)
{
    (void)state;
    struct svg svg = read_drawing(HEAD "<g><text>x</text></g>\n" TAIL, "p");
    struct text file = {0}, page = {0};
    svg_write_file(&svg, &file);
    svg_write_inline(&svg, "caption-x", &page);
    assert_non_null(strstr(file.data, "xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"200\""));
    assert_non_null(strstr(file.data, "fill=\"#ffffff\""));
    assert_non_null(strstr(page.data, "role=\"img\" aria-labelledby=\"caption-x\" viewBox=\"0 0 300 200\""));
    assert_null(strstr(page.data, "#ffffff"));
    text_free(&file);
    text_free(&page);
    svg_free(&svg);
}

static void test_what_is_no_drawing(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "nothing",
                                      "<svg viewBox=\"0 0 1 1\">",
                                      HEAD "<g><text>x",
                                      HEAD "</g></g></g>" TAIL,
                                      HEAD "<g><path d='M1,1 L2,2" TAIL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct svg svg;
        assert_int_equal(svg_read(bad[i], "p", &svg), -1);
        svg_free(&svg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_not_seen_goes), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_marks_once_and_by_name), cmocka_unit_test(test_both_forms),
        cmocka_unit_test(test_what_is_no_drawing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
