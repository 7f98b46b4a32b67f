#include "family/access/access.h"

#include <assert.h>
#include <math.h>

enum {
    TALLY_REALS = sizeof(struct tally) / sizeof(double),
    TALLY_COMPARED = offsetof(struct tally, stored_lines) / sizeof(double),
};

/* Lines that L1 looks up per cycle. */
#define L1_LINES 3.0

struct portion portion_of(const struct access *access, int capability)
{
    struct access_cost cost = access_model_cost(access, capability);
    double times = (double)access->times;
    bool global = access->space == ACCESS_GLOBAL;
    struct portion p = {.rounds = global && !access->store && !access->atomic ? times : 0,
                        .turns = access->behind && cost.requests ? times : 0,
                        .random = access->random ? times : 0,
                        .to_cluster = access->space == ACCESS_CLUSTER};
    if (!cost.requests || !access->times)
        return p;
    assert(!global || (access->buffer >= 0 && access->buffer < SETUP_BUFFERS_MAX));
    p.space = access->space;
    p.store = access->store;
    p.atomic = access->atomic;
    p.requests = times * cost.requests;
    if (access->space == ACCESS_CLUSTER) {
        p.sectors = times * cost.sectors;
    } else if (global) {
        p.buffer = access->buffer;
        p.bytes = times * cost.bytes;
        p.sectors = times * cost.sectors;
        p.lines = times * cost.lines;
        p.l1_wavefronts = times * fmax(cost.wavefronts, access->store ? 0 : cost.lines / L1_LINES);
    } else {
        p.wavefronts = times * cost.wavefronts;
        p.conflicts = times * cost.conflicts;
    }
    return p;
}

bool portion_equal(const struct portion *a, const struct portion *b)
{
    return a->requests == b->requests && a->sectors == b->sectors && a->bytes == b->bytes &&
           a->wavefronts == b->wavefronts && a->conflicts == b->conflicts && a->turns == b->turns &&
           a->space == b->space && a->store == b->store && a->atomic == b->atomic && a->buffer == b->buffer;
}

void tally_add_portion(struct tally *sum, const struct portion *p, double times)
{
    sum->to_cluster += times * p->to_cluster;
    if (p->space == ACCESS_CLUSTER) {
        assert(!p->atomic);
        sum->cluster_requests[p->store] += times * p->requests;
        sum->cluster_sectors[p->store] += times * p->sectors;
        sum->random += times * p->random;
        return;
    }
    if (p->atomic) {
        sum->atomics[p->space][p->store] += times * p->requests;
        sum->atomic_sectors[p->store] += times * p->sectors;
        return;
    }
    sum->requests[p->space][p->store] += times * p->requests;
    sum->rounds += times * p->rounds;
    sum->turns += times * p->turns;
    sum->random += times * p->random;
    sum->l1_wavefronts += times * p->l1_wavefronts;
    if (p->space == ACCESS_GLOBAL) {
        sum->bytes[p->store] += times * p->bytes;
        sum->sectors[p->store] += times * p->sectors;
        sum->buffer_sectors[p->store][p->buffer] += times * p->sectors;
        sum->stored_lines += p->store ? times * p->lines : 0;
    } else {
        sum->wavefronts[p->store] += times * p->wavefronts;
        sum->conflicts[p->store] += times * p->conflicts;
    }
}

void tally_add(struct tally *sum, const struct tally *part, double times)
{
    double *to = (double *)sum;
    const double *from = (const double *)part;
    for (int i = 0; i < TALLY_REALS; i++)
        to[i] += times * from[i];
}

bool tally_equal(const struct tally *a, const struct tally *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    for (int i = 0; i < TALLY_COMPARED; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

#define DEFINE_PERIOD(type)                                                                                  \
    uint32_t type##_period(const struct type *sequence, uint32_t count)                                      \
    {                                                                                                        \
        for (uint32_t period = 1; period <= count / 2; period++) {                                           \
            uint32_t i = period;                                                                             \
            while (i < count && type##_equal(&sequence[i], &sequence[i - period]))                           \
                i++;                                                                                         \
            if (i == count)                                                                                  \
                return period;                                                                               \
        }                                                                                                    \
        return 0;                                                                                            \
    }
DEFINE_PERIOD(portion)
DEFINE_PERIOD(tally)
