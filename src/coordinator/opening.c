#include "coordinator/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "coordinator/counters.h"
#include "coordinator/state/identity.h"
#include "kernels/registry.h"
#include "process/cache_folder.h"

static bool asked_for_any(const struct launch_options *options)
{
    return !strcmp(options->backend, "auto");
}

/* A batch job was given GPUs, or should have been: what it measures on is never changed in silence. */
static bool is_batch_job(void)
{
    const char *job = getenv("SLURM_JOB_ID");
    return job && *job;
}

const char *opening_first_backend(const struct launch_options *options)
{
    return asked_for_any(options) ? "cuda" : options->backend;
}

void opening_start(struct opening *opening, struct desk *desk)
{
    *opening = (struct opening){.build = registry_build(),
                                .automatic = asked_for_any(desk->options) && !is_batch_job()};
    snprintf(desk->backend, sizeof desk->backend, "%s", opening_first_backend(desk->options));
}

void opening_take_hello(struct opening *opening, struct desk *desk, int rank, struct wire_reader *payload)
{
    struct member *member = &desk->team.member[rank];
    struct greeting greeting;
    struct error error = {0};
    wire_get_text(payload, member->host, sizeof member->host);
    member->node = (int)wire_get_u32(payload);
    member->local_rank = (int)wire_get_u32(payload);
    member->local_size = (int)wire_get_u32(payload);
    member->hello = (enum hello)wire_get_u32(payload);
    bool greeted = greeting_get(payload, &greeting);
    wire_get_text(payload, member->why, sizeof member->why);
    member->device = greeting.device;
    member->traits = greeting.traits;
    /* The rank has compared its worker with itself; nodes may have different builds. A message that cannot be
     * read to its end is another build's, too. */
    if ((member->hello == HELLO_OPENED || !greeted || payload->bad) &&
        greeting_check(&greeting, &opening->build, &error) != 0) {
        member->hello = HELLO_NO_WORKER;
        snprintf(member->why, sizeof member->why, "%s", error.text);
    }
    trace_say(&desk->trace, "coordinator: rank %d on %s: %s", rank, member->host,
              member->hello == HELLO_OPENED ? member->device.name : member->why);
    team_answer(&desk->team, rank);
}

void opening_take_ready(struct desk *desk, int rank, struct wire_reader *payload)
{
    desk->team.member[rank].sees_cache = wire_get_u32(payload);
    team_answer(&desk->team, rank);
}

/* Everybody starts a worker of another back end. */
static void try_backend(struct opening *opening, struct desk *desk, const char *backend)
{
    opening->automatic = false;
    snprintf(desk->backend, sizeof desk->backend, "%s", backend);
    team_await_answers(&desk->team);
    wire_put_text(desk_write(desk), desk->backend);
    desk_tell_all(desk, MESSAGE_START);
}

static void describe_run(struct opening *opening, struct desk *desk)
{
    struct environment *e = &opening->environment;
    const struct team *team = &desk->team;
    struct text hosts = {0};
    for (int node = 0; node < team->nodes; node++)
        text_add(&hosts, "%s%s", hosts.length ? " " : "", team->member[team->first[node]].host);
    environment_collect(e, desk->options->argc, desk->options->argv);
    environment_add(e, "ranks", "%d", team->count);
    environment_add(e, "nodes", "%d", team->nodes);
    environment_add(e, "hosts", "%s", hosts.data ? hosts.data : "");
    environment_add(e, "backend", "%s", desk->backend);
    environment_add(e, "schedule", "%s", desk->options->static_schedule ? "static" : "dynamic");
    environment_add(e, "seed", "%" PRIu64, desk->agenda.config.seed);
    const struct share *share = &desk->options->share;
    environment_add(e, "share", "%u/%u", share->of ? share->number : 1, share->of ? share->of : 1);
    identity_describe(e, &desk->agenda);
    text_free(&hosts);
}

/* What is counted; what cannot be is told, not left out without a word. */
static int choose_counters(struct opening *opening, struct desk *desk)
{
    char note[160];
    struct config *config = &desk->agenda.config;
    if (counters_choose(&desk->agenda.job, desk->options->counters, desk->backend, &desk->traits, config,
                        note, sizeof note, &desk->error) != 0)
        return -1;
    if (desk->options->remeasure_counters && !config->counter_count)
        return error_set(&desk->error, ERROR_USAGE, "--remeasure counters: this run counts nothing%s%s",
                         note[0] ? ", " : "", note);
    struct text names = {0};
    for (int i = 0; i < config->counter_count; i++)
        text_add(&names, "%s%s", i ? " " : "", config->counter[i]);
    environment_add(&opening->environment, "counters", "%s",
                    note[0]      ? note
                    : names.data ? names.data
                                 : "none");
    text_free(&names);
    const struct launch_live *live = desk->options->live;
    return live ? live->begin(live->context, &desk->agenda.job, config, &desk->error) : 0;
}

/* Leave a file in the cache folder: ranks that see it share the folder with this one. */
static void leave_token(struct opening *opening, struct desk *desk)
{
    char folder[1024];
    struct error unusable;
    opening->token[0] = opening->token_path[0] = '\0';
    if (!desk->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) != 0) {
        progress_say(&desk->progress, "%s", unusable.text);
        return;
    }
    snprintf(opening->token, sizeof opening->token, "token-%s-%ld", desk->team.member[0].host,
             (long)getpid());
    snprintf(opening->token_path, sizeof opening->token_path, "%s/%s", folder, opening->token);
    FILE *file = fopen(opening->token_path, "we");
    if (file)
        fclose(file);
    else
        opening->token[0] = opening->token_path[0] = '\0';
}

/* Whether what this run would add may stand beside what the file has. */
static int compare_with_file(struct opening *opening, struct desk *desk)
{
    struct text told = {0};
    int64_t *run;
    size_t runs = store_ok_runs(desk->agenda.store, &run);
    int failed = identity_check(store_data(desk->agenda.store), run, runs, &opening->environment, &desk->team,
                                desk->options, &told, &desk->error);
    free(run);
    char *rest = NULL;
    for (char *line = told.data ? strtok_r(told.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        progress_say(&desk->progress, "%s", line);
    text_free(&told);
    return failed;
}

/* Open the results file and find out what is left to do. */
static int find_work(struct opening *opening, struct desk *desk)
{
    struct agenda *agenda = &desk->agenda;
    const struct team *team = &desk->team;
    const struct device **devices = memory_new((size_t)team->count, sizeof *devices);
    for (int rank = 0; rank < team->count; rank++)
        devices[rank] = &team->member[rank].device;
    int failed = agenda_open(agenda, &opening->environment, &desk->error);
    if (!failed)
        failed =
            agenda_select(agenda, desk->options, &opening->environment, devices, team->count, &desk->error);
    free(devices);
    if (failed)
        return failed;
    if (store_await_check(agenda->store, &desk->error) != 0)
        return -1;
    /* The static schedule promises the same points on the same ranks, whatever earlier runs took. */
    agenda_recall(agenda, desk->backend, team->member[0].device.name, !desk->options->static_schedule);
    desk->next_process = store_next_process(agenda->store);
    progress_say(&desk->progress,
                 "%zu points to measure (%zu done before, %zu unsupported) on %d rank%s, back end %s: %s",
                 agenda->todo_count, agenda->before, agenda->unsupported, team->count,
                 team->count == 1 ? "" : "s", desk->backend, team->member[0].device.name);
    if (agenda->partial_count)
        progress_say(&desk->progress,
                     "of those done before, %zu lack processes: they are measured by further ones",
                     agenda->partial_count);
    if (agenda->to_count_count)
        progress_say(&desk->progress, "of those done before, %zu lack counters: they are counted",
                     agenda->to_count_count);
    return 0;
}

static void configure(struct opening *opening, struct desk *desk)
{
    leave_token(opening, desk);
    team_share(&desk->team);
    team_await_answers(&desk->team);
    opening->configuring = true;
    for (int rank = 0; rank < desk->team.count; rank++) {
        const struct member *member = &desk->team.member[rank];
        struct wire *out = desk_write(desk);
        wire_put_u32(out, (uint32_t)member->share);
        wire_put_u32(out, (uint32_t)member->shares);
        wire_put_text(out, opening->token);
        wire_put_config(out, &desk->agenda.config);
        desk_tell(desk, rank, MESSAGE_CONFIG);
    }
}

/* Every rank has its device. */
static enum opening_state begin_run(struct opening *opening, struct desk *desk)
{
    desk->traits = desk->team.member[0].traits;
    describe_run(opening, desk);
    if (choose_counters(opening, desk) != 0 || compare_with_file(opening, desk) != 0 ||
        find_work(opening, desk) != 0)
        return OPENING_WAITS;
    if (!desk->agenda.todo_count && !desk->agenda.partial_count && !desk->agenda.to_count_count)
        return OPENING_NOTHING_TO_DO;
    configure(opening, desk);
    return OPENING_WAITS;
}

/* `auto` goes on with the back end of the file. True when everybody has to start again for it. */
static bool follow_file(struct opening *opening, struct desk *desk)
{
    const char *recorded = identity_backend(store_data(desk->agenda.store));
    if (!asked_for_any(desk->options) || !recorded)
        return false;
    opening->automatic = false;
    if (!strcmp(recorded, desk->backend))
        return false;
    try_backend(opening, desk, recorded);
    return true;
}

enum opening_state opening_step(struct opening *opening, struct desk *desk)
{
    struct error error = {0};
    if (!team_all_answered(&desk->team))
        return OPENING_WAITS;
    if (opening->configuring)
        return OPENING_DONE;
    if (!desk->agenda.store) {
        if (agenda_load(&desk->agenda, desk->options, &desk->error) != 0)
            return OPENING_WAITS;
        if (follow_file(opening, desk))
            return OPENING_WAITS;
    }
    team_arrange(&desk->team);
    switch (team_judge(&desk->team, desk->backend, opening->automatic, &error)) {
    case TEAM_READY:
        return begin_run(opening, desk);
    case TEAM_TRY_HOST:
        progress_say(&desk->progress, "no GPU to measure on (%s): measuring on the host", error.text);
        try_backend(opening, desk, "host");
        break;
    case TEAM_CANNOT:
        desk->error = error;
        break;
    }
    return OPENING_WAITS;
}

void opening_end(struct opening *opening)
{
    if (opening->token_path[0])
        unlink(opening->token_path);
    opening->token_path[0] = '\0';
    environment_free(&opening->environment);
}
