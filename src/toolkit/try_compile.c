#include "toolkit/try_compile.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/cache_folder.h"
#include "toolkit/toolkit.h"

#define BATCH_POINTS 256 /* per request: enough to keep all cores busy */

int compiler_configure(struct toolkit *compiler, struct error *error)
{
    struct config config = config_standard();
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        config.threads = CPU_COUNT(&cpus);
    struct error unusable;
    if (cache_folder_find(config.cache_folder, sizeof config.cache_folder, &unusable) != 0)
        fprintf(stderr, "warpsweep: %s\n", unusable.text);
    wire_reset(&compiler->request);
    wire_put_config(&compiler->request, &config);
    return toolkit_send(compiler, WIRE_CONFIG, error);
}

/* Distinct compiler messages. A kernel with an earlier message is only counted. */
struct reasons {
    struct reason {
        uint64_t hash;
        size_t kernels;
    } * reason; /* owned */
    size_t count, capacity;
};

/* Without the file name, which differs between families. */
static uint64_t hash_reason(const char *log)
{
    const char *colon = strstr(log, ": ");
    return hash_text(HASH_START, colon ? colon : log);
}

static void show_failure(struct reasons *reasons, const struct point *point, const char *log)
{
    struct text description = {0};
    uint64_t hash = hash_reason(log);
    for (size_t i = 0; i < reasons->count; i++) {
        if (reasons->reason[i].hash == hash) {
            reasons->reason[i].kernels++;
            return;
        }
    }
    reasons->reason =
        memory_grow(reasons->reason, reasons->count, &reasons->capacity, sizeof *reasons->reason);
    reasons->reason[reasons->count++] = (struct reason){hash, 1};
    point_describe(point, &description);
    fprintf(stderr, "warpsweep: %s does not compile:\n%s%s", description.data, log,
            *log && log[strlen(log) - 1] == '\n' ? "" : "\n");
    text_free(&description);
}

static void show_further(struct reasons *reasons)
{
    size_t further = 0;
    for (size_t i = 0; i < reasons->count; i++)
        further += reasons->reason[i].kernels - 1;
    if (further)
        fprintf(stderr, "warpsweep: %zu more kernel%s, for the same reason%s\n", further,
                further == 1 ? " does not compile" : "s do not compile", reasons->count == 1 ? "" : "s");
    free(reasons->reason);
}

/* Compiler messages of failed points, by index. -1 if not all answers arrive. */
static int compile_batch(struct toolkit *compiler, const struct point *points, uint32_t count, char **log,
                         struct error *error)
{
    static char text[1 << 16];
    wire_reset(&compiler->request);
    wire_put_u32(&compiler->request, count);
    for (uint32_t i = 0; i < count; i++)
        wire_put_point(&compiler->request, &points[i]);
    if (toolkit_send(compiler, WIRE_COMPILE, error) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        struct wire_reader answer;
        if (toolkit_receive(compiler, WIRE_COMPILED, &answer, error) != 0)
            return -1;
        uint32_t index = wire_get_u32(&answer), compiled = wire_get_u32(&answer);
        wire_get_text(&answer, text, sizeof text);
        if (answer.bad || index >= count || log[index])
            return error_set(error, ERROR_ENVIRONMENT, "cannot compile: the worker's answer is malformed");
        if (!compiled)
            log[index] = memory_text(text);
    }
    return 0;
}

/* Returns the number of failed points. */
static int show_failures(const struct point *points, uint32_t count, char *const *log,
                         struct reasons *reasons)
{
    int failures = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!log[i])
            continue;
        show_failure(reasons, &points[i], log[i]);
        failures++;
    }
    return failures;
}

int compile_all(const struct point *points, size_t count, struct error *error)
{
    struct toolkit compiler;
    struct reasons reasons = {0};
    int failures = 0;
    if (!count)
        return 0;
    if (toolkit_start(&compiler, "compile", error) != 0 || compiler_configure(&compiler, error) != 0)
        failures = -1;
    for (size_t first = 0; first < count && failures >= 0; first += BATCH_POINTS) {
        uint32_t batch = (uint32_t)(count - first < BATCH_POINTS ? count - first : BATCH_POINTS);
        char *log[BATCH_POINTS] = {NULL};
        int failed = compile_batch(&compiler, points + first, batch, log, error);
        int shown = show_failures(points + first, batch, log, &reasons);
        failures = failed ? -1 : failures + shown;
        for (uint32_t i = 0; i < batch; i++)
            free(log[i]);
    }
    show_further(&reasons);
    toolkit_stop(&compiler);
    return failures;
}
