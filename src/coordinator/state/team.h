/* team.h - the ranks of a run as the coordinator knows them, and what follows from what they said of
 * themselves. Pure: no MPI. */
#ifndef COORDINATOR_STATE_TEAM_H
#define COORDINATOR_STATE_TEAM_H

#include <stdbool.h>

#include "base/error.h"
#include "coordinator/schedule/schedule.h"
#include "core/device.h"
#include "mailbox/message.h"
#include "protocol/traits.h"

struct member {
    char host[DEVICE_TEXT_SIZE];
    int node;                        /* the same number for ranks of one node */
    int first_on_node, next_on_node; /* ranks, after team_arrange; -1: the last one */
    int local_rank, local_size;
    struct device device;
    struct traits traits; /* of its back end */
    enum hello hello;     /* what became of its worker */
    char why[1024];       /* it has no device */

    int share, shares; /* of the CPUs near its device: number `share` of `shares` */
    bool sees_cache;   /* its cache folder is the coordinator's */

    bool answered; /* in the phase that is going on */
    bool lost;
    bool held;        /* its device is suspect: health.h */
    bool quarantined; /* and turned out to be sick; lost, too */
    bool silent;      /* it gave no sign of life; lost, too */
    double heard;     /* when it last gave one, on the coordinator's heartbeat */
    bool busy;        /* has a request that is not answered */
    bool link_waits;  /* of its peaks those of its own are being measured, that of the link is to come */
    int device_row;   /* in /devices; -1: not there yet */
    uint32_t worker,
        process; /* its last worker, as the runner counts them, and that process' number in the file */
    struct schedule_item batch[MESSAGE_BATCH_MAX];
    int batch_count, batch_done;
    bool uncounted[MESSAGE_BATCH_MAX]; /* of the batch: timed, or to be counted only, and not counted yet */
    int uncounted_count;
};

struct team {
    struct member *member;
    int count;
    int present;    /* ranks that are not lost */
    int unanswered; /* of those */
    int *first;     /* rank of each node, after team_arrange */
    int nodes;
};

struct team team_new(int ranks); /* nobody has answered */
void team_free(struct team *team);

/* The next phase's answers are wanted from everybody; one has come; a rank is lost. */
void team_await_answers(struct team *team);
void team_answer(struct team *team, int rank);
void team_lose(struct team *team, int rank);
bool team_all_answered(const struct team *team); /* lost ranks do not count */

/* Everybody has said which node it is on: chain the ranks of each. */
void team_arrange(struct team *team);

enum team_verdict { TEAM_READY, TEAM_TRY_HOST, TEAM_CANNOT };

/* Everybody has tried `backend`; the team is arranged. TEAM_READY: every rank has a device, one of its own
 * where the back end wants that. TEAM_TRY_HOST, when `automatic` and no worker found a GPU, and TEAM_CANNOT
 * come with the reason in `error`. */
enum team_verdict team_judge(const struct team *team, const char *backend, bool automatic,
                             struct error *error);

/* Divide the CPUs: among the ranks of a node whose devices hang on the same NUMA node. With a back end that
 * makes its results up `shares` is 0: it needs none. */
void team_share(struct team *team);

#endif
