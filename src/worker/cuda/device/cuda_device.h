/* cuda_device.h - the device, the others that a point has beside it, and a point's buffers and code on them.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <setjmp.h>

#include "worker/cuda/compile/compile.h"
#include "worker/cuda/device/nvml.h"
#include "worker/verify.h"

/* ---- Errors: every CUDA call goes through CUDA() ----
 *
 * Within a guard a failed call ends the point: cuda_guard_set returns a second time, with 1, and `guard` has
 * the message. Outside of a guard it ends the process, which is isolated, and the runner starts another
 * one. */

struct cuda_guard {
    jmp_buf jump;
    bool sticky;        /* the context is lost; only a new process can continue */
    enum status status; /* of the point */
    char message[384];
};

#define CUDA(call) cuda_check((call), #call)
void cuda_check(cudaError_t status, const char *call);

static inline int cuda_attribute(enum cudaDeviceAttr name, int ordinal)
{
    int value = 0;
    CUDA(cudaDeviceGetAttribute(&value, name, ordinal));
    return value;
}

/* End the current point, as trial_fail and the others do. They do not return. */
void cuda_end_point(enum status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
#define cuda_fail(...)   cuda_end_point(STATUS_FAILED, __VA_ARGS__)
#define cuda_refuse(...) cuda_end_point(STATUS_UNSUPPORTED, __VA_ARGS__)
#define cuda_lack(...)   cuda_end_point(STATUS_UNAVAILABLE, __VA_ARGS__)

/* The stream that is being captured, or 0: a failed call also ends the capture. */
extern cudaStream_t cuda_capturing;

/* `if (cuda_guard_set(&guard) == 0) { ... } else failed;` then cuda_guard_end(). One at a time. */
extern struct cuda_guard *cuda_guard_current;
#define cuda_guard_set(guard) (cuda_guard_current = (guard), setjmp((guard)->jump))
static inline void cuda_guard_end(void)
{
    cuda_guard_current = 0;
}

/* ---- The state for the life of the worker: device, stream, memory, support code ---- */

/* What belongs to one device. The session's own fields are those of the current end, so that code for one
 * device works on the others, too: cuda_session_enter exchanges them. If all parts of a point run on one
 * device, only streams and events are used. */
struct cuda_end {
    int ordinal;
    cudaStream_t stream;
    cudaEvent_t ended;
    char *arena, *flush;
    uint64_t arena_bytes, flush_bytes;
};

/* The ends of a point that has several devices, or several parts on one. */
struct cuda_peer {
    /* [i], i > 0: of device or part i; while that is entered, the session's own. */
    struct cuda_end end[DEVICES_MAX];
    int count;   /* of ends, with the session's own; 0: none */
    bool open;   /* all of them are */
    int entered; /* the end that is current; 0: the session's own */
    bool remote; /* the others are other devices than the session's own */
    bool access; /* kernels of all ends can read and write the memory of all others */
    cudaEvent_t begun;
};

struct cuda_session {
    bool found; /* `device` is described */
    struct device device;
    struct config config;
    char shared[RESULT_SHARED_SIZE]; /* as in struct result; "": not looked for yet */
    double shared_at;                /* s of clock_now: when it was */
    struct nvml *nvml;
    cudaStream_t stream;

    /* The worker's own kernels (support.cu). */
#define SUPPORT_KERNELS(X)                                                                                   \
    X(fill) X(gather) X(read_words) X(write_words) X(mix_words) X(nothing) X(block_stream) X(read_clocks)
#define X(name) cudaKernel_t name;
    SUPPORT_KERNELS(X)
#undef X

    /* The allocation for the buffers of all points; it only grows. */
    char *arena;
    uint64_t arena_bytes;

    /* Three times L2: read or written before samples to evict all other data from L2. */
    char *flush;
    uint64_t flush_bytes;

    /* The point's policy that the device's limits are set to, and what they were before
     * (launch/l2_policy.c). */
    struct l2_policy l2;
    bool l2_window_set, l2_fetch_set;
    size_t l2_persisting, l2_fetch;

    struct cuda_peer peer; /* the other devices of the point, or of the last one that had some */

    char *staging; /* pinned memory, for outputs copied from the device */
    /* The device's own products (cuda/product.c): its kernel, if it has one, and pinned memory; what a
     * product has on the device, which a failure may leave. */
    cudaKernel_t product;
    double *panel;
    char *product_memory;
    struct expectations *expectations;   /* cache of reference outputs, or NULL */
    struct expectations *few;            /* of those that the referee compares, or NULL */
    struct reference_prefetch *prefetch; /* computes those of the next points */
    bool prefetches;                     /* is the prefetch enabled? */
    int threads; /* to fill, compute and compare: all processors, less one for timing if the prefetch is
                    enabled */

    /* Of kernels so far on the session's own device; a profiler numbers them in the same way. */
    uint64_t launches;
};

/* Find and describe the device, which gets no context yet; open it, after finding it if need be. 0, or -1
 * with an error. `session` is zeroed before the first of them. */
int cuda_session_find(struct cuda_session *session, int local_rank, struct error *error);
int cuda_session_open(struct cuda_session *session, int local_rank, struct error *error);
void cuda_session_close(struct cuda_session *session);

/* Compile the worker's own device code, once for all workers that share the cache, and look up its kernels.
 * Ends the point, with the compiler's messages, if it cannot. */
struct cuda_named_kernel {
    const char *name;
    cudaKernel_t *kernel;
};
void cuda_session_load(struct cuda_session *session, const char *name, const char *source,
                       const struct cuda_named_kernel *kernels, size_t count);

/* Load machine code, which is freed. */
cudaLibrary_t cuda_session_take(struct code *code);

/* Bytes of each device left alone for the driver: local memory, module loads, profiling. */
#define CUDA_RESERVED_BYTES (UINT64_C(512) << 20)

#define CUDA_STAGING_BYTES (UINT64_C(64) << 20)

/* Allocate the flush buffer and the staging memory, on first use. */
void cuda_session_prepare(struct cuda_session *session);

/* Allocate and fill the flush buffer of the current device. */
void cuda_session_make_flush(struct cuda_session *session);

/* The arena, with at least `bytes` bytes; growing loses its contents. Ends the point if there is not enough
 * memory. */
char *cuda_session_arena(struct cuda_session *session, uint64_t bytes);

/* Can the device compute references of large products? */
bool cuda_session_multiplies(const struct cuda_session *session);

/* Wait until the driver has overwritten memory that was freed. */
void cuda_session_freed(uint64_t bytes);

/* Bytes of the current device that nobody has. */
static inline uint64_t cuda_memory_free(void)
{
    size_t available = 0, total = 0;
    CUDA(cudaMemGetInfo(&available, &total));
    return available;
}

/* The largest possible size of the arena at present, in bytes. */
uint64_t cuda_session_room(const struct cuda_session *session);

/* Queue a flush: evicts the data of points from L2, also from that of the other devices of a
 * point. `dirty`: share of L2's lines that are dirty afterwards, 0 to 1. */
void cuda_session_flush(struct cuda_session *session, double dirty);

/* The same by the driver, whose memory set CUPTI sees not as a kernel: 0.2 ms while it counts, instead of 1.1
 * to 2.5. False: it has to be a kernel, because not all lines are to be dirty, or on other devices, too. */
bool cuda_session_flush_unseen(struct cuda_session *session, double dirty);

/* Fill `count` elements of the device's memory as fill_range does. */
void cuda_session_fill(struct cuda_session *session, char *out, enum dtype dtype, uint64_t count,
                       const struct fill *fill, uint64_t seed);

/* Launch one of the support kernels with a grid that fills the device. */
void cuda_session_launch(struct cuda_session *session, cudaKernel_t kernel, void **arguments,
                         bool whole_device);

/* Make an end that is another device the current one, or with 0 the session's own again, after the work
 * queued so far. */
void cuda_session_enter(struct cuda_session *session, int end);

/* All of these can be captured. Before the first fork, mark what is queued in `stream`. */
void cuda_session_begin(struct cuda_session *session, cudaStream_t stream);
/* Let the stream of another end, which is returned, begin after the mark, and make its device current. */
cudaStream_t cuda_session_fork(struct cuda_session *session, int end);
/* Make the session's own device current again. */
void cuda_session_back(struct cuda_session *session);
/* Let `stream` go on after what is queued in the stream of another end. */
void cuda_session_join(struct cuda_session *session, cudaStream_t stream, int end);

/* Open what a point needs beside the session's own device: its other devices, or the streams of `parts` on
 * that one; close what the last point had. 0, or -1 with the reason why these devices cannot work
 * together. */
int cuda_peer_open(struct cuda_session *session, const struct devices *devices, int parts,
                   struct error *error);

/* ---- A cache of host buffers: touching and pinning a page takes longer than filling it ----
 *
 * Kinds are pageable, pinned and write-combined, on any or on one NUMA node. It keeps as many buffers as two
 * points use at once. Not thread-safe. */

/* Memory for a buffer on the host, of its kind, aligned to a page. Ends the point if there is none. */
char *host_memory_take(const struct buffer *buffer);

/* The same; NULL if there is not enough memory. */
char *host_memory_try(const struct buffer *buffer);

/* Return a buffer to the cache. May be NULL. */
void host_memory_put(char *at);

/* Free all buffers that are not in use. */
void host_memory_release(void);

/* Fill result->shared: whether other processes compute on the device, from NVML at most every half second. */
void cuda_sharing_observe(struct cuda_session *session, struct result *result);

/* ---- A point on the device: its buffers and its code ---- */

/* Size of the guard zones before and after each device buffer. They are filled with poison, which must not
 * change; bytes. */
#define CUDA_GUARD_BYTES 4096

/* The call of a point (launch/call.c), of an engine other than ENGINE_KERNEL. */
struct cuda_call {
    struct call call;               /* the first member: baselines find the rest by it */
    const struct family *functions; /* the family, or a baseline (baselines/baselines.c); NULL: not open */
    cudaKernel_t kernel;            /* of the setup's entry, or NULL */
    bool waits;      /* a launch may wait for the device or fill its queue: none is queued behind a block */
    bool uncaptured; /* a sample cannot be a graph */
    bool in_row;     /* between the launches of a row (setup.in_a_row) */
    cudaGraphExec_t graph;   /* of one launch on set 0; NULL: it cannot be captured, or was not tried */
    uint32_t nodes, kernels; /* of the graph */
    /* That a launch takes in the queue of a stream also in a graph. A graph of kernels alone takes one for
     * all its launches; memsets and copies go to the queue one by one, and so do the kernels between them. */
    uint32_t places;
    uint64_t algorithm; /* hash of what a library has chosen; 0: it does not tell */
    char chosen[192];   /* the same in words */
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

    /* Set s of the buffers on device d of the point is at arena[d] + s * set_bytes, and buffer b at +
     * offset[b]. All sets share the host buffers (owned). */
    char *arena[DEVICES_MAX];
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    char *host[SETUP_BUFFERS_MAX];
    bool borrows_host; /* they are those of the other point of a pair */
    uint32_t sets;

    struct cuda_arguments *arguments; /* one per set; owned */
    struct cuda_call call;
    struct cuda_copies *copies; /* of ENGINE_PEER_COPIES (launch/copies.c); owned */
};

/* Address and bytes of a buffer of a set. */
char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer);
uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer);

/* Devices that the point's buffers are on, and the one of a buffer: an index into these; 0 if there is one
 * device only. */
int cuda_point_devices(const struct cuda_point *p);
int cuda_point_device(const struct cuda_point *p, int buffer);
