/* reader.h - reads a journal record by record. A damaged record is skipped: the reader goes on at the next whole one, found
 * by its length, type and CRC. A record that is cut off at the end is what a kill leaves, and no damage. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/wire.h"

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

/* Read the file; one that does not exist has no records. ERROR_ENVIRONMENT when it cannot be read or is not a journal. */
int journal_read(const char *path, struct journal_reader *reader, struct error *error);
void journal_reader_free(struct journal_reader *reader);
/* The next good record. False at the end. */
bool journal_next(struct journal_reader *reader, uint32_t *type, struct wire_reader *payload);
