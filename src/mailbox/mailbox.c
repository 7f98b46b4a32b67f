#include "mailbox/mailbox.h"

void mailbox_send(struct mailbox *mailbox, int rank, enum message message, const struct wire *payload)
{
    mailbox->kind->send(mailbox, rank, message, payload);
}

bool mailbox_receive(struct mailbox *mailbox, int *rank, enum message *message, struct wire_reader *payload)
{
    return mailbox->kind->receive(mailbox, rank, message, payload);
}

bool mailbox_is_empty(struct mailbox *mailbox)
{
    return mailbox->kind->is_empty(mailbox);
}

void mailbox_close(struct mailbox *mailbox)
{
    mailbox->kind->close(mailbox);
}
