/* A stand-in for libcupti.so, loaded through WARPSWEEP_CUPTI: a chip called FAKE1 that counts everything in
 * two passes. FAKE_CUPTI="function=status" makes one function fail, with CUPTI's number for the failure;
 * FAKE_DROPPED=1 loses a range. FAKE_ENABLED is set while a profiler is enabled, of which there can be one. Built
 * with -DOLD it lacks a function, as releases before 12.8 do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
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

CUptiResult cuptiProfilerHostInitialize(struct host_initialize *parameters);
CUptiResult cuptiProfilerHostInitialize(struct host_initialize *parameters)
{
    parameters->host = &objects;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetSupportedChips(struct host_chips *parameters);
CUptiResult cuptiProfilerHostGetSupportedChips(struct host_chips *parameters)
{
    static const char *const names[] = {"FAKE1", "FAKE2"};
    parameters->names = names;
    parameters->count = 2;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetMetricProperties(struct host_metric *parameters);
CUptiResult cuptiProfilerHostGetMetricProperties(struct host_metric *parameters)
{
    parameters->description = "made up";
    if (!strncmp(parameters->name, "missing__", 9))
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(struct host_image *parameters);
CUptiResult cuptiProfilerHostGetConfigImageSize(struct host_image *parameters)
{
    parameters->image_size = IMAGE_SIZE;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(struct host_passes *parameters);
CUptiResult cuptiProfilerHostGetNumOfPasses(struct host_passes *parameters)
{
    parameters->passes = PASSES;
    return status_of(__func__);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(struct host_values *parameters);
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
    (void)parameters;
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

#ifndef OLD
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *parameters)
{
    parameters->numOfRangeDropped = getenv("FAKE_DROPPED") ? 1 : 0;
    return status_of(__func__);
}
#endif
