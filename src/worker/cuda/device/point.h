/* point.h - a point on the device: its buffers and its code.
 *
 * loader.h loads its code, placing.h lays out its buffers, launch.h launches it, verify.h compares its
 * output, measure.h times it. */
#pragma once

#include "core/result.h"
#include "worker/cuda/device/session.h"

/* Size of the guard zones before and after each device buffer. They are filled with poison, which must not change; bytes. */
#define CUDA_GUARD_BYTES 4096

/* The call of a point (launch/call.h), of an engine other than ENGINE_KERNEL. */
struct cuda_call {
    struct call call;               /* the first member: baselines find the rest by it */
    const struct family *functions; /* the family, or a baseline (baselines/baselines.h); NULL: not open */
    cudaKernel_t kernel;            /* of the setup's entry, or NULL */
    bool waits;      /* a launch may wait for the device or fill its queue: none is queued behind a block */
    bool uncaptured; /* a sample cannot be a graph */
    bool in_row;     /* between the launches of a row (setup.in_a_row) */
    cudaGraphExec_t graph;   /* of one launch on set 0; NULL: it cannot be captured, or was not tried */
    uint32_t nodes, kernels; /* of the graph */
    /* That a launch takes in the queue of a stream also in a graph. A graph of kernels alone takes one for all its launches; memsets
     * and copies go to the queue one by one, and so do the kernels between them. */
    uint32_t places;
};

struct cuda_point {
    struct cuda_session *session;
    const struct point *point;
    const struct family *family;
    struct setup setup;
    uint64_t seed; /* of the inputs */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    bool launched; /* its code is loaded: the first launch may do that */

    /* Set s of the buffers on device d of the point is at arena[d] + s * set_bytes, and buffer b at + offset[b]. All sets share
     * the host buffers (owned). */
    char *arena[DEVICES_MAX];
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    char *host[SETUP_BUFFERS_MAX];
    bool borrows_host; /* they are those of the other point of a pair */
    uint32_t sets;

    struct cuda_arguments *arguments; /* one per set; owned */
    struct cuda_call call;
    struct cuda_copies *copies; /* of ENGINE_PEER_COPIES (launch/copies.h); owned */
};

/* Address and bytes of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);
uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer);

/* Devices that the point's buffers are on, and the one of a buffer: an index into these; 0 if there is one device only. */
int cuda_point_devices(const struct cuda_point *p);
int cuda_point_device(const struct cuda_point *p, int buffer);
