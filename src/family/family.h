/* family.h - the contract of a kernel family, and how to add one.
 *
 * To add a family called NAME:
 *   1. kernels/NAME/NAME.c   the descriptor below: axes, what cannot exist, buffers and launch, the bytes and
 *                            flops, and the C reference. All const and pure: no state, no allocation.
 *   2. kernels/NAME/NAME.cu  the device code, compiled per point by NVRTC with the macros below.
 *   3. kernels/NAME/NAME.claims  what the variants compile to, in machine code (family/code/claims.h).
 *   4. kernels/registry.c    one line in the table.
 * family/rules.h has what most families check and compute alike. Tests find the family through the registry:
 * every variant is compiled for every architecture, its arithmetic checked, and the host back end runs its
 * reference.
 *
 * A family of a user's own needs no rebuilding: NAME.c with `.source = NULL`, exported as `warpsweep_family`
 * beside `const int warpsweep_family_abi = FAMILY_ABI;`, is built to NAME.so and lies with NAME.cu, or with
 * machine code of another compiler's, in the folder that --kernels names (family/code/plugin.h; tests/user_family and
 * examples/triton are examples).
 *
 * Macros that device code is compiled with, for each `compiled` axis:
 *   count or bytes axis  vector = 4      -DVECTOR=4
 *   word axis            variant = load  -Dvariant_load=1
 *   dtype                f32             -DDTYPE_f32=1 -DELEMENT=float -DELEMENT_SIZE=4
 *   arch                                 the compiler's --gpu-architecture; __CUDA_ARCH__ tells
 * A condition on any other name (#ifdef VARIANT_load) and a compiled axis that the code never mentions are
 * errors (family/code/macros.h). Device code may include "device.cuh" (vectors of elements), "element.cuh"
 * (their conversions to float and back), "hint.cuh" (accesses with cache hints), "bulk.cuh" (copies in bulk and
 * their barriers) and "sum.cuh" (sums over warp, block and grid),
 * "wide.cuh" (the widest accesses past L1). */
#ifndef FAMILY_FAMILY_H
#define FAMILY_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/point.h"
#include "family/fill.h"

/* The device a point would run on, as far as it is known. All zero: unknown (`check` without a chip), and
 * nothing may then be called impossible for the device's sake. */
struct target {
    int capability; /* major * 10 + minor of the device; for `check --arch`, of the architecture */
    int multiprocessors;
    uint64_t l2_bytes, memory_bytes, shared_bytes /* one block's most */, shared_sm_bytes;
    int threads_sm;
    bool host; /* the host back end: the reference itself is what runs */
};

enum buffer_role {
    BUFFER_INPUT,   /* filled before the run, unchanged by it */
    BUFFER_OUTPUT,  /* poisoned before the run, compared after it */
    BUFFER_SCRATCH, /* contents do not matter */
    BUFFER_ZEROED,  /* zero before the first launch only: counters that kernels leave at zero again */
    BUFFER_REPORT, /* written by the kernel about itself (cycles ...); fetched after sampling for `observe` */
};

struct buffer {
    const char *name;
    enum buffer_role role;
    enum dtype dtype;
    uint64_t count;   /* elements */
    struct fill fill; /* inputs: how they are filled */
    bool on_host;     /* lives in host memory (host_copy): pinned unless `pageable` */
    bool pageable;
};

/* The two that every family has. */
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
    ARGUMENT_BUFFER, /* a buffer's address; `value` is its index, or BUFFER_FROM */
    ARGUMENT_U32,
    ARGUMENT_U64,
    ARGUMENT_F32,     /* the bits of the float in the low half of `value` */
    ARGUMENT_TENSOR,  /* setup.tensor[value] as a `const __grid_constant__ CUtensorMap` */
    ARGUMENT_TEXTURE, /* a cudaTextureObject_t over buffer `value`, linear, read by tex1Dfetch */
};
/* The address so many bytes into a buffer: an offset that costs the kernel nothing. */
#define BUFFER_FROM(buffer, bytes) ((uint64_t)(buffer) | (uint64_t)(bytes) << 8)
#define BUFFER_OF(value)           ((int)((value)&0xff))
#define BUFFER_OFFSET(value)       ((value) >> 8)
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

/* Who does the work of a point. */
enum engine {
    ENGINE_KERNEL, /* the family's own device code */
    ENGINE_MEMCPY, /* cudaMemcpyAsync of all of buffer 0 to buffer 1: the vendor's speed of light */
    ENGINE_GEAM,   /* cuBLAS: buffer 1 (shape[1] x shape[0]) = transpose of buffer 0 (shape[0] x shape[1]),
                      row-major */
    ENGINE_GEMM,   /* cuBLAS without TF32: buffer 2 (m x n) = buffer 0 (m x k) * buffer 1 (k x n), row-major;
                      shape = {m, n, k} */
    ENGINE_CUB_REDUCE, /* cub::DeviceReduce::Sum of buffer 0 into buffer 1 */
    ENGINE_HOST_COPY,  /* copies between host and device in chunks over streams; see struct host_copy */
    ENGINE_GEMM_LT,    /* cuBLASLt, the first algorithm of its heuristic: as ENGINE_GEMM */
    ENGINE_CUB_COPY,   /* cub::DeviceTransform: buffer 1 = buffer 0 */
    ENGINE_CUB_ADD,    /* the same: buffer 2 = buffer 0 + buffer 1 */
    ENGINE_CUB_SILU_MUL, /* the same: buffer 1 = silu(x) * y; buffer 0 has shape[0] rows of shape[1] x, then y */
};

/* ENGINE_HOST_COPY: buffer 0 to buffer 1 in `chunks` equal parts, part i on stream i mod `streams`. With an
 * entry point, the kernel runs on each part where it lies on the device, after (to the device) or before (to
 * the host) its copy, with the arguments (address of the part, its elements as u64). With a third buffer, on the
 * device, each part goes from the host through that, and the kernel, back to the host. */
struct host_copy {
    uint32_t chunks, streams;
};

#define SETUP_BUFFERS_MAX   8
#define SETUP_ARGUMENTS_MAX 16
#define SETUP_TENSORS_MAX   2

/* Everything a launch needs, as numbers. */
struct setup {
    enum engine engine;
    const char *entry; /* extern "C" name of the kernel in NAME.cu; setup_has_code tells whether it is used */
    struct buffer buffer[SETUP_BUFFERS_MAX];
    int buffers;
    struct argument argument[SETUP_ARGUMENTS_MAX];
    int arguments;
    struct tensor tensor[SETUP_TENSORS_MAX];
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic;  /* bytes */
    int carveout;             /* percent of L1 preferred as shared memory; -1: the driver's choice */
    bool programmatic_launch; /* may start before the launch before it has ended (sm_90 on) */
    const char *constant; /* a __constant__ symbol that gets a buffer's contents before the run, or NULL */
    int constant_buffer;
    uint64_t shape[4]; /* vendors' engines: see above */
    struct host_copy host_copy;
};

/* What the point has to do at least: useful bytes and operations, each once. */
struct work {
    uint64_t bytes_read, bytes_written, flops;
};

/* What a reference reads: element `index` of an input, whether it lies in memory or is generated. */
struct inputs {
    const struct setup *setup;
    const void *data[SETUP_BUFFERS_MAX]; /* host copies of whole input buffers; NULL: generate each element */
    uint64_t seed;

    /* For references whose one element reads everything (a sum): the worker's parallel for, or NULL. */
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
    if (inputs->data[buffer])
        memcpy(element, (const char *)inputs->data[buffer] + index * size, size);
    else
        fill_element(&b->fill, b->dtype, inputs->seed + (uint64_t)buffer, index, element);
}
static inline double inputs_real(const struct inputs *inputs, int buffer, uint64_t index)
{
    uint64_t element = 0; /* room for the widest type */
    inputs_load(inputs, buffer, index, &element);
    return dtype_load(inputs->setup->buffer[buffer].dtype, &element);
}

/* Elements [first, first + count) of an input: as they are (`elements` aligned as their type asks), and as doubles. Many
 * times as fast as one by one. */
void inputs_load_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       void *elements);
void inputs_real_range(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                       double *values);

/* How far an output element may be from the reference: |out - ref| <= absolute + relative * |ref|. Both 0:
 * bit for bit. */
struct tolerance {
    double relative, absolute;
};

/* One memory instruction as one warp executes it: what the access model counts from. */
enum access_space { ACCESS_GLOBAL, ACCESS_SHARED };
struct access {
    enum access_space space;
    bool store;
    bool
        behind; /* a load that stays behind the stores before it, and so behind what they waited for: the compiler may
                        not assume that they go elsewhere, or a loop of rounds not known to it is between them */
    int buffer;      /* global: the buffer */
    uint32_t width;  /* bytes per lane as the source has them, 1 to 32; the model splits what the architecture
                        has no single instruction for */
    uint32_t active; /* bit i: lane i takes part */
    uint64_t address[32]; /* bytes from the start of the buffer, or of the block's shared memory */
    uint64_t times;       /* how often the warp executes just this */
};

/* The first `lanes` lanes take part, `step` bytes apart: what most accesses are. */
static inline void access_evenly(struct access *access, uint64_t first, uint64_t step, uint64_t lanes)
{
    access->active = lanes < 32 ? (UINT32_C(1) << lanes) - 1 : UINT32_MAX;
    for (uint32_t lane = 0; lane < 32; lane += 2) { /* all of them: a loop of known length is faster */
        access->address[lane] = first;
        access->address[lane + 1] = first + step;
        first += 2 * step;
    }
}

/* What a kernel reports about itself, by observe(). NaN: nothing. */
struct observation {
    double latency_p05, latency_p50, latency_p95; /* cycles per dependent access */
};

/* Counts up with any change of what is above and below: shared objects are built for one layout, which
 * tests/unit/test_family_abi.c holds. */
#define FAMILY_ABI 6

#define FAMILY_AXIS(index) (UINT64_C(1) << (index))

/* Where the bytes of a family's `work` have to come from and go to, at best. */
enum memory_level {
    MEMORY_DRAM,   /* DRAM; L2 where the point is hot and fits */
    MEMORY_SHARED, /* shared memory */
    MEMORY_LINK,   /* the link between host and device */
    MEMORY_NONE,   /* no bandwidth is what it is about */
};

/* Its functions may be called by several threads at once, for one point and for others: references are computed on all
 * processors, and those of the next points while one is predicted. */
struct family {
    struct space space; /* name and axes; every family has variant, arch and cache among them */
    const char *summary;
    bool node_exclusive; /* loads the host link: never beside another point on its node */
    bool materialise; /* the reference reads inputs->data: inputs are small, and each element is read often */
    enum memory_level memory;
    /* Axes that inputs and outputs depend on, FAMILY_AXIS(i) of each: points that are alike in them get the same inputs, and
     * their reference is computed once. 0: all axes. */
    uint64_t data_axes;
    const char *source; /* the text of NAME.cu */
    const char *claims; /* what its variants compile to (family/code/claims.h), or NULL: nothing is claimed */
    const struct code_list *code; /* machine code in place of a source (family/code_list.h): of users alone */

    /* Why this point cannot exist on this target, as a full sentence without a full stop; NULL when it can.
     * May write into `reason` (size `size`) and return that. Called before anything else: the others may
     * rely on what it rules out. */
    const char *(*skip)(const struct point *point, const struct target *target, char *reason, size_t size);
    struct setup (*setup)(const struct point *point, const struct target *target);
    struct work (*work)(const struct point *point);
    struct tolerance (*tolerance)(const struct point *point);

    /* The reference: elements [first, first + count) of output buffer `buffer`, in its dtype, into `out`,
     * which holds the poison when called: leave the elements that the kernel does not write. */
    void (*reference)(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out);

    /* Optional. Memory instruction `index` (0, 1, ...) of warp `warp`, counted block by block over the grid;
     * false past the warp's last. NULL where addresses are not known before the run. */
    bool (*access)(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out);

    /* Optional. What the BUFFER_REPORT buffer says; `data` is its contents. */
    void (*observe)(const struct point *point, const struct setup *setup, const void *data,
                    struct observation *out);
};

/* Families in one process, at most. */
#define FAMILIES_MAX 64

/* The family of that name in a NULL-terminated table, or NULL. */
const struct family *family_in(const struct family *const *table, const char *kernel);

/* The family that a point is of. */
const struct family *family_of(const struct point *point);

/* Why `point` cannot run on `target`, by the rules every family shares (architecture against device, host
 * back end, memory) and then by its own; NULL when it can. */
const char *family_skip(const struct point *point, const struct target *target, char *reason, size_t size);

/* Its setup, with what the machine code that it brings says of itself in place of what `setup` says. This is what
 * everybody else asks. */
struct setup point_setup(const struct point *point, const struct target *target);

/* What the axis arch of `point` means where `native` is the architecture of the device: itself if it is named, else
 * `native`, or that of the machine code which the family brings for it. */
arch family_arch(const struct point *point, arch native);

/* Whether a launch needs the family's own device code: vendors' engines bring theirs. */
static inline bool setup_has_code(const struct setup *setup)
{
    return setup->entry && (setup->engine == ENGINE_KERNEL || setup->engine == ENGINE_HOST_COPY);
}

/* Bytes of all buffers of a setup, each rounded up to `alignment`. */
uint64_t setup_bytes(const struct setup *setup, uint64_t alignment);

/* Two points of one family need the same machine code when this key is the same: of kernel, compiled axes and
 * architecture (native resolved with `capability`). */
uint64_t family_code_key(const struct point *point, int capability);

/* Two points of one family have the same inputs and outputs when this key is the same: of kernel and data axes. */
uint64_t family_data_key(const struct point *point);

#endif
