/* A stand-in for libcupti.so, loaded through WARPSWEEP_CUPTI: a chip called FAKE1 that counts everything in
 * two passes. FAKE_CUPTI="function=status" makes one function fail, with CUPTI's number for the failure;
 * FAKE_DROPPED=1 loses a range. FAKE_ENABLED is set while a profiler is enabled, of which there can be one.
 * FAKE_RECORDING has the number of kinds of activity that are recorded; FAKE_LAUNCHED=NAME makes the next
 * flush hand over a kernel of that mangled name, a copy, a memset, a record without times and one of a kind
 * that nobody knows. Built with -DOLD it lacks a function, as releases before 12.8 do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#define PASSES     2
#define RANGES     2
#define IMAGE_SIZE 16
#define ENABLED    "FAKE_ENABLED"

/* cupti_profiler_host.h is C++ alone: its structs as far as they are read or written here. */
struct host_initialize {
    size_t size;
    void *private;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host;
};
struct host_chips {
    size_t size;
    void *private;
    size_t count;
    const char *const *names;
};
struct host_image {
    size_t size;
    void *private, *host;
    size_t image_size;
};
struct host_passes {
    size_t size;
    void *private;
    size_t image_size;
    uint8_t *image;
    size_t passes;
};
struct host_metric {
    size_t size;
    void *private, *host;
    const char *name, *description;
};
struct host_values {
    size_t size;
    void *private, *host;
    const uint8_t *image;
    size_t image_size, range;
    const char **names;
    size_t count;
    double *values;
};

static int objects; /* addresses for opaque handles */
static int pass;    /* of the current round, from 0 */

static CUptiResult status_of(const char *function)
{
    const char *failing = getenv("FAKE_CUPTI");
    size_t length = strlen(function);
    if (!failing || strncmp(failing, function, length) != 0 || failing[length] != '=')
        return CUPTI_SUCCESS;
    return (CUptiResult)atoi(failing + length + 1);
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    static char string[64];
    snprintf(string, sizeof string, "FAKE_RESULT_%d", (int)result);
    *text = string;
    return CUPTI_SUCCESS;
}

/* Functions that only succeed or fail. */
#define PLAIN(name)                                                                                          \
    CUptiResult name(void *parameters);                                                                      \
    CUptiResult name(void *parameters)                                                                       \
    {                                                                                                        \
        (void)parameters;                                                                                    \
        return status_of(__func__);                                                                          \
    }
#define PLAIN_TARGET(name, type)                                                                             \
    CUptiResult name(type *parameters)                                                                       \
    {                                                                                                        \
        (void)parameters;                                                                                    \
        return status_of(__func__);                                                                          \
    }

PLAIN(cuptiProfilerHostDeinitialize)
PLAIN(cuptiProfilerHostGetBaseMetrics)
PLAIN(cuptiProfilerHostConfigAddMetrics)
PLAIN(cuptiProfilerHostGetConfigImage)
PLAIN_TARGET(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params)
PLAIN_TARGET(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params)
PLAIN_TARGET(cuptiRangeProfilerCounterDataImageInitialize,
             CUpti_RangeProfiler_CounterDataImage_Initialize_Params)

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *parameters)
{
    parameters->pChipName = "FAKE1";
    return status_of(__func__);
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *parameters)
{
    parameters->counterAvailabilityImageSize = IMAGE_SIZE;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostInitialize(struct host_initialize *parameters)
{
    parameters->host = &objects;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetSupportedChips(struct host_chips *parameters)
{
    static const char *const names[] = {"FAKE1", "FAKE2"};
    parameters->names = names;
    parameters->count = 2;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetMetricProperties(struct host_metric *parameters)
{
    parameters->description = "made up";
    if (!strncmp(parameters->name, "missing__", 9))
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(struct host_image *parameters)
{
    parameters->image_size = IMAGE_SIZE;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(struct host_passes *parameters)
{
    parameters->passes = PASSES;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(struct host_values *parameters)
{
    CUptiResult status = status_of(__func__);
    for (size_t i = 0; i < parameters->count && status == CUPTI_SUCCESS; i++)
        parameters->values[i] = (double)(100 * parameters->range + i);
    return status;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *parameters)
{
    CUptiResult status = status_of(__func__);
    if (status != CUPTI_SUCCESS)
        return status;
    if (getenv(ENABLED))
        return CUPTI_ERROR_INVALID_OPERATION;
    setenv(ENABLED, "1", 1);
    parameters->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)(void *)&objects;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *parameters)
{
    if (parameters->pRangeProfilerObject == (CUpti_RangeProfiler_Object *)(void *)&objects)
        unsetenv(ENABLED);
    return status_of(__func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *parameters)
{
    pass = 0;
    return status_of(__func__);
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *parameters)
{
    parameters->isAllPassSubmitted = ++pass == PASSES;
    return status_of(__func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *parameters)
{
    parameters->counterDataSize = IMAGE_SIZE;
    return status_of(__func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *parameters)
{
    parameters->numTotalRanges = RANGES;
    return status_of(__func__);
}

/* ---- Activity */

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed)
{
    request = requested;
    complete = completed;
    return status_of(__func__);
}

static void record_kinds(int change)
{
    const char *recorded = getenv("FAKE_RECORDING");
    char number[16];
    snprintf(number, sizeof number, "%d", (recorded ? atoi(recorded) : 0) + change);
    setenv("FAKE_RECORDING", number, 1);
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    CUptiResult status = getenv(ENABLED) ? CUPTI_ERROR_NOT_COMPATIBLE : status_of(__func__);
    if (status == CUPTI_SUCCESS)
        record_kinds(1);
    return status;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    record_kinds(-1);
    return CUPTI_SUCCESS;
}

/* Records are one after the other, as large as their kind is. */
static size_t size_of(CUpti_ActivityKind kind)
{
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        return sizeof(CUpti_ActivityKernel9);
    return kind == CUPTI_ACTIVITY_KIND_MEMCPY ? sizeof(CUpti_ActivityMemcpy5) : sizeof(CUpti_ActivityMemset3);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    static char name[256];
    const char *launched = getenv("FAKE_LAUNCHED");
    uint8_t *buffer, *end;
    size_t size, most;
    if (!launched)
        return status_of(__func__);
    snprintf(name, sizeof name, "%s", launched);
    unsetenv("FAKE_LAUNCHED");
    const CUpti_ActivityKernel9 kernel[2] = {{.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                              .start = UINT64_C(1800000000000001000),
                                              .end = UINT64_C(1800000000000003000),
                                              .gridX = 7,
                                              .gridY = 5,
                                              .gridZ = 3,
                                              .blockX = 64,
                                              .blockY = 2,
                                              .blockZ = 1,
                                              .name = name},
                                             {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .name = name}};
    const CUpti_ActivityMemcpy5 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                        .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                                        .start = UINT64_C(1800000000000000000),
                                        .end = UINT64_C(1800000000000000500)};
    const CUpti_ActivityMemset3 set = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                       .start = UINT64_C(1800000000000003000),
                                       .end = UINT64_C(1800000000000003250)},
                                other = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD};
    request(&buffer, &size, &most);
    end = mempcpy(buffer, kernel, sizeof kernel);
    end = mempcpy(end, &copy, sizeof copy);
    end = mempcpy(end, &other, sizeof other);
    end = mempcpy(end, &set, sizeof set);
    complete(NULL, 0, buffer, size, (size_t)(end - buffer));
    return status_of(__func__);
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t filled, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + size_of((*record)->kind) : buffer;
    if (next == buffer + filled)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

#ifndef OLD
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *parameters)
{
    parameters->numOfRangeDropped = getenv("FAKE_DROPPED") ? 1 : 0;
    return status_of(__func__);
}
#endif
