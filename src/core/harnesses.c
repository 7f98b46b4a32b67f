#include "core/harnesses.h"

#include <stdio.h>
#include <string.h>

const char *const harness_words[] = {"warpsweep",          "event_pair",   "event_loop",    "do_bench",
                                     "do_bench_cudagraph", "nvbench_cold", "nvbench_batch", NULL};

/* Sources: triton 3.6, triton/testing.py; NVBench 66212f1, detail/measure_cold.cuh, l2flush.cuh and
 * measure_hot.cuh. The time of a batch is shorter than NVBench's, whose mean has the same limit. */
const struct harness_rules harness_rules[HARNESSES] = {
    [HARNESS_EVENT_PAIR] = {.launches = 1, .bare = true},
    [HARNESS_EVENT_LOOP] = {.launches = 100, .idle = true, .bare = true, .needs = "hot"},
    [HARNESS_DO_BENCH] = {.clear = CLEAR_BUFFER, .launches = 1, .bare = true, .needs = "cold"},
    [HARNESS_DO_BENCH_CUDAGRAPH] =
        {.seconds = 20e-3, .replays = 10, .idle = true, .bare = true, .needs = "hot"},
    [HARNESS_NVBENCH_COLD] =
        {.clear = CLEAR_L2, .launches = 1, .blocked = true, .idle = true, .needs = "cold"},
    [HARNESS_NVBENCH_BATCH] = {.seconds = 20e-3, .idle = true, .bare = true, .needs = "hot"},
};

enum harness harness_of(const struct point *point)
{
    int axis = space_axis(point->space, "harness");
    if (axis < 0 || point->space->axes[axis].words != harness_words) /* a user's own axis of that name */
        return HARNESS_WARPSWEEP;
    return (enum harness)point->value[axis];
}

const char *harness_refuses(const struct point *point, char *reason, size_t size)
{
    enum harness harness = harness_of(point);
    const char *cache = cache_words[point_value(point, "cache", CACHE_COLD)];
    const char *needs = harness_rules[harness].needs;
    if (harness == HARNESS_WARPSWEEP || (needs ? !strcmp(cache, needs) : strcmp(cache, "rotate") != 0))
        return NULL;
    snprintf(reason, size, "harness %s leaves L2 %s, not %s", harness_words[harness],
             needs ? needs : "cold, clean or hot", cache);
    return reason;
}
