/* family.h - the contract of a kernel family, and how to add one.
 *
 * To add a family called NAME:
 *   1. kernels/NAME/NAME.c   the descriptor below: axes, what cannot exist, buffers and launch, the bytes and
 *                            flops, and the C reference. All const and pure: no state, no allocation.
 *   2. kernels/NAME/NAME.cu  the device code, compiled per point by NVRTC with the macros below.
 *   3. kernels/registry.c    one line in the table.
 * Tests find the family through the registry: every variant is compiled for every architecture, its
 * arithmetic checked, and the host back end runs its reference.
 *
 * Macros that device code is compiled with, one or more per `compiled` axis (a missing one is an #error):
 *   count or bytes axis  vector = 4      -DVECTOR=4
 *   word axis            variant = load  -DVARIANT_load=1
 *   dtype                f32             -DDTYPE_f32=1 -DELEMENT=float -DELEMENT_SIZE=4
 *   arch                                 the compiler's --gpu-architecture; __CUDA_ARCH__ tells
 * Device code may include "device.cuh" (kernels/device.cuh: vectors of elements, conversions). */
#ifndef KERNELS_FAMILY_H
#define KERNELS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/point.h"
#include "kernels/fill.h"

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

/* A kernel parameter. */
enum argument_kind { ARGUMENT_BUFFER, ARGUMENT_U32, ARGUMENT_U64, ARGUMENT_F32 };
struct argument {
    enum argument_kind kind;
    uint64_t value; /* buffer index; the number; for F32 the bits of the float in the low half */
};

/* Who does the work of a point. */
enum engine {
    ENGINE_KERNEL, /* the family's own device code */
    ENGINE_MEMCPY, /* cudaMemcpyAsync of buffer 0's bytes to buffer 1: the vendor's speed of light */
};

#define SETUP_BUFFERS_MAX   8
#define SETUP_ARGUMENTS_MAX 16

/* Everything a launch needs, as numbers. */
struct setup {
    enum engine engine;
    const char *entry; /* extern "C" name of the kernel in NAME.cu */
    struct buffer buffer[SETUP_BUFFERS_MAX];
    int buffers;
    struct argument argument[SETUP_ARGUMENTS_MAX];
    int arguments;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic; /* bytes */
    int carveout;            /* percent of L1 preferred as shared memory; -1: the driver's choice */
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
};
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

/* How far an output element may be from the reference: |out - ref| <= absolute + relative * |ref|. Both 0:
 * bit for bit. */
struct tolerance {
    double relative, absolute;
};

struct family {
    struct space space; /* name and axes; every family has variant, arch and cache among them */
    const char *summary;
    bool node_exclusive; /* loads the host link: never beside another point on its node */
    const char *source;  /* the text of NAME.cu */

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
};

/* The registry (kernels/registry.c). */
extern const struct family *const families[]; /* NULL-terminated, in the order of the documentation */
const struct family *family_find(const char *kernel);
const struct space *family_space(const char *kernel); /* a space_finder */
const struct family *family_of(const struct point *point);

/* Why `point` cannot run on `target`, by the rules every family shares (architecture against device, host
 * back end, memory) and then by its own; NULL when it can. */
const char *family_skip(const struct point *point, const struct target *target, char *reason, size_t size);

/* Bytes of all buffers of a setup, each rounded up to `alignment`. */
uint64_t setup_bytes(const struct setup *setup, uint64_t alignment);

/* The -D options of a point's compiled axes, appended to `out` as NUL-free strings separated by '\n'. */
void family_macros(const struct point *point, struct text *out);

/* Whether two points of one family need the same machine code is decided by this key: kernel, compiled axes
 * and the architecture (native resolved with `capability`). */
uint64_t family_code_key(const struct point *point, int capability);

#endif
