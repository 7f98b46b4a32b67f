#include "coordinator/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "coordinator/state/identity.h"
#include "core/metric.h"
#include "kernels/registry.h"
#include "process/cache_folder.h"

static bool is_auto(const struct launch_options *options)
{
    return !strcmp(options->backend, "auto");
}

/* A batch job has requested GPUs: it never falls back to the host silently. */
static bool is_batch_job(void)
{
    const char *job = getenv("SLURM_JOB_ID");
    return job && *job;
}

const char *opening_first_backend(const struct launch_options *options)
{
    return is_auto(options) ? "cuda" : options->backend;
}

void opening_start(struct opening *opening, struct coordinator_context *context)
{
    *opening = (struct opening){.build = registry_build(),
                                .automatic = is_auto(context->options) && !is_batch_job()};
    snprintf(context->backend, sizeof context->backend, "%s", opening_first_backend(context->options));
}

void opening_take_hello(struct opening *opening, struct coordinator_context *context, int rank,
                        struct wire_reader *payload)
{
    struct member *member = &context->team.member[rank];
    struct greeting greeting;
    struct error error = {0};
    wire_get_text(payload, member->host, sizeof member->host);
    member->node = (int)wire_get_u32(payload);
    member->local_rank = (int)wire_get_u32(payload);
    member->local_size = (int)wire_get_u32(payload);
    member->cpus = wire_get_u64(payload);
    member->hello = (enum hello)wire_get_u32(payload);
    bool greeted = greeting_get(payload, &greeting);
    wire_get_text(payload, member->why, sizeof member->why);
    member->device = greeting.device;
    member->traits = greeting.traits;
    /* The rank has compared its worker with its own build, but nodes may have different ones. A truncated message is of
     * another build, too. */
    if ((member->hello == HELLO_OPENED || !greeted || payload->bad) &&
        greeting_check(&greeting, &opening->build, &error) != 0) {
        member->hello = HELLO_NO_WORKER;
        snprintf(member->why, sizeof member->why, "%s", error.text);
    }
    trace_say(&context->trace, "coordinator: rank %d on %s: %s", rank, member->host,
              member->hello == HELLO_OPENED ? member->device.name : member->why);
    team_answer(&context->team, rank);
}

void opening_take_ready(struct coordinator_context *context, int rank, struct wire_reader *payload)
{
    context->team.member[rank].sees_cache = wire_get_u32(payload);
    team_answer(&context->team, rank);
}

/* Let every rank start a worker of another back end. */
static void try_backend(struct opening *opening, struct coordinator_context *context, const char *backend)
{
    opening->automatic = false;
    snprintf(context->backend, sizeof context->backend, "%s", backend);
    team_await_answers(&context->team);
    wire_put_text(context_begin_message(context), context->backend);
    context_send_all(context, MESSAGE_START);
}

static void describe_run(struct opening *opening, struct coordinator_context *context)
{
    struct environment *e = &opening->environment;
    const struct team *team = &context->team;
    struct text hosts = {0};
    for (int node = 0; node < team->nodes; node++)
        text_add(&hosts, "%s%s", hosts.length ? " " : "", team->member[team->first[node]].host);
    environment_collect(e, context->options->argc, context->options->argv);
    environment_add(e, "ranks", "%d", team->count);
    environment_add(e, "nodes", "%d", team->nodes);
    environment_add(e, "hosts", "%s", hosts.data ? hosts.data : "");
    environment_add(e, "backend", "%s", context->backend);
    environment_add(e, "seed", "%" PRIu64, context->plan.config.seed);
    const struct share *share = &context->options->share;
    environment_add(e, "share", "%u/%u", share->of ? share->number : 1, share->of ? share->of : 1);
    identity_describe(e, &context->plan);
    text_free(&hosts);
}

/* Set the counted columns in `config`: those of `set` (from the command line, or NULL), else those of the job. None for a
 * back end without counters; then `note` says so. ERROR_USAGE if there is no such set. */
static int set_counters(const struct coordinator_context *context, struct config *config, char *note,
                        size_t size, struct error *error)
{
    const struct job *job = &context->plan.job;
    const char *set = context->options->counters, *columns[RESULT_COUNTERS_MAX];
    int count = 0;
    note[0] = '\0';
    bool listed = !set && job->counter_count > 0;
    if (listed)
        for (; count < job->counter_count && count < RESULT_COUNTERS_MAX; count++)
            columns[count] = job->counter[count];
    else
        count = metric_set_columns(set ? set : job->counter_set, columns);
    if (count < 0)
        return suggest_unknown(error, "set of counters", set, metric_sets);
    if (count && !context->traits.counts) {
        snprintf(note, size, "the %s back end has no hardware counters: times only", context->backend);
        count = 0;
    }
    config->counter_count = count;
    for (int i = 0; i < count; i++)
        snprintf(config->counter[i], sizeof config->counter[i], "%s", columns[i]);
    return 0;
}

/* Choose the counters. If there are none, /environment says why. */
static int choose_counters(struct opening *opening, struct coordinator_context *context)
{
    char note[160];
    struct config *config = &context->plan.config;
    if (set_counters(context, config, note, sizeof note, &context->error) != 0)
        return -1;
    if (context->options->remeasure_counters && !config->counter_count)
        return error_set(&context->error, ERROR_USAGE, "--remeasure counters: this run has no counters%s%s",
                         note[0] ? ", " : "", note);
    struct text names = {0};
    for (int i = 0; i < config->counter_count; i++)
        text_add(&names, "%s%s", i ? " " : "", config->counter[i]);
    environment_add(&opening->environment, "counters", "%s",
                    note[0]      ? note
                    : names.data ? names.data
                                 : "none");
    text_free(&names);
    environment_add(&opening->environment, "energy", "%s", config->energy ? "yes" : "no");
    return 0;
}

/* Create a file in the cache folder: ranks that see it share the folder with this one. */
static void leave_token(struct opening *opening, struct coordinator_context *context)
{
    char folder[1024];
    struct error unusable;
    opening->token[0] = opening->token_path[0] = '\0';
    if (!context->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) != 0) {
        progress_say(&context->progress, "%s", unusable.text);
        return;
    }
    snprintf(opening->token, sizeof opening->token, "token-%s-%ld", context->team.member[0].host,
             (long)getpid());
    snprintf(opening->token_path, sizeof opening->token_path, "%s/%s", folder, opening->token);
    FILE *file = fopen(opening->token_path, "we");
    if (file)
        fclose(file);
    else
        opening->token[0] = opening->token_path[0] = '\0';
}

/* Whether this run may add to the file. */
static int compare_with_file(struct opening *opening, struct coordinator_context *context)
{
    struct text lines = {0};
    int64_t *run;
    size_t runs = store_ok_runs(context->plan.store, &run);
    int failed = identity_check(store_data(context->plan.store), run, runs, &opening->environment,
                                &context->team, context->options, &lines, &context->error);
    free(run);
    char *rest = NULL;
    for (char *line = lines.data ? strtok_r(lines.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        progress_say(&context->progress, "%s", line);
    text_free(&lines);
    return failed;
}

/* In a paired run: the job's kernels that have no pairs. */
static void say_unpaired(struct coordinator_context *context)
{
    const struct job *job = &context->plan.job;
    for (int i = 0; i < job->sweep_count; i++) {
        const struct space *space = &job->sweeps[i].family->space;
        int64_t value[2];
        if (job_is_first_sweep(job, i) && job_pair_of(&job->pair, space, value) < 0)
            progress_say(&context->progress, "kernel %s %s: it is measured without a pair", space->kernel,
                         job->pair.axis[0] ? "does not have the axis and the values of --pair"
                                           : "is not in both folders of --kernels");
    }
}

/* Open the results file and find out what is left to do. */
static int find_work(struct opening *opening, struct coordinator_context *context)
{
    struct run_plan *plan = &context->plan;
    const struct team *team = &context->team;
    const struct device **devices = memory_new((size_t)team->count, sizeof *devices);
    for (int rank = 0; rank < team->count; rank++)
        devices[rank] = &team->member[rank].device;
    int failed = run_plan_open(plan, &opening->environment, &context->error);
    if (!failed)
        failed = run_plan_select(plan, context->options, &opening->environment, devices, team->count,
                                 &context->error);
    free(devices);
    if (failed)
        return failed;
    context->next_process = store_data(plan->store)->next_process;
    progress_say(&context->progress,
                 "%zu points to measure (%zu done before, %zu unsupported) on %d rank%s, back end %s: %s",
                 plan->todo_count + plan->todo_pairs, plan->before, plan->unsupported, team->count,
                 team->count == 1 ? "" : "s", context->backend, team->member[0].device.name);
    if (plan->todo_pairs)
        progress_say(&context->progress, "%zu pairs are measured together", plan->todo_pairs);
    if (grid_size(plan->grid)->pairs)
        say_unpaired(context);
    if (plan->partial_count)
        progress_say(&context->progress, "of those done before, %zu lack processes, which are added",
                     plan->partial_count);
    if (plan->to_count_count)
        progress_say(&context->progress, "of those done before, %zu lack counters or energy, which are added",
                     plan->to_count_count);
    return 0;
}

static bool has_points_of_several_devices(const struct job *job)
{
    bool has = false;
    for (int i = 0; i < job->sweep_count; i++)
        has |= job->sweeps[i].family->devices != NULL;
    return has;
}

/* Nobody else can guess the name, under which ranks reach each other. */
static void name_handover(const struct coordinator_context *context, char *out, size_t size)
{
    uint64_t random[2];
    out[0] = '\0';
    if (has_points_of_several_devices(&context->plan.job) &&
        getrandom(random, sizeof random, 0) == sizeof random)
        snprintf(out, size, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

static void configure(struct opening *opening, struct coordinator_context *context)
{
    leave_token(opening, context);
    team_share(&context->team);
    team_await_answers(&context->team);
    opening->configuring = true;
    struct config config = context->plan.config;
    config.one_device = !has_points_of_several_devices(&context->plan.job);
    char handover[HANDOVER_NAME_SIZE];
    name_handover(context, handover, sizeof handover);
    for (int rank = 0; rank < context->team.count; rank++) {
        const struct member *member = &context->team.member[rank];
        struct wire *out = context_begin_message(context);
        wire_put_u32(out, (uint32_t)member->share);
        wire_put_u32(out, (uint32_t)member->shares);
        wire_put_text(out, opening->token);
        config.place =
            (struct place){.seat = member->seat, .ranks = member->local_size > 0 ? member->local_size : 1};
        if (member->sees_own_only)
            memcpy(config.place.handover, handover, sizeof handover);
        wire_put_config(out, &config);
        context_send(context, rank, MESSAGE_CONFIG);
    }
}

/* Every rank has opened its device. */
static enum opening_state begin_run(struct opening *opening, struct coordinator_context *context)
{
    context->traits = context->team.member[0].traits;
    describe_run(opening, context);
    if (!context->plan.job.timing.all_devices && team_check_products(&context->team, &context->error) != 0)
        return OPENING_WAITS;
    if (choose_counters(opening, context) != 0 || compare_with_file(opening, context) != 0 ||
        find_work(opening, context) != 0)
        return OPENING_WAITS;
    if (!context->plan.todo_count && !context->plan.partial_count && !context->plan.to_count_count)
        return OPENING_NOTHING_TO_DO;
    configure(opening, context);
    return OPENING_WAITS;
}

/* With `auto` a resumed run uses the back end of the file. True if all ranks must restart for that. */
static bool follow_file(struct opening *opening, struct coordinator_context *context)
{
    const char *recorded = identity_backend(store_data(context->plan.store));
    if (!is_auto(context->options) || !recorded)
        return false;
    opening->automatic = false;
    if (!strcmp(recorded, context->backend))
        return false;
    try_backend(opening, context, recorded);
    return true;
}

enum opening_state opening_step(struct opening *opening, struct coordinator_context *context)
{
    struct error error = {0};
    if (!team_all_answered(&context->team))
        return OPENING_WAITS;
    if (opening->configuring)
        return OPENING_DONE;
    if (!context->plan.store) {
        if (run_plan_load(&context->plan, context->options, &context->error) != 0)
            return OPENING_WAITS;
        if (follow_file(opening, context))
            return OPENING_WAITS;
    }
    team_arrange(&context->team);
    switch (team_judge(&context->team, context->backend, opening->automatic, &error)) {
    case TEAM_READY:
        return begin_run(opening, context);
    case TEAM_TRY_HOST:
        progress_say(&context->progress, "no GPU found (%s): measuring on the host", error.text);
        try_backend(opening, context, "host");
        break;
    case TEAM_CANNOT:
        context->error = error;
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
