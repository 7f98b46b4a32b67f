/* contention - messages between devices at the same time, by a pattern, and beside them a copy within each
 * sending device, or matrix products. Device code: contention.cu.
 *
 * Each message goes from a slot of its sender's `in` to a slot of its receiver's `out`. load and bulk_load
 * are run by the receivers, the others by the senders. `measured` says which part the launch lasts: `link`
 * repeats the work until the messages have arrived, `work` repeats the messages until the work is done,
 * `both` does each once. Bytes of messages count once, as read if they are pulled, as written if they are
 * pushed; those of the work count only if the work is measured. With gpus=1 both ends are in one device's
 * memory: the same code without a link. */
#include "family/rules.h"

#include <stdio.h>

extern const char contention_source[], contention_claims[];

static const char *const variants[] = {"copy_engine", "load", "store", "bulk_load", "bulk_store", NULL};
enum variant { COPY_ENGINE, LOAD, STORE, BULK_LOAD, BULK_STORE };
static const char *const patterns[] = {"one",     "both",      "permutation", "all_to_all", "incast",
                                       "outcast", "bisection", "none",        NULL};
enum pattern { ONE, BOTH, PERMUTATION, ALL_TO_ALL, INCAST, OUTCAST, BISECTION, NO_MESSAGES };
static const char *const work_words[] = {"none", "local_copy", "matmul", NULL};
enum beside { NOTHING, LOCAL_COPY, MATMUL };
static const char *const measurements[] = {"link", "work", "both", NULL};
enum measured { LINK, WORK };

enum { VARIANT, PATTERN, DEVICES, SHIFT, SIZE, BLOCKS, BESIDE, MEASURED, WORK_BYTES, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "store"),
    [PATTERN] = AXIS_WORDS("pattern", "which devices send to which", "one", patterns, false),
    [DEVICES] = AXIS_NUMBER("gpus", "devices", "the first ones of the node; 1: both ends in one", "1", 1,
                            DEVICES_MAX, false),
    [SHIFT] = AXIS_NUMBER("shift", "devices", "of a permutation: how much further on; 1: a ring", "1", 1,
                          DEVICES_MAX - 1, false),
    [SIZE] = {.name = "size",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "bytes of a message",
              .standard = "256MiB",
              .least = 16,
              .most = INT64_C(4) << 30},
    [BLOCKS] = AXIS_NUMBER("blocks", "blocks", "blocks of a device for its messages; as many for the work",
                           "64", 1, 512, false),
    [BESIDE] = AXIS_WORDS("beside", "work of the devices that copy messages", "none", work_words, true),
    [MEASURED] = AXIS_WORDS("measured", "what the launch lasts; the other part is repeated meanwhile", "link",
                            measurements, true),
    [WORK_BYTES] = {.name = "work_bytes",
                    .kind = AXIS_BYTES,
                    .unit = "bytes",
                    .summary = "bytes of a local copy; one round of products for each 128 KiB",
                    .standard = "128MiB",
                    .least = 16,
                    .most = INT64_C(16) << 30},
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum {
    THREADS = 512, /* as in contention.cu */
    STEP = 16,     /* bytes of an access */
    STAGES = 4,    /* of bulk copies, of TILE_BYTES each */
    TILE_BYTES = 8 << 10,
    BARRIER_BYTES = 8,
    CHAINS = 4, /* products that a warp has under way */
    PRODUCT_FLOPS = 2 * 16 * 8 * 16,
    ROUND_BYTES = 128 << 10, /* of work_bytes for a round of products */
    ROUNDS_MAX = 4096,       /* sums stay far below 2^24, and so exact */
};

static int64_t rounds_of(const struct point *point)
{
    return point->value[WORK_BYTES] / ROUND_BYTES;
}

static bool is_bulk(const struct point *point)
{
    return point->value[VARIANT] == BULK_LOAD || point->value[VARIANT] == BULK_STORE;
}

static bool is_pull(const struct point *point)
{
    return point->value[VARIANT] == LOAD || point->value[VARIANT] == BULK_LOAD;
}

/* ---- Who sends to whom ---- */

/* Byte d: the devices that device d sends to, and those that it receives from; bit i: device (d + i) mod
 * ends. */
struct flows {
    int ends;
    uint64_t sends, receives;
};

static bool does_send(const struct point *point, int ends, int from, int to)
{
    int half = ends / 2;
    switch ((enum pattern)point->value[PATTERN]) {
    case ONE:
        return from == 0;
    case BOTH:
    case ALL_TO_ALL:
        return true;
    case PERMUTATION:
        return to == (from + (int)point->value[SHIFT]) % ends;
    case INCAST:
        return to == 0;
    case OUTCAST:
        return from == 0;
    case BISECTION:
        return from / half != to / half;
    default:
        return false;
    }
}

static struct flows flows_of(const struct point *point)
{
    int devices = (int)point->value[DEVICES];
    struct flows flows = {.ends = devices > 1 ? devices : 2};
    for (int from = 0; from < flows.ends; from++)
        for (int to = 0; to < flows.ends; to++) {
            if (from == to || !does_send(point, flows.ends, from, to))
                continue;
            int further = (to - from + flows.ends) % flows.ends;
            flows.sends |= UINT64_C(1) << (8 * from + further);
            flows.receives |= UINT64_C(1) << (8 * to + flows.ends - further);
        }
    return flows;
}

static uint32_t mask_of(uint64_t flows, int device)
{
    return (uint32_t)(flows >> 8 * device) & 0xff;
}

/* Messages that a device sends or receives: its slots, in the order of the bits. */
static int slots_of(uint64_t flows, int device)
{
    return __builtin_popcount(mask_of(flows, device));
}

/* Does the device run copies of messages, or the work alone? */
static bool is_active(const struct point *point, const struct flows *flows, int device)
{
    return point->value[PATTERN] == NO_MESSAGES ||
           mask_of(is_pull(point) ? flows->receives : flows->sends, device);
}

static int active_devices(const struct point *point, const struct flows *flows)
{
    int active = 0;
    for (int d = 0; d < flows->ends; d++)
        active += is_active(point, flows, d);
    return active;
}

/* ---- Refusals ---- */

static const char *skip_pattern(const struct point *point)
{
    int64_t devices = point->value[DEVICES], pattern = point->value[PATTERN];
    if (pattern != PERMUTATION && point->value[SHIFT] != space_standard(point->space, SHIFT))
        return "only a permutation has a shift to choose";
    if (pattern == PERMUTATION && devices > 2 && point->value[SHIFT] >= devices)
        return "a permutation shifts by less than the number of devices";
    if ((pattern == ONE || pattern == BOTH) && devices > 2)
        return "the patterns one and both have two devices";
    if ((pattern == PERMUTATION || pattern == ALL_TO_ALL || pattern == INCAST || pattern == OUTCAST) &&
        devices < 3)
        return "with fewer than three devices the pattern is one or both";
    return pattern == BISECTION && (devices < 4 || devices % 2)
               ? "a bisection needs an even number of devices, four or more"
               : NULL;
}

static const char *skip_work(const struct point *point)
{
    int64_t beside = point->value[BESIDE], measured = point->value[MEASURED], variant = point->value[VARIANT];
    bool alone = point->value[PATTERN] == NO_MESSAGES;
    if (beside == NOTHING && point->value[WORK_BYTES] != space_standard(point->space, WORK_BYTES))
        return "without work there are no work_bytes to choose";
    if (beside == MATMUL &&
        (point->value[WORK_BYTES] < ROUND_BYTES || point->value[WORK_BYTES] > ROUNDS_MAX * ROUND_BYTES))
        return "work_bytes are 1 to 4096 rounds of products, of 128 KiB each";
    if (beside == NOTHING && (alone || measured != LINK))
        return "there is no work to measure: beside is none";
    if (alone && (measured != WORK || variant != space_standard(point->space, VARIANT)))
        return "without messages the work alone is measured, whatever copies messages";
    if (measured == WORK && !alone && variant != LOAD && variant != STORE)
        return "only copies by loads and stores can be repeated until the work is done";
    return NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const char *why = skip_pattern(point);
    if (!why)
        why = skip_work(point);
    if (!why && (point->value[SIZE] % STEP || point->value[WORK_BYTES] % STEP))
        why = "messages and the work are moved in accesses of 16 bytes";
    if (why || target->host)
        return why;
    if (point->value[VARIANT] == COPY_ENGINE && point->value[BESIDE] == NOTHING &&
        point->value[ARCH] != space_standard(point->space, ARCH))
        return "copy_engine has no arch to choose";
    if (is_bulk(point))
        return rules_capability("a bulk copy", 90, point, target, reason, size);
    return point->value[BESIDE] == MATMUL
               ? rules_capability("a product of tensor cores", 80, point, target, reason, size)
               : NULL;
}

/* ---- The launch ---- */

/* Bytes of the work in `in` and `out` of a device that works, behind its messages. A thread of a product
 * keeps four sums. */
static uint64_t work_in(const struct point *point)
{
    return point->value[BESIDE] == LOCAL_COPY ? (uint64_t)point->value[WORK_BYTES] : 0;
}

static uint64_t work_out(const struct point *point)
{
    return point->value[BESIDE] == MATMUL ? (uint64_t)point->value[BLOCKS] * THREADS * STEP : work_in(point);
}

enum { IN, OUT, GROUP }; /* the buffers of a device; those of device d begin at d * GROUP */

static uint64_t words(uint64_t bytes)
{
    return (bytes ? bytes : STEP) /
           4; /* a device that neither sends nor receives has a buffer all the same */
}

static void set_buffers(const struct point *point, const struct flows *flows, struct setup *s)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    for (int d = 0; d < flows->ends; d++) {
        bool works = is_active(point, flows, d);
        uint64_t message = (uint64_t)point->value[SIZE],
                 in = (uint64_t)slots_of(flows->sends, d) * message + (works ? work_in(point) : 0),
                 out = (uint64_t)slots_of(flows->receives, d) * message + (works ? work_out(point) : 0);
        s->buffer[d * GROUP + IN] = buffer_input("in", DTYPE_I32, words(in), random);
        s->buffer[d * GROUP + OUT] = buffer_output("out", DTYPE_I32, words(out));
        s->buffer[d * GROUP + IN].device = s->buffer[d * GROUP + OUT].device = d;
        s->idle |= works ? 0 : UINT32_C(1) << d;
    }
    s->buffers = flows->ends * GROUP;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    struct flows flows = flows_of(point);
    bool engine = point->value[VARIANT] == COPY_ENGINE, works = point->value[BESIDE] != NOTHING;
    uint64_t run = is_pull(point) ? flows.receives : flows.sends;
    uint32_t each = 0, blocks = 0;
    (void)target;
    for (int d = 0; d < flows.ends && !engine; d++) /* those that run any run as many */
        each = mask_of(run, d) ? (uint32_t)slots_of(run, d) : each;
    if (each)
        blocks = (uint32_t)point->value[BLOCKS] < each ? each : (uint32_t)point->value[BLOCKS] / each * each;
    struct setup s = {
        .engine = engine ? ENGINE_PEER_COPIES : ENGINE_KERNEL,
        .entry = engine && !works ? NULL : "contention",
        .grid = {blocks + (works ? (uint32_t)point->value[BLOCKS] : 0), 1, 1},
        .block = {THREADS, 1, 1},
        .shared_dynamic = is_bulk(point) ? STAGES * (TILE_BYTES + BARRIER_BYTES) : 0,
        .carveout = -1,
        .shape = {(uint64_t)point->value[SIZE], flows.sends, flows.receives,
                  works && point->value[MEASURED] == LINK},
        .parts = flows.ends,
        .group = GROUP,
    };
    s.grid[0] = s.grid[0] ? s.grid[0] : 1;
    set_buffers(point, &flows, &s);
    struct argument *argument = s.argument;
    *argument++ = (struct argument){ARGUMENT_BUFFER, IN};
    *argument++ = (struct argument){ARGUMENT_BUFFER, OUT};
    const int taken = is_pull(point) ? IN : OUT;
    for (int i = 1; i < DEVICES_MAX; i++) /* the other end: of device i further on, if there are as many */
        *argument++ = (struct argument){ARGUMENT_BUFFER, i < flows.ends ? (uint64_t)(i * GROUP + taken) : IN};
    *argument++ = (struct argument){ARGUMENT_U64, flows.sends};
    *argument++ = (struct argument){ARGUMENT_U64, flows.receives};
    *argument++ = (struct argument){ARGUMENT_PART, 0};
    *argument++ = (struct argument){ARGUMENT_U32, (uint64_t)flows.ends};
    *argument++ = (struct argument){ARGUMENT_U64, (uint64_t)point->value[SIZE]};
    *argument++ = (struct argument){
        ARGUMENT_U64,
        (uint64_t)(point->value[BESIDE] == MATMUL ? rounds_of(point) : point->value[WORK_BYTES])};
    *argument++ = (struct argument){ARGUMENT_U32, blocks};
    s.arguments = (int)(argument - s.argument);
    return s;
}

static struct work work(const struct point *point)
{
    struct flows flows = flows_of(point);
    uint64_t active = (uint64_t)active_devices(point, &flows), messages = 0;
    if (point->value[MEASURED] == WORK) {
        uint64_t warps = (uint64_t)point->value[BLOCKS] * (THREADS / 32);
        return point->value[BESIDE] == MATMUL
                   ? (struct work){.flops =
                                       active * warps * CHAINS * PRODUCT_FLOPS * (uint64_t)rounds_of(point),
                                   .bytes_written = active * work_out(point)}
                   : (struct work){.bytes_read = active * work_in(point),
                                   .bytes_written = active * work_in(point)};
    }
    for (int d = 0; d < flows.ends; d++)
        messages += (uint64_t)slots_of(flows.sends, d);
    uint64_t bytes = messages * (uint64_t)point->value[SIZE];
    return is_pull(point) ? (struct work){.bytes_read = bytes} : (struct work){.bytes_written = bytes};
}

/* ---- The reference ---- */

/* Where a slot of a receiver's comes from. */
static int sender_of(const struct flows *flows, int receiver, int slot, int *its_slot)
{
    uint32_t mask = mask_of(flows->receives, receiver);
    for (; slot > 0; slot--)
        mask &= mask - 1;
    int further = __builtin_ctz(mask), sender = (receiver + further) % flows->ends;
    uint32_t before = (UINT32_C(1) << (flows->ends - further)) - 1;
    *its_slot = __builtin_popcount(mask_of(flows->sends, sender) & before);
    return sender;
}

/* The sum of word `index` of the products: a warp has rows lane / 4 and eight more, a thread two columns of
 * each ("Matrix Fragments for mma.m16n8k16" in the PTX ISA). All numbers are whole and small, so the sums are
 * exact. */
static uint32_t product_sum(const struct point *point, uint64_t index)
{
    int lane = (int)(index / 4 % 32), c = (int)(index % 4);
    int row = lane / 4 + c / 2 * 8, column = lane % 4 * 2 + c % 2, sum = 0;
    for (int k = 0; k < 16; k++)
        sum += ((row + 3 * k) % 5 - 2) * ((2 * k + column) % 5 - 2);
    float all = (float)sum * (float)(CHAINS * rounds_of(point));
    uint32_t bits;
    memcpy(&bits, &all, sizeof bits);
    return bits;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    struct flows flows = flows_of(point);
    int device = buffer / GROUP;
    uint64_t message = (uint64_t)point->value[SIZE] / 4,
             messages = (uint64_t)slots_of(flows.receives, device) * message,
             work = is_active(point, &flows, device) ? work_out(point) / 4 : 0;
    uint32_t *words_out = out;
    for (uint64_t done = 0, n; done < count; done += n) {
        uint64_t at = first + done, left = count - done;
        n = left;
        if (at < messages) {
            int slot, sender = sender_of(&flows, device, (int)(at / message), &slot);
            uint64_t within = at % message;
            n = left < message - within ? left : message - within;
            inputs_load_range(inputs, sender * GROUP + IN, (uint64_t)slot * message + within, n,
                              words_out + done);
        } else if (at >= messages + work) {
            return; /* nothing writes there */
        } else if (point->value[BESIDE] == MATMUL) {
            for (uint64_t i = 0; i < n && at + i < messages + work; i++)
                words_out[done + i] = product_sum(point, at + i - messages);
        } else {
            uint64_t own = (uint64_t)slots_of(flows.sends, device) * message;
            inputs_load_range(inputs, device * GROUP + IN, own + at - messages, n, words_out + done);
        }
    }
}

static struct devices devices(const struct point *point)
{
    struct devices devices = {.count = point->value[DEVICES] > 1 ? (int)point->value[DEVICES] : 0};
    for (int d = 0; d < devices.count; d++)
        devices.ordinal[d] = d;
    return devices;
}

const struct family family_contention = {
    .space = {.kernel = "contention", .axes = axes, .count = AXES},
    .summary = "messages between devices at the same time, by pattern, beside local copies or products",
    .node_exclusive = true,
    .tensor_cores = true, /* beside=matmul */
    .memory = MEMORY_PEER,
    .source = contention_source,
    .claims = contention_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .devices = devices,
};
