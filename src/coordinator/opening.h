/* opening.h - the first phase: which devices, which back end, which results file, and how to measure. Every
 * rank says what device it has, and is told the configuration. */
#ifndef COORDINATOR_OPENING_H
#define COORDINATOR_OPENING_H

#include "coordinator/state/context.h"
#include "coordinator/state/environment.h"
#include "protocol/greeting.h"

struct opening {
    struct build build; /* ours: every worker has to be of it */
    bool automatic;     /* the host is an answer, too, where there is no GPU */
    bool configuring;   /* the ranks have the configuration; their answers are wanted */
    struct environment environment;
    char token[128], token_path[1200]; /* in the cache folder, to see who shares it; empty: nobody does */
};

enum opening_state { OPENING_WAITS, OPENING_DONE, OPENING_NOTHING_TO_DO };

/* The back end that workers start with: `auto` tries cuda. */
const char *opening_first_backend(const struct launch_options *options);

void opening_start(struct opening *opening, struct coordinator_context *context);
void opening_take_hello(struct opening *opening, struct coordinator_context *context, int rank,
                        struct wire_reader *payload);
void opening_take_ready(struct coordinator_context *context, int rank, struct wire_reader *payload);

/* Go on when everybody has answered. A failure is in context->error. */
enum opening_state opening_step(struct opening *opening, struct coordinator_context *context);

void opening_end(struct opening *opening);

#endif
