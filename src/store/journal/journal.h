/* journal.h - writes a journal: an append-only file of records with length and CRC (format.h). One process writes it; any
 * number may read it at the same time without locks (reader.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/wire.h"

struct journal {
    int fd;
    char *path;
    bool locked;         /* false: the file system has no locks */
    struct wire pending; /* records not yet given to write(2) */
    size_t record;       /* start of the record under construction in `pending` */
    bool unsynced;       /* written, but not yet on disk */
};

/* Open for writing and lock; refused when another process writes it. `fresh`: the file must not exist yet; else its
 * records stay. A new file gets `mode`, less the umask. ERROR_ENVIRONMENT. */
int journal_open(struct journal *journal, const char *path, bool fresh, unsigned mode, struct error *error);

/* The path still names the open file: nobody has removed or replaced it. */
bool journal_is_there(const struct journal *journal);

/* Start a record: put the payload into the returned wire; journal_end completes the record in memory. */
struct wire *journal_begin(struct journal *journal, uint32_t type);
void journal_end(struct journal *journal);

/* Give pending records to the kernel. After an error the rest stays pending, for another try. */
int journal_flush(struct journal *journal, struct error *error);
/* The same, and fdatasync. */
int journal_sync(struct journal *journal, struct error *error);
/* Drop all records, pending ones too, and start again with the magic (pending). */
int journal_restart(struct journal *journal, struct error *error);

/* Unlock and release; `removed`: delete the file first. Pending records are lost: flush before. */
void journal_close(struct journal *journal, bool removed);
