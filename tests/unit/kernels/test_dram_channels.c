/* The dram_channels family: its accesses against its reference, the layout of streams, work and reasons. */
#include "unit_test.h"

#define FAMILY "dram_channels"
#include "family_test.h"

enum { IN, OUT, SUMS };

/* The first requests of a warp order: burst after burst, stream after stream. */
TEST(order)
{
    const char *settings = "size=1GiB streams=4 distance=1MiB skew=4 burst=1KiB";
    const uint64_t pitch = (1 << 20) + 128;
    static const uint64_t stream[] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0},
                          position[] = {0, 512, 0, 512, 0, 512, 0, 512, 1024, 1536};
    for (uint64_t warp = 0; warp < 10; warp++) {
        struct access a = access_of(settings, warp, 0);
        assert_int_equal(a.address[0], stream[warp] * pitch + position[warp]);
        assert_int_equal(a.address[31], a.address[0] + 31 * 16);
        assert_true(!a.store && a.buffer == IN && a.active == UINT32_MAX);
    }
}

/* Past `distance` bytes of each stream come the next units of all. */
TEST(units)
{
    struct access a = access_of("size=64KiB streams=2 distance=4KiB", 16, 0);
    assert_int_equal(a.address[0], 8 << 10); /* 8 requests of 512 bytes of each stream came before */
}

/* Sums of the words that a warp reads, and the gaps left as they were. */
TEST(reference)
{
    struct family_run run = run_whole("variant=mixed size=64KiB streams=2 distance=4KiB skew=4");
    const uint32_t *in = run.data[IN], *out = run.data[OUT], *sums = run.data[SUMS];
    uint32_t all = 0, expected = 0;
    for (uint64_t i = 0; i < run.setup.buffer[SUMS].count; i++)
        all += sums[i];
    for (uint64_t row = 0; row < 8; row++)
        for (uint64_t i = 0; i < 1024 + 32; i++) {
            uint64_t word = row * (1024 + 32) + i;
            expected += i < 1024 ? in[word] : 0;
            assert_int_equal(out[word], i < 1024 ? (uint32_t)word * UINT32_C(2654435761) : UINT32_MAX);
        }
    assert_int_equal(all, expected);
    assert_int_equal(run.setup.buffer[OUT].count, 8 * (1024 + 32));
}
