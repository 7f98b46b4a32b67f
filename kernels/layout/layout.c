/* layout - array of structures, structure of arrays, and array of structures of arrays. Device code:
 * layout.cu.
 *
 * `size`: bytes of all records together. There are size / (fields * element) records. */
#include "family/rules.h"

#include <stdio.h>
#include <stdlib.h>

extern const char layout_source[], layout_claims[];

static const char *const variants[] = {"aos", "soa", "aosoa", NULL};
enum variant { AOS, SOA, AOSOA };

#define RECORDS_STANDARD "32"

/* Elements between the arrays of two fields. Each array starts on a new line, as a separate allocation
 * would. */
#define PITCH_MULTIPLE 128

enum { VARIANT, SIZE, DTYPE, FIELDS, READ, VECTOR, RECORDS, BLOCK, ITEMS, CARVEOUT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "aos"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [FIELDS] = AXIS_NUMBER("fields", "fields", "fields of a record", "4", 1, 16, true),
    [READ] = AXIS_NUMBER("read", "fields", "how many fields of each record are read", "1", 1, 16, true),
    [VECTOR] = AXIS_VECTOR("1"),
    [RECORDS] =
        AXIS_NUMBER("records", "records", "records of a group (aosoa)", RECORDS_STANDARD, 1, 1024, true),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("1"),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t element_size(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

static uint64_t record_size(const struct point *point)
{
    return (uint64_t)point->value[FIELDS] * element_size(point);
}

static uint64_t records_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / record_size(point);
}

static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS]);
}

static uint64_t blocks_of(const struct point *point)
{
    return (records_of(point) + tile_of(point) - 1) / tile_of(point);
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Where field f of record r lies: r / group * group_step + r % group * record_step + f * field_step, in
 * elements. All three layouts are this one. */
struct order {
    uint64_t group, group_step, record_step, field_step, elements;
};
static struct order order_of(const struct point *point)
{
    uint64_t n = records_of(point), fields = (uint64_t)point->value[FIELDS];
    uint64_t group = (uint64_t)point->value[RECORDS], pitch = round_up(n, PITCH_MULTIPLE);
    switch ((enum variant)point->value[VARIANT]) {
    case AOS:
        return (struct order){1, fields, 0, 1, n * fields};
    case SOA:
        return (struct order){pitch, 0, 1, pitch, pitch * fields};
    case AOSOA:
        break;
    }
    return (struct order){group, group * fields, 1, group, round_up(n, group) * fields};
}

static uint64_t place(const struct order *order, uint64_t record, uint64_t field)
{
    return record / order->group * order->group_step + record % order->group * order->record_step +
           field * order->field_step;
}

static const char *skip_vector(const struct point *point, char *reason, size_t size)
{
    int vector = (int)point->value[VECTOR];
    if (vector == 1)
        return NULL;
    if (point->value[VARIANT] != AOS)
        snprintf(reason, size, "vector is for aos, where the fields of a record are neighbours");
    else if (rules_vector(vector, (enum dtype)point->value[DTYPE], reason, size))
        return reason;
    else if (point->value[FIELDS] % vector)
        snprintf(reason, size, "records of %d fields misalign accesses of %d", (int)point->value[FIELDS],
                 vector);
    else if (point->value[READ] % vector)
        snprintf(reason, size, "%d fields are no whole number of accesses of %d", (int)point->value[READ],
                 vector);
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    int64_t group = point->value[RECORDS], dtype = point->value[DTYPE];
    if (dtype == DTYPE_U8 || dtype == DTYPE_I64)
        snprintf(reason, size, "layout adds fields of i32 and of floating-point types, not %s",
                 dtype_words[dtype]);
    else if (point->value[READ] > point->value[FIELDS])
        snprintf(reason, size, "records of %d fields have no %d to read", (int)point->value[FIELDS],
                 (int)point->value[READ]);
    else if ((uint64_t)point->value[SIZE] % record_size(point))
        snprintf(reason, size, "%lld bytes are no whole number of records of %d %s fields",
                 (long long)point->value[SIZE], (int)point->value[FIELDS], dtype_words[dtype]);
    else if (point->value[VARIANT] != AOSOA && group != atoi(RECORDS_STANDARD))
        snprintf(reason, size, "%s has no groups; aosoa has", variants[point->value[VARIANT]]);
    else if (group & (group - 1))
        snprintf(reason, size, "a group of %d records is no power of two", (int)group);
    else if (rules_grid(blocks_of(point), reason, size))
        return reason;
    else
        return skip_vector(point, reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    struct order order = order_of(point);
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "layout",
        .buffer = {buffer_input("in", dtype, order.elements, random),
                   buffer_output("out", dtype, records_of(point))},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U64, records_of(point)},
                     {ARGUMENT_U64, order.field_step}},
        .arguments = 4,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = rules_carveout(point->value[CARVEOUT]),
    };
}

/* Only the fields that are read count, not the bytes that are transferred with them. */
static struct work work(const struct point *point)
{
    uint64_t n = records_of(point), read = (uint64_t)point->value[READ];
    return (struct work){.bytes_read = n * read * element_size(point),
                         .bytes_written = n * element_size(point),
                         .flops = point->value[DTYPE] == DTYPE_I32 ? 0 : n * (read - 1)};
}

/* The reference adds in the kernel's order and precision: f64 in double, i32 modulo 2^32, all others in
 * float, rounded once at the end. There is no product to fuse. */
static void sum_record(const struct point *point, const struct inputs *inputs, const struct order *order,
                       uint64_t record, void *out)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t read = (uint64_t)point->value[READ];
    if (dtype == DTYPE_I32) {
        uint32_t total = 0, field = 0;
        for (uint64_t f = 0; f < read; f++) {
            inputs_load(inputs, 0, place(order, record, f), &field);
            total += field;
        }
        memcpy(out, &total, sizeof total);
    } else if (dtype == DTYPE_F64) {
        double total = inputs_real(inputs, 0, place(order, record, 0));
        for (uint64_t f = 1; f < read; f++)
            total += inputs_real(inputs, 0, place(order, record, f));
        memcpy(out, &total, sizeof total);
    } else {
        float total = (float)inputs_real(inputs, 0, place(order, record, 0));
        for (uint64_t f = 1; f < read; f++)
            total += (float)inputs_real(inputs, 0, place(order, record, f));
        dtype_store(dtype, out, (double)total);
    }
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t size = element_size(point);
    struct order order = order_of(point);
    for (uint64_t i = 0; i < count; i++)
        sum_record(point, inputs, &order, first + i, (char *)out + i * size);
}

/* Of a thread: which record of its items, and which access to it; access `loads` is the store. */
struct step {
    uint64_t item;
    uint32_t access;
};
static struct step step_of(uint32_t index, uint32_t loads, uint32_t items, bool whole)
{
    if (!whole) /* the last block goes record by record */
        return (struct step){index / (loads + 1), index % (loads + 1)};
    if (index < loads * items)
        return (struct step){index / loads, index % loads};
    return (struct step){index - loads * items, loads};
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t block = s->block[0], items = (uint32_t)point->value[ITEMS],
             vector = (uint32_t)point->value[VECTOR];
    uint32_t lane0 = (uint32_t)(warp % ((block + 31) / 32)) * 32;
    uint32_t loads = (uint32_t)point->value[READ] / vector;
    uint64_t start = warp / ((block + 31) / 32) * tile_of(point), n = records_of(point);
    if (start >= n)
        return false;
    bool whole = n - start >= tile_of(point);
    if (whole && index >= (loads + 1) * items)
        return false;
    struct step step = step_of(index, loads, items, whole);
    bool store = step.access == loads;
    struct order order = order_of(point);
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = store,
                           .buffer = store,
                           .width = (uint32_t)((store ? 1 : vector) * element_size(point)),
                           .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t record = start + step.item * block + lane0 + lane;
        if (record >= n)
            continue;
        out->active |= 1u << lane;
        out->address[lane] =
            (store ? record : place(&order, record, (uint64_t)step.access * vector)) * element_size(point);
    }
    return out->active != 0;
}

const struct family family_layout = {
    .space = {.kernel = "layout", .axes = axes, .count = AXES},
    .summary = "sum fields of records: array of structures against structure of arrays",
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(FIELDS) |
                 FAMILY_AXIS(READ) | FAMILY_AXIS(RECORDS),
    .source = layout_source,
    .claims = layout_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
