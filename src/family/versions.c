#include "family/versions.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

/* Few, and looked up for each point: a table without a hash is quicker. Written before threads start. */
static struct joined {
    const struct family *family, *version[VERSIONS];
} joined[FAMILIES_MAX];
static int joined_count;

static const struct joined *find(const struct space *space)
{
    for (int i = 0; i < joined_count; i++)
        if (&joined[i].family->space == space)
            return &joined[i];
    return NULL;
}

bool versions_are_loaded(void)
{
    return joined_count > 0;
}

int versions_axis(const struct space *space)
{
    return find(space) ? space->count - 1 : -1;
}

const struct family *versions_pick(const struct family *family, int64_t version)
{
    const struct joined *there = find(&family->space);
    assert(!there || (version >= 0 && version < VERSIONS));
    return there ? there->version[version] : family;
}

bool versions_is_second(const struct point *point)
{
    int axis = versions_axis(point->space);
    return axis >= 0 && point->value[axis] == 1;
}

/* ---- Joining ---- */

static bool same_words(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a == b;
    while (*a && *b && !strcmp(*a, *b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* What differs between two descriptions of an axis; NULL: nothing that a point depends on. */
static const char *axis_difference(const struct axis *a, const struct axis *b)
{
    if (strcmp(a->name, b->name) != 0)
        return "name or place";
    if (a->kind != b->kind)
        return "kind";
    if (strcmp(a->standard, b->standard) != 0)
        return "standard value";
    if (!same_words(a->words, b->words))
        return "words";
    if (a->least != b->least)
        return "least value";
    if (a->most != b->most)
        return "largest value";
    return a->compiled != b->compiled ? "being compiled in" : NULL;
}

static int check(const struct family *a, const struct family *b, const char *const names[VERSIONS],
                 struct error *error)
{
    const char *kernel = a->space.kernel;
    if (a->space.count != b->space.count)
        return error_set(
            error, ERROR_USAGE,
            "kernel '%s' has %d axes in version %s and %d in version %s; expected the same axes in both",
            kernel, a->space.count, names[0], b->space.count, names[1]);
    for (int i = 0; i < a->space.count; i++) {
        const char *what = axis_difference(&a->space.axes[i], &b->space.axes[i]);
        if (what)
            return error_set(error, ERROR_USAGE,
                             "kernel '%s': axis '%s' of version %s and axis '%s' of version %s differ in "
                             "their %s; expected the same axes in both",
                             kernel, a->space.axes[i].name, names[0], b->space.axes[i].name, names[1], what);
    }
    if (a->data_axes != b->data_axes)
        return error_set(error, ERROR_USAGE,
                         "kernel '%s': versions %s and %s differ in data_axes; expected the same inputs",
                         kernel, names[0], names[1]);
    if (a->node_exclusive != b->node_exclusive)
        return error_set(error, ERROR_USAGE,
                         "kernel '%s': versions %s and %s differ in node_exclusive; expected the same",
                         kernel, names[0], names[1]);
    if (space_axis(&a->space, VERSIONS_AXIS) >= 0)
        return error_set(error, ERROR_USAGE,
                         "kernel '%s' has an axis '" VERSIONS_AXIS "', which a paired run adds; rename it",
                         kernel);
    if (a->space.count >= POINT_AXES_MAX)
        return error_set(error, ERROR_USAGE,
                         "kernel '%s' has %d axes; a paired run adds one, and %d is the maximum", kernel,
                         a->space.count, POINT_AXES_MAX);
    return 0;
}

/* The family's axes, and the versions as one more. */
static struct space extend(const struct space *space, const char *const names[VERSIONS])
{
    struct axis *axes = memory_new((size_t)space->count + 1, sizeof *axes);
    const char **words = memory_new(VERSIONS + 1, sizeof *words);
    memcpy(axes, space->axes, (size_t)space->count * sizeof *axes);
    for (int v = 0; v < VERSIONS; v++)
        words[v] = memory_text(names[v]);
    axes[space->count] = (struct axis){.name = VERSIONS_AXIS,
                                       .kind = AXIS_WORD,
                                       .unit = "",
                                       .summary = "which of the two versions of a paired run",
                                       .standard = words[0],
                                       .words = words};
    return (struct space){.kernel = space->kernel, .axes = axes, .count = space->count + 1};
}

const struct family *versions_join(const struct family *const of[VERSIONS], const char *const names[VERSIONS],
                                   struct error *error)
{
    if (check(of[0], of[1], names, error) != 0)
        return NULL;
    if (joined_count == FAMILIES_MAX) {
        error_set(error, ERROR_USAGE, "more than %d kernels have two versions", FAMILIES_MAX);
        return NULL;
    }
    struct space space = extend(&of[0]->space, names);
    struct joined *new = &joined[joined_count];
    struct family *copy[VERSIONS + 1];
    for (int v = 0; v <= VERSIONS; v++) {
        copy[v] = memory_new(1, sizeof **copy);
        *copy[v] = *of[v < VERSIONS ? v : 0];
        copy[v]->space = space;
        if (!copy[v]->data_axes) /* all but the version */
            copy[v]->data_axes = FAMILY_AXIS(space.count - 1) - 1;
    }
    for (int v = 0; v < VERSIONS; v++)
        new->version[v] = copy[v];
    new->family = copy[VERSIONS];
    joined_count++;
    return new->family;
}

/* ---- Buffers ---- */

static bool same_fill(const struct fill *a, const struct fill *b)
{
    return a->kind == b->kind && a->multiplier == b->multiplier && a->addend == b->addend &&
           a->modulus == b->modulus && a->low == b->low && a->high == b->high;
}

bool versions_share_buffers(const struct setup *a, const struct setup *b)
{
    bool same = a->buffers == b->buffers;
    for (int i = 0; i < a->buffers && same; i++) {
        const struct buffer *x = &a->buffer[i], *y = &b->buffer[i];
        same = x->role == y->role && x->dtype == y->dtype && x->count == y->count &&
               x->on_host == y->on_host && x->pageable == y->pageable && x->device == y->device &&
               x->write_combined == y->write_combined && x->numa == y->numa && same_fill(&x->fill, &y->fill);
    }
    return same;
}
