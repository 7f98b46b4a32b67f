/* journal.h - writes and reads a journal: an append-only file of records. One process writes it; any number
 * may read it at the same time without locks. It is JOURNAL_MAGIC (8 bytes), then records, little-endian:
 *   u32 length of the payload, u32 CRC-32 of (length, type, payload), u32 type, payload
 * record.h says what payloads hold. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "protocol/wire.h"

#define JOURNAL_MAGIC    "WSWPJNL4" /* the digit is the version */
#define JOURNAL_TYPE_MAX 255        /* of a record that is searched for after damage; types start from 1 */

enum { JOURNAL_MAGIC_SIZE = 8, JOURNAL_HEADER_SIZE = 12 };

/* The CRC for a record's header, which has length and type already. */
static inline uint32_t journal_record_crc(const unsigned char *header, const void *payload, size_t length)
{
    uint32_t crc = hash_crc32(0, header, 4); /* length */
    crc = hash_crc32(crc, header + 8, 4);    /* type */
    return hash_crc32(crc, payload, length);
}

/* ---- Writing ---- */

struct journal {
    int fd;
    char *path;
    bool locked;         /* false: the file system has no locks */
    struct wire pending; /* records not yet given to write(2) */
    size_t record;       /* start of the record under construction in `pending` */
    uint64_t written;    /* bytes in all */
    bool unsynced;       /* written, but not yet on disk */
    bool syncing;        /* `thread` runs, or has ended and is not joined */
    pthread_t thread;
    atomic_int synced; /* its outcome: SYNC_RUNS, 0 or the error */
};

/* Open for writing and lock; refused when another process writes it. `fresh`: the file must not exist yet;
 * else its records stay. A new file gets `mode`, less the umask. ERROR_ENVIRONMENT. */
int journal_open(struct journal *journal, const char *path, bool fresh, unsigned mode, struct error *error);

/* The path still names the open file: nobody has removed or replaced it. */
bool journal_is_there(const struct journal *journal);

/* Start a record: put the payload into the returned wire; journal_end completes the record in memory. */
struct wire *journal_begin(struct journal *journal, uint32_t type);
void journal_end(struct journal *journal);

/* Give pending records to the kernel, unless a sync runs. After an error the rest stays pending, for another
 * try. */
int journal_flush(struct journal *journal, struct error *error);
/* The same, and fdatasync. journal_start_sync leaves that to a thread, whose error the next call returns. */
int journal_sync(struct journal *journal, struct error *error);
int journal_start_sync(struct journal *journal, struct error *error);
bool journal_is_syncing(const struct journal *journal);
/* Drop all records, pending ones too, and start again with the magic (pending). */
int journal_restart(struct journal *journal, struct error *error);

/* Unlock and release; `removed`: delete the file first. Pending records are lost: flush before. */
void journal_close(struct journal *journal, bool removed);

/* ---- Reading: record by record. A damaged record is skipped: the reader goes on at the next whole one,
 * found by its length, type and CRC. A record that is cut off at the end is what a kill leaves, and no
 * damage. ---- */

/* A journal's bytes as they were at some moment. */
struct journal_reader {
    unsigned char *data; /* owned: a copy */
    size_t length;
    size_t at;      /* of journal_next */
    int gaps;       /* damaged places that journal_next has skipped */
    size_t skipped; /* bytes in them */
    bool exists;
    bool writer; /* a living process holds the lock, as far as this node can tell */
};

/* Read the file; one that does not exist has no records. ERROR_ENVIRONMENT when it cannot be read or is not a
 * journal. */
int journal_read(const char *path, struct journal_reader *reader, struct error *error);
void journal_reader_free(struct journal_reader *reader);
/* The next good record. False at the end. */
bool journal_next(struct journal_reader *reader, uint32_t *type, struct wire_reader *payload);
