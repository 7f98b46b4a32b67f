#include "toolkit/toolkit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "kernels/registry.h"

int toolkit_start(struct toolkit *toolkit, const char *purpose, struct error *error)
{
    struct wire_reader hello;
    struct greeting greeting;
    const struct build own = registry_build();
    *toolkit = (struct toolkit){.process = process_none(), .purpose = purpose};
    toolkit->sigpipe = signal(SIGPIPE, SIG_IGN); /* a worker that dies is an error message */
    if (process_start_worker(&toolkit->process, "compiler", 0, "", NULL, error) != 0 ||
        toolkit_receive(toolkit, WIRE_HELLO, &hello, error) != 0)
        return -1;
    greeting_get(&hello, &greeting); /* a malformed greeting has no build and fails the check */
    return greeting_check(&greeting, &own, error);
}

void toolkit_stop(struct toolkit *toolkit)
{
    process_kill(&toolkit->process);
    wire_stream_free(&toolkit->stream);
    wire_free(&toolkit->request);
    signal(SIGPIPE, toolkit->sigpipe);
}

int toolkit_send(struct toolkit *toolkit, enum wire_type type, struct error *error)
{
    if (wire_send(toolkit->process.to, type, &toolkit->request) != 0)
        return toolkit_fail(toolkit, error, "the worker process has ended: %s", strerror(errno));
    return 0;
}

int toolkit_receive(struct toolkit *toolkit, enum wire_type wanted, struct wire_reader *message,
                    struct error *error)
{
    enum wire_type type;
    int got;
    while ((got = wire_stream_next(&toolkit->stream, &type, message)) == 0 ||
           (got > 0 && type == WIRE_PHASES)) {
        if (got > 0)
            continue; /* phases of a timeline, which only runs use */
        struct pollfd ready = {.fd = toolkit->process.from, .events = POLLIN};
        if (poll(&ready, 1, -1) < 0 && errno != EINTR)
            return toolkit_fail(toolkit, error, "cannot wait for the worker: %s", strerror(errno));
        if (wire_stream_fill(&toolkit->stream, toolkit->process.from) < 0)
            return toolkit_fail(toolkit, error, "the worker process ended unexpectedly");
    }
    char why[512];
    if (got > 0 && type == wanted)
        return 0;
    if (got <= 0 || type != WIRE_FATAL)
        return toolkit_fail(toolkit, error, "the worker sent an answer to another request");
    wire_get_text(message, why, sizeof why);
    return toolkit_fail(toolkit, error, "%s; this needs a build with CUDA", why);
}

int toolkit_ask_chip(struct toolkit *toolkit, const char *chip, const char *const *columns, int count,
                     bool *has, uint32_t *passes, struct error *error)
{
    struct wire_reader answer;
    char why[1000];
    wire_reset(&toolkit->request);
    wire_put_text(&toolkit->request, chip);
    wire_put_u32(&toolkit->request, (uint32_t)count);
    for (int i = 0; i < count; i++)
        wire_put_text(&toolkit->request, columns[i]);
    if (toolkit_send(toolkit, WIRE_CHIP, error) != 0)
        return -1;
    if (toolkit_receive(toolkit, WIRE_CHIP_ANSWER, &answer, error) != 0)
        return toolkit_fail(
            toolkit, error,
            "the worker process ended in CUPTI; WARPSWEEP_CUPTI=FILE chooses another libcupti.so");
    uint32_t kind = wire_get_u32(&answer);
    wire_get_text(&answer, why, sizeof why);
    *passes = wire_get_u32(&answer);
    for (int i = 0; i < count; i++)
        has[i] = wire_get_u32(&answer) != 0;
    if (answer.bad)
        return toolkit_fail(toolkit, error, TOOLKIT_MALFORMED);
    if (kind == ERROR_NONE)
        return 0;
    error_set(error, kind == ERROR_USAGE ? ERROR_USAGE : ERROR_ENVIRONMENT, "%s", why);
    return error_prefix(error, "cannot %s", toolkit->purpose);
}
