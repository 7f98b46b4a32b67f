/* column.h - the columns of a results file: type, role, unit and meaning, in one table.
 *
 * A column of every file is one row of a table: FIXED_COLUMNS here, or RESULT_REALS in core/result.h for
 * numbers that are measured or derived per point. A job adds its axes and counters (store/schema.c). The role
 * is stored in /columns of the file, and readers rely on it: a new column is stored and shown, and changes no
 * figure, table or comparison. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From narrow to wide: an integer can be stored as a real, a real as a text. */
enum column_type { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

/* X(enumerator, word in the file, meaning). Words never change; readers treat unknown words as `other`. */
#define COLUMN_ROLES(X)                                                                                      \
    X(OTHER, "other", "none of these, or not known: never an axis")                                          \
    X(IDENTITY, "identity", "which row this is: point, repetition, run, device")                             \
    X(AXIS, "axis", "a parameter of the point: what a job sweeps")                                           \
    X(STATUS, "status", "what became of the point, and why")                                                 \
    X(SAMPLING, "sampling", "how it was timed: launches, samples, why sampling ended")                       \
    X(TIME, "time", "measured times and latencies, with their intervals")                                    \
    X(WORK, "work", "what the kernel has to do: bytes, operations")                                          \
    X(RATE, "rate", "work over time, and shares of peaks")                                                   \
    X(COUNTER, "counter", "counted by the hardware")                                                         \
    X(ENERGY, "energy", "of a launch in a sustained loop, and how the device was meanwhile")                 \
    X(PREDICTION, "prediction", "by the access and the time model, measured over it")                        \
    X(RESOURCE, "resource", "what the compiled kernel and its grid take: registers, memory, blocks")         \
    X(VERIFICATION, "verification", "what was compared with the reference")                                  \
    X(ENVIRONMENT, "environment", "the machine meanwhile: back end, clocks, power, throttling")              \
    X(COST, "cost", "time that warpsweep itself spent on the point")

enum column_role {
#define X(role, word, meaning) ROLE_##role,
    COLUMN_ROLES(X)
#undef X
        ROLE_COUNT
};

/* Columns that are not numbers per point: X(name, type, role, meaning). Axes follow `kernel`. */
#define FIXED_COLUMNS(X)                                                                                     \
    X(id, TEXT, IDENTITY, "key of the point: a hash of kernel and axis values, 16 hexadecimal digits")       \
    X(kernel, TEXT, IDENTITY, "kernel family")                                                               \
    X(repeat, INTEGER, IDENTITY, "0 for the point itself; 1, 2, ... for a canary's repetitions")             \
    X(run, INTEGER, IDENTITY, "which run of the command measured it: 1, and one more with each resume")      \
    X(status, TEXT, STATUS, "ok, unsupported, failed, crashed, timed_out or unavailable")                    \
    X(message, TEXT, STATUS, "why, when the status is not ok; a remark when it is")                          \
    X(attempts, INTEGER, STATUS,                                                                             \
      "how often it was tried: 2 when the first attempt failed, crashed or timed out and another device, "   \
      "or a fresh process, tried again")                                                                     \
    X(earlier_attempt, TEXT, STATUS, "what became of the attempt before: status, rank, device, message")     \
    X(counters_status, TEXT, STATUS,                                                                         \
      "counted; none: nothing to count; pending: timed, not counted yet; missing or failed: and why")        \
    X(energy_status, TEXT, STATUS,                                                                           \
      "measured; unsupported or failed: and why; empty: the run measured no energy")                         \
    X(energy_throttle, TEXT, ENERGY, "clock-event reasons in the loop whose energy was measured")            \
    X(activity, TEXT, RESOURCE,                                                                              \
      "kernels, copies and memsets of one launch of a call, as JSON: [name, grid, block, launches, "         \
      "seconds]; missing: and why")                                                                          \
    X(l2_state, TEXT, SAMPLING,                                                                              \
      "whether the counters prove that L2 was in the state that `cache` names: proved, disproved, unknown, " \
      "and why")                                                                                             \
    X(device, INTEGER, IDENTITY, "row of /devices; missing when the point met none")                         \
    X(paired_with, TEXT, IDENTITY, "id of the point that it was timed together with, sample by sample")      \
    X(backend, TEXT, ENVIRONMENT, "cuda, host or fake: what ran the point; predicted: nothing did")          \
    X(timer, TEXT, SAMPLING,                                                                                 \
      "what took the samples: graph (events around a CUDA graph of launches), single (events around one "    \
      "launch), clock (the host's), fake; none: not timed")                                                  \
    X(stop, TEXT, SAMPLING,                                                                                  \
      "why sampling ended: converged, settled, max_time or max_samples; none: not timed")                    \
    X(roof, TEXT, RATE, "the peak that fraction_peak is of: dram_read, dram_mix, l2, flop_f32 ...")          \
    X(model, TEXT, PREDICTION,                                                                               \
      "formula of the time model: kernel, tiles, library, shared, chain_load, host_link, link_copy ...; "    \
      "empty: none")                                                                                         \
    X(arithmetic, TEXT, PREDICTION,                                                                          \
      "peak of the point's arithmetic: flop_f32, tensor_bf16 ...; empty: none")                              \
    X(throttle, TEXT, ENVIRONMENT,                                                                           \
      "clock-event reasons seen while sampling, as NVML names them, joined by |")                            \
    X(throttle_mask, INTEGER, ENVIRONMENT, "the same as NVML's bit mask")                                    \
    X(shared, TEXT, ENVIRONMENT,                                                                             \
      "other processes that compute on the device, by NVML within half a second of the point: no; how many " \
      "and how busy; unknown: and why; empty: not looked for")                                               \
    X(code_hash, TEXT, ENVIRONMENT,                                                                          \
      "hash of what ran: machine code without names, or library, version and algorithm; empty: unknown")     \
    X(launch_hash, TEXT, ENVIRONMENT,                                                                        \
      "hash of how: grid, block, shared memory, arguments, buffers; empty: unknown")                         \
    X(protocol_hash, TEXT, ENVIRONMENT,                                                                      \
      "hash of what surrounds it: measuring rules, state of L2, clock, graph of a call; empty: unknown")     \
    X(sample_count, INTEGER, SAMPLING, "samples of this row in /samples")                                    \
    X(sample_offset, INTEGER, SAMPLING, "row of /samples where they start")

/* Axes that are words in every family. */
#define WORD_AXES(X) X(variant) X(dtype) X(arch) X(cache)

/* The first columns of /timeline: X(name, type, role, unit, meaning). */
#define TIMELINE_COLUMNS(X)                                                                                  \
    X(run, INTEGER, IDENTITY, "", "run of the command, as in /results")                                      \
    X(rank, INTEGER, IDENTITY, "", "MPI rank")                                                               \
    X(device, INTEGER, IDENTITY, "", "row of /devices; -1: of none")                                         \
    X(lane, TEXT, IDENTITY, "", "rank, or coordinator: what rank 0 does beside")                             \
    X(phase, TEXT, STATUS, "", "what the lane was at")                                                       \
    X(point, TEXT, IDENTITY, "", "id of the point that it was for, the first of several; empty: none")       \
    X(parts, INTEGER, COST, "", "how often the phase was entered")                                           \
    X(start, REAL, COST, "s", "since the run's start: that of rank 0's process")                             \
    X(end, REAL, COST, "s", "the same")

/* Those without which a file is none. */
#define REQUIRED_COLUMNS(X) X(id) X(kernel) X(repeat) X(status) X(device) X(sample_offset) X(sample_count)

enum fixed_column {
#define X(name, type, role, meaning) FIXED_##name,
    FIXED_COLUMNS(X)
#undef X
        FIXED_COUNT
};

/* A column of a frame. */
struct column {
    char name[128]; /* CUPTI names have up to about 90 characters */
    enum column_type type;
    enum column_role role;
    char unit[32];
    char meaning[256];
};

/* A row of the table. */
struct column_info {
    const char *name;
    enum column_type type;
    enum column_role role;
    const char *unit, *meaning;
};

extern const struct column_info column_fixed[]; /* FIXED_COUNT, by enum fixed_column */
extern const struct column_info column_reals[]; /* REAL_COUNT, by enum result_real */

/* The columns of /devices, and where each is in struct device. */
extern const struct column_of_device {
    struct column_info info;
    size_t offset;
} column_devices[];
extern const int column_device_count;

/* The column of every file with this name; NULL for axes and counters of a job. */
const struct column_info *column_find(const char *name);
/* Whether an axis or a counter cannot have this name: it is one of every file, or one that readers derive
 * from these (python/src/warpsweep/rates.py, by cmake/Columns.cmake). */
bool column_is_reserved(const char *name);
/* Whether readers derive it, and releases until 0.6 have stored it: it is dropped from their files. */
bool column_is_derived(const char *name);
/* The same, or what the time model predicts: only name and type are known here; NULL: none of these. */
const struct column_info *column_find_readers(const char *name);
bool column_axis_has_words(const char *name); /* whether an axis of this name has words in every family */

extern const char *const column_type_words[];               /* by enum column_type; ends with NULL */
extern const char *const column_role_words[ROLE_COUNT + 1]; /* by enum column_role; ends with NULL */

/* Parse the word of a role; ROLE_OTHER for words of newer releases. */
enum column_role column_role_named(const char *word);

/* The role of a column in files of releases before 0.2, which have no roles. Besides the columns of the table
 * they only have axes (integers or texts) and counters (reals). */
enum column_role column_role_guess(const char *name, enum column_type type);
