/* levels.h - what the processes and devices that measured a point say together: its estimate and interval.
 *
 * Samples are nested: a device runs several worker processes, a process takes many samples. Each level adds a
 * deviation of its own, and an interval that is to hold for the next run must contain them all (Kalibera &
 * Jones, ISMM 2013). So each process gives one number, the logarithm of its median, and the interval comes
 * from how far these numbers lie apart: with several devices, from the means of devices.
 *
 * The quantity that is estimated: the mean, over all processes (and devices) that might have measured the
 * point, of the logarithm of the process's median time. Where processes deviate symmetrically, it is the
 * logarithm of the median over processes. All variances here are of natural logarithms, that is squares of
 * relative deviations. */
#ifndef STATISTICS_LEVELS_H
#define STATISTICS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples that one process took of a point on one device. */
/* What work is alike in how it deviates: what goes over the host link does so many times as much as a kernel, since it
 * depends on where the host's memory lies. */
enum levels_kind { LEVELS_ON_DEVICE, LEVELS_WITH_HOST, LEVELS_KINDS };

struct levels_cell {
    enum levels_kind kind;    /* the same in all cells of a point; LEVELS_ON_DEVICE unless set */
    uint32_t device, process; /* any numbers; a process of one device is another than that of the next */
    double log_median;        /* of the times in seconds */
    double variance, dof;     /* of log_median, from the scatter of the samples within this process */
    double spread;            /* relative standard deviation of a sample, by the MAD */
    size_t samples;
};

/* `times`: `count` > 0 times in seconds, all > 0, in the order in which they were taken. One sample has no
 * variance that could be known: NaN, which later stands for "no smaller than between processes". */
struct levels_cell levels_cell_of(uint32_t device, uint32_t process, const double *times, size_t count);

/* The level whose deviations make the interval. */
enum levels_top { LEVELS_PROCESS, LEVELS_DEVICE, LEVELS_TOPS };

/* One deviation of the top level: a process, or a device (the mean of its processes' log_median). */
struct levels_unit {
    uint32_t id;       /* the process or device */
    double log_median; /* the mean over its processes */
    double variance;   /* of it, by samples alone */
};

/* A point's units: devices when there are two or more of them, else processes. Cells of one process are
 * averaged first, then processes of one device. `units` is owned: levels_free releases it. */
struct levels {
    struct levels_unit *unit;
    size_t count;
    enum levels_top top;
    enum levels_kind kind;
};
struct levels levels_of(const struct levels_cell *cells, size_t count);
void levels_free(struct levels *levels);

/* Where the interval's width comes from. */
enum levels_basis {
    LEVELS_NONE,   /* nothing was measured: all NaN */
    LEVELS_WITHIN, /* one process, and no other point to learn from: samples alone, too narrow for the next
                      run */
    LEVELS_ALONE,  /* Student's t over this point's own units */
    LEVELS_POOLED, /* with what all points of like duration say (pooling.h) */
};

/* A point's estimate over all levels. The variance has two parts, because points of one file share one of
 * them: a process that is slow is slow for all short points alike. */
struct levels_estimate {
    double seconds, low, high; /* the estimate and its 95 % interval, in seconds */
    double log_seconds;        /* natural logarithm of `seconds` */
    double common, common_dof; /* variance shared with points of like duration; 0 when not pooled */
    double own, own_dof;       /* the rest of the variance of log_seconds */
    double error, dof; /* standard error of log_seconds, and its degrees of freedom (student_sum_wide) */
    size_t units;      /* processes or devices */
    enum levels_top top;
    enum levels_basis basis;
};

/* From this point's data alone: Student's t over units. With three processes that is 2.5 standard deviations
 * between processes to either side. Never narrower than the samples' own scatter allows. */
struct levels_estimate levels_estimate_alone(const struct levels_cell *cells, size_t count);

/* Fill seconds, low, high, error and dof from log_seconds and the two parts of the variance. */
void levels_estimate_finish(struct levels_estimate *estimate);

#endif
