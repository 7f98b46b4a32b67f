/* The stream family: bytes and operations as BabelStream counts them, launches, reasons, and the loops by hand. */
#include "unit_test.h"

#define FAMILY "stream"
#include "family_test.h"

TEST(launch)
{
    static const struct {
        const char *settings, *entry;
        uint32_t blocks;
        int arguments;
    } rows[] = {{"size=1MiB", "stream", 32, 4}, /* 131072 elements, 4096 a block */
                {"size=1000", "stream", 1, 4},
                {"size=1MiB vector=2 block=256", "stream", 64, 4},
                {"size=16GiB", "stream", 524288, 4},
                {"size=17GiB", "stream_large", 557056, 4},
                {"variant=dot size=1GiB", "stream", 132, 6},
                {"variant=dot size=1GiB block=256", "stream", 528, 6},
                {"variant=dot size=1MiB", "stream", 32, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct point point = point_of(rows[i].settings);
        struct setup s = family_of(&point)->setup(&point, &hopper);
        if (s.grid[0] != rows[i].blocks || strcmp(s.entry, rows[i].entry) != 0)
            fail_msg("%s: %s, %u blocks", rows[i].settings, s.entry, s.grid[0]);
        assert_int_equal(s.arguments, rows[i].arguments);
    }
    struct point point = point_of("variant=mul");
    assert_int_equal(family_setup(&point).argument[1].value, 0); /* no second input */
}

/* Every loop, from its inputs in the arithmetic of its type. */
TEST(loops)
{
    static const char *const variants[] = {"copy", "mul", "add", "triad"};
    for (int i = 0; i < 8; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "variant=%s dtype=%s size=40000", variants[i / 2],
                 i % 2 ? "f32" : "f64");
        struct family_run run = run_new(settings);
        family_run_reference(&run);
        for (uint64_t k = 0; k < run.setup.buffer[2].count; k++) {
            if (i % 2) {
                const float a = ((float *)run.data[0])[k], b = i < 4 ? 0 : ((float *)run.data[1])[k];
                const float expected[] = {a, 0.4f * a, a + b, fmaf(0.4f, b, a)};
                assert_true(((float *)run.data[2])[k] == expected[i / 2]);
            } else {
                const double a = ((double *)run.data[0])[k], b = i < 4 ? 0 : ((double *)run.data[1])[k];
                const double expected[] = {a, 0.4 * a, a + b, fma(0.4, b, a)};
                assert_true(((double *)run.data[2])[k] == expected[i / 2]);
            }
        }
    }
}

TEST(dot)
{
    struct family_run run = run_new("variant=dot size=800000");
    family_run_reference(&run);
    double sum = 0, got = *(double *)run.data[2];
    for (int k = 0; k < 100000; k++)
        sum += ((double *)run.data[0])[k] * ((double *)run.data[1])[k];
    assert_true(fabs(sum - got) < 1e-11 && fabs(got) > 1);
    struct tolerance t = run.family->tolerance(&run.point);
    assert_true(t.relative == 0 && t.absolute > 1e-13 && t.absolute < 1e-11);
}
