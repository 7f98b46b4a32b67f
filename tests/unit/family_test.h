/* family_test.h - what the tests of kernel families share: points by text, made-up devices, and the check
 * that a family's access pattern, reference and buffers belong to one kernel. FAMILY is the one that the
 * short names are of. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"

static const struct target hopper = {90,        132,       60 << 20, UINT64_C(141) << 30,
                                     227 << 10, 228 << 10, 2048,     false};
static const struct target on_host = {0, 16, 32 << 20, UINT64_C(64) << 30, 0, 0, 0, true};

static const struct target after_hopper = {100,       148,       126 << 20, UINT64_C(180) << 30,
                                           227 << 10, 228 << 10, 2048,      false};

/* Give axes of `point` the values of "size=1MiB dtype=f32 ...". */
static inline void family_set(struct point *point, const char *settings)
{
    char text[512], *save, *value;
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        struct error error;
        value = strchr(one, '=');
        assert_non_null(value);
        *value++ = '\0';
        int axis = space_axis(point->space, one);
        if (axis < 0)
            fail_msg("%s has no axis %s", point->space->kernel, one);
        if (axis_parse(&point->space->axes[axis], value, &point->value[axis], &error) != 0)
            fail_msg("%s", error.text);
    }
}

/* The standard point with such settings. */
static inline struct point family_point(const char *kernel, const char *settings)
{
    struct point point = point_standard(family_space(kernel));
    family_set(&point, settings);
    return point;
}

/* The device of a point: Hopper, or the one after it for points that Hopper has not. NULL with a reason if
 * neither has. */
static inline const struct target *family_device(const struct point *point, char *reason, size_t size)
{
    char later[256];
    const char *why = family_skip(point, &hopper, reason, size);
    if (!why)
        return &hopper;
    if (why != reason)
        snprintf(reason, size, "%s", why);
    return family_skip(point, &after_hopper, later, sizeof later) ? NULL : &after_hopper;
}

/* Its launch on a device that is not known. */
static inline struct setup family_setup(const struct point *point)
{
    static const struct target unknown;
    return family_of(point)->setup(point, &unknown);
}

/* A point with its inputs in memory, and its output as the reference has it; until the next one. */
struct family_run {
    struct point point;
    const struct family *family;
    struct setup setup;
    struct inputs inputs;
    void *data[SETUP_BUFFERS_MAX]; /* inputs, filled; outputs, by the reference over poison */
};

static inline struct family_run family_run_new(const char *kernel, const char *settings)
{
    struct family_run run = {.point = family_point(kernel, settings), .family = family_find(kernel)};
    static struct family_run last;
    char reason[256];
    for (int i = 0; i < last.setup.buffers; i++)
        free(last.data[i]);
    const struct target *device = family_device(&run.point, reason, sizeof reason);
    if (!device)
        fail_msg("%s: %s", settings, reason);
    run.setup = run.family->setup(&run.point, device);
    run.inputs.seed = 21;
    for (int i = 0; i < run.setup.buffers; i++) {
        const struct buffer *b = &run.setup.buffer[i];
        run.data[i] = malloc(dtype_bytes(b->dtype, b->count));
        memset(run.data[i], 0xff, dtype_bytes(b->dtype, b->count));
        if (b->role == BUFFER_INPUT) {
            fill_range(&b->fill, b->dtype, 21 + (uint64_t)i, 0, b->count, run.data[i]);
            run.inputs.data[i] = run.data[i];
        }
    }
    last = run;
    return run;
}

/* Fill in the outputs. Inputs in memory and generated, whole and in odd portions, must give the same. */
static inline void family_run_reference(struct family_run *run)
{
    run->inputs.setup = &run->setup;
    struct inputs generated = {.setup = &run->setup, .seed = 21};
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *b = &run->setup.buffer[i];
        uint64_t size = dtype_size(b->dtype), portion = b->count / 3 + 333;
        if (b->role != BUFFER_OUTPUT)
            continue;
        run->family->reference(&run->point, &run->inputs, i, 0, b->count, run->data[i]);
        unsigned char *again = malloc(b->count * size);
        memset(again, 0xff, b->count * size);
        for (uint64_t first = 0; first < b->count; first += portion)
            run->family->reference(&run->point, &generated, i, first,
                                   b->count - first < portion ? b->count - first : portion,
                                   again + first * size);
        assert_memory_equal(again, run->data[i], b->count * size);
        free(again);
    }
}

/* A point with its inputs and its outputs in memory. */
static inline struct family_run family_run_whole(const char *kernel, const char *settings)
{
    struct family_run run = family_run_new(kernel, settings);
    family_run_reference(&run);
    run.inputs.setup = NULL; /* the run moves */
    return run;
}

/* Go through all accesses of all warps: loads stay within their buffers, and the stores write just what the
 * reference writes, each byte once, besides what a kernel writes for itself. `loaded`, if not NULL, gets the
 * bytes that lanes load from each buffer. */
static inline void family_assert_accesses(const char *kernel, const char *settings,
                                          uint64_t loaded[SETUP_BUFFERS_MAX])
{
    struct family_run run = family_run_new(kernel, settings);
    unsigned char *written[SETUP_BUFFERS_MAX] = {0};
    uint64_t bytes[SETUP_BUFFERS_MAX], sum[SETUP_BUFFERS_MAX] = {0};
    family_run_reference(&run);
    const struct setup *s = &run.setup;
    for (int i = 0; i < s->buffers; i++) {
        bytes[i] = dtype_bytes(s->buffer[i].dtype, s->buffer[i].count);
        written[i] = calloc(bytes[i], 1);
    }
    uint64_t threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
    uint64_t warps = (threads + 31) / 32 * s->grid[0] * s->grid[1] * s->grid[2];
    for (uint64_t warp = 0; warp < warps; warp++) {
        struct access a;
        for (uint32_t index = 0; run.family->access(&run.point, s, warp, index, &a); index++) {
            assert_true(a.times > 0 && a.width > 0 && a.width <= 32);
            for (int lane = 0; lane < 32 && a.space == ACCESS_GLOBAL; lane++) {
                if (!(a.active >> lane & 1))
                    continue;
                if (a.address[lane] % a.width || a.address[lane] + a.width > bytes[a.buffer])
                    fail_msg("%s: buffer %d, byte %llu", settings, a.buffer,
                             (unsigned long long)a.address[lane]);
                sum[a.buffer] += a.store ? 0 : a.width * a.times;
                for (uint32_t i = 0; a.store && i < a.width; i++)
                    written[a.buffer][a.address[lane] + i]++;
            }
        }
    }
    for (int b = 0; b < s->buffers; b++) {
        uint64_t size = dtype_size(s->buffer[b].dtype);
        char *over_zeros =
            calloc(s->buffer[b].count, 8); /* what is as over the poison, the reference writes */
        if (s->buffer[b].role == BUFFER_OUTPUT)
            run.family->reference(&run.point, &run.inputs, b, 0, s->buffer[b].count, over_zeros);
        bool own = s->buffer[b].role == BUFFER_SCRATCH || s->buffer[b].role == BUFFER_ZEROED;
        for (uint64_t i = 0; i < s->buffer[b].count && !own; i++) {
            bool whole = true, poison = true;
            for (uint64_t k = 0; k < size; k++) {
                whole &= written[b][i * size + k] == 1;
                poison &= written[b][i * size + k] == 0;
            }
            bool expected = s->buffer[b].role == BUFFER_OUTPUT &&
                            !memcmp((char *)run.data[b] + i * size, over_zeros + i * size, size);
            if (expected ? !whole : !poison)
                fail_msg("%s: element %llu of buffer %d is %s", settings, (unsigned long long)i, b,
                         expected ? "not written once" : "written");
        }
        free(over_zeros);
        free(written[b]);
    }
    if (loaded)
        memcpy(loaded, sum, sizeof sum);
}

/* Bytes that a block's warps read of its shared memory, each of which must lie within the first `tile` bytes
 * and be read once. */
static inline uint64_t family_tile_reads(const char *kernel, const char *settings, uint64_t block,
                                         uint64_t tile)
{
    struct point point = family_point(kernel, settings);
    struct setup s = family_of(&point)->setup(&point, &hopper);
    uint64_t warps = (s.block[0] + 31) / 32, sum = 0;
    static unsigned char read[64 << 10];
    assert_true(tile <= sizeof read);
    memset(read, 0, sizeof read);
    for (uint64_t warp = block * warps; warp < (block + 1) * warps; warp++) {
        struct access a;
        for (uint32_t index = 0; family_of(&point)->access(&point, &s, warp, index, &a); index++)
            for (int lane = 0; lane < 32 && a.space == ACCESS_SHARED; lane++) {
                if (!(a.active >> lane & 1))
                    continue;
                assert_false(a.store || a.address[lane] % a.width);
                assert_true(a.address[lane] + a.width <= tile);
                for (uint32_t i = 0; i < a.width; i++)
                    assert_int_equal(read[a.address[lane] + i]++, 0);
                sum += a.width;
            }
    }
    return sum;
}

/* Access `index` of a warp, which must exist. */
static inline struct access family_access(const char *kernel, const char *settings, uint64_t warp,
                                          uint32_t index)
{
    struct point point = family_point(kernel, settings);
    struct setup setup = family_of(&point)->setup(&point, &hopper);
    struct access access;
    if (!family_of(&point)->access(&point, &setup, warp, index, &access))
        fail_msg("%s: warp %d has no access %u", settings, (int)warp, index);
    return access;
}

/* The launch of a point on Hopper. */
static inline struct setup family_setup_of(const char *kernel, const char *settings)
{
    struct point point = family_point(kernel, settings);
    return family_of(&point)->setup(&point, &hopper);
}

/* What the family makes of the cycles that a point reports. */
static inline struct observation family_observe(const char *kernel, const char *settings, const void *cycles)
{
    struct point point = family_point(kernel, settings);
    struct setup s = family_setup_of(kernel, settings);
    struct observation seen = {NAN, NAN, NAN};
    family_of(&point)->observe(&point, &s, cycles, &seen);
    return seen;
}

#define point_of(settings)                family_point(FAMILY, settings)
#define setup_of(settings)                family_setup_of(FAMILY, settings)
#define run_new(settings)                 family_run_new(FAMILY, settings)
#define run_whole(settings)               family_run_whole(FAMILY, settings)
#define access_of(settings, warp, index)  family_access(FAMILY, settings, warp, index)
#define tile_reads(settings, block, tile) family_tile_reads(FAMILY, settings, block, tile)
#define assert_accesses(settings, loaded) family_assert_accesses(FAMILY, settings, loaded)
#define observe_of(settings, cycles)      family_observe(FAMILY, settings, cycles)
