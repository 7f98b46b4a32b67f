/* host_run.h - one point on the host: its arrays, and its launches, which are runs of the C reference, of the family's call, or of an MPI
 * job. */
#pragma once

#include "core/device.h"
#include "worker/host/host_far.h"
#include "worker/mpi/mpi_job.h"
#include "worker/pool.h"
#include "worker/trial.h"

/* What the process holds while it lives. */
struct host {
    struct config config;
    struct device device;
    struct pool *pool;
    struct expectations
        *expectations;    /* references of equal data, and of the launch behind the last sample */
    unsigned char *flush; /* read through to empty the caches */
    uint64_t flush_bytes;
};

struct host_run {
    struct host *host;
    const struct family *family;
    const struct point *point;
    struct setup setup;
    enum cache_mode cache;
    uint64_t seed;        /* of the inputs */
    unsigned char *pages; /* `sets` times `set_bytes`; owned unless borrowed; NULL if an MPI job has all */
    /* The same of the point's other devices, which are other ranks', or of all devices in an MPI job; owned unless borrowed. */
    struct host_far far[DEVICES_MAX];
    bool borrowed; /* all pages are those of the other point of a pair */
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    uint32_t sets, next;    /* sets the samples walk over; the one that is next */
    struct host_run *other; /* of a pair: both walk over the same sets */
    struct call call;       /* open if `calls` */
    bool calls;             /* launches run the family's call */
    struct mpi_job *job;    /* of ENGINE_MPI; owned */
    bool failed;            /* a call or the job has; call.reason says why */
};

/* Lay out the buffers of one set, and as many sets as the cache mode asks for; fill the inputs, poison the
 * outputs. Refuses the point when memory is short. */
void host_run_place(struct host_run *run, struct trial *trial);
/* Before the launch behind the last sample: outputs of the first set, which is the next, are poisoned, and what a launch changes in place
 * is as it was. Inputs are left alone: a launch that has changed them has a wrong output now. */
void host_run_poison(struct host_run *run);
void host_run_release(struct host_run *run);

void *host_run_buffer(const struct host_run *run, uint32_t set, int buffer);

/* The inputs of one set, in memory, for the reference. */
struct inputs host_run_inputs(const struct host_run *run, uint32_t set);

/* Prepare the launches of a point that is placed; fails the point if its call cannot be opened. */
void host_run_open(struct host_run *run, struct trial *trial);

/* One launch, on the next set. A call that fails sets `failed`, and is not called again. */
void host_run_launch(struct host_run *run);

/* The same of so many launches, one after another. Returns the seconds that they took, by the clock of whoever ran them. */
double host_run_launches(struct host_run *run, uint32_t launches);

/* The other sets of a rotation hold what the first does. */
void host_run_copy_sets(const struct host_run *run);

/* Let the second point of a pair use the buffers of the first, which are equal, and walk over its sets. The first is released
 * before the second, or after it. */
void host_run_share(struct host_run *first, struct host_run *second);

/* Empty the caches of what the point touches. */
void host_run_flush(const struct host_run *run);
