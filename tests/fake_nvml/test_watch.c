/* Which clock-event reasons a sample had: those that were seen during it, or by the nearest look. */
#include "unit_test.h"

#include "base/clock.h"
#include "worker/cuda/timing/watch.h"

static struct {
    double changes; /* time from which on NVML tells the second reason */
    double takes;   /* s of a call */
    bool silent;
} fake;

bool nvml_has_reasons(const struct nvml *nvml)
{
    (void)nvml;
    return !fake.silent;
}

/* As many W as its reasons are, times a hundred. */
double nvml_watts(struct nvml *nvml, double *lag)
{
    (void)nvml;
    *lag = 0;
    return clock_now() < fake.changes ? 100 : 400;
}

uint64_t nvml_reasons(struct nvml *nvml)
{
    (void)nvml;
    clock_sleep(fake.takes);
    return clock_now() < fake.changes ? 1 : 4;
}

static double watch_reasons(const struct watch *watch, double from, double to)
{
    struct sample sample = sample_of(1);
    watch_tell(watch, from, to, &sample);
    return sample.throttle_mask;
}

/* A group of `seconds`, half-way through which the reason changes. */
static double watched(struct watch *watch, double seconds)
{
    double begin = clock_now();
    fake.changes = begin + seconds / 2;
    watch_begin(watch, false, true);
    clock_sleep(seconds);
    watch_end(watch);
    return begin;
}

TEST(reasons_are_of_their_time)
{
    struct watch *watch = watch_new(NULL);
    for (int group = 0; group < 3; group++) {
        double begin = watched(watch, 0.4);
        assert_true(watch_reasons(watch, begin, begin + 0.15) == 1);
        assert_true(watch_reasons(watch, begin + 0.3, begin + 0.4) == 4);
        assert_true(watch_reasons(watch, begin, begin + 0.4) == 5);
        assert_true(watch_reasons(watch, begin - 2, begin - 1) == 1); /* the nearest look */
        assert_true(watch_reasons(watch, begin + 9, begin + 10) == 4);
    }
    watch_free(watch);
}

/* The mean of the looks during a sample; NaN where none was asked for. */
TEST(power_is_of_its_time)
{
    struct watch *watch = watch_new(NULL);
    double begin = watched(watch, 0.4);
    struct sample before = sample_of(1), after = before, both = before, unasked = before;
    watch_tell(watch, begin, begin + 0.15, &before);
    watch_tell(watch, begin + 0.3, begin + 0.4, &after);
    watch_tell(watch, begin, begin + 0.4, &both);
    assert_true(before.power == 100 && after.power == 400 && both.power > 150 && both.power < 350);
    watch_begin(watch, true, false);
    watch_end(watch);
    watch_tell(watch, begin, begin + 1, &unasked);
    assert_true(isnan(unasked.power) && !isnan(unasked.throttle_mask));
    watch_free(watch);
}

/* A group that ends before NVML answers waits for the first answer, and later ones are of their own group. */
TEST(a_short_group_has_one_look)
{
    struct watch *watch = watch_new(NULL);
    fake.takes = 0.05;
    for (int group = 0; group < 3; group++) {
        watch_begin(watch, false, false);
        fake.changes = group % 2 ? 0 : INFINITY;
        watch_end(watch);
        assert_true(watch_reasons(watch, 0, 1) == (group % 2 ? 4 : 1));
    }
    watch_free(watch);
    fake.takes = 0;
}

/* Work that the host launches is looked at once. */
TEST(one_look_is_enough)
{
    struct watch *watch = watch_new(NULL);
    double begin = clock_now();
    fake.changes = begin + 0.1;
    watch_begin(watch, true, false);
    clock_sleep(0.2);
    watch_end(watch);
    assert_true(watch_reasons(watch, begin, begin + 0.2) == 1 &&
                watch_reasons(watch, begin + 0.19, begin + 0.2) == 1);
    watch_free(watch);
}

TEST(without_reasons_they_are_unknown)
{
    fake.silent = true;
    struct watch *watch = watch_new(NULL);
    assert_null(watch);
    watch_begin(watch, false, true);
    watch_end(watch);
    assert_true(isnan(watch_reasons(watch, 0, 1)));
    watch_free(watch);
    fake.silent = false;
}
