#include "family/access/access.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/key_set.h"
#include "base/memory.h"

enum { UNITS_MAX = 1 << 13 }; /* a footprint with so many units is full */

/* A unit is a granule that is loaded or a sector that is stored. 64 neighbours form a group, with one bit per
 * unit. */
#define GROUP_SHIFT 6
#define GROUP_MASK  63

struct part {
    double sectors, units; /* cost, and units fetched or written, both times the executions of the accesses */
    uint64_t distinct, at_half, whole;
    uint64_t joints; /* pairs of adjacent units: units - joints = runs */
};

/* By key. Valid until the next one is added. */
struct bits {
    uint64_t touched, whole; /* of a group: accessed units, wholly stored units */
};
struct table {
    struct keys keys;
    struct bits *bits; /* by the key's number, from 1 */
    size_t capacity;
};

struct footprint {
    struct part part[2][SETUP_BUFFERS_MAX];
    uint32_t granule;
    bool halfway;
    uint64_t units;
    struct table groups;
    struct table partial; /* sectors that a lane stored in part; the bits of `touched` are bytes */
};

/* The bits of a key, which is added if it is not there. */
static struct bits *find(struct table *table, uint64_t key)
{
    uint32_t *number = keys_number(&table->keys, key);
    if (!*number) {
        *number = (uint32_t)table->keys.count;
        table->bits = memory_grow(table->bits, *number, &table->capacity, sizeof *table->bits);
        table->bits[*number] = (struct bits){0, 0};
    }
    return &table->bits[*number];
}

static uint64_t touched_of(const struct table *table, uint64_t key)
{
    const uint32_t number = keys_find(&table->keys, key);
    return number ? table->bits[number].touched : 0;
}

static void table_free(struct table *table)
{
    keys_free(&table->keys);
    free(table->bits);
}

struct footprint *footprint_new(uint32_t granule)
{
    struct footprint *footprint = memory_new(1, sizeof *footprint);
    assert(granule >= SECTOR_BYTES && !(granule & (granule - 1)));
    footprint->granule = granule;
    return footprint;
}

uint32_t footprint_granule(const struct footprint *footprint)
{
    return footprint->granule;
}

void footprint_free(struct footprint *footprint)
{
    table_free(&footprint->groups);
    table_free(&footprint->partial);
    free(footprint);
}

bool footprint_full(const struct footprint *footprint)
{
    return footprint->units >= UNITS_MAX;
}

void footprint_halfway(struct footprint *footprint)
{
    footprint->halfway = true;
    for (int store = 0; store < 2; store++)
        for (int b = 0; b < SETUP_BUFFERS_MAX; b++)
            footprint->part[store][b].at_half = footprint->part[store][b].distinct;
}

/* The access that is being added. */
struct adding {
    struct footprint *footprint;
    struct part *part;
    uint64_t prefix; /* of the keys of its buffer */
    double times;
    uint64_t group, touched, whole; /* collected bits: neighbouring lanes mostly lie in one group */
};

static uint64_t pairs(uint64_t touched)
{
    return (uint64_t)__builtin_popcountll(touched & touched >> 1);
}

static void note(const struct adding *a)
{
    struct table *groups = &a->footprint->groups;
    uint64_t group = a->group;
    struct bits *slot = find(groups, a->prefix | group);
    uint64_t before = slot->touched, new = a->touched & ~before;
    if (a->whole & ~slot->whole)
        a->part->whole += (uint64_t)__builtin_popcountll(a->whole & ~slot->whole);
    slot->whole |= a->whole;
    if (!new)
        return;
    uint64_t count = (uint64_t)__builtin_popcountll(new);
    slot->touched |= new;
    a->footprint->units += count;
    a->part->distinct += count;
    a->part->units += (double)count * a->times;
    a->part->joints += pairs(before | new) - pairs(before);
    if (new & 1 && group)
        a->part->joints += touched_of(groups, (a->prefix | group) - 1) >> GROUP_MASK;
    if (new >> GROUP_MASK)
        a->part->joints += touched_of(groups, (a->prefix | group) + 1) & 1;
}

/* Add units [first, last]. */
static void add_units(struct adding *a, uint64_t first, uint64_t last, bool whole)
{
    for (uint64_t at = first, end; at <= last; at = end + 1) {
        end = at | GROUP_MASK;
        end = end < last ? end : last;
        uint64_t bits = UINT64_MAX >> (GROUP_MASK - (end - at)) << (at & GROUP_MASK);
        if (a->touched && a->group != at >> GROUP_SHIFT) {
            note(a);
            a->touched = a->whole = 0;
        }
        a->group = at >> GROUP_SHIFT;
        a->touched |= bits;
        a->whole |= whole ? bits : 0;
    }
}

/* Add stored bytes [first, end) of a sector. */
static void add_partial(struct adding *a, uint64_t sector, uint64_t first, uint64_t end)
{
    struct bits *slot = find(&a->footprint->partial, a->prefix | sector);
    slot->touched |= ((UINT64_C(1) << (end - first)) - 1) << first;
    add_units(a, sector, sector, slot->touched == UINT32_MAX);
}

/* Add stored bytes [first, end). */
static void add_stored(struct adding *a, uint64_t first, uint64_t end)
{
    uint64_t from = first / SECTOR_BYTES,
             to = end / SECTOR_BYTES; /* sector `to` is stored in part or not at all */
    uint64_t head = first % SECTOR_BYTES, tail = end % SECTOR_BYTES;
    if (from == to) {
        add_partial(a, from, head, tail);
        return;
    }
    if (head)
        add_partial(a, from++, head, SECTOR_BYTES);
    if (from < to)
        add_units(a, from, to - 1, true);
    if (tail)
        add_partial(a, to, 0, tail);
}

static void add_bytes(struct adding *a, bool store, uint64_t first, uint64_t end)
{
    if (store)
        add_stored(a, first, end);
    else
        add_units(a, first / a->footprint->granule, (end - 1) / a->footprint->granule, false);
}

void footprint_add(struct footprint *footprint, const struct access *access, double cost)
{
    if (footprint_full(footprint) || !access->active)
        return;
    struct adding adding = {.footprint = footprint,
                            .part = &footprint->part[access->store][access->buffer],
                            .prefix = (uint64_t)(2 * access->buffer + access->store) << 58,
                            .times = (double)access->times};
    adding.part->sectors += (double)access->times * cost;
    for (uint32_t rest = access->active; rest; rest &= rest - 1) {
        uint64_t first = access->address[__builtin_ctz(rest)];
        add_bytes(&adding, access->store, first, first + access->width);
    }
    note(&adding);
}

struct footprint_part footprint_part(const struct footprint *footprint, int buffer, bool store)
{
    const struct part *part = &footprint->part[store][buffer];
    double unit = store ? SECTOR_BYTES : footprint->granule;
    assert(part->joints < part->distinct || !part->distinct);
    assert(part->whole <= part->distinct);
    bool saturated = footprint->halfway && !footprint_full(footprint) && part->distinct == part->at_half;
    struct footprint_part result = {NAN, NAN, 0, NAN};
    if (!part->distinct)
        return result;
    result.share = part->units * unit / part->sectors;
    result.saturated = saturated ? (double)part->distinct * unit : NAN;
    result.run = unit * (double)part->distinct / (double)(part->distinct - part->joints);
    result.partial = store ? 1 - (double)part->whole / (double)part->distinct : 0;
    return result;
}
