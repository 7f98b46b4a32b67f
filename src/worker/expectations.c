#include "worker/verify.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "process/host_memory.h"

#define BYTES_MAX    (UINT64_C(1) << 30)
#define MEMORY_SHARE 32 /* of the memory that this process may use */
#define ALIGNMENT    UINT64_C(4096)

enum { ENTRIES = 4096 };

struct expectations {
    unsigned char *memory;
    uint64_t bytes, next; /* `next`: offset of the next entry's data */
    struct expectation entry[ENTRIES];
    uint64_t made; /* entry[made % ENTRIES] is the next to use: the oldest, if `data` is set */
};

struct expectations *expectations_new(uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE); /* fewer page faults; optional */
    struct expectations *expectations = memory_new(1, sizeof *expectations);
    expectations->memory = memory;
    expectations->bytes = bytes;
    return expectations;
}

void expectations_free(struct expectations *expectations)
{
    if (!expectations)
        return;
    munmap(expectations->memory, expectations->bytes);
    free(expectations);
}

uint64_t expectations_standard_bytes(void)
{
    int64_t total = host_memory_read("").total;
    uint64_t share = total > 0 ? (uint64_t)total / MEMORY_SHARE : 0;
    return share && share < BYTES_MAX ? share / ALIGNMENT * ALIGNMENT : BYTES_MAX;
}

static bool overlaps(const struct expectation *entry, const unsigned char *data, uint64_t bytes)
{
    return entry->data && entry->data < data + bytes && data < entry->data + entry->bytes;
}

static struct expectation *make_entry(struct expectations *expectations, uint64_t key, uint64_t bytes)
{
    uint64_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (expectations->next + room > expectations->bytes)
        expectations->next = 0;
    unsigned char *data = expectations->memory + expectations->next;
    for (int i = 0; i < ENTRIES; i++)
        if (overlaps(&expectations->entry[i], data, room))
            expectations->entry[i] = (struct expectation){0};
    expectations->next += room;
    struct expectation *entry = &expectations->entry[expectations->made++ % ENTRIES];
    *entry = (struct expectation){.key = key, .data = data, .bytes = bytes};
    return entry;
}

static struct expectation *look(struct expectations *expectations, uint64_t key, uint64_t bytes)
{
    for (int i = 0; i < ENTRIES; i++) {
        struct expectation *entry = &expectations->entry[i];
        if (entry->data && entry->key == key && entry->bytes == bytes)
            return entry;
    }
    return NULL;
}

struct expectation *expectations_find(struct expectations *expectations, uint64_t key, uint64_t bytes,
                                      bool make)
{
    if (!expectations || !bytes || bytes > expectations->bytes / ALIGNMENT * ALIGNMENT)
        return NULL;
    struct expectation *entry = look(expectations, key, bytes);
    return entry || !make ? entry : make_entry(expectations, key, bytes);
}
