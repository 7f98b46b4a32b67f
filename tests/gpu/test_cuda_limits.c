/* Points that set limits of L2 on the GPU: they are verified and timed, and the device has its own limits
 * again after each. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "gpu_test.h"
#include "kernels/registry.h"

static struct device device;
static int checked;

static size_t limit(enum cudaLimit which)
{
    size_t value = 0;
    cudaError_t status = cudaDeviceGetLimit(&value, which);
    CHECK(status == cudaSuccess, "%s", cudaGetErrorString(status));
    return value;
}

static void set(struct point *point, const char *axis, const char *value)
{
    struct error error = {0};
    int at = space_axis(point->space, axis);
    CHECK(axis_parse(&point->space->axes[at], value, &point->value[at], &error) == 0, "%s", error.text);
}

/* Settings as "axis=value axis=value". */
static void measure(const char *kernel, const char *settings)
{
    size_t persisting = limit(cudaLimitPersistingL2CacheSize), fetch = limit(cudaLimitMaxL2FetchGranularity);
    struct point point = point_standard(family_space(kernel));
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        set(&point, one, value);
    }
    struct result r = gpu_test_measure(&device, &point);
    CHECK(r.status == STATUS_OK || r.status == STATUS_UNSUPPORTED, "%s %s: %s", kernel, settings, r.message);
    CHECK(r.status != STATUS_OK || r.real[REAL_verified] > 0, "%s %s: nothing was compared", kernel,
          settings);
    printf("%s %s: %.1f us, %.1f cycles %s\n", kernel, settings, r.real[REAL_time_median] * 1e6,
           r.real[REAL_latency_p50], r.message);
    CHECK(limit(cudaLimitPersistingL2CacheSize) == persisting, "%s %s", kernel, settings);
    CHECK(limit(cudaLimitMaxL2FetchGranularity) == fetch, "%s %s", kernel, settings);
    result_free(&r);
    checked++;
}

int main(void)
{
    device = gpu_test_open();
    backend_cuda.characterise(PEAKS_ALL, &device);
    measure("l2_window", "size=512MiB window=8MiB rounds=4 hit_ratio=0");
    measure("l2_window", "size=512MiB window=8MiB rounds=4 hit_ratio=100");
    measure("l2_window", "size=512MiB window=64MiB rounds=4 hit_ratio=50");
    measure("l2_window", "size=1616 window=16400 rounds=3 hit_ratio=100");
    measure("l2_window", "size=256MiB window=1GiB rounds=1"); /* more than the device has windows of */
    measure("copy", "size=64MiB stride=16 l2_fetch=32");
    measure("copy", "size=64MiB stride=16 l2_fetch=128");
    measure("latency", "variant=l2 size=1MiB cache=hot");
    measure("latency", "variant=l2 size=1MiB cache=hot through=bulk");
    measure("latency", "variant=dram size=1GiB through=bulk");
    measure("latency", "variant=l2 size=16KiB hop=16 hops=1 through=bulk");
    measure("l2_topology", "variant=atomic size=128KiB hops=16 home=near sm=0");
    measure("l2_topology", "variant=atomic size=128KiB hops=16 home=near sm=1");
    measure("l2_topology", "variant=atomic size=128KiB hops=16 home=far sm=0");
    measure("l2_bandwidth", "size=16MiB home=near");
    measure("l2_bandwidth", "size=16MiB home=far");
    measure("l2_bandwidth", "size=260KiB home=any warmed_by=same");
    measure("l2_bandwidth", "variant=write size=16MiB home=far");
    measure("l2_bandwidth", "size=2MiB shared_by=4 laps=3");
    measure("l2_bandwidth", "size=260KiB shared_by=2 warmed_by=same");
    measure("atomics", "result=chained block=32 blocks=1 step=4 rounds=1024 cache=hot home=near");
    measure("atomics", "result=chained block=32 blocks=1 step=4 rounds=1024 cache=hot home=far");
    measure("atomics",
            "variant=cas type=f32 result=chained block=32 blocks=1 step=4 rounds=1024 cache=hot home=far");
    return gpu_test_end("points with limits of L2", checked);
}
