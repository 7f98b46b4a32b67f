#include "coordinator/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "family/family.h"
#include "process/folders.h"

/* ---- Devices ---- */

/* What a rank measures first. Ranks of a node that have a device each share only the host link, whose peak
 * follows where a point loads it. */
static enum peaks_part first_part(const struct run *run, int rank)
{
    const struct member *member = run->team.member;
    if (run->traits.makes_up || !run->traits.owns_device)
        return PEAKS_ALL;
    if (!run->plan.loads_link)
        return PEAKS_OWN;
    return member[member[rank].first_on_node].next_on_node < 0 ? PEAKS_ALL : PEAKS_OWN_FIRST;
}

/* Begin what may begin on the node of this rank: what loads something that its ranks share runs alone. */
static void characterise_node(struct run *run, int rank)
{
    struct member *member = run->team.member;
    bool busy = false;
    for (int other = member[rank].first_on_node; other >= 0; other = member[other].next_on_node)
        busy |= member[other].busy && !member[other].lost;
    for (int other = member[rank].first_on_node; other >= 0; other = member[other].next_on_node) {
        enum peaks_part part = member[other].peaks;
        bool alone = !run->traits.makes_up && (part == PEAKS_ALL || part == PEAKS_LINK);
        if (member[other].busy || member[other].answered || member[other].lost || (alone && busy))
            continue;
        busy = member[other].busy = true;
        wire_put_u32(run_begin_message(run), part);
        run_send(run, other, WIRE_CHARACTERISE);
    }
}

void preparing_characterise(struct run *run)
{
    struct team *team = &run->team;
    team_await_answers(team);
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].peaks = first_part(run, rank);
    for (int node = 0; node < team->nodes; node++)
        characterise_node(run, team->first[node]);
}

/* The rank has measured its part, or cannot. */
static void end_part(struct run *run, int rank)
{
    struct member *member = &run->team.member[rank];
    member->busy = false;
    if (member->peaks == PEAKS_OWN_FIRST)
        member->peaks = PEAKS_LINK;
    else
        team_answer(&run->team, rank);
    characterise_node(run, rank);
}

void preparing_take_device(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    if (!member->busy)
        return;
    wire_get_fields(payload, wire_device, &member->device);
    end_part(run, rank);
}

/* ---- Kernels ---- */

/* A point for each distinct kernel of those to measure, for devices like `target`. Returns their number; the
 * caller frees `*kernel`. */
static size_t find_kernels(const struct run_plan *plan, const struct target *target, uint32_t **kernel)
{
    char reason[256];
    size_t count = 0;
    struct keys known = {0};
    *kernel = memory_new(2 * plan->todo_count + 1, sizeof **kernel);
    for (size_t i = 0; i < 2 * plan->todo_count; i++) { /* each, and the second points of pairs */
        uint32_t first = plan->todo[i / 2], index = i % 2 ? grid_second(plan->grid, first) : first;
        if (index == GRID_ALONE)
            continue;
        struct point point = grid_point(plan->grid, index);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        struct setup setup = point_setup(&point, target);
        if (setup_has_code(&setup) && keys_add(&known, family_code_key(&point, target->capability)))
            (*kernel)[count++] = index;
    }
    keys_free(&known);
    return count;
}

/* Send a rank its share of the kernels: ranks of its node with devices of its capability have the others, in
 * the same cache folder. Returns their number. */
static size_t send_share(struct run *run, int rank, const uint32_t *kernel, size_t kernels)
{
    struct member *member = run->team.member;
    size_t place = 0, shares = 0;
    for (int other = member[rank].first_on_node; other >= 0; other = member[other].next_on_node)
        if (!member[other].lost && member[other].device.capability == member[rank].device.capability) {
            place += other < rank;
            shares++;
        }
    assert(shares > 0); /* the rank itself is not lost */
    size_t count = kernels > place ? (kernels - place + shares - 1) / shares : 0;
    if (!count)
        return 0;
    struct wire *out = run_begin_message(run);
    wire_put_u32(out, (uint32_t)count);
    for (size_t i = place; i < kernels; i += shares) {
        struct point point = grid_point(run->plan.grid, kernel[i]);
        wire_put_point(out, &point);
    }
    member[rank].to_compile = count;
    member[rank].busy = true;
    run_send(run, rank, WIRE_COMPILE);
    return count;
}

void preparing_compile(struct run *run)
{
    struct team *team = &run->team;
    struct error unusable;
    uint32_t *kernel = NULL;
    char folder[1024];
    size_t kernels = 0, sent = 0;
    int capability = 0;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(run->plan.store, &team->member[rank].device);
    if (!run->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) != 0) {
        progress_say(&run->progress, "%s", unusable.text);
        return; /* each point compiles its kernel itself */
    }
    team_await_answers(team);
    for (int rank = 0; rank < team->count; rank++) {
        struct target target = target_of_device(&team->member[rank].device);
        if (team->member[rank].lost)
            continue;
        if (!kernel || target.capability != capability) {
            free(kernel);
            kernels = find_kernels(&run->plan, &target, &kernel);
            capability = target.capability;
        }
        size_t share = send_share(run, rank, kernel, kernels);
        sent += share;
        if (!share)
            team_answer(team, rank);
    }
    free(kernel);
    if (sent)
        progress_say(&run->progress, "compiling %zu kernels", sent);
}

static void end_compiling(struct run *run, int rank)
{
    struct member *member = &run->team.member[rank];
    member->to_compile = 0;
    member->busy = false;
    team_answer(&run->team, rank);
    if (!run->team.unanswered && run->kernels_failed)
        progress_say(&run->progress, "%zu kernels did not compile; their points will fail. The first: %s",
                     run->kernels_failed, run->kernel_log);
}

void preparing_take_compiled(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    char log[sizeof run->kernel_log];
    wire_get_u32(payload);
    bool ok = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!member->to_compile)
        return;
    if (!ok && !run->kernels_failed++)
        memcpy(run->kernel_log, log, sizeof log);
    if (!--member->to_compile)
        end_compiling(run, rank);
}

/* ---- Both ---- */

void preparing_take_failure(struct run *run, int rank, const char *why)
{
    const struct member *member = &run->team.member[rank];
    char text[600];
    if (member->busy && !member->to_compile)
        run_note_rank(run, rank, verdict_reason_words[REASON_peaks], why, text);
    if (member->busy)
        progress_say(&run->progress, "rank %d on %s: cannot %s: %s", rank, member->home.host,
                     member->to_compile ? "compile ahead" : "measure the peaks of the device", why);
    preparing_lose(run, rank);
}

void preparing_lose(struct run *run, int rank)
{
    if (!run->team.member[rank].busy)
        return;
    if (run->team.member[rank].to_compile)
        end_compiling(run, rank);
    else
        end_part(run, rank);
}
