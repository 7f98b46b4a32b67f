/* atomics - throughput and latency of atomic operations in shared memory and in L2. Device code: atomics.cu.
 *
 * Warps are numbered over the grid, in shared memory over the block. `warps` neighbours form a group, which
 * has one address for each `lanes` neighbouring lanes. Whole numbers that are exact in the type make the
 * final values independent of the order:
 *
 *   add, cas, plain  the sum of the sharers' numbers: each adds its number once more than it takes it away
 *   max              the largest number
 *   exchange         what is left and what came out: as much as was put in
 *
 * Not counted in `work`: the first addition of each thread, one of some hundreds, what finds a line whose
 * `home` is near or far, and what a warp does when it has finished. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char atomics_source[], atomics_claims[];

static const char *const variants[] = {"add", "max", "exchange", "cas", "plain", NULL};
enum variant { ADD, MAX, EXCHANGE, CAS, PLAIN };
static const char *const places[] = {"global", "shared", NULL};
enum place { GLOBAL, SHARED };
static const char *const types[] = {"u32", "u64", "f32", "f64", "f16x2", "bf16x2", NULL};
enum type { U32, U64, F32, F64, F16X2, BF16X2 };
static const char *const results[] = {"unused", "used", "chained", NULL};
enum result_use { UNUSED, USED, CHAINED };

/* As in the device code: operations of a round, and threads of a multiprocessor that registers suffice
 * for. */
enum { UNROLL = 16, THREADS_RESIDENT = 1024 };

/* Each success of a compare-and-swap makes the others' attempts in vain: attempts grow with the square of the
 * sharers. */
enum { CAS_SHARERS_MAX = 1024 };

static const char *const home_words[] = {"any", "near", "far", NULL};
enum home { HOME_ANY, HOME_NEAR, HOME_FAR };

/* As in atomics.cu and chase.cuh: lines from which one is chosen, their distance in bytes, and atomics on
 * each. */
enum { HOME_LINES = 64, HOME_HOP = 4096 + 128, PROBE_TRIES = 3, LINE = 128 };

enum {
    VARIANT,
    PLACE,
    TYPE,
    RESULT,
    LANES,
    WARPS,
    STEP,
    BLOCK,
    BLOCKS,
    ROUNDS,
    HOME,
    SETS,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "add"),
    [PLACE] = AXIS_WORDS("place", "where the addresses are: global (L2 does the operations) or shared memory",
                         "global", places, true),
    [TYPE] = AXIS_WORDS("type", "type of a value", "u32", types, true),
    [RESULT] = AXIS_WORDS("result", "unused (a reduction), used, or chained: the next operation needs it",
                          "unused", results, true),
    [LANES] = AXIS_NUMBER("lanes", "lanes", "neighbouring lanes of a warp that share an address", "1", 1, 32,
                          false),
    [WARPS] = AXIS_NUMBER("warps", "warps",
                          "neighbouring warps that share their addresses; 0: all of the grid, or in shared "
                          "memory of the block",
                          "1", 0, 1 << 25, false),
    [STEP] = {.name = "step",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "distance between neighbouring addresses",
              .standard = "8",
              .least = 4,
              .most = 4096},
    [BLOCK] = AXIS_BLOCK("256"),
    [BLOCKS] = AXIS_NUMBER("blocks", "blocks", "blocks in the grid; 0: as many as fit on the device", "0", 0,
                           1 << 20, false),
    [ROUNDS] =
        AXIS_NUMBER("rounds", "rounds",
                    "rounds of 16 operations a thread, of all blocks together, which share them evenly",
                    "16384", 1, 1 << 24, false),
    [HOME] = {.name = "home",
              .kind = AXIS_WORD,
              .unit = "",
              .summary =
                  "line of the addresses: any, or one whose home in L2 is near to the multiprocessor, or far",
              .standard = "any",
              .words = home_words,
              .compiled = true,
              .late = true},
    [SETS] = AXIS_SETS,
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { CELLS, TICKETS, HELD, OUT, CYCLES, BUFFERS };

static bool is_wide(const struct point *point)
{
    return point->value[TYPE] == U64 || point->value[TYPE] == F64;
}

static bool is_whole(const struct point *point)
{
    return point->value[TYPE] <= U64;
}

static bool is_shared(const struct point *point)
{
    return point->value[PLACE] == SHARED;
}

static uint64_t size_of(const struct point *point)
{
    return is_wide(point) ? 8 : 4;
}

/* Addresses of a warp. */
static uint64_t own_of(const struct point *point)
{
    return 32 / (uint64_t)point->value[LANES];
}

/* How `warps` warps, of the grid or in shared memory of a block, form groups. */
struct sharing {
    uint64_t warps, group, groups;
};

static struct sharing sharing_of(const struct point *point, uint64_t blocks)
{
    uint64_t warps = (uint64_t)point->value[BLOCK] / 32 * (is_shared(point) ? 1 : blocks);
    uint64_t group = point->value[WARPS] ? (uint64_t)point->value[WARPS] : warps;
    return (struct sharing){warps, group, (warps - 1) / group + 1};
}

static uint64_t shared_bytes(const struct point *point)
{
    return is_shared(point) ? sharing_of(point, 1).groups * own_of(point) * (uint64_t)point->value[STEP] : 0;
}

static uint64_t blocks_of(const struct point *point, const struct target *target)
{
    uint64_t block = (uint64_t)point->value[BLOCK], rounds = (uint64_t)point->value[ROUNDS];
    uint64_t each = rules_blocks_of_threads(target, block, shared_bytes(point), THREADS_RESIDENT);
    uint64_t blocks = each * rules_multiprocessors(target);
    if (point->value[BLOCKS])
        return (uint64_t)point->value[BLOCKS];
    return blocks < rounds ? blocks : rounds;
}

static uint64_t rounds_of(const struct point *point, uint64_t block, uint64_t blocks)
{
    uint64_t rounds = (uint64_t)point->value[ROUNDS];
    return rounds / blocks + (block < rounds % blocks);
}

/* Rounds of the first block that are timed by its own clock. */
static uint64_t timed_of(const struct point *point, uint64_t blocks)
{
    uint64_t rounds = rounds_of(point, 0, blocks);
    return rounds < RING_GROUPS ? rounds : RING_GROUPS;
}

static const char *skip_operation(const struct point *point)
{
    enum variant variant = (enum variant)point->value[VARIANT];
    enum result_use result = (enum result_use)point->value[RESULT];
    if ((variant == MAX || variant == EXCHANGE) && !is_whole(point))
        return variant == MAX
                   ? "there is no atomic maximum of floating-point numbers: it would be made of variant=cas"
                   : "an exchange moves bits, whatever they mean: u32 and u64 are its types";
    if (variant == EXCHANGE && result == UNUSED)
        return "there is no exchange without a result";
    if ((variant == CAS || variant == PLAIN) && result != CHAINED)
        return "the next addition needs what this one has loaded: cas and plain are chained";
    if (variant == PLAIN && (point->value[LANES] != 1 || point->value[WARPS] != 1))
        return "plain loads and stores lose additions to an address that threads share: lanes=1 and warps=1";
    return NULL;
}

/* One warp, whose addresses have one line: several lines would be near and far, and other warps would be in
 * the way. */
static const char *skip_home(const struct point *point)
{
    if (point->value[HOME] == HOME_ANY)
        return NULL;
    if (is_shared(point) || point->value[RESULT] != CHAINED)
        return "home=near and home=far are for chained operations in global memory: result=chained "
               "place=global";
    if (point->value[BLOCK] != 32 || point->value[BLOCKS] != 1)
        return "home=near and home=far are for one warp: block=32 and blocks=1";
    return own_of(point) * (uint64_t)point->value[STEP] > LINE
               ? "the warp's addresses have more than one line of 128 bytes, and so perhaps two homes: "
                 "choose a smaller step"
               : NULL;
}

static const char *skip_sharing(const struct point *point, const struct target *target, char *reason,
                                size_t size)
{
    uint64_t lanes = (uint64_t)point->value[LANES], step = (uint64_t)point->value[STEP];
    struct sharing sharing = sharing_of(point, blocks_of(point, target));
    uint64_t together = (sharing.group < sharing.warps ? sharing.group : sharing.warps) * lanes;
    if (lanes & (lanes - 1))
        snprintf(reason, size, "%d lanes do not divide a warp of 32", (int)lanes);
    else if (step % size_of(point))
        snprintf(reason, size, "a step of %d bytes is no whole number of values of %d", (int)step,
                 (int)size_of(point));
    else if (is_shared(point) && sharing.group > sharing.warps)
        snprintf(reason, size, "a block of %d warps has no %d warps that share its memory",
                 (int)sharing.warps, (int)sharing.group);
    else if (point->value[VARIANT] == CAS && together > CAS_SHARERS_MAX)
        snprintf(
            reason, size,
            "%llu threads at one address: attempts grow with their square, and are limited to %d threads",
            (unsigned long long)together, CAS_SHARERS_MAX);
    else if (is_shared(point) && target->shared_bytes && shared_bytes(point) > target->shared_bytes)
        snprintf(reason, size, "addresses of a block take %llu bytes of shared memory, which has %llu",
                 (unsigned long long)shared_bytes(point), (unsigned long long)target->shared_bytes);
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const char *why = skip_operation(point);
    if (target->host)
        return "atomics is about a GPU's atomic units, which the host has not";
    if (rules_whole_warps(point->value[BLOCK], reason, size))
        return reason;
    if (point->value[BLOCKS] > point->value[ROUNDS]) {
        snprintf(reason, size, "%d rounds are not one for each of %d blocks", (int)point->value[ROUNDS],
                 (int)point->value[BLOCKS]);
        return reason;
    }
    if (point->value[TYPE] == BF16X2 &&
        rules_capability("an atomic addition of bf16x2", 90, point, target, reason, size))
        return reason;
    if (!why)
        why = skip_home(point);
    return why ? why : skip_sharing(point, target, reason, size);
}

/* Elements of the addresses in global memory. */
static uint64_t cells_of(const struct point *point, uint64_t addresses)
{
    uint64_t bytes = point->value[HOME] == HOME_ANY ? addresses * (uint64_t)point->value[STEP]
                                                    : (uint64_t)HOME_LINES * HOME_HOP;
    return is_shared(point) ? 1 : bytes / size_of(point);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t blocks = blocks_of(point, target), own = own_of(point);
    struct sharing sharing = sharing_of(point, blocks);
    uint64_t addresses = sharing.groups * own * (is_shared(point) ? blocks : 1);
    enum dtype dtype = is_wide(point) ? DTYPE_I64 : DTYPE_I32;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "atomics",
        .buffer = {[CELLS] = {.name = "cells",
                              .role = BUFFER_ZEROED,
                              .dtype = dtype,
                              .count = cells_of(point, addresses)},
                   [TICKETS] = {.name = "tickets",
                                .role = BUFFER_ZEROED,
                                .dtype = DTYPE_I32,
                                .count = is_shared(point) ? 1 : sharing.groups},
                   [HELD] = {.name = "held",
                             .role = BUFFER_ZEROED,
                             .dtype = DTYPE_I64,
                             .count = point->value[VARIANT] == EXCHANGE ? addresses : 1},
                   [OUT] = buffer_output("out", dtype, addresses),
                   [CYCLES] = {.name = "cycles",
                               .role = BUFFER_REPORT,
                               .dtype = DTYPE_I32,
                               .count = timed_of(point, blocks)}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, CELLS},
                     {ARGUMENT_BUFFER, TICKETS},
                     {ARGUMENT_BUFFER, HELD},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, (uint64_t)point->value[LANES]},
                     {ARGUMENT_U32, (uint64_t)point->value[WARPS]},
                     {ARGUMENT_U32, (uint64_t)point->value[STEP]},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]},
                     {ARGUMENT_U32, timed_of(point, blocks)},
                     {ARGUMENT_U32, 0}},
        .arguments = 11,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .shared_dynamic = (uint32_t)shared_bytes(point),
        .carveout = -1,
        .sets = rules_sets_in_l2(point->value[SETS], cells_of(point, addresses) * size_of(point), target),
    };
}

/* An operand goes to memory, and the value before comes back if it is used. One operation per element. */
static struct work work(const struct point *point)
{
    uint64_t operations = (uint64_t)point->value[ROUNDS] * UNROLL * (uint64_t)point->value[BLOCK];
    uint64_t bytes = operations * size_of(point);
    return (struct work){.bytes_read = point->value[RESULT] == UNUSED ? 0 : bytes,
                         .bytes_written = bytes,
                         .flops = operations * (point->value[TYPE] >= F16X2 ? 2 : 1)};
}

/* ---- reference: the numbers of the threads that share address `k` of a warp, in warps [first, first +
 * count) of the grid */

struct sharers {
    uint64_t first, count, k, lanes;
};

/* The sum of the threads' numbers in the grid, each plus one. */
static uint64_t sum_of_indices(const struct sharers *s)
{
    uint64_t of_warps = s->count * s->first + s->count * (s->count - (s->count > 0)) / 2;
    uint64_t of_lanes = s->lanes * (s->k * s->lanes + 1) + s->lanes * (s->lanes - 1) / 2;
    return s->lanes * 32 * of_warps + s->count * of_lanes;
}

/* The bits of the sum of the sharers' numbers: number_of in the device code. */
static uint64_t sum_of_numbers(const struct point *point, const struct sharers *s)
{
    static const uint64_t most[] = {[F32] = 1 << 22, [F64] = UINT64_MAX, [F16X2] = 2048, [BF16X2] = 256};
    enum type type = (enum type)point->value[TYPE];
    uint64_t adding = is_whole(point) || s->count <= most[type] / s->lanes ? s->count : most[type] / s->lanes;
    uint64_t of_warp = 0, bits = 0;
    if (is_whole(point))
        return sum_of_indices(s) * (type == U64 ? 0x100000001 : 1);
    for (uint64_t j = 0; j < s->lanes; j++)
        of_warp += type == F32 || type == F64 ? (s->k * s->lanes + j) % 4 + 1 : 1;
    double sum = (double)(of_warp * adding);
    if (type == F32 || type == F64) {
        dtype_store(type == F32 ? DTYPE_F32 : DTYPE_F64, &bits, sum);
    } else {
        uint16_t half[2] = {0, 0};
        dtype_store(type == F16X2 ? DTYPE_F16 : DTYPE_BF16, &half[0], sum);
        dtype_store(type == F16X2 ? DTYPE_F16 : DTYPE_BF16, &half[1], -sum);
        bits = half[0] | (uint64_t)half[1] << 16;
    }
    return bits;
}

/* What all threads put in: chained, their number once, and otherwise once an operation. Blocks from `turn` on
 * have one round less. */
static uint64_t sum_put_in(const struct point *point, const struct sharers *s, uint64_t blocks)
{
    uint64_t turn = (uint64_t)point->value[ROUNDS] % blocks * ((uint64_t)point->value[BLOCK] / 32);
    struct sharers before = *s, after = *s;
    if (point->value[RESULT] == CHAINED)
        return sum_of_numbers(point, s);
    before.count = turn - s->first < s->count ? turn - s->first : s->count;
    if (turn <= s->first)
        before.count = 0;
    after.first += before.count;
    after.count -= before.count;
    return UNROLL * (rounds_of(point, 0, blocks) * sum_of_numbers(point, &before) +
                     rounds_of(point, blocks - 1, blocks) * sum_of_numbers(point, &after));
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint64_t blocks = inputs->setup->grid[0], own = own_of(point), size = size_of(point);
    struct sharing sharing = sharing_of(point, blocks);
    (void)buffer;
    for (uint64_t i = first; i < first + count; i++) {
        uint64_t block = i / own / sharing.groups, group = i / own % sharing.groups; /* block: shared only */
        uint64_t begin = group * sharing.group, left = sharing.warps - begin, bits;
        struct sharers s = {.first = begin + block * sharing.warps,
                            .count = left < sharing.group ? left : sharing.group,
                            .k = i % own,
                            .lanes = (uint64_t)point->value[LANES]};
        if (point->value[VARIANT] == MAX) /* of the last thread */
            bits = ((s.first + s.count - 1) * 32 + (s.k + 1) * s.lanes) *
                   (point->value[TYPE] == U64 ? 0x100000001 : 1);
        else if (point->value[VARIANT] == EXCHANGE)
            bits = sum_put_in(point, &s, blocks);
        else
            bits = sum_of_numbers(point, &s);
        memcpy((char *)out + size * (i - first), &bits, size);
    }
}

/* ---- accesses of a warp, in order. Which warp of a group finishes last is not known before the run: the
 * last one stands for it, and the sums are the same. ---- */

enum { PROGRAM_MAX = 10 };

/* A warp, its group, and its accesses. */
struct program {
    const struct point *point;
    uint64_t group, member, members; /* as in the device code */
    uint64_t first_out;              /* elements of `out` */
    struct access access[PROGRAM_MAX];
    uint32_t count;
};

static struct access *add(struct program *p, enum access_space space, int buffer, uint32_t width)
{
    struct access *a = &p->access[p->count++];
    *a = (struct access){.space = space, .buffer = buffer, .width = width, .active = UINT32_MAX, .times = 1};
    return a;
}

/* Lane l accesses element first + l / lanes, `step` bytes apart. */
static void place_lanes(struct access *a, uint64_t first, uint64_t step, uint64_t lanes)
{
    for (uint64_t lane = 0; lane < 32; lane++)
        a->address[lane] = (first + lane / lanes) * step;
}

/* One lane for each of the warp's addresses. */
static struct access *add_own(struct program *p, enum access_space space, int buffer, uint32_t width,
                              uint64_t first, uint64_t step)
{
    struct access *a = add(p, space, buffer, width);
    access_evenly(a, first * step, step, own_of(p->point));
    return a;
}

static enum access_space space_of(const struct point *point)
{
    return point->value[PLACE] == SHARED ? ACCESS_SHARED : ACCESS_GLOBAL;
}

/* The value of each of the warp's addresses: loaded or stored. */
static void add_cells(struct program *p, bool store)
{
    add_own(p, space_of(p->point), CELLS, (uint32_t)size_of(p->point), p->group * own_of(p->point),
            (uint64_t)p->point->value[STEP])
        ->store = store;
}

static void add_operations(struct program *p, uint64_t rounds)
{
    const int64_t *value = p->point->value;
    bool plain = value[VARIANT] == PLAIN, first = value[VARIANT] != MAX && value[VARIANT] != EXCHANGE;
    for (int i = 0; i <= plain; i++) {
        struct access *a = add(p, space_of(p->point), CELLS, (uint32_t)size_of(p->point));
        place_lanes(a, p->group * own_of(p->point), (uint64_t)value[STEP], (uint64_t)value[LANES]);
        a->times = rounds * UNROLL + first;
        a->atomic = !plain;
        a->store = plain ? i : value[RESULT] == UNUSED;
    }
}

static void add_finish(struct program *p)
{
    bool exchange = p->point->value[VARIANT] == EXCHANGE;
    add_cells(p, false);
    for (int store = 0; store < 2 && exchange; store++)
        add_own(p, ACCESS_GLOBAL, HELD, 8, p->first_out, 8)->store = store;
    add_own(p, ACCESS_GLOBAL, OUT, (uint32_t)size_of(p->point), p->first_out, size_of(p->point))->store =
        true;
    add_cells(p, true);
}

static void add_ticket(struct program *p)
{
    struct access *a = add(p, ACCESS_GLOBAL, TICKETS, 4);
    a->active = 1;
    a->address[0] = 4 * p->group;
    a->atomic = true;
}

/* The first thread looks for a line. It is taken for the first one: all are alike. */
static void add_choice(struct program *p)
{
    struct access *a = add(p, ACCESS_GLOBAL, CELLS, 8);
    a->active = 1;
    a->atomic = true;
    a->times = HOME_LINES * PROBE_TRIES;
}

/* The first thread's readings of its clock. */
static void add_readings(struct program *p, uint64_t times)
{
    struct access *a = add(p, ACCESS_GLOBAL, CYCLES, 4);
    a->active = 1;
    a->store = true;
    a->times = times;
}

static void write_program(struct program *p, const struct setup *s, uint64_t warp)
{
    uint64_t blocks = s->grid[0], each = s->block[0] / 32, block = warp / each;
    bool shared = p->point->value[PLACE] == SHARED;
    struct sharing sharing = sharing_of(p->point, blocks);
    uint64_t number = shared ? warp % each : warp, begin = number / sharing.group * sharing.group;
    p->group = number / sharing.group;
    p->member = number - begin;
    p->members = sharing.warps - begin < sharing.group ? sharing.warps - begin : sharing.group;
    p->first_out = ((shared ? block * sharing.groups : 0) + p->group) * own_of(p->point);
    if (shared && p->member == 0)
        add_cells(p, true);
    if (p->point->value[HOME] != HOME_ANY)
        add_choice(p);
    add_operations(p, rounds_of(p->point, block, blocks));
    if (warp == 0 && p->point->value[RESULT] == CHAINED)
        add_readings(p, timed_of(p->point, blocks));
    if (p->point->value[VARIANT] == EXCHANGE) {
        struct access *a = add(p, ACCESS_GLOBAL, HELD, 8);
        place_lanes(a, p->first_out, 8, (uint64_t)p->point->value[LANES]);
        a->atomic = a->store = true;
    }
    if (!shared && p->members > 1)
        add_ticket(p);
    if (shared ? p->member == 0 : p->member == p->members - 1)
        add_finish(p);
}

/* Operations that the hardware makes of a loop of compare-and-swap: how often it is gone through is not
 * known. */
static bool is_retried(const struct point *point, const struct setup *s)
{
    struct sharing sharing = sharing_of(point, s->grid[0]);
    if (point->value[VARIANT] == CAS)
        return point->value[LANES] > 1 || sharing.groups < sharing.warps;
    return point->value[PLACE] == SHARED && point->value[TYPE] != U32 && point->value[VARIANT] <= MAX;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct program program = {.point = point};
    if (warp >= (uint64_t)s->grid[0] * s->block[0] / 32 || is_retried(point, s))
        return false;
    write_program(&program, s, warp);
    if (index < program.count)
        *out = program.access[index];
    return index < program.count;
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    if (point->value[RESULT] == CHAINED)
        ring_observe_groups(data, (int)s->buffer[CYCLES].count, UNROLL, out);
}

const struct family family_atomics = {
    .space = {.kernel = "atomics", .axes = axes, .count = AXES},
    .summary = "atomic operations in shared memory and L2: rate and latency, by type and contention",
    .memory = MEMORY_NONE,
    .source = atomics_source,
    .claims = atomics_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* whole numbers that are exact in the type */
    .reference = reference,
    .access = access_of,
    .observe = observe,
};
