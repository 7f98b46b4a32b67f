#include "worker/verify.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"
#include "worker/pool.h"
#include "worker/product.h"
#include "worker/referee.h"

/* The points announced last, finished ones included: every point announces the points behind it again. */
enum { SLOTS = 4 * PREFETCH_AHEAD_MAX };

struct slot {
    struct point point;
    struct setup setup;
    uint64_t id, seed, secret; /* seeds of the samples' inputs and of the referee's */
};

struct reference_prefetch {
    struct expectations *expectations, *few;
    int threads;
    bool large_products;
    pthread_t thread;
    bool started;

    pthread_mutex_t mutex; /* guards all that follows */
    pthread_cond_t changed;
    struct slot slot[SLOTS];
    uint64_t announced, done; /* counts; point i is in slot i % SLOTS, and `done` is the next to compute */
    bool busy, claimed, few_busy, few_claimed, quit;
};

struct reference_prefetch *reference_prefetch_new(struct expectations *expectations, struct expectations *few,
                                                  int threads, bool large_products)
{
    struct reference_prefetch *prefetch = memory_new(1, sizeof *prefetch);
    prefetch->expectations = expectations;
    prefetch->few = few;
    prefetch->threads = threads;
    prefetch->large_products = large_products;
    pthread_mutex_init(&prefetch->mutex, NULL);
    pthread_cond_init(&prefetch->changed, NULL);
    return prefetch;
}

void reference_prefetch_free(struct reference_prefetch *prefetch)
{
    if (!prefetch)
        return;
    pthread_mutex_lock(&prefetch->mutex);
    prefetch->quit = true;
    pthread_cond_broadcast(&prefetch->changed);
    pthread_mutex_unlock(&prefetch->mutex);
    if (prefetch->started)
        pthread_join(prefetch->thread, NULL);
    pthread_cond_destroy(&prefetch->changed);
    pthread_mutex_destroy(&prefetch->mutex);
    free(prefetch);
}

static void compute(const struct reference_prefetch *prefetch, const struct slot *slot, bool sparse)
{
    const struct family *family = family_of(&slot->point);
    struct inputs inputs = {.setup = &slot->setup,
                            .seed = sparse ? slot->secret : slot->seed,
                            .threads = prefetch->threads,
                            .parallel = pool_run};
    struct verification v = verify_start(family, &slot->point, &inputs, prefetch->threads);
    v.kept = sparse ? prefetch->few : prefetch->expectations;
    v.sparse = sparse;
    if (family->materialise && !(sparse && family->product) && !verify_is_known(&v))
        materialise_inputs(&inputs);
    for (int b = 0; b < slot->setup.buffers; b++) {
        struct verify_plan plan = verify_plan_for(&v, b, inputs.seed);
        if (buffer_is_compared(&slot->setup.buffer[b]))
            verify_expect(&v, &plan);
    }
    materialise_release(&inputs);
}

/* The mutex is held before and afterwards. */
static void compute_few(struct reference_prefetch *prefetch, const struct slot *slot)
{
    while (prefetch->few_claimed)
        pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
    prefetch->few_busy = true;
    pthread_mutex_unlock(&prefetch->mutex);
    compute(prefetch, slot, true);
    pthread_mutex_lock(&prefetch->mutex);
    prefetch->few_busy = false;
}

static void *prefetch_thread(void *argument)
{
    struct reference_prefetch *prefetch = argument;
    pthread_mutex_lock(&prefetch->mutex);
    while (!prefetch->quit) {
        if (prefetch->claimed || prefetch->done == prefetch->announced) {
            pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
            continue;
        }
        struct slot *slot = &prefetch->slot[prefetch->done % SLOTS];
        prefetch->busy = true;
        pthread_mutex_unlock(&prefetch->mutex);
        compute(prefetch, slot, false);
        pthread_mutex_lock(&prefetch->mutex);
        if (slot->secret)
            compute_few(prefetch, slot);
        prefetch->busy = false;
        prefetch->done++;
        pthread_cond_broadcast(&prefetch->changed);
    }
    pthread_mutex_unlock(&prefetch->mutex);
    return NULL;
}

/* The point's number in the order of announcement, from 1; 0: not announced, or its slot has been reused. */
static uint64_t place_of(const struct reference_prefetch *prefetch, uint64_t id, uint64_t seed)
{
    uint64_t first = prefetch->announced > SLOTS ? prefetch->announced - SLOTS : 0;
    for (uint64_t i = prefetch->announced; i > first; i--) {
        const struct slot *slot = &prefetch->slot[(i - 1) % SLOTS];
        if (slot->id == id && slot->seed == seed)
            return i;
    }
    return 0;
}

static void add(struct reference_prefetch *prefetch, const struct point *point, const struct target *target,
                uint64_t seed, uint64_t secret)
{
    struct slot *slot = &prefetch->slot[prefetch->announced % SLOTS];
    *slot = (struct slot){.point = *point, .id = point_id(point), .seed = seed};
    slot->setup = point_setup(&slot->point, target);
    slot->secret = prefetch->few && referee_compares(point, &slot->setup) ? secret : 0;
    prefetch->announced++;
    pthread_cond_broadcast(&prefetch->changed);
}

bool reference_prefetch_announce(struct reference_prefetch *prefetch, const struct point *point,
                                 const struct target *target, uint64_t seed, uint64_t secret)
{
    char reason[256];
    if (!prefetch->expectations || family_skip(point, target, reason, sizeof reason))
        return true;
    if (!prefetch->large_products && product_is_large(family_of(point), point))
        return true;
    struct setup setup = point_setup(point, target);
    if (reference_check_memory(point, &setup, NULL) != 0)
        return true;
    if (!prefetch->started)
        prefetch->started = thread_start(&prefetch->thread, prefetch_thread, prefetch) == 0;
    if (!prefetch->started)
        return true;
    pthread_mutex_lock(&prefetch->mutex);
    bool known = place_of(prefetch, point_id(point), seed) != 0;
    bool room = prefetch->announced - prefetch->done < PREFETCH_AHEAD_MAX;
    if (!known && room)
        add(prefetch, point, target, seed, secret);
    pthread_mutex_unlock(&prefetch->mutex);
    return known || room;
}

void reference_prefetch_claim(struct reference_prefetch *prefetch, const struct point *point, uint64_t seed)
{
    reference_prefetch_release(prefetch);
    pthread_mutex_lock(&prefetch->mutex);
    uint64_t place = place_of(prefetch, point_id(point), seed);
    while (prefetch->done < place)
        pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
    prefetch->claimed = true;
    while (prefetch->busy)
        pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
    pthread_mutex_unlock(&prefetch->mutex);
}

void reference_prefetch_claim_few(struct reference_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->mutex);
    while (prefetch->few_busy)
        pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
    prefetch->few_claimed = true;
    pthread_mutex_unlock(&prefetch->mutex);
}

void reference_prefetch_release(struct reference_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->mutex);
    prefetch->claimed = prefetch->few_claimed = false;
    pthread_cond_broadcast(&prefetch->changed);
    pthread_mutex_unlock(&prefetch->mutex);
}

void reference_prefetch_clear(struct reference_prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->mutex);
    prefetch->claimed = prefetch->few_claimed = false;
    prefetch->announced = prefetch->done + prefetch->busy;
    pthread_cond_broadcast(&prefetch->changed);
    while (prefetch->busy)
        pthread_cond_wait(&prefetch->changed, &prefetch->mutex);
    pthread_mutex_unlock(&prefetch->mutex);
}
