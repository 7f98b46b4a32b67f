#include "runner/runner_state.h"

#include "base/clock.h"

static void send(struct runner *runner, enum wire_type message)
{
    mailbox_send(runner->mailbox, COORDINATOR, message, &runner->out);
}

void report_forward(struct runner *runner, enum wire_type message, const struct wire_reader *payload)
{
    const struct wire same = wire_forward(payload);
    mailbox_send(runner->mailbox, COORDINATOR, message, &same);
}

void report_failure(struct runner *runner, enum wire_type message, const char *why)
{
    report_results(runner, false);
    wire_reset(&runner->out);
    wire_put_text(&runner->out, why);
    send(runner, message);
}

void report_queue(struct runner *runner, enum wire_type message, const struct wire *payload)
{
    if (!runner->reports.length)
        runner->reports_since = clock_now();
    wire_put_frame(&runner->reports, message, payload);
}

void report_results(struct runner *runner, bool idle)
{
    if (!runner->reports.length && !idle)
        return;
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, idle);
    wire_put_u32(&runner->out, runner->workers);
    wire_put_bytes(&runner->out, runner->reports.data, runner->reports.length);
    send(runner, WIRE_RESULTS);
    wire_reset(&runner->reports);
}

void report_phases(struct runner *runner, bool last)
{
    runner->phases_since = clock_now();
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, last);
    wire_put_real(&runner->out, runner->phases_since - runner->timeline.begun);
    timeline_put(&runner->timeline, &runner->out);
    send(runner, WIRE_LANE);
}
