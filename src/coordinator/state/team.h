/* team.h - what the coordinator knows of the ranks of a run, and what follows from their HELLO. No MPI. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "coordinator/schedule/schedule.h"
#include "core/device.h"
#include "protocol/traits.h"
#include "protocol/wire.h"

/* The outcome of starting a rank's worker. */
enum hello {
    HELLO_NO_DEVICE, /* it found no device for this back end */
    HELLO_OPENED,    /* it has opened a device */
    HELLO_NO_WORKER, /* it does not start, dies, or is of another build */
};

struct member {
    struct home home;                /* its node is less than the number of ranks */
    int first_on_node, next_on_node; /* ranks, set by team_arrange; -1: last one */
    struct device device;
    struct traits traits; /* of its back end */
    enum hello hello;     /* outcome of starting its worker */
    char why[1024];       /* it has no device */

    int share, shares; /* share number of the CPUs near its device, and number of shares */

    bool answered; /* in the current phase */
    bool lost;
    bool held;                /* its device is suspect: health.h */
    bool silent;              /* no heartbeat; lost, too */
    bool shared;              /* other processes were seen on its device */
    double heard;             /* s of the coordinator's heartbeat clock: when it was last heard */
    bool busy;                /* has not answered a request */
    enum peaks_part peaks;    /* that it measures, or will */
    int device_row;           /* in /devices; -1: not there yet */
    bool ended;               /* it has had the last round of canaries, and nothing to time since */
    bool slowed;              /* its worker has measured points after which launches take longer */
    bool linked;              /* it has measured points that load the host link */
    uint32_t round;           /* of replicates, for which its worker was started */
    uint32_t worker, process; /* number of its last worker at the runner, and of that process in the file */
    struct schedule_item batch[WIRE_BATCH_MAX];
    int batch_count, batch_done;
};

struct team {
    struct member *member;
    int count;
    int present;    /* ranks that are not lost */
    int unanswered; /* of those, in the current phase */
    int *first;     /* per node: its first rank, set by team_arrange */
    int nodes;
};

struct team team_new(int ranks); /* no rank has answered */
void team_free(struct team *team);

/* Expect an answer of every rank; one has answered; one is lost. */
void team_await_answers(struct team *team);
void team_answer(struct team *team, int rank);
void team_lose(struct team *team, int rank);

/* All ranks have sent HELLO: link the ranks of each node. */
void team_arrange(struct team *team);

enum team_verdict { TEAM_READY, TEAM_TRY_HOST, TEAM_CANNOT };

/* All ranks have tried `backend`, and the team is arranged. TEAM_READY: every rank has a device, its own if
 * the back end requires that. TEAM_TRY_HOST (`automatic` and no GPU was found) and TEAM_CANNOT set
 * `error`. */
enum team_verdict team_judge(const struct team *team, const char *backend, bool automatic,
                             struct error *error);

/* ERROR_ENVIRONMENT, with ranks and products, if the ranks have devices of several products: a point would be
 * measured on either, and nobody could tell what a difference comes from. */
int team_check_products(const struct team *team, struct error *error);

/* Divide the CPUs of each NUMA node among the ranks whose devices are attached to it. `shares` is 0 for a
 * back end that makes its results up: it needs none. */
void team_share(struct team *team);
