/* point.h - one point on the device: its buffers and its launches.
 *
 * loader.h loads its code, verify.h compares its output, measure.h times it. */
#ifndef WORKER_CUDA_POINT_H
#define WORKER_CUDA_POINT_H

#include "core/result.h"
#include "worker/cuda/session.h"

/* Guards: bytes before and after each device buffer that hold the poison and must go on doing so. */
#define CUDA_GUARD_BYTES 4096

struct cuda_point {
    struct cuda_session *session;
    const struct point *point;
    const struct family *family;
    struct setup setup;
    uint64_t seed; /* of the inputs */
    cudaLibrary_t library;
    cudaKernel_t kernel;

    /* Set s of the device buffers lies at arena + s * set_bytes; buffer b of it at + offset[b]. Host buffers
     * (owned) are the same for every set. */
    char *arena;
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    char *host[SETUP_BUFFERS_MAX];
    uint32_t sets;

    struct cuda_arguments *arguments; /* one a set; owned */
};

/* Place `sets` sets of buffers (fewer when memory is short, at least one), fill the inputs of all of them,
 * zero what is to be zero, and build the launch arguments. May be called again with another number. */
void cuda_point_place(struct cuda_point *p, uint32_t sets);

/* The same in two steps, one set, for several points that are to lie side by side: the bytes that a point
 * needs; then place it at `arena`, which has so many. */
uint64_t cuda_point_need(struct cuda_point *p);
void cuda_point_place_at(struct cuda_point *p, char *arena);

/* Release what placing took, but for the session's arena. Also after a failed point. */
void cuda_point_release(struct cuda_point *p);

/* Address and bytes of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);
uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer);

/* Queue one launch on set turn % sets. A timer_work, with the cuda_point as its context. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);

/* Hand the report buffer of a set to the family, after sampling; fills the latency columns. */
void cuda_point_observe(struct cuda_point *p, uint32_t set, struct result *result);

#endif
