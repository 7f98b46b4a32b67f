#include "report/method_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/quantile.h"

/* The values of a column of numbers over measured points, ascending; owned by the caller. */
static size_t values_of(const struct dataset *dataset, const char *name, double **values)
{
    const struct frame *results = &dataset->results;
    size_t count = 0;
    *values = memory_new(results->rows ? results->rows : 1, sizeof **values);
    for (size_t row = 0; row < results->rows; row++) {
        dataset_evict_at(dataset, row);
        int64_t integer = frame_find_integer(results, row, name);
        double value = integer == FRAME_NO_INTEGER ? frame_find_real(results, row, name) : (double)integer;
        if (isfinite(value) && isfinite(frame_find_real(results, row, COLUMN(time_median))))
            (*values)[count++] = value;
    }
    quantile_sort(*values, count);
    return count;
}

double method_quantile(const struct dataset *dataset, const char *name, double q)
{
    double *values;
    size_t count = values_of(dataset, name, &values);
    double value = count ? statistics_quantile(values, count, q) : NAN;
    free(values);
    return value;
}

static size_t count(const struct dataset *dataset, const char *column, const char *value, bool measured)
{
    size_t count = 0;
    for (size_t row = 0; row < dataset->results.rows; dataset_evict_at(dataset, ++row))
        count += dataset_is_point(dataset, row) &&
                 (!measured || isfinite(frame_find_real(&dataset->results, row, COLUMN(time_median)))) &&
                 (!value || !strcmp(frame_find_text(&dataset->results, row, column), value));
    return count;
}

size_t method_count(const struct dataset *dataset, const char *column, const char *value)
{
    return count(dataset, column, value, false);
}

size_t method_timed(const struct dataset *dataset, const char *column, const char *value)
{
    return count(dataset, column, value, true);
}

double method_throttled(const struct dataset *file)
{
    size_t throttled = 0;
    for (size_t row = 0; row < file->results.rows; dataset_evict_at(file, ++row))
        throttled +=
            dataset_is_point(file, row) && *frame_find_text(&file->results, row, COLUMN(throttle)) != '\0';
    return (double)throttled;
}

size_t method_counters(const struct dataset *dataset)
{
    const char *at = dataset_environment(dataset, "counters");
    size_t count = 0;
    if (!at || !strcmp(at, "none"))
        return 0;
    for (; *at; at += strspn(at, " "), count++)
        at += strcspn(at, " ");
    return count;
}
