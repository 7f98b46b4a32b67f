#include "cli/compile.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "core/wire.h"
#include "launch/environment.h"
#include "launch/process.h"

#define BATCH_POINTS 256 /* compiled at a time: enough to keep every core busy */

struct compiler {
    struct process process;
    struct wire_stream stream;
    struct wire request; /* reused */
};

static int start(struct compiler *compiler, struct error *error)
{
    char folder[4096], path[4200], in[16], out[16];
    io_executable_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/warpsweep-worker", folder);
    snprintf(in, sizeof in, "%d", PROCESS_IN);
    snprintf(out, sizeof out, "%d", PROCESS_OUT);
    const char *argv[] = {path, "--backend", "compiler", "--local-rank", "0", "--in", in, "--out", out, NULL};
    return process_start(&compiler->process, path, argv, error);
}

static int send_request(struct compiler *compiler, enum wire_type type, struct error *error)
{
    if (wire_send(compiler->process.to, type, &compiler->request) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "the compiling worker is gone: %s", strerror(errno));
    return 0;
}

/* Wait for the next message, which has to be of that type. */
static int receive(struct compiler *compiler, enum wire_type wanted, struct wire_reader *message,
                   struct error *error)
{
    enum wire_type type;
    int got;
    while ((got = wire_stream_next(&compiler->stream, &type, message)) == 0) {
        struct pollfd ready = {.fd = compiler->process.from, .events = POLLIN};
        if (poll(&ready, 1, -1) < 0 && errno != EINTR)
            return error_set(error, ERROR_ENVIRONMENT, "cannot wait for the compiling worker: %s",
                             strerror(errno));
        if (wire_stream_fill(&compiler->stream, compiler->process.from) < 0)
            return error_set(error, ERROR_ENVIRONMENT, "the compiling worker ended unexpectedly");
    }
    if (got > 0 && type == wanted)
        return 0;
    if (got > 0 && type == WIRE_FATAL) {
        char why[512];
        wire_get_text(message, why, sizeof why);
        return error_set(error, ERROR_ENVIRONMENT, "cannot compile: %s; it takes a build with CUDA", why);
    }
    return error_set(error, ERROR_ENVIRONMENT, "the compiling worker sends what nobody asked for");
}

static int configure(struct compiler *compiler, struct error *error)
{
    struct config config = config_standard();
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        config.threads = CPU_COUNT(&cpus);
    environment_cache_folder(config.cache_folder, sizeof config.cache_folder);
    wire_reset(&compiler->request);
    wire_put_config(&compiler->request, &config);
    return send_request(compiler, WIRE_CONFIG, error);
}

static void show_failure(const struct point *point, const char *log)
{
    struct text description = {0};
    point_describe(point, &description);
    fprintf(stderr, "warpsweep: %s does not compile:\n%s%s", description.data, log,
            *log && log[strlen(log) - 1] == '\n' ? "" : "\n");
    text_free(&description);
}

/* How many of the batch failed, or -1. */
static int compile_batch(struct compiler *compiler, const struct point *points, uint32_t count,
                         struct error *error)
{
    static char log[1 << 16];
    int failures = 0;
    wire_reset(&compiler->request);
    wire_put_u32(&compiler->request, count);
    for (uint32_t i = 0; i < count; i++)
        wire_put_point(&compiler->request, &points[i]);
    if (send_request(compiler, WIRE_COMPILE, error) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        struct wire_reader answer;
        if (receive(compiler, WIRE_COMPILED, &answer, error) != 0)
            return -1;
        uint32_t index = wire_get_u32(&answer), compiled = wire_get_u32(&answer);
        wire_get_text(&answer, log, sizeof log);
        if (answer.bad || index >= count)
            return error_set(error, ERROR_ENVIRONMENT, "the compiling worker sends rubbish");
        if (!compiled) {
            show_failure(&points[index], log);
            failures++;
        }
    }
    return failures;
}

int compile_all(const struct point *points, size_t count, struct error *error)
{
    struct compiler compiler = {.process = {.to = -1, .from = -1}};
    struct wire_reader hello;
    int failures = 0;
    if (!count)
        return 0;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a worker that dies is an error message, not our end */
    if (start(&compiler, error) != 0 || receive(&compiler, WIRE_HELLO, &hello, error) != 0 ||
        configure(&compiler, error) != 0) {
        failures = -1;
        goto out;
    }
    for (size_t first = 0; first < count && failures >= 0; first += BATCH_POINTS) {
        uint32_t batch = (uint32_t)(count - first < BATCH_POINTS ? count - first : BATCH_POINTS);
        int failed = compile_batch(&compiler, points + first, batch, error);
        failures = failed < 0 ? -1 : failures + failed;
    }
out:
    process_kill(&compiler.process);
    wire_stream_free(&compiler.stream);
    wire_free(&compiler.request);
    signal(SIGPIPE, before);
    return failures;
}
