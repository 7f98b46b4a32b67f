/* The peer_latency family: what lies where, the reference by hand, and the reasons to refuse. */
#include "unit_test.h"

#define FAMILY "peer_latency"
#include "family_test.h"
#include "kernels/ring.h"

TEST(ends)
{
    struct point chase = point_of("pair=2-0"), ping = point_of("variant=ping_pong");
    struct setup s = family_setup(&chase), p = family_setup(&ping);
    assert_int_equal(family_devices(&chase).ordinal[0], 2);
    assert_false(setup_has_parts(&s));
    /* the two flags are exchanged */
    assert_true(p.parts == 2 && setup_part_buffer(&p, 1, 0) == 1 && setup_part_buffer(&p, 1, 1) == 0);
    assert_true(!p.buffer[0].device && p.buffer[1].device == 1);
    for (int i = 2; i < s.buffers; i++)
        assert_true(s.buffer[i].device == !strcmp(s.buffer[i].name, "own"));
    assert_int_equal(p.argument[p.arguments - 1].kind, ARGUMENT_PART);
}

/* The reference follows the ring as its formula has it; stores and round trips are counted. */
TEST(reference)
{
    struct family_run run = run_whole("size=4KiB hop=64 hops=3");
    uint32_t slot = 0, last;
    for (int i = 0; i < 3 * RING_GROUPS; i++)
        slot = (uint32_t)((RING_MULTIPLIER * slot + RING_INCREMENT) % 64);
    memcpy(&last, run.data[5], sizeof last);
    assert_int_equal(last, 64 * slot);
    run = run_whole("variant=ping_pong hops=3");
    memcpy(&last, run.data[5], sizeof last);
    assert_int_equal(last, 3 * RING_GROUPS);
}
