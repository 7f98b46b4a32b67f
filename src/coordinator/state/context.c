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

void context_show_row(struct coordinator_context *context, uint64_t id)
{
    const struct launch_live *live = context->options->live;
    if (!live || context->error.kind != ERROR_NONE)
        return;
    size_t row = store_find_row(context->plan.store, id);
    if (row == SIZE_MAX)
        return;
    progress_end(&context->progress); /* clear the progress bar, where the row is printed */
    live->row(live->context, store_data(context->plan.store), row);
}
