#include "worker/cuda/compile/farm.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/wire.h"
#include "family/family.h"
#include "process/process.h"
#include "worker/cuda/compile/point_code.h"

/* A compiler: this program again, with the back end that opens no device. */
struct compiler {
    struct process process;
    struct wire_stream stream;
    uint32_t point; /* that it is at */
    bool busy;
};

struct farm {
    const struct config *config;
    int capability;
    const struct point *points;
    uint32_t count, next; /* points; the first that nobody has begun */
    char **log;
    double *seconds;
    struct compiler *compiler;
    int compilers;
};

#define END_SECONDS 10.0 /* for a compiler that has nothing to do any more */

static int start_compiler(struct compiler *compiler)
{
    char in[8], out[8];
    snprintf(in, sizeof in, "%d", PROCESS_IN);
    snprintf(out, sizeof out, "%d", PROCESS_OUT);
    const char *const argv[] = {
        "warpsweep-worker", "--backend", "compiler", "--local-rank", "0", "--in", in, "--out", out, NULL};
    return process_start(&compiler->process,
                         &(struct process_options){.path = "/proc/self/exe", .argv = argv, .pipes = true},
                         NULL);
}

static void end_compiler(struct compiler *compiler)
{
    char how[128];
    process_close_input(&compiler->process); /* which ends it */
    process_wait(&compiler->process, END_SECONDS, how, sizeof how);
    process_kill(&compiler->process);
    wire_stream_free(&compiler->stream);
}

static void send_config(struct farm *farm, struct compiler *compiler)
{
    struct wire message = {0};
    struct config config = *farm->config;
    config.threads = 1;
    wire_put_config(&message, &config);
    wire_send(compiler->process.to, WIRE_CONFIG, &message);
    wire_free(&message);
}

/* `native` means nothing to a compiler without a device. */
static struct point for_device(const struct point *point, int capability)
{
    struct point named = *point;
    int axis = space_axis(point->space, "arch");
    if (axis >= 0 && capability)
        named.value[axis] = family_arch(point, arch_of_device(capability, true));
    return named;
}

static void send_next(struct farm *farm, struct compiler *compiler)
{
    struct wire message = {0};
    compiler->busy = farm->next < farm->count;
    if (!compiler->busy)
        return;
    compiler->point = farm->next++;
    struct point point = for_device(&farm->points[compiler->point], farm->capability);
    wire_put_u32(&message, 1);
    wire_put_point(&message, &point);
    wire_send(compiler->process.to, WIRE_COMPILE, &message); /* if it is gone, its pipe tells */
    wire_free(&message);
}

static void take_answer(struct farm *farm, struct compiler *compiler, struct wire_reader *answer)
{
    static char text[1 << 16];
    uint32_t at = compiler->point;
    wire_get_u32(answer);
    bool ok = wire_get_u32(answer);
    wire_get_text(answer, text, sizeof text);
    farm->seconds[at] = wire_get_real(answer);
    farm->log[at] = ok ? NULL : memory_text(text);
}

/* What a compiler says; when it dies, the point it was at failed, and the others take the rest. */
static void hear(struct farm *farm, struct compiler *compiler)
{
    enum wire_type type;
    struct wire_reader payload;
    int next = 0, got = wire_stream_fill(&compiler->stream, compiler->process.from);
    while ((next = wire_stream_next(&compiler->stream, &type, &payload)) > 0) {
        if (type != WIRE_COMPILED)
            continue; /* HELLO */
        take_answer(farm, compiler, &payload);
        send_next(farm, compiler);
    }
    if (got >= 0 && next >= 0)
        return;
    if (compiler->busy)
        farm->log[compiler->point] = memory_text("the compiler process died");
    compiler->busy = false;
    end_compiler(compiler);
}

static int busy_compilers(const struct farm *farm)
{
    int busy = 0;
    for (int i = 0; i < farm->compilers; i++)
        busy += farm->compiler[i].busy;
    return busy;
}

static void wait_for_some(struct farm *farm)
{
    struct pollfd *polls = memory_new((size_t)farm->compilers, sizeof *polls);
    for (int i = 0; i < farm->compilers; i++)
        polls[i] = (struct pollfd){.fd = farm->compiler[i].busy ? farm->compiler[i].process.from : -1,
                                   .events = POLLIN};
    if (poll(polls, (nfds_t)farm->compilers, -1) > 0)
        for (int i = 0; i < farm->compilers; i++)
            if (polls[i].revents)
                hear(farm, &farm->compiler[i]);
    free(polls);
}

/* Here, one after the other: when there is one processor, or one point, or no process can be started. */
static void compile_here(struct farm *farm)
{
    for (; farm->next < farm->count; farm->next++) {
        struct code code;
        struct text log = {0};
        uint32_t i = farm->next;
        farm->log[i] = NULL;
        if (compile_point(&farm->points[i], farm->capability, farm->config->cache_folder, &code, &log) != 0)
            farm->log[i] = memory_text(log.data ? log.data : "the compiler says nothing");
        farm->seconds[i] = code.seconds;
        code_free(&code);
        text_free(&log);
    }
}

void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, char **log, double *seconds)
{
    struct farm farm = {config, capability, points, count, 0, log, seconds, NULL, 0};
    int wanted = config->threads < (int)count ? config->threads : (int)count;
    bool shared = config->cache_folder[0] != '\0'; /* else the compilers could not hand over what they made */
    farm.compiler = memory_new((size_t)(wanted > 1 ? wanted : 1), sizeof *farm.compiler);
    while (wanted > 1 && shared && farm.compilers < wanted &&
           start_compiler(&farm.compiler[farm.compilers]) == 0) {
        struct compiler *compiler = &farm.compiler[farm.compilers++];
        send_config(&farm, compiler);
        send_next(&farm, compiler);
    }
    while (busy_compilers(&farm))
        wait_for_some(&farm);
    for (int i = 0; i < farm.compilers; i++)
        end_compiler(&farm.compiler[i]);
    free(farm.compiler);
    compile_here(&farm);
}
