/* session.h - state of the cuda back end for the life of the worker: device, stream, memory, support code. */
#pragma once

#include <cuda_runtime_api.h>

#include "core/device.h"
#include "core/result.h"
#include "family/family.h"
#include "protocol/config.h"
#include "worker/cuda/device/handed.h"
#include "worker/cuda/device/nvml.h"
#include "worker/reference_prefetch.h"

/* What belongs to one device. The session's own fields are those of the current end, so that code for one device works on the
 * others, too: cuda_session_enter exchanges them. If all parts of a point run on one device, only streams and events are used. */
struct cuda_end {
    int ordinal;
    cudaStream_t stream;
    cudaEvent_t ended;
    char *arena, *flush;
    uint64_t arena_bytes, flush_bytes;
    struct cuda_handed *handed; /* of another rank, used from the session's own device; or NULL */
};

/* The ends of a point that has several devices, or several parts on one. */
struct cuda_peer {
    struct cuda_end
        end[DEVICES_MAX]; /* [i], i > 0: of device or part i; while that is entered, the session's own */
    int count;            /* of ends, with the session's own; 0: none */
    bool open;            /* all of them are */
    int entered;          /* the end that is current; 0: the session's own */
    bool remote;          /* the others are other devices than the session's own */
    bool reaches[DEVICES_MAX][DEVICES_MAX]; /* kernels of one end can read and write the memory of another */
    bool access;                            /* all can */
    bool captures;                          /* a graph can have nodes of all */
    cudaEvent_t begun;
};

struct cuda_session {
    bool found; /* `device` is described */
    struct device device;
    struct config config;
    char shared[RESULT_SHARED_SIZE]; /* as in struct result; "": not looked for yet */
    double shared_at;                /* s of clock_now: when it was */
    uint64_t shared_seen;            /* NVML's time of the last sample of other processes' use */
    struct nvml *nvml;
    cudaStream_t stream;

    /* The worker's own kernels (support.cu). */
    cudaKernel_t fill, gather, read_words, write_words, mix_words, nothing, block_stream, read_clocks;

    /* The allocation for the buffers of all points; it only grows. */
    char *arena;
    uint64_t arena_bytes;

    /* Three times L2: read or written before samples to evict all other data from L2. */
    char *flush;
    uint64_t flush_bytes;

    /* The point's policy that the device's limits are set to, and what they were before (launch/l2_policy.h). */
    struct l2_policy l2;
    bool l2_window_set, l2_fetch_set;
    size_t l2_persisting, l2_fetch;

    struct cuda_handed *handed; /* of the current end */

    struct cuda_peer peer; /* the other devices of the point, or of the last one that had some */

    char *staging;                       /* pinned memory, for outputs copied from the device */
    struct expectations *expectations;   /* cache of reference outputs, or NULL */
    struct reference_prefetch *prefetch; /* computes those of the next points */
    bool prefetches;                     /* is the prefetch enabled? */
    int threads; /* to fill, compute and compare: all processors, less one for timing if the prefetch is enabled */

    uint64_t
        launches; /* kernel launches so far on the session's own device; a profiler numbers them in the same way */
};

/* Find and describe the device, which gets no context yet; open it, after finding it if need be. 0, or -1 with an error. `session` is
 * zeroed before the first of them. */
int cuda_session_find(struct cuda_session *session, int local_rank, struct error *error);
int cuda_session_open(struct cuda_session *session, int local_rank, struct error *error);
void cuda_session_close(struct cuda_session *session);

/* Compile the worker's own device code, once for all workers that share the cache, and look up its kernels. 0, or -1 with the
 * compiler's messages. */
struct cuda_named_kernel {
    const char *name;
    cudaKernel_t *kernel;
};
int cuda_session_load(struct cuda_session *session, const char *name, const char *source,
                      const struct cuda_named_kernel *kernels, size_t count, struct error *error);

/* Bytes of each device left alone for the driver: local memory, module loads, profiling. */
#define CUDA_RESERVED_BYTES (UINT64_C(512) << 20)

#define CUDA_STAGING_BYTES (UINT64_C(64) << 20)

/* Allocate the flush buffer and the staging memory, on first use. */
void cuda_session_prepare(struct cuda_session *session);

/* Allocate and fill the flush buffer of the current device. */
void cuda_session_make_flush(struct cuda_session *session);

/* The arena, with at least `bytes` bytes; growing loses its contents. Ends the point if there is not enough memory. */
char *cuda_session_arena(struct cuda_session *session, uint64_t bytes);

/* Wait until the driver has overwritten memory that was freed. */
void cuda_session_freed(uint64_t bytes);

/* The largest possible size of the arena at present, in bytes. */
uint64_t cuda_session_room(const struct cuda_session *session);

/* Queue a flush: evicts the data of points from L2, also from that of the other devices of a point. `dirty`: share of L2's lines that are dirty afterwards, 0 to 1. */
void cuda_session_flush(struct cuda_session *session, double dirty);

/* Launch one of the support kernels with a grid that fills the device. */
void cuda_session_launch(struct cuda_session *session, cudaKernel_t kernel, void **arguments,
                         bool whole_device);

/* Make an end that is another device the current one, or with 0 the session's own again, after the work queued so far. */
void cuda_session_enter(struct cuda_session *session, int end);

/* All of these can be captured. Before the first fork, mark what is queued in `stream`. */
void cuda_session_begin(struct cuda_session *session, cudaStream_t stream);
/* Let the stream of another end, which is returned, begin after the mark, and make its device current. */
cudaStream_t cuda_session_fork(struct cuda_session *session, int end);
/* Make the session's own device current again. */
void cuda_session_back(struct cuda_session *session);
/* Let `stream` go on after what is queued in the stream of another end. */
void cuda_session_join(struct cuda_session *session, cudaStream_t stream, int end);
