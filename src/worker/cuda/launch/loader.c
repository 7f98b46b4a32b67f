#include "worker/cuda/launch/cuda_launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "worker/cuda/compile/compile.h"
#include "worker/phases.h"

/* Loaded code, most recently used first. Room for more than a batch holds, so that nothing is unloaded while
 * a batch is counted: CUPTI instruments what is loaded, and does not survive its unloading. */
enum { LOADED_MAX = 128 };
struct loaded {
    uint64_t key;
    cudaLibrary_t library;
    struct code code; /* owned, for the hashes of its kernels */
};
static struct loaded loaded[LOADED_MAX];

/* Put it first and move those before `at` back. */
static const struct loaded *use(struct loaded one, int at)
{
    memmove(loaded + 1, loaded, (size_t)at * sizeof *loaded);
    loaded[0] = one;
    return loaded;
}

static const struct loaded *load_library(struct cuda_point *p)
{
    int capability = (int)p->session->device.capability, at = 0;
    uint64_t key = family_code_key(p->point, capability);
    while (at < LOADED_MAX && loaded[at].library && loaded[at].key != key)
        at++;
    if (at < LOADED_MAX && loaded[at].library)
        return use(loaded[at], at);
    struct code code;
    struct text log = {0};
    enum phase before = phases_enter(PHASE_compile);
    if (compile_point(p->point, capability, p->session->config.cache_folder, &code, &log) != 0) {
        char first[300];
        const char *said = log.data ? log.data : "", *line = strstr(said, "error");
        snprintf(first, sizeof first, "%.290s", line ? line : said);
        first[strcspn(first, "\n")] = '\0';
        text_free(&log);
        cuda_fail("the kernel does not compile: %s", first);
    }
    text_free(&log);
    phases_leave(before);
    static struct code kept; /* until it is loaded, which may end the point */
    code_free(&kept);
    kept = (struct code){.image = memory_new(code.size + 1, 1), .size = code.size};
    memcpy(kept.image, code.image, code.size);
    struct loaded one = {key, cuda_session_take(&code), kept};
    kept = (struct code){0};
    if (loaded[LOADED_MAX - 1].library)
        CUDA(cudaLibraryUnload(loaded[LOADED_MAX - 1].library));
    code_free(&loaded[LOADED_MAX - 1].code);
    return use(one, LOADED_MAX - 1);
}

/* PTX is compiled by the driver. */
static uint64_t hash_of(const struct cuda_point *p, const struct code *code)
{
    if (cubin_is(code->image, code->size))
        return cubin_code_hash(code->image, code->size, p->setup.entry);
    return hash_text(hash_bytes(HASH_START, code->image, code->size), p->session->device.driver);
}

/* Clusters of more blocks than this are not portable: a kernel must ask for them. */
enum { CLUSTER_PORTABLE = 8 };

/* Blocks of a cluster, as the kernel was compiled; 1 without clusters. */
static int cluster_size(const struct cudaFuncAttributes *attributes)
{
    int size = attributes->requiredClusterWidth * attributes->requiredClusterHeight *
               attributes->requiredClusterDepth;
    return size > 1 ? size : 1;
}

/* Warps that the device holds at once, in whole clusters, of the most that it could hold; NaN if the runtime
 * does not tell. */
static double occupancy_in_clusters(struct cuda_point *p, int size, int warps, int most)
{
    const struct setup *s = &p->setup;
    cudaLaunchConfig_t launch = {.gridDim = {s->grid[0], s->grid[1], s->grid[2]},
                                 .blockDim = {s->block[0], s->block[1], s->block[2]},
                                 .dynamicSmemBytes = s->shared_dynamic};
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, p->kernel, &launch) != cudaSuccess) {
        cudaGetLastError(); /* it is no reason to give the point up */
        return NAN;
    }
    return (double)clusters * size * warps / ((double)p->session->device.multiprocessors * most);
}

static void describe_code(struct cuda_point *p, struct result *result)
{
    struct cudaFuncAttributes attributes;
    int blocks = 0, threads = (int)(p->setup.block[0] * p->setup.block[1] * p->setup.block[2]);
    CUDA(cudaFuncGetAttributes(&attributes, p->kernel));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, p->kernel, threads, p->setup.shared_dynamic));
    result->real[REAL_registers] = attributes.numRegs;
    result->real[REAL_shared_static] = (double)attributes.sharedSizeBytes;
    result->real[REAL_shared_dynamic] = p->setup.shared_dynamic;
    result->real[REAL_local_bytes] = (double)attributes.localSizeBytes;
    result->real[REAL_grid_blocks] = (double)p->setup.grid[0] * p->setup.grid[1] * p->setup.grid[2];
    result->real[REAL_block_threads] = threads;
    /* Whole warps are resident, whatever the block's size. */
    int warps = (threads + 31) / 32, most = (int)p->session->device.threads_sm / 32;
    int cluster = cluster_size(&attributes);
    result->real[REAL_occupancy_theoretical] =
        cluster > 1 ? occupancy_in_clusters(p, cluster, warps, most) : (double)blocks * warps / most;
}

static void apply(struct cuda_point *p)
{
    struct cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, p->kernel));
    if (cluster_size(&attributes) > CLUSTER_PORTABLE)
        CUDA(cudaFuncSetAttribute(p->kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (p->setup.shared_dynamic)
        CUDA(cudaFuncSetAttribute(p->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)p->setup.shared_dynamic));
    CUDA(cudaFuncSetAttribute(p->kernel, cudaFuncAttributePreferredSharedMemoryCarveout, p->setup.carveout));
}

void cuda_code_apply(struct cuda_point *p)
{
    cuda_l2_apply(p->session, &p->setup.l2);
    if (!setup_has_code(&p->setup))
        return;
    apply(p);
    for (int d = 1; d < cuda_point_devices(p) && d < p->setup.parts; d++) { /* attributes are per device */
        cuda_session_enter(p->session, d);
        apply(p);
    }
    cuda_session_enter(p->session, 0);
}

void cuda_code_load(struct cuda_point *p, struct result *result)
{
    if (!setup_has_code(&p->setup)) {
        cuda_code_apply(p);
        return;
    }
    const struct loaded *code = load_library(p);
    p->library = code->library;
    result->code_hash = hash_of(p, &code->code);
    CUDA(cudaLibraryGetKernel(&p->kernel, p->library, p->setup.entry));
    cuda_code_apply(p);
    describe_code(p, result);
}
