#include "plan/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "family/python/python.h"

/* ---- Expected time: medians of the points of the shipped jobs on an H200 (analysis/data) ---- */
#define BYTES_PER_SECOND      3.3e12 /* device memory, reads and writes together */
#define HOST_BYTES_PER_SECOND 5e10   /* over the host link */
#define FLOPS_PER_SECOND      4e13   /* without tensor cores */
#define TENSOR_PER_SECOND     5e14   /* with them */
#define LAUNCH_SECONDS        5e-6   /* a launch, with its events */
#define SAMPLE_SECONDS        4e-4   /* of a sample beside a launch: it has as many as make it long enough */
#define FLUSH_SECONDS         1e-4   /* flushing L2 before a cold sample */
#define LATENCY_SECONDS       9e-3   /* a launch that measures a latency */
#define SAMPLES_TYPICAL       11     /* of a process, until the interval is narrow enough, typically */
#define SAMPLES_PRODUCT       25     /* the same of a product, under which the clock sinks */
#define PROCESS_SECONDS       5e-3   /* of a point in each process: loading, filling, arranging */
#define WARM_UP_SECONDS       2e-3
#define WARM_UP_TENSOR        2e-2 /* the clock rises while they work */
#define REFERENCE_TENSOR      1e-2
#define VERIFY_SECONDS        3e-3
#define VERIFY_PER_SECOND     1e11 /* bytes: filling and comparing, on GPU and CPU */
#define COMPARE_PER_SECOND    8e9  /* bytes of a product, all of which are compared, twice */
#define VERIFY_LAUNCHES       6    /* those whose output is compared, and the referee's */
#define LOWERED_SECONDS       2e-5 /* a launch on tensor cores from which on it lowers the clock */
#define SETTLE_LOOKS          1.8  /* load and samples of a sustained clock, by the least of them */
#define CALL_ONCE             0.9  /* a call in Python that is compiled and tuned when it is opened first */
#define CALL_SECONDS          0.2  /* the same in each process, from the compilers' caches */

/* Also what computes and is limited by no memory: a chain of products. */
static bool uses_tensor_cores(const struct family *family, const struct work *work)
{
    return family->tensor_cores || (family->memory == MEMORY_NONE && work->flops > 0);
}

/* Unsupported points, which take no time, have none: 0. */
static double launch_seconds(const struct point *point, struct work *work)
{
    const struct family *family = family_of(point);
    const struct target unknown = {0};
    char reason[256];
    if (family->skip(point, &unknown, reason, sizeof reason))
        return 0;
    *work = family->work(point);
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    return LAUNCH_SECONDS + (family->memory == MEMORY_NONE && !work->flops ? LATENCY_SECONDS : 0) +
           (double)work->flops / (uses_tensor_cores(family, work) ? TENSOR_PER_SECOND : FLOPS_PER_SECOND) +
           bytes / (family->node_exclusive ? HOST_BYTES_PER_SECOND : BYTES_PER_SECOND);
}

double order_expected_seconds(const struct point *point, const struct timing *timing)
{
    struct work work = {0};
    double launch = launch_seconds(point, &work);
    if (!launch)
        return 0;
    bool cold = point_value(point, "cache", CACHE_COLD) == CACHE_COLD;
    bool tensor = uses_tensor_cores(family_of(point), &work);
    double least = ceil((double)timing->min_samples / fmax(timing->replicates, 1));
    double samples =
        fmin(fmax(family_of(point)->product ? SAMPLES_PRODUCT : SAMPLES_TYPICAL, least), timing->max_samples);
    double sample = SAMPLE_SECONDS + launch + (cold ? FLUSH_SECONDS : 0);
    double most = timing->clock == CLOCK_BOOST ? fmin(timing->max_time, BOOST_TIME) : timing->max_time;
    double sampling = fmin(samples * sample, most + sample);
    return PROCESS_SECONDS + (tensor ? WARM_UP_TENSOR : WARM_UP_SECONDS) + sampling;
}

/* What the state of the clock adds, in each process. */
static double clock_seconds(const struct timing *timing, bool lowered)
{
    if (timing->clock == CLOCK_TRANSIENT)
        return TRANSIENT_PAUSE + timing->max_time;
    if (timing->clock == CLOCK_BOOST && lowered)
        return BOOST_PAUSE + BOOST_TIME;
    return timing->clock == CLOCK_SUSTAINED && lowered ? SETTLE_LOOKS * (SETTLE_LEAST + SETTLE_PERIOD) : 0;
}

static double once_seconds(const struct family *family, const struct work *work, double launch)
{
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    return VERIFY_SECONDS + bytes / VERIFY_PER_SECOND + VERIFY_LAUNCHES * launch +
           (family->product ? (double)work->bytes_written / COMPARE_PER_SECOND : 0) +
           (family->tensor_cores ? REFERENCE_TENSOR : 0);
}

void expected_add(struct expected *sum, const struct point *point, const struct timing *timing)
{
    const struct family *family = family_of(point);
    struct work work = {0};
    double launch = launch_seconds(point, &work);
    sum->points++;
    if (!launch)
        return;
    sum->seconds += order_expected_seconds(point, timing) +
                    clock_seconds(timing, uses_tensor_cores(family, &work) && launch >= LOWERED_SECONDS);
    sum->once += once_seconds(family, &work, launch);
    if (python_imports_launchers(family)) {
        sum->seconds += CALL_SECONDS;
        sum->once += CALL_ONCE;
        sum->imports = true;
    }
}

void expected_add_all(struct expected *sum, const struct expected *some)
{
    sum->seconds += some->seconds;
    sum->once += some->once;
    sum->points += some->points;
    sum->imports |= some->imports;
}

#define START_SECONDS    1.5   /* of the run, up to its first point: MPI, device, peaks */
#define IMPORT_SECONDS   12    /* of PyTorch and what torch.compile needs, by the first worker */
#define WORKER_SECONDS   0.4   /* of each further process */
#define COMPILE_SECONDS  0.025 /* of a distinct kernel, by 16 processors beside the measurements */
#define COUNTING_SECONDS 1e-3  /* of a point and counter */

double expected_run(const struct expected *expected, const struct timing *timing, size_t kernels,
                    int counters)
{
    const double times = timing->replicates;
    return START_SECONDS + (expected->imports ? IMPORT_SECONDS : 0) + WORKER_SECONDS * (times - 1) +
           times * expected->seconds + expected->once + COMPILE_SECONDS * (double)kernels +
           COUNTING_SECONDS * counters * (double)expected->points;
}

/* Of one CPU under a reference, verification included: two busy cores of a virtual machine copy at 0.4 GB/s.
 */
#define CPU_BYTES_PER_SECOND 2e8
#define CPU_FLOPS_PER_SECOND 1e9

double order_host_seconds(const struct grid *grid, const struct timing *timing, const struct target *target)
{
    const double cpus = fmax(target->multiprocessors, 1);
    double seconds = 0;
    char reason[256];
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        struct work work = family_of(&point)->work(&point);
        seconds += ((double)work.bytes_read + (double)work.bytes_written) / CPU_BYTES_PER_SECOND / cpus +
                   (double)work.flops / CPU_FLOPS_PER_SECOND / cpus + timing->max_time;
    }
    return seconds * timing->replicates;
}

/* ---- Order ---- */

/* A stream of random numbers that is the same everywhere: splitmix64. */
static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(*state);
}

/* A number in [0, bound), bound > 0: the high half of a 96-bit product, whose bias for bounds under 2^32 is
 * under 2^-32 (Lemire 2019). */
static uint32_t draw_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((draw(state) >> 32) * bound) >> 32);
}

enum { CLASSES = 64, CLASS_OF_A_SECOND = 32 };

/* The power of two of an expected time, longest first: class 0 is over 2^31 s, the last one has no time. */
static unsigned char class_of(double seconds)
{
    int exponent;
    if (!(seconds > 0))
        return CLASSES - 1;
    frexp(seconds, &exponent);
    int class = CLASS_OF_A_SECOND - exponent;
    if (class < 0)
        return 0;
    return (unsigned char)(class >= CLASSES ? CLASSES - 1 : class);
}

static void shuffle(uint32_t *item, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        uint32_t j = draw_below(state, (uint32_t)i), moved = item[i - 1];
        item[i - 1] = item[j];
        item[j] = moved;
    }
}

uint32_t *order_of_work(const struct grid *grid, const struct timing *timing, uint64_t seed)
{
    size_t count = grid_count(grid), members[CLASSES] = {0}, next[CLASSES];
    uint32_t *order = memory_new(count, sizeof *order);
    unsigned char *class = memory_new(count, 1);
    for (size_t i = 0; i < count; i++) {
        struct point point = grid_point(grid, i);
        class[i] = class_of(order_expected_seconds(&point, timing));
        members[class[i]]++;
    }
    size_t start = 0;
    for (int c = 0; c < CLASSES; c++) {
        next[c] = start;
        start += members[c];
    }
    for (size_t i = 0; i < count; i++)
        order[next[class[i]]++] = (uint32_t)i;
    uint64_t state = hash_mix(seed);
    for (int c = 0; c < CLASSES; c++)
        shuffle(order + next[c] - members[c], members[c], &state);
    free(class);
    return order;
}

/* ---- Canaries ---- */

/* Whether a point has the smallest size of its kernel, of which the grid has several. */
static bool is_smallest(const struct grid *grid, const struct point *point)
{
    bool larger = false;
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point other = grid_point(grid, i);
        int64_t size = point_value(point, "size", 0), its = point_value(&other, "size", size);
        if (other.space == point->space && its < size)
            return false;
        larger |= other.space == point->space && its > size;
    }
    return larger;
}

/* Whether the candidate is not taken yet, nor, if it has to be of a `new_kernel`, another point of its
 * kernel. */
static bool is_new(const struct grid *grid, bool new_kernel, const struct space *space, uint32_t candidate,
                   const uint32_t *taken, int count)
{
    for (int i = 0; i < count; i++)
        if (taken[i] == candidate || (new_kernel && grid_point(grid, taken[i]).space == space))
            return false;
    return true;
}

int order_canaries(const struct grid *grid, const struct target *target, uint64_t seed, int max,
                   uint32_t *out)
{
    enum { CANDIDATES_MAX = 100000 }; /* bounds the search in a huge grid */
    int taken = 0, others = 0;
    size_t count = grid_count(grid);
    uint32_t *candidate = memory_new(count, sizeof *candidate);
    for (size_t i = 0; i < count; i++)
        candidate[i] = (uint32_t)i;
    uint64_t state = hash_mix(~seed); /* independent of the stream of order_of_work */
    shuffle(candidate, count, &state);
    count = count < CANDIDATES_MAX ? count : CANDIDATES_MAX;
    /* Each pass over the candidates requires less than the one before. Node-exclusive points (`alone`) block
     * the other ranks of the node at each repetition, so they are chosen only if there are no others; not
     * every rank can repeat a point of certain devices. */
    for (int pass = 0; pass < 8 && !(pass >= 4 && others); pass++) {
        const bool alone = pass & 4, new_kernel = !(pass & 2), not_smallest = !(pass & 1);
        for (size_t i = 0; i < count && taken < max; i++) {
            struct point point = grid_point(grid, candidate[i]);
            char reason[256];
            if (family_of(&point)->node_exclusive == alone && !family_devices(&point).count &&
                is_new(grid, new_kernel, point.space, candidate[i], out, taken) &&
                !family_skip(&point, target, reason, sizeof reason) &&
                !(not_smallest && is_smallest(grid, &point)))
                out[taken++] = candidate[i];
        }
        others += !alone && taken;
    }
    free(candidate);
    return taken;
}
