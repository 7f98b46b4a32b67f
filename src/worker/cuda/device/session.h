/* session.h - what the cuda back end holds while the worker lives: device, stream, memory, support code.
 */
#ifndef WORKER_CUDA_DEVICE_SESSION_H
#define WORKER_CUDA_DEVICE_SESSION_H

#include <cuda_runtime_api.h>

#include "core/device.h"
#include "family/family.h"
#include "protocol/config.h"
#include "worker/cuda/device/nvml.h"
#include "worker/reference_prefetch.h"

struct cuda_session {
    struct device device;
    struct config config;
    struct nvml *nvml;
    cudaStream_t stream;

    /* The worker's own kernels (support.cu). */
    cudaKernel_t fill, gather, read_words, write_words, mix_words, nothing, block_stream, read_clocks;

    /* One allocation that all points' buffers are cut from; it only grows. */
    char *arena;
    uint64_t arena_bytes;

    /* Three times L2: read or written before samples, so that L2 holds nothing else. */
    char *flush;
    uint64_t flush_bytes;

    char *staging;                       /* pinned: where outputs are fetched to */
    struct expectations *expectations;   /* what references said; NULL: none is kept */
    struct reference_prefetch *prefetch; /* of them, for the next point */
    bool prefetches;                     /* whether that is done */
    int threads; /* that fill, compute and compare: all processors, but for one that times where others foresee */

    uint64_t launches; /* of kernels, by us: a profiler numbers them the same */
};

/* Take the device and load the support code: 0, or -1 with the reason. */
int cuda_session_open(struct cuda_session *session, int local_rank, struct error *error);
void cuda_session_close(struct cuda_session *session);

/* Compile device code of the worker's own for the device, once for all workers that share the cache, and look its
 * kernels up: 0, or -1 with the compiler's messages. */
struct cuda_named_kernel {
    const char *name;
    cudaKernel_t *kernel;
};
int cuda_session_load(struct cuda_session *session, const char *name, const char *source,
                      const struct cuda_named_kernel *kernels, size_t count, struct error *error);

#define CUDA_STAGING_BYTES (UINT64_C(64) << 20)

/* Allocate what measuring needs, on first use: the flush buffer and the staging memory. */
void cuda_session_prepare(struct cuda_session *session);

/* The arena, at least `bytes` long; its contents are lost when it grows. Ends the point when memory is short.
 */
char *cuda_session_arena(struct cuda_session *session, uint64_t bytes);

/* Bytes that an arena could have at most now. */
uint64_t cuda_session_room(const struct cuda_session *session);

/* Queue a flush: L2 then holds nothing of any point's, and of its lines that share is dirty: 0, 1 or between.
 */
void cuda_session_flush(struct cuda_session *session, double dirty);

/* Launch one of the support kernels with a grid that fills the device. */
void cuda_session_launch(struct cuda_session *session, cudaKernel_t kernel, void **arguments,
                         bool whole_device);

#endif
