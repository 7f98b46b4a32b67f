/* host_far.h - memory of another rank's worker, in place of another device's: shared memory, which that rank has allocated. */
#pragma once

#include "worker/handover/handover.h"

/* What this process hands over. */
extern const struct handover_source host_handover;

struct host_far {
    struct handover_peer *peer; /* NULL: none */
    unsigned char *pages;
    uint64_t bytes;
};

/* Get `bytes` bytes of a rank's memory, as handover_connect does. 0, or -1 with the reason. */
int host_far_open(struct host_far *far, const char *run, int local_rank, uint64_t bytes, double patience,
                  char *reason, size_t size);

void host_far_close(struct host_far *far); /* also if there is none */
