/* fleet.h - outliers among the devices of a fleet, from all points. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Logarithms of the times of every point on every device (the mean over the device's processes of
 * levels_cell.log_median), one row of `devices` values a point; NaN where it was not measured. Borrowed. */
struct fleet_times {
    const double *log_seconds;
    size_t points, devices;
};

/* Criteria of an outlier. */
struct fleet_rule {
    double threshold; /* smaller effects are ignored, even if significant: 0.01 */
    double alarms;    /* probability of any false alarm in a homogeneous fleet: 0.002 */
    double
        floor; /* the spread of devices is never taken as smaller than this: the standard error of a device's
                * effect as processes make it, such as the sd between processes over sqrt(processes) */
};

struct fleet_device {
    double effect; /* median over points of log(time / median over devices): 0.03 is 3 % slower */
    double z;      /* effect over the spread of the normal devices; NaN with fewer than three devices */
    size_t points; /* measured by it and by at least two others */
    size_t agree;  /* of these, those beyond the threshold in the direction of the effect */
    bool outlier;
};

/* Results for the fleet. */
struct fleet {
    double spread;   /* standard deviation of the effects of normal devices */
    double critical; /* outliers have |z| above this */
};

/* Fill device[0 .. devices-1], in the order of the columns.
 *
 * Robust z in two steps, so that outliers do not mask each other (Rousseeuw & Leroy 1987, section 4.1). Devices within 3.5 times
 * 1.4826 MAD (Iglewicz & Hoaglin 1993) give the standard deviation. |z| is compared with Student's t for their number, with a
 * Bonferroni correction for the fleet. One step would not do: the MAD of 64 devices can be off by 15 %, which causes false alarms
 * or misses outliers. */
struct fleet fleet_judge(const struct fleet_times *times, const struct fleet_rule *rule,
                         struct fleet_device *device);
