/* bases.h - good files to start from, each in a folder of its own: base.h5, job.yaml, hasty.yaml for a run of two
 * seconds at most, and what commands leave there. */
#pragma once

#include <stdbool.h>

#include "journal_changes.h"
#include "tables.h"

struct base {
    char folder[300];
    struct tables tables;           /* of base.h5 */
    struct journal_records journal; /* of a run that was killed; count 0: there is none */
    bool alone;                     /* the journal has no file beside it */
    bool resumable;                 /* by the fake back end, with job.yaml */
};

enum { BASE_RUN, BASE_GPU, BASE_KILLED, BASE_KILLED_ALONE, BASES };

/* Make them all in a new folder. `source`: warpsweep's. False, with a message on stdout, when that fails. */
bool bases_make(struct base bases[BASES], const char *source);
void bases_free(struct base bases[BASES]);
