/* store_fixture.h - what the tests of the results file share: two kernels, points and results that are a
 * function of a number, and files in a folder that goes away. */
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "core/point.h"
#include "store/store.h"

static const char *const stream_variants[] = {"load", "store", NULL};
static const struct axis stream_axes[] = {
    AXIS_VARIANT(stream_variants, "load"),
    AXIS_SIZE("1MiB"),
    AXIS_STRIDE("1"),
    AXIS_NUMBER("unroll", "", "how often the loop is unrolled", "4", 1, 64, true),
    AXIS_ARCHITECTURE,
    AXIS_CACHE,
};
static const struct space stream_space = {"stream", stream_axes, 6};

/* `unroll` is a number above and a word here. */
static const char *const unroll_words[] = {"one", "full", NULL};
static const struct axis gated_axes[] = {
    AXIS_VARIANT(stream_variants, "load"),
    AXIS_WORDS("unroll", "how far", "full", unroll_words, true),
    AXIS_NUMBER("rows", "rows", "rows of the matrix", "1", 1, 1 << 20, false),
};
static const struct space gated_space = {"gated", gated_axes, 3};

static inline struct point stream_point(uint64_t number)
{
    struct point point = point_standard(&stream_space);
    point.value[0] = (int64_t)(number % 2);
    point.value[1] = (int64_t)(1 + number) << 10;
    return point;
}

/* Points by status. */
static inline void fixture_count(const struct store *store, uint64_t counts[STATUS_COUNT])
{
    const struct dataset *dataset = store_data(store);
    memset(counts, 0, STATUS_COUNT * sizeof *counts);
    for (size_t row = 0; row < dataset->results.rows; row++)
        counts[dataset_status(dataset, row)] += dataset_is_point(dataset, row);
}

static inline struct device fixture_device(void)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "Test device");
    snprintf(device.uuid, sizeof device.uuid, "GPU-0123");
    snprintf(device.backend, sizeof device.backend, "fake");
    device.multiprocessors = 132;
    device.nominal = 4e12;
    device.peak_copy = 2e12;
    return device;
}

#define FIXTURE_MEDIAN(number) (1e-3 * (double)((number) + 1))

static inline bool fixture_fails(uint64_t number)
{
    return number % 7 == 6;
}

/* Of the file. A point that failed has none, whatever was taken. */
static inline uint64_t fixture_samples(uint64_t number)
{
    return fixture_fails(number) ? 0 : number % 4;
}

/* Result `number`: its times and message tell which it is. `samples` (number % 4 of them) stay the caller's.
 */
static inline struct result numbered_result(uint64_t number, const struct point *point,
                                            struct sample samples[4])
{
    struct result result = result_new();
    result.id = point_id(point);
    result.device = 0;
    result.status = fixture_fails(number) ? STATUS_FAILED : STATUS_OK;
    snprintf(result.message, sizeof result.message, "%s %d",
             fixture_fails(number) ? "wrong output" : "remark", (int)number);
    result.stop = STOP_CONVERGED;
    result.real[REAL_time_median] = FIXTURE_MEDIAN(number);
    result.real[REAL_bytes_read] = result.real[REAL_bytes_written] =
        0.5e9 * (double)(number + 1) * FIXTURE_MEDIAN(number); /* 1 GB/s and so on */
    result.roof = ROOF_dram_mix;
    result.sample_count = (uint32_t)(number % 4);
    result.samples = samples;
    for (uint32_t i = 0; i < result.sample_count; i++)
        samples[i] = (struct sample){.seconds = FIXTURE_MEDIAN(number) + i,
                                     .sm_clock = i ? 1.98e9 : NAN,
                                     .throttle_mask = number % 3 ? 0 : 0x40 >> 4 * (i > 0)};
    return result;
}

static const struct space *const fixture_spaces[] = {&stream_space, NULL};
static struct store_pair fixture_environment[] = {{.name = (char *)"release", .value = (char *)"0.1.0"},
                                                  {.name = (char *)"commit", .value = (char *)"abcdef"}};
static inline struct store_head fixture_head(void)
{
    return (struct store_head){.job = "title: test\nsweeps: []\n",
                               .job_path = "jobs/test.yaml",
                               .planned = 100,
                               .environment = fixture_environment,
                               .environment_count = 2,
                               .spaces = fixture_spaces};
}

/* The row of /results that holds the (repeat 0) point, or -1. */
static inline long fixture_row(const struct dataset *dataset, const struct point *point)
{
    const struct frame *results = &dataset->results;
    char id[20];
    snprintf(id, sizeof id, "%016llx", (unsigned long long)point_id(point));
    for (size_t row = 0; row < results->rows; row++) {
        const union cell *cell = frame_row(results, row);
        if (!strcmp(cell[frame_find(results, "id")].text, id) && !cell[frame_find(results, "repeat")].integer)
            return (long)row;
    }
    return -1;
}

static inline union cell fixture_cell(const struct frame *frame, size_t row, const char *column)
{
    return frame_row(frame, row)[frame_find(frame, column)];
}

/* Whether the row is that of result `number`, samples and all. */
static inline int fixture_row_is(const struct dataset *dataset, size_t row, uint64_t number)
{
    const struct frame *results = &dataset->results;
    char message[32];
    double median = fixture_cell(results, row, "time_median").real;
    snprintf(message, sizeof message, "wrong output %d", (int)number);
    if (fixture_fails(number) ? !isnan(median) || strcmp(fixture_cell(results, row, "message").text, message)
                              : median != FIXTURE_MEDIAN(number))
        return 0;
    int64_t offset = fixture_cell(results, row, "sample_offset").integer;
    int64_t count = fixture_cell(results, row, "sample_count").integer;
    if (count != (int64_t)fixture_samples(number) || offset + count > (int64_t)dataset->sample_count)
        return 0;
    for (int64_t i = 0; i < count; i++)
        if (dataset->samples[offset + i].seconds != FIXTURE_MEDIAN(number) + (double)i)
            return 0;
    return 1;
}

/* ---- Files ---- */

static char fixture_folder[64];

static inline void fixture_make_folder(void)
{
    snprintf(fixture_folder, sizeof fixture_folder, "/tmp/warpsweep-test-XXXXXX");
    if (!mkdtemp(fixture_folder))
        abort();
}

/* Owned by the caller. */
static inline char *fixture_path(const char *name)
{
    struct text text = {0};
    text_add(&text, "%s/%s", fixture_folder, name);
    return text.data;
}

static inline unsigned char *fixture_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        abort();
    unsigned char *bytes = memory_new(1 << 22, 1);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static inline void fixture_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static inline void fixture_remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", fixture_folder);
    if (system(command) != 0)
        abort();
}
