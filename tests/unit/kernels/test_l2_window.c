/* The l2_window family: launch, sums against a walk over the requests, percentiles, and every reason to
 * refuse. */
#include "unit_test.h"

#define FAMILY "l2_window"
#include "family_test.h"

enum { IN, STREAM, SUMS, CYCLES };
enum { REUSED = 4, STREAMED, PART, ROUNDS, REPORTS, NEVER }; /* arguments */

/* Parts that differ: 101 accesses in rounds of 34, 34 and 33. */
TEST(parts)
{
    struct family_run run = run_whole("size=1616 window=16400 rounds=3");
    const uint32_t *in = run.data[IN], *stream = run.data[STREAM], *sums = run.data[SUMS];
    uint32_t second = 0; /* its lanes: accesses 32 to 63 of the window, and what is left of each round */
    for (int word = 32 * 4; word < 64 * 4; word++)
        second += 3 * in[word];
    for (int word = 0; word < 4; word++) {
        second += stream[32 * 4 + word] + stream[33 * 4 + word] + stream[66 * 4 + word];
        second += stream[67 * 4 + word] + stream[100 * 4 + word];
    }
    assert_int_equal(sums[1], second);
}

/* All words once a round, and four of them never add up to what the kernel takes for an error. */
TEST(sums)
{
    struct family_run run = run_whole("size=3MiB window=96KiB rounds=3");
    const uint32_t *in = run.data[IN], *stream = run.data[STREAM], *sums = run.data[SUMS];
    uint32_t expected = 0, got = 0;
    for (uint64_t i = 0; i < (96 << 10) / 4; i++) {
        expected += 3 * in[i];
        assert_true(in[i] < run.setup.argument[NEVER].value / 4);
    }
    for (uint64_t i = 0; i < (3 << 20) / 4; i++)
        expected += stream[i];
    for (uint64_t i = 0; i < run.setup.buffer[SUMS].count; i++)
        got += sums[i];
    assert_int_equal(got, expected);

    /* Warp 5: request 5 of the window's 192, and of the 2048 of each round. */
    uint32_t own = 0;
    for (int i = 0; i < 128; i++) {
        own += 3 * in[5 * 128 + i];
        for (int round = 0; round < 3; round++)
            own += stream[(round * 2048 + 5) * 128 + i];
    }
    assert_int_equal(sums[5], own);
}

TEST(percentiles)
{
    uint32_t cycles[1024];
    for (int i = 0; i < 1024; i++)
        cycles[i] = i % 2 ? 16 * 300 : 16 * 700;
    struct observation seen = observe_of("", cycles);
    assert_true(seen.latency_p05 == 300 && seen.latency_p95 == 700);
}
