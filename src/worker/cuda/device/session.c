#include "worker/cuda/device/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/device.h"
#include "worker/cuda/compile/compile.h"
#include "worker/machine.h"

#define FEW_BYTES (UINT64_C(64) << 20) /* three thousand references of the referee */

extern const char support_source[];

/* Which visible device a local rank gets. Where the launcher shows each rank one device of its own, that is
 * index 0 for all of them; else rank k takes device k. Two ranks on one device are found out by its UUID. */
static int choose_device(int local_rank, int *ordinal, struct error *error)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
        return error_set(error, ERROR_ENVIRONMENT, "no CUDA device: %s", cudaGetErrorString(status));
    if (count == 0)
        return error_set(error, ERROR_ENVIRONMENT, "no CUDA device is visible");
    if (count > 1 && local_rank >= count)
        return error_set(error, ERROR_ENVIRONMENT, "local rank %d has no GPU: %d are visible on this node",
                         local_rank, count);
    *ordinal = count == 1 ? 0 : local_rank;
    return 0;
}

static void describe_device(struct cuda_session *session, int ordinal)
{
    struct device *d = &session->device;
    struct cudaDeviceProp properties;
    int driver = 0;
    char nvrtc[32];
    CUDA(cudaGetDeviceProperties(&properties, ordinal));
    CUDA(cudaDriverGetVersion(&driver));
    CUDA(cudaDeviceGetPCIBusId(d->pci, sizeof d->pci, ordinal));
    for (char *c = d->pci; *c; c++) /* as sysfs and hwloc have it */
        if (*c >= 'A' && *c <= 'F')
            *c += 'a' - 'A';
    compile_version(nvrtc, sizeof nvrtc);
    snprintf(d->name, sizeof d->name, "%.90s", properties.name);
    snprintf(d->backend, sizeof d->backend, "cuda");
    const char *missing;
    int cccl = headers_of_nvrtc(&missing)->cccl_version;
    int length = snprintf(d->toolkit, sizeof d->toolkit, "driver %d.%d / NVRTC %s / ", driver / 1000,
                          driver % 1000 / 10, nvrtc);
    if (cccl)
        snprintf(d->toolkit + length, sizeof d->toolkit - (size_t)length, "CCCL %d.%d.%d", cccl / 1000000,
                 cccl / 1000 % 1000, cccl % 1000);
    else
        snprintf(d->toolkit + length, sizeof d->toolkit - (size_t)length, "no CCCL");
    gethostname(d->host, sizeof d->host - 1);
    const unsigned char *u = (const unsigned char *)properties.uuid.bytes;
    snprintf(d->uuid, sizeof d->uuid,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
             u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    session->nvml = nvml_open(d->pci);
    nvml_describe(session->nvml, d);
    machine_describe("", d);
    d->ordinal = ordinal;
    d->capability = properties.major * 10 + properties.minor;
    d->multiprocessors = properties.multiProcessorCount;
    d->l2_bytes = properties.l2CacheSize;
    d->memory_bytes = (int64_t)properties.totalGlobalMem;
    d->shared_bytes = (int64_t)properties.sharedMemPerBlockOptin;
    d->shared_sm_bytes = (int64_t)properties.sharedMemPerMultiprocessor;
    d->threads_sm = properties.maxThreadsPerMultiProcessor;
    d->bus_width = cuda_attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
    d->clock_max = 1e3 * (double)cuda_attribute(cudaDevAttrClockRate, ordinal);
    d->memory_clock = 1e3 * (double)cuda_attribute(cudaDevAttrMemoryClockRate, ordinal);
    if (d->bus_width <= 0) /* GB10 and Thor have no memory of their own, and report 0 */
        d->bus_width = -1;
    if (d->memory_clock > 0 && d->bus_width > 0) /* double data rate: two transfers a clock */
        d->nominal = 2 * d->memory_clock * (double)d->bus_width / 8;
    datasheet_fill(d);
}

cudaLibrary_t cuda_session_take(struct code *code)
{
    cudaLibrary_t library;
    cudaError_t status = cudaLibraryLoadData(&library, code->image, NULL, NULL, 0, NULL, NULL, 0);
    code_free(code);
    CUDA(status);
    return library;
}

void cuda_session_load(struct cuda_session *session, const char *name, const char *source,
                       const struct cuda_named_kernel *kernels, size_t count)
{
    struct code code;
    struct text log = {0};
    /* -fmad=false: inputs are generated here and on the CPU and must be equal bit for bit. */
    if (compile_source(name, source, NULL, compile_arch((int)session->device.capability, false),
                       "--fmad=false\n", session->config.cache_folder, &code, &log) != 0)
        cuda_fail("the worker's device code does not compile: %.300s", log.data);
    text_free(&log);
    cudaLibrary_t library = cuda_session_take(&code);
    for (size_t i = 0; i < count; i++)
        CUDA(cudaLibraryGetKernel(kernels[i].kernel, library, kernels[i].name));
}

static void load_support(struct cuda_session *session)
{
    const struct cuda_named_kernel kernels[] = {
#define X(name) {#name, &session->name},
        SUPPORT_KERNELS(X)
#undef X
    };
    cuda_session_load(session, "support.cu", support_source, kernels, sizeof kernels / sizeof *kernels);
}

int cuda_session_find(struct cuda_session *session, int local_rank, struct error *error)
{
    struct cuda_guard guard;
    int ordinal = 0;
    *session = (struct cuda_session){.device = device_unknown(), .config = config_standard()};
    if (choose_device(local_rank, &ordinal, error) != 0)
        return -1;
    session->device.ordinal = ordinal;
    if (cuda_guard_set(&guard) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "the GPU cannot be used: %s", guard.message);
    describe_device(session, (int)session->device.ordinal);
    cuda_guard_end();
    session->found = true;
    return 0;
}

int cuda_session_open(struct cuda_session *session, int local_rank, struct error *error)
{
    struct cuda_guard guard;
    if (!session->found && cuda_session_find(session, local_rank, error) != 0)
        return -1;
    const int ordinal = (int)session->device.ordinal;
    if (cuda_guard_set(&guard) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "the GPU cannot be used: %s", guard.message);
    /* Waiting threads sleep: a rank's processor is not the worker's alone. */
    CUDA(cudaInitDevice(ordinal, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
    CUDA(cudaSetDevice(ordinal));
    CUDA(cudaStreamCreateWithFlags(&session->stream, cudaStreamNonBlocking));
    cuda_guard_end();
    return 0;
}

void cuda_session_close(struct cuda_session *session)
{
    nvml_close(session->nvml);
    cudaFree(session->arena);
    cudaFree(session->flush);
    cudaFree(session->product_memory);
    cudaFreeHost(session->panel);
    cudaFreeHost(session->staging);
    host_memory_release();
    reference_prefetch_free(session->prefetch);
    expectations_free(session->expectations);
    expectations_free(session->few);
    cudaStreamDestroy(session->stream);
}

void cuda_session_make_flush(struct cuda_session *session)
{
    const struct fill random = {.kind = FILL_RANDOM};
    /* Three times L2: its replacement is not strictly by age, so twice leaves some lines. */
    session->flush_bytes = 3 * (uint64_t)(session->device.l2_bytes > 0 ? session->device.l2_bytes : 64 << 20);
    CUDA(cudaMalloc((void **)&session->flush, session->flush_bytes));
    cuda_session_fill(session, session->flush, DTYPE_I64, session->flush_bytes / 8, &random,
                      session->config.seed);
}

/* mma.m8n8k4 of f64 begins with compute capability 8.0. */
bool cuda_session_multiplies(const struct cuda_session *session)
{
    const char *reference = getenv("WARPSWEEP_REFERENCE");
    return session->device.capability >= 80 && (!reference || strcmp(reference, "host") != 0);
}

void cuda_session_prepare(struct cuda_session *session)
{
    if (session->flush)
        return;
    load_support(session);
    CUDA(cudaHostAlloc((void **)&session->staging, CUDA_STAGING_BYTES, cudaHostAllocDefault));
    session->expectations = expectations_new(expectations_standard_bytes());
    session->few = expectations_new(FEW_BYTES);
    const char *prefetch = getenv("WARPSWEEP_PREFETCH");
    session->prefetches =
        session->config.threads >= PREFETCH_PROCESSORS_MIN && (!prefetch || strcmp(prefetch, "0") != 0);
    session->threads = session->config.threads - session->prefetches;
    session->prefetch = reference_prefetch_new(session->expectations, session->few, session->threads,
                                               !cuda_session_multiplies(session));
    cuda_session_make_flush(session);
}

uint64_t cuda_session_room(const struct cuda_session *session)
{
    uint64_t room = cuda_memory_free() + session->arena_bytes;
    return room > CUDA_RESERVED_BYTES ? room - CUDA_RESERVED_BYTES : 0;
}

/* The driver overwrites memory that was freed, in the background, and takes a sixth of DRAM's bandwidth from
 * whatever runs meanwhile: measured on an H100 as 2.6 ms a GiB (docs/method/measurement.md). Three to four
 * times that long, for devices with less bandwidth, nothing is timed. */
#define SCRUB_BYTES_PER_SECOND 100e9

void cuda_session_freed(uint64_t bytes)
{
    clock_sleep((double)bytes / SCRUB_BYTES_PER_SECOND);
}

char *cuda_session_arena(struct cuda_session *session, uint64_t bytes)
{
    if (bytes <= session->arena_bytes)
        return session->arena;
    char *old = session->arena;
    uint64_t freed = session->arena_bytes, room = cuda_session_room(session);
    /* An eighth of the device first, then by doubling, so that it grows, and waits, seldom; but half of the
     * device is left where it is not asked for. Devices that others of the run open too have no more than is
     * asked for at first. */
    const bool whole = !freed && session->config.one_device;
    const uint64_t wish = whole ? room / 8 : 2 * freed;
    if (bytes < wish && wish <= room / 2)
        bytes = wish;
    session->arena = NULL;
    session->arena_bytes = 0;
    CUDA(cudaFree(old));
    CUDA(cudaMalloc((void **)&session->arena, bytes));
    cuda_session_freed(freed);
    session->arena_bytes = bytes;
    return session->arena;
}

/* ---- Several devices ---- */

/* Exchange the session's own fields with those of an end. */
static void exchange(struct cuda_session *session, int end)
{
    struct cuda_end other = session->peer.end[end];
    session->peer.end[end] = (struct cuda_end){.ordinal = (int)session->device.ordinal,
                                               .stream = session->stream,
                                               .ended = other.ended,
                                               .arena = session->arena,
                                               .flush = session->flush,
                                               .arena_bytes = session->arena_bytes,
                                               .flush_bytes = session->flush_bytes};
    session->device.ordinal = other.ordinal;
    session->stream = other.stream;
    session->arena = other.arena;
    session->flush = other.flush;
    session->arena_bytes = other.arena_bytes;
    session->flush_bytes = other.flush_bytes;
    CUDA(cudaSetDevice(other.ordinal));
}

void cuda_session_enter(struct cuda_session *session, int end)
{
    struct cuda_peer *peer = &session->peer;
    if (!peer->remote || peer->entered == end)
        return;
    CUDA(cudaStreamSynchronize(session->stream));
    int left = peer->entered;
    peer->entered = end;
    if (left)
        exchange(session, left);
    if (end)
        exchange(session, end);
}

static void use_device(struct cuda_session *session, int ordinal)
{
    if (session->peer.remote)
        CUDA(cudaSetDevice(ordinal));
}

void cuda_session_begin(struct cuda_session *session, cudaStream_t stream)
{
    CUDA(cudaEventRecord(session->peer.begun, stream));
}

cudaStream_t cuda_session_fork(struct cuda_session *session, int end)
{
    const struct cuda_end *other = &session->peer.end[end];
    use_device(session, other->ordinal);
    CUDA(cudaStreamWaitEvent(other->stream, session->peer.begun, 0));
    return other->stream;
}

void cuda_session_back(struct cuda_session *session)
{
    use_device(session, (int)session->device.ordinal);
}

void cuda_session_join(struct cuda_session *session, cudaStream_t stream, int end)
{
    const struct cuda_end *other = &session->peer.end[end];
    CUDA(cudaEventRecord(other->ended, other->stream));
    CUDA(cudaStreamWaitEvent(stream, other->ended, 0));
}

/* ---- Launches of the worker's own kernels ---- */

enum { WHOLE_THREADS = 512 };

static void launch_on(struct cuda_session *session, cudaStream_t stream, cudaKernel_t kernel,
                      void **arguments, bool whole_device)
{
    cudaLaunchConfig_t launch = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .stream = stream};
    if (whole_device) { /* one wave: SMs of compute capability 8.6, 8.9 and 12.0 have 1536 threads, others
                           2048 */
        launch.blockDim.x = WHOLE_THREADS;
        launch.gridDim.x =
            (unsigned)(session->device.multiprocessors * (session->device.threads_sm / WHOLE_THREADS));
    }
    CUDA(cudaLaunchKernelExC(&launch, kernel, arguments));
    session->launches += !session->peer.entered && stream == session->stream;
}

void cuda_session_launch(struct cuda_session *session, cudaKernel_t kernel, void **arguments,
                         bool whole_device)
{
    launch_on(session, session->stream, kernel, arguments, whole_device);
}

void cuda_session_fill(struct cuda_session *session, char *out, enum dtype dtype, uint64_t count,
                       const struct fill *fill, uint64_t seed)
{
    int type = dtype;
    struct fill copy = *fill;
    void *arguments[] = {&out, &count, &type, &copy, &seed};
    cuda_session_launch(session, session->fill, arguments, true);
}

void cuda_session_flush(struct cuda_session *session, double dirty)
{
    uint32_t once = 1, of_256 = (uint32_t)(dirty * 256 + 0.5), *how = dirty > 0 ? &of_256 : &once;
    cudaKernel_t kernel = dirty > 0 ? session->mix_words : session->read_words;
    if (dirty >= 1)
        kernel = session->write_words;
    void *here[] = {&session->flush, &session->flush_bytes, how};
    struct cuda_peer *peer = &session->peer;
    int others = peer->remote && !peer->entered ? peer->count : 0;
    if (others)
        cuda_session_begin(session, session->stream);
    for (int i = 1; i < others; i++) {
        void *there[] = {&peer->end[i].flush, &peer->end[i].flush_bytes, how};
        launch_on(session, cuda_session_fork(session, i), kernel, there, true);
    }
    if (others)
        cuda_session_back(session);
    cuda_session_launch(session, kernel, here, true);
    for (int i = 1; i < others; i++)
        cuda_session_join(session, session->stream, i);
}

bool cuda_session_flush_unseen(struct cuda_session *session, double dirty)
{
    if (dirty < 1 || session->peer.remote)
        return false;
    CUDA(cudaMemsetAsync(session->flush, 0, session->flush_bytes, session->stream));
    return true;
}
