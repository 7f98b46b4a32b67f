#include "worker/cuda/compile/farm.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "core/wire.h"
#include "worker/cuda/compile/nvrtc.h"

extern char **environ;

/* A compiler: this program again, with the back end that opens no device. */
struct compiler {
    pid_t pid;
    int to, from;
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

enum { CHILD_IN = 3, CHILD_OUT = 4 };

static int start_compiler(struct compiler *compiler)
{
    /* CHILD_IN and CHILD_OUT, as text; posix_spawn takes no const, and changes nothing. */
    static const char *const argv[] = {
        "warpsweep-worker", "--backend", "compiler", "--local-rank", "0", "--in", "3", "--out", "4", NULL};
    int request[2], answer[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(request, O_CLOEXEC) != 0)
        return -1;
    if (pipe2(answer, O_CLOEXEC) != 0) {
        close(request[0]);
        close(request[1]);
        return -1;
    }
    /* By way of high numbers: a pipe may itself have the number that the other goes to. */
    int high_in = fcntl(request[0], F_DUPFD_CLOEXEC, 64), high_out = fcntl(answer[1], F_DUPFD_CLOEXEC, 64);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, high_in, CHILD_IN);
    posix_spawn_file_actions_adddup2(&actions, high_out, CHILD_OUT);
    int failed = posix_spawn(&compiler->pid, "/proc/self/exe", &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(high_in);
    close(high_out);
    close(request[0]);
    close(answer[1]);
    compiler->to = request[1];
    compiler->from = answer[0];
    if (!failed)
        return 0;
    close(compiler->to);
    close(compiler->from);
    compiler->pid = 0;
    return -1;
}

static void end_compiler(struct compiler *compiler)
{
    if (!compiler->pid)
        return;
    close(compiler->to); /* which ends it */
    close(compiler->from);
    waitpid(compiler->pid, NULL, 0);
    wire_stream_free(&compiler->stream);
    compiler->pid = 0;
}

static void send_config(struct farm *farm, struct compiler *compiler)
{
    struct wire message = {0};
    struct config config = *farm->config;
    config.threads = 1;
    wire_put_config(&message, &config);
    wire_send(compiler->to, WIRE_CONFIG, &message);
    wire_free(&message);
}

/* `native` means nothing to a compiler without a device. */
static struct point for_device(const struct point *point, int capability)
{
    struct point named = *point;
    int axis = space_axis(point->space, "arch");
    if (axis >= 0 && named.value[axis] == ARCH_NATIVE && capability)
        named.value[axis] = arch_of_device(capability, true);
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
    wire_send(compiler->to, WIRE_COMPILE, &message); /* if it is gone, its pipe tells */
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
    int next = 0, got = wire_stream_fill(&compiler->stream, compiler->from);
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
        polls[i] =
            (struct pollfd){.fd = farm->compiler[i].busy ? farm->compiler[i].from : -1, .events = POLLIN};
    if (poll(polls, (nfds_t)farm->compilers, -1) > 0)
        for (int i = 0; i < farm->compilers; i++)
            if (polls[i].revents)
                hear(farm, &farm->compiler[i]);
    free(polls);
}

/* Here, one after the other: when there is one processor, or one point, or no process to be had. */
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
