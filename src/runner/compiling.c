/* compiling.c - compile kernels ahead, in a process beside the worker. */

#include "base/clock.h"
#include "runner/runner_state.h"

/* A kernel may take as long as a point, and so may starting the compiler. */
static void restart_deadline(struct runner *runner)
{
    runner->compile_deadline = clock_now() + 2 * runner->config.timing.timeout;
}

void compiling_end(struct runner *runner)
{
    worker_link_kill(runner->compiler);
    runner->to_compile = 0;
    if (runner->state == RUNNER_IDLE)
        runner_wait(runner);
}

/* The rest is not compiled ahead. */
static void give_up(struct runner *runner, const char *why)
{
    compiling_end(runner);
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, WIRE_COMPILED_REST);
    wire_put_u32(&runner->out, false);
    wire_put_text(&runner->out, why);
    mailbox_send(runner->mailbox, COORDINATOR, WIRE_COMPILED, &runner->out);
}

/* The worker keeps a processor for itself: it launches, and computes reference outputs. */
static void send_settings(struct runner *runner)
{
    struct config config = runner->config;
    config.threads -= config.threads > 1;
    wire_reset(&runner->out);
    wire_put_fields(&runner->out, wire_config, &config);
    worker_link_send(runner->compiler, WIRE_CONFIG, &runner->out);
    wire_reset(&runner->out);
    wire_put_fields(&runner->out, wire_device, &runner->device);
    worker_link_send(runner->compiler, WIRE_DEVICE, &runner->out);
}

void compiling_take(struct runner *runner, struct wire_reader *payload)
{
    struct error error;
    const struct wire same = wire_forward(payload);
    runner->to_compile = wire_get_u32(payload);
    if (worker_link_start_compiler(runner->compiler, runner->backend, &error) != 0) {
        give_up(runner, error.text);
        return;
    }
    send_settings(runner);
    worker_link_send(runner->compiler, WIRE_COMPILE, &same);
    restart_deadline(runner);
    if (runner->state == RUNNER_IDLE)
        runner_wait(runner);
}

static void take_answer(struct runner *runner, enum wire_type type, struct wire_reader *payload)
{
    char log[8];
    if (type == WIRE_PHASES) /* those of the lane are the worker's */
        return;
    const struct wire same = wire_forward(payload);
    wire_get_u32(payload);
    wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (type != WIRE_COMPILED || payload->bad || !runner->to_compile) {
        give_up(runner, "the process that compiles sent an unexpected message");
        return;
    }
    mailbox_send(runner->mailbox, COORDINATOR, WIRE_COMPILED, &same);
    restart_deadline(runner);
    if (!--runner->to_compile) {
        trace_say(&runner->options.trace, "all kernels are compiled");
        compiling_end(runner);
    }
}

bool compiling_step(struct runner *runner)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    if (!worker_link_is_up(runner->compiler)) {
        worker_link_is_free(runner->compiler); /* reaps it */
        return false;
    }
    switch (worker_link_next(runner->compiler, &type, &payload, why, sizeof why)) {
    case LINK_QUIET:
        if (clock_now() < runner->compile_deadline)
            return false;
        give_up(runner, "no kernel is ready for too long");
        break;
    case LINK_MESSAGE:
        take_answer(runner, type, &payload);
        break;
    case LINK_UNREADABLE:
        give_up(runner, "the process that compiles sent a message that cannot be read");
        break;
    case LINK_GONE:
        give_up(runner, why);
        break;
    }
    return true;
}
