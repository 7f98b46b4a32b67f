#include "plan/reading.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

int reading_word(const struct reading *reading, const struct yaml_node *at, const char *what,
                 const char *word, const char *const *known)
{
    struct error inner;
    int place = text_find(known, word);
    if (place >= 0)
        return place;
    suggest_unknown(&inner, what, yaml_quote(word).text, known);
    return reading_fail(reading, at, "%s", inner.text);
}

static const char *kind_name(const struct yaml_node *node)
{
    if (node->kind == YAML_NODE_SCALAR)
        return *node->text ? "a single value" : "nothing";
    return node->kind == YAML_NODE_MAP ? "a mapping" : "a list";
}

/* A list or a mapping, with at least one entry. */
static int read_collection(const struct reading *reading, const struct yaml_node *node,
                           enum yaml_node_kind kind, const char *what)
{
    const char *name = kind == YAML_NODE_MAP ? "mapping" : "list";
    if (node->kind != kind)
        return reading_fail(reading, node, "%s: expected a %s%s, found %s", what, name,
                            kind == YAML_NODE_MAP ? " (key: value)" : "", kind_name(node));
    if (!node->count)
        return reading_fail(reading, node, "%s: the %s is empty; fill it or leave it out", what, name);
    return 0;
}

int reading_map(const struct reading *reading, const struct yaml_node *node, const char *what)
{
    return read_collection(reading, node, YAML_NODE_MAP, what);
}

int reading_list(const struct reading *reading, const struct yaml_node *node, const char *what)
{
    return read_collection(reading, node, YAML_NODE_LIST, what);
}

int reading_keys(const struct reading *reading, const struct yaml_node *map, const char *what,
                 const char *const *known)
{
    for (const struct yaml_node *key = map->first; key; key = key->next)
        if (reading_word(reading, key, what, key->text, known) < 0)
            return -1;
    return 0;
}

const char *reading_scalar(const struct reading *reading, const struct yaml_node *node, const char *what)
{
    const char *c = node->kind == YAML_NODE_SCALAR ? node->text : "";
    if (!*c)
        reading_fail(reading, node, "%s: expected a single value, found %s", what, kind_name(node));
    else if (strlen(c) > READING_SCALAR_MAX)
        reading_fail(reading, node, "%s: '%s' is too long for a value", what, yaml_quote(c).text);
    else {
        while ((unsigned char)*c >= ' ')
            c++;
        if (!*c)
            return node->text;
        reading_fail(reading, node, "%s: a value must be on one line, without control characters", what);
    }
    return NULL;
}

const char **job_kernel_names(const struct job *job)
{
    const char **names = memory_new((size_t)job->sweep_count + 1, sizeof *names);
    int count = 0;
    for (int i = 0; i < job->sweep_count; i++)
        if (text_find(names, job->sweeps[i].family->space.kernel) < 0)
            names[count++] = job->sweeps[i].family->space.kernel;
    return names;
}

const char **job_axis_names(const struct job *job, const char *first)
{
    const char **names = memory_new((size_t)job->sweep_count * POINT_AXES_MAX + 2, sizeof *names);
    int count = 0;
    if (first)
        names[count++] = first;
    for (int i = 0; i < job->sweep_count; i++) {
        const struct space *space = &job->sweeps[i].family->space;
        for (int k = 0; k < space->count; k++)
            if (text_find(names, space->axes[k].name) < 0)
                names[count++] = space->axes[k].name;
    }
    return names;
}
