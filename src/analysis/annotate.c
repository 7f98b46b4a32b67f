#include "analysis/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/row_point.h"

#define SHOWN                                                                                                \
    9 /* of each kind; with the line that counts the others ten, the most that GitHub shows of a step */

/* What ends a property or the message, as percent codes. */
static void put_escaped(FILE *out, const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' || strchr(also, *text))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
    }
}

static void put_line(FILE *out, const char *kind, const char *title, const char *message)
{
    fprintf(out, "::%s title=", kind);
    put_escaped(out, title, ":,");
    fputs("::", out);
    put_escaped(out, message, "");
    fputc('\n', out);
}

static void describe(const struct comparison *comparison, size_t at, struct text *out)
{
    const struct comparison_pair *pair = &comparison->pair[at];
    const struct verdict_ratio *r = &comparison->ratio[at];
    const struct frame *results = &pair->b.dataset->results;
    struct point point;
    char a[32], b[32];
    text_format_seconds(pair->a.estimate.seconds, a, sizeof a);
    text_format_seconds(pair->b.estimate.seconds, b, sizeof b);
    if (row_point(results, pair->b.row, &point))
        point_describe(&point, out);
    else
        text_add(out, "%s %s", frame_find_text(results, pair->b.row, COLUMN(kernel)),
                 frame_find_text(results, pair->b.row, COLUMN(id)));
    text_add(out, ": %s against %s: %+.1f %% (%+.1f to %+.1f %%)", b, a, 100 * (r->ratio - 1),
             100 * (r->low - 1), 100 * (r->high - 1));
    if (comparison->by)
        text_add(out, ", %s %s against %s", comparison->by, comparison->section[pair->section].b,
                 comparison->section[pair->section].a);
}

struct slower {
    size_t pair;
    double ratio;
};

static int by_ratio(const void *a, const void *b)
{
    const struct slower *x = a, *y = b;
    return (x->ratio < y->ratio) - (x->ratio > y->ratio);
}

/* Those that go beyond the limit, or those that do not. */
static void print_kind(FILE *out, const struct comparison *comparison, const struct slower *slower,
                       size_t count, const char *kind, double limit, bool beyond)
{
    size_t found = 0;
    char title[128], message[160];
    for (size_t i = 0; i < count; i++) {
        if ((slower[i].ratio > 1 + limit) != beyond || found++ >= SHOWN)
            continue;
        struct text line = {0};
        describe(comparison, slower[i].pair, &line);
        snprintf(title, sizeof title, "%.100s is slower",
                 frame_find_text(&comparison->pair[slower[i].pair].b.dataset->results,
                                 comparison->pair[slower[i].pair].b.row, COLUMN(kernel)));
        put_line(out, kind, title, line.data);
        text_free(&line);
    }
    if (found <= SHOWN)
        return;
    snprintf(message, sizeof message, "%zu further points are slower, by less; compare --points lists them",
             found - SHOWN);
    put_line(out, kind, "and more", message);
}

void annotate_print(FILE *out, const struct comparison *comparison, double limit)
{
    struct slower *slower = memory_new(comparison->pairs + 1, sizeof *slower);
    size_t count = 0;
    for (size_t i = 0; i < comparison->pairs; i++)
        if (comparison->ratio[i].verdict == VERDICT_SLOWER)
            slower[count++] = (struct slower){i, comparison->ratio[i].ratio};
    qsort(slower, count, sizeof *slower, by_ratio);
    if (!isnan(limit))
        print_kind(out, comparison, slower, count, "error", limit, true);
    print_kind(out, comparison, slower, count, "warning", isnan(limit) ? HUGE_VAL : limit, false);
    free(slower);
}
