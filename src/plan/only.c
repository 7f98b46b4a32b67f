#include "plan/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_of_kernel(const struct condition *only)
{
    return !strcmp(only->name, "kernel");
}

/* A value, or range of values, on an axis. Fails if the axis does not have them; that of another kernel
 * may. */
static int parse_value(const struct condition *only, const struct axis *axis,
                       const struct condition_value *value, int64_t *from, int64_t *to, struct error *error)
{
    if (axis_is_text(axis) && (only->relation >= LESS || value->last))
        return error_set(error, ERROR_USAGE, "the values of %s have no order; expected = or !=", axis->name);
    if (axis_parse(axis, value->first, from, error) != 0)
        return -1;
    if (axis_parse(axis, value->last ? value->last : value->first, to, error) != 0)
        return -1;
    return *from <= *to ? 0
                        : error_set(error, ERROR_USAGE, "%s..%s: the range is empty; expected first..last",
                                    value->first, value->last);
}

/* ---- Reading ---- */

static int check_kernels(const struct reading *reading, const struct yaml_node *at,
                         const struct condition *only, const struct job *job)
{
    if (only->relation >= LESS)
        return reading_fail(reading, at, "only: kernels have no order; expected = or !=");
    const char **names = job_kernel_names(job);
    int place = 0;
    for (size_t i = 0; i < only->values && place >= 0; i++)
        place = reading_word(reading, at, "kernel of this job", only->value[i].first, names);
    free(names);
    return place < 0 ? -1 : 0;
}

/* Each value must be one that some sweep supports. */
static int check_values(const struct reading *reading, const struct yaml_node *at,
                        const struct condition *only, const struct job *job)
{
    for (size_t i = 0; i < only->values; i++) {
        struct error why = {0};
        bool known = false;
        for (int s = 0; s < job->sweep_count; s++) {
            const struct space *space = &job->sweeps[s].family->space;
            int64_t from, to;
            int axis = space_axis(space, only->name);
            known |=
                axis >= 0 && parse_value(only, &space->axes[axis], &only->value[i], &from, &to, &why) == 0;
        }
        if (!known)
            return reading_fail(reading, at, "only: '%s': %s", yaml_quote(at->text).text, why.text);
    }
    return 0;
}

static int read_one(const struct reading *reading, const struct yaml_node *at, struct job *job)
{
    struct error why;
    const char *text = reading_scalar(reading, at, "only");
    if (!text)
        return -1;
    if (job->only_count == JOB_ONLY_MAX)
        return reading_fail(reading, at, "only: more than %d conditions", JOB_ONLY_MAX);
    struct condition *only = &job->only[job->only_count++];
    if (condition_read(text, only, &why) != 0)
        return reading_fail(reading, at, "only: %s", why.text);
    if (is_of_kernel(only))
        return check_kernels(reading, at, only, job);
    const char **axes = job_axis_names(job, "kernel");
    int axis = reading_word(reading, at, "axis of the swept kernels", only->name, axes);
    free(axes);
    if (axis < 0)
        return -1;
    if (condition_cut_ranges(only, &why) != 0)
        return reading_fail(reading, at, "only: %s", why.text);
    return check_values(reading, at, only, job);
}

int only_read(const struct reading *reading, const struct yaml_node *node, struct job *job)
{
    job->only = memory_new(JOB_ONLY_MAX, sizeof *job->only);
    if (node->kind == YAML_NODE_SCALAR)
        return read_one(reading, node, job);
    if (reading_list(reading, node, "only") != 0)
        return -1;
    for (const struct yaml_node *item = node->first; item; item = item->next)
        if (read_one(reading, item, job) != 0)
            return -1;
    return 0;
}

/* ---- Evaluating ---- */

static bool holds(const struct condition *only, const struct point *point)
{
    int axis = space_axis(point->space, only->name);
    bool found = false;
    if (axis < 0 && !is_of_kernel(only))
        return only->relation == NOT_EQUAL;
    for (size_t i = 0; i < only->values && !found; i++) {
        int64_t value = axis < 0 ? 0 : point->value[axis], from = 0, to = 0;
        if (axis < 0)
            found = !strcmp(only->value[i].first, point->space->kernel);
        else if (parse_value(only, &point->space->axes[axis], &only->value[i], &from, &to, NULL) == 0)
            found = only->relation >= LESS ? relation_holds(only->relation, (value > from) - (value < from))
                                           : value >= from && value <= to;
    }
    return found == (only->relation != NOT_EQUAL);
}

bool job_wants(const struct job *job, const struct point *point)
{
    for (int i = 0; i < job->only_count; i++) {
        const struct condition *one = &job->only[i];
        bool wanted = holds(one, point);
        for (int k = 0; !wanted && one->relation == EQUAL && k < job->only_count; k++)
            wanted = job->only[k].relation == EQUAL && !strcmp(job->only[k].name, one->name) &&
                     holds(&job->only[k], point);
        if (!wanted)
            return false;
    }
    return true;
}
