#include "plan/relative.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/registry.h"

/* Of an H100 SXM. */
static const struct target standard = {
    .multiprocessors = 132, .l2_bytes = 52428800, .shared_bytes = 232448, .memory_bytes = 85045215232};
static struct target device;

void relative_set_device(const struct target *target)
{
    device = *target;
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
static bool size_of_l2(int64_t factor, int64_t divisor, int64_t *value)
{
    int64_t exact = of_device((int64_t)device.l2_bytes, (int64_t)standard.l2_bytes) * factor / divisor;
    *value = power_below(exact);
    *value *= *value < exact ? 2 : 1;
    return true;
}

/* The value of a word on a numeric axis. False: it is none of these. */
static bool value_of(const char *word, int64_t *value)
{
    const int64_t sms = of_device(device.multiprocessors, standard.multiprocessors),
                  shared = of_device((int64_t)device.shared_bytes, (int64_t)standard.shared_bytes);
    int64_t number = 0, fitting = shared / RELATIVE_STAGE_BYTES;
    char name[8] = "", sign = 0;
    int read = 0, parts = sscanf(word, "%7[a-z2]%n%c%" SCNd64 "%n", name, &read, &sign, &number, &read);
    if (parts < 1 || word[read] || parts == 2 || (parts == 3 && (number < 1 || number > 1 << 20)))
        return false;
    if (!strcmp(name, "sms") && (parts == 1 || sign == '-' || sign == '/'))
        *value = parts == 1 ? sms : sign == '-' ? sms - number : sms / number;
    else if (!strcmp(name, "l2") && (parts == 1 || sign == '*' || sign == '/'))
        return size_of_l2(sign == '*' ? number : 1, sign == '/' ? number : 1, value);
    else if (!strcmp(name, "shared") && (parts == 1 || sign == '/'))
        *value = power_below(shared / (parts == 3 ? number : 1));
    else if (!strcmp(name, "memory") && parts == 1)
        *value = power_below(of_device((int64_t)device.memory_bytes, (int64_t)standard.memory_bytes));
    else if (!strcmp(name, "fit") && parts == 1)
        *value = fitting < RELATIVE_STAGES_MAX ? fitting : RELATIVE_STAGES_MAX;
    else
        return false;
    return *value >= 0;
}

/* ---- Places in the text ---- */

struct rewriting {
    const char *text;
    size_t size, at, copied; /* `at`: of line and column below */
    int line, column;
    struct text out; /* the text before `copied`, rewritten */
    bool only_looks, any;
};

/* Nodes are visited in the order of the text. */
static size_t offset_of(struct rewriting *r, const struct yaml_node *node)
{
    while (r->at < r->size && (r->line < node->line || (r->line == node->line && r->column < node->column))) {
        const unsigned char c = (unsigned char)r->text[r->at++];
        if (c == '\n')
            r->line++, r->column = 1;
        else if ((r->at >= r->size || ((unsigned char)r->text[r->at] & 0xc0) != 0x80))
            r->column++;
    }
    return r->at;
}

static void replace(struct rewriting *r, size_t from, size_t to, const char *with)
{
    text_append(&r->out, r->text + r->copied, from - r->copied);
    text_add(&r->out, "%s", with);
    r->copied = to;
}

/* ---- Values ---- */

static bool is_number(const struct axis *axis)
{
    return axis && (axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT);
}

/* Whether another item of the list has the value: of relative ones, an earlier one. */
static bool is_double(const struct yaml_node *list, const struct yaml_node *node, const struct axis *axis,
                      int64_t value)
{
    bool before = true;
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        int64_t other;
        struct error ignored;
        before = before && item != node;
        if (item == node || item->kind != YAML_NODE_SCALAR)
            continue;
        if (value_of(item->text, &other)
                ? before && other == value
                : axis_parse(axis, item->text, &other, &ignored) == 0 && other == value)
            return true;
    }
    return false;
}

/* A list [a, b] loses the item with the comma before it, or, of the first one, after it. */
static void leave_out(struct rewriting *r, size_t from, size_t to)
{
    size_t comma = from;
    while (comma > r->copied && r->text[comma - 1] == ' ')
        comma--;
    if (comma > r->copied && r->text[comma - 1] == ',') {
        replace(r, comma - 1, to, "");
        return;
    }
    while (to < r->size && r->text[to] == ' ')
        to++;
    replace(r, from, to < r->size && r->text[to] == ',' ? to + 1 : to, "");
}

static void resolve_scalar(struct rewriting *r, const struct yaml_node *list, const struct yaml_node *node,
                           const struct axis *axis)
{
    char number[AXIS_TEXT_SIZE];
    int64_t value = 0;
    const size_t length = strlen(node->text);
    const bool all = !strcmp(node->text, "all");
    if (!all && !value_of(node->text, &value))
        return;
    r->any = true;
    if (r->only_looks)
        return;
    const size_t from = offset_of(r, node);
    if (from + length > r->size || strncmp(r->text + from, node->text, length) != 0)
        return; /* quoted */
    if (all) {
        value_of("sms-1", &value);
        snprintf(number, sizeof number, "{from: 0, to: %" PRId64 ", step: 1}", value);
    } else {
        snprintf(number, sizeof number, "%" PRId64, value);
    }
    if (!all && axis->kind == AXIS_BYTES)
        axis_format(axis, value, number);
    if (!all && is_double(list, node, axis, value))
        leave_out(r, from, from + length);
    else
        replace(r, from, from + length, number);
}

static void resolve_values(struct rewriting *r, const struct yaml_node *list, const struct yaml_node *node,
                           const struct axis *axis)
{
    if (node->kind == YAML_NODE_SCALAR) {
        resolve_scalar(r, list, node, axis);
        return;
    }
    for (const struct yaml_node *item = node->first; item; item = item->next)
        resolve_values(r, node->kind == YAML_NODE_LIST ? node : NULL,
                       node->kind == YAML_NODE_MAP ? item->value : item, axis);
}

/* The axis of that name of a kernel, or of any kernel. */
static const struct axis *find_axis(const struct family *family, const char *name)
{
    for (const struct family *const *f = families; *f; f++) {
        int axis = family && *f != family ? -1 : space_axis(&(*f)->space, name);
        if (axis >= 0 && is_number(&(*f)->space.axes[axis]))
            return &(*f)->space.axes[axis];
    }
    return NULL;
}

bool relative_is_numeric(const char *axis)
{
    return find_axis(NULL, axis) != NULL;
}

static void resolve_axes(struct rewriting *r, const struct yaml_node *map, const struct family *family)
{
    if (!map || map->kind != YAML_NODE_MAP)
        return;
    for (const struct yaml_node *key = map->first; key; key = key->next) {
        const struct axis *axis = find_axis(family, key->text);
        if (axis)
            resolve_values(r, NULL, key->value, axis);
    }
}

static void resolve_sweep(struct rewriting *r, const struct yaml_node *sweep)
{
    if (sweep->kind != YAML_NODE_MAP)
        return;
    const struct yaml_node *kernel = yaml_map_find(sweep, "kernel");
    const struct family *family =
        kernel && kernel->kind == YAML_NODE_SCALAR ? family_find(kernel->text) : NULL;
    for (const struct yaml_node *key = sweep->first; key && family; key = key->next) {
        const bool excludes = !strcmp(key->text, "exclude") && key->value->kind == YAML_NODE_LIST;
        if (!strcmp(key->text, "axes"))
            resolve_axes(r, key->value, family);
        for (const struct yaml_node *one = excludes ? key->value->first : NULL; one; one = one->next)
            resolve_axes(r, one, family);
    }
}

static void resolve(struct rewriting *r, const struct yaml_node *root)
{
    for (const struct yaml_node *key = root->kind == YAML_NODE_MAP ? root->first : NULL; key;
         key = key->next) {
        if (!strcmp(key->text, "defaults"))
            resolve_axes(r, key->value, NULL);
        if (!strcmp(key->text, "sweeps") && key->value->kind == YAML_NODE_LIST)
            for (const struct yaml_node *sweep = key->value->first; sweep; sweep = sweep->next)
                resolve_sweep(r, sweep);
    }
}

bool relative_has_word(const struct yaml_node *node)
{
    int64_t value;
    if (node->kind == YAML_NODE_SCALAR)
        return !strcmp(node->text, "all") || value_of(node->text, &value);
    for (const struct yaml_node *item = node->first; item; item = item->next)
        if (relative_has_word(node->kind == YAML_NODE_MAP ? item->value : item))
            return true;
    return false;
}

bool relative_is_used(const struct yaml_node *root)
{
    struct rewriting looking = {.only_looks = true};
    resolve(&looking, root);
    return looking.any;
}

char *relative_resolve(const struct yaml_node *root, const char *text, size_t size)
{
    struct rewriting r = {.text = text, .size = size, .line = 1, .column = 1};
    if (!relative_is_used(root))
        return NULL;
    resolve(&r, root);
    if (!r.copied) { /* all are quoted: words */
        text_free(&r.out);
        return NULL;
    }
    replace(&r, size, size, "");
    return r.out.data;
}
