/* The stream family: bytes and operations as BabelStream counts them, launches, reasons, and the loops by
 * hand. */
#include "unit_test.h"

#define FAMILY "stream"
#include "family_test.h"

/* Every loop, from its inputs in the arithmetic of its type. */
TEST(loops)
{
    static const char *const variants[] = {"copy", "mul", "add", "triad"};
    for (int i = 0; i < 8; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "variant=%s dtype=%s size=40000", variants[i / 2],
                 i % 2 ? "f32" : "f64");
        struct family_run run = run_whole(settings);
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
    struct family_run run = run_whole("variant=dot size=800000");
    double sum = 0, got = *(double *)run.data[2];
    for (int k = 0; k < 100000; k++)
        sum += ((double *)run.data[0])[k] * ((double *)run.data[1])[k];
    assert_true(fabs(sum - got) < 1e-11 && fabs(got) > 1);
    struct tolerance t = run.family->tolerance(&run.point);
    assert_true(t.relative == 0 && t.absolute > 1e-13 && t.absolute < 1e-11);
}
