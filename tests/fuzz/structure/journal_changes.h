/* journal_changes.h - a journal as records of named fields, and changes of them as lines of text:
 *
 *   field RECORD NAME VALUE   forget RECORD NAME   again RECORD NAME (the field twice)
 *   drop RECORD               repeat RECORD        swap RECORD RECORD
 *   cut RECORD BYTES          pad RECORD BYTES     type RECORD NUMBER     damage RECORD (a wrong CRC)
 *   tear BYTES (of the end)
 *
 * RECORD is TYPE:NUMBER, such as ROW:2, the third row. CRCs are right afterwards, but for `damage`. */
#pragma once

#include "base/text.h"
#include "dice.h"

struct journal_field {
    char name[160];
    char kind; /* '4', '8': integers of so many bytes; 'r': a real; 't': bytes with their length */
    unsigned char *bytes;
    size_t count;
};

struct journal_record {
    uint32_t type;
    struct journal_field *field;
    size_t fields, capacity;
    long cut, pad; /* bytes */
    bool damaged;
};

struct journal_records {
    struct journal_record *record;
    size_t count, capacity;
    size_t torn; /* bytes of the end */
};

/* Split a journal that is known to be good. */
struct journal_records records_read(const char *path);
struct journal_records records_copy(const struct journal_records *records);
void records_write(const struct journal_records *records, const char *path);
void records_free(struct journal_records *records);

/* Append a line. */
void records_propose(struct dice *dice, const struct journal_records *records, struct text *out);

/* False if the line is not one. What the journal does not have is left alone. */
bool records_apply(struct journal_records *records, const char *line);
