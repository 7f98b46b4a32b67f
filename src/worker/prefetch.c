#include "worker/prefetch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"
#include "worker/materialise.h"
#include "worker/pool.h"
#include "worker/verify.h"

/* Points that were announced last, those that are done among them: they are announced again by each that comes before them. */
enum { REMEMBERED = 4 * FORESIGHT_AHEAD };

/* A point that was announced. */
struct foreseen {
    struct point point;
    struct setup setup;
    uint64_t id, seed;
};

struct foresight {
    struct expectations *expectations;
    int threads;
    pthread_t thread;
    bool started;
    enum { UNCLAIMED, CLAIMED, ASIDE } claim; /* of whoever verifies, who alone uses it */

    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t moved;
    struct foreseen item[REMEMBERED];
    uint64_t announced, done; /* item `done` % REMEMBERED is the next */
    bool busy, aside, quit;
};

struct foresight *foresight_new(struct expectations *expectations, int threads)
{
    struct foresight *foresight = memory_new(1, sizeof *foresight);
    foresight->expectations = expectations;
    foresight->threads = threads;
    pthread_mutex_init(&foresight->mutex, NULL);
    pthread_cond_init(&foresight->moved, NULL);
    return foresight;
}

void foresight_free(struct foresight *foresight)
{
    if (!foresight)
        return;
    foresight_clear(foresight);
    pthread_mutex_lock(&foresight->mutex);
    foresight->quit = true;
    pthread_cond_broadcast(&foresight->moved);
    pthread_mutex_unlock(&foresight->mutex);
    if (foresight->started)
        pthread_join(foresight->thread, NULL);
    pthread_cond_destroy(&foresight->moved);
    pthread_mutex_destroy(&foresight->mutex);
    free(foresight);
}

static void look_at(const struct foresight *foresight, const struct foreseen *item)
{
    const struct family *family = family_of(&item->point);
    struct inputs inputs = {
        .setup = &item->setup, .seed = item->seed, .threads = foresight->threads, .parallel = pool_run};
    struct verification v = verify_start(family, &item->point, &inputs, foresight->threads);
    v.kept = foresight->expectations;
    if (verify_lacks(&v) && family->materialise)
        materialise_inputs(&inputs);
    for (int b = 0; b < item->setup.buffers; b++) {
        struct verify_plan plan = verify_plan_buffer(&item->setup, b, item->seed);
        if (item->setup.buffer[b].role == BUFFER_OUTPUT)
            verify_expect(&v, &plan);
    }
    materialise_release(&inputs);
}

static void *look_ahead(void *argument)
{
    struct foresight *foresight = argument;
    pthread_mutex_lock(&foresight->mutex);
    while (!foresight->quit) {
        if (foresight->aside || foresight->done == foresight->announced) {
            pthread_cond_wait(&foresight->moved, &foresight->mutex);
            continue;
        }
        struct foreseen *item = &foresight->item[foresight->done % REMEMBERED];
        foresight->busy = true;
        pthread_mutex_unlock(&foresight->mutex);
        look_at(foresight, item);
        pthread_mutex_lock(&foresight->mutex);
        foresight->busy = false;
        foresight->done++;
        pthread_cond_broadcast(&foresight->moved);
    }
    pthread_mutex_unlock(&foresight->mutex);
    return NULL;
}

/* One past the point's place among those that were announced; 0: it was not, or so long ago that its place was taken. */
static uint64_t place_of(const struct foresight *foresight, uint64_t id, uint64_t seed)
{
    uint64_t first = foresight->announced > REMEMBERED ? foresight->announced - REMEMBERED : 0;
    for (uint64_t i = foresight->announced; i > first; i--) {
        const struct foreseen *item = &foresight->item[(i - 1) % REMEMBERED];
        if (item->id == id && item->seed == seed)
            return i;
    }
    return 0;
}

static void add(struct foresight *foresight, const struct point *point, const struct target *target,
                uint64_t seed)
{
    struct foreseen *item = &foresight->item[foresight->announced % REMEMBERED];
    *item = (struct foreseen){.point = *point, .id = point_id(point), .seed = seed};
    item->setup = point_setup(&item->point, target);
    foresight->announced++;
    pthread_cond_broadcast(&foresight->moved);
}

bool foresight_announce(struct foresight *foresight, const struct point *point, const struct target *target,
                        uint64_t seed)
{
    char reason[256];
    if (!foresight->expectations || family_skip(point, target, reason, sizeof reason))
        return true;
    if (!foresight->started)
        foresight->started = thread_start(&foresight->thread, look_ahead, foresight) == 0;
    if (!foresight->started)
        return true;
    pthread_mutex_lock(&foresight->mutex);
    bool there = place_of(foresight, point_id(point), seed) != 0;
    bool room = foresight->announced - foresight->done < FORESIGHT_AHEAD;
    if (!there && room)
        add(foresight, point, target, seed);
    pthread_mutex_unlock(&foresight->mutex);
    return there || room;
}

void foresight_claim(struct foresight *foresight, const struct point *point, uint64_t seed)
{
    foresight_release(foresight);
    pthread_mutex_lock(&foresight->mutex);
    uint64_t place = place_of(foresight, point_id(point), seed);
    while (foresight->done < place)
        pthread_cond_wait(&foresight->moved, &foresight->mutex);
    pthread_mutex_unlock(&foresight->mutex);
    expectations_hold(foresight->expectations);
    foresight->claim = CLAIMED;
}

static void set_aside(struct foresight *foresight, bool aside)
{
    pthread_mutex_lock(&foresight->mutex);
    foresight->aside = aside;
    while (aside && foresight->busy)
        pthread_cond_wait(&foresight->moved, &foresight->mutex);
    pthread_cond_broadcast(&foresight->moved);
    pthread_mutex_unlock(&foresight->mutex);
}

void foresight_stand_aside(struct foresight *foresight)
{
    foresight_release(foresight); /* what is under way may wait for what the claim holds */
    set_aside(foresight, true);
    foresight->claim = ASIDE;
}

void foresight_release(struct foresight *foresight)
{
    if (foresight->claim == CLAIMED)
        expectations_release(foresight->expectations);
    if (foresight->claim == ASIDE)
        set_aside(foresight, false);
    foresight->claim = UNCLAIMED;
}

void foresight_clear(struct foresight *foresight)
{
    foresight_release(foresight);
    set_aside(foresight, true);
    pthread_mutex_lock(&foresight->mutex);
    foresight->announced = foresight->done;
    foresight->aside = false;
    pthread_mutex_unlock(&foresight->mutex);
}
