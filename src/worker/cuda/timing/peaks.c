#include "worker/cuda/timing/peaks.h"

#include "statistics/summary.h"
#include "worker/cuda/device/error.h"
#include "worker/cuda/device/host_memory.h"

extern const char roofs_source[];

/* Of each array, when the device has room for both. Twice as much gives 0.15 % more (H200) and takes 0.05 s more to allocate. */
#define COPY_BYTES (UINT64_C(2) << 30)
#define HOST_BYTES (UINT64_C(128) << 20)
enum {
    SAMPLES = 9,
    LINK_SAMPLES = 5, /* the ranks of a node wait for each other's links: few, of 2 ms each */
    L2_ROUNDS = 32,
    LINE_BYTES = 128
};

struct peak {
    struct cuda_session *session;
    char *from, *to;
    uint64_t bytes;
    uint32_t rounds;
    enum cudaMemcpyKind kind;
};

static void copy_work(void *context, cudaStream_t stream, uint64_t turn)
{
    struct peak *peak = context;
    (void)turn;
    CUDA(cudaMemcpyAsync(peak->to, peak->from, peak->bytes, peak->kind, stream));
}

static void read_work(void *context, cudaStream_t stream, uint64_t turn)
{
    struct peak *peak = context;
    void *arguments[] = {&peak->from, &peak->bytes, &peak->rounds};
    (void)stream;
    (void)turn;
    cuda_session_launch(peak->session, peak->session->read_words, arguments, true);
}

static void write_work(void *context, cudaStream_t stream, uint64_t turn)
{
    struct peak *peak = context;
    uint32_t value = (uint32_t)turn;
    void *arguments[] = {&peak->to, &peak->bytes, &value};
    (void)stream;
    cuda_session_launch(peak->session, peak->session->write_words, arguments, true);
}

/* Median seconds of one launch, of `count` <= SAMPLES. */
static double job_seconds(struct timer *timer, struct timer_job *job, uint32_t count)
{
    struct sample samples[SAMPLES];
    double seconds[SAMPLES];
    timer_first(timer, job);
    timer_take(timer, job, 1, samples, NULL); /* warm */
    timer_take(timer, job, count, samples, NULL);
    for (uint32_t i = 0; i < count; i++)
        seconds[i] = samples[i].seconds;
    return statistics_of(seconds, count).median;
}

static double seconds_of(struct timer *timer, timer_work work, struct peak *peak, uint32_t count)
{
    struct timer_job job = {.work = work, .context = peak, .launches = 1};
    return job_seconds(timer, &job, count);
}

static void fill_random(struct cuda_session *session, char *out, uint64_t bytes)
{
    struct fill random = {.kind = FILL_RANDOM};
    uint64_t count = bytes / 8, seed = session->config.seed;
    int dtype = DTYPE_I64;
    void *arguments[] = {&out, &count, &dtype, &random, &seed};
    cuda_session_launch(session, session->fill, arguments, true);
}

static void measure_memory(struct cuda_session *session, struct timer *timer, struct device *device)
{
    uint64_t bytes = COPY_BYTES;
    while (2 * bytes > cuda_session_room(session) / 2)
        bytes /= 2;
    char *arena = cuda_session_arena(session, 2 * bytes);
    struct peak peak = {.session = session,
                        .from = arena,
                        .to = arena + bytes,
                        .bytes = bytes,
                        .rounds = 1,
                        .kind = cudaMemcpyDeviceToDevice};
    fill_random(session, arena, 2 * bytes);
    device->peak_copy = 2 * (double)bytes / seconds_of(timer, copy_work, &peak, SAMPLES);
    device->peak_read = (double)bytes / seconds_of(timer, read_work, &peak, SAMPLES);
    device->peak_write = (double)bytes / seconds_of(timer, write_work, &peak, SAMPLES);
}

void cuda_peaks_prepare_link(struct cuda_session *session)
{
    cuda_session_arena(session, HOST_BYTES);
    host_memory_put(host_memory_try(HOST_BYTES, false), false);
}

void cuda_peaks_measure_link(struct cuda_session *session, struct timer *timer, struct device *device)
{
    char *host = host_memory_try(HOST_BYTES, false), *arena = cuda_session_arena(session, HOST_BYTES);
    if (!host)
        return; /* little host memory: the link stays unmeasured */
    struct peak peak = {
        .session = session, .from = arena, .to = host, .bytes = HOST_BYTES, .kind = cudaMemcpyDeviceToHost};
    device->peak_d2h = (double)HOST_BYTES / seconds_of(timer, copy_work, &peak, LINK_SAMPLES);
    peak.from = host;
    peak.to = arena;
    peak.kind = cudaMemcpyHostToDevice;
    device->peak_h2d = (double)HOST_BYTES / seconds_of(timer, copy_work, &peak, LINK_SAMPLES);
    host_memory_put(host, false);
}

/* ---- What the multiprocessors do at most ---- */

/* As in roofs.cu. */
enum { ROOF_THREADS = 1024, CHAINS = 8, SHARED_LOADS = 16, RESIDENT = 2 /* blocks of a multiprocessor */ };
#define ROOF_SECONDS 1e-3 /* a launch takes about that long */

struct roof_kernels {
    cudaKernel_t copy_words, fill_words, read_shared, fma_f16, fma_f32, fma_f64;
};

struct roof_launch {
    struct cuda_session *session;
    cudaKernel_t kernel;
    void **arguments;
};

static void roof_work(void *context, cudaStream_t stream, uint64_t turn)
{
    struct roof_launch *launch = context;
    cudaLaunchConfig_t config = {
        .gridDim = {(unsigned)launch->session->device.multiprocessors * RESIDENT, 1, 1},
        .blockDim = {ROOF_THREADS, 1, 1},
        .stream = stream};
    (void)turn;
    CUDA(cudaLaunchKernelExC(&config, launch->kernel, launch->arguments));
    launch->session->launches++;
}

/* What one multiprocessor with all its threads does in a second, in rounds of a kernel. */
static double rounds_per_second(struct timer *timer, struct roof_launch *launch, uint32_t *rounds)
{
    struct timer_job job = {.work = roof_work, .context = launch, .launches = 1};
    double seconds;
    for (*rounds = 256; (seconds = job_seconds(timer, &job, 1)) < ROOF_SECONDS / 8 && *rounds < 1u << 24;)
        *rounds *= 8;
    if (seconds < ROOF_SECONDS)
        *rounds = (uint32_t)(*rounds * ROOF_SECONDS / seconds);
    return *rounds / job_seconds(timer, &job, SAMPLES);
}

static void measure_multiprocessors(struct cuda_session *session, struct timer *timer, struct device *device,
                                    const struct roof_kernels *kernels)
{
    uint32_t rounds = 0;
    float factor = 0.5f;
    char *out = cuda_session_arena(session, 4096);
    void *shared[] = {&out, &rounds}, *arithmetic[] = {&out, &rounds, &factor};
    double threads = (double)device->multiprocessors * RESIDENT * ROOF_THREADS;
    struct roof_launch launch = {session, kernels->read_shared, shared};
    device->peak_shared = threads * SHARED_LOADS * 16 * rounds_per_second(timer, &launch, &rounds);
    const struct {
        cudaKernel_t kernel;
        double flops; /* of one multiply-add instruction of a thread */
        double *peak;
    } kinds[] = {{kernels->fma_f16, 4, &device->peak_flop_f16},
                 {kernels->fma_f32, 2, &device->peak_flop_f32},
                 {kernels->fma_f64, 2, &device->peak_flop_f64}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        launch = (struct roof_launch){session, kinds[i].kernel, arithmetic};
        *kinds[i].peak = threads * CHAINS * kinds[i].flops * rounds_per_second(timer, &launch, &rounds);
    }
}

/* A quarter of L2 in all stays there whichever way the chip halves it. */
static void measure_l2(struct cuda_session *session, struct timer *timer, struct device *device,
                       const struct roof_kernels *kernels)
{
    if (device->l2_bytes <= 0)
        return;
    uint64_t half = (uint64_t)device->l2_bytes / 8 / LINE_BYTES * LINE_BYTES, bytes = 2 * half;
    uint32_t rounds = L2_ROUNDS;
    char *arena = cuda_session_arena(session, bytes), *to = arena + half;
    struct peak peak = {.session = session, .from = arena, .bytes = bytes, .rounds = L2_ROUNDS};
    device->peak_l2_read = (double)bytes * L2_ROUNDS / seconds_of(timer, read_work, &peak, SAMPLES);
    void *copy[] = {&arena, &to, &half, &rounds};
    struct roof_launch launch = {session, kernels->copy_words, copy};
    struct timer_job job = {.work = roof_work, .context = &launch, .launches = 1};
    device->peak_l2_copy = (double)bytes * L2_ROUNDS / job_seconds(timer, &job, SAMPLES);
    void *fill[] = {&arena, &bytes, &rounds};
    launch = (struct roof_launch){session, kernels->fill_words, fill};
    device->peak_l2_write = (double)bytes * L2_ROUNDS / job_seconds(timer, &job, SAMPLES);
}

static void load_kernels(struct cuda_session *session, struct roof_kernels *kernels)
{
    const struct cuda_named_kernel named[] = {
        {"copy_words", &kernels->copy_words},   {"fill_words", &kernels->fill_words},
        {"read_shared", &kernels->read_shared}, {"fma_f16", &kernels->fma_f16},
        {"fma_f32", &kernels->fma_f32},         {"fma_f64", &kernels->fma_f64},
    };
    struct error error;
    if (cuda_session_load(session, "roofs.cu", roofs_source, named, sizeof named / sizeof *named, &error) !=
        0)
        cuda_fail("%s", error.text);
}

void cuda_peaks_measure_own(struct cuda_session *session, struct timer *timer, struct device *device)
{
    struct roof_kernels kernels;
    load_kernels(session, &kernels);
    measure_memory(session, timer, device);
    measure_l2(session, timer, device, &kernels);
    measure_multiprocessors(session, timer, device, &kernels);
}
