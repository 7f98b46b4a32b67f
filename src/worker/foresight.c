#include "worker/foresight.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"
#include "worker/materialise.h"
#include "worker/pool.h"
#include "worker/verify.h"

struct foresight {
    struct expectations *expectations;
    int threads;
    bool under_way;
    pthread_t thread;
    struct point point;
    struct setup setup;
    uint64_t seed;
};

struct foresight *foresight_new(struct expectations *expectations, int threads)
{
    struct foresight *foresight = memory_new(1, sizeof *foresight);
    foresight->expectations = expectations;
    foresight->threads = threads;
    return foresight;
}

void foresight_free(struct foresight *foresight)
{
    if (foresight)
        foresight_wait(foresight);
    free(foresight);
}

void foresight_wait(struct foresight *foresight)
{
    if (foresight->under_way)
        pthread_join(foresight->thread, NULL);
    foresight->under_way = false;
}

static void *look(void *argument)
{
    struct foresight *foresight = argument;
    const struct family *family = family_of(&foresight->point);
    struct inputs inputs = {.setup = &foresight->setup,
                            .seed = foresight->seed,
                            .threads = foresight->threads,
                            .parallel = pool_run};
    struct verification v = verify_start(family, &foresight->point, &inputs, foresight->threads);
    v.kept = foresight->expectations;
    if (verify_lacks(&v) && family->materialise)
        materialise_inputs(&inputs);
    for (int b = 0; b < foresight->setup.buffers; b++) {
        struct verify_plan plan = verify_plan_buffer(&foresight->setup, b, foresight->seed);
        if (foresight->setup.buffer[b].role == BUFFER_OUTPUT)
            verify_expect(&v, &plan);
    }
    materialise_release(&inputs);
    return NULL;
}

void foresight_start(struct foresight *foresight, const struct point *point, const struct target *target,
                     uint64_t seed)
{
    char reason[256];
    foresight_wait(foresight);
    if (!foresight->expectations || family_skip(point, target, reason, sizeof reason))
        return;
    foresight->point = *point;
    foresight->setup = point_setup(&foresight->point, target);
    foresight->seed = seed;
    foresight->under_way = thread_start(&foresight->thread, look, foresight) == 0;
}
