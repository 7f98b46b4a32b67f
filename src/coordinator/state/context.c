#include "coordinator/state/context.h"

struct wire *context_begin_message(struct coordinator_context *context)
{
    wire_reset(&context->out);
    return &context->out;
}

void context_send(struct coordinator_context *context, int rank, enum message message)
{
    mailbox_send(context->mailbox, rank, message, &context->out);
    context->active = true;
}

void context_send_all(struct coordinator_context *context, enum message message)
{
    for (int rank = 0; rank < context->team.count; rank++)
        context_send(context, rank, message);
}
