#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "warpsweep: out of host memory (%zu x %zu bytes)\n", count, size);
    fflush(stderr);
    _exit(ERROR_ENVIRONMENT);
}

void *memory_new(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        out_of_memory(count, size);
    return block;
}

void *memory_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory(count, size);
    size_t bytes = count * size;
    void *grown = realloc(block, bytes ? bytes : 1);
    if (!grown)
        out_of_memory(count, size);
    return grown;
}

char *memory_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(memory_new(size, 1), text, size);
}

void *memory_grow(void *block, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return block;
    *capacity = *capacity ? 2 * *capacity : 16;
    return memory_resize(block, *capacity, size);
}
