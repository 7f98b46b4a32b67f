#include "family/versions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Few, and looked up for each point: a table without a hash is quicker. Written before threads start. */
static struct joined {
    const struct family *family, *version[VERSIONS];
    const struct family *of[VERSIONS]; /* as their folders have them */
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

const struct family *versions_code(const struct point *point)
{
    const struct joined *there = find(point->space);
    return there ? there->of[versions_is_second(point)]
                 : (const struct family *)point->space; /* first member */
}

/* ---- The first version judges the second ---- */

static const struct family *first_of(struct point *point)
{
    point->value[versions_axis(point->space)] = 0;
    return find(point->space)->of[0];
}

static struct work first_work(const struct point *point)
{
    struct point own = *point;
    return first_of(&own)->work(&own);
}

static struct tolerance first_tolerance(const struct point *point)
{
    struct point own = *point;
    return first_of(&own)->tolerance(&own);
}

static void first_reference(const struct point *point, const struct inputs *inputs, int buffer,
                            uint64_t first, uint64_t count, void *out)
{
    struct point own = *point;
    first_of(&own)->reference(&own, inputs, buffer, first, count, out);
}

static const char *failure_of(const struct family *family, const struct point *point)
{
    return family->failure ? family->failure(point) : NULL;
}

static const char *either_failure(const struct point *point)
{
    struct point own = *point;
    const char *why = failure_of(versions_code(point), point);
    return why ? why : failure_of(first_of(&own), &own);
}

static void take_from_first(struct family *second, const struct family *first)
{
    second->work = first_work;
    second->tolerance = first_tolerance;
    second->reference = first_reference;
    second->failure = either_failure;
    second->materialise = first->materialise;
    second->memory = first->memory;
    second->observe = first->observe;
    second->product = first->product;
    second->operand = first->operand;
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
    memcpy(new->of, of, sizeof new->of);
    take_from_first(copy[1], of[0]);
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

static bool same_buffer(const struct buffer *x, const struct buffer *y)
{
    return x->role == y->role && x->dtype == y->dtype && x->count == y->count && x->on_host == y->on_host &&
           x->pageable == y->pageable && x->device == y->device && x->write_combined == y->write_combined &&
           x->numa == y->numa && same_fill(&x->fill, &y->fill);
}

bool versions_share_buffers(const struct setup *a, const struct setup *b)
{
    bool same = a->buffers == b->buffers;
    for (int i = 0; i < a->buffers && same; i++)
        same = same_buffer(&a->buffer[i], &b->buffer[i]);
    return same;
}

static bool is_verified(const struct buffer *buffer)
{
    return buffer_is_filled(buffer) || buffer_is_compared(buffer);
}

/* The name of an input or output that both do not have at the same place; NULL: there is none. */
static const char *other_buffer(const struct setup *a, const struct setup *b)
{
    static const struct buffer none = {.role = BUFFER_SCRATCH};
    for (int i = 0; i < a->buffers || i < b->buffers; i++) {
        const struct buffer *x = i < a->buffers ? &a->buffer[i] : &none,
                            *y = i < b->buffers ? &b->buffer[i] : &none;
        if ((is_verified(x) || is_verified(y)) && !same_buffer(x, y))
            return is_verified(y) ? y->name : x->name;
    }
    return NULL;
}

const char *versions_refuse(const struct point *point, const struct target *target, char *reason, size_t size)
{
    struct point own = *point;
    if (!versions_is_second(point))
        return NULL;
    const struct family *first = first_of(&own), *second = versions_code(point);
    const char *const *names = point->space->axes[versions_axis(point->space)].words;
    if (first->skip(&own, target, reason, size)) {
        snprintf(reason, size, "version %s, which verifies version %s, does not support the point", names[0],
                 names[1]);
        return reason;
    }
    struct setup setup[VERSIONS] = {first->setup(&own, target), second->setup(point, target)};
    if (either_failure(point))
        return NULL; /* which the worker tells */
    struct work work[VERSIONS] = {first->work(&own), second->work(point)};
    struct tolerance tolerance[VERSIONS] = {first->tolerance(&own), second->tolerance(point)};
    char named[64] = "";
    const char *buffer = other_buffer(&setup[0], &setup[1]), *what = named;
    if (buffer)
        snprintf(named, sizeof named, "another buffer '%.40s'", buffer);
    else if (memcmp(&work[0], &work[1], sizeof work[0]) != 0)
        what = "other work";
    else if (tolerance[0].relative != tolerance[1].relative ||
             tolerance[0].absolute != tolerance[1].absolute || tolerance[0].rms != tolerance[1].rms)
        what = "another tolerance";
    if (!*what)
        return NULL;
    snprintf(reason, size,
             "version %s brings %s than version %s; expected code alone: inputs, outputs, reference, "
             "tolerance and work are those of %s",
             names[1], what, names[0], names[0]);
    return reason;
}
