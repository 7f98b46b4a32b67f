#include "coordinator/run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "family/target.h"

struct kernel {
    uint64_t key;
    uint32_t index; /* of a point that needs it */
};

/* The kernels for devices of one capability. */
struct list {
    int capability;
    struct kernel *kernel;
    size_t count;
};

/* The progress of the ranks of one node through a list. */
struct cursor {
    int ranks; /* that share it */
    size_t next;
};

struct kernel_queue {
    struct list *list; /* by number of the list, as in list_of */
    int lists, ranks;
    int *list_of, *node_of; /* by rank */
    struct cursor *cursor;  /* by node and list */
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

/* Fill the list with the distinct kernels of the points to measure. */
static void fill_list(struct list *list, const struct run_plan *plan, const struct target *target)
{
    char reason[256];
    size_t all = 0;
    list->kernel = memory_new(2 * plan->todo_count, sizeof *list->kernel);
    for (size_t i = 0; i < 2 * plan->todo_count; i++) { /* each, and the second points of pairs */
        uint32_t first = plan->todo[i / 2], index = i % 2 ? grid_partner(plan->grid, first) : first;
        if (index == GRID_ALONE)
            continue;
        struct point point = grid_point(plan->grid, index);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        struct setup setup = point_setup(&point, target);
        if (!setup_has_code(&setup))
            continue;
        list->kernel[all++] = (struct kernel){family_code_key(&point, target->capability), index};
    }
    qsort(list->kernel, all, sizeof *list->kernel, compare_kernels);
    for (size_t i = 0; i < all; i++)
        if (!i || list->kernel[i].key != list->kernel[i - 1].key)
            list->kernel[list->count++] = list->kernel[i];
    qsort(list->kernel, list->count, sizeof *list->kernel, compare_indices);
}

/* The existing or new list for such a device. */
static int find_list(struct kernel_queue *queue, const struct run_plan *plan, const struct target *target)
{
    int found = 0;
    while (found < queue->lists && queue->list[found].capability != target->capability)
        found++;
    if (found == queue->lists) {
        struct list *list = &queue->list[queue->lists++];
        list->capability = target->capability;
        fill_list(list, plan, target);
    }
    return found;
}

static struct cursor *cursor_of(const struct kernel_queue *queue, int rank)
{
    return &queue->cursor[queue->node_of[rank] * queue->lists + queue->list_of[rank]];
}

struct kernel_queue *kernel_queue_new(const struct run *run)
{
    struct kernel_queue *queue = memory_new(1, sizeof *queue);
    size_t ranks = (size_t)run->team.count;
    queue->list = memory_new(ranks, sizeof *queue->list);
    queue->list_of = memory_new(ranks, sizeof *queue->list_of);
    queue->node_of = memory_new(ranks, sizeof *queue->node_of);
    queue->ranks = run->team.count;
    for (int rank = 0; rank < run->team.count; rank++) {
        const struct member *member = &run->team.member[rank];
        struct target target = target_of_device(&member->device);
        queue->list_of[rank] = find_list(queue, &run->plan, &target);
        queue->node_of[rank] = member->home.node;
    }
    queue->cursor = memory_new(ranks * (size_t)queue->lists, sizeof *queue->cursor);
    for (int rank = 0; rank < run->team.count; rank++)
        cursor_of(queue, rank)->ranks++;
    return queue;
}

void kernel_queue_free(struct kernel_queue *queue)
{
    if (!queue)
        return;
    for (int i = 0; i < queue->lists; i++)
        free(queue->list[i].kernel);
    free(queue->list);
    free(queue->list_of);
    free(queue->node_of);
    free(queue->cursor);
    free(queue);
}

int kernel_queue_take(struct kernel_queue *queue, int rank, uint32_t out[WIRE_COMPILE_MAX])
{
    struct cursor *cursor = cursor_of(queue, rank);
    const struct list *list = &queue->list[queue->list_of[rank]];
    assert(cursor->next <= list->count);
    size_t left = list->count - cursor->next;
    /* Leave work for the other ranks of the list. */
    size_t parts = cursor->ranks > 1 ? 2 * (size_t)cursor->ranks : 1, share = (left + parts - 1) / parts;
    int count = 0;
    while (count < WIRE_COMPILE_MAX && (size_t)count < share)
        out[count++] = list->kernel[cursor->next++].index;
    return count;
}

size_t kernel_queue_count(const struct kernel_queue *queue)
{
    size_t kernels = 0;
    for (int i = 0; i < queue->ranks * queue->lists; i++)
        kernels += queue->cursor[i].ranks ? queue->list[i % queue->lists].count : 0;
    return kernels;
}
