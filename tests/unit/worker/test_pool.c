/* The pool: every index once, whatever the counts; sums as a serial loop gives them. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "unit_test.h"

#include "worker/pool.h"

struct marks {
    unsigned char *seen;
    uint64_t count, grain;
    _Atomic int calls, wrong;
};

static void mark(void *context, uint64_t first, uint64_t count)
{
    struct marks *marks = context;
    marks->calls++;
    if (!count || count > marks->grain || first + count > marks->count)
        marks->wrong++;
    for (uint64_t i = first; i < first + count; i++)
        marks->seen[i]++;
}

static void assert_each_once(int threads, uint64_t count, uint64_t grain)
{
    struct marks marks = {.seen = calloc(count + 1, 1), .count = count, .grain = grain ? grain : 1};
    pool_run(threads, count, grain, mark, &marks);
    assert_int_equal(marks.wrong, 0);
    assert_int_equal(marks.calls, (count + marks.grain - 1) / marks.grain);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(marks.seen[i], 1);
    free(marks.seen);
}

static const uint64_t counts[] = {0, 1, 2, 3, 63, 64, 65, 1000, 4099};
static const uint64_t grains[] = {0, 1, 2, 7, 64, 1000, 5000};

TEST(every_index_once)
{
    static const int threads[] = {-1, 0, 1, 2, 3, 16, 128};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            assert_each_once(threads[t], counts[c], grains[(c + t) % 7]);
}

TEST(a_pool_is_used_again_and_again)
{
    for (int round = 0; round < 50; round++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
                assert_each_once(5, counts[c], grains[g]);
}

/* Two ranges that each wait for the other to begin can only end on two threads. */
static void meet(void *context, uint64_t first, uint64_t count)
{
    pthread_barrier_wait(context);
}

TEST(ranges_run_side_by_side)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 4);
    pool_run(4, 4, 1, meet, &barrier);
    pthread_barrier_destroy(&barrier);
}

/* Fewer threads than before leave the others asleep, and more of them are made. */
TEST(other_numbers_of_threads)
{
    static const int numbers[] = {2, 7, 3, 1, 8, 2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, (unsigned)numbers[i]);
        pool_run(numbers[i], (uint64_t)numbers[i], 1, meet, &barrier);
        pthread_barrier_destroy(&barrier);
    }
}

static void caller_only(void *context, uint64_t first, uint64_t count)
{
    assert_true(pthread_equal(pthread_self(), *(pthread_t *)context));
}

TEST(one_range_stays_in_the_caller)
{
    pthread_t self = pthread_self();
    for (int i = 0; i < 100; i++)
        pool_run(4, 64, 64, caller_only, &self);
}

/* Helpers that wait use no processor time: an idle pool of 8 for 100 ms stays far under 100 ms of it. */
TEST(waiting_threads_sleep)
{
    assert_each_once(8, 1000, 10);
    struct timespec before, after, pause = {.tv_nsec = 100000000};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double used = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(used < 0.05);
}

struct nested {
    _Atomic uint64_t sum;
};

static void add_up(void *context, uint64_t first, uint64_t count)
{
    struct nested *nested = context;
    for (uint64_t i = first; i < first + count; i++)
        nested->sum += i;
}

static void add_rows(void *context, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        pool_run(4, 100, 7, add_up, context);
}

/* A body may ask for threads in turn, of which there are none left: it does the work itself. */
TEST(a_body_that_asks_for_threads)
{
    struct nested nested = {0};
    for (int round = 0; round < 20; round++)
        pool_run(4, 10, 1, add_rows, &nested);
    pool_run(4, 1, 1, add_rows, &nested); /* alone, it has them all */
    assert_int_equal(nested.sum, 201 * 4950);
}

static void *run_beside(void *context)
{
    for (int i = 0; i < 50; i++)
        pool_run(3, 100, 9, add_up, context);
    return NULL;
}

/* A caller that finds the helpers busy begins alone, and has them when they are free. */
struct late {
    pthread_barrier_t held, begun;
    pthread_t caller;
    _Atomic bool released, helped;
};

static void hold(void *context, uint64_t first, uint64_t count)
{
    struct late *late = context;
    if (first == 0) {
        pthread_barrier_wait(&late->held);
        pthread_barrier_wait(&late->begun);
    }
}

static void *hold_helpers(void *context)
{
    struct late *late = context;
    pool_run(2, 2, 1, hold, context);
    late->released = true;
    return NULL;
}

static void begin_alone(void *context, uint64_t first, uint64_t count)
{
    struct late *late = context;
    if (first == 0)
        pthread_barrier_wait(&late->begun);
    while (first == 0 && !late->released)
        continue;
    late->helped |= !pthread_equal(pthread_self(), late->caller);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

TEST(helpers_that_become_free_help)
{
    struct late late = {.caller = pthread_self()};
    pthread_t other;
    pthread_barrier_init(&late.held, NULL, 2);
    pthread_barrier_init(&late.begun, NULL, 2);
    assert_int_equal(pthread_create(&other, NULL, hold_helpers, &late), 0);
    pthread_barrier_wait(&late.held);
    pool_run(2, 200, 1, begin_alone, &late);
    pthread_join(other, NULL);
    assert_true(late.helped);
    pthread_barrier_destroy(&late.held);
    pthread_barrier_destroy(&late.begun);
}

/* Two do their work alone meanwhile. */
TEST(three_callers)
{
    struct nested nested = {0};
    pthread_t other[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&other[i], NULL, run_beside, &nested), 0);
    run_beside(&nested);
    for (int i = 0; i < 2; i++)
        pthread_join(other[i], NULL);
    assert_int_equal(nested.sum, 150 * 4950);
}
