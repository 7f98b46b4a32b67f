/* mailbox.h - messages between ranks that never block: what is sent is kept until it has left, and what comes
 * is taken in pieces. A rank may write to itself. */
#ifndef LAUNCH_MAILBOX_H
#define LAUNCH_MAILBOX_H

#include <stdbool.h>

#include <mpi.h>

#include "core/wire.h"
#include "launch/message.h"

struct mailbox; /* opaque */

struct mailbox *mailbox_open(MPI_Comm communicator);
void mailbox_close(struct mailbox *mailbox); /* what has not left by then is given up */

void mailbox_send(struct mailbox *mailbox, int rank, enum message message, const struct wire *payload);

/* The next message, if one is there whole: `payload` is valid until the next call. */
bool mailbox_receive(struct mailbox *mailbox, int *rank, enum message *message, struct wire_reader *payload);

/* Has everything left? Also what moves sends along. */
bool mailbox_is_empty(struct mailbox *mailbox);

#endif
