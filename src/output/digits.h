/* digits.h - as many digits as an interval allows. */
#ifndef OUTPUT_DIGITS_H
#define OUTPUT_DIGITS_H

#include <stddef.h>

/* Decimals that show one digit of the uncertainty `half`, or two where it begins with a 1 (the Particle Data Group's
 * rule, shortened); without an uncertainty (NaN, 0), four digits of the value. */
int digits_decimals(double value, double half);

/* "4299 ± 4"; "4299" without an uncertainty. Texts are cut to `size`. */
void digits_format(double value, double half, char *out, size_t size);

#endif
