#include "worker/cuda/counters/cupti.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <dlfcn.h>

/* The functions that are used, by CUPTI's names. */
#define CUPTI_FUNCTIONS(X)                                                                                   \
    X(cuptiGetResultString)                                                                                  \
    X(cuptiProfilerInitialize)                                                                               \
    X(cuptiDeviceGetChipName)                                                                                \
    X(cuptiProfilerGetCounterAvailability)                                                                   \
    X(cuptiProfilerHostInitialize)                                                                           \
    X(cuptiProfilerHostDeinitialize)                                                                         \
    X(cuptiProfilerHostGetSupportedChips)                                                                    \
    X(cuptiProfilerHostGetBaseMetrics)                                                                       \
    X(cuptiProfilerHostGetMetricProperties)                                                                  \
    X(cuptiProfilerHostConfigAddMetrics)                                                                     \
    X(cuptiProfilerHostGetConfigImageSize)                                                                   \
    X(cuptiProfilerHostGetConfigImage)                                                                       \
    X(cuptiProfilerHostGetNumOfPasses)                                                                       \
    X(cuptiProfilerHostEvaluateToGpuValues)                                                                  \
    X(cuptiRangeProfilerEnable)                                                                              \
    X(cuptiRangeProfilerDisable)                                                                             \
    X(cuptiRangeProfilerSetConfig)                                                                           \
    X(cuptiRangeProfilerStart)                                                                               \
    X(cuptiRangeProfilerStop)                                                                                \
    X(cuptiRangeProfilerGetCounterDataInfo)                                                                  \
    X(cuptiRangeProfilerDecodeData)                                                                          \
    X(cuptiRangeProfilerGetCounterDataSize)                                                                  \
    X(cuptiRangeProfilerCounterDataImageInitialize)

/* The parameters of a function: their size, no private data, and the members that follow. */
#define PARAMS(type, name, ...)                                                                              \
    CUpti_##type##_Params name = {CUpti_##type##_Params_STRUCT_SIZE, nullptr, ##__VA_ARGS__}

namespace
{

struct library {
    void *handle;
#define X(name) decltype(&::name) name;
    CUPTI_FUNCTIONS(X)
#undef X
} cupti;

/* CUPTI loads libnvperf_host by name alone, which fails where its folder is no search path. A library that is
 * loaded already serves that name. */
void load_companion(void *handle)
{
    Dl_info info;
    void *symbol = handle ? dlsym(handle, "cuptiGetVersion") : nullptr;
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname)
        return;
    std::string path = info.dli_fname;
    path = path.substr(0, path.rfind('/') + 1) + "libnvperf_host.so";
    if (path[0] == '/')
        dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); /* if it is not there, CUPTI says so */
}

int load(struct error *error)
{
    if (cupti.handle)
        return 0;
    const char *chosen = getenv("WARPSWEEP_CUPTI");
    const char *const names[] = {chosen ? chosen : "libcupti.so", CUDA_LIBRARY_FOLDER "/libcupti.so",
                                 "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                 "/usr/local/cuda/lib64/libcupti.so"};
    void *handle = nullptr;
    for (const char *name : names) {
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle || chosen)
            break;
    }
    load_companion(handle);
    if (!handle)
        return error_set(
            error, ERROR_ENVIRONMENT,
            "CUPTI cannot be loaded (%s); install the CUDA Toolkit's CUPTI or put it into LD_LIBRARY_PATH",
            dlerror());
#define X(name)                                                                                              \
    cupti.name = reinterpret_cast<decltype(cupti.name)>(dlsym(handle, #name));                               \
    if (!cupti.name) {                                                                                       \
        dlclose(handle);                                                                                     \
        return error_set(error, ERROR_ENVIRONMENT, "this CUPTI has no %s; 12.8 or later is needed", #name);  \
    }
    CUPTI_FUNCTIONS(X)
#undef X
    PARAMS(Profiler_Initialize, initialize);
    cupti.cuptiProfilerInitialize(&initialize); /* fails without a driver, which the host API does not need */
    cupti.handle = handle;
    return 0;
}

/* What a user can do about a refusal, where there is something. */
const char *remedy(CUptiResult status)
{
    switch (status) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return "; counters need the administrator's NVreg_RestrictProfilingToAdminUsers=0 "
               "(ERR_NVGPUCTRPERM), or root";
    case CUPTI_ERROR_HARDWARE_BUSY:
        return "; another profiler is using this GPU's counters: end it (DCGM: dcgmi profile --pause)";
    case CUPTI_ERROR_NOT_SUPPORTED:
        return "; this CUPTI does not know the device: a newer CUDA Toolkit may";
    default:
        return "";
    }
}

int check(CUptiResult status, const char *what, struct error *error)
{
    if (status == CUPTI_SUCCESS)
        return 0;
    const char *text = nullptr;
    cupti.cuptiGetResultString(status, &text);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s%s", what, text ? text : "unknown CUPTI error",
                     remedy(status));
}

#define CHECK(call, error)                                                                                   \
    do {                                                                                                     \
        if (check((call), #call, error) != 0)                                                                \
            return -1;                                                                                       \
    } while (0)

} // namespace

/* ---- Chips */

struct cupti_chip {
    std::string name;
    std::vector<uint8_t> availability; /* of the device; empty: of the chip in general */
    CUpti_Profiler_Host_Object *host;
};

namespace
{

int start_host(cupti_chip *chip, struct error *error)
{
    PARAMS(Profiler_Host_Initialize, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip->name.c_str();
    p.pCounterAvailabilityImage = chip->availability.empty() ? nullptr : chip->availability.data();
    CUptiResult status = cupti.cuptiProfilerHostInitialize(&p);
    if (status != CUPTI_SUCCESS)
        return check(status, ("chip " + chip->name).c_str(), error);
    chip->host = p.pHostObject;
    return 0;
}

void end_host(cupti_chip *chip)
{
    PARAMS(Profiler_Host_Deinitialize, p, chip->host);
    if (chip->host)
        cupti.cuptiProfilerHostDeinitialize(&p);
    chip->host = nullptr;
}

/* CUPTI fills passes in the order in which metrics are added, and those of L1's tags fit into the fewest.
 * Last, they need passes of their own: all of ours take 8 on GH100, and 6 if they are first. */
std::vector<const char *> in_order(const char *const *metrics, int count)
{
    std::vector<const char *> ordered(metrics, metrics + count);
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const char *name) { return !strncmp(name, "l1tex__t", 8); });
    return ordered;
}

/* The configuration image for `metrics`, from a fresh host object: metrics only ever add up in one. */
int configure(cupti_chip *chip, const char *const *metrics, int count, std::vector<uint8_t> &image,
              struct error *error)
{
    std::vector<const char *> ordered = in_order(metrics, count);
    end_host(chip);
    if (start_host(chip, error) != 0)
        return -1;
    PARAMS(Profiler_Host_ConfigAddMetrics, add, chip->host, ordered.data(), ordered.size());
    CHECK(cupti.cuptiProfilerHostConfigAddMetrics(&add), error);
    PARAMS(Profiler_Host_GetConfigImageSize, size, chip->host, 0);
    CHECK(cupti.cuptiProfilerHostGetConfigImageSize(&size), error);
    image.resize(size.configImageSize);
    PARAMS(Profiler_Host_GetConfigImage, get, chip->host, image.size(), image.data());
    CHECK(cupti.cuptiProfilerHostGetConfigImage(&get), error);
    return 0;
}

} // namespace

extern "C" {

void *cupti_library(struct error *error)
{
    return load(error) == 0 ? cupti.handle : nullptr;
}

int cupti_check(int status, const char *what, struct error *error)
{
    return check((CUptiResult)status, what, error);
}

char *cupti_demangle(const char *name)
{
    char *demangled = abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
    return demangled ? demangled : strdup(name);
}

const char *const *cupti_chips(struct error *error)
{
    static std::vector<const char *> names;
    if (load(error) != 0)
        return nullptr;
    if (names.empty()) {
        PARAMS(Profiler_Host_GetSupportedChips, p, 0, nullptr);
        if (check(cupti.cuptiProfilerHostGetSupportedChips(&p), "the list of chips", error) != 0)
            return nullptr;
        names.assign(p.ppChipNames, p.ppChipNames + p.numChips);
        names.push_back(nullptr);
    }
    return names.data();
}

int cupti_chip_open(const char *name, struct cupti_chip **chip, struct error *error)
{
    if (load(error) != 0)
        return -1;
    auto *opened = new cupti_chip{name, {}, nullptr};
    if (start_host(opened, error) != 0) {
        delete opened;
        return -1;
    }
    *chip = opened;
    return 0;
}

int cupti_chip_of_device(struct cupti_chip **chip, struct error *error)
{
    int device = 0;
    if (load(error) != 0)
        return -1;
    cudaGetDevice(&device);
    PARAMS(Device_GetChipName, p, (size_t)device, nullptr);
    CHECK(cupti.cuptiDeviceGetChipName(&p), error);
    return cupti_chip_open(p.pChipName, chip, error);
}

const char *cupti_chip_name(const struct cupti_chip *chip)
{
    return chip->name.c_str();
}

void cupti_chip_close(struct cupti_chip *chip)
{
    if (!chip)
        return;
    end_host(chip);
    delete chip;
}

bool cupti_chip_has(struct cupti_chip *chip, const char *metric)
{
    PARAMS(Profiler_Host_GetMetricProperties, p, chip->host, metric);
    return cupti.cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS;
}

int cupti_chip_passes(struct cupti_chip *chip, const char *const *metrics, int count, struct error *error)
{
    std::vector<uint8_t> image;
    if (!count)
        return 0;
    if (configure(chip, metrics, count, image, error) != 0)
        return -1;
    PARAMS(Profiler_Host_GetNumOfPasses, p, image.size(), image.data(), 0);
    CHECK(cupti.cuptiProfilerHostGetNumOfPasses(&p), error);
    return (int)p.numOfPasses;
}
} // extern "C"

/* ---- Counting */

struct cupti_session {
    cupti_chip *chip;
    std::vector<std::string> names;
    std::vector<const char *> metrics;
    std::vector<uint8_t> config, blank, data; /* `blank` is the counter data image as it was initialised */
    CUcontext context;
    CUpti_RangeProfiler_Object *profiler; /* NULL: not enabled */
    int ranges;
};

namespace
{

int current_context(CUcontext *context, struct error *error)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaFree(nullptr); /* makes the context, if nothing has yet */
    if (cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000, cudaEnableDefault, &found) !=
            cudaSuccess ||
        reinterpret_cast<CUresult (*)(CUcontext *)>(function)(context) != CUDA_SUCCESS)
        return error_set(error, ERROR_ENVIRONMENT, "there is no CUDA context to count in");
    return 0;
}

/* What this device, under this driver, can count: some of a chip's counters may be fused off or reserved. */
int ask_availability(cupti_session *session, struct error *error)
{
    PARAMS(Profiler_GetCounterAvailability, p, session->context, 0, nullptr);
    CHECK(cupti.cuptiProfilerGetCounterAvailability(&p), error);
    session->chip->availability.resize(p.counterAvailabilityImageSize);
    p.pCounterAvailabilityImage = session->chip->availability.data();
    CHECK(cupti.cuptiProfilerGetCounterAvailability(&p), error);
    return 0;
}

int open_session(cupti_session *session, struct error *error)
{
    if (current_context(&session->context, error) != 0 || cupti_chip_of_device(&session->chip, error) != 0 ||
        ask_availability(session, error) != 0)
        return -1;
    return configure(session->chip, session->metrics.data(), (int)session->metrics.size(), session->config,
                     error);
}

/* Enable the profiler, and make the counter data image without counts. */
int enable(cupti_session *session, struct error *error)
{
    PARAMS(RangeProfiler_Enable, p, session->context, nullptr);
    CHECK(cupti.cuptiRangeProfilerEnable(&p), error);
    session->profiler = p.pRangeProfilerObject;
    PARAMS(RangeProfiler_GetCounterDataSize, size);
    size.pRangeProfilerObject = session->profiler;
    size.pMetricNames = session->metrics.data();
    size.numMetrics = session->metrics.size();
    size.maxNumOfRanges = (size_t)session->ranges;
    size.maxNumRangeTreeNodes = (uint32_t)session->ranges;
    CHECK(cupti.cuptiRangeProfilerGetCounterDataSize(&size), error);
    session->blank.resize(size.counterDataSize);
    PARAMS(RangeProfiler_CounterDataImage_Initialize, make, session->profiler, session->blank.size(),
           session->blank.data());
    CHECK(cupti.cuptiRangeProfilerCounterDataImageInitialize(&make), error);
    return 0;
}

} // namespace

extern "C" {

int cupti_session_open(const char *const *metrics, int count, int ranges, struct cupti_session **session,
                       struct error *error)
{
    if (load(error) != 0)
        return -1;
    auto *opened = new cupti_session{};
    opened->names.assign(metrics, metrics + count);
    for (const std::string &name : opened->names)
        opened->metrics.push_back(name.c_str());
    opened->ranges = ranges;
    if (open_session(opened, error) != 0) {
        cupti_session_close(opened);
        return -1;
    }
    *session = opened;
    return 0;
}

void cupti_session_close(struct cupti_session *session)
{
    if (!session)
        return;
    cupti_session_disable(session);
    cupti_chip_close(session->chip);
    delete session;
}

int cupti_session_enable(struct cupti_session *session, struct error *error)
{
    if (enable(session, error) == 0)
        return 0;
    cupti_session_disable(session);
    return -1;
}

void cupti_session_disable(struct cupti_session *session)
{
    PARAMS(RangeProfiler_Disable, p, session->profiler);
    if (session->profiler)
        cupti.cuptiRangeProfilerDisable(&p);
    session->profiler = nullptr;
}

int cupti_round_begin(struct cupti_session *session, int ranges, struct error *error)
{
    session->data = session->blank;
    PARAMS(RangeProfiler_SetConfig, p);
    p.pRangeProfilerObject = session->profiler;
    p.configSize = session->config.size();
    p.pConfig = session->config.data();
    p.counterDataImageSize = session->data.size();
    p.pCounterDataImage = session->data.data();
    p.range = CUPTI_AutoRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = (size_t)ranges;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.targetNestingLevel = 1;
    CHECK(cupti.cuptiRangeProfilerSetConfig(&p), error);
    return 0;
}

int cupti_pass_begin(struct cupti_session *session, struct error *error)
{
    PARAMS(RangeProfiler_Start, p, session->profiler);
    CHECK(cupti.cuptiRangeProfilerStart(&p), error);
    return 0;
}

int cupti_pass_end(struct cupti_session *session, bool *last, struct error *error)
{
    PARAMS(RangeProfiler_Stop, p);
    p.pRangeProfilerObject = session->profiler;
    CHECK(cupti.cuptiRangeProfilerStop(&p), error);
    *last = p.isAllPassSubmitted != 0;
    if (!*last)
        return 0;
    PARAMS(RangeProfiler_DecodeData, decode, session->profiler, 0);
    CHECK(cupti.cuptiRangeProfilerDecodeData(&decode), error);
    if (decode.numOfRangeDropped)
        return error_set(error, ERROR_ENVIRONMENT, "CUPTI dropped %zu ranges", decode.numOfRangeDropped);
    return 0;
}

int cupti_round_ranges(struct cupti_session *session, int *ranges, struct error *error)
{
    PARAMS(RangeProfiler_GetCounterDataInfo, p, session->data.data(), session->data.size(), 0);
    CHECK(cupti.cuptiRangeProfilerGetCounterDataInfo(&p), error);
    *ranges = (int)p.numTotalRanges;
    return 0;
}

int cupti_round_read(struct cupti_session *session, int index, double *values, struct error *error)
{
    for (size_t i = 0; i < session->metrics.size(); i++)
        values[i] = NAN;
    PARAMS(Profiler_Host_EvaluateToGpuValues, p);
    p.pHostObject = session->chip->host;
    p.pCounterDataImage = session->data.data();
    p.counterDataImageSize = session->data.size();
    p.rangeIndex = (size_t)index;
    p.ppMetricNames = session->metrics.data();
    p.numMetrics = session->metrics.size();
    p.pMetricValues = values;
    CHECK(cupti.cuptiProfilerHostEvaluateToGpuValues(&p), error);
    return 0;
}
} // extern "C"
