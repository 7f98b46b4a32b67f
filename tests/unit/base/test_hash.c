/* The stable hashes against published values: files hold them, so they must never change. */
#include "unit_test.h"

#include "base/hash.h"

TEST(fnv)
{
    /* The test vectors of the FNV authors. */
    assert_true(hash_bytes(HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_bytes(HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hash_bytes(HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

TEST(text_is_delimited)
{
    assert_true(hash_text(HASH_START, "a") == hash_bytes(HASH_START, "a", 2));
    assert_true(hash_text(hash_text(HASH_START, "ab"), "c") != hash_text(hash_text(HASH_START, "a"), "bc"));
}

TEST(numbers_are_little_endian)
{
    static const unsigned char bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    assert_true(hash_u64(HASH_START, UINT64_C(0x0102030405060708)) == hash_bytes(HASH_START, bytes, 8));
}

TEST(crc32)
{
    assert_true(hash_crc32(0, "", 0) == 0);
    assert_true(hash_crc32(0, "123456789", 9) == 0xcbf43926); /* the catalogue's check value */
    assert_true(hash_crc32(0, "The quick brown fox jumps over the lazy dog", 43) == 0x414fa339);
    unsigned char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    assert_true(hash_crc32(0, all, 256) == 0x29058c73); /* every entry of the table */
    assert_true(hash_crc32(hash_crc32(0, "1234", 4), "56789", 5) == 0xcbf43926);
}

TEST(mix)
{
    /* splitmix64 from state 0: its first outputs mix multiples of the golden gamma. */
    assert_true(hash_mix(UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(hash_mix(2 * UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(hash_mix(3 * UINT64_C(0x9e3779b97f4a7c15)) == UINT64_C(0x06c45d188009454f));
}
