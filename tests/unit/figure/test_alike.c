/* Curves that are one are drawn as one; the others stay as they are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "figure/making.h"

enum { POINTS = 4 };

/* A chart of one panel: for each curve its name, its first place along x and how far it lies above the line y = 10 x. */
struct form {
    const char *name;
    int first;
    double above;
};

static struct chart make_chart(const struct form *form, int curves)
{
    struct chart chart = {.panel = memory_new(1, sizeof *chart.panel),
                          .panels = 1,
                          .block = {{.y = {.low = 0, .high = 100}, .label = "Bandwidth (GB/s)"}},
                          .blocks = 1};
    chart.panel[0].curve = memory_new((size_t)curves, sizeof *chart.panel[0].curve);
    chart.panel[0].curves = curves;
    for (int c = 0; c < curves; c++) {
        struct chart_curve *curve = &chart.panel[0].curve[c];
        *curve = (struct chart_curve){.points = POINTS, .point = memory_new(POINTS, sizeof *curve->point)};
        snprintf(curve->label, sizeof curve->label, "%s", form[c].name);
        for (int i = 0; i < POINTS; i++)
            curve->point[i] = (struct chart_point){.x = form[c].first + i,
                                                   .y = 10 * (form[c].first + i) + form[c].above,
                                                   .low = NAN,
                                                   .high = NAN};
    }
    return chart;
}

static void check(const struct form *form, int curves, int kept, const char *label, const char *remark)
{
    struct chart chart = make_chart(form, curves);
    alike_join(&chart);
    assert_int_equal(chart.panel[0].curves, kept);
    assert_string_equal(chart.panel[0].curve[0].label, label);
    assert_string_equal(chart.remark.length ? chart.remark.data : "", remark);
    chart_free(&chart);
}

static void test_join(void **state)
{
    (void)state;
    /* 1.5 of 100 apart: one curve. 3 apart: two. */
    check((struct form[]){{"load", 1, 0}, {"memcpy", 1, 1.5}}, 2, 1, "load, memcpy",
          " Drawn as one curve: load, memcpy; at equal x they are at most 1.5 GB/s apart.");
    check((struct form[]){{"load", 1, 0}, {"memcpy", 1, 3}}, 2, 2, "load", "");
    /* Each is near the next one, but the first is not near the third: the third stays apart. */
    check((struct form[]){{"a", 1, 0}, {"b", 1, 1.5}, {"c", 1, 3}}, 3, 2, "a, b",
          " Drawn as one curve: a, b; at equal x they are at most 1.5 GB/s apart.");
    /* One common place is too few. */
    check((struct form[]){{"a", 1, 0}, {"b", 4, 0}}, 2, 2, "a", "");
    /* Many names are counted. */
    check((struct form[]){{"a long name", 1, 0}, {"another long name", 1, 0}, {"a third", 1, 0}, {"d", 1, 9}},
          4, 2, "a long name and 2 alike",
          " Drawn as one curve: a long name, another long name, a third; at equal x they are at most 0 GB/s "
          "apart.");
    /* A single curve needs no name. */
    check((struct form[]){{"f32", 1, 0}}, 1, 1, "f32", " The curve is of f32.");
}

/* The joined curve has the points of both. */
static void test_points(void **state)
{
    (void)state;
    struct chart chart = make_chart((struct form[]){{"u8", 1, 0}, {"f64", 3, 1}}, 2);
    chart.panel[0].curve[1].point[0].throttled = true;
    alike_join(&chart);
    const struct chart_curve *curve = &chart.panel[0].curve[0];
    assert_int_equal(chart.panel[0].curves, 1);
    assert_int_equal(curve->points, 6);
    for (int i = 0; i < 6; i++)
        assert_float_equal(curve->point[i].x, 1 + i, 0);
    assert_float_equal(curve->point[2].y, 30, 0); /* of the first */
    assert_true(curve->point[2].throttled);       /* of either */
    assert_float_equal(curve->point[5].y, 61, 0);
    chart_free(&chart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join), cmocka_unit_test(test_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
