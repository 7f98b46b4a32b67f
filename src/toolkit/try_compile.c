#include "toolkit/toolkit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/folders.h"

int compiler_start(struct toolkit *compiler, const char *purpose, struct error *error)
{
    struct config config = config_standard();
    cpu_set_t cpus;
    if (toolkit_start(compiler, purpose, error) != 0)
        return -1;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        config.threads = CPU_COUNT(&cpus);
    struct error unusable;
    if (cache_folder_find(config.cache_folder, sizeof config.cache_folder, &unusable) != 0)
        fprintf(stderr, "warpsweep: %s\n", unusable.text);
    wire_reset(&compiler->request);
    wire_put_fields(&compiler->request, wire_config, &config);
    return toolkit_send(compiler, WIRE_CONFIG, error);
}

/* Points that do not compile. A compiler message is shown once. */
struct failures {
    struct keys reasons; /* hashes of the messages */
    int count;
};

static void show_failure(struct failures *failures, const struct point *point, const char *log)
{
    struct text description = {0};
    const char *colon = strstr(log, ": "); /* the file's name, in front, differs between families */
    failures->count++;
    if (!keys_add(&failures->reasons, hash_text(HASH_START, colon ? colon : log)))
        return;
    point_describe(point, &description);
    fprintf(stderr, "warpsweep: %s does not compile:\n%s%s", description.data, log,
            *log && log[strlen(log) - 1] == '\n' ? "" : "\n");
    text_free(&description);
}

static void show_further(const struct failures *failures)
{
    size_t reasons = failures->reasons.count, further = (size_t)failures->count - reasons;
    if (further)
        fprintf(stderr, "warpsweep: %zu more kernel%s, for the same reason%s\n", further,
                further == 1 ? " does not compile" : "s do not compile", reasons == 1 ? "" : "s");
}

/* Failures are shown in the order of the points. -1 if not all answers arrive. */
static int compile(struct toolkit *compiler, const struct point *points, uint32_t count, char **log,
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
            return toolkit_malformed(compiler, error);
        log[index] = compiled ? NULL : memory_text(text);
    }
    return 0;
}

int compile_all(const struct point *points, size_t count, struct error *error)
{
    struct toolkit compiler;
    struct failures failures = {0};
    if (!count)
        return 0;
    char **log = memory_new(count, sizeof *log); /* of failed points */
    int failed = compiler_start(&compiler, "compile", error);
    if (!failed)
        failed = compile(&compiler, points, (uint32_t)count, log, error);
    for (size_t i = 0; i < count; i++) {
        if (log[i])
            show_failure(&failures, &points[i], log[i]);
        free(log[i]);
    }
    free(log);
    show_further(&failures);
    keys_free(&failures.reasons);
    toolkit_stop(&compiler);
    return failed ? -1 : failures.count;
}
