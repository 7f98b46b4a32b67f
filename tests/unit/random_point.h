/* random_point.h - points drawn over whole axes, for tests that no choice of values may upset. */
#pragma once

#include <math.h>

#include "base/hash.h"
#include "core/point.h"

static inline int64_t random_value(const struct axis *axis, uint64_t random)
{
    static const arch archs[] = {ARCH_NATIVE, 8000,  8010,  9000,  9001, 9010,
                                 10000,       10001, 10002, 12000, 12010};
    double unit = (double)(random >> 11) * 0x1p-53;
    int words = 0;
    switch (axis->kind) {
    case AXIS_WORD:
        while (axis->words[words])
            words++;
        return (int64_t)(random % (uint64_t)words);
    case AXIS_ARCH:
        return archs[random % (sizeof archs / sizeof *archs)];
    case AXIS_BYTES:
    case AXIS_COUNT:
        break;
    }
    /* Even over orders of magnitude, powers of two half of the time, now and then an end of the range. */
    if (random % 16 == 0)
        return random & 16 ? axis->least : axis->most;
    double low = axis->least > 0 ? (double)axis->least : 0.5;
    double value = low * pow((double)axis->most / low, unit);
    if (random & 32)
        value = exp2(floor(log2(value)));
    int64_t whole = (int64_t)value;
    if (whole < axis->least)
        return axis->least;
    return whole > axis->most ? axis->most : whole;
}

/* Number `k` of a sequence. */
static inline struct point random_point(const struct space *space, uint64_t k)
{
    struct point point = point_standard(space);
    for (int i = 0; i < space->count; i++) {
        uint64_t random = hash_mix((k << 8) + (uint64_t)i + 1);
        /* A third of the values stay standard, so that more points can exist, and of every other point seven
         * eighths: axes that only some variants have must not be chosen for the rest. */
        if (k % 2 ? random % 8 == 0 : random % 3 != 0)
            point.value[i] = random_value(&space->axes[i], hash_mix(random));
    }
    return point;
}
