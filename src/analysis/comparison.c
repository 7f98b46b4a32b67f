#include "analysis/comparison.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spill.h"

size_t comparison_section(struct comparison *comparison, const char *a, const char *b)
{
    for (size_t i = 0; i < comparison->sections; i++)
        if (!strcmp(comparison->section[i].a, a) && !strcmp(comparison->section[i].b, b))
            return i;
    comparison->section =
        memory_resize(comparison->section, comparison->sections + 1, sizeof *comparison->section);
    comparison->section[comparison->sections] = (struct comparison_section){memory_text(a), memory_text(b)};
    return comparison->sections++;
}

/* ---- Large arrays ---- */

enum { MANY = 1 << 15, PORTION = 1 << 13 }; /* pairs: whose arrays are spilled, at a time */

/* `count` elements; where there are many, kept out of memory by *spill. */
static void *new_array(size_t count, size_t size, struct spill **spill)
{
    *spill = count > MANY ? spill_new() : NULL;
    if (!*spill)
        return memory_new(count + 1, size);
    spill_reserve(*spill, count * size);
    return spill_base(*spill);
}

static void free_array(void *array, struct spill *spill)
{
    if (spill)
        spill_free(spill);
    else
        free(array);
}

enum { SPILL_PAIR, SPILL_RATIO };

void comparison_expect(struct comparison *comparison, size_t pairs)
{
    comparison->pair = new_array(pairs, sizeof *comparison->pair, &comparison->spill[SPILL_PAIR]);
    comparison->capacity = pairs + 1;
}

void comparison_make_room(struct comparison *comparison)
{
    size_t pairs = comparison->pairs;
    comparison->ratio = new_array(pairs, sizeof *comparison->ratio, &comparison->spill[SPILL_RATIO]);
}

static void evict(const struct comparison *comparison)
{
    for (int i = 0; i < COMPARISON_SPILLS; i++)
        if (comparison->spill[i])
            spill_evict(comparison->spill[i]);
    for (int i = 0; i < 2; i++)
        summary_cells_evict(&comparison->cells[i]);
    for (int i = 0; i < 2 && comparison->file[i]; i++)
        dataset_evict(comparison->file[i]);
}

void comparison_evict_at(const struct comparison *comparison, size_t pair)
{
    if (pair % PORTION == 0 && comparison->spill[SPILL_PAIR])
        evict(comparison);
}

void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b)
{
    assert(section < comparison->sections && (a.dataset || b.dataset));
    if (comparison->spill[SPILL_PAIR])
        spill_reserve(comparison->spill[SPILL_PAIR], (comparison->pairs + 1) * sizeof *comparison->pair);
    else
        comparison->pair =
            memory_grow(comparison->pair, comparison->pairs, &comparison->capacity, sizeof *comparison->pair);
    comparison->pair[comparison->pairs++] = (struct comparison_pair){section, a, b};
    comparison->predicted_a |= a.predicted;
    comparison->predicted_b |= b.predicted;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->sections; i++) {
        free(comparison->section[i].a);
        free(comparison->section[i].b);
    }
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        entry_free(&comparison->pair[i].a);
        entry_free(&comparison->pair[i].b);
    }
    free(comparison->section);
    free_array(comparison->pair, comparison->spill[SPILL_PAIR]);
    free_array(comparison->ratio, comparison->spill[SPILL_RATIO]);
    for (int i = 0; i < 2; i++)
        summary_cells_free(&comparison->cells[i]);
    text_free(&comparison->assumed);
    *comparison = (struct comparison){0};
}
