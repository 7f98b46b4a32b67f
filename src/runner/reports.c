#include "runner/runner_state.h"

#include "base/clock.h"
#include "kernels/registry.h"

static void send(struct runner *runner, enum message message)
{
    mailbox_send(runner->mailbox, runner->options.coordinator, message, &runner->out);
}

void report_hello(struct runner *runner, enum hello hello, const struct greeting *greeting, const char *why)
{
    struct wire *out = &runner->out;
    /* A rank without a worker reports its own build. */
    const struct greeting nothing = {.build = registry_build(), .device = device_unknown()};
    wire_reset(out);
    wire_put_text(out, runner->options.host);
    wire_put_u32(out, (uint32_t)runner->options.node);
    wire_put_u32(out, (uint32_t)runner->options.local_rank);
    wire_put_u32(out, (uint32_t)runner->options.local_size);
    wire_put_u64(out, runner->options.cpus);
    wire_put_u32(out, hello);
    greeting_put(out, greeting ? greeting : &nothing);
    wire_put_text(out, why);
    send(runner, MESSAGE_HELLO);
    runner->greeted = true;
}

void report_device(struct runner *runner, const struct device *device, const char *why)
{
    struct device unknown = device_unknown();
    trace_say(&runner->options.trace, "peaks %s after %.3f s%s", device ? "measured" : "unknown",
              clock_now() - runner->began, why);
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, device != NULL);
    wire_put_device(&runner->out, device ? device : &unknown);
    wire_put_text(&runner->out, why);
    send(runner, MESSAGE_DEVICE);
}

void report_compiled(struct runner *runner)
{
    trace_say(&runner->options.trace, "compiled in %.3f s, %u failed", clock_now() - runner->began,
              runner->compile_bad);
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, runner->compile_bad);
    wire_put_text(&runner->out, runner->compile_log);
    send(runner, MESSAGE_COMPILED);
}

/* The worker's message is read, checked and numbered before it is forwarded. */
static struct wire *begin_report(struct runner *runner, enum wire_type type)
{
    if (!runner->reports_count++)
        runner->reports_since = clock_now();
    wire_put_u32(&runner->reports, type);
    return &runner->reports;
}

void report_result(struct runner *runner, const struct result *result)
{
    wire_put_result(begin_report(runner, WIRE_RESULT), result);
}

void report_counted(struct runner *runner, const struct counted *counted)
{
    wire_put_counted(begin_report(runner, WIRE_COUNTED), counted, runner->config.counter_count);
}

bool report_is_due(const struct runner *runner)
{
    return runner->reports_count && clock_now() - runner->reports_since > FLUSH_SECONDS;
}

void report_results(struct runner *runner, bool idle)
{
    if (!runner->reports_count && !idle)
        return;
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, idle);
    wire_put_u32(&runner->out, runner->reports_count);
    wire_put_bytes(&runner->out, runner->reports.data, runner->reports.length);
    send(runner, MESSAGE_RESULTS);
    wire_reset(&runner->reports);
    runner->reports_count = 0;
}

void report_spans(struct runner *runner, bool last)
{
    runner->spans_since = clock_now();
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, last);
    wire_put_real(&runner->out, runner->spans_since - runner->timeline.begun);
    timeline_put(&runner->timeline, &runner->out);
    send(runner, MESSAGE_SPANS);
}

void report_note(struct runner *runner, const char *note)
{
    wire_reset(&runner->out);
    wire_put_text(&runner->out, note);
    send(runner, MESSAGE_NOTE);
}

void report_lost(struct runner *runner, const char *why)
{
    report_results(runner, false);
    wire_reset(&runner->out);
    wire_put_text(&runner->out, why);
    send(runner, MESSAGE_LOST);
    runner->state = RUNNER_LOST;
    trace_say(&runner->options.trace, "gives up: %s", why);
}

void report_ready(struct runner *runner, bool sees_token)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, sees_token);
    send(runner, MESSAGE_READY);
}
