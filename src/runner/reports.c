#include "runner/reports.h"

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

static void begin_report(struct runner *runner)
{
    if (!runner->results_count && !runner->counted_count)
        runner->results_since = clock_now();
}

void report_result(struct runner *runner, const struct result *result)
{
    begin_report(runner);
    wire_put_result(&runner->results, result);
    runner->results_count++;
}

void report_counted(struct runner *runner, const struct counted *counted)
{
    begin_report(runner);
    wire_put_counted(&runner->counted, counted, runner->config.counter_count);
    runner->counted_count++;
}

bool report_is_due(const struct runner *runner)
{
    return (runner->results_count || runner->counted_count) &&
           clock_now() - runner->results_since > FLUSH_SECONDS;
}

/* Counters are sent after their times, and before the message that ends the batch. */
static void send_results(struct runner *runner, bool idle)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, idle);
    wire_put_u32(&runner->out, runner->results_count);
    wire_put_bytes(&runner->out, runner->results.data, runner->results.length);
    send(runner, MESSAGE_RESULTS);
    wire_reset(&runner->results);
    runner->results_count = 0;
}

static void send_counted(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, runner->counted_count);
    wire_put_bytes(&runner->out, runner->counted.data, runner->counted.length);
    send(runner, MESSAGE_COUNTED);
    wire_reset(&runner->counted);
    runner->counted_count = 0;
}

void report_results(struct runner *runner, bool idle)
{
    bool counted = runner->counted_count > 0;
    if (runner->results_count || (idle && !counted))
        send_results(runner, idle && !counted);
    if (counted)
        send_counted(runner);
    if (idle && counted)
        send_results(runner, true);
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
