/* Paired comparisons: the order of samples, what cancels in a quadruple, and verdicts over simulated files of two versions whose
 * true ratio is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../simulation.h"
#include "analysis/comparison.h"
#include "base/memory.h"
#include "statistics/paired.h"
#include "statistics/turns.h"

/* ---- The order of samples ---- */

static void test_turns_alternate(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        char order[9] = "";
        for (uint64_t k = 0; k < 8; k++)
            order[k] = turns_version(turn, k) ? 'B' : 'A';
        assert_string_equal(order, turn % 2 ? "BAABBAAB" : "ABBAABBA");
        assert_int_equal(turns_first(turn), turn % 2);
    }
}

/* Each version comes first and second equally often, and the mean times of both in a quadruple are equal. */
static void test_turns_are_even(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        int place[2] = {0, 0}, second[2] = {0, 0};
        for (int k = 0; k < TURNS_QUADRUPLE; k++) {
            place[turns_version(turn, (uint64_t)k)] += k;
            second[turns_version(turn, (uint64_t)k)] += k % 2;
        }
        assert_int_equal(place[0], place[1]);
        assert_int_equal(second[0], second[1]);
    }
}

/* ---- One process ---- */

enum { SAMPLES = 40 };

/* Samples of both versions as a process takes them: a clock that drifts, and an effect of coming second. */
static void take(uint32_t turn, double ratio, double drift, double order, double a[SAMPLES],
                 double b[SAMPLES])
{
    size_t taken[2] = {0, 0};
    for (uint64_t k = 0; k < 2 * SAMPLES; k++) {
        int version = turns_version(turn, k);
        double seconds = 1e-5 * (1 + drift * (double)k) * (k % 2 ? 1 + order : 1);
        (version ? b : a)[taken[version]++] = version ? ratio * seconds : seconds;
    }
}

static void test_drift_and_order_cancel(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++) {
        double a[SAMPLES], b[SAMPLES];
        take(turn, 1.003, 1e-3, 0.02, a, b);
        struct paired paired = paired_of(a, b, SAMPLES, turns_first(turn));
        assert_int_equal(paired.quotients, SAMPLES / 2);
        assert_true(fabs(paired.log_ratio - log(1.003)) <
                    1e-5); /* the drift is not quite linear in the logarithm */
        assert_true(fabs(paired.order - log(1.02)) < 1.5e-3);
    }
}

static void test_little_is_known_of_few(void **state)
{
    (void)state;
    const double a[] = {1, 1, 1}, b[] = {2, 2, 2};
    assert_true(isnan(paired_of(a, b, 1, false).log_ratio));
    struct paired one = paired_of(a, b, 3, false); /* a whole quadruple, and a half */
    assert_int_equal(one.quotients, 1);
    assert_true(fabs(one.log_ratio - log(2)) < 1e-12 && isnan(one.variance));
}

/* ---- Files of known truth ---- */

enum { POINTS = 120, QUADRUPLES = 16, FILES = 12 };

/* What is known of an H200 (six processes): times of processes deviate by 0.3 %, ratios of short points by 0.06 %, of long ones
 * by 0.03 %. */
struct world {
    int processes;
    double planted; /* ratio - 1 */
    double order;   /* effect of coming second */
    double
        own; /* deviation of the ratio between processes, of the shortest points; of the longest half of it */
};

struct columns {
    int id, kernel, version, size, status, paired_with, count, offset, device;
};

static struct dataset new_file(struct columns *c)
{
    struct dataset file = {.results = frame_new(), .devices = frame_new()};
    struct frame *results = &file.results;
    c->id = frame_add_column(results, COLUMN(id), COLUMN_TEXT, ROLE_IDENTITY, "", "");
    c->kernel = frame_add_column(results, COLUMN(kernel), COLUMN_TEXT, ROLE_IDENTITY, "", "");
    c->version = frame_add_column(results, "version", COLUMN_TEXT, ROLE_AXIS, "", "");
    c->size = frame_add_column(results, "size", COLUMN_INTEGER, ROLE_AXIS, "bytes", "");
    c->status = frame_add_column(results, COLUMN(status), COLUMN_TEXT, ROLE_STATUS, "", "");
    c->paired_with = frame_add_column(results, COLUMN(paired_with), COLUMN_TEXT, ROLE_IDENTITY, "", "");
    c->count = frame_add_column(results, COLUMN(sample_count), COLUMN_INTEGER, ROLE_SAMPLING, "", "");
    c->offset = frame_add_column(results, COLUMN(sample_offset), COLUMN_INTEGER, ROLE_SAMPLING, "", "");
    c->device = frame_add_column(results, COLUMN(device), COLUMN_INTEGER, ROLE_IDENTITY, "", "");
    int name = frame_add_column(&file.devices, DEVICE_COLUMN(name), COLUMN_TEXT, ROLE_OTHER, "", ""),
        backend = frame_add_column(&file.devices, DEVICE_COLUMN(backend), COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_row(&file.devices);
    frame_put_text(&file.devices, 0, name, "simulated");
    frame_put_text(&file.devices, 0, backend, "fake");
    const struct store_pair versions = {.name = (char *)"pairs", .value = (char *)"version old new"};
    dataset_add_environment(&file, &versions, 1);
    return file;
}

static void add_row(struct dataset *file, const struct columns *c, int point, int version)
{
    struct frame *results = &file->results;
    size_t row = results->rows;
    char text[32];
    frame_add_row(results);
    snprintf(text, sizeof text, "%016x", 2 * point + version + 1);
    frame_put_text(results, row, c->id, text);
    snprintf(text, sizeof text, "%016x", 2 * point + 2 - version);
    frame_put_text(results, row, c->paired_with, text);
    frame_put_text(results, row, c->kernel, "spin");
    frame_put_text(results, row, c->version, version ? "new" : "old");
    frame_put_integer(results, row, c->size, point);
    frame_put_text(results, row, c->status, status_words[STATUS_OK]);
    frame_put_integer(results, row, c->device, 0);
    frame_put_integer(results, row, c->offset, (int64_t)file->sample_count);
}

/* Points last 1.4 us to about 1 ms. */
static double seconds_of(int point)
{
    return 1.4e-6 * exp2(10.0 * point / POINTS);
}

static double own_of(const struct world *world, int point)
{
    return world->own * (seconds_of(point) < 5e-6 ? 1 : 0.5);
}

/* The samples of one process of one pair: autocorrelated noise that both versions share, and noise that they do not. */
static void simulate(const struct world *world, uint64_t *state, int point, uint32_t process, double common,
                     struct sample *samples[2])
{
    double clock = 0, ratio = log1p(world->planted) + own_of(world, point) * simulation_normal(state);
    size_t taken[2] = {0, 0};
    for (uint64_t k = 0; k < 4 * QUADRUPLES; k++) {
        int version = turns_version(process, k);
        clock = 0.95 * clock + 0.001 * simulation_normal(state);
        double deviation = common + clock + 0.001 * simulation_normal(state) + (k % 2 ? world->order : 0);
        if (simulation_uniform(state) < 0.02)
            deviation += 0.05 * simulation_uniform(state);
        samples[version][taken[version]++] =
            (struct sample){.seconds = seconds_of(point) * exp(deviation + (version ? ratio : 0)),
                            .sm_clock = NAN,
                            .process = process,
                            .device = 0};
    }
}

static struct dataset make_file(const struct world *world, uint64_t *state)
{
    struct columns c;
    struct dataset file = new_file(&c);
    size_t each = (size_t)(2 * QUADRUPLES * world->processes);
    double *common = memory_new((size_t)world->processes, sizeof *common);
    dataset_reserve_samples(&file, 2 * POINTS * each);
    for (int p = 0; p < world->processes; p++)
        common[p] = 0.003 * simulation_normal(state);
    for (int point = 0; point < POINTS; point++) {
        struct sample *samples[2] = {file.samples + file.sample_count,
                                     file.samples + file.sample_count + each};
        for (int version = 0; version < 2; version++) {
            add_row(&file, &c, point, version);
            frame_put_integer(&file.results, file.results.rows - 1, c.count, (int64_t)each);
            file.sample_count += each;
        }
        for (int p = 0; p < world->processes; p++) {
            simulate(world, state, point, (uint32_t)p, common[p], samples);
            samples[0] += 2 * QUADRUPLES;
            samples[1] += 2 * QUADRUPLES;
        }
    }
    free(common);
    return file;
}

struct tally {
    double slower_short, slower_long, faster, same, held; /* shares of points */
};

static struct tally judge(const struct world *world, double threshold, uint64_t seed)
{
    struct tally t = {.held = 0};
    uint64_t state = hash_mix(seed);
    double shorts = 0, longs = 0, all = FILES * POINTS;
    for (int f = 0; f < FILES; f++) {
        struct dataset file = make_file(world, &state);
        struct view view = view_new(&file);
        struct comparison comparison;
        struct error error = {0};
        if (comparison_of_pairs(&view, NULL, &comparison, &error) != 0)
            fail_msg("%s", error.text);
        comparison_judge(&comparison, threshold);
        assert_int_equal(comparison.pairs, POINTS);
        for (size_t i = 0; i < comparison.pairs; i++) {
            const struct verdict_ratio *r = &comparison.ratio[i];
            double seconds = comparison.pair[i].a.estimate.seconds;
            bool slower = r->verdict == VERDICT_SLOWER, lasts = seconds > 10e-6;
            shorts += !lasts;
            longs += lasts;
            t.slower_short += slower && !lasts;
            t.slower_long += slower && lasts;
            t.faster += (r->verdict == VERDICT_FASTER) / all;
            t.same += (r->verdict == VERDICT_SAME) / all;
            t.held += (r->low <= 1 + world->planted && 1 + world->planted <= r->high) / all;
        }
        comparison_free(&comparison);
        view_free(&view);
        dataset_free(&file);
    }
    t.slower_short /= shorts;
    t.slower_long /= longs;
    print_message("%+.2f %% planted, %d processes: slower %.2f %% below 10 us, %.2f %% above; faster %.2f "
                  "%%, same %.2f %%; "
                  "interval held %.1f %%\n",
                  100 * world->planted, world->processes, 100 * t.slower_short, 100 * t.slower_long,
                  100 * t.faster, 100 * t.same, 100 * t.held);
    return t;
}

static void test_the_same_twice(void **state)
{
    (void)state;
    for (int processes = 3; processes <= 6; processes += 3) {
        struct tally t =
            judge(&(struct world){.processes = processes, .own = 0.0006}, COMPARISON_PAIRED_THRESHOLD, 1);
        assert_true(t.slower_short + t.slower_long + t.faster == 0);
        assert_true(t.held >= 0.93);
        t = judge(&(struct world){.processes = processes, .own = 0.0006}, 0.005, 1);
        assert_true(t.same >= 0.99);
    }
}

/* A bias below the threshold, as of the place of code, gives no verdict; an effect of order none at all. */
static void test_a_bias_below_the_threshold(void **state)
{
    (void)state;
    struct tally t = judge(&(struct world){.processes = 6, .own = 0.0006, .planted = 0.0009, .order = 0.002},
                           COMPARISON_PAIRED_THRESHOLD, 2);
    assert_true(t.slower_short <= 0.01 && t.slower_long <= 0.01 && t.faster == 0);
    assert_true(t.held >= 0.93);
}

static void test_half_a_percent_is_found(void **state)
{
    (void)state;
    struct tally t = judge(&(struct world){.processes = 6, .own = 0.0006, .planted = 0.005},
                           COMPARISON_PAIRED_THRESHOLD, 3);
    assert_true(t.slower_short >= 0.95 && t.slower_long >= 0.95 && t.faster == 0);
    assert_true(t.held >= 0.93);
}

static void test_two_per_mille_are_found_of_long_points(void **state)
{
    (void)state;
    struct tally t = judge(&(struct world){.processes = 6, .own = 0.0006, .planted = 0.002},
                           COMPARISON_PAIRED_THRESHOLD, 4);
    assert_true(t.slower_long >= 0.95 && t.faster == 0);
    assert_true(t.held >= 0.93);
}

static void test_two_percent_are_found_by_three_processes(void **state)
{
    (void)state;
    struct tally t = judge(&(struct world){.processes = 3, .own = 0.0006, .planted = 0.02},
                           COMPARISON_PAIRED_THRESHOLD, 5);
    assert_true(t.slower_short >= 0.99 && t.slower_long >= 0.99 && t.faster == 0);
}

/* ---- What is told of a file ---- */

static void test_biases_are_told(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct dataset file = make_file(&(struct world){.processes = 6, .own = 0.0006, .order = 0.003}, &seed);
    struct view view = view_new(&file);
    struct comparison comparison;
    struct error error = {0};
    double order = NAN;
    assert_int_equal(comparison_of_pairs(&view, NULL, &comparison, &error), 0);
    const char *told = strstr(comparison.assumed.data, "coming second");
    assert_non_null(told);
    assert_int_equal(sscanf(strchr(told, ':'), ": %lf", &order), 1);
    assert_true(order > 0.25 && order < 0.35);
    assert_non_null(strstr(comparison.assumed.data, "being loaded second"));
    comparison_free(&comparison);
    view_free(&view);
    dataset_free(&file);
}

/* The baseline is the first version unless another one is named, and the ratio turns round with it. */
static void test_either_version_is_the_baseline(void **state)
{
    (void)state;
    uint64_t seed = 8;
    struct dataset file = make_file(&(struct world){.processes = 3, .planted = 0.02}, &seed);
    struct view view = view_new(&file);
    double ratio[2];
    static const char *const baseline[] = {"old", "new"};
    for (int k = 0; k < 2; k++) {
        struct comparison comparison;
        struct error error = {0};
        assert_int_equal(comparison_of_pairs(&view, baseline[k], &comparison, &error), 0);
        comparison_judge(&comparison, 0.001);
        assert_string_equal(comparison.section[0].a, baseline[k]);
        ratio[k] = comparison.ratio[5].ratio;
        comparison_free(&comparison);
    }
    assert_true(ratio[0] > 1.015 && fabs(ratio[0] * ratio[1] - 1) < 1e-5);
    struct comparison comparison;
    struct error error = {0};
    assert_int_equal(comparison_of_pairs(&view, "other", &comparison, &error), -1);
    assert_non_null(strstr(error.text, "version"));
    view_free(&view);
    dataset_free(&file);
}

/* Samples of a process that has taken more of one version than of the other are of no pair. */
static void test_unequal_counts_are_no_pair(void **state)
{
    (void)state;
    uint64_t seed = 9;
    struct dataset file = make_file(&(struct world){.processes = 1}, &seed);
    struct view view = view_new(&file);
    struct comparison comparison;
    struct error error = {0};
    int count = frame_find(&file.results, COLUMN(sample_count));
    frame_put_integer(&file.results, 1, count, QUADRUPLES);
    assert_int_equal(comparison_of_pairs(&view, NULL, &comparison, &error), 0);
    comparison_judge(&comparison, 0.001);
    size_t judged = 0;
    for (size_t i = 0; i < comparison.pairs; i++)
        judged += comparison.ratio[i].verdict != VERDICT_UNKNOWN;
    assert_int_equal(judged, POINTS - 1);
    assert_non_null(strstr(comparison.assumed.data, "1 pair without a verdict"));
    comparison_free(&comparison);
    view_free(&view);
    dataset_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_alternate),
        cmocka_unit_test(test_turns_are_even),
        cmocka_unit_test(test_drift_and_order_cancel),
        cmocka_unit_test(test_little_is_known_of_few),
        cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_a_bias_below_the_threshold),
        cmocka_unit_test(test_half_a_percent_is_found),
        cmocka_unit_test(test_two_per_mille_are_found_of_long_points),
        cmocka_unit_test(test_two_percent_are_found_by_three_processes),
        cmocka_unit_test(test_biases_are_told),
        cmocka_unit_test(test_either_version_is_the_baseline),
        cmocka_unit_test(test_unequal_counts_are_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
