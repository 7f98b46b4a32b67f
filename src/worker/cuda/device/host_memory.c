#include "worker/cuda/device/host_memory.h"

#include <stdlib.h>

#include "worker/cuda/device/error.h"

#define ALIGNMENT UINT64_C(4096)

enum { BLOCKS = 4 }; /* a host copy has two at once, of one kind or the other */

static struct block {
    char *at;
    uint64_t bytes;
    bool pageable, taken;
} blocks[BLOCKS];

static void release(struct block *block)
{
    if (block->pageable)
        free(block->at);
    else
        cudaFreeHost(block->at);
    *block = (struct block){0};
}

static char *allocate(uint64_t bytes, bool pageable)
{
    char *at = NULL;
    if (pageable)
        return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (cudaHostAlloc((void **)&at, bytes, cudaHostAllocDefault) == cudaSuccess)
        return at;
    cudaGetLastError();
    return NULL;
}

/* The smallest that is free and large enough. */
static struct block *fitting(uint64_t bytes, bool pageable)
{
    struct block *best = NULL;
    for (struct block *b = blocks; b < blocks + BLOCKS; b++)
        if (b->at && !b->taken && b->pageable == pageable && b->bytes >= bytes &&
            (!best || b->bytes < best->bytes))
            best = b;
    return best;
}

/* A place to remember a new one at: none too small of its kind stays beside it, nor is any place left unused. */
static struct block *vacate(bool pageable)
{
    struct block *place = NULL;
    for (struct block *b = blocks; b < blocks + BLOCKS; b++) {
        if (b->at && !b->taken && b->pageable == pageable)
            release(b);
        if (!b->at)
            place = b;
    }
    for (struct block *b = blocks; b < blocks + BLOCKS && !place; b++)
        if (!b->taken) {
            release(b);
            place = b;
        }
    return place;
}

char *host_memory_try(uint64_t bytes, bool pageable)
{
    struct block *block = fitting(bytes, pageable);
    if (!block && (block = vacate(pageable))) {
        char *at = allocate(bytes, pageable);
        if (!at) {
            host_memory_release(); /* of the other kind */
            at = allocate(bytes, pageable);
        }
        *block = (struct block){.at = at, .bytes = bytes, .pageable = pageable};
    }
    if (!block || !block->at)
        return NULL;
    block->taken = true;
    return block->at;
}

char *host_memory_take(uint64_t bytes, bool pageable)
{
    char *at = host_memory_try(bytes, pageable);
    if (!at)
        cuda_fail("the host has no %.4g GiB of %s memory free", (double)bytes / 0x1p30,
                  pageable ? "pageable" : "pinned");
    return at;
}

void host_memory_put(char *at, bool pageable)
{
    for (struct block *b = blocks; at && b < blocks + BLOCKS; b++)
        if (b->at == at && b->pageable == pageable)
            b->taken = false;
}

void host_memory_release(void)
{
    for (struct block *b = blocks; b < blocks + BLOCKS; b++)
        if (b->at && !b->taken)
            release(b);
}
