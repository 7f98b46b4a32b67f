#include "plan/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of an H100 SXM. */
static const struct target standard = {
    .multiprocessors = 132, .l2_bytes = 52428800, .shared_bytes = 232448, .memory_bytes = 85045215232};

static const struct target *device_of(struct reading *reading)
{
    if (!reading->asked && reading->device)
        reading->target = reading->device->ask(reading->device->context);
    reading->asked = true;
    return &reading->target;
}

static int64_t of_device(int64_t value, int64_t otherwise)
{
    return value > 0 ? value : otherwise;
}

static int64_t power_below(int64_t value)
{
    int64_t power = 1;
    while (power <= value / 2)
        power *= 2;
    return power;
}

/* `l2*4`, `l2/8`: rounded up to a power of two, so that 50 and 60 MiB are the same. */
static int64_t size_of_l2(uint64_t l2_bytes, int64_t factor, int64_t divisor)
{
    int64_t exact = of_device((int64_t)l2_bytes, (int64_t)standard.l2_bytes) * factor / divisor,
            below = power_below(exact);
    return below < exact ? 2 * below : below;
}

/* The value of a word on a numeric axis. False: it is none of these. */
static bool value_of(struct reading *reading, const char *word, int64_t *value)
{
    int64_t number = 0;
    char name[8] = "", sign = 0;
    int read = 0, parts = sscanf(word, "%7[a-z2]%n%c%" SCNd64 "%n", name, &read, &sign, &number, &read);
    if (parts < 1 || word[read] || parts == 2 || (parts == 3 && (number < 1 || number > 1 << 20)))
        return false;
    if (strcmp(name, "sms") != 0 && strcmp(name, "l2") != 0 && strcmp(name, "shared") != 0 &&
        strcmp(name, "memory") != 0 && strcmp(name, "fit") != 0)
        return false;
    const struct target *device = device_of(reading);
    const int64_t sms = of_device(device->multiprocessors, standard.multiprocessors),
                  shared = of_device((int64_t)device->shared_bytes, (int64_t)standard.shared_bytes),
                  fitting = shared / RELATIVE_STAGE_BYTES;
    if (!strcmp(name, "sms") && (parts == 1 || sign == '-' || sign == '/'))
        *value = sign == '/' ? sms / number : sms - number; /* of the word alone, number is 0 */
    else if (!strcmp(name, "l2") && (parts == 1 || sign == '*' || sign == '/'))
        *value = size_of_l2(device->l2_bytes, sign == '*' ? number : 1, sign == '/' ? number : 1);
    else if (!strcmp(name, "shared") && (parts == 1 || sign == '/'))
        *value = power_below(shared / (parts == 3 ? number : 1));
    else if (!strcmp(name, "memory") && parts == 1)
        *value = power_below(of_device((int64_t)device->memory_bytes, (int64_t)standard.memory_bytes));
    else if (!strcmp(name, "fit") && parts == 1)
        *value = fitting < RELATIVE_STAGES_MAX ? fitting : RELATIVE_STAGES_MAX;
    else
        return false;
    return *value >= 0;
}

/* Whether another item of the list has the value. Those before are numbers already; of words behind, the
 * later one goes. */
static bool is_double(struct reading *reading, const struct yaml_node *list, const struct yaml_node *node,
                      const struct axis *axis, int64_t value)
{
    for (const struct yaml_node *item = list->first; item; item = item->next) {
        int64_t other;
        struct error ignored;
        if (item != node && item->kind == YAML_NODE_SCALAR && !value_of(reading, item->text, &other) &&
            axis_parse(axis, item->text, &other, &ignored) == 0 && other == value)
            return true;
    }
    return false;
}

/* `list`: that has the scalar, or NULL. */
static bool resolve_scalar(struct reading *reading, struct yaml_node *list, struct yaml_node *node,
                           const struct axis *axis)
{
    struct yaml_tree *tree = reading->tree;
    int64_t value;
    char number[AXIS_TEXT_SIZE];
    const bool all = !strcmp(node->text, "all");
    if (node->quoted || !value_of(reading, all ? "sms-1" : node->text, &value))
        return false;
    if (list && !all && is_double(reading, list, node, axis, value)) {
        yaml_remove(list, node);
        return true;
    }
    axis_format(axis, value, number);
    node->text = yaml_new(tree, node, YAML_NODE_SCALAR, number)->text;
    if (all) {
        node->kind = YAML_NODE_MAP;
        yaml_map_put(tree, node, "from", yaml_new(tree, node, YAML_NODE_SCALAR, "0"));
        yaml_map_put(tree, node, "to", yaml_new(tree, node, YAML_NODE_SCALAR, number));
        yaml_map_put(tree, node, "step", yaml_new(tree, node, YAML_NODE_SCALAR, "1"));
    }
    return true;
}

bool relative_resolve(struct reading *reading, struct yaml_node *values, const struct axis *axis)
{
    bool any = false, list = values->kind == YAML_NODE_LIST;
    if (axis_is_text(axis))
        return false;
    if (values->kind == YAML_NODE_SCALAR)
        return resolve_scalar(reading, NULL, values, axis);
    for (struct yaml_node *item = values->first; item; item = item->next)
        if (list && item->kind == YAML_NODE_SCALAR)
            any |= resolve_scalar(reading, values, item, axis);
        else
            any |= relative_resolve(reading, list ? item : item->value, axis);
    return any;
}
