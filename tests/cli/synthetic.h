/* synthetic.h - what the makers of results files share: every figure is made up, and named so. An error ends the program. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "store/store.h"

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

/* The standard point with such settings: "stride=2 dtype=f32". */
static inline struct point point_of(const char *kernel, const char *settings)
{
    char text[128], *save;
    struct error error = {0};
    struct point point = point_standard(family_space(kernel));
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        int axis = space_axis(point.space, one);
        check(axis_parse(&point.space->axes[axis], value, &point.value[axis], &error), &error);
    }
    return point;
}

/* Bytes as the family counts them. */
static inline struct result result_of(const struct point *point, int device)
{
    struct result result = result_new();
    struct work work = family_of(point)->work(point);
    result.id = point_id(point);
    result.device = device;
    result.stop = STOP_CONVERGED;
    result.real[REAL_bytes_read] = (double)work.bytes_read;
    result.real[REAL_bytes_written] = (double)work.bytes_written;
    return result;
}

/* Three samples about that time, and what follows from them. */
static inline void put_times(struct result *result, double seconds, const struct device *device)
{
    static const double spread[] = {0.98, 1, 1.02};
    double *real = result->real;
    result->sample_count = 3;
    result->samples = calloc(3, sizeof *result->samples);
    for (int i = 0; i < 3; i++)
        result->samples[i] = (struct sample){.seconds = seconds * spread[i], .sm_clock = NAN};
    result_summarise(result);
    real[REAL_fraction_nominal] = real[REAL_bandwidth] / device->nominal;
    real[REAL_fraction_datasheet] = real[REAL_bandwidth] / device->datasheet;
    real[REAL_fraction_peak] = real[REAL_bandwidth] / device->peak_copy;
}

static inline void append(struct store *store, const struct point *point, struct result *result)
{
    struct error error = {0};
    check(store_append(store, point, result, &error), &error);
    result_free(result);
}

/* A run of the kernels of `head`, whose job, path and environment have standards. */
static inline struct store *create(const char *path, struct store_head head)
{
    static const struct store_pair environment[] = {
        {.name = (char *)"release", .value = (char *)"0"},
        {.name = (char *)"commit", .value = (char *)"synthetic"},
        {.name = (char *)"start", .value = (char *)"2026-01-02T03:04:05Z"},
    };
    struct store *store;
    struct error error = {0};
    if (!head.environment) {
        head.environment = environment;
        head.environment_count = 3;
    }
    head.job = head.job ? head.job : "title: synthetic\nsweeps:\n  - kernel: copy\n";
    head.job_path = "synthetic.yaml";
    check(store_open(path, false, &head, &store, &error), &error);
    return store;
}

static inline void finish(struct store *store)
{
    struct error error = {0};
    check(store_close(store, &error), &error);
}

static inline struct device synthetic_device(const char *name, const char *backend)
{
    struct device device = device_unknown();
    snprintf(device.name, sizeof device.name, "%s", name);
    snprintf(device.backend, sizeof device.backend, "%s", backend);
    return device;
}
