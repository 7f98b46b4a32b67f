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
    unsigned char bytes[8]; /* little-endian on every machine */
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    return hash_bytes(hash, bytes, sizeof bytes);
}

/* Slicing by 8 (Kounavis & Berry 2008): crc_table[k][b] is the remainder of byte b with k zero bytes behind it, under
 * the reflected polynomial 0xedb88320. */
static uint32_t crc_table[8][256];

__attribute__((constructor)) static void fill_crc_table(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
        crc_table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t b = 0; b < 256; b++)
            crc_table[k][b] = (crc_table[k - 1][b] >> 8) ^ crc_table[0][crc_table[k - 1][b] & 255];
}

static uint32_t load_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t hash_crc32(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (; count >= 8; count -= 8, byte += 8) {
        uint32_t low = load_u32(byte) ^ crc, high = load_u32(byte + 4);
        crc = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
              crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
              crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    for (size_t i = 0; i < count; i++)
        crc = (crc >> 8) ^ crc_table[0][(crc ^ byte[i]) & 255];
    return ~crc;
}
