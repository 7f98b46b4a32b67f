/* mailbox_memory.h - mailboxes of ranks that are simulated in one thread, for tests and benchmarks with up to
 * thousands of ranks. A sent message arrives at once. */
#pragma once

#include <stddef.h>

#include "mailbox/mailbox.h"

/* All mailboxes together. */
struct post; /* opaque */

struct post *post_open(int ranks);
void post_close(struct post *post); /* after its mailboxes */

/* The mailbox of a rank; close it with mailbox_close. */
struct mailbox *mailbox_memory_open(struct post *post, int rank);

/* A rank that has received something since it was last returned here, or -1. Saves polling thousands of
 * mailboxes. */
int post_next(struct post *post);

size_t post_peak_bytes(const struct post *post); /* peak size of all undelivered messages */
