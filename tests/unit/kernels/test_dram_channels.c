/* The dram_channels family: its accesses against its reference, the layout of streams, work and reasons. */
#include "unit_test.h"

#define FAMILY "dram_channels"
#include "family_test.h"

enum { IN, OUT, SUMS };

TEST(work)
{
    assert_work("", 1 << 30, 0, 0);
    assert_work("variant=write size=1MiB", 0, 1 << 20, 0);
    assert_work("variant=mixed size=1MiB streams=8 written=3", 5 << 17, 3 << 17, 0);
    assert_work("skew=12 size=1MiB", 1 << 20, 0, 0); /* what is skipped does not count */
}

/* Each byte of the streams is read or written once, and nothing else. */
TEST(accesses)
{
    static const char *const settings[] = {
        "size=1MiB streams=2 distance=64KiB",
        "size=1MiB streams=1 distance=4KiB items=3",
        "size=1MiB streams=64 distance=4KiB burst=2KiB items=1",
        "size=1MiB streams=8 distance=16KiB skew=4 width=4 burst=128 items=5",
        "size=1MiB streams=4 distance=1MiB skew=1 width=8", /* one unit each, cut short */
        "size=1536KiB streams=2 distance=512KiB skew=4",    /* a unit and a half each */
        "variant=write size=1MiB streams=4 distance=32KiB skew=3",
        "variant=write size=1536KiB streams=2 distance=512KiB",
        "variant=mixed size=1MiB streams=4 distance=8KiB written=1",
        "variant=mixed size=1MiB streams=8 distance=1MiB written=5 skew=4 items=3",
        "variant=mixed size=2MiB streams=2 distance=2KiB written=1 burst=2KiB width=16 items=16",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX];
        struct point point = point_of(settings[i]);
        assert_accesses(settings[i], loaded);
        assert_int_equal(loaded[IN], family_of(&point)->work(&point).bytes_read);
    }
}

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
    struct point point = point_of("size=64KiB streams=2 distance=4KiB");
    struct setup s = family_setup(&point);
    assert_int_equal(s.buffer[IN].count * 4, 64 << 10); /* no gap */
    assert_true(s.buffer[OUT].role == BUFFER_SCRATCH && s.buffer[OUT].count == 1);
    struct access a = access_of("size=64KiB streams=2 distance=4KiB", 16, 0);
    assert_int_equal(a.address[0], 8 << 10); /* 8 requests of 512 bytes of each stream came before */
    point = point_of("variant=mixed size=64KiB streams=4 written=3 distance=4KiB skew=4");
    s = family_setup(&point);
    assert_int_equal(s.buffer[IN].count * 4, 4 * (4096 + 128));
    assert_int_equal(s.buffer[OUT].count * 4, 3 * 4 * (4096 + 128));
}

/* Sums of the words that a warp reads, and the gaps left as they were. */
TEST(reference)
{
    struct family_run run = run_new("variant=mixed size=64KiB streams=2 distance=4KiB skew=4");
    family_run_reference(&run);
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

TEST(reasons)
{
    assert_skip_on(&on_host, "", NULL);
    assert_skip("streams=3", "are powers of two");
    assert_skip("distance=96KiB", "are powers of two");
    assert_skip("burst=256", "no whole number of requests of 512");
    assert_skip("burst=256 width=8", NULL);
    assert_skip("distance=256", "have no bursts of 512");
    assert_skip("size=1000000", "do not make up 1000000 bytes");
    assert_skip("width=12", "4, 8 or 16 bytes");
    assert_skip("variant=mixed written=2", "streams of both kinds");
    assert_skip("written=2 streams=4", "written is for mixed");
    assert_skip("distance=1GiB streams=256", "GiB");
    assert_skip("size=2TiB", "31 bits");
}
