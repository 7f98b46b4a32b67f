/* spill.h - large arrays that grow and never move, kept in a file without a name in $TMPDIR (/var/tmp, /tmp) instead of
 * in memory: what is not in use costs none. Where there is no such file, or no room in it, they are memory as usual. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct spill; /* opaque */

/* NULL when so many addresses cannot be had (a limit on them): then there is no spilling. */
struct spill *spill_new(void);
void spill_free(struct spill *spill); /* NULL is fine */

/* Where it starts: the same for ever. */
void *spill_base(const struct spill *spill);

/* Make the first `bytes` usable; new ones are 0. */
void spill_reserve(struct spill *spill, size_t bytes);

/* Put `size` bytes at `at`, below what is usable: so that what is written once, and not used soon, takes no memory. Any
 * thread may, while another one reserves more. */
void spill_put(struct spill *spill, size_t at, const void *bytes, size_t size);

/* Write the first `size` bytes to a file, without their taking memory: 0, or -1 with errno. */
int spill_write(const struct spill *spill, size_t size, int fd);

/* Some of it is memory, because there was no file or no room. */
bool spill_is_memory(const struct spill *spill);

/* Leave all of it to the file: what is used again comes back by itself. Any thread may go on using it. */
void spill_evict(struct spill *spill);
