#include "coordinator/state/team.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct team team_new(int ranks)
{
    struct team team = {.count = ranks, .present = ranks, .unanswered = ranks};
    team.member = memory_new((size_t)ranks, sizeof *team.member);
    team.first = memory_new((size_t)ranks, sizeof *team.first);
    for (int rank = 0; rank < ranks; rank++) {
        team.member[rank].device = device_unknown();
        team.member[rank].device_row = -1;
    }
    return team;
}

void team_free(struct team *team)
{
    free(team->member);
    free(team->first);
    *team = (struct team){0};
}

/* ---- Answers ---- */

void team_await_answers(struct team *team)
{
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].answered = false;
    team->unanswered = team->present;
}

void team_answer(struct team *team, int rank)
{
    assert(rank >= 0 && rank < team->count);
    struct member *member = &team->member[rank];
    if (!member->answered && !member->lost)
        team->unanswered--;
    member->answered = true;
}

void team_lose(struct team *team, int rank)
{
    struct member *member = &team->member[rank];
    if (member->lost)
        return;
    assert(team->present > 0 && (member->answered || team->unanswered > 0));
    team->present--;
    team->unanswered -= !member->answered;
    member->lost = true;
}

/* ---- Nodes ---- */

/* The ranks of the node of `rank` that are like it by `alike`, itself included. `*before`: those of lower
 * number. */
static int count_alike(const struct team *team, int rank,
                       bool (*alike)(const struct member *, const struct member *), int *before)
{
    int count = *before = 0;
    for (int other = team->member[rank].first_on_node; other >= 0; other = team->member[other].next_on_node)
        if (alike(&team->member[other], &team->member[rank])) {
            count++;
            *before += other < rank;
        }
    return count;
}

static bool same_device(const struct member *a, const struct member *b)
{
    return a->hello == HELLO_OPENED && b->hello == HELLO_OPENED && !strcmp(a->device.uuid, b->device.uuid);
}

static bool same_cpus(const struct member *a, const struct member *b)
{
    return a->device.numa_node == b->device.numa_node && a->home.cpus == b->home.cpus;
}

void team_arrange(struct team *team)
{
    int *last = memory_new((size_t)team->count, sizeof *last); /* of each node so far: 1 + its last rank */
    team->nodes = 0;
    for (int rank = 0; rank < team->count; rank++) {
        struct member *member = &team->member[rank];
        assert(member->home.node >= 0 && member->home.node < team->count);
        int before = last[member->home.node] - 1;
        if (before >= 0)
            team->member[before].next_on_node = rank;
        else
            team->first[team->nodes++] = rank;
        member->first_on_node = before >= 0 ? team->member[before].first_on_node : rank;
        member->next_on_node = -1;
        last[member->home.node] = rank + 1;
    }
    free(last);
}

/* ---- Judging ---- */

/* An error if the node has more ranks than GPUs: then two ranks have opened the same one, or some of them
 * none. */
static int check_node(const struct team *team, int first, struct error *error)
{
    int ranks = 0, devices = 0, before;
    bool own = false;
    for (int rank = first; rank >= 0; rank = team->member[rank].next_on_node) {
        bool opened = team->member[rank].hello == HELLO_OPENED;
        ranks++;
        own |= opened && team->member[rank].traits.owns_device;
        devices += count_alike(team, rank, same_device, &before) > 0 && !before;
    }
    if (devices == ranks || !devices || !own)
        return 0;
    return error_set(
        error, ERROR_ENVIRONMENT,
        "%d ranks on node %s but %d GPU%s: each rank needs its own GPU; start at most one rank per GPU",
        ranks, team->member[first].home.host, devices, devices == 1 ? "" : "s");
}

/* The first rank with this outcome, or -1; `*others`: how many more. */
static int find_hello(const struct team *team, enum hello hello, int *others)
{
    int first = -1;
    *others = 0;
    for (int i = 0; i < team->count; i++) {
        if (team->member[i].hello != hello)
            continue;
        *others += first >= 0;
        first = first < 0 ? i : first;
    }
    return first;
}

enum team_verdict team_judge(const struct team *team, const char *backend, bool automatic,
                             struct error *error)
{
    int others, rank = find_hello(team, HELLO_NO_WORKER, &others);
    char more[48] = "";
    if (rank >= 0) {
        if (others)
            snprintf(more, sizeof more, " (and %d other%s)", others, others == 1 ? "" : "s");
        error_set(error, ERROR_ENVIRONMENT, "rank %d on %s%s has no worker: %s", rank,
                  team->member[rank].home.host, more, team->member[rank].why);
        return TEAM_CANNOT;
    }
    for (int node = 0; node < team->nodes; node++)
        if (check_node(team, team->first[node], error) != 0)
            return TEAM_CANNOT;
    rank = find_hello(team, HELLO_NO_DEVICE, &others);
    if (rank < 0)
        return TEAM_READY;
    error_set(error, ERROR_ENVIRONMENT, "rank %d on %s has no %s device: %s", rank,
              team->member[rank].home.host, backend, team->member[rank].why);
    return automatic ? TEAM_TRY_HOST : TEAM_CANNOT;
}

int team_check_products(const struct team *team, struct error *error)
{
    for (int rank = 1; rank < team->count; rank++) {
        const struct member *first = &team->member[0], *other = &team->member[rank];
        if (!device_same_product(&first->device, &other->device))
            return error_set(
                error, ERROR_ENVIRONMENT,
                "the ranks have different products: rank 0 on %s has %s, %.1f GiB, rank %d on %s has "
                "%s, %.1f GiB; measure each in a run of its own (in Slurm: GPU_TYPE or CONSTRAINT)",
                first->home.host, first->device.name, (double)first->device.memory_bytes / 0x1p30, rank,
                other->home.host, other->device.name, (double)other->device.memory_bytes / 0x1p30);
    }
    return 0;
}

void team_share(struct team *team)
{
    for (int rank = 0; rank < team->count; rank++) {
        struct member *member = &team->member[rank];
        bool none = member->traits.makes_up;
        member->shares = none ? 0 : count_alike(team, rank, same_cpus, &member->share);
        member->share = none ? 0 : member->share;
    }
}
