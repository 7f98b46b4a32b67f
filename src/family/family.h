/* family.h - the interface of a kernel family, and how to add one.
 *
 * To add a family called NAME:
 *   1. kernels/NAME/NAME.c   the descriptor below: axes, unsupported points, buffers and launch, useful
 *                            bytes and flops, and the C reference. Const data and pure functions: no state,
 *                            no allocation.
 *   2. kernels/NAME/NAME.cu  the device code, compiled for each point by NVRTC with the macros below.
 *   3. kernels/registry.c    one line in the table.
 *   4. kernels/NAME/NAME.claims  optional: the machine code that tests expect of the variants
 *                            (tests/device_code/claims.h).
 * family/rules.h has the checks that many families share. Tests find the family through the registry: they
 * compile every variant for every architecture and check its arithmetic. The host back end runs its
 * reference.
 *
 * A user's family needs no rebuild of warpsweep. Set `.source = NULL` in NAME.c, export the descriptor as
 * `warpsweep_family` beside `const int warpsweep_family_abi = FAMILY_ABI;`, and build it as NAME.so. Put it
 * with NAME.cu, or with machine code of another compiler, into the folder given to --kernels
 * (family/code/plugin.h). Examples: examples/family and examples/triton.
 *
 * Macros that device code is compiled with, for each `compiled` axis:
 *   count or bytes axis  vector = 4      -DVECTOR=4
 *   word axis            variant = load  -Dvariant_load=1
 *   dtype                f32             -DDTYPE_f32=1 -DELEMENT=float -DELEMENT_SIZE=4
 *   arch                                 the compiler's --gpu-architecture; test __CUDA_ARCH__
 * A condition on any other name (#ifdef VARIANT_load) is an error, and so is a compiled axis that the code
 * never mentions (family/code/source.h). Device code may include the headers of kernels/, such as
 * "device.cuh" (vectors of elements), "element.cuh" (conversions to and from float), "hint.cuh" (accesses
 * with cache hints), "bulk.cuh" (bulk copies and their barriers) and "sum.cuh" (sums over warp, block and
 * grid). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/point.h"
#include "family/fill.h"

/* The device of a point. 0: unknown, as in `check` without a chip; an unknown property never makes a point
 * unsupported. */
struct target {
    int capability; /* major * 10 + minor of the device; for `check --arch`, of the architecture */
    int multiprocessors;
    uint64_t l2_bytes, memory_bytes, shared_bytes /* maximum per block */, shared_sm_bytes;
    int threads_sm;
    bool host; /* the host back end, which runs the reference */
};

enum buffer_role {
    BUFFER_INPUT,    /* filled before the run, unchanged by it */
    BUFFER_OUTPUT,   /* filled with poison before the run, compared with the reference after it */
    BUFFER_SCRATCH,  /* contents are ignored */
    BUFFER_ZEROED,   /* zeroed before the first launch and before each one that is verified, not before those
                        that are timed */
    BUFFER_REPORT,   /* measurements by the kernel itself (cycles ...); read by `observe` after sampling */
    BUFFER_IN_PLACE, /* filled like an input before the launch that is verified, and compared like an output
                        after it. Other launches find what the one before has left. Not on the host
                        back end */
};

struct buffer {
    const char *name;
    enum buffer_role role;
    enum dtype dtype;
    uint64_t count;   /* elements */
    struct fill fill; /* contents of an input */
    bool on_host;     /* in host memory (host_copy): pinned unless `pageable` */
    bool pageable;
    bool write_combined; /* pinned memory that the processor does not cache: slow to read for it */
    int numa;            /* NUMA node of host memory, plus 1; 0: where the driver or the system puts it */
    int device; /* whose memory it is in: an index into struct devices; 0: that of the device that launches */
};

/* The two roles that every family uses. */
static inline struct buffer buffer_input(const char *name, enum dtype dtype, uint64_t count, struct fill fill)
{
    return (struct buffer){.name = name, .role = BUFFER_INPUT, .dtype = dtype, .count = count, .fill = fill};
}
static inline struct buffer buffer_output(const char *name, enum dtype dtype, uint64_t count)
{
    return (struct buffer){.name = name, .role = BUFFER_OUTPUT, .dtype = dtype, .count = count};
}

/* A kernel parameter. */
enum argument_kind {
    ARGUMENT_BUFFER, /* a buffer's address; `value` is its index, or made by BUFFER_FROM */
    ARGUMENT_U32,
    ARGUMENT_U64,
    ARGUMENT_F32,        /* the bits of the float in the low half of `value` */
    ARGUMENT_TENSOR,     /* setup.tensor[value] as a `const __grid_constant__ CUtensorMap` */
    ARGUMENT_TEXTURE,    /* a cudaTextureObject_t over buffer `value`, linear, read by tex1Dfetch */
    ARGUMENT_TEXTURE_2D, /* a cudaTextureObject_t over an array with the contents of a buffer in rows; `value`
                            is made by TEXTURE_ROWS. Read with tex.2d and whole coordinates */
    ARGUMENT_PART,       /* u32: the part whose launch this is, from 0 (setup.parts) */
};
/* An address `bytes` bytes into a buffer: an offset without arithmetic in the kernel. */
#define BUFFER_FROM(buffer, bytes) ((uint64_t)(buffer) | (uint64_t)(bytes) << 8)
#define BUFFER_OF(value)           ((int)((value)&0xff))
#define BUFFER_OFFSET(value)       ((value) >> 8)
/* A buffer in rows of `columns` elements, whose number they divide. */
#define TEXTURE_ROWS(buffer, columns) ((uint64_t)(buffer) | (uint64_t)(columns) << 8)
#define TEXTURE_COLUMNS(value)        ((value) >> 8)
struct argument {
    enum argument_kind kind;
    uint64_t value;
};

/* A two-dimensional, row-major view of a buffer for bulk tensor copies. Sizes in elements of its dtype. */
enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B };
struct tensor {
    int buffer;
    uint64_t rows, columns;
    uint32_t box_rows, box_columns;
    enum tensor_swizzle swizzle;
};

/* What runs the work of a point: a kernel or a call, which is a function that queues launches (struct call).
 * All but two engines name calls that are built in. */
enum engine {
    ENGINE_KERNEL, /* the family's own device code */
    ENGINE_MEMCPY, /* cudaMemcpyAsync of all of buffer 0 to buffer 1: the vendor's copy */
    ENGINE_GEAM,   /* cuBLAS: buffer 1 (shape[1] x shape[0]) = transpose of buffer 0 (shape[0] x shape[1]),
                      row-major */
    ENGINE_GEMM,   /* cuBLAS without TF32: buffer 2 (m x n) = buffer 0 (m x k) * buffer 1 (k x n), row-major;
                      shape = {m, n, k} */
    ENGINE_CUB_REDUCE, /* cub::DeviceReduce::Sum of buffer 0 into buffer 1 */
    ENGINE_HOST_COPY,  /* copies between host and device in chunks over streams; see struct host_copy */
    ENGINE_GEMM_LT,    /* the same product by cuBLASLt; sums are f32, of u8 below 128 i32. shape[3]: flags of
                          enum gemm_flag, and GEMM_LT_ALGORITHM */
    ENGINE_CUB_COPY,   /* cub::DeviceTransform: buffer 1 = buffer 0 */
    ENGINE_CUB_ADD,    /* cub::DeviceTransform: buffer 2 = buffer 0 + buffer 1 */
    ENGINE_CUB_SILU_MUL, /* cub::DeviceTransform: buffer 1 = silu(x) * y; each of the shape[0] rows of buffer
                            0 has shape[1] elements x, then as many y */
    ENGINE_PEER_COPY,    /* the driver's copy of buffer 0 to buffer 1, between devices or within one */
    ENGINE_PEER_COPIES,  /* the driver's copies of messages between the parts (setup.parts), all at the same
                            time; see struct setup */
    ENGINE_CALL,         /* the family's own function `call`, which queues whatever it likes */
    ENGINES,
};

enum gemm_flag {
    GEMM_TRANSPOSED = 1, /* buffer 1 is n x k; of types of one byte it has to be */
    GEMM_TF32 = 2,       /* f32 is multiplied as tf32 */
    GEMM_FAST_SUMS = 4,  /* fp8: sums stay in the tensor cores */
};

/* Beside the flags: which result of cuBLASLt's heuristic runs, of GEMM_LT_ALGORITHMS. */
#define GEMM_LT_ALGORITHMS          32
#define GEMM_LT_ALGORITHM(index)    ((uint64_t)(index) << 8)
#define GEMM_LT_ALGORITHM_OF(flags) ((int)((flags) >> 8))

/* ENGINE_HOST_COPY: copies buffer 0 to buffer 1 in `chunks` equal parts, part i on stream i mod `streams`.
 * With an entry point, the kernel runs on each part in device memory: after its copy to the device, or before
 * its copy to the host. Its arguments are the part's address and its number of elements (u64). With a third
 * buffer, on the device, each part is copied from the host to that buffer, processed there, and copied back
 * to the host. With four buffers, buffer 2 is copied to buffer 3 at the same time in the opposite direction,
 * in as many parts on as many streams of its own. */
struct host_copy {
    uint32_t chunks, streams;
};

/* What L2 does for the launches of a point, while it is held. All 0: what the driver does by default.
 *
 * `window`: bytes of `buffer`, from its start, that an access policy window covers. As much of L2 as can be
 * is set aside. Accesses to `hit_ratio` (0 to 1) of the window's lines persist there, those to the others are
 * streaming. ENGINE_KERNEL only. The worker refuses the point if the device has no such windows, or smaller
 * ones. `fetch`: 32, 64 or 128 bytes that a miss fetches at most; a hint to the driver
 * (cudaLimitMaxL2FetchGranularity). */
struct l2_policy {
    uint64_t window;
    int buffer;
    float hit_ratio;
    uint32_t fetch;
};

#define DEVICES_MAX         8  /* of a point */
#define SETUP_BUFFERS_MAX   16 /* two for each of them */
#define SETUP_ARGUMENTS_MAX 16
#define SETUP_TENSORS_MAX   3

/* Everything a launch needs. */
struct setup {
    enum engine engine;
    const char *entry; /* extern "C" name of the kernel in NAME.cu; used if setup_has_code */
    struct buffer buffer[SETUP_BUFFERS_MAX];
    int buffers;
    struct argument argument[SETUP_ARGUMENTS_MAX];
    int arguments;
    struct tensor tensor[SETUP_TENSORS_MAX];
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic; /* bytes */
    int carveout;            /* shared memory's share of the L1 memory, in percent; -1: the driver's choice */
    bool programmatic_launch; /* may start before the previous launch ends (programmatic dependent launch) */
    const char *constant; /* a __constant__ symbol that gets a buffer's contents before the run, or NULL */
    int constant_buffer;
    uint64_t shape[4]; /* for the vendor's engines: see enum engine */
    struct host_copy host_copy;
    struct l2_policy l2;

    /* parts > 1: as many devices run the same launch at the same time, which ends when all have ended. Part p
     * runs on device p of the point, or all parts on the one device of a point that names none. Of the first
     * parts x group buffers it has, in place of each, the one p x group further on; the last is followed by
     * the first. For ENGINE_KERNEL, ENGINE_PEER_COPY and ENGINE_PEER_COPIES.
     *
     * ENGINE_PEER_COPIES: shape = {bytes of a message, sends, receives, stops}. Bit i of byte p of `sends`
     * has part p send a message to the part i further on, bit i of byte p of `receives` has it receive one
     * from there. A part's messages lie in slots one after the other, in the order of the bits: from the
     * start of its buffer 0 those to send, of its buffer 1 those received. With an entry point, a part's
     * kernel runs at the same time as its copies; with `stops`, the word of the part in the kernel's array
     * `__device__ unsigned stop[]` becomes 1 when its copies have ended. */
    int parts, group;
    uint32_t idle; /* bit p: part p launches nothing; its device has buffers only */

    /* ENGINE_CALL: a sample is so many launches, queued one after another in the streams without a graph.
     * Devices wait for each other before the first and after the last one only, and the host queues them
     * while they run. Five that are not timed come before. 0: graphs of launches that each begin on all
     * devices when the one before has ended on all. */
    uint32_t in_a_row;

    /* Sets of buffers, each elsewhere in memory, that the launches of a sample in the states hot and cold
     * take in turn, if there is memory for as many; 0 and 1: one, or in the state cold as many as launches.
     * For times that depend on which lines a buffer has: a sample is then a mean over as many places, and
     * latencies are means over the sets of their percentiles. What a hot set is to leave in L2 for its next
     * turn must fit there beside that of all others. */
    uint32_t sets;

    /* For a reference that takes long: each output has so many rows, of which `rows_compared` (up to 64) are
     * compared, all elements of each: the first, the last, and a random one of each equal part between. A
     * fault in other rows is not found. 0: outputs are compared as worker/verify.h says. */
    uint32_t rows_compared;
    uint64_t rows;
};

/* The devices of a point, as ordinals on the node. The first one launches: its worker runs the point. count
 * 0: the point has the device of whichever worker runs it. */
struct devices {
    int count;
    int ordinal[DEVICES_MAX];
};

/* The useful work of a point: each byte and operation counted once. */
struct work {
    uint64_t bytes_read, bytes_written, flops;
    uint64_t special;   /* operations of the special-function unit; an integer multiply-add is 1/4 of one */
    uint64_t bus_bytes; /* sent by each device over its link, if all send as many; else 0 */
    uint64_t flops_of_zeros; /* of flops: of zeros that a sparse matrix does not store */
};

static inline uint64_t work_flops_executed(const struct work *work)
{
    return work->flops - work->flops_of_zeros;
}

/* The inputs of a reference: in memory, or generated element by element. */
struct inputs {
    const struct setup *setup;
    const void *data[SETUP_BUFFERS_MAX]; /* host copies of whole input buffers; NULL: generated on access */
    uint64_t seed;

    /* The worker's parallel for, or NULL: for references where one output element reads all inputs (a
     * sum). */
    int threads;
    void (*parallel)(int threads, uint64_t count, uint64_t grain,
                     void (*body)(void *context, uint64_t first, uint64_t count), void *context);
};
static inline void inputs_parallel(const struct inputs *inputs, uint64_t count, uint64_t grain,
                                   void (*body)(void *context, uint64_t first, uint64_t count), void *context)
{
    if (inputs->parallel)
        inputs->parallel(inputs->threads, count, grain, body, context);
    else
        body(context, 0, count);
}
static inline void inputs_load(const struct inputs *inputs, int buffer, uint64_t index, void *element)
{
    const struct buffer *b = &inputs->setup->buffer[buffer];
    uint64_t size = dtype_size(b->dtype);
    if (inputs->data[buffer] && b->dtype == DTYPE_E2M1)
        *(unsigned char *)element =
            ((const unsigned char *)inputs->data[buffer])[index / 2] >> index % 2 * 4 & 15;
    else if (inputs->data[buffer])
        memcpy(element, (const char *)inputs->data[buffer] + index * size, size);
    else
        fill_element(&b->fill, b->dtype, inputs->seed + (uint64_t)buffer, index, element);
}
static inline double inputs_real(const struct inputs *inputs, int buffer, uint64_t index)
{
    uint64_t element = 0; /* as large as the widest type */
    inputs_load(inputs, buffer, index, &element);
    return dtype_load(inputs->setup->buffer[buffer].dtype, &element);
}

/* Elements [first, first + count) of an input: in the input's dtype (`elements` aligned for it), and as
 * doubles. Much faster than single elements. `first` is even for e2m1, which lies two in a byte. */
void inputs_load_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       void *elements);
void inputs_real_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       double *values);

/* Allowed error of an output element: |out - ref| <= absolute + relative * |ref|. Both 0: bitwise equal.
 *
 * `rms`, optional: what the errors of 64 elements one after the other exceed `relative` * |ref| by has at
 * most this root mean square, too. For sums whose largest errors are far above the others: a tolerance for
 * these hides terms that are missing in all of them. 0: no such bound. */
struct tolerance {
    double relative, absolute, rms;
};

/* An output that is a product C = A B': C is m x n and row-major, A has m rows and B n rows of k elements. */
struct product_shape {
    uint64_t m, n, k;
};

/* One memory instruction of one warp: the input of the access model. */
enum access_space {
    ACCESS_GLOBAL,
    ACCESS_SHARED,
    ACCESS_CLUSTER, /* shared memory of another block of the cluster: loads and stores; the block's own does
                       not count */
};
struct access {
    enum access_space space;
    bool store;
    /* A load that must wait for earlier stores of the warp, and so for the loads that those stored: the
     * compiler cannot rule out aliasing, or a loop of unknown length lies between them. */
    bool behind;
    bool random; /* the addresses are one example of equally likely ones, or no counter sees the access: banks
                   and lines are counted, but no counter is predicted */
    bool atomic; /* done where the value is; with `store` one that returns nothing, a reduction */
    int buffer;  /* global: the buffer */
    uint32_t width;       /* bytes per lane in the source, 1 to 32; an architecture may split them */
    uint32_t active;      /* bit i: lane i is active */
    uint64_t address[32]; /* bytes from the start of the buffer, or of that block's shared memory */
    uint64_t times;       /* number of identical executions */
};

/* The common case: the first `lanes` lanes are active, their addresses `step` bytes apart. */
static inline void access_evenly(struct access *access, uint64_t first, uint64_t step, uint64_t lanes)
{
    access->active = lanes < 32 ? (UINT32_C(1) << lanes) - 1 : UINT32_MAX;
    for (uint32_t lane = 0; lane < 32;
         lane += 2) { /* also inactive ones: a loop of constant length is faster */
        access->address[lane] = first;
        access->address[lane + 1] = first + step;
        first += 2 * step;
    }
}

/* Dependent accesses of one thread, one after another: the time model adds them up. They are to memory of the
 * point's last device. */
enum chain_kind {
    CHAIN_NONE,
    CHAIN_LOAD,    /* loads that L2 answers */
    CHAIN_LOAD_L1, /* loads that L1 may answer */
    CHAIN_ATOMIC,
    CHAIN_FENCE, /* a store, and a fence for all devices */
    CHAIN_FLAG,  /* a round trip: two kernels wait for a flag in turn, each in its own memory */
};
struct chain {
    enum chain_kind kind;
    uint64_t count;  /* accesses, or round trips */
    uint64_t groups; /* of accesses between two readings of the clock */
    uint64_t slots;  /* different addresses; of fences and flags one */
    uint64_t bytes;  /* that they are spread over */
};

/* Measurements by the kernel itself, filled by observe(). NaN: none. */
struct observation {
    double latency_p05, latency_p50, latency_p95; /* cycles per dependent access */
};

/* One launch of ENGINE_CALL. */
#define CALL_REASON_SIZE 256
struct call {
    const struct point *point;
    const struct setup *setup;
    void *buffer[SETUP_BUFFERS_MAX]; /* addresses of one set: on the device, or of the host back end */
    void *stream;                    /* the cudaStream_t to queue on; NULL on the host back end */
    int devices;                     /* of the point, 1 or more */
    int ordinal[DEVICES_MAX];        /* of each; the first is current */
    /* A cudaStream_t on each device; the first is `stream`. What the function queues in the others begins
     * after what was in `stream` before, and `stream` goes on after it. */
    void *device_stream[DEVICES_MAX];
    void *workspace;               /* on the device, aligned to 256 bytes; NULL if open_call asked for none */
    uint64_t workspace_bytes;      /* set by open_call */
    void *state;                   /* set by open_call: handles and plans, freed by close_call */
    char reason[CALL_REASON_SIZE]; /* for a function that fails: why, as a sentence without a full stop */
    bool unsupported;    /* set by a function that fails: the point is unsupported, rather than failed */
    bool unavailable;    /* the same: this launch lacks a library or a variable, and another may have it */
    int library_version; /* may be set by open_call: of the library that is called, as it numbers itself */
};

/* Why a function of the call has failed. */
static inline const char *call_reason(const struct call *call)
{
    return *call->reason ? call->reason : "the call failed and gave no reason";
}

/* Version of the declarations in this file. Raise it with any change of layout: shared objects are built for
 * one layout. unit.family_abi checks it. */
#define FAMILY_ABI 17

#define FAMILY_AXIS(index) (UINT64_C(1) << (index))

/* The memory level whose bandwidth limits a family's `work`. */
enum memory_level {
    MEMORY_DRAM,   /* DRAM; L2 if the cache is hot and the buffers fit */
    MEMORY_SHARED, /* shared memory */
    MEMORY_LINK,   /* the link between host and device */
    MEMORY_NONE,   /* no bandwidth limit: a latency measurement */
    MEMORY_PEER,   /* links between devices; within one device: none */
};

/* A product whose blocks copy slices of the operands into shared memory while they multiply others, for the
 * time model. A tile is what a block computes at a time. */
struct tile_pipeline {
    double tiles, slices; /* of the result; of a tile */
    double ahead;         /* slices that are copied while one is multiplied; 0: none */
    double flops;         /* of a slice, those outside of the matrices too */
    double rate;          /* of the instruction, relative to the tensor cores' fastest one */
    double bytes;         /* of a slice that are copied */
    double bank_bytes; /* of a slice that pass shared memory while it is multiplied; 0: always in less time */
    double apart;      /* cycles of a slice in which nothing is multiplied */
    double stored;     /* bytes of a tile of the result */
    double warps;      /* of a block */
    double resident;   /* blocks whose registers fit a multiprocessor */
    bool persistent;   /* a tile is stored while the next one is multiplied */
};

/* All functions must be thread-safe: references are computed by several threads at once, for this point and
 * for later ones. */
struct family {
    struct space space; /* name and axes; every family has variant, arch and cache among them */
    const char *summary;
    bool node_exclusive; /* loads the host link: one such point a node; with `devices` no other point */
    bool materialise;  /* the reference needs inputs->data: small inputs whose elements are read many times */
    bool tensor_cores; /* computes with tensor cores, in the axis dtype (dtype_tensor_words), or f16 */
    bool block_scales; /* has products of e2m1, or with scales of e8m0: other families lack these types */
    enum memory_level memory;
    /* Axes that inputs and outputs depend on: FAMILY_AXIS(i) of each, combined with |. Points with equal
     * values of them have the same inputs, and share one reference. 0: all axes. */
    uint64_t data_axes;
    const char *source;           /* the text of NAME.cu */
    const char *claims;           /* for tests: expected machine code of the variants, or NULL */
    const struct code_list *code; /* users': machine code in place of a source (family/code_list.h) */

    /* Of users' families, for the life of the process. */
    const struct device_header *headers; /* of the folder of NAME.cu; ends with a NULL name; or NULL */
    uint64_t loaded;                     /* hash of all bytes that were loaded; 0: built in */

    /* NULL if the target supports the point. Otherwise the reason, as a sentence without a full stop; it may
     * be written into `reason` (`size` bytes). Called first: the other functions see supported points
     * only. */
    const char *(*skip)(const struct point *point, const struct target *target, char *reason, size_t size);
    struct setup (*setup)(const struct point *point, const struct target *target);
    struct work (*work)(const struct point *point);
    struct tolerance (*tolerance)(const struct point *point);

    /* The reference: write elements [first, first + count) of output buffer `buffer` to `out`, in its dtype.
     * `out` is filled with poison before the call; do not touch elements that the kernel does not write. */
    void (*reference)(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out);

    /* Optional; NULL if addresses are not known before the run. Memory instruction `index` (from 0) of warp
     * `warp`. Warps are numbered block by block over the grid. False past the warp's last instruction. */
    bool (*access)(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out);

    /* Optional. Read the observation from the contents of the BUFFER_REPORT buffer, `data`. */
    void (*observe)(const struct point *point, const struct setup *setup, const void *data,
                    struct observation *out);

    /* Optional, and then `node_exclusive`: the devices of a point that has several, or a certain one. */
    struct devices (*devices)(const struct point *point);

    /* For ENGINE_CALL, in the worker's main thread, with its device current. All return 0, or -1 with a
     * reason, which is the point's message. `open_call` and `close_call` are optional.
     *
     * open_call   before the point's first launch: libraries, plans, autotuning on the first set of buffers;
     *             asks for a workspace. Nothing of it is timed, nor are the first launches.
     * call        queues one launch on call->stream. It is called for each launch of a stream, or captured
     *             into a graph, with the addresses of each set; the workspace is one for all. A launch that
     *             allocates or synchronises cannot be captured, and is timed singly.
     * close_call  at the end of the point, also after a failure of the others, unless the process has to
     *             end. */
    int (*open_call)(struct call *call);
    int (*call)(struct call *call);
    void (*close_call)(struct call *call);
    bool call_on_host; /* the host back end runs `call` on arrays in memory, not the reference */

    /* Optional: why a function of this family, which could not say so itself, has failed for this point;
     * NULL: none has. The worker asks after setup and after the reference was computed. The text stays
     * valid. */
    const char *(*failure)(const struct point *point);

    /* Optional: the point as a pipeline of tiles. False if it is none. */
    bool (*pipeline)(const struct point *point, const struct target *target, struct tile_pipeline *out);

    /* Optional, of families without a bandwidth limit (MEMORY_NONE): what the time model makes a time of. */
    struct chain (*chain)(const struct point *point);

    /* Optional, both: the only output is a product, rounded to f32 and then to its type, of integers and f64
     * to its type alone. Of large products the device computes a reference of its own, in f64, which is
     * checked by random sums over all elements and by `reference` (worker/product.h).
     *
     * operand   elements [first, first + count) of `rows` rows of A (side 0) or B (side 1), row by row, as
     *           the sums multiply them; f32 holds them exactly. `first` is a multiple of 512, `count` at most
     *           512, and `rows` at most 32. */
    struct product_shape (*product)(const struct point *point);
    void (*operand)(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out);
};

/* Limit of families in one process. */
#define FAMILIES_MAX 64

/* A device as families see it: unknown properties, -1 there, become 0. */
struct device;
struct target target_of_device(const struct device *device);

/* Find a family by name in a NULL-terminated table; NULL if there is none. */
const struct family *family_in(const struct family *const *table, const char *kernel);

/* The devices of a point; none (count 0) if it has that of whichever worker runs it. */
struct devices family_devices(const struct point *point);

/* The family of a point; of two versions (family/versions.h), the descriptor of the point's version. */
const struct family *family_of(const struct point *point);

/* NULL if `target` supports `point`, otherwise the reason: by the rules shared by all families (architecture,
 * host back end, memory size), then by the family's own. */
const char *family_skip(const struct point *point, const struct target *target, char *reason, size_t size);

/* What makes no sense in the descriptor of a point that family_skip supports, its setup or its tolerance: the
 * point fails. NULL: nothing. */
const char *family_mistake(const struct point *point, const struct target *target, char *reason, size_t size);

/* Why a point that family_skip supports fails wherever it is measured: a mistake, or a function that fails,
 * as those in Python can. */
const char *family_failure(const struct point *point, const struct target *target, char *reason, size_t size);

/* The point's setup. An entry of the family's code list replaces entry point and shared memory. Callers use
 * this, not family->setup: its numbers of buffers and arguments are in bounds. */
struct setup point_setup(const struct point *point, const struct target *target);

/* Whether tensor cores multiply a sparse matrix. */
bool point_is_sparse(const struct point *point);

/* Whether launches of later points of the process may take longer. The point launches graphs with several
 * branches on one device: on H100s (driver 580) each launch of a graph, between two devices, then took 0.18
 * us more. Or it is sparse, which lowers the clock (worker/settle.h). */
bool point_slows(const struct point *point);

/* Resolve the axis arch of `point`: its value unless that is native; else the architecture of the code list's
 * entry for a device of architecture `native`, or `native`. */
arch family_arch(const struct point *point, arch native);

/* Whether several parts run at the same time (setup.parts). */
static inline bool setup_has_parts(const struct setup *setup)
{
    return setup->parts > 1;
}

/* The buffer that the launch of a part has in place of `buffer` (setup.parts). */
static inline int setup_part_buffer(const struct setup *setup, int part, int buffer)
{
    int all = setup->parts * setup->group;
    return buffer < all ? (buffer + part * setup->group) % all : buffer;
}

/* Whether a launch runs the family's own device code; the vendor's engines do not. */
static inline bool setup_has_code(const struct setup *setup)
{
    return setup->entry && (setup->engine == ENGINE_KERNEL || setup->engine == ENGINE_HOST_COPY ||
                            setup->engine == ENGINE_PEER_COPIES);
}

/* Whether a buffer is filled before a launch, and whether it is compared with the reference after one. */
static inline bool buffer_is_filled(const struct buffer *buffer)
{
    return buffer->role == BUFFER_INPUT || buffer->role == BUFFER_IN_PLACE;
}
static inline bool buffer_is_compared(const struct buffer *buffer)
{
    return buffer->role == BUFFER_OUTPUT || buffer->role == BUFFER_IN_PLACE;
}

/* Whether a buffer has the role. */
static inline bool setup_has_role(const struct setup *setup, enum buffer_role role)
{
    for (int b = 0; b < setup->buffers; b++)
        if (setup->buffer[b].role == role)
            return true;
    return false;
}

/* Bytes of all buffers, each rounded up to `alignment`. */
uint64_t setup_bytes(const struct setup *setup, uint64_t alignment);

/* Hash of kernel, version, compiled axes and architecture (native resolved with `capability`): points with
 * equal keys run the same machine code. */
uint64_t family_code_key(const struct point *point, int capability);

/* Hash of kernel and data axes: points with equal keys have the same inputs and outputs. */
uint64_t family_data_key(const struct point *point);
