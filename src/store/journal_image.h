/* journal_image.h - a journal (store/journal.h) that is read. A record that is damaged is passed over: what counts again is
 * the next whole one, found by its length, type and CRC. One that is cut off at the end is what a kill leaves, and no
 * damage. */
#ifndef STORE_JOURNAL_IMAGE_H
#define STORE_JOURNAL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/wire.h"

/* A journal's bytes as they were at some moment. */
struct journal_image {
    unsigned char *data;  /* owned: memory, or the file itself */
    size_t mapped_length; /* 0: memory */
    size_t rested;        /* bytes that are left to the file again */
    size_t length;
    size_t at;      /* journal_next's place */
    size_t whole;   /* where the last good record ended */
    int gaps;       /* damaged places that journal_next has passed over */
    size_t skipped; /* bytes in them */
    bool exists;
    bool writer; /* a living process holds the lock, as far as this node can tell */
};

/* Read the whole file; one that does not exist gives an empty image. ERROR_ENVIRONMENT when it cannot be read
 * or is no journal. `own`: nobody else writes it, so that it need not be copied into memory, however long it is. */
int journal_load(const char *path, bool own, struct journal_image *image, struct error *error);
void journal_image_free(struct journal_image *image);
/* The next good record. False at the end. */
bool journal_next(struct journal_image *image, uint32_t *type, struct wire_reader *payload);

#endif
