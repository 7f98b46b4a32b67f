/* team.h - the ranks of a run as the coordinator knows them, and what follows from what they said of
 * themselves. Pure: no MPI. */
#ifndef LAUNCH_COORDINATOR_TEAM_H
#define LAUNCH_COORDINATOR_TEAM_H

#include <stdbool.h>

#include "base/error.h"
#include "core/device.h"
#include "core/traits.h"
#include "launch/message.h"
#include "launch/coordinator/schedule.h"

struct member {
    char host[DEVICE_TEXT_SIZE];
    int node; /* the same number for ranks of one node */
    int local_rank, local_size;
    struct device device;
    struct traits traits; /* of its back end */
    bool opened;          /* its worker has the device */
    char why[512];        /* when it has not */

    int share, shares; /* of the CPUs near its device: number `share` of `shares` */
    bool sees_cache;   /* its cache folder is the coordinator's */

    bool answered; /* in the phase that is going on */
    bool lost;
    bool busy;      /* has a request that is not answered */
    int device_row; /* in /devices */
    struct schedule_item batch[MESSAGE_BATCH_MOST];
    int batch_count, batch_done;
};

struct team {
    struct member *member;
    int count;
};

enum verdict { TEAM_READY, TEAM_TRY_HOST, TEAM_CANNOT };

/* Everybody has tried `backend`. TEAM_READY: every rank has a device of its own. TEAM_TRY_HOST, when
 * `automatic` and nobody found a GPU, and TEAM_CANNOT come with the reason in `error`. */
enum verdict team_judge(const struct team *team, const char *backend, bool automatic, struct error *error);

/* Divide the CPUs: among the ranks of a node whose devices hang on the same NUMA node. With the fake back end
 * `shares` is 0: it needs none. */
void team_share(struct team *team, const char *backend);

int team_nodes(const struct team *team);
bool team_all_answered(const struct team *team); /* lost ranks do not count */
int team_present(const struct team *team);       /* ranks that are not lost */

#endif
