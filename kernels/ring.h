/* ring.h - the ring that a latency kernel chases through, and its percentiles, for the families latency,
 * peer_latency and atomics; and the tour of pages and l2_topology.
 *
 * A ring of size / hop slots. Slot i holds the byte offset of slot (a * i + c) mod n, a linear congruential
 * generator of full period by Hull & Dobell's theorem (n a power of two, c odd, a = 1 mod 4): the chase
 * visits every slot once a lap. */
#pragma once

#include <string.h>

#include "family/family.h"
#include "statistics/summary.h"

#define RING_GROUPS     1024              /* readings of the clock: GROUPS of the device code */
#define RING_MULTIPLIER UINT64_C(1664525) /* Knuth's and Lewis's, of Numerical Recipes; 1 mod 4 */
#define RING_INCREMENT  UINT64_C(1013904223)

static inline bool ring_is_power_of_two(uint64_t value)
{
    return (value & (value - 1)) == 0;
}

/* Slot i names slot (a * i + c) mod n, so its offset is (a * hop * i + c * hop) mod size; word e is slot e /
 * spacing. */
static inline struct fill ring_fill(uint64_t size, uint64_t hop, uint64_t spacing)
{
    return (struct fill){.kind = FILL_INDEX,
                         .multiplier = RING_MULTIPLIER * (hop / spacing),
                         .addend = RING_INCREMENT * hop,
                         .modulus = size};
}

/* Where `hops` hops from slot 0 end, by the ring itself, which is input `buffer`. */
static inline uint32_t ring_chase(const struct inputs *inputs, int buffer, uint64_t hops, uint64_t hop,
                                  uint64_t spacing)
{
    uint32_t at = 0;
    for (uint64_t i = 0; i < hops; i++)
        inputs_load(inputs, buffer, at / hop * spacing, &at);
    return at;
}

/* A tour of slots of any number: all of them once, in the order of a random permutation. Element p of the
 * input is slot number p. */
static inline struct fill ring_tour(uint64_t slots)
{
    return (struct fill){.kind = FILL_FEISTEL, .modulus = slots};
}

/* Percentiles over `groups` groups of `hops` hops, RING_GROUPS at most, in cycles per hop. `data`: numbers of
 * 32 bits. */
static inline void ring_observe_groups(const void *data, int groups, double hops, struct observation *out)
{
    double cycles[RING_GROUPS];
    for (int i = 0; i < groups; i++) {
        uint32_t group;
        memcpy(&group, (const char *)data + sizeof group * (size_t)i, sizeof group);
        cycles[i] = (double)group / hops;
    }
    quantile_sort(cycles, groups);
    out->latency_p05 = statistics_quantile(cycles, groups, 0.05);
    out->latency_p50 = statistics_quantile(cycles, groups, 0.50);
    out->latency_p95 = statistics_quantile(cycles, groups, 0.95);
}

static inline void ring_observe(const void *data, double hops, struct observation *out)
{
    ring_observe_groups(data, RING_GROUPS, hops, out);
}
