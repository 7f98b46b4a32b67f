/* cupti.h - a C interface to CUPTI's Profiler Host API and Range Profiler.
 *
 * CUPTI is loaded at run time (WARPSWEEP_CUPTI names another library), so that machines without it can still
 * time points. CUPTI's host header is C++ only, so cupti.cpp is the only C++ file. Metric names have rollup
 * and submetric: "dram__bytes_read.sum". Errors are ERROR_ENVIRONMENT, with a remedy if one is known. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

/* ---- For trace.c, whose part of CUPTI is C. */

/* The library, loaded; NULL with the reason. */
void *cupti_library(struct error *error);

/* 0, or -1 if `status`, a CUptiResult, is an error: of the function `what`. */
int cupti_check(int status, const char *what, struct error *error);

/* A C++ symbol as in the source, or `name` as it is. The caller frees it. */
char *cupti_demangle(const char *name);

/* ---- Without a GPU: what a chip ("GH100", "GB100", "GB202" ...) offers. */
struct cupti_chip; /* opaque */

/* Every chip's name, NULL-terminated, owned by CUPTI; NULL with the reason when there is no CUPTI. */
const char *const *cupti_chips(struct error *error);

int cupti_chip_open(const char *name, struct cupti_chip **chip, struct error *error);
int cupti_chip_of_device(struct cupti_chip **chip, struct error *error); /* the current device's */
const char *cupti_chip_name(const struct cupti_chip *chip);
void cupti_chip_close(struct cupti_chip *chip);

bool cupti_chip_has(struct cupti_chip *chip, const char *metric);

/* How many passes the metrics need together: 0 for none; -1 when the chip lacks one. */
int cupti_chip_passes(struct cupti_chip *chip, const char *const *metrics, int count, struct error *error);

/* ---- On the current device's context: counting. */
struct cupti_session; /* opaque */

/* Prepare to count `metrics` (copied) for up to `ranges` kernels per round. This takes about 0.1 s, mostly to
 * query the device. It does not enable the profiler. */
int cupti_session_open(const char *const *metrics, int count, int ranges, struct cupti_session **session,
                       struct error *error);
void cupti_session_close(struct cupti_session *session);

/* Rounds need an enabled profiler. While it is enabled, timed work is up to 1 % slower
 * (docs/method/measurement.md). Disabling twice is allowed. */
int cupti_session_enable(struct cupti_session *session, struct error *error);
void cupti_session_disable(struct cupti_session *session);

/* One round: begin, saying how many kernels a pass launches at most, which is at most the session's `ranges`,
 * and which what a pass costs grows with; then passes, each a begin, the launches, and an end, until the end
 * says that that was the last; then read. Every kernel that is launched between a pass's begin and end is a
 * range of its own, from its start to its end on the device, numbered as launched. All passes must launch the
 * same. */
int cupti_round_begin(struct cupti_session *session, int ranges, struct error *error);
int cupti_pass_begin(struct cupti_session *session, struct error *error);
int cupti_pass_end(struct cupti_session *session, bool *last, struct error *error);

/* The number of kernels in the round. */
int cupti_round_ranges(struct cupti_session *session, int *ranges, struct error *error);

/* The metrics of kernel `index`, in the order of cupti_session_open; NaN where CUPTI has no value. */
int cupti_round_read(struct cupti_session *session, int index, double *values, struct error *error);

#ifdef __cplusplus
}
#endif
