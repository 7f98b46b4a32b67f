/* format.h - a journal is JOURNAL_MAGIC (8 bytes), then records, little-endian:
 *   u32 length of the payload, u32 CRC-32 of (length, type, payload), u32 type, payload
 * record.h says what payloads hold. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define JOURNAL_MAGIC    "WSWPJNL2" /* the digit is the version */
#define JOURNAL_TYPE_MAX 255        /* of a record that is searched for after damage; types start from 1 */

enum { JOURNAL_MAGIC_SIZE = 8, JOURNAL_HEADER_SIZE = 12 };

/* The CRC for a record's header, which has length and type already. */
static inline uint32_t journal_record_crc(const unsigned char *header, const void *payload, size_t length)
{
    uint32_t crc = hash_crc32(0, header, 4); /* length */
    crc = hash_crc32(crc, header + 8, 4);    /* type */
    return hash_crc32(crc, payload, length);
}
