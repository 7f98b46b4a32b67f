#include "table/units.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By what they measure, large ones first; the last of a kind takes all smaller numbers. Four digits are read at a glance:
 * rates of memory become TB/s late. */
static const struct unit units[] = {
    {"s", "s", 1, 1},
    {"s", "ms", 1e-3, 1e-3},
    {"s", "us", 1e-6, 1e-6},
    {"s", "ns", 1e-9, 0},
    {"bytes/s", "TB/s", 1e12, 9999e9},
    {"bytes/s", "GB/s", 1e9, 0},
    {"flop/s", "TFLOP/s", 1e12, 1e12},
    {"flop/s", "GFLOP/s", 1e9, 0},
    {"Hz", "MHz", 1e6, 0},
    {"bytes", "GB", 1e9, 1e9},
    {"bytes", "MB", 1e6, 1e6},
    {"bytes", "kB", 1e3, 0},
    {"degC", "degC", 1, 0},
    {"J", "J", 1, 1},
    {"J", "mJ", 1e-3, 1e-3},
    {"J", "uJ", 1e-6, 0},
    {"J/bit", "pJ/bit", 1e-12, 0},
    {"J/flop", "pJ/FLOP", 1e-12, 0},
    {"W", "W", 1, 0},
};
#define UNITS (sizeof units / sizeof *units)

const struct unit *units_choose(const char *of, double magnitude)
{
    const struct unit *smallest = NULL;
    double size = isnan(magnitude) ? 1 : fabs(magnitude);
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(units[i].of, of) != 0)
            continue;
        smallest = &units[i];
        if (size >= smallest->from)
            return smallest;
    }
    assert(!smallest); /* the last of a kind starts at 0 */
    return NULL;
}

/* The power of ten that `value` begins with when it is rounded to so many digits. */
static int magnitude_of(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/* Is it an uncertainty? NaN, 0 and infinity are not. */
static bool is_known(double half)
{
    return half > 0 && isfinite(half);
}

#define UNKNOWN_FROM 1.0 /* of the value: an interval of two replicates can be a million times as wide */

/* Decimals that show one digit of the uncertainty `half`, or two where it begins with a 1 (the Particle Data Group's
 * rule, shortened); without an uncertainty, four digits of the value. */
static int decimals_of(double value, double half)
{
    int digits = 4, magnitude;
    if (is_known(half)) {
        magnitude = magnitude_of(half, 2);
        digits = half / pow(10, magnitude) < 1.95 ? 2 : 1;
    } else {
        magnitude = value != 0 && isfinite(value) ? magnitude_of(value, digits) : digits - 1;
    }
    int decimals = digits - 1 - magnitude;
    return decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
}

static bool is_unknown(double value, double half)
{
    return isfinite(half) && half > UNKNOWN_FROM * fabs(value);
}

void units_format(double value, double half, char *out, size_t size)
{
    bool unknown = is_unknown(value, half);
    int decimals = decimals_of(value, unknown ? NAN : half);
    size_t length = (size_t)snprintf(out, size, "%.*f", decimals, value);
    if (unknown && length < size)
        snprintf(out + length, size - length, " ± ?");
    else if (is_known(half) && length < size)
        snprintf(out + length, size - length, " ± %.*f", decimals, half);
}
