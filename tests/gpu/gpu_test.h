/* gpu_test.h - the little that the GPU tests share. Plain C: GPU nodes seldom have a test library. */
#ifndef GPU_TEST_H
#define GPU_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "worker/backend.h"

extern const struct backend backend_cuda;

static int gpu_test_failures;

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
    struct config config = config_standard();
    config.threads = 8;
    config.timing.max_time = 0.2;
    backend_cuda.configure(&config);
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

#endif
