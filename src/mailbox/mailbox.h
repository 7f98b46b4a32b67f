/* mailbox.h - messages between ranks that never block: what is sent is kept until it has left, and what comes
 * is taken in pieces. A rank may write to itself; what one rank sends another arrives in order.
 *
 * Two kinds: mailbox_mpi.h, and mailbox_memory.h for ranks that live in one process. */
#ifndef MAILBOX_MAILBOX_H
#define MAILBOX_MAILBOX_H

#include <stdbool.h>

#include "mailbox/message.h"
#include "protocol/wire.h"

/* What a kind of mailbox does: the functions below, under the same names. */
struct mailbox;
struct mailbox_kind {
    void (*send)(struct mailbox *mailbox, int rank, enum message message, const struct wire *payload);
    bool (*receive)(struct mailbox *mailbox, int *rank, enum message *message, struct wire_reader *payload);
    bool (*is_empty)(struct mailbox *mailbox);
    void (*close)(struct mailbox *mailbox);
};
struct mailbox {
    const struct mailbox_kind *kind;
};

void mailbox_send(struct mailbox *mailbox, int rank, enum message message, const struct wire *payload);

/* The next message, if one is there whole: `payload` is valid until the next call. */
bool mailbox_receive(struct mailbox *mailbox, int *rank, enum message *message, struct wire_reader *payload);

/* Has everything left? Also what moves sends along. */
bool mailbox_is_empty(struct mailbox *mailbox);

void mailbox_close(struct mailbox *mailbox); /* what has not left by then is given up */

#endif
