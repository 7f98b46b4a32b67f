#include "launch/coordinator/team.h"

#include <string.h>

static bool same_node(const struct member *a, const struct member *b)
{
    return a->node == b->node;
}

/* The first member of its node? Each node is looked at once, through that one. */
static bool is_first(const struct team *team, int index)
{
    for (int i = 0; i < index; i++)
        if (same_node(&team->member[i], &team->member[index]))
            return false;
    return true;
}

/* Whether an earlier member of the node has the same device. */
static bool is_second_user(const struct team *team, int index)
{
    const struct member *member = &team->member[index];
    for (int i = 0; i < index; i++) {
        const struct member *other = &team->member[i];
        if (same_node(member, other) && other->opened && !strcmp(other->device.uuid, member->device.uuid))
            return true;
    }
    return false;
}

/* More ranks than GPUs on a node: then two of them opened the same one, or some of them none while others
 * did. */
static int check_node(const struct team *team, int first, struct error *error)
{
    int ranks = 0, devices = 0;
    for (int i = 0; i < team->count; i++) {
        if (!same_node(&team->member[i], &team->member[first]))
            continue;
        ranks++;
        if (team->member[i].opened && !is_second_user(team, i))
            devices++;
    }
    if (devices == ranks || !devices)
        return 0;
    return error_set(
        error, ERROR_ENVIRONMENT,
        "%d ranks on node %s but %d GPU%s: a rank needs a GPU of its own; start no more ranks on a "
        "node than it has GPUs",
        ranks, team->member[first].host, devices, devices == 1 ? "" : "s");
}

enum verdict team_judge(const struct team *team, const char *backend, bool automatic, struct error *error)
{
    bool cuda = !strcmp(backend, "cuda");
    for (int i = 0; i < team->count && cuda; i++)
        if (is_first(team, i) && check_node(team, i, error) != 0)
            return TEAM_CANNOT;
    for (int i = 0; i < team->count; i++) {
        const struct member *member = &team->member[i];
        if (member->opened)
            continue;
        error_set(error, ERROR_ENVIRONMENT, "rank %d on %s has no %s device: %s", i, member->host, backend,
                  member->why);
        return automatic && cuda ? TEAM_TRY_HOST : TEAM_CANNOT;
    }
    return TEAM_READY;
}

void team_share(struct team *team, const char *backend)
{
    bool fake = !strcmp(backend, "fake");
    for (int i = 0; i < team->count; i++) {
        struct member *member = &team->member[i];
        member->share = member->shares = 0;
        for (int j = 0; j < team->count && !fake; j++) {
            const struct member *other = &team->member[j];
            if (!same_node(member, other) || other->device.numa_node != member->device.numa_node)
                continue;
            member->share += j < i;
            member->shares++;
        }
    }
}

int team_nodes(const struct team *team)
{
    int nodes = 0;
    for (int i = 0; i < team->count; i++)
        nodes += is_first(team, i);
    return nodes;
}

bool team_all_answered(const struct team *team)
{
    for (int i = 0; i < team->count; i++)
        if (!team->member[i].answered && !team->member[i].lost)
            return false;
    return true;
}

int team_present(const struct team *team)
{
    int present = 0;
    for (int i = 0; i < team->count; i++)
        present += !team->member[i].lost;
    return present;
}
