#include "analysis/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/access/model.h"
#include "table/row_point.h"

struct family_error {
    const char *kernel; /* of the measured file */
    double squares;     /* sum of squared logarithms of measured / predicted */
    size_t points;
};

struct prediction_errors {
    struct family_error *family; /* owned */
    size_t families;
};

bool prediction_is(const struct dataset *dataset, size_t row)
{
    return !strcmp(frame_find_text(&dataset->results, row, COLUMN(backend)), "predicted");
}

bool prediction_knows_addresses(const struct dataset *dataset, size_t row)
{
    const struct target anywhere = {0};
    const struct frame *results = &dataset->results;
    struct point point;
    if (isnan(frame_find_real(results, row, COLUMN(predicted_load_sectors))) &&
        isnan(frame_find_real(results, row, COLUMN(predicted_store_sectors))))
        return false;
    if (!row_point(results, row, &point))
        return false;
    struct setup setup = family_of(&point)->setup(&point, &anywhere);
    return model_is_complete(&setup);
}

static struct family_error *find_family(const struct prediction_errors *errors, const char *kernel)
{
    for (size_t i = 0; errors && i < errors->families; i++)
        if (!strcmp(errors->family[i].kernel, kernel))
            return &errors->family[i];
    return NULL;
}

struct prediction_errors *prediction_errors_of(const struct dataset *measured)
{
    struct prediction_errors *errors = memory_new(1, sizeof *errors);
    const struct frame *results = &measured->results;
    for (size_t row = 0; row < results->rows; row++) {
        double off = log(frame_find_real(results, row, COLUMN(time_median)) /
                         frame_find_real(results, row, COLUMN(predicted_time)));
        const char *kernel = frame_find_text(results, row, COLUMN(kernel));
        if (!isfinite(off) || prediction_is(measured, row) || !prediction_knows_addresses(measured, row))
            continue;
        struct family_error *family = find_family(errors, kernel);
        if (!family) {
            errors->family = memory_resize(errors->family, errors->families + 1, sizeof *errors->family);
            family = &errors->family[errors->families++];
            *family = (struct family_error){.kernel = kernel};
        }
        family->squares += off * off;
        family->points++;
    }
    return errors;
}

void prediction_errors_free(struct prediction_errors *errors)
{
    if (errors)
        free(errors->family);
    free(errors);
}

struct levels_estimate prediction_estimate(const struct dataset *dataset, size_t row,
                                           const struct prediction_errors *errors)
{
    const double quantile = 1.96; /* the profile has 95 % intervals */
    if (!prediction_knows_addresses(dataset, row))
        return levels_estimate_alone(NULL, 0);
    const struct frame *results = &dataset->results;
    const struct family_error *family = find_family(errors, frame_find_text(results, row, COLUMN(kernel)));
    double half = log(frame_find_real(results, row, COLUMN(predicted_time_high)) /
                      frame_find_real(results, row, COLUMN(predicted_time_low))) /
                  2 / quantile;
    struct levels_estimate estimate = {
        .log_seconds = log(frame_find_real(results, row, COLUMN(predicted_time))),
        .common = family ? family->squares / (double)family->points : NAN,
        .common_dof = family ? (double)family->points : 1,
        .own = isfinite(half) ? half * half : 0,
        .own_dof = INFINITY,
        .units = 1,
        .basis = LEVELS_POOLED,
    };
    levels_estimate_finish(&estimate);
    return estimate;
}
