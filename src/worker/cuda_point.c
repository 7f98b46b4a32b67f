#include "worker/cuda_point.h"

#include <stdio.h>
#include <string.h>

#include "worker/cuda_compile.h"
#include "worker/cuda_error.h"
#include "worker/verify.h"

/* Large buffers start on the pages that the driver maps, small ones on those of the host. */
#define LARGE_ALIGNMENT (UINT64_C(2) << 20)
#define SMALL_ALIGNMENT UINT64_C(4096)

/* Loaded code, most recent first: neighbouring points mostly share it. */
enum { LOADED_MAX = 64 };
static struct {
    uint64_t key;
    cudaLibrary_t library;
} loaded[LOADED_MAX];

static cudaLibrary_t load_library(struct cuda_point *p)
{
    int capability = (int)p->session->device.capability, at = 0;
    uint64_t key = family_code_key(p->point, capability);
    while (at < LOADED_MAX && loaded[at].library && loaded[at].key != key)
        at++;
    if (at < LOADED_MAX && loaded[at].library)
        return loaded[at].library;
    struct code code;
    struct text log = {0};
    cudaLibrary_t library;
    if (compile_point(p->point, capability, p->session->config.cache_folder, &code, &log) != 0) {
        char first[300];
        const char *line = log.data ? strstr(log.data, "error") : NULL;
        snprintf(first, sizeof first, "%.290s", line ? line : log.data ? log.data : "");
        first[strcspn(first, "\n")] = '\0';
        text_free(&log);
        cuda_fail("the kernel does not compile: %s", first);
    }
    text_free(&log);
    cudaError_t status = cudaLibraryLoadData(&library, code.image, NULL, NULL, 0, NULL, NULL, 0);
    code_free(&code);
    CUDA(status);
    if (loaded[LOADED_MAX - 1].library)
        CUDA(cudaLibraryUnload(loaded[LOADED_MAX - 1].library));
    memmove(loaded + 1, loaded, sizeof loaded - sizeof *loaded);
    loaded[0].key = key;
    loaded[0].library = library;
    return library;
}

static void describe_code(struct cuda_point *p, struct result *result)
{
    struct cudaFuncAttributes attributes;
    int blocks = 0, threads = (int)(p->setup.block[0] * p->setup.block[1] * p->setup.block[2]);
    CUDA(cudaFuncGetAttributes(&attributes, p->kernel));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, p->kernel, threads, p->setup.shared_dynamic));
    result->real[REAL_registers] = attributes.numRegs;
    result->real[REAL_shared_static] = (double)attributes.sharedSizeBytes;
    result->real[REAL_shared_dynamic] = p->setup.shared_dynamic;
    result->real[REAL_local_bytes] = (double)attributes.localSizeBytes;
    result->real[REAL_grid_blocks] = (double)p->setup.grid[0] * p->setup.grid[1] * p->setup.grid[2];
    result->real[REAL_block_threads] = threads;
    /* Whole warps are resident, whatever the block's size. */
    int warps = blocks * ((threads + 31) / 32), most = (int)p->session->device.threads_sm / 32;
    result->real[REAL_occupancy_theoretical] = (double)warps / most;
}

void cuda_point_load(struct cuda_point *p, struct result *result)
{
    if (p->setup.engine != ENGINE_KERNEL)
        return;
    CUDA(cudaLibraryGetKernel(&p->kernel, load_library(p), p->setup.entry));
    if (p->setup.shared_dynamic)
        CUDA(cudaFuncSetAttribute(p->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)p->setup.shared_dynamic));
    /* Set on every load, since the library may be loaded from a point that preferred otherwise. */
    CUDA(cudaFuncSetAttribute(p->kernel, cudaFuncAttributePreferredSharedMemoryCarveout, p->setup.carveout));
    describe_code(p, result);
}

static uint64_t buffer_bytes(const struct buffer *buffer)
{
    return buffer->count * dtype_size(buffer->dtype);
}

/* Offsets of the buffers in a set, each with a guard before and after it. */
static void place_set(struct cuda_point *p)
{
    uint64_t at = 0;
    for (int b = 0; b < p->setup.buffers; b++) {
        uint64_t bytes = buffer_bytes(&p->setup.buffer[b]);
        uint64_t alignment = bytes >= LARGE_ALIGNMENT ? LARGE_ALIGNMENT : SMALL_ALIGNMENT;
        at = (at + CUDA_GUARD_BYTES + alignment - 1) / alignment * alignment;
        p->offset[b] = at;
        at += bytes;
    }
    at += CUDA_GUARD_BYTES;
    p->set_bytes = (at + LARGE_ALIGNMENT - 1) / LARGE_ALIGNMENT * LARGE_ALIGNMENT;
    if (at < LARGE_ALIGNMENT) /* sets of small buffers lie close, so that many fit */
        p->set_bytes = (at + SMALL_ALIGNMENT - 1) / SMALL_ALIGNMENT * SMALL_ALIGNMENT;
}

static void fill_input(struct cuda_point *p, uint32_t set, int b)
{
    struct buffer *buffer = &p->setup.buffer[b];
    char *out = cuda_point_buffer(p, set, b);
    uint64_t seed = p->seed + (uint64_t)b;
    int dtype = buffer->dtype;
    void *arguments[] = {&out, &buffer->count, &dtype, &buffer->fill, &seed};
    cuda_session_launch(p->session, p->session->fill, arguments, true);
}

void cuda_point_place(struct cuda_point *p, uint32_t sets)
{
    place_set(p);
    uint64_t room = cuda_session_room(p->session);
    if (p->set_bytes > room)
        cuda_fail("its arrays need %.4g GiB; %.4g GiB are free", (double)p->set_bytes / 0x1p30,
                  (double)room / 0x1p30);
    p->sets = (uint64_t)sets * p->set_bytes > room ? (uint32_t)(room / p->set_bytes) : sets;
    p->arena = cuda_session_arena(p->session, p->sets * p->set_bytes);
    for (uint32_t set = 0; set < p->sets; set++)
        for (int b = 0; b < p->setup.buffers; b++)
            if (p->setup.buffer[b].role == BUFFER_INPUT)
                fill_input(p, set, b);
}

char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer)
{
    return p->arena + set * p->set_bytes + p->offset[buffer];
}

static void launch_kernel(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    const struct setup *s = &p->setup;
    char *address[SETUP_ARGUMENTS_MAX];
    void *arguments[SETUP_ARGUMENTS_MAX];
    for (int i = 0; i < s->arguments; i++) {
        arguments[i] = (void *)&s->argument[i].value; /* little-endian: the low half is the 32-bit number */
        if (s->argument[i].kind == ARGUMENT_BUFFER) {
            address[i] = cuda_point_buffer(p, set, (int)s->argument[i].value);
            arguments[i] = &address[i];
        }
    }
    cudaLaunchConfig_t launch = {.gridDim = {s->grid[0], s->grid[1], s->grid[2]},
                                 .blockDim = {s->block[0], s->block[1], s->block[2]},
                                 .dynamicSmemBytes = s->shared_dynamic,
                                 .stream = stream};
    CUDA(cudaLaunchKernelExC(&launch, p->kernel, arguments));
}

void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn)
{
    struct cuda_point *p = context;
    uint32_t set = (uint32_t)(turn % p->sets);
    switch (p->setup.engine) {
    case ENGINE_KERNEL:
        launch_kernel(p, stream, set);
        break;
    case ENGINE_MEMCPY:
        CUDA(cudaMemcpyAsync(cuda_point_buffer(p, set, 1), cuda_point_buffer(p, set, 0),
                             buffer_bytes(&p->setup.buffer[0]), cudaMemcpyDeviceToDevice, stream));
        break;
    }
}

static void poison(struct cuda_point *p)
{
    cudaStream_t stream = p->session->stream;
    for (int b = 0; b < p->setup.buffers; b++) {
        char *at = cuda_point_buffer(p, 0, b);
        uint64_t bytes = buffer_bytes(&p->setup.buffer[b]);
        CUDA(cudaMemsetAsync(at - CUDA_GUARD_BYTES, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
        CUDA(cudaMemsetAsync(at + bytes, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
        if (p->setup.buffer[b].role == BUFFER_OUTPUT)
            CUDA(cudaMemsetAsync(at, VERIFY_POISON, bytes, stream));
    }
}

static void check_guard(struct cuda_point *p, const char *at, const char *where, int b)
{
    const unsigned char *bytes = (const unsigned char *)p->session->staging;
    CUDA(cudaMemcpyAsync(p->session->staging, at, CUDA_GUARD_BYTES, cudaMemcpyDeviceToHost,
                         p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    for (int i = 0; i < CUDA_GUARD_BYTES; i++)
        if (bytes[i] != VERIFY_POISON)
            cuda_fail("the kernel wrote out of bounds: %d bytes into the guard %s buffer '%s'", i, where,
                      p->setup.buffer[b].name);
}

static void check_ranges(struct cuda_point *p, struct verification *v, const struct verify_plan *plan)
{
    uint64_t size = dtype_size(p->setup.buffer[plan->buffer].dtype), portion = CUDA_STAGING_BYTES / size;
    for (int r = 0; r < plan->ranges; r++) {
        uint64_t first = plan->range[r].first, end = first + plan->range[r].count;
        for (; first < end; first += portion) {
            uint64_t count = end - first < portion ? end - first : portion;
            CUDA(cudaMemcpyAsync(p->session->staging, cuda_point_buffer(p, 0, plan->buffer) + first * size,
                                 count * size, cudaMemcpyDeviceToHost, p->session->stream));
            CUDA(cudaStreamSynchronize(p->session->stream));
            verify_range(v, plan, first, count, p->session->staging);
        }
    }
}

/* The flush buffer is where samples are gathered: it is there, large enough, and only ever read. */
static void check_samples(struct cuda_point *p, struct verification *v, const struct verify_plan *plan)
{
    uint32_t size = (uint32_t)dtype_size(p->setup.buffer[plan->buffer].dtype);
    char *in = cuda_point_buffer(p, 0, plan->buffer), *out = p->session->flush;
    uint64_t samples = plan->samples, count = plan->count, seed = plan->seed;
    if (!samples)
        return;
    void *arguments[] = {&in, &out, &samples, &count, &seed, &size};
    cuda_session_launch(p->session, p->session->gather, arguments, true);
    CUDA(cudaMemcpyAsync(p->session->staging, out, samples * size, cudaMemcpyDeviceToHost,
                         p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    verify_samples(v, plan, 0, samples, p->session->staging);
}

void cuda_point_verify(struct cuda_point *p, struct result *result)
{
    poison(p);
    cuda_point_launch(p, p->session->stream, 0);
    CUDA(cudaStreamSynchronize(p->session->stream));
    struct inputs inputs = {.setup = &p->setup, .seed = p->seed};
    struct verification v = verify_start(p->family, p->point, &inputs, p->session->config.threads);
    for (int b = 0; b < p->setup.buffers; b++) {
        char *at = cuda_point_buffer(p, 0, b);
        check_guard(p, at - CUDA_GUARD_BYTES, "before", b);
        check_guard(p, at + buffer_bytes(&p->setup.buffer[b]), "after", b);
        if (p->setup.buffer[b].role != BUFFER_OUTPUT)
            continue;
        struct verify_plan plan = verify_plan_buffer(&p->setup, b, p->seed);
        check_ranges(p, &v, &plan);
        check_samples(p, &v, &plan);
    }
    result->real[REAL_verified] = (double)v.compared;
    result->real[REAL_error_max] = v.error_max;
    if (!verify_passed(&v)) {
        result->status = STATUS_FAILED;
        verify_describe(&v, result->message, sizeof result->message);
    }
}
