#include "launch/coordinator/kernel_queue.h"

#include <stdlib.h>

#include "base/memory.h"
#include "family/target.h"

struct kernel {
    uint64_t key;
    uint32_t index; /* of a point that needs it */
};

struct list {
    int cache; /* -1: the coordinator's cache folder; else that of this node */
    int capability;
    int ranks; /* that draw from it */
    struct kernel *kernel;
    size_t count, next;
};

struct compiling {
    struct list *list;
    int lists;
    int *list_of; /* of each rank */
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
        struct setup setup = family_of(&point)->setup(&point, target);
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

struct compiling *compiling_new(const struct agenda *agenda, const struct team *team)
{
    struct compiling *compiling = memory_new(1, sizeof *compiling);
    compiling->list = memory_new((size_t)team->count, sizeof *compiling->list);
    compiling->list_of = memory_new((size_t)team->count, sizeof *compiling->list_of);
    for (int rank = 0; rank < team->count; rank++) {
        const struct member *member = &team->member[rank];
        struct target target = target_of_device(&member->device);
        int cache = member->sees_cache ? -1 : member->node, found = 0;
        while (found < compiling->lists && (compiling->list[found].cache != cache ||
                                            compiling->list[found].capability != target.capability))
            found++;
        struct list *list = &compiling->list[found];
        if (found == compiling->lists) {
            *list = (struct list){.cache = cache, .capability = target.capability};
            fill_list(list, agenda, &target);
            compiling->lists++;
        }
        list->ranks++;
        compiling->list_of[rank] = found;
    }
    return compiling;
}

void compiling_free(struct compiling *compiling)
{
    if (!compiling)
        return;
    for (int i = 0; i < compiling->lists; i++)
        free(compiling->list[i].kernel);
    free(compiling->list);
    free(compiling->list_of);
    free(compiling);
}

int compiling_take(struct compiling *compiling, int rank, uint32_t out[MESSAGE_BATCH_MOST])
{
    struct list *list = &compiling->list[compiling->list_of[rank]];
    size_t left = list->count - list->next;
    size_t share = (left + 2 * (size_t)list->ranks - 1) / (2 * (size_t)list->ranks);
    int count = 0;
    while (count < MESSAGE_BATCH_MOST && (size_t)count < share)
        out[count++] = list->kernel[list->next++].index;
    return count;
}

size_t compiling_kernels(const struct compiling *compiling)
{
    size_t kernels = 0;
    for (int i = 0; i < compiling->lists; i++)
        kernels += compiling->list[i].count;
    return kernels;
}
