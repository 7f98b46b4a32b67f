#include "statistics/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/quantile.h"
#include "statistics/student.h"

enum { DEVICES_MIN = 3 }; /* of two that differ, nobody can tell which is the odd one */

/* deviation[device * points + point]: log(time / median over devices); NaN where too few measured it. */
static void find_deviations(const struct fleet_times *t, double *deviation)
{
    double *known = memory_new(t->devices, sizeof *known);
    for (size_t p = 0; p < t->points; p++) {
        const double *row = t->log_seconds + p * t->devices;
        size_t many = 0;
        for (size_t d = 0; d < t->devices; d++)
            if (!isnan(row[d]))
                known[many++] = row[d];
        double centre = many >= DEVICES_MIN ? quantile_median(known, many) : NAN;
        for (size_t d = 0; d < t->devices; d++)
            deviation[d * t->points + p] = row[d] - centre;
    }
    free(known);
}

static struct fleet_device device_of(const double *deviation, size_t points, double threshold,
                                     double *scratch)
{
    struct fleet_device device = {.z = NAN};
    for (size_t p = 0; p < points; p++)
        if (!isnan(deviation[p]))
            scratch[device.points++] = deviation[p];
    device.effect = quantile_median(scratch, device.points);
    for (size_t i = 0; i < device.points; i++)
        device.agree += device.effect < 0 ? scratch[i] <= -log1p(threshold) : scratch[i] >= log1p(threshold);
    return device;
}

/* The centre and spread of the devices that are alike. */
struct alike {
    double centre, spread;
    size_t count;
};

static struct alike find_alike(const struct fleet_device *device, size_t devices, double floor)
{
    double *effect = memory_new(devices, sizeof *effect), *scratch = memory_new(devices, sizeof *scratch);
    struct alike alike = {NAN, NAN, 0};
    size_t many = 0;
    for (size_t d = 0; d < devices; d++)
        if (device[d].points)
            effect[many++] = device[d].effect;
    memcpy(scratch, effect, many * sizeof *effect);
    double median = quantile_median(scratch, many);
    double reach = 3.5 * fmax(floor, QUANTILE_MAD_TO_SD * quantile_mad(scratch, many, median));
    double sum = 0, squares = 0;
    for (size_t i = 0; i < many; i++) {
        double from = effect[i] - median;
        if (fabs(from) <= reach) {
            sum += from;
            squares += from * from;
            alike.count++;
        }
    }
    if (alike.count > 1) {
        double n = (double)alike.count;
        alike.centre = median + sum / n;
        alike.spread = fmax(floor, sqrt(fmax(0, squares - sum * sum / n) / (n - 1)));
    }
    free(scratch);
    free(effect);
    return alike;
}

struct fleet fleet_judge(const struct fleet_times *times, const struct fleet_rule *rule,
                         struct fleet_device *device)
{
    double *deviation = memory_new(times->points * times->devices, sizeof *deviation);
    double *scratch = memory_new(times->points, sizeof *scratch);
    find_deviations(times, deviation);
    for (size_t d = 0; d < times->devices; d++)
        device[d] = device_of(deviation + d * times->points, times->points, rule->threshold, scratch);
    free(scratch);
    free(deviation);
    struct fleet fleet = {NAN, NAN};
    struct alike alike = find_alike(device, times->devices, rule->floor);
    if (times->devices < DEVICES_MIN || alike.count < 2)
        return fleet;
    double n = (double)alike.count, error = alike.spread * sqrt(1 + 1 / n);
    fleet.spread = alike.spread;
    fleet.critical = student_critical(rule->alarms / (double)times->devices, n - 1);
    for (size_t d = 0; d < times->devices; d++) {
        double from = device[d].effect - alike.centre;
        device[d].z = error > 0 ? from / error : from == 0 ? 0 : copysign(INFINITY, from);
        device[d].outlier = fabs(device[d].z) > fleet.critical && fabs(from) >= log1p(rule->threshold);
    }
    return fleet;
}
