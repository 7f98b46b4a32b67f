/* What is left of a run, by the times of its points so far. */
#include "unit_test.h"

#include "coordinator/progress/forecast.h"
#include "job_fixture.h"
#include "plan/order.h"

#define assert_near(is, should) assert_true(fabs((is) - (should)) <= 1e-6 * fmax(1, fabs(should)))

#define SLOWER 3.0 /* than expected */

enum { RANKS = 2, POINTS = 6 };

struct fixture {
    struct job job;
    struct grid *grid;
    struct forecast *forecast;
    double all; /* expected, of one measurement of each point */
};

static double expected_at(const struct fixture *f, uint32_t index)
{
    struct point point = grid_point(f->grid, index);
    return order_expected_seconds(&point, &f->job.timing);
}

/* The forecast points into `f`. */
static void set_up(struct fixture *f, uint32_t further, bool counts, const char *kernel)
{
    char text[128];
    snprintf(text, sizeof text, "sweeps: [{kernel: %s, axes: {size: {from: 1MiB, to: 1GiB, factor: 4}}}]\n",
             kernel);
    *f = (struct fixture){.job = parsed(text)};
    f->grid = expanded(&f->job);
    f->forecast = forecast_new(&(struct forecast_options){.grid = f->grid,
                                                          .timing = &f->job.timing,
                                                          .ranks = RANKS,
                                                          .present = RANKS,
                                                          .further = further,
                                                          .bound = true,
                                                          .counts = counts,
                                                          .links_apart = true});
    assert_int_equal(grid_count(f->grid), POINTS);
    for (uint32_t i = 0; i < POINTS; i++) {
        forecast_add(f->forecast, i);
        f->all += expected_at(f, i);
    }
}

static void done(struct fixture *f)
{
    forecast_free(f->forecast);
    grid_free(f->grid);
    job_free(&f->job);
}

/* Rank `rank` does a part of a point, alone and without a pause. Returns the time after it. */
static double work(struct fixture *f, enum forecast_part part, uint32_t index, int rank, double now)
{
    double seconds = SLOWER * expected_at(f, index);
    forecast_begin(f->forecast, rank, now);
    assert_near(forecast_report(f->forecast, rank, now + seconds), seconds);
    if (part == FORECAST_FIRST)
        forecast_add_timed(f->forecast, index, rank, seconds, seconds, true);
    else if (part == FORECAST_REPLICATE)
        forecast_add_replicate(f->forecast, index, rank, seconds);
    else
        forecast_add_counted(f->forecast, index, seconds);
    forecast_mark_idle(f->forecast, rank);
    return now + seconds;
}

/* Unknown before the first point. Then the pace of this run counts, and that only one rank of two is at work. */
TEST(pace_of_the_run)
{
    struct fixture f;
    set_up(&f, 0, false, "copy");
    double now = 10, left = f.all;
    assert_true(isnan(forecast_left(f.forecast, now)));
    for (uint32_t i = 0; i < POINTS; i++) {
        now = work(&f, FORECAST_FIRST, i, 0, now);
        left -= expected_at(&f, i);
        assert_near(forecast_left(f.forecast, now), SLOWER * left);
    }
    done(&f);
}

/* Replicates and counting follow a point that is ok, and do not follow one that is not. */
TEST(what_follows_a_point)
{
    struct fixture f;
    set_up(&f, 2, true, "copy");
    double now = work(&f, FORECAST_FIRST, 0, 0, 10), left = 4 * f.all - expected_at(&f, 0);
    assert_near(forecast_left(f.forecast, now), SLOWER * left);
    forecast_add_timed(f.forecast, 1, 1, 0, 0, false);
    left -= 4 * expected_at(&f, 1);
    assert_near(forecast_left(f.forecast, now), SLOWER * left);
    now = work(&f, FORECAST_COUNT, 0, 0, now);
    left -= expected_at(&f, 0);
    assert_near(forecast_left(f.forecast, now), SLOWER * left);
    now = work(&f, FORECAST_REPLICATE, 0, 0, now);
    left -= expected_at(&f, 0);
    assert_near(forecast_left(f.forecast, now), SLOWER * left);
    forecast_lose(f.forecast, 0); /* with its other replicate */
    left -= expected_at(&f, 0);
    assert_near(forecast_left(f.forecast, now), SLOWER * left);
    done(&f);
}

/* What only one rank can do takes its time, however many there are. A rank whose replicates are its share knows it. */
TEST(a_rank_that_has_more)
{
    struct fixture f;
    set_up(&f, 1, false, "copy");
    double now = 10;
    for (uint32_t i = 0; i < POINTS; i++)
        now = work(&f, FORECAST_FIRST, i, 0, now);
    assert_near(forecast_left(f.forecast, now), SLOWER * f.all);
    assert_true(forecast_has_share(f.forecast, 0, 0));
    assert_false(forecast_has_share(f.forecast, 0, 2 * SLOWER * f.all)); /* there is so much to count */
    assert_false(forecast_has_share(f.forecast, 1, 0));
    forecast_add_partial(f.forecast, 0, 1, 1000, NAN);
    assert_true(forecast_has_share(f.forecast, 1, 0) && !forecast_has_share(f.forecast, 0, 0));
    done(&f);
    struct fixture link;
    set_up(&link, 1, false, "host_copy");
    forecast_add_timed(link.forecast, 5, 0, 100, 100, true);
    assert_true(forecast_has_share(link.forecast, 0, 0)); /* it leaves the other ranks alone */
    done(&link);
}
