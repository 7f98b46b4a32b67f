/* journal.h - an append-only file of records, each with its length and CRC, that one process writes and any
 * number read at the same time without locks. Here it is written; store/journal_image.h reads it,
 * store/journal_format.h says what it looks like. */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/wire.h"

struct journal {
    int fd;
    char *path;
    bool locked;         /* false where the file system has no locks */
    struct wire pending; /* records not yet given to write(2) */
    size_t record;       /* where the record under construction starts in `pending` */
    bool unsynced;       /* written, but not yet on disk */
};

/* Open for writing and lock. `fresh`: the file must not exist yet; else it may, and its records stay. Refuses
 * a journal that another process writes. A new one gets `mode`, less the umask. ERROR_ENVIRONMENT. */
int journal_open(struct journal *journal, const char *path, bool fresh, unsigned mode, struct error *error);

/* Whether the path still names the file that is written: somebody may have removed it. */
bool journal_is_there(const struct journal *journal);

/* Start a record: the payload is put into the returned wire, then journal_end completes it in memory. */
struct wire *journal_begin(struct journal *journal, uint32_t type);
void journal_end(struct journal *journal);

/* Hand pending records to the kernel; after an error what was not taken stays pending for another try. */
int journal_flush(struct journal *journal, struct error *error);
/* The same, and make them durable. */
int journal_sync(struct journal *journal, struct error *error);
/* The magic that a file starts with, pending. */
void journal_put_magic(struct journal *journal);
/* Throw away all records, pending ones too, and start the file anew (magic pending). */
int journal_restart(struct journal *journal, struct error *error);
/* Throw away what lies behind the first `bytes` of the file, and what is pending. */
int journal_cut(struct journal *journal, size_t bytes, struct error *error);

/* A journal that is to take the place of another one that goes on being written: what is in that now is left out, what
 * comes later is copied. */
struct successor {
    int from, fd; /* the other one's, and its own */
    char *temporary;
    long long at; /* bytes of the other one that were left out or copied */
};

/* Write pending records and begin its successor with the bytes `start`, under a name of its own. */
int journal_succeed(struct journal *journal, const struct wire *start, struct successor *successor,
                    struct error *error);
/* Copy what has come since, and make it durable. In any thread. */
int journal_follow(struct successor *successor, struct error *error);
/* The last copying; then the successor is the journal, locked and under its name. On failure the old one goes on. */
int journal_become(struct journal *journal, struct successor *successor, struct error *error);
/* There will be none. */
void journal_forsake(struct successor *successor);
/* Unlock and release; `removed` deletes the file first. Pending records are lost: flush before. */
void journal_close(struct journal *journal, bool removed);

#endif
