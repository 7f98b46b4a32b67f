/* counters.h - choose the hardware counters of a run. */
#ifndef COORDINATOR_COUNTERS_H
#define COORDINATOR_COUNTERS_H

#include "plan/job.h"
#include "protocol/traits.h"

/* Set the counted columns in `config`: those of `set` (from the command line, or NULL), else those of the job. None for a
 * back end without counters; then `note` says so. ERROR_USAGE if there is no such set. */
int counters_choose(const struct job *job, const char *set, const char *backend, const struct traits *traits,
                    struct config *config, char *note, size_t size, struct error *error);

#endif
