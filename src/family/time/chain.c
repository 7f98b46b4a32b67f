#include "family/time/chain.h"

#include <math.h>

#include "core/profile.h"

/* Two readings of the clock, each after the access before; cycles. */
#define GROUP_CYCLES 64

/* Looks at a flag until it is seen: it comes, on average, in the middle of one. */
#define LOOKS 1.5

/* Cycles of an access to a line that the other accesses have not fetched, or have. */
struct costs {
    double first, again;
};

/* In another device an atomic takes as long as a load, within 3 % (h200-links.h5), and so it does in DRAM: the operation itself
 * counts in this device's L2 only. */
static struct costs costs_of(const struct chain *chain, const struct chain_place *place, const double *value)
{
    enum profile_field l2 = !place->local                 ? PROFILE_link_latency
                            : chain->kind == CHAIN_ATOMIC ? PROFILE_latency_atomic
                                                          : PROFILE_latency_l2;
    enum profile_field dram = place->local ? PROFILE_latency_dram : PROFILE_link_latency_dram;
    struct costs costs = {value[place->cached ? l2 : dram], value[place->in_l2 ? l2 : dram]};
    if (chain->kind == CHAIN_LOAD_L1 && (double)chain->bytes <= value[PROFILE_shared_sm_bytes])
        costs.again = value[PROFILE_latency_l1];
    return costs;
}

/* One way to the other device, beyond the way to this one's L2: half of what a load takes longer there. */
static double one_way(const struct chain_place *place, const double *value)
{
    return place->local ? 0 : (value[PROFILE_link_latency] - value[PROFILE_latency_l2]) / 2;
}

/* A release is a fence before its store. The store is half of a round trip to L2 and the way to the other device; then the other
 * kernel, which looks at its own memory, sees it. Both do so once in a round trip. */
static double flag_cycles(const struct chain_place *place, const double *value)
{
    return 2 *
           (value[PROFILE_latency_fence] + (0.5 + LOOKS) * value[PROFILE_latency_l2] + one_way(place, value));
}

double chain_seconds_of(const struct chain *chain, const struct chain_place *place, const double *value,
                        double part[BOUND_COUNT])
{
    double count = (double)chain->count, cycles;
    if (chain->kind == CHAIN_FENCE) {
        cycles = count * (value[PROFILE_latency_fence] + one_way(place, value));
    } else if (chain->kind == CHAIN_FLAG) {
        cycles = count * flag_cycles(place, value);
    } else {
        struct costs costs = costs_of(chain, place, value);
        double first = fmin((double)chain->slots, count);
        cycles = first * costs.first + (count - first) * costs.again;
    }
    part[BOUND_latency] = (cycles + GROUP_CYCLES * (double)chain->groups) / value[PROFILE_clock_max];
    part[BOUND_launch] = value[PROFILE_wave_hot];
    return part[BOUND_latency] + part[BOUND_launch];
}
