/* identity.h - what a results file is of, so that nothing else gets mixed into it: back end, seed, rules of measuring,
 * timing, the kernels' code, counters (pairs of /environment) and the devices' product (/devices). */
#ifndef COORDINATOR_STATE_IDENTITY_H
#define COORDINATOR_STATE_IDENTITY_H

#include "base/text.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

/* Add what this run's rows are to be known by. The others that are compared, backend, seed and counters, are there
 * already. */
void identity_describe(struct environment *environment, const struct run_plan *plan);

/* The back end of the file that the run goes on with; NULL when it has none yet. */
const char *identity_backend(const struct dataset *file);

/* Whether the two devices are of one product: name, SMs and memory, the last within 1 %, because drivers keep some
 * of it back. Of processors not the threads: those are each rank's share. */
bool identity_same_product(const struct device *a, const struct device *b);

/* Row `row` of /devices, as far as identity_same_product asks. */
struct device identity_device(const struct dataset *file, size_t row);

/* Compare the file, of which `runs` runs have rows that are ok, with the run that wants to go on with it. Lines for people go to `told`: a table of what differs,
 * or a note of what an older release's file does not tell. 0: go on; -1: something differs that no option allows. */
int identity_check(const struct dataset *file, const int64_t *run, size_t runs, const struct environment *now,
                   const struct team *team, const struct launch_options *options, struct text *told,
                   struct error *error);

/* Whether what the run `run` of the file has counted is what `now` counts. */
bool identity_same_counters(const struct dataset *file, int64_t run, const struct environment *now);

#endif
