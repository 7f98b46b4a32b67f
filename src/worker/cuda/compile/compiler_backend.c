/* compiler_backend.c - the back end of `warpsweep check` and `counters`: compiles as the cuda back end does,
 * asks CUPTI about chips, and opens no device. */
#include "worker/backend.h"
#include "worker/cuda/counters/chip.h"
#include "worker/cuda/compile/nvrtc.h"

extern const struct backend backend_cuda;

static int compiler_open(int local_rank, struct device *device, struct error *error)
{
    (void)local_rank;
    (void)error;
    *device = device_unknown();
    compile_version(device->toolkit, sizeof device->toolkit);
    return 0;
}

static void compiler_configure(const struct config *config)
{
    backend_cuda.configure(config);
}

static void compiler_compile(const struct point *points, uint32_t count, char **log, double *seconds)
{
    backend_cuda.compile(points, count, log, seconds);
}

static void compiler_take(struct trial *trial, uint32_t count, struct sample *samples)
{
    (void)count;
    (void)samples;
    trial_fail(trial, "the compiler back end measures nothing");
}

static void compiler_close(void) {}

const struct backend backend_compiler = {
    .name = "compiler",
    .traits = {.compiles = true},
    .open = compiler_open,
    .configure = compiler_configure,
    .compile = compiler_compile,
    .take = compiler_take,
    .ask_chip = cuda_chip_ask,
    .close = compiler_close,
};
