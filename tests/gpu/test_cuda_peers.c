/* Points of two devices: every way to copy, both directions, beside work, verified at both ends, and errors
 * planted at either end found. Without an argument on the pair `local` of one GPU; with `links` between GPUs
 * 0 and 1, beside a probe that shares no code with the worker: two streams and two events. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "family/rules.h"
#include "gpu_test.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/compile.h"
#include "worker/cuda/device/cuda_device.h"

static struct device device;
static const char *pair = "local";
static int checked;

static void set(struct point *point, const char *axis, const char *value)
{
    struct error error = {0};
    int at = space_axis(point->space, axis);
    CHECK(at >= 0 && axis_parse(&point->space->axes[at], value, &point->value[at], &error) == 0, "%s=%s: %s",
          axis, value, error.text);
}

static struct result measure(const char *variant, const char *direction, const char *size, const char *cache)
{
    struct point point = point_standard(family_space("peer_copy"));
    set(&point, "variant", variant);
    set(&point, "direction", direction);
    set(&point, "pair", pair);
    set(&point, "size", size);
    set(&point, "cache", cache);
    struct result r = gpu_test_measure(&device, &point);
    CHECK(r.status == STATUS_OK, "%s %s %s %s: %s", variant, direction, size, cache, r.message);
    CHECK(r.real[REAL_verified] > 0 && r.sample_count >= 10, "%s %s %s %s", variant, direction, size, cache);
    checked++;
    return r;
}

static const char *const variants[] = {"copy_engine", "load", "store", "bulk_load", "bulk_store"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void check_all(void)
{
    static const char *const sizes[] = {"128", "4100", "1048588", "64MiB"}, *const caches[] = {"cold", "hot",
                                                                                               "rotate"};
    for (int v = 0; v < VARIANTS; v++)
        for (int s = 0; s < 4; s++)
            for (int c = 0; c < 3; c++) {
                struct result one = measure(variants[v], "one_way", sizes[s], caches[c]),
                              both = measure(variants[v], "both_ways", sizes[s], caches[c]);
                CHECK(s == 3 || both.real[REAL_verified] == 2 * one.real[REAL_verified],
                      "%s: %g elements, then %g", variants[v], one.real[REAL_verified],
                      both.real[REAL_verified]);
                result_free(&one);
                result_free(&both);
            }
}

/* ---- Latencies ---- */

static double latency(const char *where, const char *variant, const char *cache)
{
    struct point point = point_standard(family_space("peer_latency"));
    set(&point, "variant", variant);
    set(&point, "pair", where);
    set(&point, "cache", cache);
    struct result r = gpu_test_measure(&device, &point);
    double cycles = r.real[REAL_latency_p50];
    CHECK(r.status == STATUS_OK && cycles > 20, "%s %s %s: %g cycles, %s", where, variant, cache, cycles,
          r.message);
    printf("%s %s %s: %.0f cycles\n", where, variant, cache, cycles);
    result_free(&r);
    checked++;
    return cycles;
}

/* A remote line is kept at its source only: met again, it is as far away, also for loads that may hit L1 at
 * their first look. */
static void check_latencies(void)
{
    enum { CHASES = 4 }; /* the first ones */
    static const char *const latencies[] = {"load",       "load_l1", "atomic_add",
                                            "atomic_cas", "fence",   "ping_pong"};
    for (size_t v = 0; v < sizeof latencies / sizeof *latencies; v++)
        for (int hot = 0; hot < 2; hot++) {
            const char *cache = hot ? "hot" : "cold";
            double near = latency("local", latencies[v], cache);
            if (strcmp(pair, "local") != 0 && v != 1) {
                double far = latency(pair, latencies[v], cache);
                /* A fence for the system costs thousands of cycles, also where the value stays in one
                 * device. */
                double least = v < CHASES ? 1.5 * near : 0.9 * near;
                CHECK(far > least, "%s: %g cycles between devices, %g within one", latencies[v], far, near);
            }
        }
}

/* ---- Messages at the same time, and beside work ---- */

/* Every way to copy, alone and beside work, with either part measured: verified, and neither part waits for
 * ever for the other. A launch with a part that is repeated lasts far less than the second after which it
 * gives up. */
static void check_contention(void)
{
    static const char *const patterns[] = {"one", "both", "none"},
                             *const works[] = {"none", "local_copy", "matmul"},
                             *const measured[] = {"link", "work", "both"},
                             *const sizes[] = {"64KiB", "64MiB"};
    struct target target = target_of_device(&device);
    for (int i = 0; i < VARIANTS * 3 * 3 * 3 * 2; i++) {
        struct point point = point_standard(family_space("contention"));
        char reason[256], id[256];
        set(&point, "gpus", strcmp(pair, "local") ? "2" : "1");
        set(&point, "variant", variants[i % VARIANTS]);
        set(&point, "pattern", patterns[i / VARIANTS % 3]);
        set(&point, "beside", works[i / VARIANTS / 3 % 3]);
        set(&point, "measured", measured[i / VARIANTS / 9 % 3]);
        set(&point, "size", sizes[i / VARIANTS / 27]);
        if (family_skip(&point, &target, reason, sizeof reason))
            continue;
        struct result r = gpu_test_measure(&device, &point);
        snprintf(id, sizeof id, "%s %s %s %s %s", variants[i % VARIANTS], patterns[i / VARIANTS % 3],
                 works[i / VARIANTS / 3 % 3], measured[i / VARIANTS / 9 % 3], sizes[i / VARIANTS / 27]);
        CHECK(r.status == STATUS_OK && r.real[REAL_verified] > 0, "%s: %s", id, r.message);
        CHECK(r.real[REAL_time_median] < 0.1, "%s takes %g s", id, r.real[REAL_time_median]);
        printf("contention %s: %.1f us\n", id, 1e6 * r.real[REAL_time_median]);
        result_free(&r);
        checked++;
    }
}

/* ---- Errors at one end ---- */

static const char *const faults[] = {"none", "near", "far", "over_near", "over_far", NULL};
enum { FAULT, FAULTY_PAIR, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {[FAULT] = AXIS_VARIANT(faults, "none"),
                                       [FAULTY_PAIR] = AXIS_PAIR,
                                       [CACHE] = AXIS_CACHE,
                                       [ARCH] = AXIS_ARCHITECTURE};
enum { N = 100000 };

static const char source[] =
    "extern \"C\" __global__ void faulty(const unsigned *in, unsigned *out, unsigned n) {\n"
    "    unsigned i = blockIdx.x * 256 + threadIdx.x;\n"
    "#if defined(variant_near) || defined(variant_far)\n"
    "    if (i < n) out[i] = in[i] + (i == 77777);\n"
    "#elif defined(variant_over_near) || defined(variant_over_far)\n"
    "    if (i < n + 3) out[i] = i < n ? in[i] : 0;\n"
    "#else\n"
    "    if (i < n) out[i] = in[i];\n"
    "#endif\n"
    "}\n";

/* The output that goes wrong is near or far. */
static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    bool far = point->value[FAULT] == 2 || point->value[FAULT] == 4;
    struct setup s = {
        .entry = "faulty",
        .buffer = {buffer_input("in", DTYPE_I32, N, random), buffer_output("out", DTYPE_I32, N)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, N}},
        .arguments = 3,
        .grid = {(N + 3 + 255) / 256, 1, 1},
        .block = {256, 1, 1},
        .carveout = -1};
    s.buffer[0].device = !far;
    s.buffer[1].device = far;
    return s;
}

static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = 4 * N};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    inputs_load_range(inputs, buffer - 1, first, count, out);
}

static struct devices devices(const struct point *point)
{
    return rules_pair_devices(point->value[FAULTY_PAIR]);
}

static const struct family faulty = {
    .space = {.kernel = "faulty", .axes = axes, .count = AXES},
    .summary = "a copy between two ends that goes wrong at one of them",
    .node_exclusive = true,
    .source = source,
    .skip = gpu_test_skip_none,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .devices = devices,
};

static void check_faults(void)
{
    for (int fault = 0; faults[fault]; fault++) {
        struct point point = point_standard(&faulty.space);
        set(&point, "variant", faults[fault]);
        set(&point, "pair", pair);
        struct result r = gpu_test_measure(&device, &point);
        const char *expected = fault < 3 ? "77777" : "out of bounds";
        if (fault == 0)
            expected = "";
        CHECK(fault ? r.status == STATUS_FAILED : r.status == STATUS_OK, "%s: %s", faults[fault], r.message);
        CHECK(strstr(r.message, expected), "%s: '%s'", faults[fault], r.message);
        result_free(&r);
        checked++;
    }
}

/* ---- The independent probe: GPUs 0 and 1 ---- */

enum { REPEATS = 12, BYTES = 256 << 20 };

static const char probe_source[] =
    "extern \"C\" __global__ void cp(uint4 *a, const uint4 *b, unsigned long long n) {\n"
    "    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
    "    for (; i < n; i += (unsigned long long)gridDim.x * blockDim.x) a[i] = b[i];\n"
    "}\n";

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Bytes per second of copies of BYTES bytes: by the copy engine, or by a kernel of GPU 0. */
static double probe(cudaKernel_t kernel, char *to, char *from, cudaStream_t stream)
{
    float ms[REPEATS];
    cudaEvent_t begin, end;
    unsigned long long words = BYTES / 16;
    void *arguments[] = {&to, &from, &words};
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    for (int i = -2; i < REPEATS; i++) {
        cudaLaunchConfig_t launch = {.gridDim = {(unsigned)device.multiprocessors * 8, 1, 1},
                                     .blockDim = {256, 1, 1},
                                     .stream = stream};
        CUDA(cudaEventRecord(begin, stream));
        if (kernel)
            CUDA(cudaLaunchKernelExC(&launch, kernel, arguments));
        else
            CUDA(cudaMemcpyAsync(to, from, BYTES, cudaMemcpyDefault, stream));
        CUDA(cudaEventRecord(end, stream));
        CUDA(cudaEventSynchronize(end));
        if (i >= 0)
            CUDA(cudaEventElapsedTime(&ms[i], begin, end));
    }
    qsort(ms, REPEATS, sizeof *ms, ascending);
    return BYTES / (1e-3 * (double)ms[REPEATS / 2]);
}

static void compare(const char *variant, double probed, double tolerance)
{
    struct result r = measure(variant, "one_way", "256MiB", "hot");
    double measured = result_bandwidth(&r), ratio = measured / probed;
    printf("%s: %.1f GB/s, the probe %.1f\n", variant, measured / 1e9, probed / 1e9);
    CHECK(ratio > 1 - tolerance && ratio < 1 + 5 * tolerance, "%s: %g of the probe's", variant, ratio);
    result_free(&r);
}

static void check_probe(void)
{
    char *near, *far;
    cudaStream_t stream;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    struct code code;
    struct text log = {0};
    CHECK(compile_source("probe.cu", probe_source, NULL, arch_of_device((int)device.capability, false), "",
                         "", &code, &log) == 0,
          "%s", log.data);
    CUDA(cudaLibraryLoadData(&library, code.image, NULL, NULL, 0, NULL, NULL, 0));
    CUDA(cudaLibraryGetKernel(&kernel, library, "cp"));
    CUDA(cudaSetDevice(1));
    CUDA(cudaMalloc((void **)&far, BYTES));
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc((void **)&near, BYTES));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    double engine = probe(NULL, far, near, stream), load = probe(kernel, near, far, stream),
           store = probe(kernel, far, near, stream);
    compare("copy_engine", engine, 0.02);
    compare("load", load, 0.02);
    compare("store", store, 0.02);
    struct result one = measure("copy_engine", "one_way", "256MiB", "hot"),
                  both = measure("copy_engine", "both_ways", "256MiB", "hot");
    double ratio = result_bandwidth(&both) / result_bandwidth(&one);
    CHECK(ratio > 1.5 && ratio < 2.1, "both ways are %g times one way", ratio);
    result_free(&one);
    result_free(&both);
}

int main(int count, char **arguments)
{
    int devices = 0;
    bool links = count > 1 && !strcmp(arguments[1], "links");
    device = gpu_test_open();
    if (links && (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2)) {
        printf("skipped: %d GPU is visible, two are needed\n", devices);
        return 77;
    }
    pair = links ? "0-1" : "local";
    check_all();
    check_latencies();
    check_contention();
    check_faults();
    if (links)
        check_probe();
    backend_cuda.close();
    return gpu_test_end(pair, checked);
}
