/* limits.h - what numbers a results file may hold. Readers take these tables, too (declared.py).
 *
 * A real that no table names is finite and not negative. X(column, least, most, whether it may be missing).
 */
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>

#define RUNS_MAX          0x40000000         /* of a file: so that counting on does not overflow */
#define SEQUENCE_MAX      0x4000000000000000 /* the same, of rows and their changes */
#define SECONDS_MIN       1e-15              /* of a launch: rates stay finite */
#define SECONDS_MAX       1e9                /* of a time: 30 years */
#define PROCESS_MAX       0x7fffffff         /* of a worker process, from 0 */
#define THROTTLE_MASK_MAX 0x1fffffffffffff   /* a mask is stored as a real: 53 bits */

/* Integers of /results. */
#define INTEGER_LIMITS(X)                                                                                    \
    X(repeat, 0, INT32_MAX, false)                                                                           \
    X(run, 1, RUNS_MAX, true)                                                                                \
    X(attempts, 0, INT16_MAX, true)                                                                          \
    X(device, -1, INT32_MAX, true)                                                                           \
    X(sample_count, 0, UINT32_MAX, false)                                                                    \
    X(sample_offset, 0, INT64_MAX, false)

/* Reals of /results; a wrong output can be infinitely wrong. */
#define REAL_LIMITS(X)                                                                                       \
    X(time_median, SECONDS_MIN, SECONDS_MAX, true)                                                           \
    X(temperature, -273.15, DBL_MAX, true)                                                                   \
    X(error_max, 0, INFINITY, true)                                                                          \
    X(error_rms, 0, INFINITY, true)                                                                          \
    X(error_peak, 0, INFINITY, true)

/* Reals of /samples. */
#define SAMPLE_LIMITS(X)                                                                                     \
    X(seconds, SECONDS_MIN, SECONDS_MAX, false)                                                              \
    X(sm_clock, 0, DBL_MAX, true)                                                                            \
    X(throttle_mask, 0, THROTTLE_MASK_MAX, true)                                                             \
    X(power, 0, DBL_MAX, true)                                                                               \
    X(since, 0, DBL_MAX, true)
