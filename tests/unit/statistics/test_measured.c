/* Verdicts over measured files with planted differences: fourteen runs of one job on seven H200s, of which one had no part in the
 * profile's variances (h200-held-out), and repeated runs on an H100 (analysis/data). How often intervals hold, what is called where nothing or too little differs, and what is found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/comparison.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/dataset/dataset.h"

static const char *const names[] = {
    "h200-runs/unit1-1",    "h200-runs/unit1-2",    "h200-runs/unit2-1",   "h200-runs/unit2-2",
    "h200-runs/unit3-1",    "h200-runs/unit3-2",    "h200-runs/unit4-1",   "h200-runs/unit4-2",
    "h200-runs/unit5-1",    "h200-runs/unit5-2",    "h200-copy",           "h200-copy-again",
    "h200-held-out/copy-1", "h200-held-out/copy-2", "h100-copy",           "h100-copy-again",
    "h100-paper",           "h200-paper",           "h200-held-out/paper",
};
enum { FILES = sizeof names / sizeof *names };
/* Files of one group of units: DRAM of one speed (report --runs). */
static const int group_of[FILES] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1, 3, 3, 3, 2, 1};
enum { HELD_OUT = 12, PAPERS = 16, HELD_OUT_PAPER = 18 };

enum choice { ONE_UNIT, TWO_UNITS, TWO_COMMITS };
static const char *const choices[] = {"one unit", "two units", "two units, commits and jobs"};

/* Whether a pair of files, a before b, is in the choice. Units have two files each, one after the other. A paper is of another unit,
 * another commit and another job than the copies, but that of the held-out unit, which is of this unit's commit. */
static bool is_chosen(enum choice choice, int a, int b)
{
    bool unit = a / 2 == b / 2, paper = b >= PAPERS;
    if (group_of[a] != group_of[b] || a >= PAPERS)
        return false;
    if (choice == TWO_COMMITS)
        return paper && (b == HELD_OUT_PAPER ? a < HELD_OUT : a >= 10);
    return !paper && unit == (choice == ONE_UNIT);
}

static struct dataset file[FILES];
static struct view view[FILES];

static int read_files(void **state)
{
    (void)state;
    for (int f = 0; f < FILES; f++) {
        char path[512];
        struct error error;
        snprintf(path, sizeof path, SOURCE_FOLDER "/analysis/data/%s.h5", names[f]);
        if (dataset_read(path, &file[f], &error) != 0)
            fail_msg("%s", error.text);
        view[f] = view_new(&file[f]);
        view_keep_points(&view[f]);
    }
    return 0;
}

static int free_files(void **state)
{
    (void)state;
    for (int f = 0; f < FILES; f++) {
        view_free(&view[f]);
        dataset_free(&file[f]);
    }
    return 0;
}

/* Shares of points. Long: from 4 us on; cold: data in DRAM, of any duration. */
struct tally {
    double held;                          /* the interval holds the truth */
    double same, called;                  /* of points where nothing is planted */
    double found, found_long, found_cold; /* of the others: faster or slower */
};
struct counts {
    double all, planted, planted_long, planted_cold;
};

static bool is_called(const struct verdict_ratio *ratio)
{
    return ratio->verdict == VERDICT_FASTER || ratio->verdict == VERDICT_SLOWER;
}

/* Change the times of b in one of `every` points by a factor of 1 + shift, or its inverse; returns the logarithms. */
static double *plant(struct comparison *comparison, double shift, size_t every, uint64_t *random)
{
    double *truth = memory_new(comparison->pairs + 1, sizeof *truth);
    for (size_t i = 0; i < comparison->pairs; i++) {
        struct levels_estimate *b = &comparison->pair[i].b.estimate;
        *random = hash_mix(*random + 1);
        if (shift == 0 || (*random >> 8) % every)
            continue;
        truth[i] = *random & 1 ? log1p(shift) : -log1p(shift);
        b->log_seconds += truth[i];
        b->seconds = exp(b->log_seconds);
    }
    return truth;
}

static void count(struct tally *t, struct counts *n, const struct comparison *comparison, const double *truth)
{
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct verdict_ratio *ratio = &comparison->ratio[i];
        bool called = is_called(ratio), lasts = comparison->a[i].seconds >= 4e-6,
             cold = comparison->a[i].kind == LEVELS_ON_DEVICE;
        if (isnan(ratio->ratio))
            continue;
        n->all++;
        t->held += log(ratio->low) <= truth[i] && truth[i] <= log(ratio->high);
        if (truth[i] == 0) {
            t->same += ratio->verdict == VERDICT_SAME;
            t->called += called;
            continue;
        }
        n->planted++;
        n->planted_long += lasts;
        n->planted_cold += cold;
        t->found += called;
        t->found_long += called && lasts;
        t->found_cold += called && cold;
    }
}

static struct tally judge(enum choice choice, double threshold, double shift, size_t every)
{
    struct tally t = {0};
    struct counts n = {0};
    uint64_t random = hash_mix((uint64_t)(shift * 1e6) + every);
    for (int a = 0; a < FILES; a++)
        for (int b = a + 1; b < FILES; b++) {
            struct comparison comparison;
            char first[] = "a", second[] = "b", *const sides[2] = {first, second};
            if (!is_chosen(choice, a, b))
                continue;
            comparison_of_files(&view[a], &view[b], sides, &comparison);
            double *truth = plant(&comparison, shift, every, &random);
            comparison_judge(&comparison, threshold);
            count(&t, &n, &comparison, truth);
            free(truth);
            comparison_free(&comparison);
        }
    t.held /= n.all;
    t.same /= fmax(1, n.all - n.planted);
    t.called /= fmax(1, n.all - n.planted);
    t.found /= fmax(1, n.planted);
    t.found_long /= fmax(1, n.planted_long);
    t.found_cold /= fmax(1, n.planted_cold);
    print_message(
        "%s, threshold %g %%, %g %% planted in 1 of %zu points: held %.1f %%; called %.2f %% (from 4 us on "
        "%.1f %%, cold %.1f %%); of the others same %.1f %%, called %.3f %%\n",
        choices[choice], 100 * threshold, 100 * shift, every, 100 * t.held, 100 * t.found, 100 * t.found_long,
        100 * t.found_cold, 100 * t.same, 100 * t.called);
    return t;
}

static void test_nothing_differs(void **state)
{
    (void)state;
    for (int choice = ONE_UNIT; choice <= TWO_UNITS; choice++) {
        struct tally t = judge((enum choice)choice, 0.01, 0, 1);
        assert_true(t.held >= (choice == ONE_UNIT ? 0.95 : 0.93));
        assert_true(t.called == 0);
        t = judge((enum choice)choice, 0.05, 0, 1);
        assert_true(t.same >= 0.995 && t.called == 0);
    }
}

/* Kernels may differ, too: 1 % of the points at most. */
static void test_two_commits(void **state)
{
    (void)state;
    struct tally t = judge(TWO_COMMITS, 0.01, 0, 1);
    assert_true(t.held >= 0.925);
    assert_true(t.called <= 0.01);
}

/* True differences below the threshold are not called, whether few points differ or all. */
static void test_below_the_threshold(void **state)
{
    (void)state;
    static const double shift[] = {0.009, 0.0099};
    for (int choice = ONE_UNIT; choice <= TWO_UNITS; choice++)
        for (size_t i = 0; i < sizeof shift / sizeof *shift; i++)
            for (size_t every = 1; every <= 4; every += 3) {
                struct tally t = judge((enum choice)choice, 0.01, shift[i], every);
                assert_true(t.found <= 0.01);
                assert_true(t.held >= 0.93);
            }
}

/* Twice the threshold, with three processes. */
static void test_two_percent(void **state)
{
    (void)state;
    struct tally all = judge(ONE_UNIT, 0.01, 0.02, 1), quarter = judge(ONE_UNIT, 0.01, 0.02, 4);
    assert_true(all.found_long >= 0.95 && all.found_cold >= 0.98);
    assert_true(quarter.found_long >= 0.93 && quarter.found_cold >= 0.95);
    assert_true(quarter.called == 0);
    all = judge(TWO_UNITS, 0.01, 0.02, 1);
    assert_true(all.found_long >= 0.95 && all.found_cold >= 0.97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_two_commits),
        cmocka_unit_test(test_below_the_threshold),
        cmocka_unit_test(test_two_percent),
    };
    return cmocka_run_group_tests(tests, read_files, free_files);
}
