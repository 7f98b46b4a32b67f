/* bound.h - the resources that can limit a point: the columns `bound` and `bound_second`. */
#pragma once

/* X(name, description). Files contain the name. */
#define BOUNDS(X)                                                                                            \
    X(none, "not predicted")                                                                                 \
    X(dram, "DRAM")                                                                                          \
    X(l2, "L2")                                                                                              \
    X(l1, "L1: requests")                                                                                    \
    X(shared, "shared memory: wavefronts")                                                                   \
    X(issue, "instructions issued")                                                                          \
    X(flop, "arithmetic")                                                                                    \
    X(latency, "latency: too little in flight")                                                              \
    X(launch, "launches of the kernel and its blocks")                                                       \
    X(tail, "multiprocessors without a block")                                                               \
    X(link, "host link")                                                                                     \
    X(peer, "link between devices")

enum bound {
#define X(name, words) BOUND_##name,
    BOUNDS(X)
#undef X
        BOUND_COUNT
};
extern const char *const bound_words[BOUND_COUNT + 1]; /* the names, NULL-terminated */

/* The description of a bound, for example "host link". */
const char *bound_name(enum bound bound);
