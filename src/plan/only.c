#include "plan/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/condition.h"

/* A value, or all from `first` to `last`. */
struct term {
    int64_t first, last;
};

/* A condition applied to one sweep. */
struct reach {
    int axis; /* of the sweep's kernel; KERNEL, or MISSING */
    struct term *term;
    size_t terms, capacity;
};
enum { MISSING = -1, KERNEL = -2 };

struct job_only {
    char *text; /* owned: the name, cut off at the operator */
    enum relation relation;
    struct reach *reach; /* owned; per sweep */
};

static void add_term(struct reach *reach, int64_t first, int64_t last)
{
    reach->term = memory_grow(reach->term, reach->terms, &reach->capacity, sizeof *reach->term);
    reach->term[reach->terms++] = (struct term){first, last};
}

/* ---- Reading ---- */

/* Add a value, or a range, for one sweep. Fails if its axis does not have the value; another sweep may have it. */
static int read_term(const struct job_only *only, const struct axis *axis, const char *value,
                     const char *last, struct reach *reach, struct error *error)
{
    int64_t from, to;
    bool number = axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT, ordered = only->relation >= LESS;
    if (!number && (ordered || last))
        return error_set(error, ERROR_USAGE, "the values of %s have no order; expected = or !=", axis->name);
    if (ordered && last)
        return error_set(error, ERROR_USAGE, "ranges are allowed only with = and !=");
    if (axis_parse(axis, value, &from, error) != 0 || (last && axis_parse(axis, last, &to, error) != 0))
        return -1;
    add_term(reach, from, last ? to : from);
    return 0;
}

static int read_kernel(const struct reading *reading, const struct yaml_node *at, struct job_only *only,
                       const char *value, const struct job *job)
{
    const char **names = memory_new((size_t)job->sweep_count + 1, sizeof *names);
    bool known = false;
    int status = 0;
    for (int s = 0; s < job->sweep_count; s++) {
        names[s] = job->sweeps[s].family->space.kernel;
        if (strcmp(names[s], value) != 0)
            continue;
        known = true;
        add_term(&only->reach[s], s, s);
    }
    if (only->relation >= LESS) {
        status = reading_fail(reading, at, "only: kernels have no order; expected = or !=");
    } else if (!known) {
        struct yaml_node quoted = *at;
        quoted.text = value;
        status = reading_unknown(reading, &quoted, "kernel of this job", names);
    }
    free(names);
    return status;
}

/* Add one value of a condition to every sweep that has the axis. */
static int read_value(const struct reading *reading, const struct yaml_node *at, struct job_only *only,
                      char *value, const struct job *job)
{
    struct error why = {0};
    bool known = false;
    if (!strcmp(only->text, "kernel"))
        return read_kernel(reading, at, only, value, job);
    char *last = condition_cut_range(value);
    for (int s = 0; s < job->sweep_count; s++) {
        struct reach *reach = &only->reach[s];
        if (reach->axis >= 0 &&
            read_term(only, &job->sweeps[s].family->space.axes[reach->axis], value, last, reach, &why) == 0)
            known = true;
    }
    return known ? 0 : reading_fail(reading, at, "only: %s", why.text);
}

static int unknown_name(const struct reading *reading, const struct yaml_node *at, const char *name,
                        const struct job *job)
{
    const char **names = job_axis_names(job, "kernel");
    struct yaml_node quoted = *at;
    quoted.text = name;
    reading_unknown(reading, &quoted, "axis of the swept kernels", names);
    free(names);
    return -1;
}

static int read_condition(const struct reading *reading, const struct yaml_node *at, struct job_only *only,
                          const struct job *job)
{
    char *rest = NULL, *values = condition_cut(only->text, &only->relation);
    if (!values)
        return reading_fail(reading, at, "only: '%s' is not a condition; " CONDITION_EXPECTED,
                            yaml_quote(at->text).text);
    bool kernel = !strcmp(only->text, "kernel"), known = kernel;
    size_t count = 0;
    for (int s = 0; s < job->sweep_count; s++) {
        int axis = space_axis(&job->sweeps[s].family->space, only->text);
        only->reach[s].axis = kernel ? KERNEL : axis >= 0 ? axis : MISSING;
        known = known || axis >= 0;
    }
    if (!known)
        return unknown_name(reading, at, only->text, job);
    for (char *value = strtok_r(values, ",", &rest); value; value = strtok_r(NULL, ",", &rest), count++)
        if (read_value(reading, at, only, value, job) != 0)
            return -1;
    if (only->relation >= LESS && count != 1)
        return reading_fail(reading, at,
                            "only: %s is compared with %zu values; expected one after < <= > >=", only->text,
                            count);
    return count ? 0 : reading_fail(reading, at, "only: '%s' has no value", yaml_quote(at->text).text);
}

static int read_one(struct reading *reading, const struct yaml_node *node, struct job *job)
{
    const char *text = reading_scalar(reading, node, "only");
    if (!text)
        return -1;
    if (job->only_count == JOB_ONLY_MAX)
        return reading_fail(reading, node, "only: more than %d conditions", JOB_ONLY_MAX);
    struct job_only *only = &job->only[job->only_count++];
    only->text = memory_text(text);
    only->reach = memory_new((size_t)job->sweep_count, sizeof *only->reach);
    return read_condition(reading, node, only, job);
}

int only_read(struct reading *reading, const struct yaml_node *node, struct job *job)
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

void only_free(struct job *job)
{
    for (int i = 0; i < job->only_count; i++) {
        for (int s = 0; s < job->sweep_count; s++)
            free(job->only[i].reach[s].term);
        free(job->only[i].reach);
        free(job->only[i].text);
    }
    free(job->only);
    job->only = NULL;
    job->only_count = 0;
}

/* ---- Evaluating ---- */

static bool is_one_of(const struct reach *reach, int64_t value)
{
    for (size_t i = 0; i < reach->terms; i++)
        if (value >= reach->term[i].first && value <= reach->term[i].last)
            return true;
    return false;
}

static bool holds(const struct job_only *only, int sweep, const struct point *point)
{
    const struct reach *reach = &only->reach[sweep];
    if (reach->axis == MISSING)
        return only->relation == NOT_EQUAL;
    int64_t value = reach->axis == KERNEL ? sweep : point->value[reach->axis];
    if (only->relation == EQUAL || only->relation == NOT_EQUAL)
        return is_one_of(reach, value) == (only->relation == EQUAL);
    if (!reach->terms)
        return false;
    int64_t limit = reach->term[0].first;
    return relation_holds(only->relation, (value > limit) - (value < limit));
}

bool job_wants(const struct job *job, int sweep, const struct point *point)
{
    for (int i = 0; i < job->only_count; i++) {
        const struct job_only *one = &job->only[i];
        bool wanted = holds(one, sweep, point);
        for (int k = 0; !wanted && one->relation == EQUAL && k < job->only_count; k++) {
            const struct job_only *other = &job->only[k];
            wanted =
                other->relation == EQUAL && !strcmp(other->text, one->text) && holds(other, sweep, point);
        }
        if (!wanted)
            return false;
    }
    return true;
}
