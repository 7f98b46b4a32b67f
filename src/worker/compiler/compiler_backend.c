/* compiler_backend.c - the back end of `warpsweep check` and `counters`: compiles as the cuda back end does,
 * asks CUPTI about chips, disassembles, and opens no device. */
#include "worker/cuda/compile/compile.h"
#include "worker/cuda/counters/cuda_counters.h"

static int compiler_open(int local_rank, struct device *device, struct error *error)
{
    (void)local_rank;
    (void)error;
    *device = device_unknown();
    compile_version(device->toolkit, sizeof device->toolkit);
    return 0;
}

static struct config config;

static void compiler_configure(const struct config *now)
{
    config = *now;
    if (config.precompiled.make)
        precompiled_make(&config.precompiled);
    else
        precompiled_use(&config.precompiled);
}

static void compiler_compile(const struct point *points, uint32_t count, int capability,
                             compiled_report compiled, void *context)
{
    cuda_farm_compile(&config, capability, points, count, compiled, context);
}

static int compiler_disassemble(const struct point *point, struct text *listing, int *registers,
                                struct error *error)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", ARCH_NATIVE))};
    struct setup setup = point_setup(point, &target);
    struct text log = {0};
    struct code code;
    int failed = compile_point(point, 0, config.cache_folder, &code, &log);
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "it does not compile: %.400s", log.data);
    else
        failed = disassemble_once(code.image, code.size, config.cache_folder, listing, error);
    if (!failed)
        *registers = cubin_registers(code.image, code.size, setup.entry);
    code_free(&code);
    text_free(&log);
    return failed;
}

static void compiler_take(struct trial *trial, uint32_t count, struct sample *samples)
{
    (void)count;
    (void)samples;
    trial_fail(trial, "the compiler back end measures nothing");
}

const struct backend backend_compiler = {
    .name = "compiler",
    .traits = {.compiles = true},
    .open = compiler_open,
    .configure = compiler_configure,
    .compile = compiler_compile,
    .take = compiler_take,
    .ask_chip = cuda_chip_ask,
    .disassemble = compiler_disassemble,
};
