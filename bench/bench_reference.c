/* bench_reference.c - what verifying costs the processor: each family's reference on one thread, over the
 * start of its output as a worker compares it, and over single elements, as of outputs too large to be
 * compared whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "plan/grid.h"

static const char job_text[] =
    "defaults: {size: 256MiB}\n"
    "sweeps:\n"
    "  - {kernel: copy, axes: {stride: [1, 8]}}\n"
    "  - {kernel: add, axes: {dtype: [f32, f16, bf16]}}\n"
    "  - {kernel: silu_mul, axes: {variant: silu, dtype: [f16, bf16, f32, e4m3]}}\n"
    "  - {kernel: silu_mul, axes: {variant: [gelu, gelu_tanh]}}\n"
    "  - {kernel: gather, axes: {variant: [linear, permuted, random]}}\n"
    "  - {kernel: layout, axes: {variant: [aos, soa]}}\n"
    "  - {kernel: block_load}\n"
    "  - {kernel: pack_bits}\n"
    "  - {kernel: shared_stride}\n"
    "  - {kernel: transpose, axes: {rows: 16384, columns: 16384}}\n"
    "  - {kernel: matmul, axes: {m: 1024, n: 1024, k: 1024}}\n"
    "  - {kernel: reduce, axes: {dtype: [f32, i32]}}\n"
    "  - {kernel: lookup, axes: {lookups: [1, 8]}}\n"
    "  - {kernel: prefetch, axes: {variant: bulk, stages: 2, work: [0, 4], tile_bytes: [1KiB, 32KiB]}}\n"
    "  - {kernel: stream, axes: {variant: [triad, dot]}}\n"
    "  - {kernel: latency}\n"
    "  - {kernel: host_copy}\n";

#define RANGE  65536 /* bytes of output asked for at once */
#define BUDGET 0.3   /* s for each way of a point */

static const struct target target = {.capability = 90,
                                     .multiprocessors = 132,
                                     .l2_bytes = 50u << 20,
                                     .memory_bytes = UINT64_C(140) << 30,
                                     .shared_bytes = 227 << 10,
                                     .shared_sm_bytes = 228 << 10,
                                     .threads_sm = 2048};

/* The processor's time, so that what else runs counts little. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int output_of(const struct setup *setup)
{
    int b = 0;
    while (b + 1 < setup->buffers && setup->buffer[b].role != BUFFER_OUTPUT)
        b++;
    return b;
}

/* ns an element; `n` elements at once, from anywhere when that is 1. */
static double nanoseconds(const struct point *point, const struct inputs *inputs, uint64_t n, void *out)
{
    const struct family *family = family_of(point);
    int b = output_of(inputs->setup);
    uint64_t count = inputs->setup->buffer[b].count, done = 0, calls = 0;
    double start = processor_seconds();
    while (processor_seconds() - start < BUDGET && (!calls || done < count)) {
        uint64_t batch = n == 1 ? 64 : 1;
        for (uint64_t i = 0; i < batch; i++, calls++) {
            uint64_t first = n == 1 ? fill_bits(7, calls) % count : done;
            uint64_t some = count - first < n ? count - first : n;
            if (n == 1)
                some = 1;
            family->reference(point, inputs, b, first, some, out);
            done += some;
        }
        if (count == 1)
            break;
    }
    return (processor_seconds() - start) / (double)done * 1e9;
}

static void materialise(const struct setup *setup, struct inputs *inputs)
{
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *buffer = &setup->buffer[b];
        if (buffer->role != BUFFER_INPUT)
            continue;
        void *data = memory_new(buffer->count, dtype_size(buffer->dtype));
        fill_range(&buffer->fill, buffer->dtype, inputs->seed + (uint64_t)b, 0, buffer->count, data);
        inputs->data[b] = data;
    }
}

static void bench(const struct point *point)
{
    static unsigned char out[RANGE];
    struct text text = {0};
    char reason[256];
    const struct family *family = family_of(point);
    const char *why = family_skip(point, &target, reason, sizeof reason);
    point_describe(point, &text);
    if (why) {
        printf("%-90.90s %s\n", text.data, why);
        text_free(&text);
        return;
    }
    struct setup setup = point_setup(point, &target);
    struct inputs inputs = {.setup = &setup, .seed = 5};
    if (family->materialise)
        materialise(&setup, &inputs);
    uint64_t size = dtype_size(setup.buffer[output_of(&setup)].dtype);
    double range = nanoseconds(point, &inputs, RANGE / size, out), one = nanoseconds(point, &inputs, 1, out);
    printf("%-90.90s %12.2f %12.2f\n", text.data, range, one);
    for (int b = 0; b < setup.buffers; b++)
        free((void *)inputs.data[b]);
    text_free(&text);
}

int main(void)
{
    struct job job;
    struct grid *grid;
    struct error error;
    setlinebuf(stdout);
    if (job_parse("bench.yaml", job_text, strlen(job_text), NULL, &job, &error) != 0 ||
        grid_expand(&job, &grid, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%-90s %12s %12s\n", "reference, one thread", "ns in range", "ns alone");
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        bench(&point);
    }
    grid_free(grid);
    job_free(&job);
    return 0;
}
