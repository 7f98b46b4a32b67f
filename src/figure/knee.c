#include "figure/knee.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"

#define POINTS_MIN 3 /* fewer show no law */

int knee_read(const char *directive, struct knee *knee, struct error *error)
{
    char name[64], *end;
    size_t length = strcspn(directive, " \t");
    const char *at = directive + length + strspn(directive + length, " \t");
    snprintf(name, sizeof name, "%.*s", (int)length, directive);
    *knee = (struct knee){.law = law_find(name), .x = NAN, .words = ""};
    if (!knee->law) {
        const char **known = memory_new(laws_count() + 1, sizeof *known);
        for (size_t i = 0; i < laws_count(); i++)
            known[i] = laws[i].name;
        suggest_unknown(error, "law", name, known);
        free(known);
        return -1;
    }
    if (!*at)
        return 0;
    knee->x = strtod(at, &end);
    knee->words = end + strspn(end, " \t");
    if (end == at || !*knee->words)
        return error_set(error, ERROR_ENVIRONMENT, "law: expected NAME KNEE WORDS, or NAME, got '%.80s'",
                         directive);
    return 0;
}

void knee_count(const struct knee *knee, const struct merged *merged, const struct series *series,
                struct knee_count *count)
{
    for (size_t i = 0; i < series->view.rows; i++) {
        struct law_point point;
        if (!law_apply(knee->law, merged, series->view.row[i], &point))
            continue;
        double off = fabs(point.counted / point.expected - 1);
        count->points++;
        count->within += off <= knee->law->tolerance;
        count->worst = fmax(count->worst, off);
    }
}

bool knee_holds(const struct knee_count *count)
{
    return count->points >= POINTS_MIN && count->within == count->points;
}
