/* The width of a median's interval within one process: by hand, by coverage, and by what it costs. */
#include <math.h>
#include <time.h>

#include "unit_test.h"

#include "base/hash.h"
#include "statistics/within.h"

TEST(little_and_constant)
{
    const double constant[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    struct within w = within_of(constant, 10);
    assert_true(w.median == 2 && w.half_width == 0 && w.inflation == 1);
    w = within_of(constant, 1);
    assert_true(w.median == 2 && isnan(w.half_width));
    assert_true(isnan(within_of(NULL, 0).median));
    assert_true(isinf(within_half_width(constant, 1)) && isinf(within_half_width(NULL, 0)));
}

/* A time that is not a number has an end, if no result. */
TEST(not_a_number)
{
    const double times[] = {1, NAN, 2, NAN, 1}, nothing[] = {NAN, NAN};
    assert_true(within_of(times, 5).inflation >= 1);
    assert_true(isnan(within_of(nothing, 2).half_width));
}

/* Evenly spread times in an order without memory: the ranks that the binomial distribution gives. */
TEST(by_hand)
{
    enum { COUNT = 101 };
    double times[COUNT];
    for (int i = 0; i < COUNT; i++)
        times[i] = 100 + (i * 37) % COUNT; /* neighbours are 37 or 64 ranks apart: they alternate */
    struct within w = within_of(times, COUNT);
    assert_true(w.median == 150);
    assert_true(w.inflation == 1);
    double reach = 1.983971519 * 0.5 * sqrt(COUNT); /* t with 100 degrees of freedom */
    assert_true(fabs(w.half_width - reach / 150) < 1e-6);
    assert_true(within_half_width(times, COUNT) == w.half_width);
    /* The same times in rising order are a drift: nothing is known of the median. */
    for (int i = 0; i < COUNT; i++)
        times[i] = 100 + i;
    assert_true(within_half_width(times, COUNT) > 0.3);
}

/* ---- Times with a known median, and the faults of real ones ---- */

/* splitmix64 (Steele, Lea & Flood 2014): a state that the caller seeds. */
static double uniform(uint64_t *state)
{
    return ((double)(hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15)) >> 11) + 0.5) * 0x1p-53;
}

/* Box & Muller 1958. */
static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

struct noise {
    const char *name;
    double spread; /* relative */
    double rho;    /* lag-1 autocorrelation of the normal scores */
    enum {
        NORMAL,
        CONTAMINATED,
        PARETO
    } kind; /* one in twenty is 5 to 50 % too slow; tail index 1.5: no variance */
};

/* A sample of median 1, and the score of the next. */
static double sample(const struct noise *n, double *score, uint64_t *state)
{
    double off = n->spread * *score;
    if (n->kind == CONTAMINATED && uniform(state) < 0.05)
        off = 0.05 + 0.45 * uniform(state);
    if (n->kind == CONTAMINATED) /* the 0.5 / 0.95 quantile of the normal distribution */
        off -= 0.0660 * n->spread;
    if (n->kind == PARETO)
        off = n->spread * (pow(0.5 * erfc(*score / sqrt(2)), -1 / 1.5) - pow(2, 1 / 1.5));
    *score = n->rho * *score + sqrt(1 - n->rho * n->rho) * normal(state);
    return 1 + off;
}

/* The share of series whose interval holds the true median, and the mean inflation. */
static double coverage(const struct noise *n, size_t count, int series, double *inflation)
{
    uint64_t random = hash_mix(count);
    double times[1000], held = 0;
    for (int k = 0; k < series; k++) {
        double score = normal(&random);
        for (size_t i = 0; i < count; i++)
            times[i] = sample(n, &score, &random);
        struct within w = within_of(times, count);
        held += fabs(w.median - 1) <= w.half_width * w.median;
        *inflation += w.inflation / series;
    }
    return held / series;
}

TEST(coverage)
{
    static const struct noise noise[] = {
        {"independent", 0.01, 0, NORMAL},         {"AR(1) 0.3", 0.01, 0.3, NORMAL},
        {"AR(1) 0.7", 0.01, 0.7, NORMAL},         {"AR(1) 0.7, contaminated", 0.01, 0.7, CONTAMINATED},
        {"AR(1) 0.7, Pareto", 0.01, 0.7, PARETO},
    };
    static const size_t counts[] = {10, 20, 40, 100, 400, 1000};
    int wrong = 0;
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        print_message("%-24s", noise[i].name);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            double inflation = 0,
                   held = coverage(&noise[i], counts[c], counts[c] < 400 ? 1500 : 300, &inflation);
            print_message("  %4zu: %.1f %% (tau %.1f)", counts[c], 100 * held, inflation);
            /* Ten samples with a memory of three are two or three: less is known than can be corrected. */
            wrong += held < (noise[i].rho > 0.5 && counts[c] == 10 ? 0.90 : 0.92);
        }
        print_message("\n");
    }
    assert_int_equal(wrong, 0);
}

/* Asked again and again until it is narrow enough, it stops at a lucky moment rather early; it must still
 * hold. */
TEST(coverage_when_it_stops)
{
    enum { SERIES = 300, MOST = 400, LEAST = 10 };
    static const double rhos[] = {0, 0.3, 0.7}, spreads[] = {0.003, 0.01};
    for (int k = 0; k < 6; k++) {
        const struct noise n = {"", .spread = spreads[k % 2], .rho = rhos[k / 2]};
        uint64_t random = hash_mix((uint64_t)k);
        double times[MOST], held = 0, samples = 0;
        for (int i = 0; i < SERIES; i++) {
            double score = normal(&random);
            size_t count = 0;
            for (size_t next = LEAST;
                 count < MOST && (count < next || within_half_width(times, count) > 0.005);) {
                next += count < next ? 0 : 1 + count / 8;
                times[count++] = sample(&n, &score, &random);
            }
            struct within w = within_of(times, count);
            held += fabs(w.median - 1) <= w.half_width * w.median;
            samples += (double)count / SERIES;
        }
        print_message("AR(1) %.1f, %.1f %%, until +-0.5 %%: %.1f %% held, %.0f samples\n", n.rho,
                      100 * n.spread, 100 * held / SERIES, samples);
        assert_true(held / SERIES >= (n.rho > 0.5 ? 0.88 : 0.92));
    }
}

/* It may be asked after every few samples: 20 us for 100; ten times that for a checked build on a busy
 * machine. */
TEST(cost)
{
    enum { REPEATS = 500 };
    double times[100];
    uint64_t random = 1;
    for (int i = 0; i < 100; i++)
        times[i] = 1 + 0.01 * normal(&random);
    struct timespec before, after;
    double sum = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (int i = 0; i < REPEATS; i++)
        sum += within_half_width(times, 100);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    assert_true(sum > 0);
    double used = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    print_message("100 samples judged in %.1f us\n", 1e6 * used / REPEATS);
    assert_true(used / REPEATS < 200e-6);
}
