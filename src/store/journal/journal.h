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
/* Put the magic, with which a file starts, into `pending`. */
void journal_put_magic(struct journal *journal);
/* Drop all records, pending ones too, and start again with the magic (pending). */
int journal_restart(struct journal *journal, struct error *error);

/* A checkpoint's journal, which replaces the one that the run still writes: it has the records that came since the
 * checkpoint began. */
struct successor {
    int from, fd; /* of the old journal and of this one */
    char *temporary;
    long long at; /* bytes of the old journal that were left out or copied */
};

/* Flush, and create a successor that starts with the bytes `start`, under a temporary name. */
int journal_succeed(struct journal *journal, const struct wire *start, struct successor *successor,
                    struct error *error);
/* Copy the records that have come since, and fdatasync. In any thread. */
int journal_follow(struct successor *successor, struct error *error);
/* Copy the last ones; then the successor is the journal, locked and under its name. On failure the old one stays. */
int journal_become(struct journal *journal, struct successor *successor, struct error *error);
/* Remove the successor. */
void journal_forsake(struct successor *successor);
/* Unlock and release; `removed`: delete the file first. Pending records are lost: flush before. */
void journal_close(struct journal *journal, bool removed);
