/* identity.h - whether a run may add to a results file: back end, seed, rules of measuring, timing, kernel code, counters
 * (pairs of /environment) and the product of the devices (/devices) must match. */
#pragma once

#include "base/text.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

/* Add rules, timing and code of this run. The caller adds the other compared pairs: backend, seed, counters. */
void identity_describe(struct environment *environment, const struct run_plan *plan);

/* The back end of the resumed file; NULL if it has no rows. */
const char *identity_backend(const struct dataset *file);

/* Compare the file, of which `runs` runs have rows that are ok, with the run that resumes it. Adds lines for the user to
 * `lines`: a table of the differences, or a note that an older file lacks information. 0: the run may continue; -1: there is
 * a difference that no option allows. */
int identity_check(const struct dataset *file, const int64_t *run, size_t runs, const struct environment *now,
                   const struct team *team, const struct launch_options *options, struct text *lines,
                   struct error *error);

/* Whether run `run` of the file has counted the same counters as `now`. */
bool identity_same_counters(const struct dataset *file, int64_t run, const struct environment *now);
