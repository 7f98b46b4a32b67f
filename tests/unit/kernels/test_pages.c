/* The pages family: where slots lie, the reference against a walk as the kernel has it, and every reason to refuse. */
#include "unit_test.h"

#define FAMILY "pages"
#include "family_test.h"
#include "family/rules.h"
#include "kernels/ring.h"

enum { ORDER, OWN, CURSORS, ARRIVED, LAST, CYCLES };
enum { SLOTS = 6, HOP, APART, CHASERS, FIRST, SECOND }; /* arguments */

TEST(work)
{
    assert_work("", 1024 * 8 * 8, 4, 0);
    assert_work("variant=lines chasers=all hops=64", 1024 * 64 * 8, 4, 0);
}

TEST(launch)
{
    struct setup s = setup_of("size=64MiB");
    assert_int_equal(s.grid[0], 132);
    assert_int_equal(rules_blocks_fitting(&hopper, s.block[0], s.shared_dynamic), 1); /* one on each */
    assert_int_equal(s.buffer[ORDER].count, 32);
    assert_int_equal(s.buffer[OWN].count * 8, 64 << 20);
    assert_int_equal(s.buffer[LAST].count, 1);
    assert_int_equal(s.argument[HOP].value, 2 << 20);

    s = setup_of("size=64MiB variant=lines");
    assert_int_equal(s.argument[SLOTS].value, 32); /* as many lines, on few pages */
    assert_int_equal(s.argument[HOP].value, 128);
    assert_int_equal(s.buffer[OWN].count * 8, 32 * 128);

    s = setup_of("size=64MiB chasers=two tours=own sm=3 second=17");
    assert_int_equal(s.buffer[OWN].count * 8, 2 * (64 << 20));
    assert_int_equal(s.argument[APART].value, 64 << 20);
    assert_int_equal(s.argument[CHASERS].value, 2);
    assert_int_equal(s.argument[FIRST].value, 3);
    assert_int_equal(s.argument[SECOND].value, 17);

    s = setup_of("size=64MiB chasers=cluster");
    assert_int_equal(s.grid[0], 8);
    assert_int_equal(s.argument[APART].value, 0); /* one tour for all */
    s = setup_of("size=64MiB chasers=all");
    assert_int_equal(s.buffer[CYCLES].count, 132 * RING_GROUPS);
}

static uint32_t sets_of(const char *settings)
{
    struct point point = point_of(settings);
    return family_of(&point)->setup(&point, &hopper).sets;
}

/* Pages of all sets fit 512 MiB, and their lines half of L2. */
TEST(sets)
{
    assert_int_equal(sets_of("size=64MiB"), 1);
    assert_int_equal(sets_of("size=32MiB sets=16"), 16);
    assert_int_equal(sets_of("size=128MiB sets=16"), 4);
    assert_int_equal(sets_of("size=1GiB sets=16"), 1);
    assert_int_equal(sets_of("size=64MiB sets=16 chasers=two tours=own"), 4);
    assert_int_equal(sets_of("size=1GiB sets=16 variant=lines"), 16); /* 64 KiB of lines */
    assert_int_equal(sets_of("size=64GiB sets=16 variant=lines"), 7); /* 4 MiB of lines in 30 */
}

/* Slot i of both variants lies at the same place modulo hop, and no two slots share a line. */
TEST(places)
{
    const uint64_t hop = 4096, slots = 1000;
    unsigned char lines[32 * 1000] = {0}; /* of the footprint */
    for (uint64_t slot = 0; slot < slots; slot++) {
        uint64_t page = slot * hop + slot * 128 % hop, line = slot * 128;
        assert_int_equal(page % hop, line % hop);
        assert_int_equal(page / hop, slot); /* as the kernel finds the slot of an address */
        assert_int_equal(lines[page / 128]++, 0);
    }
}

/* Walk the tours as the kernel builds them. */
static void check_tours(const char *settings)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    const uint32_t *order = run.data[ORDER], *last = run.data[LAST];
    uint64_t slots = run.setup.argument[SLOTS].value, chasers = run.setup.argument[CHASERS].value;
    uint64_t hops = RING_GROUPS * (uint64_t)point_value(&run.point, "hops", 0);
    uint32_t *next = malloc(slots * sizeof *next);
    memset(next, 0xff, slots * sizeof *next);
    for (uint64_t i = 0; i < slots; i++) {
        assert_true(order[i] < slots && next[order[i]] == UINT32_MAX); /* each slot once */
        next[order[i]] = order[i + 1 < slots ? i + 1 : 0];
    }
    for (uint64_t who = 0; who < chasers; who++) {
        uint32_t at = order[run.setup.argument[APART].value ? 0 : who * slots / chasers];
        for (uint64_t i = 0; i < hops; i++)
            at = next[at];
        assert_int_equal(last[who], at);
    }
    free(next);
}

TEST(tours)
{
    check_tours("size=2MiB");
    check_tours("size=6MiB hops=1");
    check_tours("size=4MiB hop=4KiB");
    check_tours("size=3MiB hop=384 hops=3");
    check_tours("size=1MiB hop=4KiB chasers=two");
    check_tours("size=1MiB hop=64KiB chasers=all tours=own");
    check_tours("size=1MiB hop=4KiB chasers=cluster");
    check_tours("variant=lines size=1MiB hop=4KiB chasers=all");
}

TEST(reasons)
{
    assert_skip_on(&on_host, "", "nothing to chase on the host");
    assert_skip("cache=cold", "pages is for cache hot");
    assert_skip("hop=192", "no whole number of lines of 128");
    assert_skip("size=3MiB", "no whole number of slots");
    assert_skip("size=1MiB", "no whole number of slots");
    assert_skip("size=96GiB", NULL);
    assert_skip("size=1GiB hop=4KiB", "262144 lines are more than stay in L2: half of it has 245760");
    assert_skip("size=512MiB hop=4KiB", NULL);
    assert_skip("size=8GiB hop=2MiB chasers=all tours=own", "more than stay in L2");
    assert_skip("size=512MiB hop=2MiB chasers=all tours=own", NULL);
    assert_skip("size=2GiB hop=2MiB chasers=all tours=own", "GiB");
    assert_skip("second=2", "there are not two");
    assert_skip("chasers=two second=131", NULL);
    assert_skip("chasers=two second=132", "there is no multiprocessor 132: the device has 132");
    assert_skip("chasers=two sm=1", "the same");
    assert_skip("sm=140", "no multiprocessor 140");
    assert_skip("chasers=cluster sm=1", "sm has no effect");
    assert_skip("chasers=cluster arch=compute_80", "a cluster needs compute capability 9.0");
    assert_skip("tours=own", "own is for several");
}

/* The chaser that reports: the first one; among all, the one on multiprocessor sm. */
TEST(reporter)
{
    static uint32_t cycles[132 * RING_GROUPS];
    for (int i = 0; i < 132 * RING_GROUPS; i++)
        cycles[i] = 10 * (uint32_t)(i / RING_GROUPS) + 100;
    static const char *const settings[] = {"hops=10 sm=7", "hops=10 sm=7 chasers=all"};
    static const double expected[] = {10, 17};
    for (int i = 0; i < 2; i++) {
        struct point point = point_of(settings[i]);
        struct setup s = family_of(&point)->setup(&point, &hopper);
        struct observation seen = {NAN, NAN, NAN};
        family_of(&point)->observe(&point, &s, cycles, &seen);
        assert_true(fabs(seen.latency_p50 - expected[i]) < 1e-9);
    }
}
