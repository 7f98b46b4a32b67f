/* coordinator_state.h - the coordinator's inside, shared by the files that are its phases: opening.c,
 * preparing.c and measuring.c. */
#ifndef LAUNCH_COORDINATOR_COORDINATOR_STATE_H
#define LAUNCH_COORDINATOR_COORDINATOR_STATE_H

#include "launch/coordinator/agenda.h"
#include "launch/coordinator/canaries.h"
#include "launch/coordinator/kernel_queue.h"
#include "launch/coordinator/coordinator.h"
#include "launch/coordinator/progress.h"
#include "launch/coordinator/schedule.h"
#include "launch/signals.h"
#include "launch/coordinator/team.h"

#define FAILURES_SHOWN 10 /* on the screen; all of them are in the file */

enum phase { OPENING, CONFIGURING, CHARACTERISING, COMPILING, MEASURING, OVER };

struct coordinator {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    char backend[16];
    enum phase phase;
    double start;

    struct agenda agenda;
    struct environment environment;
    struct compiling *compiling;
    struct schedule *schedule;
    struct canaries canaries;
    struct progress progress;
    char token[128], token_path[1200]; /* in the cache folder, to see who shares it */

    bool active; /* something happened in this step */
    bool idle;   /* some rank may take work */
    int failures_shown;
    char note[512]; /* why counters are missing, as the first worker that said so has it */
    bool stopping;
    double stop_at; /* when to wait no longer */
    struct signals signals;
    struct error error; /* kind is not NONE: the run ends for this reason */
    struct wire out;
};

/* Send what is in c->out. */
void coordinator_tell(struct coordinator *c, int rank, enum message message);
void coordinator_tell_all(struct coordinator *c, enum message message);

/* The next phase's answers are wanted from everybody. */
void coordinator_await_answers(struct coordinator *c);

/* Everything is done, or nothing more can be: every rank leaves. */
void coordinator_end_run(struct coordinator *c);

/* opening.c: every rank says what device it has, and is told how to measure. */
void opening_take_hello(struct coordinator *c, int rank, struct wire_reader *payload);
void opening_take_ready(struct coordinator *c, int rank, struct wire_reader *payload);
void opening_step(struct coordinator *c);

/* preparing.c: devices are characterised, one at a time on a node, and kernels compiled. */
void preparing_take_device(struct coordinator *c, int rank, struct wire_reader *payload);
void preparing_take_compiled(struct coordinator *c, int rank, struct wire_reader *payload);
void preparing_characterise(struct coordinator *c);
void preparing_compile(struct coordinator *c);

/* measuring.c: points go out, results come back. */
void measuring_start(struct coordinator *c);
void measuring_take_results(struct coordinator *c, int rank, struct wire_reader *payload);
void measuring_step(struct coordinator *c);

#endif
