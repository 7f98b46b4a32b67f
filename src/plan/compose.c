#include "plan/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/reading.h"

/* A parsed --set. */
struct edit {
    char *name, *path;     /* owned: the part before the =, the option for messages */
    const char *kernel;    /* the part of `name` before a dot; NULL: every kernel */
    const char *axis;      /* the part after it, or all of it */
    struct yaml_tree tree; /* of the value */
    bool of_axis;          /* else it sets a key of the job: timing.KEY, counters, energy, title */
};

struct composition {
    const struct job *base; /* the job without edits */
    const struct job_device *device;
    struct edit *edit;
    int edits;
    struct yaml_tree tree; /* of the job, which the edits change */
    struct error *error;
};

/* ---- Reading edits ---- */

static bool is_job_key(const char *name)
{
    return !strncmp(name, "timing.", 7) || !strcmp(name, "counters") || !strcmp(name, "energy") ||
           !strcmp(name, "title");
}

static int read_edit(const char *given, struct edit *edit, struct error *error)
{
    const char *equals = strchr(given, '=');
    struct text text = {0}, path = {0};
    *edit = (struct edit){0};
    if (!equals || equals == given || !equals[1])
        return error_set(error, ERROR_USAGE,
                         "--set '%.80s' is not AXIS=VALUES; expected size=1GiB, stride=1,2,4, "
                         "'size={from: 1MiB, to: 1GiB, factor: 2}', copy.variant=load, timing.max_time=1s",
                         given);
    text_add(&path, "--set %s", given);
    edit->path = path.data;
    edit->name = memory_text(given);
    edit->name[equals - given] = '\0';
    edit->of_axis = !is_job_key(edit->name);
    char *dot = edit->of_axis ? strchr(edit->name, '.') : NULL;
    edit->axis = dot ? dot + 1 : edit->name;
    edit->kernel = dot ? edit->name : NULL;
    if (dot)
        *dot = '\0';
    if (!strcmp(edit->name, "title")) { /* it may contain commas */
        edit->tree.root = yaml_new(&edit->tree, &(struct yaml_node){.line = 1}, YAML_NODE_SCALAR, equals + 1);
        return 0;
    }
    /* "1,2,4" becomes a list. YAML lists and mappings stay. */
    text_add(&text, !strchr("[{", equals[1]) && strchr(equals, ',') ? "[%s]" : "%s", equals + 1);
    int failed = yaml_tree_parse(edit->path, text.data, text.length, &edit->tree, error);
    text_free(&text);
    if (failed)
        return -1;
    if (!edit->tree.root)
        return error_set(error, ERROR_USAGE, "--set '%.80s' has no value", given);
    return 0;
}

/* The axis of a kernel that an edit sets; -1: none. */
static int edited_axis(const struct edit *edit, const struct space *space)
{
    if (!edit->of_axis || (edit->kernel && strcmp(edit->kernel, space->kernel) != 0))
        return -1;
    return space_axis(space, edit->axis);
}

/* The edit that applies to an axis of a kernel: the last one that names the kernel, else the last one. */
static struct edit *find_edit(const struct composition *c, const struct space *space, int axis)
{
    struct edit *found = NULL;
    for (int i = 0; i < c->edits; i++) {
        struct edit *edit = &c->edit[i];
        if (edited_axis(edit, space) == axis && (!found || edit->kernel || !found->kernel))
            found = edit;
    }
    return found;
}

/* The values of an edit, which are owned by the caller. */
static int read_values(struct composition *c, struct edit *edit, const struct axis *axis,
                       struct job_axis *values)
{
    struct reading reading = {.path = edit->path,
                              .error = c->error,
                              .tree = &edit->tree,
                              .device = c->device,
                              .values_left = JOB_VALUES_MAX};
    return values_read(&reading, axis, edit->tree.root, values);
}

static int unused(const struct composition *c, const struct edit *edit)
{
    const char **axes = job_axis_names(c->base, NULL), **kernels = job_kernel_names(c->base);
    bool kernel_known = !edit->kernel || text_find(kernels, edit->kernel) >= 0;
    suggest_unknown(c->error, kernel_known ? "axis of the swept kernels" : "kernel of this job",
                    kernel_known ? edit->axis : edit->kernel, kernel_known ? axes : kernels);
    free(axes);
    free(kernels);
    return error_prefix(c->error, "%.120s", edit->path);
}

/* Check that each edit applies to a sweep, and that its values are valid. Later checks could not name the
 * edit. */
static int check_edits(struct composition *c)
{
    for (int i = 0; i < c->edits; i++) {
        bool used = !c->edit[i].of_axis;
        for (int s = 0; s < c->base->sweep_count; s++) {
            const struct space *space = &c->base->sweeps[s].family->space;
            const int axis = edited_axis(&c->edit[i], space);
            struct job_axis values;
            if (axis < 0)
                continue;
            if (read_values(c, &c->edit[i], &space->axes[axis], &values) != 0)
                return -1;
            free(values.values);
            used = true;
        }
        if (!used)
            return unused(c, &c->edit[i]);
    }
    return 0;
}

/* ---- Changing the job ---- */

/* Leave those excluded values that the edited axis still has; false if there are none. */
static bool keep_values(struct composition *c, const struct axis *axis, struct yaml_node *key,
                        struct edit *edit)
{
    struct reading reading = {.path = "",
                              .error = &(struct error){0},
                              .tree = &c->tree,
                              .device = c->device,
                              .values_left = JOB_VALUES_MAX};
    struct job_axis excluded = {0}, set = {0};
    struct yaml_node *list = yaml_new(&c->tree, key, YAML_NODE_LIST, NULL);
    if (values_read(&reading, axis, key->value, &excluded) == 0 && read_values(c, edit, axis, &set) == 0)
        for (size_t i = 0; i < excluded.count; i++)
            for (size_t k = 0; k < set.count; k++)
                if (excluded.values[i] == set.values[k]) {
                    char text[AXIS_TEXT_SIZE];
                    axis_format(axis, excluded.values[i], text);
                    yaml_add(list, yaml_new(&c->tree, key, YAML_NODE_SCALAR, text));
                }
    key->value = list;
    free(excluded.values);
    free(set.values);
    return list->count > 0;
}

/* Restrict an exclude to values that remain after the edits; false if it no longer matches anything. */
static bool edit_exclude(struct composition *c, struct yaml_node *exclude, const struct space *space)
{
    for (struct yaml_node *key = exclude->first; key; key = key->next) {
        const int axis = space_axis(space, key->text);
        struct edit *edit = find_edit(c, space, axis);
        if (edit && !keep_values(c, &space->axes[axis], key, edit))
            return false;
    }
    return true;
}

/* Set a key of the mapping `name` in `parent`, which is added if there is none. */
static void put_in(struct composition *c, struct yaml_node *parent, const char *name, const char *key,
                   struct yaml_node *value)
{
    if (!yaml_map_find(parent, name))
        yaml_map_put(&c->tree, parent, name, yaml_new(&c->tree, parent, YAML_NODE_MAP, NULL));
    yaml_map_put(&c->tree, yaml_map_find(parent, name), key, value);
}

static void edit_sweep(struct composition *c, struct yaml_node *sweep, const struct space *space)
{
    struct yaml_node *excludes = yaml_map_find(sweep, "exclude");
    for (struct yaml_node *exclude = excludes ? excludes->first : NULL; exclude; exclude = exclude->next)
        if (!edit_exclude(c, exclude, space))
            yaml_remove(excludes, exclude);
    for (struct yaml_node *key = sweep->first; key; key = key->next)
        if (excludes && key->value == excludes && !excludes->count)
            yaml_remove(sweep, key);
    for (int i = 0; i < space->count; i++) {
        const struct edit *edit = find_edit(c, space, i);
        if (edit)
            put_in(c, sweep, "axes", space->axes[i].name, edit->tree.root);
    }
}

static void edit_keys(struct composition *c)
{
    for (int i = 0; i < c->edits; i++) {
        const struct edit *edit = &c->edit[i];
        const char *dot = strchr(edit->name, '.');
        if (!edit->of_axis && dot)
            put_in(c, c->tree.root, "timing", dot + 1, edit->tree.root);
        else if (!edit->of_axis)
            yaml_map_put(&c->tree, c->tree.root, edit->name, edit->tree.root);
    }
}

static void add_only(struct composition *c, const struct job_source *source)
{
    struct yaml_node *root = c->tree.root, *own = yaml_map_find(root, "only"), *list = own;
    if (!own || own->kind == YAML_NODE_SCALAR)
        list = yaml_new(&c->tree, root, YAML_NODE_LIST, NULL);
    if (own && list != own)
        yaml_add(list, own);
    for (int i = 0; i < source->onlys; i++)
        yaml_add(list, yaml_new(&c->tree, root, YAML_NODE_SCALAR, source->only[i]));
    if (list->count)
        yaml_map_put(&c->tree, root, "only", list);
}

/* ---- Composing ---- */

static int compose(struct composition *c, const struct job_source *source, const char *name, struct job *job)
{
    struct text out = {0};
    char path[512];
    int sweep = 0;
    if (check_edits(c) != 0 ||
        yaml_tree_parse(name, c->base->text, strlen(c->base->text), &c->tree, c->error) != 0)
        return -1;
    edit_keys(c);
    add_only(c, source);
    for (struct yaml_node *item = yaml_map_find(c->tree.root, "sweeps")->first; item; item = item->next)
        edit_sweep(c, item, &c->base->sweeps[sweep++].family->space);
    yaml_write_lines(&out, c->tree.root);
    yaml_tree_free(&c->tree);
    /* Errors found now are due to the edits: in `zip`, timing or conditions. */
    snprintf(path, sizeof path, "%.400s%s%s", name, source->sets ? " --set" : "",
             source->onlys ? " --only" : "");
    int failed = job_parse(path, out.data, out.length, source->device, job, c->error);
    text_free(&out);
    if (failed)
        return -1;
    free(job->path);
    job->path = memory_text(name);
    return 0;
}

static int edit_job(const struct job_source *source, const char *name, const struct job *base,
                    struct job *job, struct error *error)
{
    struct composition c = {.base = base, .device = source->device, .error = error};
    int failed = 0;
    c.edit = memory_new((size_t)source->sets + 1, sizeof *c.edit);
    for (; c.edits < source->sets && !failed; c.edits++)
        failed = read_edit(source->set[c.edits], &c.edit[c.edits], error);
    failed = failed || compose(&c, source, name, job) != 0;
    for (int i = 0; i < c.edits; i++) {
        yaml_tree_free(&c.edit[i].tree);
        free(c.edit[i].name);
        free(c.edit[i].path);
    }
    free(c.edit);
    return failed ? -1 : 0;
}

int compose_job(const struct job_source *source, struct job *job, struct error *error)
{
    char name[256]; /* of the job in messages and in the results file, without a path */
    const char *path = source->path ? source->path : name;
    struct job base;
    struct text text = {0};
    int failed;
    *job = (struct job){0};
    if (source->path) {
        failed = job_read(path, source->device, &base, error);
    } else {
        snprintf(name, sizeof name, "--kernel %s", source->kernel);
        text_add(&text, "sweeps:\n  - kernel: ");
        yaml_write(&text, &(struct yaml_node){.kind = YAML_NODE_SCALAR, .text = source->kernel});
        text_add(&text, "\n");
        failed = job_parse(path, text.data, text.length, source->device, &base, error);
        text_free(&text);
    }
    if (failed)
        return -1;
    if (!source->sets && !source->onlys) {
        *job = base;
        return 0;
    }
    failed = edit_job(source, path, &base, job, error);
    job_free(&base);
    return failed;
}
