#include "cli/figure/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A tenth of the axis: names of lines that are closer collide. */
#define CLOSE 0.09

static const char *const names[ROOF_COUNT] = {
#define X(name, words) words,
    ROOFS(X)
#undef X
};

bool roof_is_flop(enum roof_kind kind)
{
    return kind == ROOF_flop_f16 || kind == ROOF_flop_f32 || kind == ROOF_flop_f64;
}

const char *roof_name(enum roof_kind kind)
{
    return names[kind];
}

/* A line, and how near to it the curves come in their first and in their second half. */
struct drawn {
    struct figure_roof roof;
    double near[2];
};

/* The roof of a row; ROOF_none when it has none. */
static enum roof_kind roof_of_row(const struct merged *merged, int group, size_t row, double *rate)
{
    const struct frame *results = &merged->all.results;
    const char *word = frame_find_text(results, row, "roof");
    *rate = frame_find_real(results, row, "roof_rate");
    for (int kind = 0; *word && kind < ROOF_COUNT; kind++)
        if (!strcmp(roof_words[kind], word))
            return *rate > 0 ? (enum roof_kind)kind : ROOF_none;
    if (*word)
        return ROOF_none; /* a newer release's */
    double read = frame_find_real(results, row, "bytes_read"),
           written = frame_find_real(results, row, "bytes_written");
    *rate = merged->group[group].peak_copy;
    bool copies = fabs(read - written) <= 0.01 * written,
         dram = strcmp(frame_find_text(results, row, "cache"), cache_words[CACHE_HOT]) != 0;
    return copies && dram && *rate > 0 ? ROOF_dram_mix : ROOF_none;
}

static struct drawn *find(struct drawn **all, int *count, enum roof_kind kind, int group, double rate)
{
    for (int i = 0; i < *count; i++)
        if ((*all)[i].roof.kind == kind && (*all)[i].roof.group == group)
            return &(*all)[i];
    *all = memory_resize(*all, (size_t)*count + 1, sizeof **all);
    (*all)[*count] = (struct drawn){.roof = {.kind = kind, .group = group, .rate = rate, .low = rate}};
    return &(*all)[(*count)++];
}

static void add_row(struct drawn *drawn, const struct frame *results, size_t row, double rate,
                    bool second_half)
{
    const char *column = roof_is_flop(drawn->roof.kind) ? "flop_rate" : "bandwidth";
    double share = frame_find_real(results, row, column) / rate;
    drawn->roof.rate = fmax(drawn->roof.rate, rate);
    drawn->roof.low = fmin(drawn->roof.low, rate);
    drawn->near[second_half] = fmax(drawn->near[second_half], share);
}

static bool is_taken(const struct drawn *all, int before, const struct drawn *drawn, bool left, double top)
{
    for (int i = 0; i < before; i++)
        if (all[i].roof.left == left && !all[i].roof.below &&
            roof_is_flop(all[i].roof.kind) == roof_is_flop(drawn->roof.kind) &&
            fabs(all[i].roof.rate - drawn->roof.rate) < CLOSE * top)
            return true;
    return false;
}

static void place_names(struct drawn *all, int count)
{
    double top[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        bool flop = roof_is_flop(all[i].roof.kind);
        top[flop] = fmax(top[flop], all[i].roof.rate);
    }
    for (int i = 0; i < count; i++) {
        struct figure_roof *roof = &all[i].roof;
        double highest = top[roof_is_flop(roof->kind)];
        roof->left = all[i].near[0] < all[i].near[1];
        if (is_taken(all, i, &all[i], roof->left, highest)) {
            roof->below = is_taken(all, i, &all[i], !roof->left, highest);
            roof->left = roof->below ? roof->left : !roof->left;
        }
    }
}

struct figure_roof *roofs_of(const struct merged *merged, const struct figure_data *data, int *count)
{
    struct drawn *all = NULL;
    *count = 0;
    for (int s = 0; s < data->count; s++) {
        const struct series *series = &data->series[s];
        for (size_t i = 0; i < series->view.rows; i++) {
            double rate;
            enum roof_kind kind = roof_of_row(merged, series->group, series->view.row[i], &rate);
            if (kind != ROOF_none)
                add_row(find(&all, count, kind, series->group, rate), &merged->all.results,
                        series->view.row[i], rate, 2 * i >= series->view.rows);
        }
    }
    place_names(all, *count);
    struct figure_roof *roofs = memory_new((size_t)*count + 1, sizeof *roofs);
    for (int i = 0; i < *count; i++)
        roofs[i] = all[i].roof;
    free(all);
    return roofs;
}
