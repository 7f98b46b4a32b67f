/* dram_channels - streams at a distance from each other: conflicts of DRAM's channels and banks, and turns
 * between reading and writing. Device code and the order of accesses: dram_channels.cu.
 *
 * `size`: bytes of all streams together. With `skew`, streams are that much further apart: a few lines of it
 * take away whatever comes from a distance that is a power of two. */
#include "family/rules.h"

#include <assert.h>
#include <stdio.h>

#include "kernels/ring.h"

extern const char dram_channels_source[], dram_channels_claims[];

static const char *const variants[] = {"read", "write", "mixed", NULL};
enum variant { READ, WRITE, MIXED };

enum { VARIANT, SIZE, STREAMS, DISTANCE, SKEW, BURST, WRITTEN, WIDTH, ITEMS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "read"),
    [SIZE] = AXIS_SIZE("1GiB"),
    [STREAMS] =
        AXIS_NUMBER("streams", "streams", "streams that are read or written at once", "2", 1, 4096, false),
    [DISTANCE] = {.name = "distance",
                  .kind = AXIS_BYTES,
                  .unit = "bytes",
                  .summary = "distance between neighbouring streams, less skew: a power of two",
                  .standard = "1MiB",
                  .least = 128,
                  .most = 1 << 30},
    [SKEW] = AXIS_NUMBER("skew", "sectors",
                         "sectors of 32 bytes added to the distance, which is no power of two any more", "0",
                         0, 32768, false),
    [BURST] = {.name = "burst",
               .kind = AXIS_BYTES,
               .unit = "bytes",
               .summary = "bytes of a stream before the next stream's turn",
               .standard = "512",
               .least = 128,
               .most = 1 << 20},
    [WRITTEN] = AXIS_NUMBER("written", "streams", "streams that `mixed` writes; it reads the others", "1", 1,
                            4095, false),
    [WIDTH] = AXIS_NUMBER("width", "bytes", "bytes of a thread's access", "16", 4, 16, true),
    [ITEMS] = AXIS_NUMBER("items", "accesses", "accesses of a thread before the first is waited for", "4", 1,
                          16, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { IN, OUT, SUMS, BUFFERS };
enum { WARP = 32, BLOCK = 256 /* as in dram_channels.cu */, SECTOR = 32 };

/* Threads that stay on a multiprocessor whatever the kernel's registers: see its launch bounds. */
#define RESIDENT_THREADS 1024
#define FACTOR           UINT32_C(2654435761) /* as in dram_channels.cu */

/* A point in numbers of the kernel. */
struct layout {
    uint64_t streams, read, burst, distance, pitch, request; /* bytes, but for streams and those read */
    uint64_t length;                                         /* of a stream, in bytes */
    uint64_t rows;                                           /* units of a stream */
    uint64_t requests;
};

static struct layout layout_of(const struct point *point)
{
    uint64_t streams = (uint64_t)point->value[STREAMS], size = (uint64_t)point->value[SIZE];
    uint64_t request = WARP * (uint64_t)point->value[WIDTH], distance = (uint64_t)point->value[DISTANCE];
    uint64_t written = point->value[VARIANT] == WRITE ? streams : (uint64_t)point->value[WRITTEN];
    if (point->value[VARIANT] == READ)
        written = 0;
    return (struct layout){.streams = streams,
                           .read = streams - written,
                           .burst = (uint64_t)point->value[BURST],
                           .distance = distance,
                           .pitch = distance + SECTOR * (uint64_t)point->value[SKEW],
                           .request = request,
                           .length = size / streams,
                           .rows = (size / streams + distance - 1) / distance,
                           .requests = size / request};
}

static const char *skip_layout(const struct point *point, char *reason, size_t size)
{
    struct layout at = layout_of(point);
    if (!ring_is_power_of_two(at.streams) || !ring_is_power_of_two(at.distance) ||
        !ring_is_power_of_two(at.burst))
        return "streams, distance and burst are powers of two; skew is what makes a distance another number";
    if (at.burst % at.request)
        snprintf(reason, size, "a burst of %llu bytes is no whole number of requests of %llu",
                 (unsigned long long)at.burst, (unsigned long long)at.request);
    else if (at.distance < at.burst)
        snprintf(reason, size, "streams %llu bytes apart have no bursts of %llu",
                 (unsigned long long)at.distance, (unsigned long long)at.burst);
    else if ((uint64_t)point->value[SIZE] % (at.streams * at.burst))
        snprintf(reason, size, "%llu streams of bursts of %llu bytes do not make up %lld bytes",
                 (unsigned long long)at.streams, (unsigned long long)at.burst, (long long)point->value[SIZE]);
    else if (at.requests > INT32_MAX)
        return "requests are numbered with 31 bits";
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (!ring_is_power_of_two((uint64_t)point->value[WIDTH]))
        return "an access has 4, 8 or 16 bytes";
    if (point->value[VARIANT] == MIXED && point->value[WRITTEN] >= point->value[STREAMS])
        return "mixed has streams of both kinds: fewer are written than there are";
    if (point->value[VARIANT] != MIXED && point->value[WRITTEN] != space_standard(point->space, WRITTEN))
        return "read and write have streams of one kind: written is for mixed";
    return skip_layout(point, reason, size);
}

static uint32_t log_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

/* The words of an array of so many streams; 1 if it has none, and nobody touches it. */
static uint64_t words_of(const struct layout *at, uint64_t streams)
{
    return streams ? at->rows * streams * at->pitch / 4 : 1;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    struct layout at = layout_of(point);
    uint64_t warps = BLOCK / WARP, written = at.streams - at.read;
    uint64_t blocks = (at.requests + warps - 1) / warps,
             resident = rules_multiprocessors(target) * (RESIDENT_THREADS / BLOCK);
    if (blocks > resident)
        blocks = resident;
    struct setup s = {
        .engine = ENGINE_KERNEL,
        .entry = "dram_channels",
        .buffer = {[IN] = buffer_input("in", DTYPE_I32, words_of(&at, at.read), random),
                   [OUT] = buffer_output("out", DTYPE_I32, words_of(&at, written)),
                   [SUMS] = buffer_output("sums", DTYPE_I32, blocks * warps)},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, IN},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_BUFFER, SUMS},
                     {ARGUMENT_U32, at.requests},
                     {ARGUMENT_U32, log_of(at.streams)},
                     {ARGUMENT_U32, log_of(at.burst / at.request)},
                     {ARGUMENT_U32, log_of(at.distance / at.request)},
                     {ARGUMENT_U32, at.pitch},
                     {ARGUMENT_U32, written}},
        .arguments = 9,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {BLOCK, 1, 1},
        .carveout = -1,
    };
    if (!written)
        s.buffer[OUT].role = BUFFER_SCRATCH;
    if (!at.read)
        s.buffer[SUMS].role = BUFFER_SCRATCH;
    return s;
}

/* Every byte of every stream once. The sums, which only make the loads necessary, do not count. */
static struct work work(const struct point *point)
{
    struct layout at = layout_of(point);
    return (struct work){.bytes_read = at.read * at.length,
                         .bytes_written = (at.streams - at.read) * at.length};
}

/* Where a request goes: to OUT or IN, and how many bytes from its start. */
struct place {
    bool store;
    uint64_t first;
};

static struct place place_of(const struct layout *at, uint64_t number)
{
    uint64_t each = at->burst / at->request, stream = number / each % at->streams;
    uint64_t position = number / each / at->streams * at->burst + number % each * at->request;
    bool store = stream >= at->read;
    uint64_t streams = store ? at->streams - at->read : at->read;
    stream -= store ? at->read : 0;
    return (struct place){store,
                          (position / at->distance * streams + stream) * at->pitch + position % at->distance};
}

static uint32_t sum_of(const struct layout *at, const struct inputs *inputs, uint64_t warp, uint64_t warps)
{
    uint32_t words[WARP * 4], sum = 0;
    for (uint64_t number = warp; number < at->requests; number += warps) {
        struct place place = place_of(at, number);
        if (place.store)
            continue;
        inputs_load_range(inputs, IN, place.first / 4, at->request / 4, words);
        for (uint64_t i = 0; i < at->request / 4; i++)
            sum += words[i];
    }
    return sum;
}

/* Is word `index` of OUT one of a stream? Between units there is skew, and the last unit of a stream may be
 * cut short. */
static bool is_written(const struct layout *at, uint64_t index)
{
    uint64_t row = (at->streams - at->read) * at->pitch, byte = 4 * index;
    assert(row > 0); /* no word is asked for if no stream is written */
    uint64_t in_unit = byte % row % at->pitch;
    return in_unit < at->distance && byte / row * at->distance + in_unit < at->length;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    struct layout at = layout_of(point);
    uint32_t *words = out;
    for (uint64_t i = 0; i < count; i++)
        if (buffer == SUMS)
            words[i] = sum_of(&at, inputs, first + i, inputs->setup->buffer[SUMS].count);
        else if (is_written(&at, first + i))
            words[i] = (uint32_t)(first + i) * FACTOR;
}

/* Access `index` among a round of requests: the loads come first. */
static uint64_t in_round(const struct layout *at, uint64_t first, uint64_t step, uint64_t count,
                         uint64_t index)
{
    for (int store = 0; store < 2; store++)
        for (uint64_t i = 0; i < count; i++)
            if (place_of(at, first + i * step).store == store && index-- == 0)
                return first + i * step;
    return first; /* not reached: index < count */
}

/* A warp's requests in rounds of `items`, the rest one by one; at the end its sum. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct layout at = layout_of(point);
    uint64_t items = (uint64_t)point->value[ITEMS], warps = (uint64_t)s->grid[0] * s->block[0] / WARP;
    uint64_t own = warp < at.requests ? (at.requests - warp - 1) / warps + 1 : 0, whole = own / items * items;
    uint64_t round = index / items * items, width = (uint64_t)point->value[WIDTH];
    *out = (struct access){.space = ACCESS_GLOBAL, .width = (uint32_t)width, .times = 1};
    if (index == own && at.read) {
        out->store = true;
        out->buffer = SUMS;
        out->width = 4;
        access_evenly(out, 4 * warp, 0, 1);
        return true;
    }
    if (index >= own)
        return false;
    struct place place =
        place_of(&at, index < whole ? in_round(&at, warp + round * warps, warps, items, index - round)
                                    : warp + index * warps);
    out->store = place.store;
    out->buffer = place.store ? OUT : IN;
    access_evenly(out, place.first, width, WARP);
    return true;
}

const struct family family_dram_channels = {
    .space = {.kernel = "dram_channels", .axes = axes, .count = AXES},
    .summary =
        "streams at power-of-two distances: conflicts of DRAM's channels and banks, reads among writes",
    .source = dram_channels_source,
    .claims = dram_channels_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* sums modulo 2^32, in any order */
    .reference = reference,
    .access = access_of,
};
