/* divisor.h - the greatest common divisor, by Euclid's algorithm. */
#pragma once

#include <stdint.h>

/* common_divisor(0, a) is a. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
