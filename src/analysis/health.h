/* health.h - whether a device is as it should be: its times, by the part of the machine that they depend on, against runs of
 * devices of the product that are known to be good, and what its driver says of it. */
#pragma once

#include "base/text.h"
#include "statistics/verdict.h"
#include "store/store.h"

/* Parts of a machine: X(name, least, description). A point belongs to the part of its roof; latencies to that of their level. Points
 * of less than HEALTH_SHORT seconds that are bound by DRAM depend on launches. `least`: smaller differences are of good devices, too.
 * Eight H200s and three H100s differ by up to 0.1 % in DRAM, 0.6 % in L2 and arithmetic, 2 % in links, 5 % in latencies. */
#define HEALTH_SHORT 1e-5
#define HEALTH_PARTS(X)                                                                                      \
    X(arithmetic, 0.01, "arithmetic")                                                                        \
    X(shared, 0.01, "shared memory")                                                                         \
    X(latency_sm, 0.03, "latency of shared memory and L1")                                                   \
    X(l2, 0.01, "L2")                                                                                        \
    X(latency_l2, 0.1, "latency of L2")                                                                      \
    X(dram, 0.01, "DRAM")                                                                                    \
    X(latency_dram, 0.1, "latency of DRAM")                                                                  \
    X(short_kernels, 0.02, "kernels of less than 10 us")                                                     \
    X(link_h2d, 0.05, "host to device")                                                                      \
    X(link_d2h, 0.05, "device to host")                                                                      \
    X(link_peer, 0.05, "links between devices")                                                              \
    X(other, 0.01, "points without a roof")

enum health_part {
#define X(name, least, description) HEALTH_##name,
    HEALTH_PARTS(X)
#undef X
        HEALTH_PART_COUNT
};
extern const struct health_part_info {
    double least;
    const char *description;
} health_parts[HEALTH_PART_COUNT];

/* The time of a part's points over that of the reference which is nearest to it: a part is slow if it is slower than in every
 * reference, because good devices of one product differ, too. */
struct health_times {
    size_t points; /* that the device and the reference have measured; 0: none, and the rest is NaN */
    struct verdict_ratio ratio; /* the device's time over the reference's */
    double clock;    /* the device's SM clock over the reference's, mean over these points; NaN: unknown */
    double clock_hz; /* the device's */
};

/* A property of /devices that no reference has. */
struct health_fact {
    const char *column;
    bool judged;              /* false: the references do not have it, as single devices have no links */
    bool fault;               /* of the hardware's state, rather than another release of driver or firmware */
    char here[96], there[96]; /* for people; there: the first reference's */
};

enum { HEALTH_FACTS_MAX = 24 };

/* One device. Plain data. */
struct health {
    size_t device;     /* row of /devices */
    size_t references; /* devices of the product in the reference files */
    struct health_times part[HEALTH_PART_COUNT];
    struct health_fact fact[HEALTH_FACTS_MAX];
    size_t facts;
    uint64_t throttle; /* NVML's reasons at any of its points */
    size_t failed;     /* its points that failed, crashed or timed out */
};

/* Judge each device of `file` that measured a point. `references`: `count` files; devices of other products are ignored. `threshold`:
 * the difference that matters, as 0.01. Returns the devices, *devices of them; the caller frees. */
struct health *health_of(const struct dataset *file, const struct dataset *references, size_t count,
                         double threshold, size_t *devices);

/* The verdict for a part: slower than every reference by more than the threshold, or the part's least difference if that is more, with an
 * error rate of one in a thousand. */
bool health_is_slow(const struct health *health, enum health_part part);

/* Whether anything is wrong: a slow part, a fact that is a fault, a failed point. */
bool health_is_wrong(const struct health *health);

/* Add the likely cause of a slow part, as a phrase, from the other parts and the facts. */
void health_cause(const struct health *health, enum health_part part, struct text *out);
