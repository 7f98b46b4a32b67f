/* fixes.h - what files of earlier releases have otherwise, worked out anew. */
#ifndef RESULTS_FIXES_H
#define RESULTS_FIXES_H

#include "store/store.h"

/* Roofs of shared memory, and shares of them, where lanes share words: up to release 0.2 they were those of distinct
 * words (family/time/roof.h), and points lay at up to twice their roof. */
void mend_shared_roofs(struct dataset *dataset);

#endif
