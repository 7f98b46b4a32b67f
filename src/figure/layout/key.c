#include "figure/layout/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct entry {
    const char *label;
    struct style style;
    bool line;
    int order;
};

/* Roofs first, then points, each in their order. */
static int lines_first(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->line != y->line ? y->line - x->line : x->order - y->order;
}

static void add_entry(struct entry **entry, int *count, const char *label, struct style style, bool line)
{
    for (int k = 0; k < *count; k++)
        if (!strcmp((*entry)[k].label, label))
            return;
    *entry = memory_resize(*entry, (size_t)*count + 1, sizeof **entry);
    (*entry)[*count] = (struct entry){label, style, line, *count};
    ++*count;
}

/* The curves, unless they have end labels; or with `lines` the roofs whose names are not placed. */
static struct entry *entries_of(const struct page *m, bool lines, int *count)
{
    struct entry *entry = NULL;
    *count = 0;
    for (int p = 0; p < m->chart->panels && !m->end_labels && !lines && !m->chart->cells &&
                    !m->chart->named && !m->chart->single && !m->inside;
         p++)
        for (int c = 0; c < m->chart->panel[p].curves; c++) {
            const struct chart_curve *curve = &m->chart->panel[p].curve[c];
            add_entry(&entry, count, curve->label, curve->style, curve->line);
        }
    for (size_t n = 0; n < m->names && lines; n++)
        if (!m->name[n].placed)
            add_entry(&entry, count, m->name[n].label, (struct style){-1, 0, 0}, true);
    if (*count)
        qsort(entry, (size_t)*count, sizeof *entry, lines_first);
    return entry;
}

static double sample_of(const struct page *m, const struct entry *entry)
{
    return m->chart->dots && entry->line && entry->style.colour >= 0 ? LONG : SAMPLE;
}

/* The widths of `columns` columns, filled row by row; returns the sum. */
static double measure_columns(const struct page *m, const struct entry *entry, int count, int columns,
                              double *column)
{
    double sum = 0;
    for (int k = 0; k < columns; k++) {
        column[k] = 0;
        for (int i = k; i < count; i += columns)
            column[k] = fmax(column[k], sample_of(m, &entry[i]) + 0.05 +
                                            font_width(m->font, entry[i].label, LAYOUT_POINTS) + 0.14);
        sum += column[k];
    }
    return sum - 0.14;
}

#define TINTS 5

/* The scale of a heat map's colours. */
static double put_tints(struct page *m, double width, double top)
{
    double row = 1.3 * LAYOUT_POINTS / 72, each = SAMPLE + 0.36;
    for (int i = 0; i < TINTS; i++) {
        char label[32];
        double x = (width - TINTS * each) / 2 + i * each;
        double value = exp(m->chart->reach * (2.0 * i / (TINTS - 1) - 1));
        snprintf(label, sizeof label, "%.2f", value);
        page_mark(m, x + SAMPLE / 2, top - row / 2, (struct style){0, 0, 0}, true);
        m->layout->mark[m->layout->marks - 1].cell = value;
        page_text(m, label, x + SAMPLE + 0.05, top - row / 2, -1, TEXT_KEY, -1);
    }
    return row + GAP;
}

double key_put(struct page *m, bool lines, double width, double top)
{
    int count, columns;
    if (m->chart->cells && !lines)
        return put_tints(m, width, top);
    struct entry *entry = entries_of(m, lines, &count);
    double column[64], row = 1.3 * LAYOUT_POINTS / 72;
    if (!count)
        return 0;
    for (columns = count < 64 ? count : 64; columns > 1; columns--)
        if (measure_columns(m, entry, count, columns, column) <= width - 2 * MARGIN)
            break;
    int rows = (count + columns - 1) / columns;
    for (; columns > 1 && (count + columns - 2) / (columns - 1) == rows;) /* full rows */
        columns--;
    double sum = measure_columns(m, entry, count, columns, column), x = (width - sum) / 2;
    for (int k = 0; k < columns; k++) {
        for (int i = k; i < count; i += columns) {
            const int down = i / columns;
            double y = top - row * (down + 0.5), sample = sample_of(m, &entry[i]);
            if (!m->chart->dots || entry[i].line)
                page_stroke(m, x, y, x + sample, y, entry[i].style, entry[i].style.colour < 0);
            if (!entry[i].line)
                page_mark(m, x + sample / 2, y, entry[i].style, m->chart->areas);
            page_text(m, entry[i].label, x + sample + 0.05, y, -1, TEXT_KEY, -1);
        }
        x += column[k];
    }
    free(entry);
    return rows * row + GAP;
}
