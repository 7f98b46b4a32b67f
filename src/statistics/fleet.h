/* fleet.h - which devices of many differ from the rest: a few numbers for each, over all points. */
#ifndef STATISTICS_FLEET_H
#define STATISTICS_FLEET_H

#include <stdbool.h>
#include <stddef.h>

/* Logarithms of the times of every point on every device (the mean over the device's processes of
 * levels_cell.log_median), one row of `devices` values a point; NaN where it was not measured. Borrowed. */
struct fleet_times {
    const double *log_seconds;
    size_t points, devices;
};

/* What makes an outlier. */
struct fleet_rule {
    double threshold; /* an effect below this does not matter, however sure: 0.01 */
    double alarms;    /* the chance to accuse any device of a fleet where all are alike: 0.002 */
    double
        floor; /* the spread of devices is never taken as smaller than this: the standard error of a device's
                * effect as processes make it, such as the sd between processes over sqrt(processes) */
};

struct fleet_device {
    double effect; /* median over points of log(time / median over devices): 0.03 is 3 % slower */
    double z;      /* that over the spread of all devices that are alike; NaN with fewer than three devices */
    size_t points; /* that it measured and at least two others did */
    size_t agree;  /* of these, where it is beyond the threshold in the direction of its effect */
    bool outlier;
};

/* What all devices have in common. */
struct fleet {
    double spread;   /* standard deviation of the effects of devices that are alike */
    double critical; /* |z| of an outlier is above this */
};

/* Fill device[0 .. devices-1], in the order of the columns.
 *
 * Robust z in two steps, so that outliers do not hide each other (Rousseeuw & Leroy 1987, section 4.1):
 * devices within 3.5 of 1.4826 MADs (Iglewicz & Hoaglin 1993) give the standard deviation, and |z| is
 * compared with Student's t for their number, Bonferroni over the fleet. Two steps, because a MAD of 64
 * devices is off by 15 % at times, which would cost either alarms or outliers. */
struct fleet fleet_judge(const struct fleet_times *times, const struct fleet_rule *rule,
                         struct fleet_device *device);

#endif
