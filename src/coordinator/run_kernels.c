/* run_kernels.c - kernels are compiled ahead of the devices, and points whose kernels are ready are measured
 * meanwhile. */
#include "coordinator/run_kernels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "coordinator/run_state.h"
#include "family/family.h"
#include "process/folders.h"

/* Points that wait in the schedule while there are kernels to compile: enough for batches of all ranks. With
 * fewer, a kernel that is ready late would not come before points that are behind it in the order of work. */
#define QUEUED_PER_RANK 64

/* When a point comes: as soon as its kernel is ready; when everything is compiled, if it wants the host's
 * processors to itself; after all processes of the others, if it slows down what comes after it. */
enum tier { TIER_READY, TIER_COMPILED, TIER_LAST, TIERS };

/* A point of the plan. */
struct kernels_point {
    /* Kernels that some rank has not answered: of each capability, and of both points of a pair. */
    uint32_t lacks;
    enum tier tier;
    bool queued;
};

/* A distinct kernel of one capability. */
struct kernel {
    uint32_t point;    /* into the grid: one that has it */
    uint32_t awaited;  /* ranks that have not answered: one of each node that has such a device */
    uint32_t *waiting; /* owned: places in the plan */
    size_t count, capacity;
};

struct kernels {
    /* Owned, with all arrays: of the plan's `todo`, and behind them the canaries. */
    struct kernels_point *point;
    struct kernel *kernel;
    uint32_t **sent;        /* per rank: the kernels of its request, by index; NO_KERNEL: answered */
    size_t *sent_count;     /* per rank; 0: it compiles nothing */
    size_t count, capacity; /* of kernels */
    size_t unanswered;      /* requests for a kernel */
    size_t unqueued, first; /* points; the first of them */
    size_t held;            /* points of the last tier that are not queued */
    bool news;              /* a kernel has become ready since points were last queued */
    size_t failed;          /* kernels */
    char log[1024];         /* of the first of them */
};

enum { NO_KERNEL = UINT32_MAX };

static enum tier tier_of(const struct run *run, uint32_t index)
{
    struct point point = grid_point(run->plan.grid, index);
    if (point_slows(&point))
        return TIER_LAST;
    return family_of(&point)->node_exclusive ? TIER_COMPILED : TIER_READY;
}

/* ---- Which kernels there are ---- */

static void await(struct kernels *kernels, uint32_t number, uint32_t place)
{
    struct kernel *kernel = &kernels->kernel[number];
    if (kernel->count && kernel->waiting[kernel->count - 1] == place)
        return; /* both points of a pair have it */
    kernel->waiting = memory_grow(kernel->waiting, kernel->count, &kernel->capacity, sizeof *kernel->waiting);
    kernel->waiting[kernel->count++] = place;
    kernels->point[place].lacks++;
}

/* Let point `index`, which belongs to place `place` of the plan, wait for its kernel. `known` has the numbers
 * from `base` on. */
static void add_point(struct run *run, uint32_t index, uint32_t place, const struct target *target,
                      struct keys *known, size_t base)
{
    struct kernels *kernels = run->kernels;
    char reason[256];
    struct point point = grid_point(run->plan.grid, index);
    if (family_skip(&point, target, reason, sizeof reason))
        return;
    struct setup setup = point_setup(&point, target);
    if (!setup_has_code(&setup))
        return;
    uint32_t *number = keys_number(known, family_code_key(&point, target->capability));
    if (!*number) {
        kernels->kernel =
            memory_grow(kernels->kernel, kernels->count, &kernels->capacity, sizeof *kernels->kernel);
        kernels->kernel[kernels->count++] = (struct kernel){.point = index};
        *number = (uint32_t)(kernels->count - base);
    }
    await(kernels, (uint32_t)base + *number - 1, place);
}

/* Add the kernels of all points to measure, for devices like `target`, in the order in which points need
 * them. */
static void find_kernels(struct run *run, const struct target *target)
{
    const struct run_plan *plan = &run->plan;
    const struct canaries *canaries = &run->canaries;
    struct keys known = {0};
    size_t base = run->kernels->count;
    int c = 0;
    for (enum tier tier = 0; tier < TIERS; tier++)
        for (size_t i = 0; i < plan->todo_count; i++) {
            uint32_t second = grid_second(plan->grid, plan->todo[i]);
            if (run->kernels->point[i].tier != tier)
                continue;
            add_point(run, plan->todo[i], (uint32_t)i, target, &known, base);
            if (second != GRID_ALONE)
                add_point(run, second, (uint32_t)i, target, &known, base);
            for (; c < canaries->count && run->kernels->count > base; c++) /* behind the first kernel */
                add_point(run, canaries->index[c], (uint32_t)(plan->todo_count + (size_t)c), target, &known,
                          base);
        }
    keys_free(&known);
}

/* ---- Requests and answers ---- */

/* Send a rank its share of kernels [base, count): ranks of its node with devices of its capability have the
 * others, in the same cache folder. */
static void send_share(struct run *run, int rank, size_t base)
{
    struct kernels *kernels = run->kernels;
    const struct member *member = run->team.member;
    size_t place = 0, shares = 0, count = 0;
    for (int other = member[rank].first_on_node; other >= 0; other = member[other].next_on_node)
        if (!member[other].lost && member[other].device.capability == member[rank].device.capability) {
            place += other < rank;
            shares++;
        }
    assert(shares > 0); /* the rank itself is not lost */
    size_t all = kernels->count - base, own = all > place ? (all - place + shares - 1) / shares : 0;
    if (!own)
        return;
    struct wire *out = run_begin_message(run);
    wire_put_u32(out, (uint32_t)own);
    kernels->sent[rank] = memory_new(own, sizeof **kernels->sent);
    for (size_t i = base + place; i < kernels->count; i += shares) {
        struct point point = grid_point(run->plan.grid, kernels->kernel[i].point);
        wire_put_point(out, &point);
        kernels->kernel[i].awaited++;
        kernels->sent[rank][count++] = (uint32_t)i;
    }
    kernels->sent_count[rank] = own;
    kernels->unanswered += own;
    run_send(run, rank, WIRE_COMPILE);
}

/* Returns the number of distinct kernels. */
static size_t request_all(struct run *run)
{
    const struct team *team = &run->team;
    size_t base = 0;
    int capability = 0;
    for (int rank = 0; rank < team->count; rank++) {
        struct target target = target_of_device(&team->member[rank].device);
        if (team->member[rank].lost)
            continue;
        if (!capability || target.capability != capability) {
            base = run->kernels->count;
            find_kernels(run, &target);
            capability = target.capability;
        }
        send_share(run, rank, base);
    }
    return run->kernels->count;
}

void kernels_start(struct run *run)
{
    struct error unusable;
    char folder[1024];
    const size_t points = run->plan.todo_count;
    struct kernels *kernels = run->kernels = memory_new(1, sizeof *kernels);
    kernels->point = memory_new(points + CANARIES_MAX, sizeof *kernels->point);
    kernels->sent = memory_new((size_t)run->team.count, sizeof *kernels->sent);
    kernels->sent_count = memory_new((size_t)run->team.count, sizeof *kernels->sent_count);
    kernels->unqueued = points;
    for (size_t i = 0; i < points; i++) {
        kernels->point[i].tier = tier_of(run, run->plan.todo[i]);
        kernels->held += kernels->point[i].tier == TIER_LAST;
    }
    if (!run->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) != 0)
        progress_say(&run->progress, "%s", unusable.text); /* each point compiles its kernel itself */
    else if (request_all(run))
        progress_say(&run->progress, "compiling %zu kernels", kernels->count);
}

static void answer(struct run *run, int rank, size_t index)
{
    struct kernels *kernels = run->kernels;
    uint32_t number = kernels->sent[rank][index];
    if (number == NO_KERNEL)
        return;
    struct kernel *kernel = &kernels->kernel[number];
    kernels->sent[rank][index] = NO_KERNEL;
    kernels->unanswered--;
    if (--kernel->awaited)
        return;
    for (size_t i = 0; i < kernel->count; i++)
        kernels->point[kernel->waiting[i]].lacks--;
    kernels->news = true;
}

void kernels_lose(struct run *run, int rank)
{
    for (size_t i = 0; run->kernels && i < run->kernels->sent_count[rank]; i++)
        answer(run, rank, i);
}

void kernels_take(struct run *run, int rank, struct wire_reader *payload)
{
    struct kernels *kernels = run->kernels;
    char log[sizeof kernels->log];
    uint32_t index = wire_get_u32(payload);
    bool ok = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!kernels)
        return;
    if (index == WIRE_COMPILED_REST) {
        progress_say(&run->progress, "rank %d on %s: cannot compile ahead: %s", rank,
                     run->team.member[rank].home.host, log);
        kernels_lose(run, rank);
        return;
    }
    if (index >= kernels->sent_count[rank])
        return;
    if (!ok && !kernels->failed++)
        memcpy(kernels->log, log, sizeof log);
    answer(run, rank, index);
    if (!kernels->unanswered && kernels->failed)
        progress_say(&run->progress, "%zu kernels did not compile; their points will fail. The first: %s",
                     kernels->failed, kernels->log);
}

/* ---- Points that are ready ---- */

bool kernels_have_canaries(const struct run *run)
{
    for (int c = 0; c < run->canaries.count; c++)
        if (run->kernels->point[run->plan.todo_count + (size_t)c].lacks)
            return false;
    return true;
}

static void queue_point(struct run *run, size_t place)
{
    struct kernels *kernels = run->kernels;
    kernels->point[place].queued = true;
    kernels->unqueued--;
    kernels->held -= kernels->point[place].tier == TIER_LAST;
    schedule_add(run->schedule, run->plan.todo[place]);
}

void kernels_queue(struct run *run)
{
    struct kernels *kernels = run->kernels;
    const size_t points = run->plan.todo_count, full = QUEUED_PER_RANK * (size_t)run->team.count;
    const bool all = !kernels->unanswered;
    const enum tier latest = run->last ? TIER_LAST : TIER_COMPILED;
    size_t queued = schedule_waiting(run->schedule) - kernels->unqueued;
    if (run->stopping || !kernels->unqueued || (!all && (!kernels->news || queued >= full / 2)))
        return;
    kernels->news = false;
    for (enum tier tier = TIER_READY; tier <= (all ? latest : TIER_READY); tier++)
        for (size_t i = kernels->first; i < points && !kernels->news; i++) {
            const struct kernels_point *point = &kernels->point[i];
            if (point->queued || point->lacks || point->tier != tier)
                continue;
            kernels->news = !all && queued++ >= full; /* some that are ready are left */
            if (!kernels->news)
                queue_point(run, i);
        }
    while (kernels->first < points && kernels->point[kernels->first].queued)
        kernels->first++;
    schedule_expect(run->schedule, kernels->unqueued);
}

size_t kernels_held(const struct run *run)
{
    return run->last ? 0 : run->kernels->held;
}

void kernels_end(struct run *run)
{
    struct kernels *kernels = run->kernels;
    if (!kernels)
        return;
    for (size_t i = 0; i < kernels->count; i++)
        free(kernels->kernel[i].waiting);
    for (int rank = 0; rank < run->team.count; rank++)
        free(kernels->sent[rank]);
    free(kernels->kernel);
    free(kernels->sent);
    free(kernels->sent_count);
    free(kernels->point);
    free(kernels);
    run->kernels = NULL;
}
