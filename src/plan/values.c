#include "plan/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"
#include "base/text.h"

/* A value and its node, for the message about duplicates. */
struct entry {
    int64_t value;
    const struct yaml_node *node;
};

struct collection {
    struct reading *reading;
    const struct axis *axis;
    struct entry *entry;
    size_t count, capacity;
    struct keys seen; /* the values, numbered from 1 */
};

static int budget_spent(const struct reading *reading, const struct yaml_node *node, const struct axis *axis,
                        uint64_t count)
{
    return reading_fail(reading, node,
                        "%s: %" PRIu64 " values here are too many; the maximum over all axes of a job is %u",
                        axis->name, count, JOB_VALUES_MAX);
}

static int add_value(struct collection *values, int64_t value, const struct yaml_node *node)
{
    uint32_t *number = keys_number(&values->seen, (uint64_t)value);
    if (*number) {
        const struct yaml_node *before = values->entry[*number - 1].node;
        char shown[AXIS_TEXT_SIZE];
        axis_format(values->axis, value, shown);
        return reading_fail(values->reading, node,
                            "%s: the value %s is given twice; the first is at line %d, column %d",
                            values->axis->name, shown, before->line, before->column);
    }
    if (values->reading->values_left == 0)
        return budget_spent(values->reading, node, values->axis, values->count + 1);
    values->reading->values_left--;
    values->entry = memory_grow(values->entry, values->count, &values->capacity, sizeof *values->entry);
    values->entry[values->count++] = (struct entry){value, node};
    *number = (uint32_t)values->count;
    return 0;
}

static int read_scalar(const struct reading *reading, const struct axis *axis, const struct yaml_node *node,
                       int64_t *value)
{
    struct error inner;
    const char *text = reading_scalar(reading, node, axis->name);
    if (text && axis_parse(axis, text, value, &inner) == 0)
        return 0;
    return text ? reading_fail(reading, node, "%s", inner.text) : -1;
}

/* The `step` or `factor` of a range: a size for the step of a bytes axis, else an integer. */
static int read_stride(const struct reading *reading, const struct axis *axis, const struct yaml_node *node,
                       const char *what, int64_t min, int64_t *value)
{
    const char *text = reading_scalar(reading, node, what);
    if (!text)
        return -1;
    bool bytes = axis->kind == AXIS_BYTES && !strcmp(what, "step");
    if (!(bytes ? text_parse_bytes(text, value) : text_parse_integer(text, value)))
        return reading_fail(reading, node, "%s: expected %s, found '%s'", what,
                            bytes ? "a size, like 64KiB" : "a whole number", yaml_quote(text).text);
    if (*value < min)
        return reading_fail(reading, node, "%s: must be at least %" PRId64 ", found '%s'", what, min,
                            yaml_quote(text).text);
    return 0;
}

static int add_steps(struct collection *values, const struct yaml_node *node, int64_t from, int64_t to,
                     int64_t step)
{
    uint64_t count = ((uint64_t)to - (uint64_t)from) / (uint64_t)step;
    if (count >= values->reading->values_left)
        return budget_spent(values->reading, node, values->axis, count == UINT64_MAX ? count : count + 1);
    for (uint64_t i = 0; i <= count; i++)
        if (add_value(values, (int64_t)((uint64_t)from + i * (uint64_t)step), node) != 0)
            return -1;
    return 0;
}

static int add_powers(struct collection *values, const struct yaml_node *node, int64_t from, int64_t to,
                      int64_t factor)
{
    for (int64_t value = from;;) {
        if (add_value(values, value, node) != 0)
            return -1;
        if (value > to / factor) /* value * factor would exceed `to`, or overflow */
            return 0;
        value *= factor;
    }
}

static int add_range(struct collection *values, const struct yaml_node *node)
{
    static const char *const known[] = {"from", "to", "factor", "step", NULL};
    const struct reading *reading = values->reading;
    const struct axis *axis = values->axis;
    if (axis_is_text(axis))
        return reading_fail(reading, node, "%s takes words, not a range; write a list", axis->name);
    if (reading_map(reading, node, axis->name) != 0 ||
        reading_keys(reading, node, "key of a range", known) != 0)
        return -1;
    const struct yaml_node *from_node = yaml_map_find(node, "from"), *to_node = yaml_map_find(node, "to");
    const struct yaml_node *factor = yaml_map_find(node, "factor"), *step = yaml_map_find(node, "step");
    const char *wrong = NULL;
    if (!factor == !step)
        wrong = factor ? "both 'factor' and 'step'" : "neither 'factor' nor 'step'";
    if (!from_node || !to_node)
        wrong = from_node ? "no 'to'" : "no 'from'";
    if (wrong)
        return reading_fail(reading, node,
                            "%s: a range is {from, to, factor} or {from, to, step}; this one has %s",
                            axis->name, wrong);
    int64_t from, to, stride;
    if (read_scalar(reading, axis, from_node, &from) != 0 || read_scalar(reading, axis, to_node, &to) != 0)
        return -1;
    if (from > to)
        return reading_fail(reading, from_node, "%s: 'from' (%s) is above 'to' (%s)", axis->name,
                            yaml_quote(from_node->text).text, yaml_quote(to_node->text).text);
    if (step)
        return read_stride(reading, axis, step, "step", 1, &stride) != 0
                   ? -1
                   : add_steps(values, node, from, to, stride);
    if (read_stride(reading, axis, factor, "factor", 2, &stride) != 0)
        return -1;
    if (from < 1)
        return reading_fail(reading, from_node, "%s: a range by 'factor' cannot start at %s; use 'step'",
                            axis->name, yaml_quote(from_node->text).text);
    return add_powers(values, node, from, to, stride);
}

static int add_node(struct collection *values, const struct yaml_node *node)
{
    int64_t value;
    if (node->kind == YAML_NODE_MAP)
        return add_range(values, node);
    return read_scalar(values->reading, values->axis, node, &value) != 0 ? -1
                                                                         : add_value(values, value, node);
}

int values_read(struct reading *reading, const struct axis *axis, struct yaml_node *node,
                struct job_axis *out)
{
    struct collection values = {.reading = reading, .axis = axis};
    reading->relative |= relative_resolve(reading, node, axis);
    const bool list = node->kind == YAML_NODE_LIST;
    int status = list ? reading_list(reading, node, axis->name) : add_node(&values, node);
    for (const struct yaml_node *item = list ? node->first : NULL; item && status == 0; item = item->next)
        status = add_node(&values, item);
    if (status == 0) {
        out->count = values.count;
        out->values = memory_new(values.count, sizeof *out->values);
        for (size_t i = 0; i < values.count; i++)
            out->values[i] = values.entry[i].value;
    }
    free(values.entry);
    keys_free(&values.seen);
    return status;
}
