#include "analysis/comparison.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/roof.h"
#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES(array) (array), values, (int)(sizeof(array) / sizeof *(array))

static const char *text_at(const struct view *view, size_t i, const char *column)
{
    return frame_find_text(&view->dataset->results, view->row[i], column);
}

static double real_at(const struct view *view, size_t i, const char *column)
{
    return frame_find_real(&view->dataset->results, view->row[i], column);
}

static int64_t integer_at(const struct view *view, size_t i, const char *column)
{
    int found = frame_find(&view->dataset->results, column);
    return found < 0 ? 0 : frame_cell(&view->dataset->results, view->row[i], found)->integer;
}

static bool is_measured(const struct view *view, size_t i)
{
    return status_is_ok(text_at(view, i, COLUMN(status))) && *text_at(view, i, MERGE_GROUP);
}

static int none(const struct merged *table, const char *what, struct error *why)
{
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "%s", what);
}

/* ---- Counted against predicted ---- */

/* Quotients of whole numbers differ only by rounding. */
#define EQUAL 1e-9

/* Adds a row per count; with `unlike` only for counts that differ from the prediction. */
static int compare_counts(const struct view *view, bool unlike, struct merged *table, struct text *caption,
                          struct error *why)
{
    static const struct {
        const char *access, *predicted, *counted;
    } quantities[] = {
        {"loads", COLUMN(predicted_load_sectors_per_request), COLUMN(load_sectors_per_request)},
        {"stores", COLUMN(predicted_store_sectors_per_request), COLUMN(store_sectors_per_request)},
        {"shared loads", COLUMN(predicted_shared_load_wavefronts_per_request),
         COLUMN(shared_load_wavefronts_per_request)},
        {"shared stores", COLUMN(predicted_shared_store_wavefronts_per_request),
         COLUMN(shared_store_wavefronts_per_request)},
    };
    static const char *const names[] = {COLUMN(predicted), COLUMN(counted), COLUMN(residual)};
    size_t compared = 0, equal = 0;
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++)
        for (size_t i = 0; i < view->rows; i++) {
            dataset_evict_at(view->dataset, i);
            double predicted = real_at(view, i, quantities[q].predicted),
                   counted = real_at(view, i, quantities[q].counted);
            const double values[] = {predicted, counted, 100 * (counted / predicted - 1)};
            if (!is_measured(view, i) || !(predicted > 0 && counted > 0))
                continue;
            bool is_equal = fabs(counted / predicted - 1) <= EQUAL;
            compared++;
            equal += is_equal;
            if (unlike && is_equal)
                continue;
            rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, COLUMN(kernel)), NAMES(names));
            rows_add_word(table, COLUMN(access), quantities[q].access);
        }
    text_add(caption, "%zu of %zu counts are as predicted", equal, compared);
    if (unlike && compared && equal == compared)
        return error_set(why, ERROR_USAGE, "all %zu counts are as predicted", compared);
    return none(table, "no point has both counters and predictions", why);
}

int points_model(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    return compare_counts(view, false, table, caption, why);
}

int points_residuals(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    return compare_counts(view, true, table, caption, why);
}

/* ---- Measured against predicted time ---- */

#define NEAR_PREDICTION 1.15 /* the factor of the band that the figure draws */
#define MS              1e3  /* in a second: the unit of the table */

int points_predicted(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    static const char *const names[] = {COLUMN(predicted), COLUMN(measured)};
    static const char *const classes[] = {"addresses unknown: lower bound", "host link", "addresses known"};
    size_t count[3] = {0}, near = 0;
    for (int class = 0; class < 3; class ++) /* later ones are drawn on top */
        for (size_t i = 0; i < view->rows; i++) {
            dataset_evict_at(view->dataset, i);
            const double values[] = {MS * real_at(view, i, COLUMN(predicted_time)),
                                     MS * real_at(view, i, COLUMN(time_median))};
            int roof = text_find(roof_words, text_at(view, i, COLUMN(roof)));
            bool link = roof == ROOF_link_h2d || roof == ROOF_link_d2h;
            bool known = prediction_knows_addresses(view->dataset, view->row[i]);
            if (!is_measured(view, i) || strcmp(text_at(view, i, COLUMN(backend)), "cuda") != 0 ||
                !(values[0] > 0 && values[1] > 0) ||
                class != (link    ? 1
                          : known ? 2
                                  : 0))
                continue;
            count[class]++;
            near += class == 2 && fabs(log(values[1] / values[0])) <= log(NEAR_PREDICTION);
            rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, COLUMN(kernel)), NAMES(names));
            rows_add_word(table, COLUMN(class), classes[class]);
        }
    if (count[2])
        text_add(caption, "Of %zu points with known addresses, %zu are within 15 %% of the prediction",
                 count[2], near);
    return none(table, "no point has a predicted time", why);
}

/* ---- Canaries ---- */

/* The measured repetitions of canaries, as rows of the view. The caller frees. */
static size_t *find_repetitions(const struct view *view, size_t *count)
{
    size_t *row = memory_new(view->rows + 1, sizeof *row);
    *count = 0;
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        if (integer_at(view, i, COLUMN(canary)) == 1 && is_measured(view, i))
            row[(*count)++] = i;
    }
    return row;
}

/* The first one of the canary of row i, which is one of them. */
static size_t find_first(const struct view *view, const size_t *row, size_t count, size_t i)
{
    size_t first = i;
    for (size_t k = 0; k < count; k++)
        if (integer_at(view, row[k], COLUMN(repeat)) < integer_at(view, first, COLUMN(repeat)) &&
            text_at(view, row[k], MERGE_GROUP) == text_at(view, i, MERGE_GROUP) &&
            !strcmp(text_at(view, row[k], COLUMN(id)), text_at(view, i, COLUMN(id))))
            first = row[k];
    return first;
}

static void add_canary(const struct view *view, size_t i, size_t first, struct merged *table)
{
    static const struct {
        const char *quantity, *column;
    } quantities[] = {
        {"time", COLUMN(time_median)}, {"SM clock", COLUMN(sm_clock)}, {"power", COLUMN(power)}};
    static const char *const names[] = {COLUMN(order), COLUMN(change), COLUMN(change_low),
                                        COLUMN(change_high)};
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        double base = real_at(view, first, quantities[q].column),
               own = real_at(view, i, quantities[q].column);
        double ends[2] = {NAN, NAN};
        if (!(base > 0 && own > 0))
            continue;
        if (q == 0) {
            ends[0] = 100 * (real_at(view, i, COLUMN(time_ci_low)) / base - 1);
            ends[1] = 100 * (real_at(view, i, COLUMN(time_ci_high)) / base - 1);
        }
        const double values[] = {(double)integer_at(view, i, COLUMN(repeat)), 100 * (own / base - 1), ends[0],
                                 ends[1]};
        rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, COLUMN(kernel)), NAMES(names));
        rows_add_word(table, COLUMN(quantity), quantities[q].quantity);
    }
}

int points_canaries(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    size_t repetitions, throttled = 0, *row = find_repetitions(view, &repetitions);
    for (size_t i = 0; i < repetitions; i++) {
        throttled += *text_at(view, row[i], COLUMN(throttle)) != '\0';
        add_canary(view, row[i], find_first(view, row, repetitions, row[i]), table);
    }
    free(row);
    text_add(caption, "%zu of %zu repetitions while the clock was throttled", throttled, repetitions);
    return none(table, "no canary was repeated", why);
}
