#include "family/access/model.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "family/access/access.h"
#include "family/rules.h"

enum {
    CAPABILITY_ASSUMED = 90,     /* if the device is unknown */
    L2_ASSUMED = 50 * (1 << 20), /* bytes */
};

static double over(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static double atomics_in(const struct tally *t, enum access_space space)
{
    return t->atomics[space][0] + t->atomics[space][1];
}

static void predict_atomics(const struct tally *t, struct prediction *p)
{
    if (atomics_in(t, ACCESS_GLOBAL) > 0) {
        p->atomic_requests = t->atomics[ACCESS_GLOBAL][0];
        p->atomic_sectors = t->atomic_sectors[0];
        p->reduction_requests = t->atomics[ACCESS_GLOBAL][1];
        p->reduction_sectors = t->atomic_sectors[1];
    }
    if (atomics_in(t, ACCESS_SHARED) > 0)
        p->shared_atomic_requests = atomics_in(t, ACCESS_SHARED);
}

static void predict_cluster(const struct tally *t, struct prediction *p)
{
    if (!(t->to_cluster > 0) || t->random > 0)
        return;
    p->cluster_load_requests = t->cluster_requests[0];
    p->cluster_load_sectors = t->cluster_sectors[0];
    p->cluster_store_requests = t->cluster_requests[1];
    p->cluster_store_sectors = t->cluster_sectors[1];
}

static void predict_counts(const struct tally *t, struct prediction *p)
{
    const double *global = t->requests[ACCESS_GLOBAL], *shared = t->requests[ACCESS_SHARED];
    p->load_requests = global[0];
    p->load_sectors = t->sectors[0];
    p->load_sectors_per_request = over(t->sectors[0], global[0]);
    p->load_efficiency = 100 * over(t->bytes[0], SECTOR_BYTES * t->sectors[0]);
    p->store_requests = global[1];
    p->store_sectors = t->sectors[1];
    p->store_sectors_per_request = over(t->sectors[1], global[1]);
    p->store_efficiency = 100 * over(t->bytes[1], SECTOR_BYTES * t->sectors[1]);
    predict_atomics(t, p);
    if (!(shared[0] + shared[1] > 0))
        return;
    p->shared_load_requests = shared[0];
    p->shared_load_wavefronts = t->wavefronts[0];
    p->shared_load_wavefronts_per_request = over(t->wavefronts[0], shared[0]);
    p->shared_load_conflicts = t->conflicts[0];
    p->shared_store_requests = shared[1];
    p->shared_store_wavefronts = t->wavefronts[1];
    p->shared_store_wavefronts_per_request = over(t->wavefronts[1], shared[1]);
    p->shared_store_conflicts = t->conflicts[1];
}

static int capability_of(const struct point *point, const struct target *target)
{
    int compiled = arch_capability((arch)point_value(point, "arch", ARCH_NATIVE));
    if (compiled)
        return compiled;
    return target->capability ? target->capability : CAPABILITY_ASSUMED;
}

/* Bytes that the qualifier of a point's loads asks L2 to fetch (AXIS_HINT); 0: none. */
static uint32_t hinted_fetch(const struct point *point)
{
    static const char fetch[] = "fetch_";
    int axis = space_axis(point->space, "hint");
    if (axis < 0 || point->space->axes[axis].words != cache_hint_words)
        return 0;
    const char *word = cache_hint_words[point->value[axis]];
    return strncmp(word, fetch, strlen(fetch)) == 0 ? (uint32_t)strtoul(word + strlen(fetch), NULL, 10) : 0;
}

/* Bytes that a miss fetches: the larger one of the limit and the qualifier, as counted on an H100. */
static uint32_t granule_of(const struct launch *launch)
{
    uint32_t limit = launch->setup->l2.fetch ? launch->setup->l2.fetch : GRANULE_BYTES;
    uint32_t hinted = hinted_fetch(launch->point);
    return hinted > limit ? hinted : limit;
}

/* Do whole fetches come? Those of up to a line do. Of two lines of which one is asked for, an H100 was
 * counted to fetch 7.66 sectors of 8 on average: known only where both lines are asked for. */
static bool fetches_whole(struct launch *launch, const struct footprint *footprint)
{
    bool whole = true;
    if (footprint_granule(footprint) <= LINE_BYTES)
        return true;
    struct footprint *lines = footprint_new(LINE_BYTES);
    launch_watch(launch, lines);
    for (int b = 0; b < launch->setup->buffers; b++) {
        double share = footprint_part(footprint, b, false).share;
        whole &= isnan(share) || share <= 1.01 * footprint_part(lines, b, false).share;
    }
    footprint_free(lines);
    return whole;
}

static bool predict(struct launch *launch, const struct target *target, double dirty, struct prediction *p)
{
    const struct tally t = launch_tally(launch);
    predict_cluster(&t, p);
    if (!(t.requests[0][0] + t.requests[0][1] + t.requests[1][0] + t.requests[1][1] > 0))
        return false;
    p->l1_wavefronts = t.l1_wavefronts + (t.random > 0 ? t.wavefronts[0] + t.wavefronts[1] : 0);
    if (t.random > 0)
        return false;
    predict_counts(&t, p);
    p->rounds =
        t.requests[ACCESS_SHARED][1] > 0 ? t.rounds / ((double)launch->blocks * (double)launch->warps) : 1;
    p->turns = 1 + t.turns / ((double)launch->blocks * (double)launch->warps);
    p->stored_lines = over(t.stored_lines, t.requests[ACCESS_GLOBAL][1]);
    /* L2 fetches and keeps what atomics change: not modelled. */
    if (point_value(launch->point, "cache", CACHE_COLD) == CACHE_HOT || atomics_in(&t, ACCESS_GLOBAL) > 0)
        return true;
    struct footprint *footprint = footprint_new(granule_of(launch));
    launch_watch(launch, footprint);
    if (!fetches_whole(launch, footprint)) {
        footprint_free(footprint);
        return true;
    }
    struct setup own = *launch->setup; /* buffers of another device are not in this one's DRAM either */
    bool several = family_devices(launch->point).count > 1;
    for (int b = 0; b < own.buffers; b++)
        own.buffer[b].on_host |= own.buffer[b].device && several;
    struct dram_launch dram = {.setup = &own,
                               .work = launch->family->work(launch->point),
                               .all = &t,
                               .footprint = footprint,
                               .l2 =
                                   target->l2_bytes && !target->host ? (double)target->l2_bytes : L2_ASSUMED,
                               .dirty = dirty};
    dram_traffic_predict(&dram, p);
    footprint_free(footprint);
    return true;
}

bool model_predict(const struct point *point, const struct setup *setup, const struct target *target,
                   double dirty, struct prediction *prediction)
{
    for (size_t i = 0; i < sizeof *prediction / sizeof(double); i++)
        ((double *)prediction)[i] = NAN;
    if (setup->engine != ENGINE_KERNEL || !family_of(point)->access)
        return false;
    struct launch launch = launch_of(point, setup, capability_of(point, target));
    return predict(&launch, target, dirty, prediction);
}

bool model_is_complete(const struct setup *setup)
{
    bool texture = false;
    for (int i = 0; i < setup->arguments; i++)
        texture |=
            setup->argument[i].kind == ARGUMENT_TEXTURE || setup->argument[i].kind == ARGUMENT_TEXTURE_2D;
    return !texture && !setup->constant;
}
