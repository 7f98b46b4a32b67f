/* fake_nccl.h - what the NCCL of the tests has seen. It is a synthetic library for tests alone: its
 * operations are loops over memory of the host, and nothing that it does says anything about NCCL's speed. */
#pragma once

#include <stdbool.h>

/* The test finds it by the name `fake_nccl` in the library that the family has loaded. */
struct fake_nccl {
    int made, destroyed, aborted; /* communicators */
    int groups;                   /* that have ended */
    int operations;               /* in them */
    bool wrong_stream; /* an operation was not on the stream of its device, which is its ordinal plus 1 */
    char algorithm[16], protocol[16], multicast[16]; /* the environment when communicators were made last */
};
