/* Where the layout puts texts: all on the page, none on another, and every curve named once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "figure/layout/layout.h"

static struct font *font;

static int open_font(void **state)
{
    struct error error;
    (void)state;
    font = font_open(&error);
    if (!font)
        fprintf(stderr, "%s\n", error.text);
    return font ? 0 : -1;
}

static int close_font(void **state)
{
    (void)state;
    font_close(font);
    return 0;
}

enum { STRIDES = 6 };

struct form {
    int panels, curves;
    bool dots;     /* points without a curve: they need a key */
    bool parallel; /* curves end at different heights, so labels have room there; else all end at one point */
    bool roof;
    double width; /* inches */
};

static struct chart_curve make_curve(const struct form *form, int c)
{
    struct chart_curve curve = {.style = {.colour = c % STYLE_COLOURS, .mark = c},
                                .wide = 1,
                                .point = memory_new(STRIDES, sizeof *curve.point),
                                .points = STRIDES};
    snprintf(curve.label, sizeof curve.label, "variant %d of this figure", c);
    for (int i = 0; i < STRIDES; i++) {
        double share = form->parallel ? 1 : 1 - i / (STRIDES - 1.0);
        curve.point[i] = (struct chart_point){
            .x = exp2(i), .y = 10 + 10 * c * share, .low = NAN, .high = NAN, .value = NAN};
    }
    return curve;
}

static struct chart make_chart(const struct form *form)
{
    struct chart chart = {.panel = memory_new((size_t)form->panels, sizeof *chart.panel),
                          .panels = form->panels,
                          .block = {{.y = {.low = 0, .high = 105}, .label = "Bandwidth (GB/s)"}},
                          .blocks = 1,
                          .x = {.kind = SCALE_LOG2, .low = 1, .high = 32},
                          .x_value = memory_new(STRIDES, sizeof *chart.x_value),
                          .x_values = STRIDES,
                          .x_label = "Stride between neighbouring threads (elements)",
                          .dots = form->dots};
    for (int i = 0; i < STRIDES; i++)
        chart.x_value[i] = exp2(i);
    for (int p = 0; p < form->panels; p++) {
        struct chart_panel *panel = &chart.panel[p];
        if (form->panels > 1) {
            snprintf(panel->title, sizeof panel->title, "Panel %d on a device with a long name, 141 GB", p);
            snprintf(panel->brief, sizeof panel->brief, "Panel %d", p);
        }
        panel->curve = memory_new((size_t)form->curves, sizeof *panel->curve);
        panel->curves = form->curves;
        for (int c = 0; c < form->curves; c++)
            panel->curve[c] = make_curve(form, c);
        if (!form->roof)
            continue;
        panel->line = memory_new(1, sizeof *panel->line);
        panel->lines = 1;
        panel->line[0] = (struct chart_line){.y = 100, .label = "DRAM read 4170 GB/s", .brief = "4170 GB/s"};
    }
    return chart;
}

struct box {
    double left, right, bottom, top;
};

/* The ink of a text, as gnuplot draws it. */
static struct box ink_of(const struct layout_text *text)
{
    double points = layout_points(text->role), width = font_width(font, text->text, points);
    double start = -width * (text->align + 1) / 2, base = -LAYOUT_BASELINE * points / 72;
    struct font_ink ink = font_ink(font, text->text, points);
    if (text->turned) /* a quarter, to the left */
        return (struct box){text->x - base - ink.top, text->x - base - ink.bottom, text->y + start + ink.left,
                            text->y + start + ink.right};
    return (struct box){text->x + start + ink.left, text->x + start + ink.right, text->y + base + ink.bottom,
                        text->y + base + ink.top};
}

static void check_texts(const struct layout *layout)
{
    for (size_t i = 0; i < layout->texts; i++) {
        struct box a = ink_of(&layout->text[i]);
        if (a.left < 0 || a.right > layout->width || a.bottom < 0 || a.top > layout->height)
            fail_msg("'%s' leaves the page", layout->text[i].text);
        for (size_t k = 0; k < i; k++) {
            struct box b = ink_of(&layout->text[k]);
            if (a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top)
                fail_msg("'%s' and '%s' overlap", layout->text[k].text, layout->text[i].text);
        }
    }
}

static void check_panels(const struct layout *layout)
{
    for (int p = 0; p < layout->panels; p++) {
        const struct layout_panel *a = &layout->panel[p];
        assert_true(a->left > 0 && a->left < a->right && a->right < layout->width);
        assert_true(a->bottom > 0 && a->bottom < a->top && a->top < layout->height);
        for (int q = 0; q < p; q++) {
            const struct layout_panel *b = &layout->panel[q];
            assert_true(a->left >= b->right || b->left >= a->right || a->bottom >= b->top ||
                        b->bottom >= a->top);
        }
    }
}

static int count_role(const struct layout *layout, enum layout_role role, const char *text)
{
    int count = 0;
    for (size_t i = 0; i < layout->texts; i++)
        count += layout->text[i].role == role && (!text || !strcmp(layout->text[i].text, text));
    return count;
}

/* A curve is named once in the key, or at its end in each panel. */
static void check_names(const struct form *form, const struct layout *layout)
{
    bool ends = count_role(layout, TEXT_END, NULL) > 0;
    for (int c = 0; c < form->curves; c++) {
        struct chart_curve curve = make_curve(form, c);
        assert_int_equal(count_role(layout, TEXT_KEY, curve.label), ends ? 0 : 1);
        assert_int_equal(count_role(layout, TEXT_END, curve.label), ends ? form->panels : 0);
        free(curve.point);
    }
}

/* Returns whether labels are at the ends of the curves. */
static bool check_layout(const struct form *form, const char *caption)
{
    struct chart chart = make_chart(form);
    struct layout layout;
    layout_make(&chart, font, form->width, caption, &layout);
    bool ends = count_role(&layout, TEXT_END, NULL) > 0;
    check_texts(&layout);
    check_panels(&layout);
    check_names(form, &layout);
    if (form->roof) /* in each panel, or in the key */
        assert_true(count_role(&layout, TEXT_LINE, NULL) + count_role(&layout, TEXT_KEY, NULL) > 0);
    assert_true(!caption == !count_role(&layout, TEXT_CAPTION, NULL));
    layout_free(&layout);
    chart_free(&chart);
    return ends;
}

/* One column of a paper, and two. */
static const double widths[] = {3.4, 7};

static void test_all_forms(void **state)
{
    (void)state;
    for (int panels = 1; panels <= 7; panels += 3)
        for (int curves = 2; curves <= CHART_CURVES_MAX; curves += 3)
            for (int form = 0; form < 16; form++) {
                struct form one = {panels, curves, form & 1, form & 2, form & 4, widths[form >> 3]};
                check_layout(&one, curves % 2
                                       ? "All texts of a caption are broken into lines of the page's width, "
                                         "which takes two or more of them."
                                       : NULL);
            }
}

/* Labels stand at the ends of curves where they have room, else in the key. */
static void test_end_labels(void **state)
{
    struct form form = {.panels = 1, .curves = 3, .parallel = true, .width = 7};
    (void)state;
    assert_true(check_layout(&form, NULL));
    form.dots = true;
    assert_false(check_layout(&form, NULL));
    form.dots = false;
    form.panels = 7; /* too narrow */
    assert_false(check_layout(&form, NULL));
}

/* Rows with the same x axis have one name of it and one set of ticks' labels, and panels of a row the same ticks. */
static void test_rows_share_x(void **state)
{
    struct form form = {.panels = 6, .curves = 2, .width = 3.4};
    struct chart chart = make_chart(&form);
    struct layout layout;
    (void)state;
    for (int p = 0; p < form.panels; p++)
        chart.panel[p].breaks = p % 2 == 0;
    layout_make(&chart, font, form.width, NULL, &layout);
    assert_int_equal(count_role(&layout, TEXT_AXIS, "Stride between neighbouring threads (elements)"), 1);
    assert_int_equal(count_role(&layout, TEXT_TICK, "1"), 2);
    for (int p = 0; p < form.panels; p++) {
        assert_int_equal(layout.panel[p].x.ticks, layout.panel[0].x.ticks);
        assert_true(layout.panel[p].left == layout.panel[p % 2].left);
    }
    layout_free(&layout);
    chart_free(&chart);
}

/* A title that is too long is broken into lines, and not cut. */
static void test_titles_break(void **state)
{
    struct form form = {.panels = 2, .curves = 2, .width = 3.4};
    struct chart chart = make_chart(&form);
    struct layout layout;
    (void)state;
    for (int p = 0; p < form.panels; p++)
        for (int brief = 0; brief < 2; brief++)
            snprintf(brief ? chart.panel[p].brief : chart.panel[p].title, sizeof chart.panel[p].title,
                     "SM clock, H100 (h100-copy-again)");
    layout_make(&chart, font, form.width, NULL, &layout);
    check_texts(&layout);
    assert_int_equal(count_role(&layout, TEXT_TITLE, "(h100-copy-again)"), 2);
    layout_free(&layout);
    chart_free(&chart);
}

/* Names along x that do not fit side by side are turned, and none is left out. */
static void test_names_are_turned(void **state)
{
    static const char *const names[] = {"block_load", "copy", "gather", "host_copy", "layout", "prefetch"};
    struct form form = {.panels = 2, .curves = 2, .dots = true, .width = 3.4};
    struct chart chart = make_chart(&form);
    struct layout layout;
    (void)state;
    scale_name(&chart.x, names, 6);
    layout_make(&chart, font, form.width, NULL, &layout);
    check_texts(&layout);
    for (int i = 0; i < 6; i++)
        assert_int_equal(count_role(&layout, TEXT_TICK, names[i]), 2);
    layout_free(&layout);
    chart_free(&chart);
}

/* Close lines are named in the panel by their short forms, if these are names; rates alone would be mistaken. */
static void test_close_lines(void **state)
{
    struct form form = {.panels = 2, .curves = 2, .dots = true, .width = 3.4};
    (void)state;
    for (int named = 0; named < 2; named++) {
        struct chart chart = make_chart(&form);
        struct layout layout;
        for (int p = 0; p < form.panels; p++) {
            chart.panel[p].line = memory_new(3, sizeof *chart.panel[p].line);
            chart.panel[p].lines = 3;
            for (int l = 0; l < 3; l++) {
                struct chart_line *line = &chart.panel[p].line[l];
                *line = (struct chart_line){.y = 80 + 10 * l, .named = named};
                snprintf(line->label, sizeof line->label, "a roof of arithmetic with a long name, FP%d", l);
                snprintf(line->brief, sizeof line->brief, "FP%d", l);
            }
        }
        layout_make(&chart, font, form.width, NULL, &layout);
        assert_int_equal(count_role(&layout, TEXT_LINE, "FP1"), named ? 2 : 0);
        layout_free(&layout);
        for (int p = 0; p < form.panels;
             p++) /* closer than a text is high: the key has one entry for all panels */
            for (int l = 0; l < 3; l++)
                chart.panel[p].line[l].y = 80 + 4 * l;
        layout_make(&chart, font, form.width, NULL, &layout);
        assert_int_equal(count_role(&layout, TEXT_KEY, "FP1"), named ? 1 : 0);
        layout_free(&layout);
        chart_free(&chart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_forms),        cmocka_unit_test(test_end_labels),
        cmocka_unit_test(test_rows_share_x),     cmocka_unit_test(test_titles_break),
        cmocka_unit_test(test_names_are_turned), cmocka_unit_test(test_close_lines),
    };
    return cmocka_run_group_tests(tests, open_font, close_font);
}
