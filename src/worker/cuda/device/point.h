/* point.h - a point on the device: its buffers and its code.
 *
 * loader.h loads its code, placing.h lays out its buffers, launch.h launches it, verify.h compares its
 * output, measure.h times it. */
#ifndef WORKER_CUDA_DEVICE_POINT_H
#define WORKER_CUDA_DEVICE_POINT_H

#include "core/result.h"
#include "worker/cuda/device/session.h"

/* Size of the guard zones before and after each device buffer. They are filled with poison, which must not change; bytes. */
#define CUDA_GUARD_BYTES 4096

struct cuda_point {
    struct cuda_session *session;
    const struct point *point;
    const struct family *family;
    struct setup setup;
    uint64_t seed; /* of the inputs */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    double launched; /* upper bound of the time of the verified launch, in s; 0: not verified */

    /* Set s of the device buffers is at arena + s * set_bytes, and its buffer b at + offset[b]. All sets share the host buffers
     * (owned). */
    char *arena;
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    char *host[SETUP_BUFFERS_MAX];
    bool borrows_host; /* they are those of the other point of a pair */
    uint32_t sets;

    struct cuda_arguments *arguments; /* one per set; owned */
};

/* Address and bytes of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);
uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer);

#endif
