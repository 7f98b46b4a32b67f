/* opening.h - the first phase: choose the back end, open the results file, find the work and
 * configure the ranks. */
#pragma once

#include <stdbool.h>

#include "coordinator/state/run_plan.h"
#include "protocol/greeting.h"

struct opening {
    struct build build;                     /* ours; every worker must match it */
    bool automatic;                         /* fall back to the host if there is no GPU */
    struct environment environment, loaded; /* of the file; of that, what the workers have loaded */
    uint64_t loaded_hash;                   /* of the last greeting that was compared */
};

struct run;

enum opening_state { OPENING_WAITS, OPENING_DONE, OPENING_NOTHING_TO_DO };

void opening_start(struct run *run);
void opening_take_home(struct run *run, int rank, struct wire_reader *payload);
void opening_take_hello(struct run *run, int rank, struct wire_reader *payload);
/* What a worker says that it has loaded since: an error ends the run if others, or earlier runs of the file,
 * have loaded something else under one of these names. */
void opening_take_loaded(struct run *run, int rank, const struct wire_reader *payload);
void opening_take_failure(struct run *run, int rank, enum hello hello, const char *why);

/* Continue when all ranks have answered. Errors are in run->error. */
enum opening_state opening_step(struct run *run);
