#include "worker/cuda/counters/cuda_counters.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <cuda.h>
#include <cupti_activity.h>

#define TRACE_FUNCTIONS(X)                                                                                   \
    X(cuptiActivityRegisterCallbacks)                                                                        \
    X(cuptiActivityEnable)                                                                                   \
    X(cuptiActivityDisable)                                                                                  \
    X(cuptiActivityFlushAll)                                                                                 \
    X(cuptiActivityGetNextRecord)

static struct {
    bool loaded;
#define X(name) __typeof__ (&(name))(name);
    TRACE_FUNCTIONS(X)
#undef X
} api;

/* CUPTI's callbacks have no context. */
static struct {
    bool recording;
    struct activity activity;
} trace;

enum { BUFFER_BYTES = 1 << 18 };
static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMSET};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *copy_name(unsigned kind)
{
    static const char *const names[] = {
        [CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = "[memcpy host to device]",
        [CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = "[memcpy device to host]",
        [CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = "[memcpy device to device]",
    };
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "[memcpy]";
}

static void add(const char *name, const uint32_t grid[3], const uint32_t block[3], uint64_t start,
                uint64_t end)
{
    if (end > start) /* both 0: CUPTI has no times */
        activity_add(&trace.activity, name, grid, block, start, end);
}

/* The fields that are read are where they are in the older and newer versions of these records. */
static void add_record(const CUpti_Activity *record)
{
    static const uint32_t none[3];
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const CUpti_ActivityKernel9 *kernel = (const void *)record;
        uint32_t grid[3] = {(uint32_t)kernel->gridX, (uint32_t)kernel->gridY, (uint32_t)kernel->gridZ},
                 block[3] = {(uint32_t)kernel->blockX, (uint32_t)kernel->blockY, (uint32_t)kernel->blockZ};
        char *name = cupti_demangle(kernel->name ? kernel->name : "?");
        add(name, grid, block, kernel->start, kernel->end);
        free(name);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const CUpti_ActivityMemcpy5 *copy = (const void *)record;
        add(copy_name(copy->copyKind), none, none, copy->start, copy->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const CUpti_ActivityMemset3 *set = (const void *)record;
        add("[memset]", none, none, set->start, set->end);
    }
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = malloc(BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most = 0; /* records: as many as fit */
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t filled)
{
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (trace.recording && api.cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS)
        add_record(record);
    free(buffer);
}

static int load(struct error *error)
{
    void *library = api.loaded ? NULL : cupti_library(error);
    if (api.loaded)
        return 0;
    if (!library)
        return -1;
#define X(name)                                                                                              \
    *(void **)&api.name = dlsym(library, #name);                                                             \
    if (!api.name)                                                                                           \
        return error_set(error, ERROR_ENVIRONMENT, "this CUPTI has no %s", #name);
    TRACE_FUNCTIONS(X)
#undef X
    if (cupti_check(api.cuptiActivityRegisterCallbacks(give_buffer, take_buffer),
                    "cuptiActivityRegisterCallbacks", error) != 0)
        return -1;
    api.loaded = true;
    return 0;
}

static int flush(struct error *error)
{
    return cupti_check(api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll",
                       error);
}

/* What `prepare` launches is recorded, too, and left out. */
static int record(void (*prepare)(void *), void (*launch)(void *), void *context, struct error *error)
{
    prepare(context);
    if (flush(error) != 0)
        return -1;
    trace.recording = true;
    launch(context);
    int failed = flush(error);
    trace.recording = false;
    return failed;
}

struct activity *trace_launch(void (*prepare)(void *), void (*launch)(void *), void *context,
                              struct error *error)
{
    int failed = load(error);
    trace.activity.count = 0;
    if (failed)
        return NULL;
    for (int i = 0; i < KINDS && !failed; i++)
        failed = cupti_check(api.cuptiActivityEnable(kinds[i]), "cuptiActivityEnable", error);
    if (!failed)
        failed = record(prepare, launch, context, error);
    for (int i = 0; i < KINDS; i++)
        api.cuptiActivityDisable(kinds[i]);
    return failed ? NULL : &trace.activity;
}
