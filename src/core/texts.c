#include "core/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Texts live in blocks that never move; a table of pointers to them, open addressing with linear probing,
 * finds the one that is there already. */
struct texts {
    const char **slot; /* a power of two of them, at most half full */
    size_t slots, used;
    char **block;
    size_t blocks, block_capacity;
    char *next; /* free bytes of the newest block */
    size_t left;
};

struct texts *texts_new(void)
{
    return memory_new(1, sizeof(struct texts));
}

void texts_free(struct texts *texts)
{
    if (!texts)
        return;
    for (size_t i = 0; i < texts->blocks; i++)
        free(texts->block[i]);
    free(texts->block);
    free(texts->slot);
    free(texts);
}

/* The slot that holds these bytes, or the free one where they belong. */
static const char **find_slot(const struct texts *texts, const char *text, size_t length)
{
    size_t mask = texts->slots - 1, at = (size_t)hash_mix(hash_bytes(HASH_START, text, length)) & mask;
    while (texts->slot[at] && (strncmp(texts->slot[at], text, length) != 0 || texts->slot[at][length]))
        at = (at + 1) & mask;
    return &texts->slot[at];
}

static void grow_slots(struct texts *texts)
{
    const struct texts old = *texts;
    texts->slots = old.slots ? 2 * old.slots : 64;
    texts->slot = memory_new(texts->slots, sizeof *texts->slot);
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i])
            *find_slot(texts, old.slot[i], strlen(old.slot[i])) = old.slot[i];
    free(old.slot);
}

/* `size` bytes that live as long as `texts`. */
static char *block_bytes(struct texts *texts, size_t size)
{
    enum { BLOCK = 1 << 16 };
    if (size > texts->left) {
        texts->block = memory_grow(texts->block, texts->blocks, &texts->block_capacity, sizeof *texts->block);
        texts->left = size > BLOCK ? size : BLOCK;
        texts->next = texts->block[texts->blocks++] = memory_new(texts->left, 1);
    }
    char *bytes = texts->next;
    texts->next += size;
    texts->left -= size;
    return bytes;
}

const char *texts_add(struct texts *texts, const char *text, size_t length)
{
    if (2 * (texts->used + 1) > texts->slots)
        grow_slots(texts);
    const char **slot = find_slot(texts, text, length);
    if (!*slot) {
        char *copy = block_bytes(texts, length + 1);
        memcpy(copy, text, length);
        copy[length] = '\0';
        *slot = copy;
        texts->used++;
    }
    return *slot;
}
