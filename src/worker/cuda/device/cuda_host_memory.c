#include "worker/cuda/device/cuda_device.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "worker/machine.h"

#define ALIGNMENT UINT64_C(4096)

enum {
    BLOCKS = 4
}; /* a point has two at once, of one kind, and a pair or a round of counting two such points */

static struct block {
    char *at;
    uint64_t bytes;
    struct buffer kind; /* a buffer that it was for */
    bool taken;
} blocks[BLOCKS];

static bool is_kind(const struct block *block, const struct buffer *kind)
{
    return block->kind.pageable == kind->pageable && block->kind.write_combined == kind->write_combined &&
           block->kind.numa == kind->numa;
}

static void release(struct block *block)
{
    if (block->kind.numa) {
        if (!block->kind.pageable)
            cudaHostUnregister(block->at);
        munmap(block->at, block->bytes);
    } else if (block->kind.pageable) {
        free(block->at);
    } else {
        cudaFreeHost(block->at);
    }
    *block = (struct block){0};
}

/* The driver has no allocation on a chosen node: pages are placed there and then pinned. */
static char *allocate_on_node(uint64_t bytes, const struct buffer *kind)
{
    struct error error;
    char *at = numa_pages_new(bytes, kind->numa - 1, &error);
    if (!at)
        cuda_fail("%s", error.text);
    if (kind->pageable || cudaHostRegister(at, bytes, cudaHostRegisterMapped) == cudaSuccess)
        return at;
    cudaGetLastError();
    munmap(at, bytes);
    return NULL;
}

static char *allocate(uint64_t bytes, const struct buffer *kind)
{
    char *at = NULL;
    if (kind->numa)
        return allocate_on_node(bytes, kind);
    if (kind->pageable)
        return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (cudaHostAlloc((void **)&at, bytes,
                      kind->write_combined ? cudaHostAllocWriteCombined : cudaHostAllocDefault) ==
        cudaSuccess)
        return at;
    cudaGetLastError();
    return NULL;
}

/* The smallest that is free and large enough. */
static struct block *fitting(uint64_t bytes, const struct buffer *kind)
{
    struct block *best = NULL;
    for (struct block *b = blocks; b < blocks + BLOCKS; b++)
        if (b->at && !b->taken && is_kind(b, kind) && b->bytes >= bytes && (!best || b->bytes < best->bytes))
            best = b;
    return best;
}

/* A place to remember a new one at: none too small of its kind stays beside it, nor is any place left
 * unused. */
static struct block *vacate(const struct buffer *kind)
{
    struct block *place = NULL;
    for (struct block *b = blocks; b < blocks + BLOCKS; b++) {
        if (b->at && !b->taken && is_kind(b, kind))
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

char *host_memory_try(const struct buffer *buffer)
{
    uint64_t bytes = dtype_bytes(buffer->dtype, buffer->count);
    struct block *block = fitting(bytes, buffer);
    if (!block && (block = vacate(buffer))) {
        char *at = allocate(bytes, buffer);
        if (!at) {
            host_memory_release(); /* of the other kinds */
            at = allocate(bytes, buffer);
        }
        *block = (struct block){.at = at, .bytes = bytes, .kind = *buffer};
    }
    if (!block || !block->at)
        return NULL;
    block->taken = true;
    return block->at;
}

char *host_memory_take(const struct buffer *buffer)
{
    char *at = host_memory_try(buffer);
    if (!at)
        cuda_fail("the host has no %.4g GiB of %s memory free",
                  (double)(dtype_bytes(buffer->dtype, buffer->count)) / 0x1p30,
                  buffer->pageable ? "pageable" : "pinned");
    return at;
}

void host_memory_put(char *at)
{
    for (struct block *b = blocks; at && b < blocks + BLOCKS; b++)
        if (b->at == at)
            b->taken = false;
}

void host_memory_release(void)
{
    for (struct block *b = blocks; b < blocks + BLOCKS; b++)
        if (b->at && !b->taken)
            release(b);
}
