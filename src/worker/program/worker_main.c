/* warpsweep-worker - the process that measures on one device, for one rank.
 *
 *   warpsweep-worker --backend NAME --local-rank K [--spare | --compiles]
 *
 * It speaks protocol/wire.h over PROCESS_IN and PROCESS_OUT, and is killed when its rank ends. With families
 * in Python it becomes the user's interpreter, which loads this program as libwarpsweep-worker.so and calls
 * main again (family/python/python.h). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "family/code/closure.h"
#include "family/code/plugin.h"
#include "family/python/python.h"
#include "family/family.h"
#include "kernels/registry.h"
#include "process/process.h"
#include "worker/machine.h"
#include "worker/stages.h"
#include "worker/phases.h"
#include "worker/worker.h"

#define PRIORITY_LOWEST 19

static void greet(struct worker *worker)
{
    struct text closure = {0};
    closure_add(&closure);
    struct greeting greeting = {.build = registry_build(),
                                .traits = worker->backend->traits,
                                .device = worker->device,
                                .closure = closure.data,
                                .closure_size = (uint32_t)closure.length};
    wire_reset(&worker->answer);
    greeting_put(&worker->answer, &greeting);
    worker_send(worker, WIRE_HELLO);
    text_free(&closure);
}

static void fail(struct worker *worker, const char *why)
{
    wire_reset(&worker->answer);
    wire_put_text(&worker->answer, why);
    worker_send(worker, WIRE_FATAL);
    exit(3);
}

static void do_config(struct worker *worker, struct wire_reader *request)
{
    struct error error;
    if (!wire_get_fields(request, wire_config, &worker->config))
        return;
    /* Before the back end starts threads, which inherit the affinity. A failure costs speed, not
     * correctness. */
    if (affinity_bind(worker->config.cpus, &error) != 0)
        fprintf(stderr, "warpsweep-worker: %s\n", error.text);
    worker->backend->configure(&worker->config);
}

static void do_characterise(struct worker *worker, struct wire_reader *request)
{
    uint32_t part = wire_get_u32(request);
    request->bad |= part >= PEAKS_PARTS;
    if (request->bad)
        return;
    double idle = worker->device.idle_power;
    if (worker->config.energy && part != PEAKS_LINK)
        idle = energy_idle(worker->backend);
    phases_enter(PHASE_peaks);
    if (worker->backend->characterise)
        worker->backend->characterise((enum peaks_part)part, &worker->device);
    worker->device.idle_power = idle;
    worker_send_phases(worker);
    wire_reset(&worker->answer);
    wire_put_fields(&worker->answer, wire_device, &worker->device);
    worker_send(worker, WIRE_DEVICE);
}

/* Peaks that another process of this runner measured. */
static void do_device(struct worker *worker, struct wire_reader *request)
{
    struct device device;
    if (wire_get_fields(request, wire_device, &device))
        worker->device = device;
}

/* The points of a request that have not been compiled yet. */
struct to_compile {
    struct worker *worker;
    uint32_t left;
};

static void report_compiled(void *context, uint32_t index, const char *log)
{
    struct to_compile *some = context;
    struct worker *worker = some->worker;
    if (--some->left == 0)
        worker_send_phases(worker);
    wire_reset(&worker->answer);
    wire_put_u32(&worker->answer, index);
    wire_put_u32(&worker->answer, log == NULL);
    wire_put_text(&worker->answer, log ? log : "");
    worker_send(worker, WIRE_COMPILED);
}

/* A u32 and that many points, which the caller frees. Sets request->bad. */
static struct point *get_points(struct wire_reader *request, uint32_t *count)
{
    *count = wire_get_u32(request);
    request->bad |= *count > request->length;
    if (request->bad)
        *count = 0;
    struct point *points = memory_new(*count, sizeof *points);
    for (uint32_t i = 0; i < *count; i++)
        wire_get_point(request, family_space, &points[i]);
    return points;
}

static void do_compile(struct worker *worker, struct wire_reader *request)
{
    uint32_t count;
    phases_enter(PHASE_compile);
    struct point *points = get_points(request, &count);
    struct to_compile some = {worker, count};
    int capability = worker->device.capability > 0 ? (int)worker->device.capability : 0;
    if (!request->bad && worker->backend->compile)
        worker->backend->compile(points, count, capability, report_compiled, &some);
    for (uint32_t i = 0; i < count && !request->bad && !worker->backend->compile; i++)
        report_compiled(&some, i, NULL);
    free(points);
}

#define CHIP_COLUMNS_MAX 4096 /* more than a job can name */

static void answer_chip(struct worker *worker, const char *chip, const char *const *columns, uint32_t count)
{
    struct error error = {0};
    bool *has = memory_new(count + 1, sizeof *has);
    uint32_t passes = 0;
    int failed = worker->backend->ask_chip
                     ? worker->backend->ask_chip(chip, columns, count, has, &passes, &error)
                     : error_set(&error, ERROR_ENVIRONMENT, "back end %s: chip query is not supported",
                                 worker->backend->name);
    wire_reset(&worker->answer);
    wire_put_u32(&worker->answer, failed ? error.kind : ERROR_NONE);
    wire_put_text(&worker->answer, error.text);
    wire_put_u32(&worker->answer, failed ? 0 : passes);
    for (uint32_t i = 0; i < count; i++)
        wire_put_u32(&worker->answer, !failed && has[i]);
    worker_send(worker, WIRE_CHIP_ANSWER);
    free(has);
}

static void do_chip(struct worker *worker, struct wire_reader *request)
{
    char chip[64];
    wire_get_text(request, chip, sizeof chip);
    uint32_t count = wire_get_u32(request);
    if (count > CHIP_COLUMNS_MAX) {
        request->bad = true;
        return;
    }
    char(*name)[96] = memory_new(count + 1, sizeof *name);
    const char **columns = memory_new(count + 1, sizeof *columns);
    for (uint32_t i = 0; i < count; i++) {
        wire_get_text(request, name[i], sizeof name[i]);
        columns[i] = name[i];
    }
    if (!request->bad)
        answer_chip(worker, chip, columns, count);
    free(columns);
    free(name);
}

static void do_disassemble(struct worker *worker, struct wire_reader *request)
{
    struct error error = {0};
    struct text listing = {0};
    struct point point;
    int registers = 0;
    if (!wire_get_point(request, family_space, &point))
        return;
    int failed = worker->backend->disassemble
                     ? worker->backend->disassemble(&point, &listing, &registers, &error)
                     : error_set(&error, ERROR_ENVIRONMENT, "back end %s: machine code is not supported",
                                 worker->backend->name);
    wire_reset(&worker->answer);
    wire_put_u32(&worker->answer, !failed);
    wire_put_text(&worker->answer, error.text);
    wire_put_u32(&worker->answer, (uint32_t)registers);
    wire_put_text(&worker->answer, listing.data ? listing.data : "");
    worker_send(worker, WIRE_LISTING);
    text_free(&listing);
}

/* A worker that is open already is asked to open again. */
static void do_nothing(struct worker *worker, struct wire_reader *request)
{
    (void)worker, (void)request;
}

static void do_request(struct worker *worker, enum wire_type type, struct wire_reader *request)
{
    static void (*const answers[])(struct worker *, struct wire_reader *) = {
        [WIRE_CONFIG] = do_config,           [WIRE_CHARACTERISE] = do_characterise,
        [WIRE_DEVICE] = do_device,           [WIRE_COMPILE] = do_compile,
        [WIRE_MEASURE] = worker_measure,     [WIRE_CHIP] = do_chip,
        [WIRE_DISASSEMBLE] = do_disassemble, [WIRE_OPEN] = do_nothing,
    };
    request->bad |= type >= sizeof answers / sizeof *answers || !answers[type];
    if (!request->bad)
        answers[type](worker, request);
    if (request->bad)
        worker_leave("a request that cannot be read");
}

static void serve(struct worker *worker)
{
    struct wire_stream stream = {0};
    struct wire_reader request;
    enum wire_type type;
    for (;;) {
        int got = wire_stream_next(&stream, &type, &request);
        if (got > 0) {
            if (type == WIRE_QUIT)
                break;
            phases_begin(PHASE_messages);
            do_request(worker, type, &request);
            phases_end();
            continue;
        }
        if (got < 0)
            worker_leave("a request that cannot be read");
        if (wire_stream_fill(&stream, PROCESS_IN) < 0)
            break; /* the rank closed its end */
    }
    wire_stream_free(&stream);
}

/* Ctrl-C and Slurm's signals reach every process of the job. What happens then is the rank's decision: it
 * lets the point end, or kills this process. */
static void leave_signals_to_the_rank(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Until there is WIRE_OPEN to be read. Ends with the rank. */
static void wait_to_be_used(void)
{
    struct pollfd input = {.fd = PROCESS_IN, .events = POLLIN};
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        continue;
    if (!(input.revents & POLLIN))
        exit(0);
}

static void open_device(struct worker *worker, bool spare)
{
    struct error error = {0};
    if (worker->backend->find && worker->backend->find(worker->local_rank, &error) != 0)
        fail(worker, error.text);
    if (spare) {
        python_import_ahead();
        wait_to_be_used();
    }
    phases_begin(PHASE_context);
    if (worker->backend->open(worker->local_rank, &worker->device, &error) != 0)
        fail(worker, error.text);
    worker->target = target_of_device(&worker->device);
    greet(worker); /* always the first */
    worker_send_phases(worker);
    phases_end();
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"backend", required_argument, NULL, 'b'},
                                            {"local-rank", required_argument, NULL, 'r'},
                                            {"spare", no_argument, NULL, 's'},
                                            {"compiles", no_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    struct worker worker = {.config = config_standard()};
    struct error error = {0};
    const char *name = "";
    bool spare = false, compiles = false;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'b':
            name = optarg;
            break;
        case 'r':
            worker.local_rank = (int)strtol(optarg, NULL, 10);
            break;
        case 's':
            spare = true;
            break;
        case 'c':
            compiles = true;
            break;
        default:
            return 2;
        }
    }
    if (fcntl(PROCESS_IN, F_GETFD) < 0 || worker.local_rank < 0 || optind != argc) {
        fprintf(stderr, "warpsweep-worker is started by `warpsweep run`; it has no use of its own\n");
        return 2;
    }
    leave_signals_to_the_rank();
    bool launches = !compiles && strcmp(name, "compiler") != 0;
    if (launches && plugin_needs_python() && !python_is_attached()) {
        python_become(argc, argv, &error);
        fail(&worker, error.text);
    }
    worker.backend = backend_find(name);
    worker.device = device_unknown();
    if (!worker.backend) {
        error_set(&error, ERROR_ENVIRONMENT, "this build has no %.32s back end", name);
        fail(&worker, error.text);
    }
    if (registry_load_environment(&error) != 0)
        fail(&worker, error.text);
    if (compiles)
        setpriority(PRIO_PROCESS, 0, PRIORITY_LOWEST); /* what measures has the processors first */
    else
        open_device(&worker, spare);
    serve(&worker);
    if (!compiles && worker.backend->close)
        worker.backend->close();
    wire_free(&worker.answer);
    return 0;
}
