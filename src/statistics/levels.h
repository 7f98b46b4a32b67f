/* levels.h - the estimate and interval of a point, from all processes and devices that measured it.
 *
 * Samples are nested: a device runs several worker processes, and a process takes many samples. Each level
 * adds variance, and an interval that should cover the next run must include all levels (Kalibera & Jones,
 * ISMM 2013). So each process contributes one number, the logarithm of its median, and the interval comes
 * from the scatter of these numbers; with several devices, from the scatter of the devices' means.
 *
 * The estimand is the mean of the logarithm of the process's median time, over all processes (and devices)
 * that could have measured the point. If processes scatter symmetrically, it is the logarithm of the median
 * over processes. All variances are of natural logarithms, that is, squares of relative deviations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of work with different scatter. Kernels that find their data in L2 scatter up to ten times as much
 * between processes as kernels that read DRAM: ten runs on H200s have 0.95 % (hot), 0.29 % (rotate) and 0.09
 * % (cold) at 4 to 10 us. Work over the host link scatters more still, because it depends on the placement of
 * host memory. */
enum levels_kind { LEVELS_ON_DEVICE, LEVELS_HOT, LEVELS_ROTATE, LEVELS_WITH_HOST, LEVELS_KINDS };

/* The samples that one process took of a point on one device. */
struct levels_cell {
    enum levels_kind kind;    /* the same in all cells of a point; default: LEVELS_ON_DEVICE */
    uint32_t device, process; /* any numbers; a process belongs to one device */
    double log_median;        /* of the times in seconds */
    double variance, dof;     /* of log_median, from the samples of this process */
    double spread;            /* relative standard deviation of a sample, by the MAD */
    size_t samples;
};

/* `times`: `count` > 0 times in seconds, all > 0, in the order of sampling. The variance of a single sample
 * is NaN, which later means "no smaller than between processes". */
struct levels_cell levels_cell_of(uint32_t device, uint32_t process, const double *times, size_t count);

/* The level that determines the interval. */
enum levels_top { LEVELS_PROCESS, LEVELS_DEVICE, LEVELS_TOPS };

/* A unit of the top level: a process, or a device. */
struct levels_unit {
    uint32_t id;       /* the process or device */
    double log_median; /* the mean over its processes */
    double variance;   /* of log_median, from samples only */
};

/* The units of a point: devices if there are at least two, else processes. The cells of a process are
 * averaged first, then the processes of a device. levels_free releases `unit`. */
struct levels {
    struct levels_unit *unit;
    size_t count;
    enum levels_top top;
    enum levels_kind kind;
};
struct levels levels_of(const struct levels_cell *cells, size_t count);
void levels_free(struct levels *levels);

/* The source of the interval's width. */
enum levels_basis {
    LEVELS_NONE,   /* nothing was measured: all NaN */
    LEVELS_WITHIN, /* one process and no pooling: samples only; too narrow to cover the next run */
    LEVELS_ALONE,  /* Student's t over the units of this point */
    LEVELS_POOLED, /* pooled with points of similar duration (pooling.h) */
};

/* The estimate of a point over all levels. The variance has two parts. The first is shared by the points of a
 * file, because a slow process is slow for all short points. */
struct levels_estimate {
    double seconds, low, high; /* the estimate and its 95 % interval, in seconds */
    double log_seconds;        /* natural logarithm of `seconds` */
    double common, common_dof; /* variance shared with points of similar duration; 0 if not pooled */
    double own, own_dof;       /* the rest of the variance of log_seconds, by the units of this file */
    double error, dof; /* standard error of log_seconds, and its degrees of freedom (student_sum_wide) */
    size_t units;      /* processes or devices */
    enum levels_top top;
    enum levels_basis basis;
};

/* From the data of this point only: Student's t over units. With three processes the half-width is 2.5
 * standard deviations between processes. The interval is never narrower than the one from the samples. */
struct levels_estimate levels_estimate_alone(const struct levels_cell *cells, size_t count);

/* The same before levels_estimate_finish, from the levels of the cells. */
struct levels_estimate levels_estimate_begin(const struct levels *levels, const struct levels_cell *cells);

/* Fill seconds, low, high, error and dof from log_seconds and the parts of the variance. */
void levels_estimate_finish(struct levels_estimate *estimate);

/* ---- Variance components of a point's times (components.c): device, process, sample ---- */

/* Variances of the natural logarithm of a time, added by each level. NaN: no level has two members, so there
 * is no estimate. An estimate may be slightly negative if the true variance is small; it is kept, so that
 * means over points are unbiased. components_sd shows it as 0. */
struct components {
    double sample, process, device;
};

/* Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3) of samples in
 * processes in devices, with unweighted means if group sizes differ. The sample variance comes from the MAD,
 * which is robust against outliers. */
struct components components_of(const struct levels_cell *cells, size_t count);

/* The square root of one component, as a relative standard deviation; 0 for a negative one. */
double components_sd(double variance);
