/* result.h - what became of one point.
 *
 * One table gives the struct, the wire format, the journal and the columns of /results:
 * X(name, unit, meaning). Every real starts as NaN, which means "not measured"; 0 is a measurement. */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include <stdint.h>

#include "core/device.h"
#include "core/point.h"

enum status {
    STATUS_OK,
    STATUS_UNSUPPORTED, /* this point cannot exist, by design; `message` is the reason */
    STATUS_FAILED,      /* compile error, launch error, or wrong output */
    STATUS_CRASHED,     /* the worker process died */
    STATUS_TIMED_OUT,   /* the worker was killed after the point's time limit */
    STATUS_COUNT,
};
extern const char
    *const status_words[STATUS_COUNT + 1]; /* "ok", "unsupported", "failed", "crashed", "timed_out" */

enum stop_reason {
    STOP_NONE,      /* nothing was timed */
    STOP_CONVERGED, /* the confidence interval is within the target */
    STOP_SETTLED,   /* the interval no longer shrinks: the noise is the machine's */
    STOP_TIME,      /* max_time was used up */
    STOP_SAMPLES,   /* max_samples were taken */
    STOP_COUNT,
};
extern const char
    *const stop_words[STOP_COUNT + 1]; /* "none", "converged", "settled", "max_time", "max_samples" */

#define RESULT_REALS(X)                                                                                      \
    X(time_median, "s", "median of the samples: the headline")                                               \
    X(time_ci_low, "s", "lower end of the 95 % bootstrap confidence interval of the median")                 \
    X(time_ci_high, "s", "upper end of that interval")                                                       \
    X(time_mean, "s", "mean of the samples")                                                                 \
    X(time_min, "s", "fastest sample")                                                                       \
    X(time_p05, "s", "5th percentile of the samples")                                                        \
    X(time_p95, "s", "95th percentile of the samples")                                                       \
    X(time_mad, "s", "median absolute deviation of the samples, unscaled")                                   \
    X(bytes_read, "bytes", "useful bytes the kernel has to read")                                            \
    X(bytes_written, "bytes", "useful bytes the kernel has to write")                                        \
    X(flops, "flop", "floating-point operations the kernel has to do")                                       \
    X(bandwidth, "bytes/s", "(bytes_read + bytes_written) / time_median")                                    \
    X(bandwidth_low, "bytes/s", "the same at time_ci_high")                                                  \
    X(bandwidth_high, "bytes/s", "the same at time_ci_low")                                                  \
    X(flop_rate, "flop/s", "flops / time_median")                                                            \
    X(fraction_nominal, "", "bandwidth / the device's nominal bandwidth")                                    \
    X(fraction_datasheet, "", "bandwidth / the device's data-sheet bandwidth")                               \
    X(fraction_peak, "", "bandwidth / the copy bandwidth measured on this device in this run")               \
    X(sm_clock, "Hz", "median SM clock over the samples")                                                    \
    X(temperature, "degC", "GPU temperature after the samples")                                              \
    X(power, "W", "board power after the samples, as the driver averages it")                                \
    X(registers, "", "registers per thread")                                                                 \
    X(shared_static, "bytes", "static shared memory per block")                                              \
    X(shared_dynamic, "bytes", "dynamic shared memory per block")                                            \
    X(local_bytes, "bytes", "local memory per thread (spills and indexed arrays)")                           \
    X(occupancy_theoretical, "", "resident warps / the most the multiprocessor holds")                       \
    X(grid_blocks, "", "blocks of the grid")                                                                 \
    X(block_threads, "", "threads of a block")                                                               \
    X(launches, "", "launches per sample")                                                                   \
    X(buffer_sets, "", "sets of buffers the samples walked over")                                            \
    X(verified, "elements", "output elements compared with the reference")                                   \
    X(error_max, "", "largest relative difference to the reference")                                         \
    X(latency_p05, "cycles",                                                                                 \
      "5th percentile of the cycles per dependent access, as the kernel clocked them")                       \
    X(latency_p50, "cycles", "median of those cycles")                                                       \
    X(latency_p95, "cycles", "95th percentile of those cycles")                                              \
    X(latency_seconds, "s", "latency_p50 / sm_clock")                                                        \
    X(predicted_load_requests, "requests",                                                                   \
      "what load_requests is by the access model, for the architecture of the point (where no chip is "      \
      "known: "                                                                                              \
      "9.0)")                                                                                                \
    X(predicted_load_sectors, "sectors", "what load_sectors is by the access model")                         \
    X(predicted_load_sectors_per_request, "sectors", "load_sectors_per_request by the access model")         \
    X(predicted_load_efficiency, "%", "load_efficiency by the access model")                                 \
    X(predicted_store_requests, "requests", "store_requests by the access model")                            \
    X(predicted_store_sectors, "sectors", "store_sectors by the access model")                               \
    X(predicted_store_sectors_per_request, "sectors", "store_sectors_per_request by the access model")       \
    X(predicted_store_efficiency, "%", "store_efficiency by the access model")                               \
    X(predicted_shared_load_requests, "requests", "shared_load_requests by the access model")                \
    X(predicted_shared_load_wavefronts, "wavefronts", "shared_load_wavefronts by the access model")          \
    X(predicted_shared_load_wavefronts_per_request, "wavefronts",                                            \
      "shared_load_wavefronts_per_request by the access model")                                              \
    X(predicted_shared_load_conflicts, "conflicts", "shared_load_conflicts by the access model")             \
    X(predicted_shared_store_requests, "requests", "shared_store_requests by the access model")              \
    X(predicted_shared_store_wavefronts, "wavefronts", "shared_store_wavefronts by the access model")        \
    X(predicted_shared_store_wavefronts_per_request, "wavefronts",                                           \
      "shared_store_wavefronts_per_request by the access model")                                             \
    X(predicted_shared_store_conflicts, "conflicts", "shared_store_conflicts by the access model")           \
    X(predicted_dram_bytes_read, "bytes",                                                                    \
      "dram_bytes_read by the access model, of points with a cold L2 that read each granule once")           \
    X(predicted_dram_bytes_written, "bytes",                                                                 \
      "dram_bytes_written by the access model, once L2 has written everything back")                         \
    X(dram_ratio, "",                                                                                        \
      "(dram_bytes_read + dram_bytes_written) / (predicted_dram_bytes_read + "                               \
      "predicted_dram_bytes_written)")                                                                       \
    X(seconds_compile, "s", "time spent compiling or loading the kernel")                                    \
    X(seconds_verify, "s", "time spent filling, running once and comparing")                                 \
    X(seconds_warmup, "s", "time spent warming up")                                                          \
    X(seconds_measure, "s", "time spent sampling")                                                           \
    X(seconds_total, "s", "time the worker spent on the point")

/* Counter columns come after those, one per metric that the job asks for (see core/config.h). */
#define RESULT_COUNTERS_MAX 128

enum result_real {
#define X(name, unit, meaning) REAL_##name,
    RESULT_REALS(X)
#undef X
        REAL_COUNT
};

struct sample {
    double seconds;  /* of one launch: a batch's time divided by its launches */
    double sm_clock; /* Hz over the sample; NaN when unknown */
};

#define RESULT_MESSAGE_SIZE 512

struct result {
    uint64_t id;    /* point_id */
    int32_t repeat; /* 0 for the point itself; 1, 2, ... for a canary's repetitions */
    int32_t device; /* row of /devices; -1 when the point met none */
    enum status status;
    enum stop_reason stop;
    uint64_t throttle; /* NVML clock-event reasons seen while sampling, or'ed; 0 when none or unknown */
    char message[RESULT_MESSAGE_SIZE]; /* why, when status is not ok; a remark when it is */
    double real[REAL_COUNT];
    double counter[RESULT_COUNTERS_MAX]; /* as many as the run's configuration names */
    struct sample *samples;              /* owned; result_free */
    uint32_t sample_count;
};

/* All reals and counters NaN, no samples, status ok. */
struct result result_new(void);
void result_free(struct result *result);

/* Set status and message, printf-like. */
void result_fail(struct result *result, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fill the time statistics and what follows from them (bandwidth, flop_rate) from samples and work. */
void result_summarise(struct result *result, uint64_t seed);

/* Fill the shares of the device's peaks; NaN where the peak is not known, or nothing was timed. */
void result_set_fractions(struct result *result, const struct device *device);

#endif
