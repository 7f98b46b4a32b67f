/* mailbox_memory.h - mailboxes of ranks that live in one process and one thread: for tests of what stands on
 * mailboxes, and for driving thousands of simulated ranks. What is sent is there at once. */
#ifndef MAILBOX_MAILBOX_MEMORY_H
#define MAILBOX_MAILBOX_MEMORY_H

#include <stddef.h>

#include "mailbox/mailbox.h"

/* What lies in all mailboxes. */
struct post; /* opaque */

struct post *post_open(int ranks);
void post_close(struct post *post); /* after its mailboxes */

/* The mailbox of a rank; close it with mailbox_close. */
struct mailbox *mailbox_memory_open(struct post *post, int rank);

/* A rank for which something has come since it was last told here, or -1: nobody has to look into thousands
 * of boxes. */
int post_next(struct post *post);

size_t post_peak_bytes(const struct post *post); /* that ever lay in all mailboxes together */

#endif
