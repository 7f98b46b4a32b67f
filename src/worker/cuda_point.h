/* cuda_point.h - one point on the device: its code, its buffers, its launches. */
#ifndef WORKER_CUDA_POINT_H
#define WORKER_CUDA_POINT_H

#include "core/result.h"
#include "worker/cuda_session.h"

/* Guards: bytes before and after each buffer that hold the poison and must go on doing so. */
#define CUDA_GUARD_BYTES 4096

struct cuda_point {
    struct cuda_session *session;
    const struct point *point;
    const struct family *family;
    struct setup setup;
    uint64_t seed; /* of the inputs */
    cudaKernel_t kernel;

    /* Set s of the buffers lies at arena + s * set_bytes; buffer b of it at + offset[b]. */
    char *arena;
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    uint32_t sets;
};

/* Compile or load the point's code and set its attributes; fills the result's columns about it. */
void cuda_point_load(struct cuda_point *p, struct result *result);

/* Place `sets` sets of buffers (fewer when memory is short, at least one) and fill the inputs of all of them.
 */
void cuda_point_place(struct cuda_point *p, uint32_t sets);

/* Address of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);

/* Queue one launch on set turn % sets. A timer_work, with the cuda_point as its context. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);

/* Poison outputs and guards of set 0, run once, compare with the reference. Fails the result when wrong. */
void cuda_point_verify(struct cuda_point *p, struct result *result);

#endif
