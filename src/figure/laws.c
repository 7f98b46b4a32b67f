#include "figure/laws.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "results/derive.h"
#include "results/where.h"

#define POINTS_MIN 3 /* fewer points show no law */

/* The next word of a directive; "" at its end. */
static const char *take_word(const char *at, char *out, size_t size)
{
    size_t length = strcspn(at, " \t");
    snprintf(out, size, "%.*s", (int)length, at);
    return at + length + strspn(at + length, " \t");
}

int law_read(const char *directive, struct law *law, struct error *error)
{
    char knee[32], percent[32];
    char *ends[2];
    const char *at = take_word(directive, law->condition, sizeof law->condition);
    at = take_word(at, knee, sizeof knee);
    at = take_word(at, law->measured, sizeof law->measured);
    at = take_word(at, law->expected, sizeof law->expected);
    at = take_word(at, percent, sizeof percent);
    at = take_word(at, law->name, sizeof law->name);
    for (char *c = law->name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    law->words = at;
    law->knee = strtod(knee, &ends[0]);
    law->percent = strtod(percent, &ends[1]);
    if (*at && !*ends[0] && !*ends[1] && law->percent > 0)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT,
                     "law: expected CONDITION KNEE MEASURED EXPECTED PERCENT NAME WORDS, got '%.80s'",
                     directive);
}

/* The name of the column of a law: its figure and number, and which side. */
static struct text column_of(const struct figure *figure, int index, char side)
{
    struct text name = {0};
    text_add(&name, "law_");
    for (const char *at = figure->name; *at; at++)
        text_add(&name, "%c", isalnum((unsigned char)*at) ? *at : '_');
    text_add(&name, "_%d%c", index, side);
    return name;
}

void laws_derive(const struct figure *figure, struct merged *merged)
{
    for (int i = 0; i < FIGURE_LINES_MAX && figure->law[i]; i++) {
        struct law law;
        struct error ignored; /* of columns that these files lack; figure_read has checked the rest */
        if (law_read(figure->law[i], &law, &ignored) != 0)
            continue;
        for (int side = 0; side < 2; side++) {
            struct text name = column_of(figure, i, side ? 'e' : 'm');
            if (frame_find(&merged->all.results, name.data) < 0) {
                text_add(&name, "=%s", side ? law.expected : law.measured);
                derive_column(&merged->all, name.data, &ignored);
            }
            text_free(&name);
        }
    }
}

void law_count(const struct figure *figure, int index, const struct merged *merged,
               const struct series *series, struct law_count *count)
{
    struct law law;
    struct error ignored;
    const struct frame *results = &merged->all.results;
    struct text measured = column_of(figure, index, 'm'), expected = column_of(figure, index, 'e');
    struct view view = {.dataset = &merged->all, .rows = series->view.rows};
    view.row = memory_new(view.rows + 1, sizeof *view.row);
    memcpy(view.row, series->view.row, view.rows * sizeof *view.row);
    if (law_read(figure->law[index], &law, &ignored) != 0 ||
        (strcmp(law.condition, "*") != 0 && where_keep_one(&view, law.condition, &ignored) != 0))
        view.rows = 0;
    for (size_t i = 0; i < view.rows; i++) {
        double off = 100 * fabs(frame_find_real(results, view.row[i], measured.data) /
                                    frame_find_real(results, view.row[i], expected.data) -
                                1);
        if (!isfinite(off))
            continue;
        count->points++;
        count->kept += off <= law.percent;
        count->worst = fmax(count->worst, off);
    }
    view_free(&view);
    text_free(&measured);
    text_free(&expected);
}

bool law_holds(const struct law_count *count)
{
    return count->points >= POINTS_MIN && count->kept == count->points;
}
