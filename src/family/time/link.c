#include "family/time/link.h"

#include <math.h>

#include "core/profile.h"
#include "family/access/access_model.h"
#include "family/time/constants.h"

/* A packet of NVLink is flits of 16 bytes: a header, the data, and one of byte enables if some bytes are not written. A read is asked
 * for by a header alone (Foley and Danskin, Ultra-performance Pascal GPU and NVLink interconnect, IEEE Micro 37 (2), 2017). Packets
 * of multiprocessors carry the sectors that a request has in one line. Answers to writes are not modelled: they are much fewer. */
#define FLIT_BYTES 16

/* Bytes per cycle between a multiprocessor and the crossbar, in each direction. */
#define PORT_BYTES 64

double link_wire_share(double payload, double useful, bool pull, bool both_ways)
{
    bool partly = !pull && useful < payload;
    double flits = 1 + (partly ? 1 : 0) + (pull && both_ways ? 1 : 0);
    return (payload + FLIT_BYTES * flits) / useful;
}

static double cycles(const double *value, double count)
{
    return count / value[PROFILE_clock_max];
}

/* The wire, whose rate was measured with whole lines one way. L1 has the sectors of a load that the thread's next load asks for
 * again; stores are not merged. */
static double wire_seconds(const struct link_point *p, const double *value)
{
    const struct prediction *a = p->accesses;
    if (p->local) /* read and written there, by both halves of the launch */
        return p->bytes * (p->both_ways ? 4 : 2) / value[PROFILE_peak_l2_copy];
    double sectors = p->pull ? a->load_sectors_per_request : a->store_sectors_per_request;
    double payload = isnan(sectors) ? LINE_BYTES : fmin(LINE_BYTES, SECTOR_BYTES * sectors);
    double useful = isnan(sectors) || p->pull ? payload : payload * a->store_efficiency / 100;
    double rate = p->setup->engine != ENGINE_KERNEL ? value[PROFILE_link_copy]
                  : p->pull                         ? value[PROFILE_link_read]
                                                    : value[PROFILE_link_write];
    return p->bytes / rate * link_wire_share(payload, useful, p->pull, p->both_ways) /
           link_wire_share(LINE_BYTES, LINE_BYTES, p->pull, false);
}

/* What a block moves between two waits, and how often: in turns of its warps, or with all its tiles but the one that is being
 * stored in flight. */
struct rounds {
    double held, count; /* bytes */
};

static struct rounds rounds_of(const struct link_point *p)
{
    double blocks = p->setup->grid[0], stages = (double)point_value(p->point, "stages", 0);
    if (!isnan(p->accesses->turns))
        return (struct rounds){p->bytes / (blocks * p->accesses->turns), p->accesses->turns};
    if (!(stages > 1) || !p->setup->shared_dynamic)
        return (struct rounds){p->bytes / blocks, 1};
    double held = p->setup->shared_dynamic * (stages - 1) / stages;
    return (struct rounds){fmin(held, p->bytes / blocks), fmax(1, p->bytes / (blocks * held))};
}

/* A load's latency: in the other device's memory, or in this one's. */
static double load_cycles(const struct link_point *p, const double *value)
{
    if (p->pull && !p->local)
        return value[p->in_l2 ? PROFILE_link_latency : PROFILE_link_latency_dram];
    return value[p->in_l2 ? PROFILE_latency_l2 : PROFILE_latency_dram];
}

/* Little's law: a block moves what it holds once per round. The first round belongs to the first wave. */
static double flight_seconds(const struct link_point *p, const struct rounds *rounds, const double *value)
{
    double round = load_cycles(p, value) + ROUND_OVERHEAD + rounds->held / PORT_BYTES;
    return cycles(value, fmax(0, rounds->count - 1) * round);
}

/* As a small kernel that has its data nearer than one that pulls; and the loop around its accesses. Bulk copies end when what they
 * store is in L2, but do not wait for another device. */
static double wave_seconds(const struct link_point *p, const double *value)
{
    double warps = ceil(p->setup->block[0] / 32.0), l2 = value[PROFILE_latency_l2];
    double wave = WARP_START * fmax(0, warps - 8) + ROUND_OVERHEAD;
    if (p->pull && !p->local)
        wave += load_cycles(p, value) - l2;
    if (p->setup->shared_dynamic && (p->pull || p->local))
        wave += l2;
    return value[PROFILE_wave_hot] + cycles(value, wave);
}

/* The wire is a pipeline behind the blocks: the slower one sets the pace. The first bytes of a block go through its multiprocessor's
 * port twice, in and out. */
double link_seconds_of(const struct link_point *p, const double *value, double part[BOUND_COUNT])
{
    double wire = wire_seconds(p, value), flight = 0;
    double start = value[p->local ? PROFILE_copy_setup : PROFILE_link_setup];
    if (p->setup->engine == ENGINE_KERNEL) {
        struct rounds rounds = rounds_of(p);
        double port = cycles(value, 2 * rounds.held / PORT_BYTES);
        start = wave_seconds(p, value);
        flight = flight_seconds(p, &rounds, value);
        flight = flight < port ? port : flight;
    }
    if (p->both_ways)
        start += value[p->local                            ? PROFILE_link_fork
                       : p->setup->engine == ENGINE_KERNEL ? PROFILE_link_kernels
                                                           : PROFILE_link_pair];
    part[p->local ? BOUND_l2 : BOUND_peer] = wire;
    part[BOUND_latency] = flight;
    part[BOUND_launch] = start;
    return isnan(wire) || isnan(flight) ? NAN : start + fmax(wire, flight);
}
