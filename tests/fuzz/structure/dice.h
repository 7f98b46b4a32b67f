/* dice.h - numbers that follow from a seed, on every machine alike. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct dice {
    uint64_t state;
};

static inline uint64_t dice_next(struct dice *dice)
{
    return hash_mix(dice->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 .. count - 1; 0 if there is nothing to choose from. */
static inline size_t dice_below(struct dice *dice, size_t count)
{
    return count ? (size_t)(dice_next(dice) % count) : 0;
}

/* True in one of `count` cases. */
static inline bool dice_one_in(struct dice *dice, size_t count)
{
    return dice_below(dice, count) == 0;
}

#define DICE_PICK(dice, array) ((array)[dice_below(dice, sizeof(array) / sizeof *(array))])
