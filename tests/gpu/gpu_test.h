/* gpu_test.h - the little that the GPU tests share. Plain C: GPU nodes seldom have a test library. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "family/family.h"
#include "worker/stages.h"

extern const struct backend backend_cuda;

static int gpu_test_failures;
static struct config gpu_test_config;

#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            gpu_test_failures++;                                                                             \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                           \
            printf(__VA_ARGS__);                                                                             \
            printf("\n");                                                                                    \
        }                                                                                                    \
    } while (0)

/* Take device 0, or skip the test (77) where there is none. */
static inline struct device gpu_test_open(void)
{
    struct device device;
    struct error error;
    if (backend_cuda.open(0, &device, &error) != 0) {
        printf("skipped: %s\n", error.text);
        exit(77);
    }
    gpu_test_config = config_standard();
    gpu_test_config.threads = 8;
    gpu_test_config.timing.replicates = 1;
    gpu_test_config.timing.max_time = 0.2;
    backend_cuda.configure(&gpu_test_config);
    return device;
}

static inline int gpu_test_end(const char *what, int count)
{
    printf("%s: %d checked, %d failed\n", what, count, gpu_test_failures);
    return gpu_test_failures != 0;
}

static inline void gpu_test_stage(void *context, const char *stage)
{
    *(const char **)context = stage;
}

/* Take a point through all its stages. */
static inline struct result gpu_test_measure(const struct device *device, const struct point *point)
{
    struct result result = result_new();
    const char *stage = "";
    struct stages stages = {.backend = &backend_cuda,
                            .config = gpu_test_config,
                            .device = device,
                            .target = target_of_device(device),
                            .report = gpu_test_stage,
                            .context = &stage};
    result.id = point_id(point);
    stages_measure(&stages, point, &result);
    return result;
}

/* Of a family whose points all devices have. */
static inline const char *gpu_test_skip_none(const struct point *point, const struct target *target,
                                             char *reason, size_t size)
{
    return NULL;
}

/* Useful bytes per second. */
static inline double result_bandwidth(const struct result *result)
{
    return (result->real[REAL_bytes_read] + result->real[REAL_bytes_written]) /
           result->real[REAL_time_median];
}
