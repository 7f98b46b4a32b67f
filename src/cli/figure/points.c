#include "cli/figure/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/figure/rows.h"
#include "core/roof.h"

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
    return found < 0 ? 0 : frame_row(&view->dataset->results, view->row[i])[found].integer;
}

static bool is_measured(const struct view *view, size_t i)
{
    return !strcmp(text_at(view, i, "status"), status_words[STATUS_OK]) && *text_at(view, i, MERGE_GROUP);
}

static int none(const struct merged *table, const char *what, struct error *why)
{
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "%s", what);
}

/* ---- Counted against predicted ---- */

int points_model(const struct view *view, struct merged *table, struct error *why)
{
    static const struct {
        const char *access, *predicted, *counted;
    } quantities[] = {
        {"loads", "predicted_load_sectors_per_request", "load_sectors_per_request"},
        {"stores", "predicted_store_sectors_per_request", "store_sectors_per_request"},
        {"shared loads", "predicted_shared_load_wavefronts_per_request",
         "shared_load_wavefronts_per_request"},
        {"shared stores", "predicted_shared_store_wavefronts_per_request",
         "shared_store_wavefronts_per_request"},
    };
    static const char *const names[] = {"predicted", "counted", "residual"};
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++)
        for (size_t i = 0; i < view->rows; i++) {
            double predicted = real_at(view, i, quantities[q].predicted),
                   counted = real_at(view, i, quantities[q].counted);
            const double values[] = {predicted, counted, 100 * (counted / predicted - 1)};
            if (!is_measured(view, i) || !(predicted > 0 && counted > 0))
                continue;
            rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, "kernel"), NAMES(names));
            rows_add_word(table, "access", quantities[q].access);
        }
    return none(table, "no point was both counted and predicted", why);
}

/* ---- The best of each family ---- */

/* Rows of the view, one for each family and device: the largest share of the roof, the first among equals. */
struct best {
    size_t *row; /* owned; indices into the view */
    size_t count;
};

static struct best best_of(const struct view *view)
{
    struct best best = {.row = memory_new(view->rows + 1, sizeof *best.row)};
    for (size_t i = 0; i < view->rows; i++) {
        double share = real_at(view, i, "fraction_peak");
        size_t k = 0;
        if (!is_measured(view, i) || !(share > 0))
            continue;
        while (k < best.count &&
               (strcmp(text_at(view, i, "kernel"), text_at(view, best.row[k], "kernel")) != 0 ||
                text_at(view, i, MERGE_GROUP) != text_at(view, best.row[k], MERGE_GROUP)))
            k++;
        if (k == best.count)
            best.row[best.count++] = i;
        else if (share > real_at(view, best.row[k], "fraction_peak"))
            best.row[k] = i;
    }
    return best;
}

/* Families in the order of their names, the first on top: how many come after it. */
static double place_of(const struct view *view, const struct best *best, size_t of)
{
    const char *own = text_at(view, of, "kernel");
    double after = 0;
    for (size_t i = 0; i < best->count; i++) {
        const char *its = text_at(view, best->row[i], "kernel");
        bool counts = strcmp(its, own) > 0;
        for (size_t k = 0; k < i && counts; k++) /* each family once, of however many devices */
            counts = strcmp(text_at(view, best->row[k], "kernel"), its) != 0;
        after += counts;
    }
    return after;
}

static const char *roof_in_words(const char *word)
{
    static const char *const words[] = {
#define X(name, text) text,
        ROOFS(X)
#undef X
    };
    for (int kind = 0; kind < ROOF_COUNT; kind++)
        if (!strcmp(roof_words[kind], word))
            return words[kind];
    return word;
}

int points_best(const struct view *view, struct merged *table, struct error *why)
{
    static const char *const names[] = {"share", "share_low", "share_high", "place"};
    struct best best = best_of(view);
    for (size_t b = 0; b < best.count; b++) {
        size_t i = best.row[b];
        double share = 100 * real_at(view, i, "fraction_peak"), median = real_at(view, i, "time_median");
        const double values[] = {share, share * median / real_at(view, i, "time_ci_high"),
                                 share * median / real_at(view, i, "time_ci_low"), place_of(view, &best, i)};
        rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, "kernel"), NAMES(names));
        rows_add_word(table, "roof_name", roof_in_words(text_at(view, i, "roof")));
    }
    free(best.row);
    return none(table, "no point has a roof", why);
}

/* ---- What its warps wait for ---- */

static const char *const stall_reasons[] = {"long_scoreboard",
                                            "short_scoreboard",
                                            "barrier",
                                            "mio_throttle",
                                            "lg_throttle",
                                            "math_pipe_throttle",
                                            "wait",
                                            "not_selected",
                                            "drain"};
#define REASONS (sizeof stall_reasons / sizeof *stall_reasons)

/* Cycles by reason, 0 where one was not counted; returns their sum. */
static double stalls_of(const struct view *view, size_t i, double stalled[REASONS])
{
    double sum = 0;
    for (size_t r = 0; r < REASONS; r++) {
        char column[64];
        snprintf(column, sizeof column, "stall_%s", stall_reasons[r]);
        stalled[r] = fmax(0, real_at(view, i, column));
        sum += stalled[r];
    }
    return sum;
}

static void add_stalls(const struct view *view, size_t i, double place, struct merged *table)
{
    static const char *const names[] = {"end", "start", "place"};
    double stalled[REASONS], start = 0, sum = stalls_of(view, i, stalled);
    for (size_t r = 0; r < REASONS && sum > 0; r++) {
        double end = start + 100 * stalled[r] / sum;
        const double values[] = {end, start, place};
        char word[64];
        if (!(end > start))
            continue;
        snprintf(word, sizeof word, "%s", stall_reasons[r]);
        for (char *at = word; *at; at++)
            *at = *at == '_' ? ' ' : *at;
        rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, "kernel"), NAMES(names));
        rows_add_word(table, "reason", word);
        start = end;
    }
}

int points_stalls(const struct view *view, struct merged *table, struct error *why)
{
    struct best best = best_of(view);
    double stalled[REASONS];
    size_t kept = 0;
    for (size_t b = 0; b < best.count; b++)
        if (stalls_of(view, best.row[b], stalled) > 0)
            best.row[kept++] = best.row[b];
    best.count = kept;
    for (size_t b = 0; b < best.count; b++)
        add_stalls(view, best.row[b], place_of(view, &best, best.row[b]), table);
    free(best.row);
    return none(table, "no stalls were counted", why);
}

/* ---- Roofline ---- */

/* The best peak of the devices of a group. */
static double peak_of(const struct merged *all, const char *group, const char *column)
{
    const struct frame *results = &all->all.results;
    int device = frame_find(results, "device"), source = frame_find(results, MERGE_GROUP);
    double peak = NAN;
    for (size_t row = 0; row < results->rows; row++) {
        int64_t of = frame_row(results, row)[device].integer;
        if (of >= 0 && (size_t)of < all->all.devices.rows &&
            !strcmp(frame_row(results, row)[source].text, group))
            peak = fmax(peak, frame_find_real(&all->all.devices, (size_t)of, column));
    }
    return peak;
}

/* A roof as corners of a line: up with the intensity, then level. */
static void add_roof(struct merged *table, const char *group, const char *name, double bandwidth,
                     double flops, const double span[2])
{
    static const char *const names[] = {"intensity", "rate"};
    const double ridge = bandwidth > 0 ? flops / bandwidth : span[0];
    const double corner[] = {span[0], fmin(fmax(ridge, span[0]), span[1]), span[1]};
    if (!(flops > 0) || (bandwidth != 0 && !(bandwidth > 0)))
        return;
    for (int i = 0; i < 3; i++) {
        const double values[] = {corner[i],
                                 (bandwidth > 0 ? fmin(flops, corner[i] * bandwidth) : flops) / 1e12};
        rows_add(table, group, name, NAMES(names));
        rows_add_word(table, "lined", "yes");
    }
}

int points_roofline(const struct merged *all, const struct view *view, struct merged *table,
                    struct error *why)
{
    static const char *const names[] = {"intensity", "rate", "rate_low", "rate_high"};
    double span[2] = {INFINITY, -INFINITY};
    for (size_t i = 0; i < view->rows; i++) {
        double rate = real_at(view, i, "flop_rate") / 1e12, median = real_at(view, i, "time_median");
        double intensity =
            real_at(view, i, "flops") / (real_at(view, i, "bytes_read") + real_at(view, i, "bytes_written"));
        const double values[] = {intensity, rate, rate * median / real_at(view, i, "time_ci_high"),
                                 rate * median / real_at(view, i, "time_ci_low")};
        if (!is_measured(view, i) || !(intensity > 0 && isfinite(intensity) && rate > 0))
            continue;
        span[0] = fmin(span[0], intensity / 2);
        span[1] = fmax(span[1], intensity * 2);
        rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, "kernel"), NAMES(names));
        rows_add_word(table, "lined", "no");
    }
    for (int g = 0; g < all->groups && span[1] > 0; g++) {
        const char *group = all->group[g].label;
        double f32 = peak_of(all, group, "peak_flop_f32");
        add_roof(table, group, "DRAM", peak_of(all, group, "peak_copy"), f32, span);
        add_roof(table, group, "L2", peak_of(all, group, "peak_l2_copy"), f32, span);
        add_roof(table, group, "shared memory", peak_of(all, group, "peak_shared"), f32, span);
        add_roof(table, group, "FP64", 0, peak_of(all, group, "peak_flop_f64"), span);
        add_roof(table, group, "FP16", 0, peak_of(all, group, "peak_flop_f16"), span);
    }
    return none(table, "no point has operations", why);
}

/* ---- Canaries ---- */

/* The first time that the canary was measured. */
static bool find_first(const struct view *view, size_t i, size_t *first)
{
    for (*first = 0; *first < view->rows; ++*first)
        if (is_measured(view, *first) && integer_at(view, *first, "repeat") == 0 &&
            text_at(view, *first, MERGE_GROUP) == text_at(view, i, MERGE_GROUP) &&
            !strcmp(text_at(view, *first, "id"), text_at(view, i, "id")))
            return true;
    return false;
}

static void add_canary(const struct view *view, size_t i, size_t first, struct merged *table)
{
    static const struct {
        const char *quantity, *column;
    } quantities[] = {{"time", "time_median"}, {"SM clock", "sm_clock"}, {"power", "power"}};
    static const char *const names[] = {"order", "change", "change_low", "change_high"};
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
        double base = real_at(view, first, quantities[q].column),
               own = real_at(view, i, quantities[q].column);
        double ends[2] = {NAN, NAN};
        if (!(base > 0 && own > 0))
            continue;
        if (q == 0) {
            ends[0] = 100 * (real_at(view, i, "time_ci_low") / base - 1);
            ends[1] = 100 * (real_at(view, i, "time_ci_high") / base - 1);
        }
        const double values[] = {(double)integer_at(view, i, "repeat"), 100 * (own / base - 1), ends[0],
                                 ends[1]};
        rows_add(table, text_at(view, i, MERGE_GROUP), text_at(view, i, "kernel"), NAMES(names));
        rows_add_word(table, "quantity", quantities[q].quantity);
    }
}

int points_canaries(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    size_t repetitions = 0, throttled = 0, first;
    for (size_t i = 0; i < view->rows; i++) {
        if (!is_measured(view, i) || integer_at(view, i, "canary") != 1 || !find_first(view, i, &first))
            continue;
        repetitions++;
        throttled += *text_at(view, i, "throttle") != '\0';
        add_canary(view, i, first, table);
    }
    text_add(caption, "%zu of %zu repetitions while the clock was throttled", throttled, repetitions);
    return none(table, "no canary was repeated", why);
}
