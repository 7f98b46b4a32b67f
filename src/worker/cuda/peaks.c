#include "worker/cuda/peaks.h"

#include "statistics/summary.h"
#include "worker/cuda/error.h"

#define COPY_BYTES (UINT64_C(4) << 30) /* of each array, when the device has room for both */
#define HOST_BYTES (UINT64_C(256) << 20)
enum { SAMPLES = 15, L2_ROUNDS = 32 };

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
    uint64_t words = peak->bytes / 16;
    void *arguments[] = {&peak->from, &words, &peak->rounds};
    (void)stream;
    (void)turn;
    cuda_session_launch(peak->session, peak->session->read_words, arguments, true);
}

static void write_work(void *context, cudaStream_t stream, uint64_t turn)
{
    struct peak *peak = context;
    uint64_t words = peak->bytes / 16;
    uint32_t value = (uint32_t)turn;
    void *arguments[] = {&peak->to, &words, &value};
    (void)stream;
    cuda_session_launch(peak->session, peak->session->write_words, arguments, true);
}

/* Median seconds of one launch. */
static double seconds_of(struct timer *timer, timer_work work, struct peak *peak)
{
    struct timer_job job = {.work = work, .context = peak, .launches = 1};
    struct sample samples[SAMPLES];
    double seconds[SAMPLES];
    timer_take(timer, &job, 2, samples, NULL); /* warm */
    timer_take(timer, &job, SAMPLES, samples, NULL);
    for (int i = 0; i < SAMPLES; i++)
        seconds[i] = samples[i].seconds;
    return statistics_of(seconds, SAMPLES, 1).median;
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
    device->peak_copy = 2 * (double)bytes / seconds_of(timer, copy_work, &peak);
    device->peak_read = (double)bytes / seconds_of(timer, read_work, &peak);
    device->peak_write = (double)bytes / seconds_of(timer, write_work, &peak);
    if (device->l2_bytes > 0) { /* a quarter of L2 stays there whichever way the chip halves it */
        peak.bytes = (uint64_t)device->l2_bytes / 4;
        peak.rounds = L2_ROUNDS;
        device->peak_l2_read = (double)peak.bytes * L2_ROUNDS / seconds_of(timer, read_work, &peak);
    }
}

static void measure_host_link(struct cuda_session *session, struct timer *timer, struct device *device)
{
    char *host = NULL, *arena = cuda_session_arena(session, HOST_BYTES);
    if (cudaHostAlloc((void **)&host, HOST_BYTES, cudaHostAllocDefault) != cudaSuccess) {
        cudaGetLastError(); /* little host memory: the link stays unmeasured */
        return;
    }
    struct peak peak = {
        .session = session, .from = arena, .to = host, .bytes = HOST_BYTES, .kind = cudaMemcpyDeviceToHost};
    device->peak_d2h = (double)HOST_BYTES / seconds_of(timer, copy_work, &peak);
    peak.from = host;
    peak.to = arena;
    peak.kind = cudaMemcpyHostToDevice;
    device->peak_h2d = (double)HOST_BYTES / seconds_of(timer, copy_work, &peak);
    CUDA(cudaFreeHost(host));
}

void cuda_peaks_measure(struct cuda_session *session, struct timer *timer, struct device *device)
{
    measure_memory(session, timer, device);
    measure_host_link(session, timer, device);
}
