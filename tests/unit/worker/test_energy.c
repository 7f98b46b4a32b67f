/* The energy of a launch, with a device that takes what it is told to: what comes back, and what is said when
 * its counter or its power samples do not tell. */
#include "unit_test.h"

#include "base/hash.h"
#include "core/axis.h"
#include "kernels/registry.h"
#include "worker/stages.h"

#define MIB (1 << 20)

/* A device in its own time, and what the code under test has asked of it. */
static struct {
    double watts, launch; /* under load: W, s of a launch */
    double idle;          /* W */
    double ramp; /* s after the start of a loop in which the sampler and the counter still rise to `watts` */
    double update, late; /* s between updates of the counter; s by which a reading is late, at most */
    double sampler;      /* factor of the power samples */
    double lag;
    bool unmetered, still, unsampled;
    uint32_t sets, walk; /* of the buffers: told by `arrange`, asked of it */
    enum cache_mode cache;
    const char *error;
    double time, begun, joules, shown, next;
    uint64_t random;
    int loops, ends, drains;
} fake;

static double uniform(void)
{
    return (double)(hash_mix(fake.random++) >> 11) * 0x1p-53;
}

static double watts_at(double time, bool busy)
{
    double risen = fake.ramp > 0 ? fmin(1, (time - fake.begun) / fake.ramp) : 1;
    return busy ? fake.idle + (fake.watts - fake.idle) * risen : fake.idle;
}

static void meter(struct trial *trial, struct meter *reading)
{
    fake.drains += !reading;
    if (!reading)
        return;
    if (fake.begun < 0)
        fake.begun = fake.time;
    double until = fake.time + 2e-3 + fake.late * uniform();
    for (; fake.next <= until; fake.next += fake.update) { /* the counter is exact when it is updated */
        fake.joules += watts_at(fake.next, trial) * (fake.next - fake.time);
        fake.time = fake.next;
        fake.shown = fake.joules;
    }
    fake.joules += watts_at(until, trial) * (until - fake.time);
    fake.time = until;
    double joules = fake.still ? 5e6 : 5e6 + floor(1e3 * fake.shown) / 1e3;
    *reading = (struct meter){.time = until,
                              .joules = fake.unmetered ? NAN : joules,
                              .watts = fake.unsampled ? NAN : fake.sampler * watts_at(until, trial),
                              .lag = fake.lag,
                              .sm_clock = 1.5e9,
                              .launches = floor((until - fake.begun) / fake.launch),
                              .reasons = 4};
    if (trial && fake.error)
        trial_fail(trial, "%s", fake.error);
    fake.loops++;
}

static void arrange(struct trial *trial)
{
    trial->sets = fake.sets;
    fake.walk = trial->walk;
    fake.cache = trial->cache;
}

static void end(struct trial *trial)
{
    fake.ends++;
}

static const struct backend metered = {.name = "metered", .arrange = arrange, .meter = meter, .end = end};

static int set_up(void **state)
{
    memset(&fake, 0, sizeof fake);
    fake.watts = 400;
    fake.launch = 250e-6;
    fake.idle = 80;
    fake.update = 0.1;
    fake.sampler = 1;
    fake.sets = 1;
    fake.next = 0.03;
    fake.begun = -1;
    return 0;
}

static void report(void *context, const char *stage) {}

/* copy, whose useful bytes are 2 * size. */
static struct energy measure_on(const struct backend *backend, enum cache_mode cache, int64_t size)
{
    struct point point = point_standard(&family_find("copy")->space);
    struct device device = device_unknown();
    struct energy energy;
    device.idle_power = fake.idle;
    point.value[space_axis(point.space, "cache")] = cache;
    point.value[space_axis(point.space, "size")] = size;
    const struct stages stages = {.backend = backend,
                                  .config = config_standard(),
                                  .target = {.capability = 90, .l2_bytes = 50 * MIB},
                                  .device = &device,
                                  .report = report};
    energy_measure(&stages, &point, &energy);
    return energy;
}

static struct energy measure(void)
{
    return measure_on(&metered, CACHE_HOT, 4 * MIB);
}

static void assert_share(double value, double expected, double share)
{
    if (!(fabs(value / expected - 1) <= share))
        fail_msg("%.9g, not %.9g within %g", value, expected, share);
}

static void assert_status(const struct energy *energy, const char *expected)
{
    if (strncmp(energy->status, expected, strlen(expected)) != 0)
        fail_msg("'%s', not '%s'", energy->status, expected);
}

EACH(set_up, NULL)

TEST(planted_energy_comes_back)
{
    struct energy energy = measure();
    assert_string_equal(energy.status, "measured");
    assert_share(energy.energy, 0.1, 0.002);
    assert_true(energy.energy_low <= energy.energy && energy.energy <= energy.energy_high);
    assert_true(energy.energy_high / energy.energy_low < 1 + 2 * ENERGY_TARGET);
    assert_share(energy.energy_power, 400, 0.002);
    assert_share(energy.energy_time, 250e-6, 0.002);
    assert_share(energy.energy_sampled, 0.1, 0.002);
    assert_share(energy.energy_update, 0.1, 0.01);
    assert_true(energy.energy_clock == 1.5e9 && energy.throttle == 4);
    assert_true(energy.energy_window >= 0.8 && fake.time < 4);
    assert_true(fake.drains == 1 && fake.ends == 1);
}

/* Whatever the readings are late, the interval holds the truth as often as it says. */
TEST(the_interval_holds)
{
    enum { TRIALS = 300 };
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        set_up(state);
        fake.random = (uint64_t)i * 100000;
        fake.late = 6e-3;
        fake.next = 0.1 * uniform();
        struct energy energy = measure();
        assert_status(&energy, "measured");
        assert_share(energy.energy, 0.1, 0.02);
        held += energy.energy_low <= 0.1 && 0.1 <= energy.energy_high;
    }
    if (held < TRIALS * 0.93)
        fail_msg("%d of %d intervals hold", held, TRIALS);
}

/* A counter that is rarely updated: longer, until it is enough. */
TEST(slow_updates_take_longer)
{
    fake.update = 0.8;
    fake.late = 4e-3;
    struct energy energy = measure();
    assert_status(&energy, "measured");
    assert_share(energy.energy, 0.1, 0.01);
    assert_true(fake.time > 4);
}

/* The time in which the device heats up to its power is before the window. */
TEST(the_start_is_left_out)
{
    fake.ramp = 0.4;
    struct energy energy = measure();
    assert_share(energy.energy, 0.1, 0.002);
    set_up(state);
    fake.ramp = 1.4; /* as of a sampler that averages over a second */
    fake.lag = 1;
    energy = measure();
    assert_share(energy.energy_sampled, 0.1, 0.002);
}

TEST(idle_power)
{
    assert_share(energy_idle(&metered), 80, 1e-3);
    set_up(state);
    fake.unmetered = true;
    assert_share(energy_idle(&metered), 80, 1e-9);
    fake.unsampled = true;
    assert_true(isnan(energy_idle(&metered)));
    assert_true(isnan(energy_idle(&(struct backend){.name = "unmetered"})));
}

TEST(what_nvml_does_not_tell)
{
    fake.still = true;
    struct energy energy = measure();
    assert_status(&energy, "failed: NVML's energy counter stood still for 3");
    assert_true(isnan(energy.energy));
    assert_share(energy.energy_sampled, 0.1, 0.002); /* power samples tell all the same */
    set_up(state);
    fake.unmetered = true;
    energy = measure();
    assert_status(&energy, "unsupported: NVML has no energy counter of this device; power samples");
    assert_true(isnan(energy.energy));
    assert_share(energy.energy_sampled, 0.1, 0.002);
    assert_true(fake.time < 3);
    fake.unsampled = true;
    energy = measure();
    assert_status(&energy, "unsupported: NVML has no energy counter of this device, and no power samples");
    assert_true(isnan(energy.energy_sampled) && !isnan(energy.energy_time));
}

TEST(samples_that_differ)
{
    fake.sampler = 1.2;
    struct energy energy = measure();
    assert_string_equal(energy.status, "measured: power samples differ by +20 %");
    assert_share(energy.energy, 0.1, 0.002);
    assert_share(energy.energy_sampled, 0.12, 0.002);
    set_up(state);
    fake.sampler = 0.7;
    fake.lag = 1;
    energy = measure();
    assert_string_equal(energy.status, "measured: power samples, averages over 1 s, differ by -30 %");
}

/* Few launches in the time: a failure, not a guess. */
TEST(long_launches)
{
    fake.launch = 1.7; /* at 1.7, 3.4 ... s */
    struct energy energy = measure();
    assert_status(&energy, "measured");
    assert_share(energy.energy, 400 * 1.7, 0.03);
    set_up(state);
    fake.launch = 30;
    energy = measure();
    assert_status(&energy, "failed: fewer than two launches ended within 10 s");
    assert_true(isnan(energy.energy));
}

TEST(errors)
{
    fake.error = "an illegal memory access";
    struct energy energy = measure();
    assert_string_equal(energy.status, "failed: an illegal memory access");
    assert_true(isnan(energy.energy) && isnan(energy.energy_time));
    assert_true(fake.loops == 1 && fake.drains == 0 && fake.ends == 1);
    energy = measure_on(&(struct backend){.name = "unmetered"}, CACHE_HOT, MIB);
    assert_string_equal(energy.status, "unsupported: the unmetered back end has no energy counter");
}

/* No flush in the loop: launches go on where a hot one does, and walk over buffers larger than L2 where L2 is
 * to be cold. */
TEST(states_of_l2)
{
    struct energy energy = measure_on(&metered, CACHE_HOT, MIB);
    assert_true(fake.cache == CACHE_HOT);
    assert_string_equal(energy.status, "measured");
    energy = measure_on(&metered, CACHE_CLEAN, 1024 * MIB);
    assert_status(&energy, "unsupported: in the state clean each launch needs a flush");
    fake.sets = 60; /* of 2 MiB */
    energy = measure_on(&metered, CACHE_COLD, MIB);
    assert_true(fake.cache == CACHE_ROTATE && fake.walk == 4);
    assert_string_equal(energy.status, "measured");
    fake.loops = 0;
    fake.sets = 49;
    energy = measure_on(&metered, CACHE_COLD, MIB);
    assert_status(&energy, "unsupported: its 49 sets of buffers, 98 MiB, stay in L2");
    assert_true(isnan(energy.energy) && fake.loops == 0);
    fake.sets = 60;
    measure_on(&metered, CACHE_ROTATE, MIB);
    assert_true(fake.cache == CACHE_ROTATE && fake.walk == 2); /* as it was timed */
}
