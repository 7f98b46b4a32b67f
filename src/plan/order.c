#include "plan/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "family/python/python.h"

/* ---- Expected time: means over the points of the shipped jobs on an H200 ---- */
#define BYTES_PER_SECOND      3.3e12 /* device memory, reads and writes together */
#define SHARED_PER_SECOND     1.6e13 /* bytes of shared memory */
#define HOST_BYTES_PER_SECOND 5e10   /* over the host link */
#define PEER_BYTES_PER_SECOND 5e11   /* between devices */
#define RING_PER_SECOND       2.6e8 /* elements that the one block of a latency writes before it chases them */
#define FLOPS_PER_SECOND      2e13  /* without tensor cores */
#define TENSOR_PER_SECOND     7.7e14 /* with them, of 16-bit types; of others as many bits */
#define TENSOR_F64            3      /* so many times slower than that is f64 */
#define LAUNCH_SECONDS        5e-6   /* a launch, with its events */
#define LATENCY_SECONDS       4e-3   /* a launch without a bandwidth limit */
#define SAMPLE_LEAST          7.5e-4 /* a sample has as many launches */
#define SAMPLE_SECONDS        1e-4   /* what is beside them */
#define SAMPLE_DEVICES        1e-3   /* the same where several devices work */
#define LAUNCHES_DEVICES      3      /* of such a sample, at least */
#define FLUSH_SECONDS         1e-4   /* flushing L2 before cold launches */
#define SAMPLES_TYPICAL       11 /* of a process, until the interval is narrow enough: one more than the least */
#define TARGET_TYPICAL        5e-3 /* target_ci that so many reach: half of it takes four times as many */
#define SAMPLES_LINK          25   /* the same over links, whose times scatter more */
#define PROCESS_SECONDS       5e-3 /* of a point in each process: loading, filling, arranging */
#define PROCESS_DEVICES       5e-2 /* the same where several devices work */
#define PINNED_PER_SECOND     8e9  /* bytes of host memory that the driver pins */
#define WARM_UP_SECONDS       2e-3
#define WARM_UP_TENSOR        2e-2 /* the clock rises while they work */
#define VERIFY_SECONDS        3e-3
#define VERIFY_PER_SECOND     2.5e11 /* bytes: filling and comparing, on GPU and CPU */
#define VERIFY_LAUNCHES       3      /* of each process, and as many once: compared, and the referee's */
#define COMPARE_PER_SECOND    8e9    /* bytes of a product, all of which are compared, twice */
#define REFERENCE_SECONDS     1e-2   /* of a product: a device computes it */
#define REFERENCE_PER_SECOND  8e12   /* its operations, in f64 */
#define LOWERED_SECONDS       2e-6   /* of operations on tensor cores, from which on they lower the clock */
#define SETTLE_LOOKS          1.8    /* load and samples of a sustained clock, by the least of them */
#define ENERGY_LAG            1.0    /* s: power samples average over as long */
#define ENERGY_WINDOWS        1.8    /* until the interval of an energy is narrow enough */
#define CALL_ONCE             0.2 /* of a call in Python: it is compiled and tuned once, for all states of L2 */
#define CALL_SECONDS          0.04 /* the same in each process, from the compilers' caches */

/* A launch: what it does, and the parts of its time. */
struct launch {
    struct work work;
    double seconds;  /* 0: the point is unsupported */
    double products; /* of these, of operations on tensor cores */
    bool lowers;     /* they lower the clock */
    bool warms;      /* the clock rises in a longer warm-up */
};

/* Also what computes and is limited by no memory: a chain of products. */
static bool uses_tensor_cores(const struct family *family, const struct work *work)
{
    return family->tensor_cores || (family->memory == MEMORY_NONE && work->flops > 0);
}

/* Operations with zeros that are not stored take no time. */
static double products_seconds(const struct point *point, const struct work *work)
{
    const enum dtype dtype = (enum dtype)point_value(point, "dtype", DTYPE_BF16);
    const double bits = (double)dtype_bits(dtype) * (dtype == DTYPE_F64 ? TENSOR_F64 : 1);
    return (double)(work->flops - work->flops_of_zeros) * bits / 16 / TENSOR_PER_SECOND;
}

/* A launch without a bandwidth limit. Inputs that are no useful work are a ring. */
static double latency_seconds(const struct point *point, const struct work *work)
{
    const struct target unknown = {0};
    const struct setup setup = point_setup(point, &unknown);
    double elements = 0;
    for (int b = 0; b < setup.buffers; b++)
        if (setup.buffer[b].role == BUFFER_INPUT &&
            setup.buffer[b].count * dtype_size(setup.buffer[b].dtype) > work->bytes_read)
            elements += (double)setup.buffer[b].count;
    return LATENCY_SECONDS + elements / RING_PER_SECOND;
}

static struct launch launch_of(const struct point *point)
{
    static const double bytes_per_second[] = {[MEMORY_DRAM] = BYTES_PER_SECOND,
                                              [MEMORY_SHARED] = SHARED_PER_SECOND,
                                              [MEMORY_LINK] = HOST_BYTES_PER_SECOND,
                                              [MEMORY_NONE] = BYTES_PER_SECOND,
                                              [MEMORY_PEER] = PEER_BYTES_PER_SECOND};
    const struct family *family = family_of(point);
    const struct target unknown = {0};
    char reason[256];
    if (family->skip(point, &unknown, reason, sizeof reason))
        return (struct launch){.seconds = 0};
    struct launch launch = {.work = family->work(point)};
    const double flops = (double)launch.work.flops,
                 bytes = (double)launch.work.bytes_read + (double)launch.work.bytes_written;
    const bool tensor = uses_tensor_cores(family, &launch.work);
    launch.products = tensor ? products_seconds(point, &launch.work) : 0;
    launch.lowers = launch.products >= LOWERED_SECONDS;
    launch.warms = launch.lowers || (family->tensor_cores && flops > 0);
    launch.seconds =
        LAUNCH_SECONDS +
        fmax(bytes / bytes_per_second[family->memory], tensor ? launch.products : flops / FLOPS_PER_SECOND) +
        (family->memory == MEMORY_NONE && !launch.lowers ? latency_seconds(point, &launch.work) : 0);
    return launch;
}

/* Samples of a process, and what they take. */
struct sampling {
    double count, seconds;
};

static struct sampling sampling_of(const struct point *point, const struct timing *timing, double launch)
{
    const bool cold = point_value(point, "cache", CACHE_COLD) == CACHE_COLD;
    const double least = config_samples_min(timing),
                 most = timing->clock == CLOCK_BOOST ? fmin(timing->max_time, BOOST_TIME) : timing->max_time,
                 typical = (family_of(point)->memory == MEMORY_LINK ? SAMPLES_LINK
                                                                    : fmin(least + 1, SAMPLES_TYPICAL)) *
                           pow(fmax(TARGET_TYPICAL / timing->target_ci, 1), 2);
    double sample = fmax(launch, SAMPLE_LEAST) + SAMPLE_SECONDS;
    if (family_devices(point).count > 1)
        sample = fmax(LAUNCHES_DEVICES * launch, SAMPLE_LEAST) + SAMPLE_DEVICES;
    sample += cold ? FLUSH_SECONDS : 0;
    const double count = fmax(least, fmin(fmin(typical, timing->max_samples), ceil(most / sample)));
    return (struct sampling){count, count * sample};
}

double order_expected_seconds(const struct point *point, const struct timing *timing)
{
    const struct launch launch = launch_of(point);
    if (!launch.seconds)
        return 0;
    const double bytes = (double)launch.work.bytes_read + (double)launch.work.bytes_written;
    return (family_devices(point).count > 1 ? PROCESS_DEVICES : PROCESS_SECONDS) +
           (family_of(point)->memory == MEMORY_LINK ? bytes / PINNED_PER_SECOND : 0) +
           (launch.warms ? WARM_UP_TENSOR : WARM_UP_SECONDS) + VERIFY_LAUNCHES * launch.seconds +
           sampling_of(point, timing, launch.seconds).seconds;
}

/* What the state of the clock adds, in each process. A boost clock lasts for bursts of whole launches. */
static double clock_seconds(const struct point *point, const struct timing *timing,
                            const struct launch *launch)
{
    if (timing->clock == CLOCK_TRANSIENT)
        return TRANSIENT_PAUSE + timing->max_time;
    if (timing->clock == CLOCK_BOOST && launch->lowers) {
        const double samples = sampling_of(point, timing, launch->seconds).count,
                     burst = fmax(floor(BOOST_TIME / fmax(launch->seconds, SAMPLE_LEAST)), 1);
        return ceil(samples / burst) * BOOST_PAUSE + BOOST_TIME;
    }
    return timing->clock == CLOCK_SUSTAINED && launch->lowers ? SETTLE_LOOKS * (SETTLE_LEAST + SETTLE_PERIOD)
                                                              : 0;
}

static double once_seconds(const struct family *family, const struct launch *launch)
{
    const struct work *work = &launch->work;
    const double bytes = (double)work->bytes_read + (double)work->bytes_written,
                 compared = (double)work->bytes_written / COMPARE_PER_SECOND,
                 reference = REFERENCE_SECONDS + (double)work->flops / REFERENCE_PER_SECOND;
    return VERIFY_SECONDS + bytes / VERIFY_PER_SECOND + VERIFY_LAUNCHES * launch->seconds +
           (family->product ? compared + reference : 0);
}

/* Of a launch whose energy can be measured (worker/energy.c). */
static double energy_seconds(const struct point *point)
{
    const bool can =
        point_value(point, "cache", CACHE_COLD) != CACHE_CLEAN && family_devices(point).count < 2;
    return can ? ENERGY_SETTLES + ENERGY_LAG + ENERGY_WINDOWS * ENERGY_WINDOW : 0;
}

void expected_add(struct expected *sum, const struct point *point, const struct timing *timing)
{
    const struct family *family = family_of(point);
    const struct launch launch = launch_of(point);
    sum->points++;
    if (!launch.seconds)
        return;
    sum->seconds += order_expected_seconds(point, timing) + clock_seconds(point, timing, &launch);
    sum->once += once_seconds(family, &launch);
    sum->energy += energy_seconds(point);
    sum->tensor_cores |= family->tensor_cores;
    const bool slows = point_slows(point);
    sum->slows |= slows;
    sum->quiet |= !slows;
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
    sum->energy += some->energy;
    sum->points += some->points;
    sum->imports |= some->imports;
    sum->tensor_cores |= some->tensor_cores;
    sum->slows |= some->slows;
    sum->quiet |= some->quiet;
}

void expected_divide(struct expected *sum, int ranks)
{
    sum->seconds /= ranks;
    sum->once /= ranks;
    sum->energy /= ranks;
    sum->points /= (size_t)ranks;
}

#define START_SECONDS    1.5    /* of the run, up to its first point: MPI, device, peaks */
#define PEAKS_SECONDS    1.5    /* of peaks of tensor cores */
#define IMPORT_SECONDS   12     /* of PyTorch and what torch.compile needs, by the first worker */
#define WORKER_SECONDS   0.4    /* of each further process */
#define COMPILE_SECONDS  0.025  /* of a distinct kernel, by 16 processors beside the measurements */
#define COUNTING_START   1.4    /* of the first pass */
#define COUNTING_SECONDS 8.5e-4 /* of a point and counter */

double expected_run(const struct expected *expected, const struct timing *timing, size_t kernels,
                    int counters, bool energy)
{
    const double times = timing->replicates,
                 processes = expected->slows && expected->quiet ? 2 * times - 1 : times;
    return START_SECONDS + (expected->tensor_cores ? PEAKS_SECONDS : 0) +
           (expected->imports ? IMPORT_SECONDS : 0) + WORKER_SECONDS * (processes - 1) +
           times * expected->seconds + expected->once + COMPILE_SECONDS * (double)kernels +
           (counters ? COUNTING_START + COUNTING_SECONDS * counters * (double)expected->points : 0) +
           (energy ? expected->energy : 0);
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
     * the other ranks of the node at each repetition, and others slow down what follows them, so they are
     * chosen only if there are no others; not every rank can repeat a point of certain devices. */
    for (int pass = 0; pass < 8 && !(pass >= 4 && others); pass++) {
        const bool alone = pass & 4, new_kernel = !(pass & 2), not_smallest = !(pass & 1);
        for (size_t i = 0; i < count && taken < max; i++) {
            struct point point = grid_point(grid, candidate[i]);
            char reason[256];
            if ((family_of(&point)->node_exclusive || point_slows(&point)) == alone &&
                !family_devices(&point).count &&
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
