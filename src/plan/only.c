#include "plan/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/condition.h"

/* A value as it is written; or, if `last` is not NULL, all from `first` to `last`. */
struct term {
    const char *first, *last;
};

struct job_only {
    char *text; /* owned: the name, cut off at the operator; the terms point behind it */
    enum relation relation;
    struct term *term; /* owned */
    size_t terms;
};

static bool is_of_kernel(const struct job_only *only)
{
    return !strcmp(only->text, "kernel");
}

/* The values of a term on an axis. Fails if the axis does not have them; that of another kernel may. */
static int parse_term(const struct job_only *only, const struct axis *axis, const struct term *term,
                      int64_t *from, int64_t *to, struct error *error)
{
    bool number = axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT, ordered = only->relation >= LESS;
    if (!number && (ordered || term->last))
        return error_set(error, ERROR_USAGE, "the values of %s have no order; expected = or !=", axis->name);
    if (ordered && term->last)
        return error_set(error, ERROR_USAGE, "ranges are allowed only with = and !=");
    if (axis_parse(axis, term->first, from, error) != 0)
        return -1;
    return axis_parse(axis, term->last ? term->last : term->first, to, error);
}

/* ---- Reading ---- */

static int check_kernel(const struct reading *reading, const struct yaml_node *at,
                        const struct job_only *only, const char *value, const struct job *job)
{
    const char **names = memory_new((size_t)job->sweep_count + 1, sizeof *names);
    int status = 0;
    for (int s = 0; s < job->sweep_count; s++)
        names[s] = job->sweeps[s].family->space.kernel;
    if (only->relation >= LESS) {
        status = reading_fail(reading, at, "only: kernels have no order; expected = or !=");
    } else if (text_find(names, value) < 0) {
        struct yaml_node quoted = *at;
        quoted.text = value;
        status = reading_unknown(reading, &quoted, "kernel of this job", names);
    }
    free(names);
    return status;
}

/* Add a value of a condition, which some sweep must support. */
static int add_term(const struct reading *reading, const struct yaml_node *at, struct job_only *only,
                    char *value, const struct job *job)
{
    struct error why = {0};
    bool known = false;
    struct term term = {value, is_of_kernel(only) ? NULL : condition_cut_range(value)};
    only->term[only->terms++] = term;
    if (is_of_kernel(only))
        return check_kernel(reading, at, only, value, job);
    for (int s = 0; s < job->sweep_count; s++) {
        const struct space *space = &job->sweeps[s].family->space;
        int64_t from, to;
        int axis = space_axis(space, only->text);
        known |= axis >= 0 && parse_term(only, &space->axes[axis], &term, &from, &to, &why) == 0;
    }
    return known ? 0 : reading_fail(reading, at, "only: %s", why.text);
}

static int check_name(const struct reading *reading, const struct yaml_node *at, const char *name,
                      const struct job *job)
{
    const char **names = job_axis_names(job, "kernel");
    struct yaml_node quoted = *at;
    quoted.text = name;
    int status = text_find(names, name) >= 0
                     ? 0
                     : reading_unknown(reading, &quoted, "axis of the swept kernels", names);
    free(names);
    return status;
}

static int read_one(struct reading *reading, const struct yaml_node *at, struct job *job)
{
    const char *text = reading_scalar(reading, at, "only");
    if (!text)
        return -1;
    if (job->only_count == JOB_ONLY_MAX)
        return reading_fail(reading, at, "only: more than %d conditions", JOB_ONLY_MAX);
    struct job_only *only = &job->only[job->only_count++];
    only->text = memory_text(text);
    char *rest = NULL, *values = condition_cut(only->text, &only->relation);
    if (!values)
        return reading_fail(reading, at, "only: '%s' is not a condition; " CONDITION_EXPECTED,
                            yaml_quote(text).text);
    if (check_name(reading, at, only->text, job) != 0)
        return -1;
    only->term = memory_new(strlen(values), sizeof *only->term); /* more than there are */
    for (char *value = strtok_r(values, ",", &rest); value; value = strtok_r(NULL, ",", &rest))
        if (add_term(reading, at, only, value, job) != 0)
            return -1;
    if (only->relation >= LESS && only->terms != 1)
        return reading_fail(reading, at,
                            "only: %s is compared with %zu values; expected one after < <= > >=", only->text,
                            only->terms);
    return only->terms ? 0 : reading_fail(reading, at, "only: '%s' has no value", yaml_quote(text).text);
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
        free(job->only[i].term);
        free(job->only[i].text);
    }
    free(job->only);
    job->only = NULL;
    job->only_count = 0;
}

/* ---- Evaluating ---- */

static bool holds(const struct job_only *only, const struct point *point)
{
    int axis = space_axis(point->space, only->text);
    bool ordered = only->relation >= LESS, found = false;
    if (axis < 0 && !is_of_kernel(only))
        return only->relation == NOT_EQUAL;
    for (size_t i = 0; i < only->terms && !found; i++) {
        int64_t value = axis < 0 ? 0 : point->value[axis], from = 0, to = 0;
        if (axis < 0)
            found = !strcmp(only->term[i].first, point->space->kernel);
        else if (parse_term(only, &point->space->axes[axis], &only->term[i], &from, &to, NULL) == 0)
            found = ordered ? relation_holds(only->relation, (value > from) - (value < from))
                            : value >= from && value <= to;
    }
    return found == (only->relation != NOT_EQUAL);
}

bool job_wants(const struct job *job, const struct point *point)
{
    for (int i = 0; i < job->only_count; i++) {
        const struct job_only *one = &job->only[i];
        bool wanted = holds(one, point);
        for (int k = 0; !wanted && one->relation == EQUAL && k < job->only_count; k++)
            wanted = job->only[k].relation == EQUAL && !strcmp(job->only[k].text, one->text) &&
                     holds(&job->only[k], point);
        if (!wanted)
            return false;
    }
    return true;
}
