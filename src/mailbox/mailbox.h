/* mailbox.h - messages between ranks. Nothing blocks: a sent message is buffered until it has left. A rank
 * may send to itself. Messages from one rank to another arrive in order.
 *
 * Two implementations, of which the linker takes one: mailbox_mpi.c, and tests/unit/mailbox_memory.c for
 * ranks that are simulated in one process. */
#pragma once

#include <stdbool.h>

#include "protocol/wire.h"

struct mailbox; /* opaque */

/* That of this rank, among all ranks of MPI. */
struct mailbox *mailbox_mpi_open(void);

/* With MPI_THREAD_SERIALIZED another thread may send, too. */
void mailbox_send(struct mailbox *mailbox, int rank, enum wire_type message, const struct wire *payload);

/* Get the next complete message; false if there is none. `payload` is valid until the next call. */
bool mailbox_receive(struct mailbox *mailbox, int *rank, enum wire_type *message,
                     struct wire_reader *payload);

/* Whether every sent message has left. Also drives pending sends. */
bool mailbox_is_empty(struct mailbox *mailbox);

void mailbox_close(struct mailbox *mailbox); /* cancels what has not left */
