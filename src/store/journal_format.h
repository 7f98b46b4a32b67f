/* journal_format.h - what a journal looks like: 8 bytes JOURNAL_MAGIC, then records of
 *   u32 length of the payload, u32 CRC-32 of (length, type, payload), u32 type, payload
 * all little-endian. */
#ifndef STORE_JOURNAL_FORMAT_H
#define STORE_JOURNAL_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define JOURNAL_MAGIC    "WSWPJNL1" /* the digit is the version */
#define JOURNAL_TYPE_MAX 255        /* of a record that is looked for behind damage; from 1 */

enum { JOURNAL_MAGIC_SIZE = 8, JOURNAL_HEADER_SIZE = 12 };

static inline uint32_t journal_load_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void journal_store_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

/* The CRC that belongs into a record's header, which has length and type already. */
static inline uint32_t journal_record_crc(const unsigned char *header, const void *payload, size_t length)
{
    uint32_t crc = hash_crc32(0, header, 4); /* length */
    crc = hash_crc32(crc, header + 8, 4);    /* type */
    return hash_crc32(crc, payload, length);
}

#endif
