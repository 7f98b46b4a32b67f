#include "worker/cuda/timing/timing.h"

#include "base/thread.h"
#include "family/python/python.h"
#include "statistics/summary.h"
#include "worker/cuda/compile/compile.h"
#include "worker/verify.h"

extern const char roofs_source[];

/* Of each array, when the device has room for both. Twice as much gives 0.15 % more (H200) and takes 0.05 s
 * more to allocate. */
#define COPY_BYTES (UINT64_C(2) << 30)
#define HOST_BYTES (UINT64_C(128) << 20)
#define PEER_BYTES (UINT64_C(512) << 20)
enum {
    SAMPLES = 9,
    LINK_SAMPLES = 5, /* the ranks of a node wait for each other's links: few, of 2 ms each */
    LINK_PROBES = 4,
    L2_PLACES = 8,
    L2_SAMPLES = 4, /* at each place */
    L2_ROUNDS = 128,
    RATES_MAX = L2_PLACES * L2_SAMPLES,
    LINE_BYTES = 128,
    WORD_BYTES = 16,   /* of an access, at least */
    TILE_THREADS = 512 /* as in roofs.cu */
};
#define LINK_SCATTER 0.01 /* wider probes of a link are repeated: a slow phase of the host is no roof */
#define TILE_BYTES   UINT64_C(32768) /* as in roofs.cu */

/* Rates of launches: a peak is their median, and has their range beside it. */
struct rates {
    double rate[RATES_MAX];
    uint32_t count;
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

/* Launch once to warm up, then add the rates of `count` launches that do `amount` each (bytes, flop,
 * rounds). */
static void add_rates(struct timer *timer, struct timer_job *job, uint32_t count, double amount,
                      struct rates *rates)
{
    struct sample samples[SAMPLES];
    timer_first(timer, job);
    timer_take(timer, job, 1, samples); /* warm */
    timer_take(timer, job, count, samples);
    for (uint32_t i = 0; i < count; i++)
        rates->rate[rates->count++] = amount / samples[i].seconds;
}

static struct statistics rate_of(struct timer *timer, timer_work work, void *context, uint32_t count,
                                 double amount)
{
    struct timer_job job = {.work = work, .context = context, .launches = 1};
    struct rates rates = {.count = 0};
    add_rates(timer, &job, count, amount, &rates);
    return statistics_of(rates.rate, rates.count);
}

static struct statistics faster_of(struct statistics a, struct statistics b)
{
    return a.median >= b.median ? a : b;
}

/* X(name): the kernels of roofs.cu. */
#define ROOF_KERNELS(X)                                                                                      \
    X(read_tiles)                                                                                            \
    X(write_tiles)                                                                                           \
    X(copy_tiles)                                                                                            \
    X(copy_words)                                                                                            \
    X(fill_words)                                                                                            \
    X(read_shared)                                                                                           \
    X(fma_f16)                                                                                               \
    X(fma_bf16)                                                                                              \
    X(fma_f32)                                                                                               \
    X(fma_f64)

struct roof_kernels {
#define X(name) cudaKernel_t name;
    ROOF_KERNELS(X)
#undef X
};

static struct statistics rate_of_tiles(struct timer *timer, const struct peak *peak, cudaKernel_t kernel,
                                       void **arguments, double amount)
{
    struct kernel_launch tiles = {peak->session, kernel, arguments, (unsigned)(peak->bytes / TILE_BYTES),
                                  TILE_THREADS};
    return rate_of(timer, timer_launch, &tiles, SAMPLES, amount);
}

/* Each in two ways, because neither is the faster one on every chip: kernels of some families beat a single
 * way by 1 %. */
static void measure_memory(struct cuda_session *session, struct timer *timer, struct device *device,
                           const struct roof_kernels *kernels)
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
    uint32_t word = 1;
    void *one[] = {&peak.from, &word}, *other[] = {&peak.to, &word}, *both[] = {&peak.from, &peak.to};
    double once = (double)bytes;
    const struct fill random = {.kind = FILL_RANDOM};
    cuda_session_fill(session, arena, DTYPE_I64, 2 * bytes / 8, &random, session->config.seed);
    struct statistics copy = faster_of(rate_of(timer, copy_work, &peak, SAMPLES, 2 * once),
                                       rate_of_tiles(timer, &peak, kernels->copy_tiles, both, 2 * once));
    struct statistics read = faster_of(rate_of(timer, read_work, &peak, SAMPLES, once),
                                       rate_of_tiles(timer, &peak, kernels->read_tiles, one, once));
    struct statistics write = faster_of(rate_of(timer, write_work, &peak, SAMPLES, once),
                                        rate_of_tiles(timer, &peak, kernels->write_tiles, other, once));
    DEVICE_PEAK_SET(device, peak_copy, copy);
    DEVICE_PEAK_SET(device, peak_read, read);
    DEVICE_PEAK_SET(device, peak_write, write);
}

/* Over a link, one way: the fastest probe. */
static struct statistics rate_of_copy(struct timer *timer, char *from, char *to, uint64_t bytes,
                                      enum cudaMemcpyKind kind)
{
    struct peak peak = {.from = from, .to = to, .bytes = bytes, .kind = kind};
    struct statistics best = rate_of(timer, copy_work, &peak, LINK_SAMPLES, (double)bytes);
    for (int probe = 1; probe < LINK_PROBES && best.p95 - best.p05 > LINK_SCATTER * best.median; probe++)
        best = faster_of(best, rate_of(timer, copy_work, &peak, LINK_SAMPLES, (double)bytes));
    return best;
}

static const struct buffer link_buffer = {.dtype = DTYPE_U8, .count = HOST_BYTES, .on_host = true};

void cuda_peaks_prepare_link(struct cuda_session *session)
{
    cuda_session_arena(session, HOST_BYTES);
    host_memory_put(host_memory_try(&link_buffer));
}

void cuda_peaks_measure_link(struct cuda_session *session, struct timer *timer, struct device *device)
{
    if (cuda_attribute(cudaDevAttrIntegrated, (int)device->ordinal))
        return; /* GB10, Thor: host and device share one DRAM, and there is no link */
    char *host = host_memory_try(&link_buffer), *arena = cuda_session_arena(session, HOST_BYTES);
    if (!host)
        return; /* little host memory: the link stays unmeasured */
    struct statistics rates = rate_of_copy(timer, arena, host, HOST_BYTES, cudaMemcpyDeviceToHost);
    DEVICE_PEAK_SET(device, peak_d2h, rates);
    rates = rate_of_copy(timer, host, arena, HOST_BYTES, cudaMemcpyHostToDevice);
    DEVICE_PEAK_SET(device, peak_h2d, rates);
    host_memory_put(host);
}

double cuda_peaks_measure_peer(struct cuda_session *session, struct timer *timer)
{
    if (cuda_session_room(session) < PEER_BYTES)
        return NAN;
    char *near = cuda_session_arena(session, PEER_BYTES), *far = NULL;
    cuda_session_enter(session, true);
    if (cuda_session_room(session) >= PEER_BYTES)
        far = cuda_session_arena(session, PEER_BYTES);
    cuda_session_enter(session, false);
    if (!far)
        return NAN;
    double pull = rate_of_copy(timer, far, near, PEER_BYTES, cudaMemcpyDefault).median,
           push = rate_of_copy(timer, near, far, PEER_BYTES, cudaMemcpyDefault).median,
           rate = fmax(pull, push);
    return rate > 0 ? rate : NAN;
}

/* ---- What the multiprocessors do at most ---- */

/* As in roofs.cu. */
enum { ROOF_THREADS = 1024, CHAINS = 8, SHARED_LOADS = 16 };
#define ROOF_SECONDS 1e-3 /* a launch takes about that long */

/* Blocks of a multiprocessor, in one wave: of 1536 threads it is one. */
static int resident_blocks(const struct device *device)
{
    int64_t blocks = device->threads_sm / ROOF_THREADS;
    return blocks > 1 ? (int)blocks : 1;
}

static struct kernel_launch roof_launch(struct cuda_session *session, cudaKernel_t kernel, void **arguments)
{
    const struct device *device = &session->device;
    return (struct kernel_launch){session, kernel, arguments,
                                  (unsigned)(device->multiprocessors * resident_blocks(device)),
                                  ROOF_THREADS};
}

/* Of a kernel on the whole device: `per_round` times rounds a second. */
static struct statistics rate_of_rounds(struct timer *timer, struct kernel_launch *launch, uint32_t *rounds,
                                        double per_round)
{
    struct timer_job job = {.work = timer_launch, .context = launch, .launches = 1};
    struct rates rates = {.count = 0};
    struct sample sample;
    timer_first(timer, &job);
    for (*rounds = 256;
         timer_take(timer, &job, 1, &sample), sample.seconds < ROOF_SECONDS / 8 && *rounds < 1u << 24;)
        *rounds *= 8;
    if (sample.seconds < ROOF_SECONDS)
        *rounds = (uint32_t)(*rounds * ROOF_SECONDS / sample.seconds) / 16 * 16; /* whole ones of roofs.cu */
    add_rates(timer, &job, SAMPLES, per_round * *rounds, &rates);
    return statistics_of(rates.rate, rates.count);
}

static void measure_multiprocessors(struct cuda_session *session, struct timer *timer, struct device *device,
                                    const struct roof_kernels *kernels)
{
    uint32_t rounds = 0;
    float factor = 0.5f;
    char *out = cuda_session_arena(session, 4096);
    void *shared[] = {&out, &rounds}, *arithmetic[] = {&out, &rounds, &factor};
    double threads = (double)device->multiprocessors * resident_blocks(device) * ROOF_THREADS;
    struct kernel_launch launch = roof_launch(session, kernels->read_shared, shared);
    struct statistics rate = rate_of_rounds(timer, &launch, &rounds, threads * SHARED_LOADS * 16);
    DEVICE_PEAK_SET(device, peak_shared, rate);
    launch.arguments = arithmetic;
#define X(type, flops)                                                                                       \
    launch.kernel = kernels->fma_##type;                                                                     \
    rate = rate_of_rounds(timer, &launch, &rounds, threads * CHAINS * (flops));                              \
    DEVICE_PEAK_SET(device, peak_flop_##type, rate);
    X(f16, 4) X(bf16, 4) X(f32, 2) X(f64, 2)
#undef X
}

/* ---- L2 ---- */

/* Bytes of one of two halves. At most three eighths of L2 in all stay there whichever way the chip halves it.
 * Where L2 is large enough, each thread makes equally many accesses: otherwise some end early and the rest do
 * not fill the chip. */
static uint64_t l2_half(const struct device *device)
{
    uint64_t step =
        (uint64_t)device->multiprocessors * (uint64_t)resident_blocks(device) * ROOF_THREADS * WORD_BYTES;
    uint64_t most = (uint64_t)device->l2_bytes * 3 / 16;
    return most >= step ? most / step * step : most / LINE_BYTES * LINE_BYTES;
}

/* Which slices of L2 hold a buffer, and how far they are from each multiprocessor, depends on its physical
 * addresses. A peak at one place differs by several per cent from the next, and between runs, so places all
 * over the arena are measured. */
static struct statistics rate_of_l2(struct cuda_session *session, struct timer *timer, struct timer_job *job,
                                    char **from, char **to, uint64_t half)
{
    struct rates rates = {.count = 0};
    uint64_t span = session->arena_bytes - 2 * half;
    for (uint64_t place = 0; place < L2_PLACES; place++) {
        *from = session->arena + span / (L2_PLACES - 1) * place / LINE_BYTES * LINE_BYTES;
        *to = *from + half;
        add_rates(timer, job, L2_SAMPLES, 2.0 * (double)half * L2_ROUNDS, &rates);
    }
    return statistics_of(rates.rate, rates.count);
}

static void measure_l2(struct cuda_session *session, struct timer *timer, struct device *device,
                       const struct roof_kernels *kernels)
{
    if (device->l2_bytes <= 0)
        return;
    uint64_t half = l2_half(device), bytes = 2 * half;
    uint32_t rounds = L2_ROUNDS;
    char *from = cuda_session_arena(session, bytes), *to;
    struct statistics rate;
    struct peak peak = {.session = session, .from = from, .bytes = bytes, .rounds = L2_ROUNDS};
    struct timer_job job = {.work = read_work, .context = &peak, .launches = 1};
    rate = rate_of_l2(session, timer, &job, &peak.from, &to, half);
    DEVICE_PEAK_SET(device, peak_l2_read, rate);
    void *copy[] = {&from, &to, &half, &rounds}, *fill[] = {&from, &bytes, &rounds};
    struct kernel_launch launch = roof_launch(session, kernels->copy_words, copy);
    job = (struct timer_job){.work = timer_launch, .context = &launch, .launches = 1};
    rate = rate_of_l2(session, timer, &job, &from, &to, half);
    DEVICE_PEAK_SET(device, peak_l2_copy, rate);
    launch = roof_launch(session, kernels->fill_words, fill);
    rate = rate_of_l2(session, timer, &job, &from, &to, half);
    DEVICE_PEAK_SET(device, peak_l2_write, rate);
}

/* ---- What is compiled ahead ---- */

/* Kernels of the tensor peaks, on their way into the cache while the other peaks are measured. One after the
 * other they take longer than these. */
static struct ahead {
    const struct config *config;
    int capability;
    struct point point[TENSOR_PEAKS];
    int count;
    pthread_t thread;
    bool started;
} ahead;

static void ignore(void *context, uint32_t index, const char *log)
{
    (void)context, (void)index, (void)log; /* what measures finds out, too */
}

static void *compile_ahead(void *unused)
{
    (void)unused;
    cuda_farm_compile(ahead.config, ahead.capability, ahead.point, (uint32_t)ahead.count, ignore, NULL);
    return NULL;
}

void cuda_peaks_compile(const struct cuda_session *session)
{
    ahead.config = &session->config;
    ahead.capability = (int)session->device.capability;
    ahead.count = cuda_tensor_peaks_points(&session->device, ahead.point);
    if (session->config.tensor_cores && *session->config.cache_folder && !python_is_attached() &&
        session->config.threads >= PREFETCH_PROCESSORS_MIN) /* an interpreter cannot start compilers */
        ahead.started = thread_start(&ahead.thread, compile_ahead, NULL) == 0;
}

static void await_compiled(void)
{
    if (ahead.started)
        pthread_join(ahead.thread, NULL);
    ahead.started = false;
}

static void load_kernels(struct cuda_session *session, struct roof_kernels *kernels)
{
    const struct cuda_named_kernel named[] = {
#define X(name) {#name, &kernels->name},
        ROOF_KERNELS(X)
#undef X
    };
    cuda_session_load(session, "roofs.cu", roofs_source, named, sizeof named / sizeof *named);
}

void cuda_peaks_measure_own(struct cuda_session *session, struct timer *timer, struct device *device)
{
    struct roof_kernels kernels;
    load_kernels(session, &kernels);
    measure_memory(session, timer, device, &kernels);
    measure_l2(session, timer, device, &kernels);
    measure_multiprocessors(session, timer, device, &kernels);
    if (session->config.tensor_cores) {
        await_compiled();
        cuda_tensor_peaks_measure(session, timer, device);
    }
    nvml_describe_load(session->nvml, device);
}
