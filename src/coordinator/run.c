#include "coordinator/run.h"

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
