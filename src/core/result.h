/* result.h - the result of a point.
 *
 * One table gives the struct, the wire format, the journal and the columns of /results:
 * X(name, role, unit, meaning), the roles as in core/column.h. Every real starts as NaN, which means "not
 * measured"; 0 is a measurement. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "core/activity.h"
#include "core/device.h"
#include "core/limits.h"
#include "core/point.h"

/* What became of a point: the column `status`, and the table /statuses, from which readers take what counts
 * as a failure. X(NAME, word, outcome, meaning). */
#define STATUSES(X)                                                                                          \
    X(OK, ok, measured, "measured, and verified if the job verifies")                                        \
    X(UNSUPPORTED, unsupported, skipped, "not supported, by design; `message` has the reason")               \
    X(FAILED, failed, failed, "compile error, launch error, or wrong output")                                \
    X(CRASHED, crashed, failed, "the worker process died")                                                   \
    X(TIMED_OUT, timed_out, failed, "the worker was killed at the point's time limit")                       \
    X(UNAVAILABLE, unavailable, deferred,                                                                    \
      "this launch lacked a rank, a device or memory; each resume asks again")

enum status {
#define X(name, word, outcome, meaning) STATUS_##name,
    STATUSES(X)
#undef X
        STATUS_COUNT
};
enum status_outcome { OUTCOME_measured, OUTCOME_skipped, OUTCOME_deferred, OUTCOME_failed };
extern const char *const status_words[STATUS_COUNT + 1]; /* "ok", "unsupported" and so on */
bool status_is_ok(const char *word);                     /* is it the word of STATUS_OK? */
bool status_is_bad(int status);                          /* a failure of any kind */

/* Words of the axes `variant` and `loop` whose points a library or engine of the vendor runs. */
extern const char *const vendor_words[];

/* Which formula of the time model a point has: the column `model`. X(name). Files contain the name; an empty
 * text for none. */
#define FORMULAS(X)                                                                                          \
    X(kernel)        /* a kernel that moves data through DRAM and L2 */                                      \
    X(shared)        /* one that only uses shared memory */                                                  \
    X(tiles)         /* a product that copies slices of the operands while it multiplies others */           \
    X(library)       /* a vendor's kernel, or a call: only the bounds of its useful work are known */        \
    X(host_link)     /* copies between host and device */                                                    \
    X(link_kernel)   /* a kernel that reads or writes another device's memory */                             \
    X(link_copy)     /* the copy engine between devices */                                                   \
    X(chain_load)    /* dependent loads that L2 answers */                                                   \
    X(chain_load_l1) /* ... that L1 may answer */                                                            \
    X(chain_atomic)  /* dependent atomic operations */                                                       \
    X(chain_fence)   /* stores, each with a fence for all devices */                                         \
    X(chain_flag)    /* round trips between two kernels */

enum formula {
    FORMULA_none,
#define X(name) FORMULA_##name,
    FORMULAS(X)
#undef X
        FORMULA_COUNT
};
extern const char *const formula_words[FORMULA_COUNT + 1]; /* the names, NULL-terminated */

/* Roofs of the roofline model: the column `roof`. X(name). Files contain the name. Those of arithmetic are
 * peak_NAME of a device, too. */
#define MEMORY_ROOFS(X)                                                                                      \
    X(dram_read)                                                                                             \
    X(dram_write)                                                                                            \
    X(dram_mix)                                                                                              \
    X(l2)                                                                                                    \
    X(shared)                                                                                                \
    X(link_h2d)                                                                                              \
    X(link_d2h)                                                                                              \
    X(link_peer)
#define FLOP_ROOFS(X)                                                                                        \
    X(flop_f16)                                                                                              \
    X(flop_bf16)                                                                                             \
    X(flop_f32)                                                                                              \
    X(flop_f64)                                                                                              \
    X(tensor_f16)                                                                                            \
    X(tensor_bf16)                                                                                           \
    X(tensor_tf32)                                                                                           \
    X(tensor_f8)                                                                                             \
    X(tensor_i8)                                                                                             \
    X(tensor_f4)

enum roof_kind {
    ROOF_none,
#define X(name) ROOF_##name,
    MEMORY_ROOFS(X) FLOP_ROOFS(X)
#undef X
        ROOF_COUNT
};
extern const char *const roof_words[ROOF_COUNT + 1]; /* the names, NULL-terminated; "none" for none */

/* The state of the counters of a row. */
enum counters_state {
    COUNTERS_NONE,    /* nothing to count */
    COUNTERS_PENDING, /* the point is timed, but not counted yet */
    COUNTERS_COUNTED,
    COUNTERS_MISSING, /* this launch cannot count the point; the row has the reason */
    COUNTERS_FAILED,  /* counting failed, or killed the worker; the row has the reason */
    COUNTERS_STATE_COUNT,
};
extern const char *const counters_words[COUNTERS_STATE_COUNT + 1]; /* "none", "pending" and so on */

/* Why sampling ended: the column `stop`. X(NAME, word). Files contain the word. */
#define STOP_REASONS(X)                                                                                      \
    X(NONE, none)           /* nothing was timed */                                                          \
    X(CONVERGED, converged) /* the confidence interval is within the target */                               \
    X(SETTLED, settled)     /* the interval no longer shrinks: the noise does not average out */             \
    X(TIME, max_time)       /* max_time was used up */                                                       \
    X(SAMPLES, max_samples) /* max_samples were taken */

enum stop_reason {
#define X(name, word) STOP_##name,
    STOP_REASONS(X)
#undef X
        STOP_COUNT
};
extern const char *const stop_words[STOP_COUNT + 1]; /* the words, NULL-terminated */

/* What the loop whose energy is measured gives (worker/stages.h); the same roles. */
#define RESULT_ENERGY(X)                                                                                     \
    X(energy, ENERGY, "J", "energy of a launch in a sustained loop, by NVML's energy counter")               \
    X(energy_low, ENERGY, "J", "lower end of its 95 % interval over the updates of the counter")             \
    X(energy_high, ENERGY, "J", "upper end of that interval; other runs and devices are not in it")          \
    X(energy_sampled, ENERGY, "J", "the same by NVML's power samples, integrated over the same time")        \
    X(energy_power, ENERGY, "W", "mean power of the loop, by the energy counter")                            \
    X(energy_time, ENERGY, "s", "time of a launch in the loop, pauses between launches included")            \
    X(energy_clock, ENERGY, "Hz", "mean SM clock in the loop, by NVML")                                      \
    X(energy_window, ENERGY, "s", "time over which energy was measured")                                     \
    X(energy_update, ENERGY, "s", "mean time between two updates of the energy counter")

/* What the time model has to know of the launch and of the family, beside the accesses
 * (family/time/inputs.c). */
#define RESULT_MODEL(X)                                                                                      \
    X(special, WORK, "",                                                                                     \
      "operations of the special-function unit; an integer multiply-add is a quarter of one")                \
    X(footprint, RESOURCE, "bytes", "all buffers, each rounded up to 512 bytes")                             \
    X(addresses, PREDICTION, "", "1: the access model knows all addresses; else 0")                          \
    X(model_devices, PREDICTION, "", "devices that the point names; 0: it runs on any")                      \
    X(dependent_launch, PREDICTION, "", "1: launches may begin before the end of the launch before; else 0") \
    X(parts, PREDICTION, "",                                                                                 \
      "host links: chunks of a copy, 0 for two arrays that go one way each; links of devices: directions")   \
    X(tile_count, PREDICTION, "", "tiles of a product that are computed by a block at a time")               \
    X(tile_slices, PREDICTION, "", "slices of the operands that a tile is summed up from")                   \
    X(tile_ahead, PREDICTION, "", "slices that are copied while one is multiplied; 0: none")                 \
    X(tile_flops, PREDICTION, "flop", "of a slice, at the rate of the tensor cores' fastest instruction")    \
    X(tile_bytes_copied, PREDICTION, "bytes", "of a slice that are copied to shared memory")                 \
    X(tile_bank_bytes, PREDICTION, "bytes",                                                                  \
      "of a slice that pass shared memory while it is multiplied; 0: always in less time")                   \
    X(tile_apart, PREDICTION, "cycles", "of a slice in which nothing is multiplied")                         \
    X(tile_stored, PREDICTION, "bytes", "of a tile of the result")                                           \
    X(tile_warps, PREDICTION, "", "warps of a block that computes tiles")                                    \
    X(tile_resident, PREDICTION, "", "such blocks whose registers fit a multiprocessor")                     \
    X(tile_persistent, PREDICTION, "", "1: a tile is stored while the next one is multiplied; else 0")       \
    X(chain_count, PREDICTION, "", "dependent accesses, or round trips")                                     \
    X(chain_groups, PREDICTION, "", "groups of them, each between two readings of the clock")                \
    X(chain_slots, PREDICTION, "", "different addresses among them")                                         \
    X(chain_bytes, PREDICTION, "bytes", "that these are spread over")

#define RESULT_REALS(X)                                                                                      \
    X(time_median, TIME, "s",                                                                                \
      "median over samples; of several processes, the geometric mean of their medians")                      \
    X(bytes_read, WORK, "bytes", "useful bytes the kernel has to read")                                      \
    X(bytes_written, WORK, "bytes", "useful bytes the kernel has to write")                                  \
    X(flops, WORK, "flop", "floating-point operations the kernel has to do")                                 \
    X(flops_executed, WORK, "flop",                                                                          \
      "flops without those of zeros that a sparse matrix does not store (sparse products only)")             \
    X(bus_bytes, WORK, "bytes",                                                                              \
      "bytes that each device of a link or a collective has to send over its link")                          \
    X(roof_links, RATE, "",                                                                                  \
      "links between devices that the point uses at once; 0: within one, whose memory reads and writes "     \
      "each "                                                                                                \
      "byte; missing: another roof")                                                                         \
    X(link_peak, RATE, "bytes/s",                                                                            \
      "measured in the same process: the copy engine between the devices of the pair, one way")              \
    X(temperature, ENVIRONMENT, "degC", "GPU temperature after the samples")                                 \
    X(library_version, ENVIRONMENT, "",                                                                      \
      "version of the library that a call uses, as it numbers itself: 22803 is NCCL 2.28.3")                 \
    X(power, ENVIRONMENT, "W", "board power after the samples, as the driver averages it")                   \
    X(registers, RESOURCE, "", "registers per thread")                                                       \
    X(shared_static, RESOURCE, "bytes", "static shared memory per block")                                    \
    X(shared_dynamic, RESOURCE, "bytes", "dynamic shared memory per block")                                  \
    X(local_bytes, RESOURCE, "bytes", "local memory per thread (spills and indexed arrays)")                 \
    X(occupancy_theoretical, RESOURCE, "", "resident warps / the most the multiprocessor holds")             \
    X(grid_blocks, RESOURCE, "", "blocks of the grid")                                                       \
    X(block_threads, RESOURCE, "", "threads of a block")                                                     \
    X(processes, SAMPLING, "", "worker processes that measured the point, each a replicate")                 \
    X(processes_failed, SAMPLING, "", "further processes that failed: their samples are left out")           \
    X(launches, SAMPLING, "", "launches per sample")                                                         \
    X(overhead, SAMPLING, "s", "what timing adds to a sample, measured in the same process and taken off")   \
    X(l2_dirty, SAMPLING, "", "share of stores in what L2 took last before a launch; missing: hot L2")       \
    X(buffer_sets, SAMPLING, "", "sets of buffers the samples walked over")                                  \
    X(verified, VERIFICATION, "elements", "output elements compared with the reference")                     \
    X(verified_product, VERIFICATION, "elements",                                                            \
      "of these with the device's product in f64, which sums and the reference confirm (products only)")     \
    X(error_max, VERIFICATION, "", "largest relative difference to the reference")                           \
    X(error_rms, VERIFICATION, "",                                                                           \
      "root mean square of the differences to the reference / that of the reference; missing: bits must be " \
      "equal")                                                                                               \
    X(error_peak, VERIFICATION, "", "largest of these differences / root mean square of the reference")      \
    X(activity_span, TIME, "s",                                                                              \
      "one launch of a call while its kernels are recorded: first start to last end")                        \
    X(activity_idle, TIME, "", "share of activity_span in which neither kernel, copy nor memset ran")        \
    X(latency_p05, TIME, "cycles",                                                                           \
      "5th percentile of the cycles per dependent access, as the kernel clocked them")                       \
    X(latency_p50, TIME, "cycles", "median of those cycles")                                                 \
    X(latency_p95, TIME, "cycles", "95th percentile of those cycles")                                        \
    X(nvml_link_sent, ENVIRONMENT, "bytes",                                                                  \
      "payload over the NVLinks of the launching device in a launch on a remote pair, by NVML: sent")        \
    X(nvml_link_received, ENVIRONMENT, "bytes", "the same, received")                                        \
    X(nvml_link_raw_sent, ENVIRONMENT, "bytes", "the same with headers, requests and answers: sent")         \
    X(nvml_link_raw_received, ENVIRONMENT, "bytes", "the same, received")                                    \
    X(predicted_load_requests, PREDICTION, "requests",                                                       \
      "what load_requests is by the access model, for the architecture of the point (where no chip is "      \
      "known: "                                                                                              \
      "9.0)")                                                                                                \
    X(predicted_load_sectors, PREDICTION, "sectors", "what load_sectors is by the access model")             \
    X(predicted_load_sectors_per_request, PREDICTION, "sectors",                                             \
      "load_sectors_per_request by the access model")                                                        \
    X(predicted_load_efficiency, PREDICTION, "%", "load_efficiency by the access model")                     \
    X(predicted_store_requests, PREDICTION, "requests", "store_requests by the access model")                \
    X(predicted_store_sectors, PREDICTION, "sectors", "store_sectors by the access model")                   \
    X(predicted_store_sectors_per_request, PREDICTION, "sectors",                                            \
      "store_sectors_per_request by the access model")                                                       \
    X(predicted_store_efficiency, PREDICTION, "%", "store_efficiency by the access model")                   \
    X(predicted_shared_load_requests, PREDICTION, "requests", "shared_load_requests by the access model")    \
    X(predicted_shared_load_wavefronts, PREDICTION, "wavefronts",                                            \
      "shared_load_wavefronts by the access model")                                                          \
    X(predicted_shared_load_wavefronts_per_request, PREDICTION, "wavefronts",                                \
      "shared_load_wavefronts_per_request by the access model")                                              \
    X(predicted_shared_load_conflicts, PREDICTION, "conflicts", "shared_load_conflicts by the access model") \
    X(predicted_shared_store_requests, PREDICTION, "requests", "shared_store_requests by the access model")  \
    X(predicted_shared_store_wavefronts, PREDICTION, "wavefronts",                                           \
      "shared_store_wavefronts by the access model")                                                         \
    X(predicted_shared_store_wavefronts_per_request, PREDICTION, "wavefronts",                               \
      "shared_store_wavefronts_per_request by the access model")                                             \
    X(predicted_shared_store_conflicts, PREDICTION, "conflicts",                                             \
      "shared_store_conflicts by the access model")                                                          \
    X(predicted_atomic_requests, PREDICTION, "requests", "atomic_requests by the access model")              \
    X(predicted_atomic_sectors, PREDICTION, "sectors", "atomic_sectors by the access model")                 \
    X(predicted_reduction_requests, PREDICTION, "requests", "reduction_requests by the access model")        \
    X(predicted_reduction_sectors, PREDICTION, "sectors", "reduction_sectors by the access model")           \
    X(predicted_shared_atomic_requests, PREDICTION, "requests",                                              \
      "shared_atomic_requests by the access model")                                                          \
    X(predicted_cluster_load_requests, PREDICTION, "requests", "cluster_load_requests by the access model")  \
    X(predicted_cluster_load_sectors, PREDICTION, "sectors", "cluster_load_sectors by the access model")     \
    X(predicted_cluster_store_requests, PREDICTION, "requests",                                              \
      "cluster_store_requests by the access model")                                                          \
    X(predicted_cluster_store_sectors, PREDICTION, "sectors", "cluster_store_sectors by the access model")   \
    X(predicted_dram_bytes_read, PREDICTION, "bytes",                                                        \
      "dram_bytes_read by the access model, of points with a cold L2 that read each granule once")           \
    X(predicted_dram_bytes_written, PREDICTION, "bytes",                                                     \
      "dram_bytes_written by the access model, once L2 has written everything back")                         \
    X(predicted_l1_wavefronts, PREDICTION, "wavefronts",                                                     \
      "wavefronts of L1 for loads from and stores to global memory, by the access model")                    \
    X(predicted_rounds, PREDICTION, "",                                                                      \
      "per warp: how often global loads alternate with stores of their data to shared memory")               \
    X(predicted_turns, PREDICTION, "",                                                                       \
      "per warp: sequences of loads that wait for the sequence before; at least 1")                          \
    X(predicted_moved_read, PREDICTION, "bytes", "read from DRAM if L2 kept nothing for later")              \
    X(predicted_stored_lines, PREDICTION, "", "128-byte lines of a store to global memory, on average")      \
    X(predicted_scattered_read, PREDICTION, "",                                                              \
      "0: whole rows of DRAM are read; 1: single granules, each in another page of it")                      \
    X(predicted_scattered_write, PREDICTION, "", "the same of what is written")                              \
    RESULT_MODEL(X)                                                                                          \
    RESULT_ENERGY(X)                                                                                         \
    X(seconds_compile, COST, "s", "time spent compiling or loading the kernel")                              \
    X(seconds_verify, COST, "s", "time spent filling, running once and comparing")                           \
    X(seconds_warmup, COST, "s", "time spent warming up")                                                    \
    X(seconds_settle, COST, "s",                                                                             \
      "load before the samples, until the SM clock no longer fell; missing: not lowered")                    \
    X(seconds_measure, COST, "s", "time spent sampling")                                                     \
    X(seconds_total, COST, "s", "time the worker spent on the point")

/* Counter columns come after those, one per metric that the job asks for (see protocol/config.h). */
#define RESULT_COUNTERS_MAX 128

enum result_real {
#define X(name, role, unit, meaning) REAL_##name,
    RESULT_REALS(X)
#undef X
        REAL_COUNT
};

/* Real columns of /samples: name, role, unit, whether it is written without a value, meaning. NaN: not
 * known. */
#define SAMPLE_REALS(X)                                                                                      \
    X(seconds, TIME, "s", true, "time of one launch")                                                        \
    X(sm_clock, ENVIRONMENT, "Hz", true, "SM clock over the sample")                                         \
    X(throttle_mask, ENVIRONMENT, "", true, "NVML's clock-event reasons during the sample, as a number")     \
    X(power, ENVIRONMENT, "W", false, "board power during the sample; missing: its clock was not lowered")   \
    X(since, ENVIRONMENT, "s", false, "from the first launch to the sample's end; missing: no transient")

#define SAMPLE_INTEGERS(X)                                                                                   \
    X(process, IDENTITY, "", "worker process that took it, numbered through the file")                       \
    X(device, IDENTITY, "", "row of /devices; -1: not told")

struct sample {
#define X(name, role, unit, always, meaning) double name;
    SAMPLE_REALS(X)
#undef X
    uint32_t process; /* worker process that took it, numbered within the file by the coordinator */
    int32_t device;   /* row of /devices */
};
/* Nothing of it is known but its time. */
struct sample sample_of(double seconds);

/* The clock that timed the samples. */
enum timer_kind {
    TIMER_NONE,   /* nothing was timed */
    TIMER_GRAPH,  /* CUDA events around a graph of `launches` launches */
    TIMER_SINGLE, /* CUDA events around one launch, less the overhead of an empty launch over a graph node;
                     around copies alone, less that of two events */
    TIMER_CLOCK,  /* the host's monotonic clock */
    TIMER_FAKE,   /* made up */
    TIMER_COUNT,
};
extern const char *const timer_words[TIMER_COUNT + 1]; /* "none", "graph", "single", "clock", "fake" */

#define RESULT_MESSAGE_SIZE 512
#define RESULT_SHARED_SIZE  128

struct result {
    uint64_t id;      /* point_id */
    int32_t repeat;   /* 0 for the point itself; 1, 2, ... for a canary's repetitions */
    int32_t device;   /* row of /devices; -1: never on a device */
    uint32_t process; /* worker process that measured it, numbered within the file by the coordinator */
    enum status status;
    enum counters_state counters;
    int32_t attempts;    /* attempts at the point, including this one; counted by the coordinator */
    const char *earlier; /* outcome of the previous attempt; NULL: none. Not owned */
    enum stop_reason stop;
    enum timer_kind timer;
    enum roof_kind roof;
    const char *memory;                /* the column roof_memory; NULL: not known. Not owned */
    enum formula formula;              /* of the time model */
    enum roof_kind arithmetic;         /* that of the point's type; none: no peak is measured for it */
    char message[RESULT_MESSAGE_SIZE]; /* the reason if status is not ok; otherwise a remark */
    double real[REAL_COUNT];
    double counter[RESULT_COUNTERS_MAX]; /* those of the run's configuration */
    struct sample *samples;              /* owned; result_free */
    uint32_t sample_count;
    char shared[RESULT_SHARED_SIZE];                /* other processes on the device; "": not looked for */
    uint64_t code_hash, launch_hash, protocol_hash; /* of the columns; 0: unknown */
    uint64_t paired_with;   /* id of the point that it was timed together with, sample by sample; 0: none */
    struct result *partner; /* owned: of a pair, the result of its second point; NULL: both have failed */
};

/* The energy of a launch. All NaN and an empty status: not asked for. */
#define ENERGY_MEASURED "measured"
#define ENERGY_FAILED   "failed" /* --retry-failed measures it again */
struct energy {
#define X(name, role, unit, meaning) double name;
    RESULT_ENERGY(X)
#undef X
    uint64_t throttle; /* clock-event reasons in the loop, or'ed */
    char status[160];  /* the column energy_status */
};
struct energy energy_none(void);

/* The counters of a point, which is counted after it is timed, and what its launch runs. */
struct counted {
    uint32_t index; /* into the request */
    enum counters_state state;
    char why[256]; /* the reason if missing or failed, or why there is nothing to count */
    double counter[RESULT_COUNTERS_MAX];
    struct activity_summary activity;
    struct energy energy;
    char l2_state[96]; /* of the counted launch (worker/stages.h); "" if it was not counted */
};

/* Nothing is counted yet: all numbers NaN. */
struct counted counted_new(uint32_t index);
/* Of a point that its worker died of, or that its rank was lost with, `why`; the energy has failed for the
 * same reason, if the run measures it. */
struct counted counted_lost(uint32_t index, bool energy, const char *why);

/* All reals and counters NaN, no samples, status ok. */
struct result result_new(void);

/* The same with the id and the repeat of another one. */
struct result result_fresh(const struct result *result);
void result_free(struct result *result);

/* Add to the message of a point that goes on, unless it says so already. Printf-like. */
void result_remark(struct result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set status and message. Printf-like. */
void result_fail(struct result *result, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fill the medians of time and clock from the samples, which are of one process. Readers derive the rest. */
void result_summarise(struct result *result);

/* The clock-event reasons that make a point slower than the device can be: power cap, hardware slowdown,
 * heat, power brake. Idling and settings of the user are none of them. */
#define THROTTLE_SLOWS UINT64_C(0xec)

/* Clock-event reasons, by the names that nvidia-smi gives them, separated by '|'. */
static inline bool throttle_is_mask(double mask)
{
    return mask >= 0 && mask <= THROTTLE_MASK_MAX;
}
void throttle_words(uint64_t mask, struct text *out);
uint64_t throttle_of(const struct sample *sample, size_t count); /* all reasons of samples, or'ed */
