#include "coordinator/state/kernel_queue.h"

#include <stdlib.h>

#include "base/memory.h"
#include "family/target.h"

struct kernel {
    uint64_t key;
    uint32_t index; /* of a point that needs it */
};

/* The kernels that a kind of device needs. */
struct list {
    int capability;
    struct kernel *kernel;
    size_t count;
};

/* How far the ranks of one cache folder are with a list. */
struct cursor {
    int cache; /* -1: the coordinator's cache folder; else that of this node */
    int list;
    int ranks; /* that draw from it */
    size_t next;
};

struct compiling {
    struct list *list;
    struct cursor *cursor;
    int lists, cursors;
    int *cursor_of; /* of each rank */
};

static int compare_kernels(const void *left, const void *right)
{
    const struct kernel *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_indices(const void *left, const void *right)
{
    const struct kernel *a = left, *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The distinct kernels of what is to be done on such a device. */
static void fill_list(struct list *list, const struct agenda *agenda, const struct target *target)
{
    char reason[256];
    size_t all = 0;
    list->kernel = memory_new(agenda->todo_count, sizeof *list->kernel);
    for (size_t i = 0; i < agenda->todo_count; i++) {
        struct point point = grid_point(agenda->grid, agenda->todo[i]);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        struct setup setup = point_setup(&point, target);
        if (!setup_has_code(&setup))
            continue;
        list->kernel[all++] = (struct kernel){family_code_key(&point, target->capability), agenda->todo[i]};
    }
    qsort(list->kernel, all, sizeof *list->kernel, compare_kernels);
    for (size_t i = 0; i < all; i++)
        if (!i || list->kernel[i].key != list->kernel[i - 1].key)
            list->kernel[list->count++] = list->kernel[i];
    qsort(list->kernel, list->count, sizeof *list->kernel, compare_indices);
}

/* The list for such a device: that of an earlier one of its kind, or a new one. */
static int find_list(struct compiling *compiling, const struct agenda *agenda, const struct target *target)
{
    int found = 0;
    while (found < compiling->lists && compiling->list[found].capability != target->capability)
        found++;
    if (found == compiling->lists) {
        struct list *list = &compiling->list[compiling->lists++];
        list->capability = target->capability;
        fill_list(list, agenda, target);
    }
    return found;
}

static int compare_cursors(const void *left, const void *right)
{
    const struct cursor *a = left, *b = right;
    if (a->cache != b->cache)
        return a->cache < b->cache ? -1 : 1;
    return a->list != b->list ? (a->list < b->list ? -1 : 1) : 0;
}

/* One cursor for all ranks of like cache and list, from one for each; in order, so that ranks find theirs. */
static void join_cursors(struct compiling *compiling, int ranks)
{
    qsort(compiling->cursor, (size_t)ranks, sizeof *compiling->cursor, compare_cursors);
    for (int i = 0; i < ranks; i++) {
        struct cursor *last = compiling->cursors ? &compiling->cursor[compiling->cursors - 1] : NULL;
        if (last && compare_cursors(last, &compiling->cursor[i]) == 0)
            last->ranks++;
        else
            compiling->cursor[compiling->cursors++] = compiling->cursor[i];
    }
}

struct compiling *compiling_new(const struct agenda *agenda, const struct team *team)
{
    struct compiling *compiling = memory_new(1, sizeof *compiling);
    size_t ranks = (size_t)team->count;
    struct cursor *wanted = memory_new(ranks, sizeof *wanted);
    compiling->list = memory_new(ranks, sizeof *compiling->list);
    compiling->cursor = memory_new(ranks, sizeof *compiling->cursor);
    compiling->cursor_of = memory_new(ranks, sizeof *compiling->cursor_of);
    for (int rank = 0; rank < team->count; rank++) {
        const struct member *member = &team->member[rank];
        struct target target = target_of_device(&member->device);
        wanted[rank] = (struct cursor){.cache = member->sees_cache ? -1 : member->node,
                                       .list = find_list(compiling, agenda, &target),
                                       .ranks = 1};
        compiling->cursor[rank] = wanted[rank];
    }
    join_cursors(compiling, team->count);
    for (int rank = 0; rank < team->count; rank++) {
        const struct cursor *cursor = bsearch(&wanted[rank], compiling->cursor, (size_t)compiling->cursors,
                                              sizeof *cursor, compare_cursors);
        compiling->cursor_of[rank] = (int)(cursor - compiling->cursor);
    }
    free(wanted);
    return compiling;
}

void compiling_free(struct compiling *compiling)
{
    if (!compiling)
        return;
    for (int i = 0; i < compiling->lists; i++)
        free(compiling->list[i].kernel);
    free(compiling->list);
    free(compiling->cursor);
    free(compiling->cursor_of);
    free(compiling);
}

int compiling_take(struct compiling *compiling, int rank, uint32_t out[MESSAGE_COMPILE_MOST])
{
    struct cursor *cursor = &compiling->cursor[compiling->cursor_of[rank]];
    const struct list *list = &compiling->list[cursor->list];
    size_t left = list->count - cursor->next;
    /* Ranks that draw from one list leave something for whoever is done first. */
    size_t parts = cursor->ranks > 1 ? 2 * (size_t)cursor->ranks : 1, share = (left + parts - 1) / parts;
    int count = 0;
    while (count < MESSAGE_COMPILE_MOST && (size_t)count < share)
        out[count++] = list->kernel[cursor->next++].index;
    return count;
}

size_t compiling_kernels(const struct compiling *compiling)
{
    size_t kernels = 0;
    for (int i = 0; i < compiling->cursors; i++)
        kernels += compiling->list[compiling->cursor[i].list].count;
    return kernels;
}
