/* opening.h - the first phase: choose the back end, open the results file, find the work and configure the ranks. */
#pragma once

#include "coordinator/state/context.h"
#include "coordinator/state/environment.h"
#include "protocol/greeting.h"

struct opening {
    struct build build; /* ours; every worker must match it */
    bool automatic;     /* fall back to the host if there is no GPU */
    bool configuring;   /* the configuration is sent; READY is awaited */
    struct environment environment;
    char token[128],
        token_path[1200]; /* file in the cache folder: ranks that see it share the folder; empty: none */
};

enum opening_state { OPENING_WAITS, OPENING_DONE, OPENING_NOTHING_TO_DO };

/* The back end that workers start with: `auto` tries cuda. */
const char *opening_first_backend(const struct launch_options *options);

void opening_start(struct opening *opening, struct coordinator_context *context);
void opening_take_hello(struct opening *opening, struct coordinator_context *context, int rank,
                        struct wire_reader *payload);
void opening_take_ready(struct coordinator_context *context, int rank, struct wire_reader *payload);

/* Continue when all ranks have answered. Errors are in context->error. */
enum opening_state opening_step(struct opening *opening, struct coordinator_context *context);

void opening_end(struct opening *opening);
