/* reports.c - what a runner tells the coordinator. */
#include "launch/runner/runner_state.h"

static void tell(struct runner *runner, enum message message)
{
    mailbox_send(runner->mailbox, runner->options.coordinator, message, &runner->out);
}

void report_hello(struct runner *runner, const struct greeting *greeting, const char *why)
{
    struct wire *out = &runner->out;
    const struct greeting nothing = {.device = device_unknown()};
    wire_reset(out);
    wire_put_text(out, runner->options.host);
    wire_put_u32(out, (uint32_t)runner->options.node);
    wire_put_u32(out, (uint32_t)runner->options.local_rank);
    wire_put_u32(out, (uint32_t)runner->options.local_size);
    wire_put_u32(out, greeting != NULL);
    greeting_put(out, greeting ? greeting : &nothing);
    wire_put_text(out, why);
    tell(runner, MESSAGE_HELLO);
    runner->greeted = true;
}

void report_device(struct runner *runner, const struct device *device, const char *why)
{
    struct device unknown = device_unknown();
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, device != NULL);
    wire_put_device(&runner->out, device ? device : &unknown);
    wire_put_text(&runner->out, why);
    tell(runner, MESSAGE_DEVICE);
}

void report_compiled(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, runner->compile_bad);
    wire_put_text(&runner->out, runner->compile_log);
    tell(runner, MESSAGE_COMPILED);
}

void report_results(struct runner *runner, bool idle)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, idle);
    wire_put_u32(&runner->out, runner->results_count);
    wire_put_bytes(&runner->out, runner->results.data, runner->results.length);
    tell(runner, MESSAGE_RESULTS);
    wire_reset(&runner->results);
    runner->results_count = 0;
}

void report_note(struct runner *runner, const char *note)
{
    wire_reset(&runner->out);
    wire_put_text(&runner->out, note);
    tell(runner, MESSAGE_NOTE);
}

void report_lost(struct runner *runner, const char *why)
{
    if (runner->results_count)
        report_results(runner, false);
    wire_reset(&runner->out);
    wire_put_text(&runner->out, why);
    tell(runner, MESSAGE_LOST);
    runner->state = LOST;
}

void report_ready(struct runner *runner, bool sees_token)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, sees_token);
    tell(runner, MESSAGE_READY);
}
