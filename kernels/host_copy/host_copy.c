/* host_copy - copies between host and device: pageable, pinned, overlapped with the kernel in host_copy.cu,
 * or made by it.
 *
 * The array is copied in equal parts of at most `chunk` bytes, part i on stream i mod `streams`. With
 * direction=both a second array of the same size goes to the host at the same time, on streams of its own.
 * The kernel of zero_copy reads or writes host memory itself; with direction=both it does both.
 *
 * The bandwidth is that of the link: bytes to the device count as read, bytes to the host as written, and on
 * a round trip each byte counts as both. With `work` the kernel can take as long as the copy of its part:
 * then overlap gains most.
 *
 * On the host back end both sides are host memory and the reference is what runs, whole and without the
 * work. */
#include "family/rules.h"

#include <stdio.h>

extern const char host_copy_source[], host_copy_claims[];

static const char *const variants[] = {"pageable", "pinned", "overlapped", "round_trip", "zero_copy", NULL};
enum variant { PAGEABLE, PINNED, OVERLAPPED, ROUND_TRIP, ZERO_COPY };
static const char *const directions[] = {"h2d", "d2h", "both", NULL};
enum direction { TO_DEVICE, TO_HOST, BOTH };
static const char *const memories[] = {"cached", "write_combined", NULL};
enum memory { CACHED, WRITE_COMBINED };
static const char *const nodes[] = {"any", "0", "1", "2", "3", "4", "5", "6", "7", NULL};
enum { ANY_NODE };

enum { VARIANT, SIZE, DIRECTION, CHUNK, STREAMS, WORK, MEMORY, NUMA, WIDTH, GRID, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "overlapped"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DIRECTION] =
        AXIS_WORDS("direction", "host to device, device to host, or both at once", "h2d", directions, false),
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
    [MEMORY] =
        AXIS_WORDS("memory", "how the processor caches the pinned host memory", "cached", memories, false),
    [NUMA] = AXIS_WORDS("numa", "NUMA node of the host memory; any: where driver or system put it", "any",
                        nodes, false),
    [WIDTH] = AXIS_NUMBER("width", "bytes", "bytes per access of zero_copy's kernel", "4", 4, 16, true),
    [GRID] = AXIS_NUMBER("blocks", "blocks", "most blocks of the kernel", "1024", 1, 1 << 16, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define WORD      UINT64_C(4) /* bytes */
#define PARTS_MAX 4096
#define BLOCK     256
#define BLOCKS    1024 /* the standard: enough to fill any device, and much faster than the link */

static uint64_t words_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / WORD;
}

static uint64_t parts_of(const struct point *point)
{
    uint64_t chunk = (uint64_t)point->value[CHUNK] / WORD;
    return (words_of(point) + chunk - 1) / chunk;
}

/* Accesses of zero_copy's kernel to each array. */
static uint64_t packets_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[WIDTH];
}

static bool is(const struct point *point, enum variant variant)
{
    return point->value[VARIANT] == variant;
}

static bool has_kernel(const struct point *point)
{
    return !is(point, PAGEABLE) && !is(point, PINNED);
}

/* Copies queued by a launch in each of both directions, if it has them. */
static bool has_two_ways(const struct point *point)
{
    return point->value[DIRECTION] == BOTH && !is(point, ZERO_COPY);
}

/* What the host back end leaves out. */
static const char *skip_on_host(const struct point *point)
{
    if (parts_of(point) > 1)
        return "the host back end has no streams: it copies the array whole";
    if (point->value[WORK])
        return "the host back end runs the reference, which leaves out the work";
    if (point->value[MEMORY] == WRITE_COMBINED)
        return "write-combined memory is the CUDA driver's: the host back end has none";
    return NULL;
}

static const char *skip_memory(const struct point *point)
{
    if (point->value[MEMORY] != WRITE_COMBINED)
        return NULL;
    if (is(point, PAGEABLE))
        return "write-combined memory is pinned, not pageable";
    if (point->value[NUMA] != ANY_NODE)
        return "write-combined memory lies where the driver puts it: its NUMA node cannot be chosen";
    return NULL;
}

/* Points whose copies are the driver's, or the kernel's. */
static const char *skip_copies(const struct point *point)
{
    bool pageable = is(point, PAGEABLE);
    if (!has_kernel(point) && point->value[WORK])
        return "copies alone do no work on what they bring";
    if (is(point, ROUND_TRIP) && point->value[DIRECTION] != TO_DEVICE)
        return "a round trip goes both ways";
    if (!has_kernel(point) && point->value[ARCH] != ARCH_NATIVE)
        return "copies alone are the driver's: there is no code, and so no arch to choose";
    if (!has_kernel(point) && point->value[GRID] != BLOCKS)
        return "copies alone are the driver's: there is no kernel, and so no blocks to choose";
    if (!is(point, ZERO_COPY) && point->value[WIDTH] != (int64_t)WORD)
        return "only zero_copy's kernel has a width: the others access single words";
    if (is(point, ZERO_COPY) && (parts_of(point) > 1 || point->value[STREAMS] > 1))
        return "zero_copy's kernel goes over the whole array: there are no parts and streams";
    if (pageable && (point->value[STREAMS] > 1 || point->value[DIRECTION] == BOTH))
        return "a copy of pageable memory holds up its caller: several streams cannot overlap";
    return NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int64_t width = point->value[WIDTH];
    if (point->value[SIZE] % (int64_t)WORD || point->value[CHUNK] % (int64_t)WORD)
        return "parts are whole words of 4 bytes: size and chunk have to be multiples of that";
    if (point->value[WORK] % 2)
        return "work comes in pairs: every second operation undoes the one before";
    const char *why = skip_copies(point);
    if (!why)
        why = skip_memory(point);
    if (!why && target->host)
        why = skip_on_host(point);
    if (why)
        return why;
    uint64_t parts = parts_of(point), copies = parts << has_two_ways(point);
    if (width != 4 && width != 8 && width != 16)
        snprintf(reason, size, "a width of %d bytes is none of 4, 8 and 16", (int)width);
    else if (point->value[SIZE] % width)
        snprintf(reason, size, "accesses of %d bytes need a size that is a multiple of that", (int)width);
    else if (copies > PARTS_MAX)
        snprintf(reason, size, "%llu parts are more than %d: queueing them would be what is timed",
                 (unsigned long long)copies, PARTS_MAX);
    else if ((uint64_t)point->value[STREAMS] > parts)
        snprintf(reason, size, "of %d streams only %llu would have a part to copy",
                 (int)point->value[STREAMS], (unsigned long long)parts);
    else
        return NULL;
    return reason;
}

static struct buffer array(const struct point *point, const char *name, enum buffer_role role, bool on_host)
{
    struct buffer buffer = {.name = name,
                            .role = role,
                            .dtype = DTYPE_I32,
                            .count = words_of(point),
                            .fill = {.kind = FILL_RANDOM},
                            .on_host = on_host};
    if (on_host) {
        buffer.pageable = is(point, PAGEABLE);
        buffer.write_combined = point->value[MEMORY] == WRITE_COMBINED;
        buffer.numa = (int)(point->value[NUMA] - ANY_NODE);
    }
    return buffer;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t words = words_of(point), parts = parts_of(point);
    uint64_t largest = is(point, ZERO_COPY) ? packets_of(point) : (words + parts - 1) / parts;
    uint64_t blocks = (largest + BLOCK - 1) / BLOCK, most = (uint64_t)point->value[GRID];
    bool from_host = point->value[DIRECTION] != TO_HOST, to_host = point->value[DIRECTION] == TO_HOST;
    bool through = is(point, ROUND_TRIP) || (is(point, ZERO_COPY) && point->value[DIRECTION] == BOTH);
    const char *mark = has_kernel(point) ? "mark" : NULL;
    struct setup s = {
        .engine = is(point, ZERO_COPY) ? ENGINE_KERNEL : ENGINE_HOST_COPY,
        .entry = is(point, ZERO_COPY) ? "pass" : mark,
        .buffer = {array(point, "in", BUFFER_INPUT, from_host),
                   array(point, "out", BUFFER_OUTPUT, to_host || through)},
        .buffers = 2,
        .grid = {(uint32_t)(blocks < most ? blocks : most), 1, 1},
        .block = {BLOCK, 1, 1},
        .carveout = -1,
        .host_copy = {.chunks = (uint32_t)parts, .streams = (uint32_t)point->value[STREAMS]},
    };
    (void)target;
    if (is(point, ROUND_TRIP)) {
        s.buffer[s.buffers++] = array(point, "between", BUFFER_SCRATCH, false);
    } else if (has_two_ways(point)) {
        s.buffer[s.buffers++] = array(point, "in_back", BUFFER_INPUT, false);
        s.buffer[s.buffers++] = array(point, "out_back", BUFFER_OUTPUT, true);
    } else if (is(point, ZERO_COPY)) {
        s.argument[s.arguments++] = (struct argument){ARGUMENT_BUFFER, 0};
        s.argument[s.arguments++] = (struct argument){ARGUMENT_BUFFER, 1};
        s.argument[s.arguments++] = (struct argument){ARGUMENT_U64, packets_of(point)};
    }
    return s;
}

/* The code of sm_90 negates before each multiply-add (a * x = -(grid * x)), every third time by a move on the
 * pipe of the multiply-adds: four operations of a quarter for three. */
static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE];
    bool both = is(point, ROUND_TRIP) || point->value[DIRECTION] == BOTH,
         out = point->value[DIRECTION] == TO_HOST;
    return (struct work){.bytes_read = both || !out ? bytes : 0,
                         .bytes_written = both || out ? bytes : 0,
                         .special = words_of(point) * (uint64_t)point->value[WORK] / 3};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint32_t *words = out, mark = has_kernel(point);
    inputs_load_range(inputs, buffer - 1, first, count, words); /* each output follows its input */
    for (uint64_t i = 0; i < count; i++)
        words[i] |= mark;
}

/* The kernel of zero_copy: a load and a store in each round of its loop. Copies by the driver are not asked
 * for. */
static bool access(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out)
{
    uint64_t width = (uint64_t)point->value[WIDTH], packets = packets_of(point);
    uint64_t first = warp * 32 + index / 2 * (uint64_t)setup->grid[0] * BLOCK;
    if (first >= packets)
        return false;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = index % 2,
                           .buffer = (int)(index % 2),
                           .width = (uint32_t)width,
                           .times = 1};
    access_evenly(out, first * width, width, packets - first);
    return true;
}

const struct family family_host_copy = {
    .space = {.kernel = "host_copy", .axes = axes, .count = AXES},
    .summary =
        "copies between host and device: pageable, pinned, in parts overlapped with a kernel, or by it",
    .node_exclusive = true,
    .memory = MEMORY_LINK,
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE),
    .source = host_copy_source,
    .claims = host_copy_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access,
};
