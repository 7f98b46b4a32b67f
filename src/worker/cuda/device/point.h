/* point.h - one point on the device: its buffers and its code.
 *
 * loader.h loads its code, placing.h lays out its buffers, launch.h launches it, verify.h compares its
 * output, measure.h times it. */
#ifndef WORKER_CUDA_DEVICE_POINT_H
#define WORKER_CUDA_DEVICE_POINT_H

#include "core/result.h"
#include "worker/cuda/device/session.h"

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
    double launched; /* s: what the launch that was verified took, at most; 0: none was */

    /* Set s of the device buffers lies at arena + s * set_bytes; buffer b of it at + offset[b]. Host buffers
     * (owned) are the same for every set. */
    char *arena;
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    char *host[SETUP_BUFFERS_MAX];
    uint32_t sets;

    struct cuda_arguments *arguments; /* one a set; owned */
};

/* Address and bytes of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);
uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer);

#endif
