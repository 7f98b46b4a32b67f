/* Verdicts over measured files with planted differences: runs of one job on H200s and H100s (analysis/data), of which only those of
 * h200-runs are in a profile's variances. How often intervals hold, what is called where nothing or too little differs, and what is
 * found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/comparison.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/dataset/dataset.h"

static const char *const names[] = {
    "h200-runs/unit1-1",
    "h200-runs/unit1-2",
    "h200-runs/unit2-1",
    "h200-runs/unit2-2",
    "h200-runs/unit3-1",
    "h200-runs/unit3-2",
    "h200-runs/unit4-1",
    "h200-runs/unit4-2",
    "h200-runs/unit5-1",
    "h200-runs/unit5-2",
    "h200-held-out/unit6-1",
    "h200-held-out/unit6-2",
    "h200-held-out/unit7-1",
    "h200-held-out/unit7-2",
    "h200-copy",
    "h200-copy-again",
    "h100-runs/unit1-1",
    "h100-runs/unit1-2",
    "h100-copy",
    "h100-copy-again",
    "h100-runs/unit3-1",
    "h100-runs/unit3-2",
    "h100-runs/unit2-paper",
    "h200-held-out/unit8-paper",
    "h200-held-out/unit9-paper",
    "h100-paper",
    "h200-paper",
};
enum { FILES = sizeof names / sizeof *names };
enum { PAPERS = 22 };

/* Under sanitizers test_two_commits alone judges: the others do the same with other files and numbers, for a minute. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

enum choice { ONE_UNIT, TWO_UNITS, TWO_COMMITS };
static const char *const choices[] = {"one unit", "two units", "two units, commits and jobs"};

static struct dataset file[FILES];
static struct view view[FILES];

static bool is_equal(int a, int b, const char *column)
{
    return strcmp(frame_find_text(&file[a].devices, 0, column),
                  frame_find_text(&file[b].devices, 0, column)) == 0;
}

/* Seconds of a load of every 137th f16 of 1 GiB: 82 or 92 us on an H200, by its kind. The roofs of DRAM tell the kinds apart only
 * in files of one commit, because their kernels have changed. */
static double strided_seconds(int f)
{
    const struct frame *results = &file[f].results;
    for (size_t r = 0; r < results->rows; r++)
        if (strcmp(frame_find_text(results, r, "kernel"), "copy") == 0 &&
            strcmp(frame_find_text(results, r, "variant"), "load") == 0 &&
            strcmp(frame_find_text(results, r, "dtype"), "f16") == 0 &&
            strcmp(frame_find_text(results, r, "cache"), "cold") == 0 &&
            strcmp(frame_find_text(results, r, "arch"), "native") == 0 &&
            frame_find_integer(results, r, "size") == INT64_C(1) << 30 &&
            frame_find_integer(results, r, "stride") == 137 && frame_find_integer(results, r, "vector") == 1)
            return frame_find_real(results, r, "time_median");
    return NAN;
}

/* One product, and one kind of it (report --runs). */
static bool is_one_group(int a, int b)
{
    double ratio = strided_seconds(a) / strided_seconds(b);
    assert_false(isnan(ratio));
    return is_equal(a, b, DEVICE_COLUMN(name)) && fabs(log(ratio)) < 0.05;
}

/* Whether a pair of files, a before b, is in the choice. A paper is of another job than the
 * copies, and those of another unit are of another commit. */
static bool is_chosen(enum choice choice, int a, int b)
{
    bool unit = is_equal(a, b, DEVICE_COLUMN(uuid)), paper = b >= PAPERS;
    if (!is_one_group(a, b) || a >= PAPERS)
        return false;
    if (choice == TWO_COMMITS)
        return paper && !unit;
    return !paper && unit == (choice == ONE_UNIT);
}

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
    double group_held;                    /* of comparisons: the geometric mean's interval holds the truth */
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
        bool called = is_called(ratio), lasts = comparison->pair[i].a.estimate.seconds >= 4e-6,
             cold = comparison->pair[i].a.estimate.kind == LEVELS_ON_DEVICE;
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

/* Whether the interval of the geometric mean holds the truth. */
static bool group_holds(const struct comparison *comparison, const double *truth)
{
    struct verdict_sums sums = {0};
    double sum = 0, known = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        verdict_add(&sums, &comparison->pair[i].a.estimate, &comparison->pair[i].b.estimate);
        bool measured = !isnan(comparison->ratio[i].ratio);
        sum += measured ? truth[i] : 0;
        known += measured;
    }
    struct verdict_ratio group = verdict_group(&comparison->rule, &sums);
    return log(group.low) <= sum / known && sum / known <= log(group.high);
}

static struct tally judge(enum choice choice, double threshold, double shift, size_t every)
{
    struct tally t = {0};
    double comparisons = 0;
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
            t.group_held += group_holds(&comparison, truth);
            comparisons++;
            free(truth);
            comparison_free(&comparison);
        }
    t.held /= n.all;
    t.group_held /= comparisons;
    t.same /= fmax(1, n.all - n.planted);
    t.called /= fmax(1, n.all - n.planted);
    t.found /= fmax(1, n.planted);
    t.found_long /= fmax(1, n.planted_long);
    t.found_cold /= fmax(1, n.planted_cold);
    print_message("%s, threshold %g %%, %g %% planted in 1 of %zu points: held %.1f %%, geometric mean %.1f "
                  "%%; called %.2f %% (from 4 us on "
                  "%.1f %%, cold %.1f %%); of the others same %.1f %%, called %.3f %%\n",
                  choices[choice], 100 * threshold, 100 * shift, every, 100 * t.held, 100 * t.group_held,
                  100 * t.found, 100 * t.found_long, 100 * t.found_cold, 100 * t.same, 100 * t.called);
    return t;
}

static void test_nothing_differs(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    for (int choice = ONE_UNIT; choice <= TWO_UNITS; choice++) {
        struct tally t = judge((enum choice)choice, 0.01, 0, 1);
        assert_true(t.held >= (choice == ONE_UNIT ? 0.95 : 0.93));
        assert_true(t.group_held >= 0.95);
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
    if (SANITIZED)
        skip();
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
    if (SANITIZED)
        skip();
    struct tally all = judge(ONE_UNIT, 0.01, 0.02, 1), quarter = judge(ONE_UNIT, 0.01, 0.02, 4);
    assert_true(all.found_long >= 0.95 && all.found_cold >= 0.98);
    assert_true(quarter.found_long >= 0.93 && quarter.found_cold >= 0.95);
    assert_true(quarter.called == 0);
    all = judge(TWO_UNITS, 0.01, 0.02, 1);
    assert_true(all.found_long >= 0.95 && all.found_cold >= 0.97);
}

static void set_unit(struct dataset *dataset, const char *uuid)
{
    int column = frame_find(&dataset->devices, DEVICE_COLUMN(uuid));
    for (size_t d = 0; d < dataset->devices.rows; d++)
        frame_put_text(&dataset->devices, d, column, uuid);
}

/* Files that do not name their units may be of two. */
static void test_unknown_units(void **state)
{
    (void)state;
    struct comparison comparison;
    char first[] = "a", second[] = "b", *const sides[2] = {first, second};
    for (int f = 0; f < 4; f += 2)
        set_unit(&file[f], "");
    comparison_of_files(&view[0], &view[2], sides, &comparison);
    comparison_judge(&comparison, 0.01);
    assert_non_null(strstr(comparison.assumed.data, "Two units of one product"));
    comparison_free(&comparison);
}

/* All devices of a file are compared, not only the first ones. */
static void test_second_device(void **state)
{
    (void)state;
    struct comparison comparison;
    char first[] = "a", second[] = "b", *const sides[2] = {first, second};
    frame_append(&file[1].devices, &file[2].devices);
    comparison_of_files(&view[0], &view[1], sides, &comparison);
    comparison_judge(&comparison, 0.01);
    assert_non_null(strstr(comparison.assumed.data, "The sides differ in uuid (GPU-"));
    comparison_free(&comparison);
}

/* Points that would not show even a factor of two are the ones that need replicates most. */
static void test_hopeless(void **state)
{
    (void)state;
    struct comparison comparison;
    char first[] = "a", second[] = "b", *const sides[2] = {first, second};
    comparison_of_files(&view[0], &view[1], sides, &comparison);
    for (size_t i = 0; i < comparison.pairs; i++)
        comparison.pair[i].a.estimate.own = comparison.pair[i].b.estimate.own = 1;
    comparison_judge(&comparison, 0.01);
    assert_true(isnan(verdict_detectable(&comparison.rule, comparison.ratio, NULL, comparison.pairs, 0.95)));
    assert_non_null(strstr(comparison.assumed.data, "Even 100 replicates would not find 2 %"));
    comparison_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_differs),
        cmocka_unit_test(test_two_commits),
        cmocka_unit_test(test_below_the_threshold),
        cmocka_unit_test(test_two_percent),
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_second_device),
        cmocka_unit_test(test_unknown_units),
    };
    return cmocka_run_group_tests(tests, read_files, free_files);
}
