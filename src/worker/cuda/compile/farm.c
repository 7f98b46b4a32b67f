#include "worker/cuda/compile/compile.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "process/process.h"
#include "protocol/wire.h"

/* More compilers gain little: 400 kernels are a minute of work for one, and each needs memory and time to
 * load NVRTC. */
#define COMPILERS_MAX 16

/* A compiler process: this program with the back end `compiler`, which opens no device. */
struct compiler {
    struct process process;
    struct wire_stream stream;
    uint32_t point; /* being compiled */
    bool busy;
};

/* Headers that are precompiled by the first compiler for all. */
struct headers {
    struct precompiled precompiled; /* being made, or to use; no file: none */
    char folder[64];
    int file; /* while it is used; it has no name any more, and goes with this process */
};

struct farm {
    const struct config *config;
    int capability;
    const struct point *points;
    uint32_t *missing;    /* indices of points that are not in the cache */
    uint32_t count, next; /* their number; the next to start */
    compiled_report compiled;
    void *context;
    struct compiler compiler[COMPILERS_MAX];
    int compilers;
    struct headers headers;
};

#define AS_IS 0xffffffffUL /* personality: only ask */

#define END_SECONDS 10.0 /* for an idle compiler to exit */

static int start_compiler(struct compiler *compiler, bool same_addresses)
{
    const char *const argv[] = {"warpsweep-worker", "--backend", "compiler", "--local-rank", "0", NULL};
    int before = same_addresses ? personality(AS_IS) : 0;
    if (same_addresses)
        personality((unsigned long)before | ADDR_NO_RANDOMIZE);
    int failed =
        process_start(&compiler->process,
                      &(struct process_options){.path = "/proc/self/exe", .argv = argv, .pipes = true}, NULL);
    if (same_addresses)
        personality((unsigned long)before);
    return failed;
}

static void end_compiler(struct compiler *compiler)
{
    char how[128];
    process_close_input(&compiler->process); /* which ends it */
    process_wait(&compiler->process, END_SECONDS, how, sizeof how);
    process_kill(&compiler->process);
    wire_stream_free(&compiler->stream);
    compiler->busy = false;
}

static void send_config(struct farm *farm, struct compiler *compiler)
{
    struct wire message = {0};
    struct config config = *farm->config;
    config.threads = 1;
    config.precompiled = farm->headers.precompiled;
    config.precompiled.make = config.precompiled.make && compiler == farm->compiler;
    if (!config.precompiled.make && farm->headers.precompiled.make)
        *config.precompiled.file = '\0';
    wire_put_fields(&message, wire_config, &config);
    wire_send(compiler->process.to, WIRE_CONFIG, &message);
    wire_free(&message);
}

/* `native` means nothing to a compiler without a device. */
static struct point for_device(const struct point *point, int capability)
{
    struct point named = *point;
    int axis = space_axis(point->space, "arch");
    if (axis >= 0 && capability)
        named.value[axis] = family_arch(point, compile_arch(capability, true));
    return named;
}

static void send_next(struct farm *farm, struct compiler *compiler)
{
    struct wire message = {0};
    compiler->busy = farm->next < farm->count;
    if (!compiler->busy)
        return;
    compiler->point = farm->missing[farm->next++];
    struct point point = for_device(&farm->points[compiler->point], farm->capability);
    wire_put_u32(&message, 1);
    wire_put_point(&message, &point);
    wire_send(compiler->process.to, WIRE_COMPILE,
              &message); /* if the process has died, reading its pipe fails */
    wire_free(&message);
}

static void take_answer(struct farm *farm, struct compiler *compiler, struct wire_reader *answer)
{
    static char text[1 << 16];
    wire_get_u32(answer);
    bool ok = wire_get_u32(answer);
    wire_get_text(answer, text, sizeof text);
    farm->compiled(farm->context, compiler->point, ok ? NULL : text);
}

/* ---- Precompiled headers ---- */

#define MEMORY_FOLDER "/dev/shm" /* a file of 150 MB, for a moment */
#define MEMORY_BYTES  (UINT64_C(1) << 30)
enum { WITH_HEADERS_MIN = 4 }; /* kernels, for which it is worth while */

/* The headers that a point wants. */
static bool want_headers(const struct farm *farm, uint32_t i, struct precompiled *wanted)
{
    struct point point = for_device(&farm->points[i], farm->capability);
    struct text options = {0}, headers = {0};
    const struct family *family = family_of(&point);
    text_add(&options, "%s", "");
    macros_define(&point, &options);
    bool wants = !family->code &&
                 precompiled_headers(family->source, family->headers, options.data, &headers) &&
                 headers.length < sizeof wanted->headers;
    if (wants) {
        *wanted = (struct precompiled){.target = point_value(&point, "arch", ARCH_NATIVE)};
        memcpy(wanted->headers, headers.data, headers.length + 1);
    }
    text_free(&options);
    text_free(&headers);
    return wants;
}

/* Let the first compiler make the headers that are wanted first, if enough kernels want them. */
static void plan_headers(struct farm *farm)
{
    struct headers *headers = &farm->headers;
    struct precompiled wanted, *first = &headers->precompiled;
    uint32_t wanting = 0;
    struct statvfs left;
    headers->file = -1;
    for (uint32_t i = 0; i < farm->count && wanting < WITH_HEADERS_MIN; i++) {
        if (!want_headers(farm, farm->missing[i], &wanted))
            continue;
        *first = wanting ? *first : wanted;
        wanting += wanted.target == first->target && !strcmp(wanted.headers, first->headers);
    }
    int before = personality(AS_IS); /* a container may forbid it */
    bool may = before != -1 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) != -1;
    personality((unsigned long)before);
    snprintf(headers->folder, sizeof headers->folder, MEMORY_FOLDER "/warpsweep-XXXXXX");
    if (wanting < WITH_HEADERS_MIN || !may || statvfs(MEMORY_FOLDER, &left) != 0 ||
        (uint64_t)left.f_bavail * left.f_frsize < MEMORY_BYTES || !mkdtemp(headers->folder))
        return;
    snprintf(headers->precompiled.file, sizeof headers->precompiled.file, "%s/cub.pch", headers->folder);
    headers->precompiled.make = true;
}

/* The first compiler has answered, or is gone: use what it has made. */
static void take_headers(struct farm *farm)
{
    struct headers *headers = &farm->headers;
    struct stat made;
    if (!headers->precompiled.make)
        return;
    headers->precompiled.make = false;
    headers->file = open(headers->precompiled.file, O_RDONLY | O_CLOEXEC);
    unlink(headers->precompiled.file);
    rmdir(headers->folder);
    *headers->precompiled.file = '\0';
    if (headers->file < 0 || fstat(headers->file, &made) != 0 || made.st_size == 0)
        return;
    snprintf(headers->precompiled.file, sizeof headers->precompiled.file, "/proc/%d/fd/%d", (int)getpid(),
             headers->file);
    for (int i = 0; i < farm->compilers; i++)
        if (farm->compiler[i].process.pid > 0)
            send_config(farm, &farm->compiler[i]);
}

/* ---- Answers ---- */

/* Read the messages of a compiler. If it dies, its current point has failed, and the other compilers take the
 * rest. */
static void hear(struct farm *farm, struct compiler *compiler)
{
    enum wire_type type;
    struct wire_reader payload;
    int next = 0, got = wire_stream_fill(&compiler->stream, compiler->process.from);
    while ((next = wire_stream_next(&compiler->stream, &type, &payload)) > 0) {
        if (type != WIRE_COMPILED)
            continue; /* HELLO */
        if (compiler == farm->compiler)
            take_headers(farm);
        take_answer(farm, compiler, &payload);
        send_next(farm, compiler);
    }
    if (got >= 0 && next >= 0)
        return;
    if (compiler->busy)
        farm->compiled(farm->context, compiler->point, "the compiler process died");
    end_compiler(compiler);
    if (compiler == farm->compiler)
        take_headers(farm);
}

/* Hear busy compilers. False: there are none. */
static bool wait_for_some(struct farm *farm)
{
    struct pollfd polls[COMPILERS_MAX];
    int busy = 0;
    for (int i = 0; i < farm->compilers; i++) {
        const struct compiler *compiler = &farm->compiler[i];
        polls[i] = (struct pollfd){.fd = compiler->busy ? compiler->process.from : -1, .events = POLLIN};
        busy += compiler->busy;
    }
    if (busy && poll(polls, (nfds_t)farm->compilers, -1) > 0)
        for (int i = 0; i < farm->compilers; i++)
            if (polls[i].revents)
                hear(farm, &farm->compiler[i]);
    return busy;
}

/* Start one at a time, so that the first ones work while others load. */
static void compile_by_many(struct farm *farm, int wanted)
{
    plan_headers(farm);
    const bool same_addresses = farm->headers.precompiled.make;
    while (farm->compilers < wanted && farm->next < farm->count) {
        struct compiler *compiler = &farm->compiler[farm->compilers];
        if (start_compiler(compiler, same_addresses) != 0)
            break;
        farm->compilers++;
        send_config(farm, compiler);
        send_next(farm, compiler);
    }
    while (wait_for_some(farm))
        continue;
    take_headers(farm);
    if (farm->headers.file >= 0)
        close(farm->headers.file);
    for (int i = 0; i < farm->compilers; i++)
        process_close_input(&farm->compiler[i].process); /* all at once, so that they end in parallel */
    for (int i = 0; i < farm->compilers; i++)
        end_compiler(&farm->compiler[i]);
}

/* Compile in this process: with one processor or one point, or if no process can be started. */
static void compile_here(struct farm *farm)
{
    for (; farm->next < farm->count; farm->next++) {
        struct code code;
        struct text log = {0};
        uint32_t i = farm->missing[farm->next];
        int failed =
            compile_point(&farm->points[i], farm->capability, farm->config->cache_folder, &code, &log);
        const char *said = log.data ? log.data : "the compiler says nothing";
        farm->compiled(farm->context, i, failed ? said : NULL);
        code_free(&code);
        text_free(&log);
    }
}

void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, compiled_report compiled, void *context)
{
    struct farm farm = {.config = config,
                        .capability = capability,
                        .points = points,
                        .missing = memory_new((size_t)count + 1, sizeof *farm.missing),
                        .compiled = compiled,
                        .context = context};
    bool shared = config->cache_folder[0] != '\0'; /* compilers pass their code through the cache */
    for (uint32_t i = 0; i < count; i++) {
        struct code code = {0};
        if (shared && compile_point(&points[i], capability, config->cache_folder, &code, NULL) == 0)
            compiled(context, i, NULL);
        else
            farm.missing[farm.count++] = i;
        code_free(&code);
    }
    int wanted = config->threads < (int)farm.count ? config->threads : (int)farm.count;
    if (wanted > 1 && shared)
        compile_by_many(&farm, wanted < COMPILERS_MAX ? wanted : COMPILERS_MAX);
    compile_here(&farm);
    free(farm.missing);
}
