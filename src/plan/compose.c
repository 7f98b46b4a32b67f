#include "plan/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "plan/relative.h"
#include "plan/values.h"
#include "plan/yaml.h"

/* A parsed --set. */
struct edit {
    char *name, *text, *path; /* owned: the part before the =, the value as YAML, the option for messages */
    const char *kernel;       /* the part of `name` before a dot; NULL: every kernel */
    const char *axis;         /* the part after it, or all of it */
    struct yaml_tree tree;    /* of `text` */
    bool of_axis;             /* else it sets a key of the job: timing.KEY, counters, energy, title */
    bool used;
};

struct composition {
    const struct job *base; /* the job without edits */
    struct edit *edit;
    int edits;
    struct text out;
    struct error *error;
};

/* The name of the job in messages and in the results file: the path, or "--kernel NAME". */
static const char *name_of(const struct job_source *source, char *out, size_t size)
{
    if (source->path)
        return source->path;
    snprintf(out, size, "--kernel %s", source->kernel);
    return out;
}

/* ---- Reading edits ---- */

static bool is_job_key(const char *name)
{
    return !strncmp(name, "timing.", 7) || !strcmp(name, "counters") || !strcmp(name, "energy") ||
           !strcmp(name, "title");
}

/* "1,2,4" becomes a list. YAML lists and mappings stay. A title may contain commas. */
static char *as_yaml(const char *name, const char *value)
{
    struct text text = {0};
    if (*value == '[' || *value == '{')
        text_add(&text, "%s", value);
    else if (!strcmp(name, "title"))
        yaml_write_scalar(&text, value);
    else
        text_add(&text, strchr(value, ',') ? "[%s]" : "%s", value);
    return text.data;
}

static int read_edit(const char *given, struct edit *edit, struct error *error)
{
    const char *equals = strchr(given, '=');
    *edit = (struct edit){0};
    if (!equals || equals == given || !equals[1])
        return error_set(error, ERROR_USAGE,
                         "--set '%.80s' is not AXIS=VALUES; expected size=1GiB, stride=1,2,4, "
                         "'size={from: 1MiB, to: 1GiB, factor: 2}', copy.variant=load, timing.max_time=1s",
                         given);
    edit->name = memory_text(given);
    edit->name[equals - given] = '\0';
    edit->text = as_yaml(edit->name, equals + 1);
    size_t room = strlen(given) + sizeof "--set ";
    edit->path = memory_new(room, 1);
    snprintf(edit->path, room, "--set %s", given);
    edit->of_axis = !is_job_key(edit->name);
    char *dot = edit->of_axis ? strchr(edit->name, '.') : NULL;
    edit->axis = dot ? dot + 1 : edit->name;
    edit->kernel = dot ? edit->name : NULL;
    if (dot)
        *dot = '\0';
    if (yaml_tree_parse(edit->path, edit->text, strlen(edit->text), &edit->tree, error) != 0)
        return -1;
    if (!edit->tree.root)
        return error_set(error, ERROR_USAGE, "--set '%.80s' has no value", given);
    return 0;
}

/* The edit that applies to an axis of a kernel: the last one that names the kernel, else the last one. */
static struct edit *find_edit(const struct composition *c, const char *kernel, const char *axis)
{
    struct edit *found = NULL;
    for (int i = 0; i < c->edits; i++) {
        struct edit *edit = &c->edit[i];
        if (!edit->of_axis || strcmp(edit->axis, axis) != 0 ||
            (edit->kernel && strcmp(edit->kernel, kernel) != 0))
            continue;
        if (!found || edit->kernel || !found->kernel)
            found = edit;
    }
    return found;
}

/* The last edit of a key of the job. */
static const struct edit *find_key(const struct composition *c, const char *name)
{
    const struct edit *found = NULL;
    for (int i = 0; i < c->edits; i++)
        if (!c->edit[i].of_axis && !strcmp(c->edit[i].name, name))
            found = &c->edit[i];
    return found;
}

/* Check that an edit matches the sweep and that its value is valid. Later checks could not name the edit. */
static int check_value(struct composition *c, struct edit *edit, const struct job_sweep *sweep)
{
    struct reading reading = {.path = edit->path, .error = c->error, .values_left = JOB_VALUES_MAX};
    struct job_axis values;
    int axis = space_axis(&sweep->family->space, edit->axis);
    if (axis < 0 || (edit->kernel && strcmp(edit->kernel, sweep->family->space.kernel) != 0))
        return 0;
    edit->used = true;
    const enum axis_kind kind = sweep->family->space.axes[axis].kind;
    if ((kind == AXIS_BYTES || kind == AXIS_COUNT) && relative_has_word(edit->tree.root))
        return 0; /* a number of the device, in the composed text */
    if (values_read(&reading, &sweep->family->space.axes[axis], edit->tree.root, &values) != 0)
        return -1;
    free(values.values);
    return 0;
}

static int unused(const struct composition *c, const struct edit *edit)
{
    const char **names = memory_new((size_t)c->base->sweep_count * (POINT_AXES_MAX + 1) + 1, sizeof *names);
    int count = 0;
    bool kernel_known = !edit->kernel;
    for (int s = 0; s < c->base->sweep_count; s++) {
        const struct space *space = &c->base->sweeps[s].family->space;
        kernel_known = kernel_known || !strcmp(edit->kernel, space->kernel);
    }
    for (int s = 0; s < c->base->sweep_count; s++) {
        const struct space *space = &c->base->sweeps[s].family->space;
        if (!kernel_known)
            names[count++] = space->kernel;
        for (int i = 0; kernel_known && i < space->count; i++)
            names[count++] = space->axes[i].name;
    }
    suggest_unknown(c->error, kernel_known ? "axis of the swept kernels" : "kernel of this job",
                    kernel_known ? edit->axis : edit->kernel, names);
    free(names);
    return error_prefix(c->error, "%.120s", edit->path);
}

static int check_edits(struct composition *c)
{
    for (int i = 0; i < c->edits; i++) {
        struct edit *edit = &c->edit[i];
        for (int s = 0; edit->of_axis && s < c->base->sweep_count; s++)
            if (check_value(c, edit, &c->base->sweeps[s]) != 0)
                return -1;
        if (edit->of_axis && !edit->used)
            return unused(c, edit);
    }
    return 0;
}

/* ---- Writing ---- */

static void write_key(struct composition *c, const char *key, const struct yaml_node *value)
{
    text_add(&c->out, "%s: ", key);
    yaml_write(&c->out, value);
    text_add(&c->out, "\n");
}

/* `timing` of the file, with edited keys replaced. */
static void write_timing(struct composition *c, const struct yaml_node *node)
{
    bool any = false;
    for (const struct yaml_node *key = node ? node->first : NULL; key; key = key->next) {
        char name[128];
        snprintf(name, sizeof name, "timing.%.100s", key->text);
        if (find_key(c, name))
            continue;
        text_add(&c->out, "%s%s: ", any ? ", " : "timing: {", key->text);
        yaml_write(&c->out, key->value);
        any = true;
    }
    for (int i = 0; i < c->edits; i++) {
        const struct edit *edit = &c->edit[i];
        if (edit->of_axis || strncmp(edit->name, "timing.", 7) != 0 || find_key(c, edit->name) != edit)
            continue;
        text_add(&c->out, "%s", any ? ", " : "timing: {");
        yaml_write_scalar(&c->out, edit->name + 7);
        text_add(&c->out, ": ");
        yaml_write(&c->out, edit->tree.root);
        any = true;
    }
    text_add(&c->out, "%s", any ? "}\n" : "");
}

static void write_axes(struct composition *c, const struct yaml_node *axes, const struct space *space)
{
    struct text lines = {0}, out = c->out;
    c->out = lines;
    for (const struct yaml_node *key = axes ? axes->first : NULL; key; key = key->next) {
        if (find_edit(c, space->kernel, key->text))
            continue;
        text_add(&c->out, "      ");
        write_key(c, key->text, key->value);
    }
    for (int i = 0; i < space->count; i++) {
        const struct edit *edit = find_edit(c, space->kernel, space->axes[i].name);
        if (!edit)
            continue;
        text_add(&c->out, "      ");
        write_key(c, space->axes[i].name, edit->tree.root);
    }
    lines = c->out;
    c->out = out;
    if (lines.length)
        text_add(&c->out, "    axes:\n%s", lines.data);
    text_free(&lines);
}

/* Write those excluded values that the edited axis still has; false if there are none. */
static bool keep_values(const struct axis *axis, const struct yaml_node *node, const struct edit *edit,
                        struct text *out)
{
    struct reading reading = {.path = "", .error = &(struct error){0}, .values_left = JOB_VALUES_MAX};
    struct job_axis excluded = {0}, set = {0};
    bool any = false;
    if (values_read(&reading, axis, node, &excluded) == 0 &&
        values_read(&reading, axis, edit->tree.root, &set) == 0)
        for (size_t i = 0; i < excluded.count; i++)
            for (size_t k = 0; k < set.count; k++)
                if (excluded.values[i] == set.values[k]) {
                    char text[AXIS_TEXT_SIZE];
                    axis_format(axis, excluded.values[i], text);
                    text_add(out, "%s", any ? ", " : "[");
                    yaml_write_scalar(out, text);
                    any = true;
                }
    text_add(out, "%s", any ? "]" : "");
    free(excluded.values);
    free(set.values);
    return any;
}

/* One exclude, restricted to values that remain after the edits; false if it no longer matches anything. */
static bool write_exclude(struct composition *c, const struct yaml_node *node, const struct space *space,
                          struct text *out)
{
    for (const struct yaml_node *key = node->first; key; key = key->next) {
        const struct edit *edit = find_edit(c, space->kernel, key->text);
        text_add(out, "%s%s: ", key == node->first ? "{" : ", ", key->text);
        if (!edit)
            yaml_write(out, key->value);
        else if (!keep_values(&space->axes[space_axis(space, key->text)], key->value, edit, out))
            return false;
    }
    text_add(out, "}");
    return true;
}

static void write_excludes(struct composition *c, const struct yaml_node *list, const struct space *space)
{
    bool any = false;
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        struct text line = {0};
        if (write_exclude(c, item, space, &line)) {
            text_add(&c->out, "%s      - %s\n", any ? "" : "    exclude:\n", line.data);
            any = true;
        }
        text_free(&line);
    }
}

static void write_sweeps(struct composition *c, const struct yaml_node *list)
{
    int index = 0;
    text_add(&c->out, "sweeps:\n");
    for (const struct yaml_node *item = list->first; item; item = item->next) {
        const struct space *space = &c->base->sweeps[index++].family->space;
        const struct yaml_node *zip = yaml_map_find(item, "zip");
        text_add(&c->out, "  - kernel: %s\n", space->kernel);
        write_axes(c, yaml_map_find(item, "axes"), space);
        if (zip) {
            text_add(&c->out, "    ");
            write_key(c, "zip", zip);
        }
        write_excludes(c, yaml_map_find(item, "exclude"), space);
    }
}

static void write_only(struct composition *c, const struct yaml_node *own, const struct job_source *source)
{
    bool any = false;
    if (own && own->kind == YAML_NODE_SCALAR) {
        text_add(&c->out, "only: [");
        yaml_write(&c->out, own);
        any = true;
    }
    for (const struct yaml_node *item = own ? own->first : NULL; item; item = item->next) {
        text_add(&c->out, "%s", any ? ", " : "only: [");
        yaml_write(&c->out, item);
        any = true;
    }
    for (int i = 0; i < source->onlys; i++) {
        text_add(&c->out, "%s", any ? ", " : "only: [");
        yaml_write_scalar(&c->out, source->only[i]);
        any = true;
    }
    text_add(&c->out, "%s", any ? "]\n" : "");
}

static void write_job(struct composition *c, const struct yaml_node *root, const struct job_source *source)
{
    static const char *const keys[] = {"title", "counters", "energy"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct edit *edit = find_key(c, keys[i]);
        const struct yaml_node *value = edit ? edit->tree.root : yaml_map_find(root, keys[i]);
        if (value)
            write_key(c, keys[i], value);
    }
    write_timing(c, yaml_map_find(root, "timing"));
    if (yaml_map_find(root, "defaults"))
        write_key(c, "defaults", yaml_map_find(root, "defaults"));
    write_only(c, yaml_map_find(root, "only"), source);
    write_sweeps(c, yaml_map_find(root, "sweeps"));
}

/* ---- Composing ---- */

static int compose(struct composition *c, const struct job_source *source, const char *name, struct job *job)
{
    struct yaml_tree tree;
    char path[512];
    if (check_edits(c) != 0 ||
        yaml_tree_parse(name, c->base->text, strlen(c->base->text), &tree, c->error) != 0)
        return -1;
    write_job(c, tree.root, source);
    yaml_tree_free(&tree);
    /* Errors found now are due to the edits: in `zip`, timing or conditions. */
    snprintf(path, sizeof path, "%.400s%s%s", name, source->sets ? " --set" : "",
             source->onlys ? " --only" : "");
    if (job_parse(path, c->out.data, c->out.length, job, c->error) != 0)
        return -1;
    free(job->path);
    job->path = memory_text(name);
    return 0;
}

static int edit_job(const struct job_source *source, const char *name, const struct job *base,
                    struct job *job, struct error *error)
{
    struct composition c = {.base = base, .error = error};
    int failed = 0;
    c.edit = memory_new((size_t)source->sets + 1, sizeof *c.edit);
    while (c.edits < source->sets && !failed)
        failed = read_edit(source->set[c.edits], &c.edit[c.edits], error), c.edits++;
    failed = failed || compose(&c, source, name, job) != 0;
    for (int i = 0; i < c.edits; i++) {
        yaml_tree_free(&c.edit[i].tree);
        free(c.edit[i].name);
        free(c.edit[i].text);
        free(c.edit[i].path);
    }
    free(c.edit);
    text_free(&c.out);
    return failed ? -1 : 0;
}

static bool is_relative_file(const char *path)
{
    struct yaml_tree tree;
    struct error ignored;
    struct stat status;
    size_t size = 0;
    bool relative = false;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) /* a pipe cannot be read twice */
        return false;
    char *text = io_read_file(path, JOB_FILE_LIMIT, &size, &ignored);
    if (text && yaml_tree_parse(path, text, size, &tree, &ignored) == 0) {
        relative = tree.root && relative_is_used(tree.root);
        yaml_tree_free(&tree);
    }
    free(text);
    return relative;
}

bool compose_is_relative(const struct job_source *source)
{
    struct error ignored;
    bool relative = source->path && is_relative_file(source->path);
    for (int i = 0; i < source->sets && !relative; i++) {
        struct edit edit = {0};
        relative = read_edit(source->set[i], &edit, &ignored) == 0 && edit.of_axis &&
                   relative_is_numeric(edit.axis) && relative_has_word(edit.tree.root);
        yaml_tree_free(&edit.tree);
        free(edit.name);
        free(edit.text);
        free(edit.path);
    }
    return relative;
}

int compose_job(const struct job_source *source, struct job *job, struct error *error)
{
    char name[256];
    struct job base;
    struct text text = {0};
    const char *path = name_of(source, name, sizeof name);
    *job = (struct job){0};
    if (source->kernel) {
        text_add(&text, "sweeps:\n  - kernel: ");
        yaml_write_scalar(&text, source->kernel);
        text_add(&text, "\n");
    }
    int failed =
        source->kernel ? job_parse(path, text.data, text.length, &base, error) : job_read(path, &base, error);
    text_free(&text);
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
