#include "worker/stages.h"

#include <math.h>
#include <stdio.h>

#include "statistics/line.h"
#include "worker/phases.h"

/* How many times L2 the buffers of a cold point must have in a loop without flushes, and are made to have: as
 * a flush has. */
enum { WALK_LEAST = 2, WALK_COLD = 4 };

/* ---- The loop ---- */

struct loop {
    struct meter begin, last; /* readings: of the window's start, and the last one */
    struct line joules, launches;
    double work;          /* J by power samples */
    double clock, clocks; /* sum of the clocks in the window, and their number */
    uint64_t reasons;
};

static void add_reading(struct loop *loop, const struct meter *now)
{
    const struct meter *last = &loop->last;
    if (now->joules > last->joules)
        line_add(&loop->joules, now->time, now->joules);
    if (now->launches > last->launches)
        line_add(&loop->launches, now->time, now->launches);
    loop->work += (last->watts + now->watts) / 2 * (now->time - last->time);
    loop->clock += isnan(now->sm_clock) ? 0 : now->sm_clock;
    loop->clocks += !isnan(now->sm_clock);
    loop->reasons |= now->reasons;
    loop->last = *now;
}

static bool stands_still(const struct loop *loop)
{
    return !isnan(loop->last.joules) && loop->joules.n < 2 &&
           loop->last.time - loop->begin.time > ENERGY_STILL;
}

static bool is_enough(const struct loop *loop, bool idle)
{
    if (loop->last.time - loop->begin.time < ENERGY_WINDOW || (!idle && loop->launches.n < 4))
        return false;
    return isnan(loop->last.joules) || stands_still(loop) ||
           (loop->joules.n >= ENERGY_UPDATES && line_slope(&loop->joules).half <= ENERGY_TARGET);
}

/* Without a trial the device stays idle. */
static struct loop run_loop(const struct backend *backend, struct trial *trial, double longest)
{
    struct meter now;
    struct loop loop = {.reasons = 0};
    enum phase before = phases_enter(PHASE_energy);
    double settled = NAN;
    do {
        backend->meter(trial, &now);
        if (trial && !trial_is_ok(trial))
            break;
        if (isnan(settled))
            settled = now.time + ENERGY_SETTLES + now.lag;
        if (now.time < settled)
            loop.begin = loop.last = now;
        else
            add_reading(&loop, &now);
    } while (!is_enough(&loop, !trial) && now.time - settled < longest);
    if (trial && trial_is_ok(trial))
        backend->meter(trial, NULL);
    phases_leave(before);
    return loop;
}

static double sampled_power(const struct loop *loop)
{
    return loop->work / (loop->last.time - loop->begin.time);
}

double energy_idle(const struct backend *backend)
{
    if (!backend->meter)
        return NAN;
    struct loop loop = run_loop(backend, NULL, ENERGY_LONGEST);
    double counted = line_slope(&loop.joules).value;
    return isnan(counted) ? sampled_power(&loop) : counted;
}

/* ---- The energy of a launch ---- */

#define SAY(energy, ...) snprintf((energy)->status, sizeof(energy)->status, __VA_ARGS__)

static void say_measured(const struct loop *loop, double half, struct energy *energy)
{
    double differs = energy->energy_sampled / energy->energy - 1;
    int length = SAY(energy, ENERGY_MEASURED);
    const char *between = ": ";
    if (!(half <= ENERGY_TARGET)) {
        length += snprintf(energy->status + length, sizeof energy->status - (size_t)length,
                           "%sinterval of %.2g %% after %.2g s", between, 100 * half, energy->energy_window);
        between = ", ";
    }
    if (fabs(differs) > ENERGY_DIFFERS)
        snprintf(energy->status + length, sizeof energy->status - (size_t)length,
                 "%spower samples%s differ by %+.0f %%", between,
                 loop->last.lag > 0 ? ", averages over 1 s," : "", 100 * differs);
}

static void fill(const struct loop *loop, struct energy *energy)
{
    struct slope power = line_slope(&loop->joules), rate = line_slope(&loop->launches);
    double half = sqrt(power.half * power.half + rate.half * rate.half);
    energy->energy_time = 1 / rate.value;
    energy->energy_sampled = sampled_power(loop) * energy->energy_time;
    energy->energy_clock = loop->clock / loop->clocks;
    energy->throttle = loop->reasons;
    if (isnan(energy->energy_time)) {
        SAY(energy, ENERGY_FAILED ": fewer than two launches ended within %.3g s",
            loop->last.time - loop->begin.time);
    } else if (isnan(loop->last.joules)) {
        SAY(energy, "unsupported: NVML has no energy counter of this device%s",
            isnan(energy->energy_sampled) ? ", and no power samples"
                                          : "; power samples are in energy_sampled");
    } else if (!(power.value > 0)) {
        SAY(energy, ENERGY_FAILED ": NVML's energy counter stood still for %.2g s",
            loop->last.time - loop->begin.time);
    } else {
        energy->energy = power.value * energy->energy_time;
        energy->energy_low = energy->energy / (1 + half);
        energy->energy_high = energy->energy * (1 + half);
        energy->energy_power = power.value;
        energy->energy_window = loop->joules.last - loop->joules.x0;
        energy->energy_update = energy->energy_window / (loop->joules.n - 1);
        say_measured(loop, half, energy);
    }
}

/* A loop without flushes keeps the state of L2 if its launches go on, or walk over far more than L2 holds.
 * `energy` has the reason if not. */
static bool choose_state(struct trial *trial, struct energy *energy)
{
    if (trial->cache == CACHE_CLEAN)
        SAY(energy,
            "unsupported: in the state clean each launch needs a flush, whose energy NVML does not tell "
            "apart");
    else if (family_devices(trial->point).count > 1)
        SAY(energy, "unsupported: several devices work, and the counter is that of one");
    if (trial->cache == CACHE_COLD) {
        trial->cache = CACHE_ROTATE;
        trial->walk = WALK_COLD;
    }
    return !energy->status[0];
}

static bool leaves_l2(const struct trial *trial, struct energy *energy)
{
    double bytes = trial->sets * (double)setup_bytes(&trial->setup, 1), l2 = (double)trial->target.l2_bytes;
    if (trial->cache != CACHE_ROTATE || !(bytes < WALK_LEAST * l2))
        return true;
    SAY(energy, "unsupported: its %u sets of buffers, %.3g MiB, stay in L2 without a flush", trial->sets,
        bytes / 0x1p20);
    return false;
}

static void measure(struct trial *trial, const struct stages *stages, struct energy *energy)
{
    const struct backend *backend = stages->backend;
    stages_prepare(trial, stages);
    phases_enter(PHASE_arrange);
    if (trial_is_ok(trial) && backend->arrange)
        backend->arrange(trial);
    if (trial_is_ok(trial) && leaves_l2(trial, energy)) {
        trial->report(trial->context, "energy");
        struct loop loop = run_loop(backend, trial, fmin(ENERGY_LONGEST, trial->config->timing.timeout / 2));
        if (trial_is_ok(trial))
            fill(&loop, energy);
    }
    if (backend->end)
        backend->end(trial);
}

void energy_measure(const struct stages *stages, const struct point *point, struct energy *energy)
{
    struct stages unverified = *stages;
    struct result result = result_new();
    struct trial trial = stages_trial(stages, point, &result);
    *energy = energy_none();
    result.id = point_id(point);
    unverified.replicate = true; /* it was verified when it was timed */
    if (!stages->backend->meter) {
        SAY(energy, "unsupported: the %s back end has no energy counter", stages->backend->name);
        return;
    }
    stages_describe(&trial);
    if (result.status == STATUS_OK && choose_state(&trial, energy))
        measure(&trial, &unverified, energy);
    if (result.status != STATUS_OK)
        SAY(energy, ENERGY_FAILED ": %.140s", result.message);
    result_free(&result);
}
