#include "worker/cuda/timing/watch.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

/* Between two looks: NVML's reasons change with the power it measures, some ten times a second. */
#define LOOK_SECONDS 5e-3

enum { LOOKS_MAX = 512 }; /* of a group; then the last one takes what comes */

struct look {
    double time;
    uint64_t reasons;
    double watts; /* NaN: not looked at, or unknown */
};

struct watch {
    struct nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool on, once, powered, ends;
    uint64_t group; /* number of the one that is watched */
    struct look look[LOOKS_MAX];
    uint32_t looks;
};

static void add(struct watch *watch, const struct look *look)
{
    if (watch->looks == LOOKS_MAX)
        watch->look[LOOKS_MAX - 1].reasons |= look->reasons;
    else
        watch->look[watch->looks++] = *look;
    pthread_cond_broadcast(&watch->changed);
}

static void wait_for_next(struct watch *watch)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * LOOK_SECONDS);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
}

static void *work(void *argument)
{
    struct watch *watch = argument;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        if (!watch->on) {
            pthread_cond_wait(&watch->changed, &watch->lock);
            continue;
        }
        const uint64_t group = watch->group;
        const bool powered = watch->powered;
        double lag;
        pthread_mutex_unlock(&watch->lock);
        struct look look = {.reasons = nvml_reasons(watch->nvml), .watts = NAN};
        if (powered)
            look.watts = nvml_watts(watch->nvml, &lag);
        look.time = clock_now();
        pthread_mutex_lock(&watch->lock);
        if (group != watch->group || !watch->on)
            continue; /* it took so long that another group is watched */
        add(watch, &look);
        watch->on = !watch->once;
        if (watch->on)
            wait_for_next(watch);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

struct watch *watch_new(struct nvml *nvml)
{
    struct watch *watch = memory_new(1, sizeof *watch);
    watch->nvml = nvml;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->changed, NULL);
    if (nvml_has_reasons(nvml) && thread_start(&watch->thread, work, watch) == 0)
        return watch;
    free(watch);
    return NULL;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->ends = true;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void watch_begin(struct watch *watch, bool once, bool powered)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->on = true;
    watch->once = once;
    watch->powered = powered;
    watch->group++;
    watch->looks = 0;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

void watch_end(struct watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    while (!watch->looks) /* a group may be shorter than a look */
        pthread_cond_wait(&watch->changed, &watch->lock);
    watch->on = false;
    pthread_mutex_unlock(&watch->lock);
}

void watch_tell(const struct watch *watch, double from, double to, struct sample *sample)
{
    uint64_t reasons = 0;
    double nearest = INFINITY, watts = 0, looks = 0;
    if (!watch)
        return;
    for (uint32_t i = 0; i < watch->looks; i++) {
        const struct look *look = &watch->look[i];
        double away = fmax(0, fmax(from - look->time, look->time - to));
        if (away > nearest)
            continue;
        if (away < nearest)
            reasons = 0, watts = looks = 0;
        reasons |= look->reasons;
        watts += look->watts;
        looks++;
        nearest = away;
    }
    sample->throttle_mask = (double)reasons;
    sample->power = watts / looks;
}
