#include "core/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/summary.h"

#define X(name, word, outcome, meaning) #word,
const char *const status_words[] = {STATUSES(X) NULL};
#undef X
#define X(name, word, outcome, meaning) OUTCOME_##outcome,
static const enum status_outcome outcomes[] = {STATUSES(X)};
#undef X
const char *const vendor_words[] = {"memcpy",   "cub_transform", "cub_device", "cublas",
                                    "cublaslt", "copy_engine",   NULL};
const char *const counters_words[] = {"none", "pending", "counted", "missing", "failed", NULL};
const char *const timer_words[] = {"none", "graph", "single", "clock", "fake", NULL};
#define X(name, word) #word,
const char *const stop_words[] = {STOP_REASONS(X) NULL};
#undef X
#define X(name) #name,
const char *const formula_words[] = {"", FORMULAS(X) NULL};
const char *const roof_words[] = {"none", MEMORY_ROOFS(X) FLOP_ROOFS(X) NULL};
#undef X

bool status_is_ok(const char *word)
{
    return !strcmp(word, status_words[STATUS_OK]);
}

bool status_is_bad(int status)
{
    return outcomes[status] == OUTCOME_failed;
}

struct result result_new(void)
{
    struct result result = {.device = -1, .attempts = 1};
    for (int i = 0; i < REAL_COUNT; i++)
        result.real[i] = NAN;
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        result.counter[i] = NAN;
    return result;
}

struct result result_fresh(const struct result *result)
{
    struct result fresh = result_new();
    fresh.id = result->id;
    fresh.repeat = result->repeat;
    return fresh;
}

struct energy energy_none(void)
{
    return (struct energy){
#define X(name, role, unit, meaning) .name = NAN,
        RESULT_ENERGY(X)
#undef X
    };
}

struct counted counted_new(uint32_t index)
{
    struct counted counted = {.index = index, .activity = activity_none(), .energy = energy_none()};
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        counted.counter[i] = NAN;
    return counted;
}

struct counted counted_lost(uint32_t index, bool energy, const char *why)
{
    struct counted counted = counted_new(index);
    counted.state = COUNTERS_FAILED;
    snprintf(counted.why, sizeof counted.why, "%s", why);
    if (energy)
        snprintf(counted.energy.status, sizeof counted.energy.status, ENERGY_FAILED ": %.140s", why);
    return counted;
}

void result_free(struct result *result)
{
    free(result->samples);
    result->samples = NULL;
    result->sample_count = 0;
    if (result->partner)
        result_free(result->partner);
    free(result->partner);
    result->partner = NULL;
}

void result_fail(struct result *result, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->status = status;
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
}

void result_remark(struct result *result, const char *format, ...)
{
    char text[RESULT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(result->message);
    if (!strstr(result->message, text))
        snprintf(result->message + length, sizeof result->message - length, "%s%s", length ? "; " : "", text);
}

struct sample sample_of(double seconds)
{
#define X(name, role, unit, always, meaning) .name = NAN,
    struct sample sample = {SAMPLE_REALS(X).device = -1};
#undef X
    sample.seconds = seconds;
    return sample;
}

uint64_t throttle_of(const struct sample *sample, size_t count)
{
    uint64_t reasons = 0;
    for (size_t i = 0; i < count; i++)
        reasons |= throttle_is_mask(sample[i].throttle_mask) ? (uint64_t)sample[i].throttle_mask : 0;
    return reasons;
}

void result_summarise(struct result *result)
{
    double *real = result->real;
    double *values = memory_new(result->sample_count, sizeof *values);
    for (uint32_t i = 0; i < result->sample_count; i++)
        values[i] = result->samples[i].seconds;
    real[REAL_time_median] = statistics_of(values, result->sample_count).median;
    real[REAL_processes] = 1;
    real[REAL_processes_failed] = 0;
    free(values);
}

/* NVML's nvmlClocksEventReason* bits, under the names that nvidia-smi gives them. */
void throttle_words(uint64_t mask, struct text *out)
{
    static const char *const names[] = {
        "gpu_idle",
        "applications_clocks_setting",
        "sw_power_cap",
        "hw_slowdown",
        "sync_boost",
        "sw_thermal_slowdown",
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "display_clock_setting",
    };
    for (unsigned bit = 0; bit < 64; bit++) {
        if (!(mask >> bit & 1))
            continue;
        const char *separator = out->length ? "|" : "";
        if (bit < sizeof names / sizeof *names)
            text_add(out, "%s%s", separator, names[bit]);
        else
            text_add(out, "%sbit_%u", separator, bit);
    }
}
