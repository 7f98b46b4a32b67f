#include "launch/coordinator/desk.h"

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
