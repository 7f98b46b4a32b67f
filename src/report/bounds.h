/* bounds.h - what bounds the points of a results file by the time model, and where the model is wrong. */
#ifndef REPORT_BOUNDS_H
#define REPORT_BOUNDS_H

#include "core/profile.h"
#include "output/document.h"
#include "store/store.h"
#include "toolkit/code_facts.h"

/* Print it for each device of the file; `given`: the profile to predict by, or NULL for what the file itself measured
 * of its device. `use`: what of the compiled kernels it goes by. Adds to `wrong` how many points are off by over 15 %. -1 where
 * the code cannot be had. */
int report_bounds(struct document *document, const struct dataset *dataset, const char *path,
                  const struct profile *given, enum code_use use, size_t *wrong, struct error *error);

#endif
