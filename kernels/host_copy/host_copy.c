/* host_copy - copies between host and device: pageable, pinned, and overlapped with the kernel in host_copy.cu.
 *
 * The array is copied in equal parts of at most `chunk` bytes, part i on stream i mod `streams`. The bandwidth is that of the
 * link: bytes to the device count as read, bytes to the host as written, and on a round trip each byte counts as both. With
 * `work` the kernel can take as long as the copy of its part: then overlap gains most. */
#include "family/family.h"

#include <stdio.h>

extern const char host_copy_source[], host_copy_claims[];

static const char *const variants[] = {"pageable", "pinned", "overlapped", "round_trip", NULL};
enum variant { PAGEABLE, PINNED, OVERLAPPED, ROUND_TRIP };
static const char *const directions[] = {"h2d", "d2h", NULL};
enum direction { TO_DEVICE, TO_HOST };

enum { VARIANT, SIZE, DIRECTION, CHUNK, STREAMS, WORK, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "overlapped"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DIRECTION] = AXIS_WORDS("direction", "host to device or device to host", "h2d", directions, false),
    [CHUNK] = {.name = "chunk",
               .kind = AXIS_BYTES,
               .unit = "bytes",
               .summary = "most bytes of one part; the size of the array or more: it goes over whole",
               .standard = "16TiB",
               .least = 4,
               .most = INT64_C(1) << 44},
    [STREAMS] = AXIS_NUMBER("streams", "streams", "streams that the parts take turns on", "1", 1, 8, false),
    [WORK] = AXIS_NUMBER("work", "operations", "integer multiply-adds of the kernel for each word", "0", 0,
                         1 << 16, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define WORD      UINT64_C(4) /* bytes */
#define PARTS_MAX 4096
#define BLOCK     256
#define BLOCKS    1024 /* maximum of the kernel: enough to fill any device, and much faster than the link */

static uint64_t words_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / WORD;
}

static uint64_t parts_of(const struct point *point)
{
    uint64_t chunk = (uint64_t)point->value[CHUNK] / WORD;
    return (words_of(point) + chunk - 1) / chunk;
}

static bool has_kernel(const struct point *point)
{
    return point->value[VARIANT] == OVERLAPPED || point->value[VARIANT] == ROUND_TRIP;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    if (target->host)
        return "the host back end has no device to copy to or from";
    if (point->value[SIZE] % (int64_t)WORD || point->value[CHUNK] % (int64_t)WORD)
        return "parts are whole words of 4 bytes: size and chunk have to be multiples of that";
    if (!has_kernel(point) && point->value[WORK])
        return "copies alone do no work on what they bring";
    if (point->value[WORK] % 2)
        return "work comes in pairs: every second operation undoes the one before";
    if (point->value[VARIANT] == ROUND_TRIP && point->value[DIRECTION] != TO_DEVICE)
        return "a round trip goes both ways";
    if (!has_kernel(point) && point->value[ARCH] != ARCH_NATIVE)
        return "copies alone are the driver's: there is no code, and so no arch to choose";
    if (point->value[VARIANT] == PAGEABLE && point->value[STREAMS] > 1)
        return "a copy of pageable memory holds up its caller: several streams cannot overlap";
    if (parts_of(point) > PARTS_MAX)
        snprintf(reason, size, "%llu parts are more than %d: queueing them would be what is timed",
                 (unsigned long long)parts_of(point), PARTS_MAX);
    else if ((uint64_t)point->value[STREAMS] > parts_of(point))
        snprintf(reason, size, "of %d streams only %llu would have a part to copy",
                 (int)point->value[STREAMS], (unsigned long long)parts_of(point));
    else
        return NULL;
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    uint64_t words = words_of(point), parts = parts_of(point);
    uint64_t largest = (words + parts - 1) / parts, blocks = (largest + BLOCK - 1) / BLOCK;
    bool from_host = point->value[DIRECTION] == TO_DEVICE, pageable = point->value[VARIANT] == PAGEABLE;
    bool round_trip = point->value[VARIANT] == ROUND_TRIP;
    (void)target;
    return (struct setup){
        .engine = ENGINE_HOST_COPY,
        .entry = has_kernel(point) ? "mark" : NULL,
        .buffer = {{.name = "in",
                    .role = BUFFER_INPUT,
                    .dtype = DTYPE_I32,
                    .count = words,
                    .fill = random,
                    .on_host = from_host,
                    .pageable = from_host && pageable},
                   {.name = "out",
                    .role = BUFFER_OUTPUT,
                    .dtype = DTYPE_I32,
                    .count = words,
                    .on_host = !from_host || round_trip,
                    .pageable = !from_host && pageable},
                   {.name = "between", .role = BUFFER_SCRATCH, .dtype = DTYPE_I32, .count = words}},
        .buffers = round_trip ? 3 : 2,
        .grid = {(uint32_t)(blocks < BLOCKS ? blocks : BLOCKS), 1, 1},
        .block = {BLOCK, 1, 1},
        .carveout = -1,
        .host_copy = {.chunks = (uint32_t)parts, .streams = (uint32_t)point->value[STREAMS]},
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE];
    if (point->value[VARIANT] == ROUND_TRIP)
        return (struct work){.bytes_read = bytes, .bytes_written = bytes};
    if (point->value[DIRECTION] == TO_DEVICE)
        return (struct work){.bytes_read = bytes};
    return (struct work){.bytes_written = bytes};
}

static struct tolerance tolerance(const struct point *point)
{
    (void)point;
    return (struct tolerance){0, 0}; /* copies are exact */
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint32_t *words = out, mark = has_kernel(point);
    (void)buffer;
    inputs_load_range(inputs, 0, first, count, words);
    for (uint64_t i = 0; i < count; i++)
        words[i] |= mark;
}

const struct family family_host_copy = {
    .space = {.kernel = "host_copy", .axes = axes, .count = AXES},
    .summary = "copies between host and device: pageable, pinned, and in parts overlapped with a kernel",
    .node_exclusive = true,
    .memory = MEMORY_LINK,
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE),
    .source = host_copy_source,
    .claims = host_copy_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
};
