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

/* A compiler's message is shown once. */
static void show_failure(const struct point *point, const char *log, struct keys *reasons)
{
    struct text description = {0};
    const char *colon = strstr(log, ": "); /* the file's name, in front, differs between families */
    if (!keys_add(reasons, hash_text(HASH_START, colon ? colon : log)))
        return;
    point_describe(point, &description);
    fprintf(stderr, "warpsweep: %s does not compile:\n%s%s", description.data, log,
            *log && log[strlen(log) - 1] == '\n' ? "" : "\n");
    text_free(&description);
}

/* The compiler's message of each point that fails. -1 if not all answers arrive. */
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
            return toolkit_fail(compiler, error, TOOLKIT_MALFORMED);
        log[index] = compiled ? NULL : memory_text(text);
    }
    return 0;
}

int compile_all(const struct point *points, size_t count, struct error *error)
{
    struct toolkit compiler;
    struct keys reasons = {0}; /* hashes of the messages */
    int failures = 0;
    if (!count)
        return 0;
    char **log = memory_new(count, sizeof *log); /* of failed points */
    int failed = compiler_start(&compiler, "compile", error);
    if (!failed)
        failed = compile(&compiler, points, (uint32_t)count, log, error);
    for (size_t i = 0; i < count; i++) {
        if (log[i])
            show_failure(&points[i], log[i], &reasons);
        failures += log[i] != NULL;
        free(log[i]);
    }
    if ((size_t)failures > reasons.count)
        fprintf(stderr, "warpsweep: %zu more kernel%s not compile, for the same reasons\n",
                (size_t)failures - reasons.count, (size_t)failures - reasons.count == 1 ? " does" : "s do");
    free(log);
    keys_free(&reasons);
    toolkit_stop(&compiler);
    return failed ? -1 : failures;
}
