/* How long points took before: kept, read back whatever the file holds, and what is expected by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator/progress/forecast.h"
#include "plan/grid.h"
#include "plan/history.h"
#include "plan/order.h"

#define assert_near(is, should, most) assert_true(fabs((is) - (should)) <= (most))

struct fixture {
    struct job job;
    struct grid *grid;
    char path[64];
};

/* Four sizes of a copy, and of a reduction. */
static struct fixture fixture(void)
{
    static const char text[] =
        "sweeps: [{kernel: copy, axes: {size: [1MiB, 4MiB, 64MiB, 1GiB]}}, {kernel: reduce, axes: {size: "
        "[1MiB, 64MiB]}}]\n";
    struct fixture f;
    struct error error = {0};
    if (job_parse("t.yaml", text, strlen(text), &f.job, &error) != 0 ||
        grid_expand(&f.job, &f.grid, &error) != 0)
        fail_msg("%s", error.text);
    snprintf(f.path, sizeof f.path, "/tmp/warpsweep-history-%ld.txt", (long)getpid());
    return f;
}

static void done(struct fixture *f)
{
    unlink(f->path);
    grid_free(f->grid);
    job_free(&f->job);
}

static struct point point_at(const struct fixture *f, uint32_t index)
{
    return grid_point(f->grid, index);
}

static void keeps_what_points_took(void **state)
{
    (void)state;
    struct fixture f = fixture();
    struct error error = {0};
    char backend[32], device[64];
    struct point small = point_at(&f, 0), other = point_at(&f, 1);
    struct history *history = history_read(f.path);
    assert_true(history_is_empty(history));
    assert_true(isnan(history_recall(history, &small, &f.job.timing)));
    assert_true(isnan(history_guess(history, &small, &f.job.timing)));
    history_add(history, &small, &f.job.timing, 7);
    history_add(history, &small, &f.job.timing, 5); /* the last counts */
    history_add_run(history, 3, 10, 20);
    assert_true(isnan(history_recall_counted(history, &small, &f.job.timing)));
    assert_true(isnan(history_counting(history, 12, false)));
    history_add_counted(history, &small, &f.job.timing, 0.25);
    history_add_counted(history, &other, &f.job.timing, 0.5); /* never timed: nothing to keep it with */
    history_add_counting(history, 12, false, 8, 4);
    assert_int_equal(history_write(history, f.path, "fake", "A device", &error), 0);
    history_free(history);
    history = history_read(f.path);
    assert_near(history_recall(history, &small, &f.job.timing), 5, 1e-6);
    assert_true(isnan(history_recall(history, &other, &f.job.timing)));
    assert_near(history_recall_counted(history, &small, &f.job.timing), 0.25, 1e-6);
    assert_true(isnan(history_recall_counted(history, &other, &f.job.timing)));
    assert_near(history_counting(history, 12, false), 0.5, 1e-6);
    assert_true(isnan(history_counting(history, 12, true)) && isnan(history_counting(history, 13, false)));
    struct timing another = f.job.timing;
    another.max_time *= 2; /* another timing is another time */
    assert_true(isnan(history_recall(history, &small, &another)));
    assert_near(history_wall(history, 100), 3 + 200, 1e-3);
    assert_true(history_head(f.path, backend, sizeof backend, device, sizeof device));
    assert_string_equal(backend, "fake");
    assert_string_equal(device, "A device");
    history_free(history);
    done(&f);
}

static void a_damaged_file_is_no_history(void **state)
{
    static const char *const files[] = {"", "warpsweep history 2\npoint 1 2\n", "rubbish\n\xff\xfe",
                                        "warpsweep history 1\npoint zz 1\npoint 1 -3\npoint 2 nan\nclass "
                                        "copy 99 1 1 1\nclass copy 3 inf 1 1\nruns 0 0 0\n"};
    (void)state;
    struct fixture f = fixture();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(f.path, "w");
        fputs(files[i], file);
        fclose(file);
        struct history *history = history_read(f.path);
        assert_true(history_is_empty(history));
        assert_near(history_wall(history, 1), 1, 0);
        history_free(history);
    }
    done(&f);
}

static void expects_like_of_like(void **state)
{
    (void)state;
    struct fixture f = fixture();
    struct history *history = history_read("");
    struct point copy = point_at(&f, 2), like = point_at(&f, 2), reduce = point_at(&f, 5);
    history_add(history, &copy, &f.job.timing, 2);
    assert_near(history_guess(history, &like, &f.job.timing), 2, 1e-9);
    double other =
        history_guess(history, &reduce, &f.job.timing); /* of another kernel: better than nothing */
    assert_true(other > 0.5 && other < 8);
    history_free(history);
    done(&f);
}

static double recalled(void *context, uint32_t index)
{
    const double *seconds = context;
    return seconds[index];
}

static void longest_first_by_what_was_measured(void **state)
{
    (void)state;
    double seconds[] = {0.2, 3, 0.001, 0.004, 3.1, 100};
    uint32_t item[] = {2, 0, 4, 3, 1, 5};
    order_longest_first(item, 6, recalled, seconds);
    const uint32_t wanted[] = {5, 4, 1, 0, 2, 3}; /* like ones as they were: 4 before 1, 2 before 3 */
    assert_memory_equal(item, wanted, sizeof wanted);
}

/* Of what nothing is known, nothing is forecast; then it goes by what this run has measured. */
static void forecasts_from_what_it_has_seen(void **state)
{
    (void)state;
    struct fixture f = fixture();
    struct history *history = history_read("");
    struct forecast *forecast = forecast_new(&(struct forecast_options){.grid = f.grid,
                                                                        .timing = &f.job.timing,
                                                                        .history = history,
                                                                        .ranks = 1,
                                                                        .present = 1,
                                                                        .nodes = 1,
                                                                        .further = 1,
                                                                        .bound = true});
    for (uint32_t i = 0; i < grid_count(f.grid); i++)
        forecast_add(forecast, i);
    forecast_start(forecast, 10);
    assert_true(isnan(forecast_left(forecast, 10)));
    double work = 0;
    for (uint32_t i = 0; i < grid_count(f.grid); i++) {
        forecast_assign(forecast, i, 0, false);
        forecast_begin_batch(forecast, 0, 10 + work, false);
        assert_near(forecast_report(forecast, 0, 10 + work + 0.02), 0.02, 1e-9);
        forecast_add_timed(forecast, i, 0, 0.02, 0.02, true);
        work += 0.02;
    }
    double left =
        forecast_left(forecast, 10 + work); /* as much again: each is measured by a further process */
    assert_near(left, work, 0.01 * work);
    for (uint32_t i = 0; i < grid_count(f.grid); i++)
        forecast_add_repeat(forecast, i, 0, 0.02);
    assert_near(forecast_left(forecast, 10 + 2 * work), 0, 1e-6); /* times are kept as floats */
    forecast_free(forecast);
    history_free(history);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_points_took),
        cmocka_unit_test(a_damaged_file_is_no_history),
        cmocka_unit_test(expects_like_of_like),
        cmocka_unit_test(longest_first_by_what_was_measured),
        cmocka_unit_test(forecasts_from_what_it_has_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
