#include "output/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The power of ten that `value` begins with when it is rounded to so many digits. */
static int magnitude_of(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

int digits_decimals(double value, double half)
{
    int digits = 4, magnitude;
    if (half > 0) {
        magnitude = magnitude_of(half, 2);
        digits = half / pow(10, magnitude) < 1.95 ? 2 : 1;
    } else {
        magnitude = value != 0 && isfinite(value) ? magnitude_of(value, digits) : digits - 1;
    }
    int decimals = digits - 1 - magnitude;
    return decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
}

void digits_format(double value, double half, char *out, size_t size)
{
    int decimals = digits_decimals(value, half);
    int length = snprintf(out, size, "%.*f", decimals, value);
    if (half > 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, " ± %.*f", decimals, half);
}
