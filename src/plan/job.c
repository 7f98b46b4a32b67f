#include "plan/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/io.h"
#include "base/memory.h"
#include "family/versions.h"
#include "plan/reading.h"

/* ---- Pairs ---- */

int job_pair_parse(const char *text, struct job_pair *pair, struct error *error)
{
    *pair = (struct job_pair){.axis = ""};
    /* AXIS_TEXT_SIZE - 1 characters each */
    int read = 0,
        parts = sscanf(text, "%63[^=]=%63[^,],%63[^,]%n", pair->axis, pair->value[0], pair->value[1], &read);
    if (parts == 3 && !text[read] && strcmp(pair->value[0], pair->value[1]) != 0)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--pair '%.80s': expected an axis and two values, as in variant=load,store", text);
}

bool job_pair_is_wanted(const struct job_pair *pair)
{
    return pair->axis[0] || versions_are_loaded();
}

int job_pair_of(const struct job_pair *pair, const struct space *space, int64_t value[2])
{
    struct error ignored;
    int axis = pair->axis[0] ? space_axis(space, pair->axis) : versions_axis(space);
    for (int v = 0; v < 2 && axis >= 0; v++) {
        value[v] = v;
        if (pair->axis[0] && axis_parse(&space->axes[axis], pair->value[v], &value[v], &ignored) != 0)
            return -1;
    }
    return axis;
}

static int read_title(const struct reading *reading, const struct yaml_node *node, char *title)
{
    if (node->kind != YAML_NODE_SCALAR || !clean_is(node->text, strlen(node->text)))
        return reading_fail(reading, node, "title: expected one line of text, without control characters");
    if (strlen(node->text) > JOB_TITLE_MAX)
        return reading_fail(reading, node, "title: %zu bytes are too long; the maximum is %d",
                            strlen(node->text), JOB_TITLE_MAX);
    snprintf(title, JOB_TITLE_MAX + 1, "%s", node->text);
    return 0;
}

static int read_sweeps(struct reading *reading, const struct yaml_node *root, struct sweep_context *context,
                       struct job *job)
{
    const struct yaml_node *list = yaml_map_find(root, "sweeps"), *item;
    if (!list)
        return reading_fail(reading, root, "this job has no `sweeps:`; expected a list of {kernel, axes}");
    if (reading_list(reading, list, "sweeps") != 0)
        return -1;
    if (list->count > JOB_SWEEPS_MAX)
        return reading_fail(reading, list, "sweeps: %zu entries; the maximum is %d", list->count,
                            JOB_SWEEPS_MAX);
    job->sweeps = memory_new(list->count, sizeof *job->sweeps);
    for (item = list->first; item; item = item->next)
        if (sweep_read_kernel(reading, item, &job->sweeps[job->sweep_count++]) != 0)
            return -1;
    context->defaults = yaml_map_find(root, "defaults");
    if (context->defaults) {
        const char **names = job_axis_names(job, NULL);
        int failed = reading_map(reading, context->defaults, "defaults") != 0 ||
                     reading_keys(reading, context->defaults, "axis of the swept kernels", names) != 0;
        free(names);
        if (failed)
            return -1;
    }
    int index = 0;
    for (item = list->first; item; item = item->next)
        if (sweep_read(reading, item, context, &job->sweeps[index++]) != 0)
            return -1;
    return 0;
}

static int read_root(struct reading *reading, const struct yaml_node *root, struct job *job)
{
    static const char *const known[] = {"title",    "counters", "energy", "timing",
                                        "defaults", "only",     "sweeps", NULL};
    if (root->kind == YAML_NODE_SCALAR && !*root->text)
        return reading_fail(reading, root, "this job file is empty; expected `sweeps:`");
    if (reading_map(reading, root, "job file") != 0 || reading_keys(reading, root, "key", known) != 0)
        return -1;
    const struct yaml_node *title = yaml_map_find(root, "title"), *counters = yaml_map_find(root, "counters"),
                           *energy = yaml_map_find(root, "energy"), *timing = yaml_map_find(root, "timing"),
                           *only = yaml_map_find(root, "only");
    if ((title && read_title(reading, title, job->title) != 0) ||
        (counters && settings_counters(reading, counters, job) != 0) ||
        (energy && settings_energy(reading, energy, &job->energy) != 0) ||
        (timing && settings_timing(reading, timing, &job->timing) != 0))
        return -1;
    struct sweep_context context = {.cache_given = timing && yaml_map_find(timing, "cache"),
                                    .cache = job->timing.cache};
    if (read_sweeps(reading, root, &context, job) != 0)
        return -1;
    return only ? only_read(reading, only, job) : 0;
}

int job_parse(const char *path, const char *text, size_t size, const struct job_device *device,
              struct job *job, struct error *error)
{
    struct yaml_tree tree;
    *job = (struct job){0};
    if (size > JOB_FILE_LIMIT)
        return error_at(path, 1, 1, error, "this job has %zu bytes; the maximum is %u", size, JOB_FILE_LIMIT);
    if (yaml_tree_parse(path, text, size, &tree, error) != 0)
        return -1;
    struct reading reading = {
        .path = path, .error = error, .tree = &tree, .device = device, .values_left = JOB_VALUES_MAX};
    struct text own = {0};
    job->path = memory_text(path);
    job->timing = config_standard().timing;
    job->timing.replicates = 0;
    strcpy(job->counter_set, "memory");
    int status = tree.root ? read_root(&reading, tree.root, job)
                           : error_at(path, 1, 1, error, "this job file is empty; expected `sweeps:`");
    if (reading.relative)
        yaml_write_lines(&own, tree.root);
    else
        text_append(&own, text, size);
    job->text = own.data;
    yaml_tree_free(&tree);
    job->replicates_given = job->timing.replicates > 0;
    if (!job->replicates_given)
        job->timing.replicates =
            job_pair_is_wanted(&job->pair) ? PAIRED_REPLICATES : config_standard().timing.replicates;
    if (status != 0)
        job_free(job);
    return status;
}

struct job_outline job_outline(const char *text, bool paired)
{
    struct timing timing = config_standard().timing;
    struct error ignored;
    struct yaml_tree tree;
    struct reading reading = {.path = "", .error = &ignored, .values_left = JOB_VALUES_MAX};
    struct job_outline outline = {.title = ""};
    if (paired)
        timing.replicates = PAIRED_REPLICATES;
    if (yaml_tree_parse("", text, strlen(text), &tree, &ignored) == 0) {
        const bool map = tree.root && tree.root->kind == YAML_NODE_MAP;
        const struct yaml_node *node = map ? yaml_map_find(tree.root, "timing") : NULL,
                               *title = map ? yaml_map_find(tree.root, "title") : NULL;
        if (node)
            settings_timing(&reading, node, &timing);
        if (title)
            read_title(&reading, title, outline.title);
        yaml_tree_free(&tree);
    }
    outline.replicates = timing.replicates;
    outline.all_devices = timing.all_devices;
    return outline;
}

int job_read(const char *path, const struct job_device *device, struct job *job, struct error *error)
{
    size_t size;
    char *text = io_read_file(path, JOB_FILE_LIMIT, &size, error);
    *job = (struct job){0};
    int failed = text ? job_parse(path, text, size, device, job, error) : -1;
    free(text);
    return failed;
}

bool job_is_first_sweep(const struct job *job, int sweep)
{
    for (int i = 0; i < sweep; i++)
        if (job->sweeps[i].family == job->sweeps[sweep].family)
            return false;
    return true;
}

const struct space **job_spaces(const struct job *job)
{
    const struct space **spaces = memory_new((size_t)job->sweep_count + 1, sizeof *spaces);
    int count = 0;
    for (int i = 0; i < job->sweep_count; i++)
        if (job_is_first_sweep(job, i))
            spaces[count++] = &job->sweeps[i].family->space;
    return spaces;
}

void job_free(struct job *job)
{
    for (int i = 0; i < job->only_count; i++)
        condition_free(&job->only[i]);
    free(job->only);
    for (int i = 0; i < job->sweep_count; i++)
        sweep_free(&job->sweeps[i]);
    free(job->sweeps);
    free(job->counter);
    free(job->counter_place);
    free(job->text);
    free(job->path);
    *job = (struct job){0};
}
