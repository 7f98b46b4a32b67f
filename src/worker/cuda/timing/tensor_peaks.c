#include "worker/cuda/timing/timing.h"

#include <math.h>

#include "family/family.h"
#include "kernels/registry.h"
#include "statistics/summary.h"
#include "worker/cuda/compile/compile.h"

enum { SAMPLES = 9, ALIGNMENT = 512, PARAMETERS = 4 };

struct product {
    struct kernel_launch launch;
    struct setup setup;
    void *buffer[SETUP_BUFFERS_MAX];
    uint32_t rounds;
};

/* The instructions that multiply fastest on a compute capability: wgmma on 9.0, tcgen05 on 10.x and 11.0, but
 * of integers on 10.3, mma on others. Their arrangement is the fastest per clock on an H200 for every type,
 * within 0.1 % (analysis/data/h200-mma.h5). Of tcgen05, 128 x 256 reaches 0.995 of the nominal rate of a
 * B200, 128 x 128 0.990 (github.com/SemiAnalysisAI/microbench-blackwell). On 12.0, mma of fp8 with sums of
 * f32 has half of the rate of mma with block scales: an RTX 5090 370 of 737 TFLOP/s. */
static struct point point_of(enum dtype dtype, int64_t capability)
{
    const bool f4 = dtype == DTYPE_E2M1, scaled = f4 || (dtype == DTYPE_E4M3 && capability >= 120);
    enum { MMA, WGMMA, TCGEN05 };
    static const struct {
        const char *variant, *shape_n, *chains, *block;
    } arrangements[] = {[MMA] = {"mma", "8", "4", "256"},
                        [WGMMA] = {"wgmma_ss", "256", "1", "256"},
                        [TCGEN05] = {"tcgen05", "256", "1", "128"}};
    const bool tcgen05 = capability >= 100 && capability < 120 && !(capability == 103 && dtype == DTYPE_U8);
    int fastest = tcgen05 ? TCGEN05 : MMA;
    if (capability == 90)
        fastest = WGMMA;
    struct point point = point_standard(family_space("mma_rate"));
    const struct {
        const char *axis, *value;
    } chosen[] = {{"variant", arrangements[fastest].variant}, {"dtype", dtype_tensor_words[dtype]},
                  {"shape_n", arrangements[fastest].shape_n}, {"chains", arrangements[fastest].chains},
                  {"block", arrangements[fastest].block},     {"scale", scaled ? "e8m0" : "none"}};
    struct error error;
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        int axis = space_axis(point.space, chosen[i].axis);
        if (axis < 0 ||
            axis_parse(&point.space->axes[axis], chosen[i].value, &point.value[axis], &error) != 0)
            cuda_fail("mma_rate has no %s=%s", chosen[i].axis, chosen[i].value);
    }
    return point;
}

static cudaLibrary_t load(struct product *product, const struct point *point)
{
    struct cuda_session *session = product->launch.session;
    struct code code;
    struct text log = {0};
    if (compile_point(point, (int)session->device.capability, session->config.cache_folder, &code, &log) != 0)
        cuda_fail("mma_rate does not compile: %.300s", log.data ? log.data : "");
    text_free(&log);
    cudaLibrary_t library = cuda_session_take(&code);
    CUDA(cudaLibraryGetKernel(&product->launch.kernel, library, product->setup.entry));
    return library;
}

/* Bytes of the inputs are whole numbers, which the kernel converts. */
static void place(struct product *product)
{
    struct cuda_session *session = product->launch.session;
    char *at = cuda_session_arena(session, setup_bytes(&product->setup, ALIGNMENT));
    for (int b = 0; b < product->setup.buffers; b++) {
        const struct buffer *buffer = &product->setup.buffer[b];
        product->buffer[b] = at;
        if (buffer->role == BUFFER_INPUT)
            cuda_session_fill(session, at, buffer->dtype, buffer->count, &buffer->fill, session->config.seed);
        at += (dtype_bytes(buffer->dtype, buffer->count) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static struct statistics measure(struct cuda_session *session, struct timer *timer, enum dtype dtype)
{
    struct point point = point_of(dtype, session->device.capability);
    struct target target = target_of_device(&session->device);
    struct product product = {.launch = {.session = session}};
    char reason[256];
    if (family_skip(&point, &target, reason, sizeof reason))
        return (struct statistics){.median = NAN, .p05 = NAN, .p95 = NAN};
    product.setup = point_setup(&point, &target);
    product.rounds = (uint32_t)product.setup.argument[PARAMETERS - 1].value;
    void *arguments[PARAMETERS] = {&product.buffer[0], &product.buffer[1], &product.buffer[2],
                                   &product.rounds};
    product.launch.arguments = arguments;
    product.launch.blocks = product.setup.grid[0];
    product.launch.threads = product.setup.block[0];
    struct timer_job job = {.work = timer_launch, .context = &product.launch, .launches = 1};
    struct sample samples[SAMPLES];
    double rates[SAMPLES], flops = (double)family_of(&point)->work(&point).flops;
    cudaLibrary_t library = load(&product, &point);
    place(&product);
    timer_first(timer, &job);
    timer_take(timer, &job, SAMPLES, samples);
    for (int i = 0; i < SAMPLES; i++)
        rates[i] = flops / samples[i].seconds;
    CUDA(cudaLibraryUnload(library));
    return statistics_of(rates, SAMPLES);
}

/* X(dtype, name): the types, and how their peaks are called. */
#define TENSOR_TYPES(X)                                                                                      \
    X(DTYPE_F16, f16)                                                                                        \
    X(DTYPE_BF16, bf16) X(DTYPE_F32, tf32) X(DTYPE_E4M3, f8) X(DTYPE_U8, i8) X(DTYPE_E2M1, f4)

int cuda_tensor_peaks_points(const struct device *device, struct point point[TENSOR_PEAKS])
{
    struct target target = target_of_device(device);
    char reason[256];
    int count = 0;
#define X(dtype, name)                                                                                       \
    point[count] = point_of(dtype, device->capability);                                                      \
    count += !family_skip(&point[count], &target, reason, sizeof reason);
    TENSOR_TYPES(X)
#undef X
    return count;
}

void cuda_tensor_peaks_measure(struct cuda_session *session, struct timer *timer, struct device *device)
{
    struct statistics rate;
#define X(dtype, name)                                                                                       \
    rate = measure(session, timer, dtype);                                                                   \
    DEVICE_PEAK_SET(device, peak_tensor_##name, rate);
    TENSOR_TYPES(X)
#undef X
}
