/* rows.h - rows of tables that are worked out for figures: what rows of /results have, and a table's own numbers and
 * words. */
#ifndef FIGURE_TABLES_ROWS_H
#define FIGURE_TABLES_ROWS_H

#include "results/merge.h"

/* Add a row of a group (its label) and a kernel, with `count` numbers under their names. */
void rows_add(struct merged *table, const char *group, const char *kernel, const char *const *names,
              const double *values, int count);

/* A word of the last row. */
void rows_add_word(struct merged *table, const char *name, const char *word);

#endif
