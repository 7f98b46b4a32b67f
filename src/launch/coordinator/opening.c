/* opening.c - the first phase: which devices, which back end, which results file. */
#include "launch/coordinator/coordinator_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "core/greeting.h"
#include "launch/coordinator/counters.h"
#include "process/cache_folder.h"

void opening_take_hello(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct member *member = &c->team.member[rank];
    struct greeting greeting;
    wire_get_text(payload, member->host, sizeof member->host);
    member->node = (int)wire_get_u32(payload);
    member->local_rank = (int)wire_get_u32(payload);
    member->local_size = (int)wire_get_u32(payload);
    member->opened = wire_get_u32(payload);
    greeting_get(payload, &greeting);
    member->device = greeting.device;
    member->traits = greeting.traits;
    wire_get_text(payload, member->why, sizeof member->why);
    member->answered = true;
}

void opening_take_ready(struct coordinator *c, int rank, struct wire_reader *payload)
{
    c->team.member[rank].sees_cache = wire_get_u32(payload);
    c->team.member[rank].answered = true;
}

/* Everybody tries the host back end instead. */
static void try_host(struct coordinator *c, const char *why)
{
    progress_say(&c->progress, "no GPU to measure on (%s): measuring on the host", why);
    snprintf(c->backend, sizeof c->backend, "host");
    coordinator_await_answers(c);
    wire_reset(&c->out);
    wire_put_text(&c->out, c->backend);
    coordinator_tell_all(c, MESSAGE_START);
}

static void describe_run(struct coordinator *c)
{
    struct environment *e = &c->environment;
    struct text hosts = {0};
    for (int rank = 0; rank < c->team.count; rank++) {
        const struct member *member = &c->team.member[rank];
        if (member->local_rank == 0)
            text_add(&hosts, "%s%s", hosts.length ? " " : "", member->host);
    }
    environment_collect(e, c->options->argc, c->options->argv);
    environment_add(e, "ranks", "%d", c->team.count);
    environment_add(e, "nodes", "%d", team_nodes(&c->team));
    environment_add(e, "hosts", "%s", hosts.data ? hosts.data : "");
    environment_add(e, "backend", "%s", c->backend);
    environment_add(e, "schedule", "%s", c->options->static_schedule ? "static" : "dynamic");
    environment_add(e, "seed", "%" PRIu64, c->agenda.config.seed);
    text_free(&hosts);
}

/* What is counted; what cannot be is told, not left out without a word. */
static int choose_counters(struct coordinator *c)
{
    char note[160];
    if (counters_choose(&c->agenda.job, c->options->counters, c->backend, &c->agenda.config, note,
                        sizeof note, &c->error) != 0)
        return -1;
    struct text names = {0};
    for (int i = 0; i < c->agenda.config.counter_count; i++)
        text_add(&names, "%s%s", i ? " " : "", c->agenda.config.counter[i]);
    environment_add(&c->environment, "counters", "%s", note[0] ? note : names.data ? names.data : "none");
    text_free(&names);
    return 0;
}

/* Leave a file in the cache folder: ranks that see it share the folder with this one. */
static void leave_token(struct coordinator *c)
{
    char folder[1024];
    struct error ignored;
    c->token[0] = c->token_path[0] = '\0';
    if (strcmp(c->backend, "cuda") != 0 || cache_folder_make(folder, sizeof folder, &ignored) != 0)
        return;
    snprintf(c->token, sizeof c->token, "token-%s-%ld", c->team.member[0].host, (long)getpid());
    snprintf(c->token_path, sizeof c->token_path, "%s/%s", folder, c->token);
    FILE *file = fopen(c->token_path, "we");
    if (file)
        fclose(file);
    else
        c->token[0] = c->token_path[0] = '\0';
}

/* Open the results file and find out what is left to do. */
static int find_work(struct coordinator *c)
{
    const struct device **devices = memory_new((size_t)c->team.count, sizeof *devices);
    for (int rank = 0; rank < c->team.count; rank++)
        devices[rank] = &c->team.member[rank].device;
    int failed = agenda_open(&c->agenda, c->options, &c->environment, &c->error);
    if (!failed)
        failed = agenda_select(&c->agenda, c->options, devices, c->team.count, &c->error);
    free(devices);
    if (!failed)
        progress_say(&c->progress,
                     "%zu points to measure (%zu done before, %zu unsupported) on %d rank%s, back end %s: %s",
                     c->agenda.todo_count, c->agenda.before, c->agenda.unsupported, c->team.count,
                     c->team.count == 1 ? "" : "s", c->backend, c->team.member[0].device.name);
    return failed;
}

static void start_configuring(struct coordinator *c)
{
    describe_run(c);
    if (choose_counters(c) != 0 || find_work(c) != 0)
        return;
    if (!c->agenda.todo_count) {
        coordinator_end_run(c);
        return;
    }
    team_share(&c->team, c->backend);
    leave_token(c);
    coordinator_await_answers(c);
    c->phase = CONFIGURING;
    for (int rank = 0; rank < c->team.count; rank++) {
        const struct member *member = &c->team.member[rank];
        wire_reset(&c->out);
        wire_put_u32(&c->out, (uint32_t)member->share);
        wire_put_u32(&c->out, (uint32_t)member->shares);
        wire_put_text(&c->out, c->token);
        wire_put_config(&c->out, &c->agenda.config);
        coordinator_tell(c, rank, MESSAGE_CONFIG);
    }
}

void opening_step(struct coordinator *c)
{
    struct error error = {0};
    if (!team_all_answered(&c->team))
        return;
    bool automatic = !strcmp(c->options->backend, "auto");
    switch (team_judge(&c->team, c->backend, automatic, &error)) {
    case TEAM_READY:
        start_configuring(c);
        break;
    case TEAM_TRY_HOST:
        try_host(c, error.text);
        break;
    case TEAM_CANNOT:
        c->error = error;
        break;
    }
}
