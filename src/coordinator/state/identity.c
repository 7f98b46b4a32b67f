#include "coordinator/state/run_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernels/registry.h"
#include "store/merge/store_merge.h"

/* ---- What is recorded ---- */

/* Without `timeout` and `replicates`, which change the number of measurements but not what each of them
 * measures. */
static void describe_timing(struct environment *environment, const struct timing *timing)
{
    environment_add(environment, "timing",
                    "cache %s, %" PRIu32 " to %" PRIu32 " samples, ci %g, %g s, %s clock",
                    cache_words[timing->cache], timing->min_samples, timing->max_samples, timing->target_ci,
                    timing->max_time, clock_words[timing->clock]);
}

/* What makes the pairs of a paired run: the axis, and its two values as cells of /results. */
static void describe_pairs(struct environment *environment, const struct job *job)
{
    for (int i = 0; i < job->sweep_count; i++) {
        const struct space *space = &job->sweeps[i].family->space;
        int64_t value[2];
        int axis = job_pair_of(&job->pair, space, value);
        char text[2][AXIS_TEXT_SIZE];
        if (axis < 0)
            continue;
        for (int v = 0; v < 2; v++)
            if (axis_is_text(&space->axes[axis]))
                axis_format(&space->axes[axis], value[v], text[v]);
            else
                snprintf(text[v], sizeof text[v], "%" PRId64, value[v]);
        environment_add(environment, "pairs", "%s %s %s", space->axes[axis].name, text[0], text[1]);
        return;
    }
}

/* words.KERNEL.AXIS: its words in order, which readers sort and check conditions by. */
static void describe_words(struct environment *environment, const struct space *space)
{
    for (int i = 0; i < space->count; i++) {
        struct text words = {0};
        char name[192];
        for (const char *const *word = space->axes[i].words; word && *word; word++)
            text_add(&words, "%s%s", words.length ? "," : "", *word);
        snprintf(name, sizeof name, "words.%s.%s", space->kernel, space->axes[i].name);
        if (words.length)
            environment_add(environment, name, "%s", words.data);
        text_free(&words);
    }
}

/* WHAT.KERNEL: of each version. */
static void describe_hash(struct environment *environment, const char *what, const struct family *family,
                          const uint64_t hash[VERSIONS])
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", what, family->space.kernel);
    if (versions_axis(&family->space) < 0)
        environment_add(environment, name, "%016" PRIx64, hash[0]);
    else
        environment_add(environment, name, "%016" PRIx64 " %016" PRIx64, hash[0], hash[1]);
}

void identity_describe(struct environment *environment, const struct run_plan *plan)
{
    const struct job *job = &plan->job;
    environment_add(environment, "rules", "%d", CONFIG_RULES);
    describe_timing(environment, &plan->config.timing);
    describe_pairs(environment, job);
    for (int i = 0; i < job->sweep_count; i++) {
        const struct family *family = job->sweeps[i].family;
        if (!job_is_first_sweep(job, i))
            continue;
        uint64_t hash[VERSIONS];
        describe_words(environment, &family->space);
        registry_code(family, hash);
        describe_hash(environment, "code", family, hash);
        registry_references(family, hash);
        describe_hash(environment, "reference", family, hash);
    }
}

/* ---- What is in the file ---- */

const char *identity_backend(const struct dataset *file)
{
    return file->results.rows ? dataset_environment(file, "backend") : NULL;
}

static const char *find_pair(const struct store_pair *pair, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(pair[i].name, name))
            return pair[i].value;
    return NULL;
}

/* "none", however the absence of counters is recorded. */
static const char *plain_counters(const char *counters)
{
    return !counters || strstr(counters, "has no hardware counters") ? "none" : counters;
}

static const char *counters_of_run(const struct dataset *file, int64_t run)
{
    for (int i = 0; i < file->environment_count; i++)
        if (file->environment[i].run == run && !strcmp(file->environment[i].name, "counters"))
            return plain_counters(file->environment[i].value);
    return "none";
}

bool identity_same_counters(const struct dataset *file, int64_t run, const struct environment *now)
{
    return !strcmp(counters_of_run(file, run), plain_counters(find_pair(now->pair, now->count, "counters")));
}

static void describe_device(const struct device *device, char *out, size_t size)
{
    int length = snprintf(out, size, "%.60s", device->name);
    if (device->multiprocessors > 0 && device->capability > 0)
        length += snprintf(out + length, size - (size_t)length, ", %d SMs", (int)device->multiprocessors);
    if (device->memory_bytes > 0)
        snprintf(out + length, size - (size_t)length, ", %.1f GiB", (double)device->memory_bytes / 0x1p30);
}

/* ---- Comparing ---- */

struct comparison {
    struct text *lines;
    struct text differing; /* names of what differs */
    int differences;
};

static void differ(struct comparison *c, const char *what, const char *there, const char *now,
                   const char *way)
{
    static const char *const format = "  %-18s %-36s %-36s %s\n";
    if (!c->differences++)
        text_add(c->lines, format, "", "in the file", "now", "to continue");
    text_add(c->lines, format, what, there, now, way);
    text_add(&c->differing, "%s%s", c->differing.length ? ", " : "", what);
}

/* Cut a text to the width of a column. */
static const char *shorten(const char *text, char out[36])
{
    if (strlen(text) < 36)
        return text;
    snprintf(out, 36, "%.30s...", text);
    return out;
}

/* Counters are compared apart, and the release is noted. */
static void differ_pair(void *context, const struct compared *what, const char *there, const char *now)
{
    char option[192], shown[2][36];
    if (!what->way)
        return;
    if (what->loaded)
        snprintf(option, sizeof option, "%s, or --accept %.120s", what->way, what->name);
    else
        snprintf(option, sizeof option, "%s %.40s", what->way, there);
    bool cut = what->what == what->name; /* a variable may be long */
    differ(context, what->what, cut ? shorten(there, shown[0]) : there, cut ? shorten(now, shown[1]) : now,
           what->loaded || *what->way == '-' ? option : what->way);
}

/* Those of each run that has good rows. */
static void compare_counters(struct comparison *c, const struct dataset *file, const struct environment *now)
{
    char there[36], here[36];
    const char *wanted = plain_counters(find_pair(now->pair, now->count, "counters"));
    int64_t last = -1;
    for (size_t row = 0; row < file->results.rows; row++) {
        int64_t run = frame_find_integer(&file->results, row, COLUMN(run));
        if (run < 0 || run == last || !status_is_ok(frame_find_text(&file->results, row, COLUMN(status))))
            continue;
        last = run;
        if (identity_same_counters(file, run, now))
            continue;
        differ(c, "counters", shorten(counters_of_run(file, run), there), shorten(wanted, here),
               strcmp(wanted, "none") != 0 ? "--remeasure counters" : "restore --counters");
        return;
    }
}

static void compare_devices(struct comparison *c, const struct dataset *file, const struct team *team)
{
    for (int rank = 0; rank < team->count; rank++) {
        const struct device *device = &team->member[rank].device;
        if (!file->devices.rows || dataset_has_product(file, device))
            continue;
        char there[160], now[160];
        struct device first = dataset_device(file, 0);
        describe_device(&first, there, sizeof there);
        describe_device(device, now, sizeof now);
        differ(c, "device", there, now, "--append-device");
        return;
    }
}

/* Files of another release are compatible if its rules are equal. If the file lacks them, warn. */
static void note_release(const struct dataset *file, struct text *lines)
{
    const char *release = dataset_environment(file, "release");
    if (!dataset_environment(file, "rules"))
        text_add(lines,
                 "release %s wrote this file without its rules, timing and kernel code: cannot check that "
                 "they match this run\n",
                 release ? release : "(unknown)");
}

int identity_check(const struct dataset *file, const struct environment *now, const struct team *team,
                   const struct launch_options *options, struct text *lines, struct error *error)
{
    struct comparison c = {.lines = lines};
    if (!file->results.rows)
        return 0;
    if (file->devices.rows && !strcmp(dataset_device(file, 0).backend, BACKEND_PREDICTED))
        return error_set(error, ERROR_USAGE,
                         "%s has predictions, and nothing in it was measured: choose another output file",
                         options->output_path);
    compatibility_compare(file->environment, file->environment_count, now->pair, now->count,
                          &options->accepted, differ_pair, &c);
    if (!options->remeasure_counters)
        compare_counters(&c, file, now);
    if (!options->append_device)
        compare_devices(&c, file, team);
    if (!c.differences)
        note_release(file, lines);
    if (c.differences)
        error_set(error, ERROR_ENVIRONMENT,
                  "%s is not compatible with this run: %s differ%s. Do what the last column says, or write "
                  "another file",
                  options->output_path, c.differing.data, c.differences == 1 ? "s" : "");
    text_free(&c.differing);
    return c.differences ? -1 : 0;
}
