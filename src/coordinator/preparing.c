#include "coordinator/preparing.h"

#include "coordinator/run_state.h"
#include "verdict/verdict.h"

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
    run_hide_device(run, rank);
    end_part(run, rank);
}

void preparing_take_failure(struct run *run, int rank, const char *why)
{
    const struct member *member = &run->team.member[rank];
    char text[600];
    if (!member->busy)
        return;
    run_note_rank(run, rank, verdict_reason_words[REASON_peaks], why, text);
    progress_say(&run->progress, "rank %d on %s: cannot measure the peaks of the device: %s", rank,
                 member->home.host, why);
    end_part(run, rank);
}

void preparing_lose(struct run *run, int rank)
{
    if (run->team.member[rank].busy)
        end_part(run, rank);
}
