/* host_memory.h - the node's memory, and what the control groups of this process leave of it. */
#pragma once

#include <stdint.h>

struct host_memory {
    int64_t limit;      /* bytes: the lowest of the groups; -1: none */
    int64_t total;      /* bytes of the node, or the limit; -1: unknown */
    uint64_t available; /* bytes that this process could still allocate: what the kernel says is available,
                           and what the limits leave beside what is in use; UINT64_MAX: unknown */
    int64_t kills;      /* processes of this one's group that were killed for lack of memory; -1: unknown */
};

/* `root` comes before /proc and /sys: "" but in tests. */
struct host_memory host_memory_read(const char *root);
