/* plot_own.h - a figure that the command line describes: plot --x AXIS --y COLUMN. */
#pragma once

#include "cli/options/options.h"
#include "figure/figure.h"
#include "results/merge.h"

/* Whether the command line describes a figure. ERROR_USAGE (-1) if only in part. */
int plot_own_wanted(const struct arguments *arguments, struct error *error);

/* Make the figure of --kernel, --x, --y, --by, --panel and --log. ERROR_USAGE for a column that the files lack, with the
 * nearest name. figure_free releases it. */
int plot_own_make(const struct arguments *arguments, const struct merged *merged, const char *const *filter,
                  struct figure *figure, struct error *error);
