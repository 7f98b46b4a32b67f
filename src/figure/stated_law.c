#include "figure/stated_law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"

#define POINTS_MIN 3 /* fewer show no law */

int stated_law_read(const char *directive, struct stated_law *stated, struct error *error)
{
    char name[64], *end;
    size_t length = strcspn(directive, " \t");
    const char *at = directive + length + strspn(directive + length, " \t");
    snprintf(name, sizeof name, "%.*s", (int)length, directive);
    *stated = (struct stated_law){.law = law_find(name), .x = NAN, .words = ""};
    if (!stated->law) {
        const char **known = memory_new(laws_count() + 1, sizeof *known);
        for (size_t i = 0; i < laws_count(); i++)
            known[i] = laws[i].name;
        suggest_unknown(error, "law", name, known);
        free(known);
        return -1;
    }
    if (!*at)
        return 0;
    stated->x = strtod(at, &end);
    stated->words = end + strspn(end, " \t");
    if (end == at || !*stated->words)
        return error_set(error, ERROR_ENVIRONMENT, "law: expected NAME KNEE WORDS, or NAME, got '%.80s'",
                         directive);
    return 0;
}

void stated_law_count(const struct stated_law *stated, const struct merged *merged,
                      const struct series *series, struct law_tally *count)
{
    for (size_t i = 0; i < series->view.rows; i++) {
        struct law_point point;
        if (!law_apply(stated->law, &merged->all, series->view.row[i], &point))
            continue;
        double off = fabs(point.counted / point.expected - 1);
        count->points++;
        count->within += off <= stated->law->tolerance;
        count->worst = fmax(count->worst, off);
    }
}

bool stated_law_holds(const struct law_tally *count)
{
    return count->points >= POINTS_MIN && count->within == count->points;
}
