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
    for (int rank = 0; rank < ranks; rank++)
        team.member[rank].device_row = -1;
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

bool team_all_answered(const struct team *team)
{
    return team->unanswered == 0;
}

/* ---- Nodes ---- */

/* Order by node, then by another key, then by rank. */
static int order(int by_node, int by_other, const struct member *a, const struct member *b)
{
    return by_node ? by_node : by_other ? by_other : (a > b) - (a < b);
}

static int by_node(const struct member *a, const struct member *b)
{
    return (a->node > b->node) - (a->node < b->node);
}

static int compare_nodes(const void *left, const void *right)
{
    const struct member *a = *(struct member *const *)left, *b = *(struct member *const *)right;
    return order(by_node(a, b), 0, a, b);
}

static int compare_devices(const void *left, const void *right)
{
    const struct member *a = *(struct member *const *)left, *b = *(struct member *const *)right;
    return order(by_node(a, b), strcmp(a->device.uuid, b->device.uuid), a, b);
}

static int compare_numa_nodes(const void *left, const void *right)
{
    const struct member *a = *(struct member *const *)left, *b = *(struct member *const *)right;
    int by_numa = (a->device.numa_node > b->device.numa_node) - (a->device.numa_node < b->device.numa_node);
    int by_cpus = (a->cpus > b->cpus) - (a->cpus < b->cpus);
    return order(by_node(a, b), by_numa ? by_numa : by_cpus, a, b);
}

static int compare_ordinals(const void *left, const void *right)
{
    const struct member *a = *(struct member *const *)left, *b = *(struct member *const *)right;
    int by_ordinal = (a->device.ordinal > b->device.ordinal) - (a->device.ordinal < b->device.ordinal);
    return order(by_node(a, b), by_ordinal, a, b);
}

/* The members, sorted. Caller frees. */
static struct member **sorted(const struct team *team, int (*compare)(const void *, const void *))
{
    struct member **member = memory_new((size_t)team->count, sizeof *member);
    for (int i = 0; i < team->count; i++)
        member[i] = &team->member[i];
    qsort(member, (size_t)team->count, sizeof *member, compare);
    return member;
}

static bool same_node(const struct member *a, const struct member *b)
{
    return a->node == b->node;
}

/* Ranks of a node that see only their own devices all have the same ordinal. */
static void find_seats(struct team *team)
{
    struct member **member = sorted(team, compare_ordinals);
    for (int i = 0, end; i < team->count; i = end) {
        bool shared = false;
        for (end = i + 1; end < team->count && same_node(member[i], member[end]); end++)
            shared |= member[end]->device.ordinal >= 0 &&
                      member[end]->device.ordinal == member[end - 1]->device.ordinal;
        for (int k = i; k < end; k++) {
            member[k]->sees_own_only = shared;
            member[k]->seat = shared ? member[k]->local_rank : (int)member[k]->device.ordinal;
        }
    }
    free(member);
}

void team_arrange(struct team *team)
{
    struct member **member = sorted(team, compare_nodes);
    team->nodes = 0;
    for (int i = 0; i < team->count; i++) {
        int rank = (int)(member[i] - team->member);
        if (i && same_node(member[i], member[i - 1]))
            member[i - 1]->next_on_node = rank;
        else
            team->first[team->nodes++] = rank;
        member[i]->first_on_node = team->first[team->nodes - 1];
        member[i]->next_on_node = -1;
    }
    free(member);
    find_seats(team);
}

/* ---- Judging ---- */

/* An error if a node has more ranks than GPUs: then two ranks have opened the same one, or some of them none. `member`: of
 * the node, sorted by device. */
static int check_node(struct member *const *member, int ranks, struct error *error)
{
    int devices = 0;
    bool own = false;
    const char *last = NULL;
    for (int i = 0; i < ranks; i++) {
        if (member[i]->hello != HELLO_OPENED)
            continue;
        own |= member[i]->traits.owns_device;
        devices += !last || strcmp(last, member[i]->device.uuid) != 0;
        last = member[i]->device.uuid;
    }
    if (devices == ranks || !devices || !own)
        return 0;
    return error_set(
        error, ERROR_ENVIRONMENT,
        "%d ranks on node %s but %d GPU%s: each rank needs its own GPU; start at most one rank per GPU",
        ranks, member[0]->host, devices, devices == 1 ? "" : "s");
}

static int check_nodes(const struct team *team, struct error *error)
{
    struct member **member = sorted(team, compare_devices);
    int failed = 0;
    for (int i = 0, ranks; i < team->count && !failed; i += ranks) {
        for (ranks = 1; i + ranks < team->count && same_node(member[i], member[i + ranks]);)
            ranks++;
        failed = check_node(member + i, ranks, error);
    }
    free(member);
    return failed;
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
                  team->member[rank].host, more, team->member[rank].why);
        return TEAM_CANNOT;
    }
    if (check_nodes(team, error) != 0)
        return TEAM_CANNOT;
    rank = find_hello(team, HELLO_NO_DEVICE, &others);
    if (rank < 0)
        return TEAM_READY;
    error_set(error, ERROR_ENVIRONMENT, "rank %d on %s has no %s device: %s", rank, team->member[rank].host,
              backend, team->member[rank].why);
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
                first->host, first->device.name, (double)first->device.memory_bytes / 0x1p30, rank,
                other->host, other->device.name, (double)other->device.memory_bytes / 0x1p30);
    }
    return 0;
}

void team_share(struct team *team)
{
    struct member **member = sorted(team, compare_numa_nodes);
    for (int i = 0, end; i < team->count; i = end) {
        for (end = i + 1; end < team->count && same_node(member[i], member[end]) &&
                          member[i]->device.numa_node == member[end]->device.numa_node &&
                          member[i]->cpus == member[end]->cpus;)
            end++;
        for (int k = i; k < end; k++) {
            bool none = member[k]->traits.makes_up;
            member[k]->share = none ? 0 : k - i;
            member[k]->shares = none ? 0 : end - i;
        }
    }
    free(member);
}
