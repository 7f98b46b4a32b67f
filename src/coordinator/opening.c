#include "coordinator/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/key_set.h"
#include "base/text.h"
#include "coordinator/coordinator.h"
#include "coordinator/run_state.h"
#include "core/metric.h"
#include "family/family.h"
#include "kernels/registry.h"
#include "store/dataset/hiding.h"
#include "store/merge/store_merge.h"

#define HOST_SECONDS 600.0 /* that a job may take on a host whose user expects a GPU */

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

const char *coordinator_first_backend(const struct launch_options *options)
{
    return is_auto(options) ? "cuda" : options->backend;
}

void opening_start(struct run *run)
{
    run->opening =
        (struct opening){.build = registry_build(), .automatic = is_auto(run->options) && !is_batch_job()};
    snprintf(run->backend, sizeof run->backend, "%s", coordinator_first_backend(run->options));
}

/* A rank of another build may have sent anything. */
void opening_take_home(struct run *run, int rank, struct wire_reader *payload)
{
    struct home *home = &run->team.member[rank].home;
    wire_get_fields(payload, wire_home, home);
    home->node = home->node >= 0 && home->node < run->team.count ? home->node : 0;
}

/* ---- What the workers have loaded: the same on all ranks and in all runs of a file ---- */

static void differ(void *found, const struct compared *what, const char *there, const char *now)
{
    text_add(found, "%s%s is '%.80s', not '%.80s'", ((struct text *)found)->length ? "; " : "", what->what,
             now, there);
}

static void compare_loaded(const struct store_pair *there, int count, const struct accepted *accepted,
                           const void *lines, size_t size, const struct privacy *privacy,
                           struct environment *now, struct text *found)
{
    environment_read(now, lines, size);
    now->count = hiding_pairs(privacy, now->pair, now->count);
    compatibility_compare(there, count, now->pair, now->count, accepted, differ, found);
}

/* False, with the reason: another rank has loaded something else. */
static bool fits_others(struct run *run, const struct greeting *greeting, char *why, size_t size)
{
    struct opening *o = &run->opening;
    struct environment now = {0};
    struct text found = {0};
    uint64_t hash = hash_bytes(HASH_START, greeting->closure, greeting->closure_size);
    if (hash == o->loaded_hash)
        return true;
    compare_loaded(o->loaded.pair, o->loaded.count, &(struct accepted){0}, greeting->closure,
                   greeting->closure_size, &(struct privacy){0}, &now, &found);
    if (found.length)
        snprintf(why, size, "it would not measure what another rank measures: %s", found.data);
    else
        environment_read(&o->loaded, greeting->closure, greeting->closure_size);
    bool fits = !found.length;
    o->loaded_hash = hash;
    environment_free(&now);
    text_free(&found);
    return fits;
}

void opening_take_loaded(struct run *run, int rank, const struct wire_reader *payload)
{
    const struct dataset *file = store_data(run->plan.store);
    const struct accepted *accepted = &run->options->accepted;
    struct environment now = {0};
    struct text found = {0};
    compare_loaded(file->environment, file->environment_count, accepted, payload->data, payload->length,
                   &run->privacy, &now, &found);
    if (found.length)
        error_set(&run->error, ERROR_ENVIRONMENT,
                  "rank %d on %s has loaded something else than this file was measured with: %s. What was "
                  "measured before stays; restore it and use --resume, or write another file",
                  rank, run->team.member[rank].home.host, found.data);
    for (int i = 0; i < now.count && !found.length; i++) {
        const char *there = dataset_environment(file, now.pair[i].name);
        if (!there || (accepted_has(accepted, now.pair[i].name) && strcmp(there, now.pair[i].value) != 0))
            run_note(run, now.pair[i].name, now.pair[i].value);
    }
    environment_free(&now);
    text_free(&found);
}

void opening_take_hello(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    struct greeting greeting;
    struct error error = {0};
    char why[sizeof member->why];
    greeting_get(payload, &greeting);
    /* The rank has compared its worker with its own build, but nodes may have different ones. */
    if (greeting_check(&greeting, &run->opening.build, &error) != 0) {
        opening_take_failure(run, rank, HELLO_NO_WORKER, error.text);
        return;
    }
    if (!fits_others(run, &greeting, why, sizeof why)) {
        opening_take_failure(run, rank, HELLO_NO_WORKER, why);
        return;
    }
    member->hello = HELLO_OPENED;
    member->device = greeting.device;
    member->traits = greeting.traits;
    trace_say(&run->trace, "coordinator: rank %d on %s: %s", rank, member->home.host, member->device.name);
    team_answer(&run->team, rank);
}

void opening_take_failure(struct run *run, int rank, enum hello hello, const char *why)
{
    struct member *member = &run->team.member[rank];
    member->hello = hello;
    snprintf(member->why, sizeof member->why, "%s", why);
    trace_say(&run->trace, "coordinator: rank %d on %s: %s", rank, member->home.host, why);
    team_answer(&run->team, rank);
}

/* Let every rank start a worker of another back end. */
static void try_backend(struct run *run, const char *backend)
{
    run->opening.automatic = false;
    snprintf(run->backend, sizeof run->backend, "%s", backend);
    environment_free(&run->opening.loaded);
    run->opening.loaded_hash = 0;
    team_await_answers(&run->team);
    wire_put_text(run_begin_message(run), run->backend);
    run_send_all(run, WIRE_START);
}

/* What the file calls the node of the rank and the next ones; NULL: it has none of their devices. */
static const char *find_host(const struct run *run, int rank)
{
    const char *shown = NULL;
    for (; rank >= 0 && !shown; rank = run->team.member[rank].next_on_node)
        shown = hiding_host(&run->privacy, store_data(run->plan.store), run->team.member[rank].device);
    return shown;
}

/* What the file does not say: an anonymous one stays so. */
static int choose_privacy(struct run *run)
{
    const struct dataset *file = store_data(run->plan.store);
    const struct launch_options *options = run->options;
    const struct team *team = &run->team;
    struct privacy *privacy = &run->privacy;
    bool done = hiding_is_done(file);
    if (options->anonymous && file->results.rows && !done)
        return error_set(
            &run->error, ERROR_USAGE,
            "--anonymous: %s is not anonymous; warpsweep merge --anonymous %s -o FILE.h5 makes it so",
            options->output_path, options->output_path);
    privacy_free(privacy);
    *privacy = privacy_of_user(options->anonymous || done);
    if (!privacy->anonymous)
        return 0;
    for (int node = 0; node < team->nodes; node++)
        privacy_add_host(privacy, team->member[team->first[node]].home.host,
                         find_host(run, team->first[node]));
    for (int rank = 0; rank < team->count; rank++) { /* containers of one node may have names of their own */
        privacy_add_host(privacy, team->member[rank].home.host, NULL);
        privacy_add_host(privacy, team->member[rank].device.host, NULL);
    }
    hiding_learn(privacy, file);
    privacy_number_hosts(privacy);
    run_plan_hide_paths(&run->plan, options, privacy);
    return 0;
}

static void describe_run(struct run *run)
{
    struct environment *e = &run->opening.environment;
    const struct team *team = &run->team;
    struct text hosts = {0}, vendor = {0}, accepted = {0};
    for (int node = 0; node < team->nodes; node++)
        text_add(&hosts, "%s%s", hosts.length ? " " : "", team->member[team->first[node]].home.host);
    environment_collect(e, run->options->argc, run->options->argv, run->options->output_path);
    environment_add(e, "title", "%s", run->plan.job.title);
    environment_add(e, "ranks", "%d", team->count);
    environment_add(e, "nodes", "%d", team->nodes);
    environment_add(e, "hosts", "%s", hosts.data ? hosts.data : "");
    environment_add(e, "backend", "%s", run->backend);
    environment_add(e, "seed", "%" PRIu64, run->plan.config.seed);
    const struct share *share = &run->options->share;
    environment_add(e, "share", "%u/%u", share->of ? share->number : 1, share->of ? share->of : 1);
    for (const char *const *word = vendor_words; *word; word++)
        text_add(&vendor, "%s%s", vendor.length ? "," : "", *word);
    environment_add(e, "vendor", "%s", vendor.data);
    identity_describe(e, &run->plan);
    for (int i = 0; i < run->opening.loaded.count; i++)
        environment_add(e, run->opening.loaded.pair[i].name, "%s", run->opening.loaded.pair[i].value);
    accepted_describe(&run->options->accepted, &accepted);
    if (accepted.length)
        environment_add(e, "accepted", "%s", accepted.data);
    if (run->privacy.anonymous)
        environment_add(e, ENVIRONMENT_ANONYMOUS, "yes");
    e->count = hiding_pairs(&run->privacy, e->pair, e->count);
    for (int rank = 0; rank < team->count; rank++)
        run_hide_device(run, rank);
    text_free(&accepted);
    text_free(&vendor);
    text_free(&hosts);
}

/* Choose the counters: the set of the command line, else those of the job. If there are none, /environment
 * says why. */
static int choose_counters(struct run *run)
{
    const struct job *job = &run->plan.job;
    struct config *config = &run->plan.config;
    const char *set = run->options->counters, *columns[RESULT_COUNTERS_MAX];
    char note[160] = "";
    int count = 0;
    struct text names = {0};
    if (!set && job->counter_count > 0)
        for (; count < job->counter_count && count < RESULT_COUNTERS_MAX; count++)
            columns[count] = job->counter[count];
    else
        count = metric_set_columns(set ? set : job->counter_set, columns);
    if (count < 0)
        return suggest_unknown(&run->error, "set of counters", set, metric_sets);
    if (count && !run->traits.counts) {
        snprintf(note, sizeof note, "the %s back end has no hardware counters: times only", run->backend);
        count = 0;
    }
    if (run->options->remeasure_counters && !count)
        return error_set(&run->error, ERROR_USAGE, "--remeasure counters: this run has no counters%s%s",
                         note[0] ? ", " : "", note);
    config->counter_count = count;
    for (int i = 0; i < count; i++) {
        snprintf(config->counter[i], sizeof config->counter[i], "%s", columns[i]);
        text_add(&names, "%s%s", i ? " " : "", config->counter[i]);
    }
    if (!count)
        text_add(&names, "%s", note[0] ? note : "none");
    environment_add(&run->opening.environment, "counters", "%s", names.data);
    text_free(&names);
    environment_add(&run->opening.environment, "energy", "%s", config->energy ? "yes" : "no");
    return 0;
}

/* Whether this run may add to the file. */
static int compare_with_file(struct run *run)
{
    struct text lines = {0};
    int failed = identity_check(store_data(run->plan.store), &run->opening.environment, &run->team,
                                run->options, &lines, &run->error);
    for (char *rest = lines.data, *line; (line = strsep(&rest, "\n"));)
        if (*line)
            progress_say(&run->progress, "%s", line);
    text_free(&lines);
    return failed;
}

/* In a paired run: the job's kernels that have no pairs. */
static void say_unpaired(struct run *run)
{
    const struct job *job = &run->plan.job;
    for (int i = 0; i < job->sweep_count; i++) {
        const struct space *space = &job->sweeps[i].family->space;
        int64_t value[2];
        if (job_is_first_sweep(job, i) && job_pair_of(&job->pair, space, value) < 0)
            progress_say(&run->progress, "kernel %s %s: it is measured without a pair", space->kernel,
                         job->pair.axis[0] ? "does not have the axis and the values of --pair"
                                           : "is not in both folders of --kernels");
    }
}

/* Why nothing can be measured, if that is so. */
static void say_unsupported(struct run *run)
{
    const struct run_plan *plan = &run->plan;
    const struct target target = target_of_device(&run->team.member[0].device);
    char text[256];
    if (!grid_count(plan->grid) || plan->unsupported < grid_count(plan->grid))
        return;
    struct point first = grid_point(plan->grid, 0);
    const char *reason = family_skip(&first, &target, text, sizeof text);
    if (reason)
        progress_say(&run->progress, "nothing can be measured here, for example because %s", reason);
}

/* How long the points take that nothing is known of, with the kernels of the first device. Of points that
 * load the links of a node one is measured at a time, of others one by each rank. */
static void say_forecast(struct run *run)
{
    const struct run_plan *plan = &run->plan;
    const int64_t capability = run->team.member[0].device.capability;
    struct expected alone = {0}, expected = {0};
    struct keys seen = {0};
    size_t kernels = 0;
    char text[64];
    if (run->traits.makes_up || !run->traits.owns_device || !plan->todo_count)
        return;
    for (size_t i = 0; i < plan->todo_count; i++) {
        const uint32_t both[] = {plan->todo[i], grid_second(plan->grid, plan->todo[i])};
        for (int p = 0; p < 2 && both[p] != GRID_ALONE; p++) {
            struct point point = grid_point(plan->grid, both[p]);
            expected_add(family_of(&point)->node_exclusive ? &alone : &expected, &point,
                         &plan->config.timing);
            kernels += keys_add(&seen, family_code_key(&point, (int)capability));
        }
    }
    keys_free(&seen);
    expected_divide(&alone, run->team.nodes);
    expected_divide(&expected, run->team.count);
    expected_add_all(&expected, &alone);
    text_format_seconds(expected_run(&expected, &plan->config.timing, kernels / (size_t)run->team.nodes,
                                     plan->config.counter_count, plan->config.energy),
                        text, sizeof text);
    progress_say(&run->progress, "they are expected to take %s (estimate)", text);
}

/* Open the results file and find out what is left to do. */
static int find_work(struct run *run)
{
    struct run_plan *plan = &run->plan;
    const struct team *team = &run->team;
    size_t too_long = 0;
    struct frame sources = run->options->no_sources ? frame_new() : sources_collect(&plan->job, &too_long);
    if (too_long)
        progress_say(&run->progress,
                     "the sources of the kernels are not stored: %.3g MiB, and the limit is %d MiB",
                     (double)too_long / 0x1p20, SOURCES_MAX >> 20);
    int failed = run_plan_open(plan, &run->opening.environment, &sources, &run->privacy, &run->error);
    frame_free(&sources);
    if (failed || run_plan_select(plan, run->options, &run->opening.environment, team, &run->error) != 0)
        return -1;
    run->next_process = store_data(plan->store)->next_process;
    progress_say(&run->progress,
                 "%zu point%s to measure (%zu done before, %zu unsupported) on %d rank%s, back end %s: %s",
                 plan->todo_count + plan->todo_pairs, plan->todo_count + plan->todo_pairs == 1 ? "" : "s",
                 plan->before, plan->unsupported, team->count, team->count == 1 ? "" : "s", run->backend,
                 team->member[0].device.name);
    say_unsupported(run);
    say_forecast(run);
    if (plan->others)
        progress_say(&run->progress,
                     "%s also has %zu points that %s%s does not have: they stay, and commands show them too",
                     run->options->output_path, plan->others,
                     run->options->share.of > 1 ? "this share of " : "", plan->job.path);
    if (plan->todo_pairs)
        progress_say(&run->progress, "measured in pairs: %zu", plan->todo_pairs);
    if (grid_size(plan->grid)->pairs)
        say_unpaired(run);
    if (plan->partial_count)
        progress_say(&run->progress, "of those done before, %zu lack processes, which are added",
                     plan->partial_count);
    if (plan->to_count_count)
        progress_say(&run->progress, "of those done before, %zu lack counters or energy, which are added",
                     plan->to_count_count);
    return 0;
}

static void configure(struct run *run)
{
    team_share(&run->team);
    struct config config = run->plan.config;
    for (int rank = 0; rank < run->team.count; rank++) {
        config.share = run->team.member[rank].share;
        config.shares = run->team.member[rank].shares;
        wire_put_fields(run_begin_message(run), wire_config, &config);
        run_send(run, rank, WIRE_CONFIG);
    }
}

/* Whether every kernel of the job has a size, which may be set for all. */
static bool has_sizes(const struct job *job)
{
    bool all = true;
    for (int i = 0; i < job->sweep_count; i++)
        all &= space_axis(&job->sweeps[i].family->space, "size") >= 0;
    return all;
}

/* The host is no replacement for the GPU that a long job was written for: it gets such a job only on request.
 */
static int check_host(struct run *run)
{
    const struct run_plan *plan = &run->plan;
    const struct target target = target_of_device(&run->team.member[0].device);
    const double limit = run->options->time_limit;
    const bool requested = !is_auto(run->options) || identity_backend(store_data(plan->store)) ||
                           (limit > 0 && limit <= HOST_SECONDS);
    char expected[64];
    if (!run->traits.is_host)
        return 0;
    const double seconds = order_host_seconds(plan->grid, &plan->config.timing, &target);
    if (seconds <= HOST_SECONDS)
        return 0;
    text_format_seconds(seconds, expected, sizeof expected);
    if (!requested)
        return error_set(
            &run->error, ERROR_ENVIRONMENT,
            "without a GPU this job takes about %s: the host back end runs the C references on the "
            "CPU. jobs/quickstart.yaml fits%s. --backend host measures it all the same",
            expected,
            has_sizes(&plan->job) ? "; so does this job with --set size=1MiB --set "
                                    "timing.replicates=1 --set timing.max_time=50ms"
                                  : "");
    progress_say(&run->progress, "the C references take about %s on this host", expected);
    return 0;
}

/* Every rank has opened its device. */
static enum opening_state begin_run(struct run *run)
{
    run->traits = run->team.member[0].traits;
    if (choose_privacy(run) != 0)
        return OPENING_WAITS;
    describe_run(run);
    if (!run->plan.job.timing.all_devices && team_check_products(&run->team, &run->error) != 0)
        return OPENING_WAITS;
    if (check_host(run) != 0 || choose_counters(run) != 0 || compare_with_file(run) != 0 ||
        find_work(run) != 0)
        return OPENING_WAITS;
    if (!run->plan.todo_count && !run->plan.partial_count && !run->plan.to_count_count)
        return OPENING_NOTHING_TO_DO;
    configure(run);
    return OPENING_DONE;
}

/* With `auto` a resumed run uses the back end of the file. True if all ranks must restart for that. */
static bool follow_file(struct run *run)
{
    const char *recorded = identity_backend(store_data(run->plan.store));
    if (!is_auto(run->options) || !recorded)
        return false;
    run->opening.automatic = false;
    if (!strcmp(recorded, run->backend))
        return false;
    try_backend(run, recorded);
    return true;
}

enum opening_state opening_step(struct run *run)
{
    struct error error = {0};
    if (run->team.unanswered)
        return OPENING_WAITS;
    if (!run->plan.store) {
        if (run_plan_load(&run->plan, run->options, &run->error) != 0)
            return OPENING_WAITS;
        if (follow_file(run))
            return OPENING_WAITS;
    }
    team_arrange(&run->team);
    switch (team_judge(&run->team, run->backend, run->opening.automatic, &error)) {
    case TEAM_READY:
        return begin_run(run);
    case TEAM_TRY_HOST:
        progress_say(&run->progress, "no GPU found (%s): using the host back end", error.text);
        try_backend(run, "host");
        break;
    case TEAM_CANNOT:
        run->error = error;
        break;
    }
    return OPENING_WAITS;
}
