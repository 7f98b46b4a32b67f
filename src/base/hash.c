#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    unsigned char bytes[8]; /* little-endian whatever the machine */
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    return hash_bytes(hash, bytes, sizeof bytes);
}

uint32_t hash_crc32(uint32_t crc, const void *bytes, size_t count)
{
    /* Four bits at a time: table[i] is the remainder of i under the reflected polynomial 0xedb88320. */
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc = (crc >> 4) ^ table[(crc ^ byte[i]) & 15];
        crc = (crc >> 4) ^ table[(crc ^ (uint32_t)(byte[i] >> 4)) & 15];
    }
    return ~crc;
}
