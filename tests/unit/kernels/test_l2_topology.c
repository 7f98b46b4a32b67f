/* The l2_topology family: launch, where the tour lies, the reference against a walk, and every reason to refuse. */
#include "unit_test.h"

#include "family/rules.h"
#define FAMILY "l2_topology"
#include "family_test.h"
#include "kernels/ring.h"

enum { ORDER, OWN, CURSOR, COUNTERS, LAST, CYCLES, CHOICE };
enum { MEMORY = 1, SLOTS = 6, HOP, SM, OTHER, WARMED_BY }; /* arguments */

TEST(work)
{
    assert_work("", 1024 * 8, 4, 0);
    assert_work("variant=atomic size=128 hops=64", 1024 * 64 * 8, 4, 0);
}

TEST(launch)
{
    struct point point = point_of("size=128 hops=64 line=24 sm=77 warmed_by=both other=3");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    assert_int_equal(s.grid[0], 132);
    assert_int_equal(rules_blocks_fitting(&hopper, s.block[0], s.shared_dynamic), 1); /* one on each */
    assert_int_equal(s.argument[SLOTS].value, 1);
    assert_int_equal(BUFFER_OF(s.argument[MEMORY].value), OWN);
    assert_int_equal(BUFFER_OFFSET(s.argument[MEMORY].value), 24 * 128);
    assert_int_equal(s.buffer[OWN].count * 8, 25 * 128);
    assert_int_equal(s.argument[SM].value, 77);
    assert_int_equal(s.argument[OTHER].value, 3);
    assert_int_equal(s.argument[WARMED_BY].value, 2);
    assert_non_null(strstr(family_of(&point)->source, "BY_SAME, BY_OTHER, BY_BOTH"));
}

/* Lines are chosen among four times as many. */
TEST(home)
{
    struct point point = point_of("variant=atomic size=128KiB home=near line=24");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    assert_int_equal(s.argument[SLOTS].value, 1024);
    assert_int_equal(s.buffer[OWN].count * 8, (24 + 4096) * 128);
    assert_int_equal(s.buffer[CHOICE].count, 1024 + 4096);
    assert_non_null(strstr(family_of(&point)->source, "CANDIDATES = 4"));
    assert_skip("variant=atomic home=far size=128KiB", NULL);
    assert_skip("variant=atomic home=far size=16MiB", "more than stay in L2");
    assert_skip("home=near", "are for atomic");
    assert_skip("variant=atomic home=near warmed_by=both", "are for atomic");
}

static void check_tour(const char *settings)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    const uint32_t *order = run.data[ORDER];
    uint64_t slots = run.setup.argument[SLOTS].value;
    uint64_t hops = RING_GROUPS * (uint64_t)point_value(&run.point, "hops", 0), at = 0;
    for (uint64_t i = 0; i < hops; i++)
        at = at + 1 < slots ? at + 1 : 0;
    assert_int_equal(*(uint32_t *)run.data[LAST], order[at]);
}

TEST(tour)
{
    check_tour("");
    check_tour("size=128 hops=64");
    check_tour("size=1000KiB hop=256 hops=3 warmed_by=other");
    check_tour("size=384KiB variant=atomic warmed_by=both");
    check_tour("size=128KiB variant=atomic home=far hops=16");
}

TEST(reasons)
{
    assert_skip_on(&on_host, "", "nothing to chase on the host");
    assert_skip("cache=clean", "is for cache hot");
    assert_skip("hop=200", "no whole number of lines");
    assert_skip("size=100", "no whole number of slots");
    assert_skip("size=32MiB", "more than stay in L2");
    assert_skip("size=16MiB", NULL);
    assert_skip("other=2", "other has no effect");
    assert_skip("warmed_by=other sm=1", "the same multiprocessor");
    assert_skip("warmed_by=other", NULL);
    assert_skip("warmed_by=other hops=2", "2048 hops over 1024 lines meet lines again");
    assert_skip("warmed_by=both hops=2", NULL);
    assert_skip("variant=atomic warmed_by=other size=128", NULL);
    assert_skip("variant=l1 size=64KiB", NULL);
    assert_skip("variant=l1 size=128KiB", "1024 lines do not stay in L1");
    assert_skip("variant=l1 warmed_by=both", "warmed_by is same");
    assert_skip("sm=132", "no multiprocessor 132");
    assert_skip("warmed_by=both other=140", "no multiprocessor 140");
}

TEST(percentiles)
{
    struct point point = point_of("hops=4");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    struct observation seen = {NAN, NAN, NAN};
    uint32_t cycles[RING_GROUPS];
    for (int i = 0; i < RING_GROUPS; i++)
        cycles[i] = i % 2 ? 4 * 258 : 4 * 414; /* two peaks */
    family_of(&point)->observe(&point, &s, cycles, &seen);
    assert_true(seen.latency_p05 == 258 && seen.latency_p95 == 414);
}
