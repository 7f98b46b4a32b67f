/* What is left of a run, by the times of its points so far. */
#include "unit_test.h"

#include "coordinator/progress/progress.h"

#define assert_near(is, should) assert_true(fabs((is) - (should)) <= 1e-6 * fmax(1, fabs(should)))

#define SLOWER 3.0 /* than expected */

enum { RANKS = 2, POINTS = 6 };

struct fixture {
    struct forecast *forecast;
    double all; /* expected, of one measurement of each point */
};

static double expected_at(uint32_t index)
{
    return 0.5 * (index + 1);
}

/* The forecast points into `f`. */
static void set_up(struct fixture *f, uint32_t further, bool counts)
{
    *f = (struct fixture){.forecast = forecast_new(&(struct forecast_options){.ranks = RANKS,
                                                                              .present = RANKS,
                                                                              .further = further,
                                                                              .bound = true,
                                                                              .counts = counts,
                                                                              .start = 10})};
    for (uint32_t i = 0; i < POINTS; i++) {
        forecast_add(f->forecast, expected_at(i));
        f->all += expected_at(i);
    }
}

static void done(struct fixture *f)
{
    forecast_free(f->forecast);
}

/* Rank `rank` does a part of a point, alone and without a pause. Returns the time after it. */
static double work(struct fixture *f, enum forecast_part part, uint32_t index, int rank, double now)
{
    double seconds = SLOWER * expected_at(index);
    if (part == FORECAST_FIRST) {
        forecast_add_timed(f->forecast, expected_at(index), rank, seconds, seconds, true);
        if (f->forecast->options.counts)
            forecast_add_count(f->forecast, expected_at(index));
    } else if (part == FORECAST_REPLICATE)
        forecast_add_replicate(f->forecast, rank, seconds);
    else
        forecast_add_counted(f->forecast, expected_at(index), seconds);
    return now + seconds;
}

/* Unknown before the first point. Then the pace of this run counts, and that only one rank of two is at work. */
TEST(pace_of_the_run)
{
    struct fixture f;
    set_up(&f, 0, false);
    double now = 10, left = f.all;
    assert_true(isnan(forecast_left(f.forecast, now)));
    for (uint32_t i = 0; i < POINTS; i++) {
        now = work(&f, FORECAST_FIRST, i, 0, now);
        left -= expected_at(i);
        assert_near(forecast_left(f.forecast, now), SLOWER * left);
    }
    done(&f);
}

/* Replicates and counting follow a point that is ok, and do not follow one that is not. Counting takes as long as expected, for
 * points that have not been timed as long as timing them. */
TEST(what_follows_a_point)
{
    struct fixture f;
    set_up(&f, 2, true);
    double first = expected_at(0), second = expected_at(1), now = work(&f, FORECAST_FIRST, 0, 0, 10);
    double times = 3 * f.all - first, counts = f.all;
    assert_near(forecast_left(f.forecast, now), SLOWER * times + counts);
    forecast_add_timed(f.forecast, second, 1, 0, 0, false);
    times -= 3 * second;
    counts -= second;
    assert_near(forecast_left(f.forecast, now), SLOWER * times + counts);
    now = work(&f, FORECAST_COUNT, 0, 0, now);
    counts -= first;
    assert_near(forecast_left(f.forecast, now), SLOWER * (times + counts));
    now = work(&f, FORECAST_REPLICATE, 0, 0, now);
    times -= first;
    assert_near(forecast_left(f.forecast, now), SLOWER * (times + counts));
    forecast_lose(f.forecast, 0); /* with its other replicate */
    times -= first;
    assert_near(forecast_left(f.forecast, now), SLOWER * (times + counts));
    done(&f);
}

/* What only one rank can do takes its time, however many there are. */
TEST(a_rank_that_has_more)
{
    struct fixture f;
    set_up(&f, 1, false);
    double now = 10;
    for (uint32_t i = 0; i < POINTS; i++)
        now = work(&f, FORECAST_FIRST, i, 0, now);
    assert_near(forecast_left(f.forecast, now), SLOWER * f.all);
    done(&f);
}

/* Processes that points of an earlier run lack take as long as those of that run. */
TEST(points_of_an_earlier_run)
{
    struct fixture f;
    set_up(&f, 0, false);
    forecast_add_partial(f.forecast, 0, 4 * SLOWER * expected_at(0));
    double now = work(&f, FORECAST_REPLICATE, 0, 0, 10);
    assert_near(forecast_left(f.forecast, now), f.all + 3 * SLOWER * expected_at(0));
    done(&f);
}

/* Nothing is left of a point that another rank than the first has measured again, if any may. */
TEST(any_rank_measures_again)
{
    struct fixture f;
    set_up(&f, 1, false);
    f.forecast->options.bound = false;
    double now = 10;
    for (uint32_t i = 0; i < POINTS; i++)
        now = work(&f, FORECAST_FIRST, i, i == 0, now);
    for (uint32_t i = 0; i < POINTS; i++)
        now = work(&f, FORECAST_REPLICATE, i, i != 0, now);
    assert_near(forecast_left(f.forecast, now), 0.0);
    done(&f);
}

/* How long a rank can count without being the last to finish, because of its replicates. */
TEST(room_for_counting)
{
    enum { MORE = 100 };
    struct fixture f;
    set_up(&f, 1, true);
    double first = expected_at(0), left = (2 + 1) * f.all;
    forecast_add_partial(f.forecast, 0, MORE * first);
    left += MORE * first;
    assert_near(forecast_counting_room(f.forecast, 0), left / RANKS - MORE * first);
    assert_near(forecast_counting_room(f.forecast, 1), left / RANKS);
    forecast_add_count(f.forecast, MORE * first);
    left += MORE * first;
    assert_near(forecast_counting_room(f.forecast, 1), left / RANKS);
    forecast_add_counted(f.forecast, MORE * first,
                         2 * MORE * first); /* it took twice as long, and so will the others */
    left += f.all - MORE * first;
    assert_near(forecast_counting_room(f.forecast, 1), left / RANKS / 2);
    done(&f);
}
