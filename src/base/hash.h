/* hash.h - stable hashes: equal on every machine and in every release, because files store them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). Chain by passing the last result. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t hash_text(uint64_t hash, const char *text); /* with its NUL, so "ab","c" differs from "a","bc" */
uint64_t hash_u64(uint64_t hash, uint64_t value);

/* CRC-32 (ISO-HDLC, as in zlib and PNG); start from 0. */
uint32_t hash_crc32(uint32_t crc, const void *bytes, size_t count);

/* The finaliser of splitmix64 (Vigna 2015): a bijection that spreads every input bit. */
static inline uint64_t hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
