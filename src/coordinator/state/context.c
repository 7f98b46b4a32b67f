#include "coordinator/state/context.h"

struct wire *desk_write(struct desk *desk)
{
    wire_reset(&desk->out);
    return &desk->out;
}

void desk_tell(struct desk *desk, int rank, enum message message)
{
    mailbox_send(desk->mailbox, rank, message, &desk->out);
    desk->active = true;
}

void desk_tell_all(struct desk *desk, enum message message)
{
    for (int rank = 0; rank < desk->team.count; rank++)
        desk_tell(desk, rank, message);
}

void desk_show(struct desk *desk, uint64_t id)
{
    const struct launch_live *live = desk->options->live;
    if (!live || desk->error.kind != ERROR_NONE)
        return;
    size_t row = store_find_row(desk->agenda.store, id);
    if (row == SIZE_MAX)
        return;
    progress_end(&desk->progress); /* on a terminal its bar stands where the row is to go */
    live->row(live->context, store_data(desk->agenda.store), row);
}
