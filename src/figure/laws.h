/* laws.h - laws that a figure states and the counters of its files can show: `#: law CONDITION KNEE MEASURED EXPECTED
 * PERCENT NAME WORDS`.
 *
 * At the rows with CONDITION (* for all), MEASURED (an expression as in `table --derive`) is compared with EXPECTED. Points
 * without either do not count. KNEE is the place along x that explains the curve, NAME its name with _ for spaces. */
#ifndef FIGURE_LAWS_H
#define FIGURE_LAWS_H

#include "figure/collect.h"

struct law {
    char condition[128], measured[256], expected[256], name[96]; /* name: words */
    double knee, percent;
    const char *words;
};

/* How well the points keep a law. */
struct law_count {
    size_t points, kept;
    double worst; /* the largest |measured / expected - 1|, in % */
};

/* ERROR_ENVIRONMENT if the directive is malformed. */
int law_read(const char *directive, struct law *law, struct error *error);

/* Add the columns that the figure's laws compare to the results. A law whose columns the files lack has no points. */
void laws_derive(const struct figure *figure, struct merged *merged);

/* Count the points of a curve that keep law `index` of the figure. */
void law_count(const struct figure *figure, int index, const struct merged *merged,
               const struct series *series, struct law_count *count);

/* Whether there are points, and all of them keep it. */
bool law_holds(const struct law_count *count);

#endif
