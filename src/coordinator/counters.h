/* counters.h - which hardware counters a run reads. */
#ifndef COORDINATOR_COUNTERS_H
#define COORDINATOR_COUNTERS_H

#include "plan/job.h"
#include "protocol/traits.h"

/* Put the columns to count into `config`: those of `set` (the command line's, NULL when it names none), else
 * of the job. A back end without counters gets none. `note` says so, or is empty. ERROR_USAGE when `set` is
 * no set's name. */
int counters_choose(const struct job *job, const char *set, const char *backend, const struct traits *traits,
                    struct config *config, char *note, size_t size, struct error *error);

#endif
