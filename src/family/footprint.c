#include "family/footprint.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "family/access_model.h"

enum { SLOTS = 1 << 14, KEYS_MOST = SLOTS / 2 };

struct part {
    double sectors, units; /* cost, and what it fetches or writes, with the times of their accesses */
    uint64_t distinct, at_half, whole;
    uint64_t joints; /* pairs of neighbouring units: so many fewer runs than units there are */
};

struct slot {
    uint64_t key;   /* 1 + key; 0: empty */
    uint32_t bytes; /* of a stored sector: bit i is byte i */
};

struct footprint {
    struct part part[2][SETUP_BUFFERS_MAX];
    bool halfway;
    int keys;
    struct slot slot[SLOTS];
};

struct footprint *footprint_new(void)
{
    return memory_new(1, sizeof(struct footprint));
}

void footprint_free(struct footprint *footprint)
{
    free(footprint);
}

bool footprint_full(const struct footprint *footprint)
{
    return footprint->keys >= KEYS_MOST;
}

void footprint_halfway(struct footprint *footprint)
{
    footprint->halfway = true;
    for (int store = 0; store < 2; store++)
        for (int b = 0; b < SETUP_BUFFERS_MAX; b++)
            footprint->part[store][b].at_half = footprint->part[store][b].distinct;
}

static bool has(const struct footprint *footprint, uint64_t key)
{
    uint64_t at = hash_mix(key) % SLOTS;
    while (footprint->slot[at].key && footprint->slot[at].key != key + 1)
        at = (at + 1) % SLOTS;
    return footprint->slot[at].key != 0;
}

/* The slot of a key; new ones have no bytes. */
static struct slot *find(struct footprint *footprint, uint64_t key, bool *new)
{
    uint64_t at = hash_mix(key) % SLOTS;
    while (footprint->slot[at].key && footprint->slot[at].key != key + 1)
        at = (at + 1) % SLOTS;
    *new = !footprint->slot[at].key;
    footprint->slot[at].key = key + 1;
    footprint->keys += *new;
    return &footprint->slot[at];
}

void footprint_add(struct footprint *footprint, const struct access *access, double cost)
{
    uint64_t sectors[ACCESS_SECTORS_MAX];
    uint32_t bytes[ACCESS_SECTORS_MAX];
    if (footprint_full(footprint))
        return;
    struct part *part = &footprint->part[access->store][access->buffer];
    uint64_t prefix = (uint64_t)(2 * access->buffer + access->store) << 58;
    int count = access_model_sectors(access, sectors, bytes);
    part->sectors += (double)access->times * cost;
    for (int i = 0; i < count; i++) {
        bool new;
        uint64_t unit = access->store ? sectors[i] : sectors[i] / (GRANULE_BYTES / SECTOR_BYTES);
        struct slot *slot = find(footprint, prefix | unit, &new);
        part->distinct += new;
        if (new)
            part->joints +=
                has(footprint, (prefix | unit) + 1) + (unit && has(footprint, (prefix | unit) - 1));
        part->units += new ? (double)access->times : 0;
        part->whole += slot->bytes != UINT32_MAX && (slot->bytes | bytes[i]) == UINT32_MAX;
        slot->bytes |= bytes[i];
    }
}

struct footprint_part footprint_part(const struct footprint *footprint, int buffer, bool store)
{
    const struct part *part = &footprint->part[store][buffer];
    double unit = store ? SECTOR_BYTES : GRANULE_BYTES;
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
