/* saturation.h - how much of something a device needs for its best rate: bytes in flight, blocks, the size of a message.
 *
 * A table names the curves: points of one family that differ in one quantity. On each curve the rate is interpolated in log-log
 * between neighbouring points, from the best point downwards to the first one below a share of the best rate. */
#pragma once

#include "statistics/knee.h"
#include "store/store.h"

#define SATURATION_CONDITIONS 12
#define SATURATION_FACTORS    3
#define SATURATION_SHARES     2

struct saturation {
    const char *name, *unit, *meaning;
    const char *kernel;
    const char *condition[SATURATION_CONDITIONS + 1]; /* as --where; NULL-terminated */
    const char *factor[SATURATION_FACTORS + 1];       /* columns whose product is the quantity */
    const char *series;                               /* the column that tells curves apart */
};

extern const struct saturation saturations[];
size_t saturations_count(void);

extern const double saturation_share[SATURATION_SHARES]; /* of the best rate: 0.5, 0.95 */

/* Where a curve reaches a share of its best rate. */
struct saturation_at {
    double value; /* NaN: the smallest point already has this share */
    double low,
        high; /* by the 95 % intervals of the points' rates, without the error of the interpolation; NaN: not bracketed */
    size_t below, above; /* points of the curve on both sides, if value is not NaN */
};

struct saturation_curve {
    const char *series;       /* the value of the column, owned by the dataset */
    struct knee_point *point; /* ascending; y in bytes/s */
    size_t *row;              /* of /results, for each point */
    size_t points, best;
    struct saturation_at at[SATURATION_SHARES];
};

/* The curves of at least three points that row `device` of /devices measured, in the order of their series. Returns their
 * number. saturation_free releases them. */
size_t saturation_curves(const struct saturation *saturation, const struct dataset *dataset, size_t device,
                         struct saturation_curve **curve);
void saturation_free(struct saturation_curve *curve, size_t count);
