#include "core/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int space_axis(const struct space *space, const char *name)
{
    for (int i = 0; i < space->count; i++)
        if (!strcmp(space->axes[i].name, name))
            return i;
    return -1;
}

int64_t space_standard(const struct space *space, int axis)
{
    struct error error;
    int64_t value;
    if (axis_parse(&space->axes[axis], space->axes[axis].standard, &value, &error) != 0) {
        fprintf(stderr, "warpsweep: kernel %s, axis %s: %s\n", space->kernel, space->axes[axis].name,
                error.text);
        abort(); /* a family with a bad table: the registry's test finds it before a user does */
    }
    return value;
}

struct point point_standard(const struct space *space)
{
    struct point point = {.space = space};
    for (int i = 0; i < space->count; i++)
        point.value[i] = space_standard(space, i);
    return point;
}

int64_t point_value(const struct point *point, const char *name, int64_t missing)
{
    int axis = space_axis(point->space, name);
    return axis < 0 ? missing : point->value[axis];
}

uint64_t point_id(const struct point *point)
{
    /* Axes combine by sum, so their order in the family's table does not matter; each axis's share is mixed
     * first, so that two axes cannot trade values. */
    uint64_t id = hash_text(HASH_START, point->space->kernel);
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        if (axis->late && point->value[i] == space_standard(point->space, i))
            continue;
        uint64_t share = hash_text(HASH_START, axis->name);
        if (axis->kind == AXIS_WORD)
            share = hash_text(
                share, (axis->words == dtype_tensor_words ? dtype_words : axis->words)[point->value[i]]);
        else
            share = hash_u64(share, (uint64_t)point->value[i]);
        id += hash_mix(share);
    }
    id = hash_mix(id);
    return id ? id : 1;
}

void point_describe(const struct point *point, struct text *out)
{
    text_add(out, "%s", point->space->kernel);
    for (int i = 0; i < point->space->count; i++) {
        char value[AXIS_TEXT_SIZE];
        axis_format(&point->space->axes[i], point->value[i], value);
        text_add(out, " %s=%s", point->space->axes[i].name, value);
    }
}
