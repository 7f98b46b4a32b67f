/* probe_counting - what each call of counting takes, alone: CUPTI's range profiler with the driver, without
 * warpsweep's worker.
 *
 *   probe_counting SET...     sets of core/metric.h: coalescing, memory, all
 *
 * For each set, once with all its metrics, once with those at the instructions (smsp__sass_...), once with
 * the rest. PROBE_USER=1: a range around each second launch, instead of one around every kernel.
 * PROBE_FILL=set or copy: memory is set or copied by the driver in place of each first launch. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <nvrtc.h>

extern "C" {
#include "core/metric.h"
}

#define OK(call)                                                                                             \
    do {                                                                                                     \
        int status_ = (int)(call);                                                                           \
        if (status_) {                                                                                       \
            throw std::runtime_error(#call ": error " + std::to_string(status_));                            \
        }                                                                                                    \
    } while (0)
#define PARAMETERS(type, name)                                                                               \
    type##_Params name = {};                                                                                 \
    name.structSize = type##_Params_STRUCT_SIZE

typedef std::vector<const char *> names;
enum { FUNCTIONS = 64 }; /* a round has them all, or 16 of them */

static const char source[] = R"(
extern "C" __global__ void copy(float *out, const float *in, unsigned long long n, int turns) {
    for (int t = 0; t < turns; t++)
        for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            out[i] = in[i] + t;
}
extern "C" __global__ void multiply(float *out, const float *in, unsigned long long n, int turns) {
    float a = in[threadIdx.x];
    for (int t = 0; t < turns; t++) a = a * a + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
)";

static CUcontext context;
static CUstream stream;
static CUdeviceptr out, in;
static unsigned long long words;
static CUfunction copy[FUNCTIONS], multiply[FUNCTIONS];
static std::vector<uint8_t> availability;
static const char *chip;

static double now()
{
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static std::vector<char> compile(int capability)
{
    nvrtcProgram program;
    std::string arch = "--gpu-architecture=sm_" + std::to_string(capability);
    const char *options[] = {arch.c_str()};
    size_t size;
    OK(nvrtcCreateProgram(&program, source, "probe.cu", 0, nullptr, nullptr));
    OK(nvrtcCompileProgram(program, 1, options));
    OK(nvrtcGetCUBINSize(program, &size));
    std::vector<char> cubin(size);
    OK(nvrtcGetCUBIN(program, cubin.data()));
    return cubin;
}

/* Every module is a copy of the same code, so that each function is another one for CUPTI. */
static void open_device()
{
    CUdevice device;
    int major, minor;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    OK(cuDevicePrimaryCtxSetFlags(device,
                                  getenv("PROBE_SPIN") ? CU_CTX_SCHED_SPIN : CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    words = 180ull << 18; /* 180 MiB: three times the L2 of an H200 */
    OK(cuMemAlloc(&out, 4 * words));
    OK(cuMemAlloc(&in, 4 * words));
    std::vector<char> cubin = compile(10 * major + minor);
    for (int i = 0; i < FUNCTIONS; i++) {
        CUmodule module;
        OK(cuModuleLoadData(&module, cubin.data()));
        OK(cuModuleGetFunction(&copy[i], module, "copy"));
        OK(cuModuleGetFunction(&multiply[i], module, "multiply"));
    }
    PARAMETERS(CUpti_Profiler_Initialize, initialize);
    OK(cuptiProfilerInitialize(&initialize));
    PARAMETERS(CUpti_Device_GetChipName, name);
    OK(cuptiDeviceGetChipName(&name));
    chip = name.pChipName;
    PARAMETERS(CUpti_Profiler_GetCounterAvailability, available);
    available.ctx = context;
    OK(cuptiProfilerGetCounterAvailability(&available));
    availability.resize(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability.data();
    OK(cuptiProfilerGetCounterAvailability(&available));
}

static double launch(CUfunction function, int blocks, unsigned long long n, int turns)
{
    double start = now();
    void *arguments[] = {&out, &in, &n, &turns};
    OK(cuLaunchKernel(function, (unsigned)blocks, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
    OK(cuStreamSynchronize(stream));
    return now() - start;
}

struct profiler {
    CUpti_Profiler_Host_Object *host;
    CUpti_RangeProfiler_Object *object;
    names metrics;
    std::vector<uint8_t> config, blank, data;
    size_t passes;
};

static void make_config(profiler &p)
{
    PARAMETERS(CUpti_Profiler_Host_Initialize, initialize);
    initialize.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    initialize.pChipName = chip;
    initialize.pCounterAvailabilityImage = availability.data();
    OK(cuptiProfilerHostInitialize(&initialize));
    p.host = initialize.pHostObject;
    PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics, add);
    add.pHostObject = p.host;
    add.ppMetricNames = p.metrics.data();
    add.numMetrics = p.metrics.size();
    OK(cuptiProfilerHostConfigAddMetrics(&add));
    PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize, size);
    size.pHostObject = p.host;
    OK(cuptiProfilerHostGetConfigImageSize(&size));
    p.config.resize(size.configImageSize);
    PARAMETERS(CUpti_Profiler_Host_GetConfigImage, get);
    get.pHostObject = p.host;
    get.configImageSize = p.config.size();
    get.pConfigImage = p.config.data();
    OK(cuptiProfilerHostGetConfigImage(&get));
    PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses, count);
    count.configImageSize = p.config.size();
    count.pConfigImage = p.config.data();
    OK(cuptiProfilerHostGetNumOfPasses(&count));
    p.passes = count.numOfPasses;
}

static void enable(profiler &p, size_t ranges)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_Enable, enable);
    enable.ctx = context;
    OK(cuptiRangeProfilerEnable(&enable));
    p.object = enable.pRangeProfilerObject;
    double enabled = now();
    PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize, size);
    size.pRangeProfilerObject = p.object;
    size.pMetricNames = p.metrics.data();
    size.numMetrics = p.metrics.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = (uint32_t)ranges;
    OK(cuptiRangeProfilerGetCounterDataSize(&size));
    p.blank.resize(size.counterDataSize);
    PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize, image);
    image.pRangeProfilerObject = p.object;
    image.counterDataSize = p.blank.size();
    image.pCounterData = p.blank.data();
    OK(cuptiRangeProfilerCounterDataImageInitialize(&image));
    printf("    enable %.1f, data image of %.1f MB %.1f\n", enabled - start, 1e-6 * (double)p.blank.size(),
           now() - enabled);
}

static void disable(profiler &p)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_Disable, disable);
    disable.pRangeProfilerObject = p.object;
    OK(cuptiRangeProfilerDisable(&disable));
    printf("    disable %.1f\n", now() - start);
}

static const bool user_ranges = getenv("PROBE_USER");

static const char *const fill = getenv("PROBE_FILL");

static double launch_first(CUfunction function, int blocks, unsigned long long n, int turns)
{
    if (!fill)
        return launch(function, blocks, n, turns);
    double start = now();
    if (!strcmp(fill, "set"))
        OK(cuMemsetD32Async(out, 7, words, stream));
    else
        OK(cuMemcpyDtoDAsync(out, in, 4 * words, stream));
    OK(cuStreamSynchronize(stream));
    return now() - start;
}

/* ms of the launch, and of the range around it. */
static double launch_in_range(profiler &p, CUfunction function, int blocks, unsigned long long n, int turns)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_PushRange, push);
    push.pRangeProfilerObject = p.object;
    push.pRangeName = "launch";
    PARAMETERS(CUpti_RangeProfiler_PopRange, pop);
    pop.pRangeProfilerObject = p.object;
    if (user_ranges)
        OK(cuptiRangeProfilerPushRange(&push));
    launch(function, blocks, n, turns);
    if (user_ranges)
        OK(cuptiRangeProfilerPopRange(&pop));
    return now() - start;
}

static void configure(profiler &p, size_t ranges)
{
    p.data = p.blank;
    PARAMETERS(CUpti_RangeProfiler_SetConfig, set);
    set.pRangeProfilerObject = p.object;
    set.configSize = p.config.size();
    set.pConfig = p.config.data();
    set.counterDataImageSize = p.data.size();
    set.pCounterDataImage = p.data.data();
    set.range = user_ranges ? CUPTI_UserRange : CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = ranges;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    OK(cuptiRangeProfilerSetConfig(&set));
}

static double start_pass(profiler &p)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_Start, begin);
    begin.pRangeProfilerObject = p.object;
    OK(cuptiRangeProfilerStart(&begin));
    return now() - start;
}

static bool stop_pass(profiler &p, double *stop)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_Stop, end);
    end.pRangeProfilerObject = p.object;
    OK(cuptiRangeProfilerStop(&end));
    *stop = now() - start;
    return end.isAllPassSubmitted;
}

static double decode(profiler &p)
{
    double start = now();
    PARAMETERS(CUpti_RangeProfiler_DecodeData, decode);
    decode.pRangeProfilerObject = p.object;
    OK(cuptiRangeProfilerDecodeData(&decode));
    return now() - start;
}

/* What the ranges of a round have counted. */
static void show_counts(profiler &p, const char *what)
{
    PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo, info);
    info.pCounterDataImage = p.data.data();
    info.counterDataImageSize = p.data.size();
    OK(cuptiRangeProfilerGetCounterDataInfo(&info));
    std::vector<double> value(p.metrics.size());
    printf("    %-33s %zu ranges;", what, info.numTotalRanges);
    PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues, get);
    get.pHostObject = p.host;
    get.pCounterDataImage = p.data.data();
    get.counterDataImageSize = p.data.size();
    get.rangeIndex = info.numTotalRanges - 1;
    get.ppMetricNames = p.metrics.data();
    get.numMetrics = p.metrics.size();
    get.pMetricValues = value.data();
    OK(cuptiProfilerHostEvaluateToGpuValues(&get));
    for (size_t m = 0; m < value.size() && m < 12; m++)
        printf(" %.9g", value[m]);
    printf("\n");
}

/* A round of `count` functions of one kind, each launched twice; passes one after another; ms per call. */
static void show_round(profiler &p, const char *what, CUfunction *function, int count, int blocks,
                       unsigned long long n, int turns, size_t most)
{
    double began = now();
    configure(p, most);
    double set = now() - began;
    bool last = false;
    for (int pass = 1; !last; pass++) {
        double start = start_pass(p), first = 0, second = 0, stop;
        for (int i = 0; i < count; i++) {
            first += launch_first(function[i], blocks, n, turns);
            second += launch_in_range(p, function[i], blocks, n, turns);
        }
        last = stop_pass(p, &stop);
        double end = last ? decode(p) : 0;
        printf("    %-33s pass %d: set %6.2f start %7.2f  1st launch %8.3f  2nd %8.3f  stop %7.2f  decode "
               "%6.2f\n",
               what, pass, set, start, first / count, second / count, stop, end);
        set = 0;
        fflush(stdout);
    }
    show_counts(p, what);
}

static void show_rounds(profiler &p)
{
    show_round(p, "16 tiny copies", copy, 16, 1, 256, 1, 2 * FUNCTIONS);
    show_round(p, "the same again", copy, 16, 1, 256, 1, 2 * FUNCTIONS);
    show_round(p, "64 tiny copies", copy, FUNCTIONS, 1, 256, 1, 2 * FUNCTIONS);
    show_round(p, "180 MiB: 2.9e6 accesses of warps", copy, 4, 528, words, 1, 8);
    show_round(p, "in L2: 2.1e6 accesses of warps", copy, 4, 528, 1 << 21, 16, 8);
    show_round(p, "3.1e7 multiply-adds of warps", multiply, 2, 4224, 0, 925, 4);
}

static void show(const std::string &name, const names &some)
{
    profiler p = {};
    p.metrics = some;
    if (some.empty())
        return;
    double start = now();
    make_config(p);
    printf("\n%s: %zu metrics, %zu passes; host configuration %.1f ms\n", name.c_str(), some.size(), p.passes,
           now() - start);
    enable(p, 2 * FUNCTIONS);
    show_rounds(p);
    disable(p);
}

static void show_set(const char *set)
{
    const char *column[256];
    int columns = metric_set_columns(set, column);
    names all, instructions, units;
    for (int c = 0; c < columns; c++) {
        const struct metric *metric = metric_find(column[c]);
        for (const char *name : {metric->cupti[0], metric->per[0]}) {
            bool known = !name;
            for (const char *other : all)
                known = known || !strcmp(other, name);
            if (known)
                continue;
            all.push_back(name);
            (strstr(name, "__sass_") ? instructions : units).push_back(name);
        }
    }
    show(std::string(set) + ", all metrics", all);
    if (!units.empty())
        show(std::string(set) + ", at instructions", instructions);
    if (!instructions.empty())
        show(std::string(set) + ", of units", units);
}

int main(int count, char **sets)
{
    open_device();
    printf("%s; ms per call; without a profiler:", chip);
    for (int i = 0; i < 3; i++)
        printf(" tiny copy %.3f, 180 MiB %.3f, in L2 %.3f, multiply %.3f;", launch(copy[0], 1, 256, 1),
               launch(copy[0], 528, words, 1), launch(copy[0], 528, 1 << 21, 16),
               launch(multiply[0], 4224, 0, 925));
    printf("\n");
    for (int s = 1; s < count; s++)
        show_set(sets[s]);
}
