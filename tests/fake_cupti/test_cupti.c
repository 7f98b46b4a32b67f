/* How counting fails, and what the user reads then, against a library that fails on demand. The three
 * functions of the CUDA runtime that are called stand here, so that no GPU is needed. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti_result.h>

#include "unit_test.h"

#include "worker/cuda/counters/cupti.h"
#include "worker/cuda/counters/cuda_counters.h"

static bool no_context;

cudaError_t cudaFree(void *memory)
{
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static CUresult current_context(CUcontext *context)
{
    static int object;
    *context = (CUcontext)(void *)&object;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    CUresult (*entry)(CUcontext *) = current_context;
    assert_string_equal(symbol, "cuCtxGetCurrent");
    memcpy(function, &entry, sizeof entry);
    *found = cudaDriverEntryPointSuccess;
    return no_context ? cudaErrorNoDevice : cudaSuccess;
}

static const char *const metrics[] = {"one__sum", "two__sum", "three__sum"};
#define METRICS 3

static bool fake_is_enabled(void)
{
    return getenv("FAKE_ENABLED") != NULL;
}

/* Of a test. */
static struct cupti_session *session;
static struct error error;
static double values[2][METRICS];

static int start(void **state)
{
    session = NULL;
    error = (struct error){0};
    return 0;
}

EACH(start, NULL)

static int open_enabled(void)
{
    if (cupti_session_open(metrics, METRICS, 2, &session, &error) != 0)
        return -1;
    if (cupti_session_enable(session, &error) == 0)
        return 0;
    cupti_session_close(session);
    return -1;
}

/* One function fails with this status. */
static void fail_with(const char *function, int status)
{
    char failing[128];
    snprintf(failing, sizeof failing, "%s=%d", function, status);
    setenv("FAKE_CUPTI", failing, 1);
}

static void assert_open_fails(const char *function, int status, const char *part)
{
    error = (struct error){0};
    fail_with(function, status);
    assert_int_equal(open_enabled(), -1);
    unsetenv("FAKE_CUPTI");
    assert_non_null(strstr(error.text, part));
}

static const char *const opening[] = {
    "cuptiDeviceGetChipName",
    "cuptiProfilerHostInitialize",
    "cuptiProfilerGetCounterAvailability",
    "cuptiProfilerHostConfigAddMetrics",
    "cuptiProfilerHostGetConfigImageSize",
    "cuptiProfilerHostGetConfigImage",
    "cuptiRangeProfilerEnable",
    "cuptiRangeProfilerGetCounterDataSize",
    "cuptiRangeProfilerCounterDataImageInitialize",
};

TEST(whatever_fails_is_told)
{
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        assert_open_fails(opening[i], CUPTI_ERROR_UNKNOWN, "FAKE_RESULT_999");
        assert_int_equal(error.kind, ERROR_ENVIRONMENT);
        assert_null(strstr(error.text, "; ")); /* no remedy is known */
        assert_null(strchr(error.text, '\n'));
    }
}

/* Whichever function it is that refuses: drivers differ. */
TEST(remedies_stand_beside_the_refusal)
{
    static const struct {
        int status;
        const char *remedy;
    } refusals[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "NVreg_RestrictProfilingToAdminUsers=0 (ERR_NVGPUCTRPERM)"},
        {CUPTI_ERROR_HARDWARE_BUSY, "another profiler is using this GPU's counters"},
        {CUPTI_ERROR_NOT_SUPPORTED, "a newer CUDA Toolkit may"},
    };
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++)
        for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
            assert_open_fails(opening[i], refusals[k].status, refusals[k].remedy);
}

TEST(no_context_is_told)
{
    no_context = true;
    assert_int_equal(cupti_session_open(metrics, METRICS, 2, &session, &error), -1);
    no_context = false;
    assert_string_equal(error.text, "there is no CUDA context to count in");
}

static int count_round(void)
{
    bool last = false;
    int ranges = 0;
    if (cupti_round_begin(session, 2, &error) != 0)
        return -1;
    for (int pass = 0; pass < 10 && !last; pass++)
        if (cupti_pass_begin(session, &error) != 0 || cupti_pass_end(session, &last, &error) != 0)
            return -1;
    if (cupti_round_ranges(session, &ranges, &error) != 0)
        return -1;
    assert_int_equal(ranges, 2);
    for (int range = 0; range < ranges; range++)
        if (cupti_round_read(session, range, values[range], &error) != 0)
            return -1;
    return 0;
}

TEST(a_session_counts_round_after_round)
{
    assert_int_equal(cupti_session_open(metrics, METRICS, 2, &session, &error), 0);
    for (int batch = 0; batch < 2;
         batch++) { /* what is timed between two batches is timed without a profiler */
        assert_int_equal(cupti_session_enable(session, &error), 0);
        assert_true(fake_is_enabled());
        for (int round = 0; round < 3; round++) {
            assert_int_equal(count_round(), 0);
            assert_true(values[0][2] == 2 && values[1][0] == 100);
        }
        cupti_session_disable(session);
        assert_false(fake_is_enabled());
        cupti_session_disable(session);
    }
    assert_int_equal(cupti_session_enable(session, &error), 0);
    cupti_session_close(session);
    assert_false(fake_is_enabled());
}

/* Another profiler may come while a run is under way. */
TEST(counting_that_ends_is_told)
{
    static const char *const counting[] = {
        "cuptiRangeProfilerSetConfig",
        "cuptiRangeProfilerStart",
        "cuptiRangeProfilerStop",
        "cuptiRangeProfilerDecodeData",
        "cuptiRangeProfilerGetCounterDataInfo",
        "cuptiProfilerHostEvaluateToGpuValues",
    };
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++) {
        assert_int_equal(open_enabled(), 0);
        fail_with(counting[i], CUPTI_ERROR_HARDWARE_BUSY);
        assert_int_equal(count_round(), -1);
        unsetenv("FAKE_CUPTI");
        assert_non_null(strstr(error.text, "dcgmi profile --pause"));
        cupti_session_close(session);
    }
}

TEST(values_that_are_not_there_are_nan)
{
    assert_int_equal(open_enabled(), 0);
    setenv("FAKE_CUPTI", "cuptiProfilerHostEvaluateToGpuValues=999", 1);
    assert_int_equal(cupti_round_read(session, 0, values[0], &error), -1);
    unsetenv("FAKE_CUPTI");
    for (int i = 0; i < METRICS; i++)
        assert_true(isnan(values[0][i]));
    cupti_session_close(session);
}

TEST(dropped_ranges_are_an_error)
{
    assert_int_equal(open_enabled(), 0);
    setenv("FAKE_DROPPED", "1", 1);
    assert_int_equal(count_round(), -1);
    unsetenv("FAKE_DROPPED");
    assert_string_equal(error.text, "CUPTI dropped 1 ranges");
    cupti_session_close(session);
}

TEST(a_chip_says_what_it_has)
{
    struct cupti_chip *chip = NULL;
    assert_int_equal(cupti_chip_of_device(&chip, &error), 0);
    assert_string_equal(cupti_chip_name(chip), "FAKE1");
    assert_true(cupti_chip_has(chip, "one__sum"));
    assert_false(cupti_chip_has(chip, "missing__sum"));
    assert_int_equal(cupti_chip_passes(chip, metrics, 0, &error), 0);
    assert_int_equal(cupti_chip_passes(chip, metrics, METRICS, &error), 2);
    setenv("FAKE_CUPTI", "cuptiProfilerHostGetNumOfPasses=999", 1);
    assert_int_equal(cupti_chip_passes(chip, metrics, METRICS, &error), -1);
    assert_non_null(strstr(error.text, "FAKE_RESULT_999"));
    unsetenv("FAKE_CUPTI");
    cupti_chip_close(chip);
}

/* ---- Activity */

static const char *kernel_name = "_Z4fakeIfEvPfi";

static void prepare(void *context)
{
    assert_string_equal(getenv("FAKE_RECORDING"), "3");
    strcat(context, "prepare ");
    setenv("FAKE_LAUNCHED", "flush", 1);
}

static void launch(void *context)
{
    strcat(context, "launch");
    setenv("FAKE_LAUNCHED", kernel_name, 1);
}

/* Twice: the recording of one launch is not that of the next. */
TEST(a_launch_is_recorded_without_what_prepares_it)
{
    for (int turn = 0; turn < 2; turn++) {
        char calls[64] = "";
        struct activity_summary summary;
        struct activity *activity = trace_launch(prepare, launch, calls, &error);
        assert_string_equal(error.text, "");
        assert_string_equal(calls, "prepare launch");
        assert_string_equal(getenv("FAKE_RECORDING"), "0");
        assert_non_null(activity);
        assert_int_equal(activity->count, 3);
        activity_summarise(activity, "", &summary);
        assert_string_equal(summary.text, "[[\"fake<float>\", [7, 5, 3], [64, 2, 1], 1, 2e-06], "
                                          "[\"[memcpy host to device]\", [0, 0, 0], [0, 0, 0], 1, 5e-07], "
                                          "[\"[memset]\", [0, 0, 0], [0, 0, 0], 1, 2.5e-07]]");
        assert_true(fabs(summary.span - 3250e-9) < 1e-12 && fabs(summary.idle - 500. / 3250) < 1e-9);
    }
    kernel_name = "plain_c_name";
    char calls[64] = "";
    assert_string_equal(trace_launch(prepare, launch, calls, &error)->record[0].row.name, "plain_c_name");
}

TEST(a_recording_that_fails_is_told_and_ends)
{
    static const char *const failing[] = {"cuptiActivityEnable=15", "cuptiActivityFlushAll=15"};
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        char calls[64] = "";
        unsetenv("FAKE_RECORDING");
        setenv("FAKE_CUPTI", failing[i], 1);
        assert_null(trace_launch(prepare, launch, calls, &error));
        unsetenv("FAKE_CUPTI");
        assert_non_null(strstr(error.text, "FAKE_RESULT_15"));
        assert_int_equal(!strcmp(calls, ""), i == 0);
        unsetenv("FAKE_LAUNCHED");
    }
    char calls[64] = "";
    assert_int_equal(open_enabled(), 0);
    assert_null(trace_launch(prepare, launch, calls, &error)); /* counting is under way */
    cupti_session_close(session);
}
