#include "figure/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/units.h"

/* The roof of a row; ROOF_none when it has none. */
static enum roof_kind roof_of_row(const struct merged *merged, int group, size_t row, double *rate)
{
    const struct frame *results = &merged->all.results;
    const char *word = frame_find_text(results, row, COLUMN(roof));
    *rate = frame_find_real(results, row, COLUMN(roof_rate));
    int kind = text_find(roof_words, word);
    double read = frame_find_real(results, row, COLUMN(bytes_read)),
           written = frame_find_real(results, row, COLUMN(bytes_written));
    if (*word) /* a roof that is not known here is a newer release's */
        return kind >= 0 && *rate > 0 ? roof_by_bytes((enum roof_kind)kind, read, written) : ROOF_none;
    *rate = merged->group[group].peak_copy;
    bool copies = fabs(read - written) <= 0.01 * written,
         dram = strcmp(frame_find_text(results, row, COLUMN(cache)), cache_words[CACHE_HOT]) != 0;
    return copies && dram && *rate > 0 ? ROOF_dram_mix : ROOF_none;
}

static struct figure_roof *find(struct figure_roof **all, int *count, enum roof_kind kind, int group,
                                double rate)
{
    for (int i = 0; i < *count; i++)
        if ((*all)[i].kind == kind && (*all)[i].group == group)
            return &(*all)[i];
    *all = memory_resize(*all, (size_t)*count + 1, sizeof **all);
    (*all)[*count] = (struct figure_roof){.kind = kind, .group = group, .rate = rate, .low = rate};
    return &(*all)[(*count)++];
}

void roofs_add(const struct merged *merged, const struct series *series, struct figure_roof **all, int *count)
{
    for (size_t i = 0; i < series->view.rows; i++) {
        double rate;
        enum roof_kind kind = roof_of_row(merged, series->group, series->view.row[i], &rate);
        if (kind == ROOF_none)
            continue;
        struct figure_roof *roof = find(all, count, kind, series->group, rate);
        roof->rate = fmax(roof->rate, rate);
        roof->low = fmin(roof->low, rate);
    }
}

void roof_describe(const struct figure_roof *roof, struct text *out)
{
    const struct unit *unit = units_choose(roof_is_flop(roof->kind) ? "flop/s" : "bytes/s", roof->rate);
    text_add(out, "%s%s %.4g %s", roof_name(roof->kind), roof->low < 0.99 * roof->rate ? " up to" : "",
             roof->rate / unit->scale, unit->symbol);
}
