#include "kernels/footprint.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "kernels/access_model.h"

enum { SLOTS = 1 << 14, KEYS_MOST = SLOTS / 2 };

struct part {
    double sectors, granules; /* with the times of their accesses */
    uint64_t distinct, at_half;
};

struct footprint {
    struct part part[2][SETUP_BUFFERS_MAX];
    bool halfway;
    int keys;
    uint64_t slot[SLOTS]; /* 1 + key; 0: empty */
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
    for (int i = 0; i < 2 * SETUP_BUFFERS_MAX; i++)
        (&footprint->part[0][0])[i].at_half = (&footprint->part[0][0])[i].distinct;
}

/* Whether it was not there yet. */
static bool insert(struct footprint *footprint, uint64_t key)
{
    uint64_t at = hash_mix(key) % SLOTS;
    while (footprint->slot[at] && footprint->slot[at] != key + 1)
        at = (at + 1) % SLOTS;
    if (footprint->slot[at])
        return false;
    footprint->slot[at] = key + 1;
    footprint->keys++;
    return true;
}

void footprint_add(struct footprint *footprint, const struct access *access, double cost)
{
    uint64_t sectors[ACCESS_SECTORS_MAX];
    if (footprint_full(footprint))
        return;
    struct part *part = &footprint->part[access->store][access->buffer];
    uint64_t prefix = (uint64_t)(2 * access->buffer + access->store) << 58;
    int count = access_model_sectors(access, sectors);
    part->sectors += (double)access->times * cost;
    for (int i = 0; i < count; i++) {
        if (!insert(footprint, prefix | sectors[i] / (GRANULE_BYTES / SECTOR_BYTES)))
            continue;
        part->distinct++;
        part->granules += (double)access->times;
    }
}

double footprint_share(const struct footprint *footprint, int buffer, bool store)
{
    const struct part *part = &footprint->part[store][buffer];
    return part->sectors > 0 ? part->granules / part->sectors : NAN;
}

double footprint_saturated(const struct footprint *footprint, int buffer, bool store)
{
    const struct part *part = &footprint->part[store][buffer];
    bool known = footprint->halfway && !footprint_full(footprint) && part->distinct == part->at_half;
    return known ? (double)part->distinct : NAN;
}
