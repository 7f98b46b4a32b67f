#include "worker/verify.h"

#include <stdlib.h>

#include "base/memory.h"
#include "family/python/python.h"
#include "process/host_memory.h"
#include "worker/pool.h"

#define GRAIN (UINT64_C(1) << 16)  /* elements */
#define SMALL (UINT64_C(16) << 20) /* bytes that every process has */

struct filling {
    const struct buffer *buffer;
    uint64_t seed;
    char *out;
};

static void fill_some(void *context, uint64_t first, uint64_t count)
{
    struct filling *filling = context;
    fill_range(&filling->buffer->fill, filling->buffer->dtype, filling->seed, first, count,
               filling->out + dtype_bytes(filling->buffer->dtype, first));
}

void materialise_buffer(const struct buffer *buffer, uint64_t seed, int threads, void *out)
{
    struct filling filling = {buffer, seed, out};
    pool_run(threads, buffer->count, GRAIN, fill_some, &filling);
}

void materialise_inputs(struct inputs *inputs)
{
    for (int b = 0; b < inputs->setup->buffers; b++) {
        const struct buffer *buffer = &inputs->setup->buffer[b];
        if (!buffer_is_filled(buffer))
            continue;
        void *data = memory_new(dtype_bytes(buffer->dtype, buffer->count), 1);
        materialise_buffer(buffer, inputs->seed + (uint64_t)b, inputs->threads, data);
        inputs->data[b] = data;
    }
}

void materialise_release(struct inputs *inputs)
{
    for (int b = 0; b < inputs->setup->buffers; b++) {
        free((void *)inputs->data[b]);
        inputs->data[b] = NULL;
    }
}

int reference_check_memory(const struct point *point, const struct setup *setup, struct error *error)
{
    const struct family *family = family_of(point);
    uint64_t bytes = python_reference_bytes(family, setup);
    for (int b = 0; b < setup->buffers && family->materialise; b++)
        if (buffer_is_filled(&setup->buffer[b]))
            bytes += dtype_bytes(setup->buffer[b].dtype, setup->buffer[b].count);
    uint64_t available = bytes > SMALL ? host_memory_read("").available : UINT64_MAX;
    if (bytes <= available)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT,
                     "its reference needs %.3g GiB of host memory; this process may use %.3g GiB",
                     (double)bytes / 0x1p30, (double)available / 0x1p30);
}
