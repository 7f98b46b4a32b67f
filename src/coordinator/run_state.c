#include "coordinator/run_state.h"

#include <stdio.h>

void run_note(struct run *run, const char *name, const char *text)
{
    if (run->plan.open)
        store_note(run->plan.store, name, text);
    else
        environment_add(&run->opening.environment, name, "%s", text);
}

const char *run_note_rank(struct run *run, int rank, const char *name, const char *what, char text[600])
{
    const struct member *member = &run->team.member[rank];
    snprintf(text, 600, "rank %d, %.100s on %.100s (%.60s): %.300s", rank,
             *member->device.name ? member->device.name : "no device", member->home.host,
             *member->device.uuid ? member->device.uuid : "unknown", what);
    run_note(run, name, text);
    return text;
}

void run_hide_device(struct run *run, int rank)
{
    struct device *device = &run->team.member[rank].device;
    privacy_device(&run->privacy, device->host, device->uuid, sizeof device->uuid);
}

struct wire *run_begin_message(struct run *run)
{
    wire_reset(&run->out);
    return &run->out;
}

void run_send(struct run *run, int rank, enum wire_type message)
{
    mailbox_send(run->mailbox, rank, message, &run->out);
    run->active = true;
}

void run_send_all(struct run *run, enum wire_type message)
{
    for (int rank = 0; rank < run->team.count; rank++)
        run_send(run, rank, message);
}
