/* The l2_topology family: launch, where the tour lies, the reference against a walk, and every reason to refuse. */
#include "unit_test.h"

#include "family/rules.h"
#include "family_test.h"
#include "kernels/ring.h"

enum { ORDER, OWN, CURSOR, COUNTERS, LAST, CYCLES, CHOICE };
enum { MEMORY = 1, SLOTS = 6, HOP, SM, OTHER, WARMED_BY }; /* arguments */

TEST(work)
{
    family_assert_work("l2_topology", "", 1024 * 8, 4, 0);
    family_assert_work("l2_topology", "variant=atomic size=128 hops=64", 1024 * 64 * 8, 4, 0);
}

TEST(launch)
{
    struct point point = family_point("l2_topology", "size=128 hops=64 line=24 sm=77 warmed_by=both other=3");
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
    struct point point = family_point("l2_topology", "variant=atomic size=128KiB home=near line=24");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    assert_int_equal(s.argument[SLOTS].value, 1024);
    assert_int_equal(s.buffer[OWN].count * 8, (24 + 4096) * 128);
    assert_int_equal(s.buffer[CHOICE].count, 1024 + 4096);
    assert_non_null(strstr(family_of(&point)->source, "CANDIDATES = 4"));
    family_assert_skip("l2_topology", "variant=atomic home=far size=128KiB", &hopper, NULL);
    family_assert_skip("l2_topology", "variant=atomic home=far size=16MiB", &hopper, "more than stay in L2");
    family_assert_skip("l2_topology", "home=near", &hopper, "are for atomic");
    family_assert_skip("l2_topology", "variant=atomic home=near warmed_by=both", &hopper, "are for atomic");
}

static void check_tour(const char *settings)
{
    struct family_run run = family_run_new("l2_topology", settings);
    family_run_reference(&run);
    const uint32_t *order = run.data[ORDER];
    uint64_t slots = run.setup.argument[SLOTS].value;
    uint64_t hops = RING_GROUPS * (uint64_t)point_value(&run.point, "hops", 0), at = 0;
    for (uint64_t i = 0; i < hops; i++)
        at = at + 1 < slots ? at + 1 : 0;
    assert_int_equal(*(uint32_t *)run.data[LAST], order[at]);
    family_run_free(&run);
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
    family_assert_skip("l2_topology", "", &on_host, "nothing to chase on the host");
    family_assert_skip("l2_topology", "cache=clean", &hopper, "is for cache hot");
    family_assert_skip("l2_topology", "hop=200", &hopper, "no whole number of lines");
    family_assert_skip("l2_topology", "size=100", &hopper, "no whole number of slots");
    family_assert_skip("l2_topology", "size=32MiB", &hopper, "more than stay in L2");
    family_assert_skip("l2_topology", "size=16MiB", &hopper, NULL);
    family_assert_skip("l2_topology", "other=2", &hopper, "other has no effect");
    family_assert_skip("l2_topology", "warmed_by=other sm=1", &hopper, "the same multiprocessor");
    family_assert_skip("l2_topology", "warmed_by=other", &hopper, NULL);
    family_assert_skip("l2_topology", "warmed_by=other hops=2", &hopper,
                       "2048 hops over 1024 lines meet lines again");
    family_assert_skip("l2_topology", "warmed_by=both hops=2", &hopper, NULL);
    family_assert_skip("l2_topology", "variant=atomic warmed_by=other size=128", &hopper, NULL);
    family_assert_skip("l2_topology", "variant=l1 size=64KiB", &hopper, NULL);
    family_assert_skip("l2_topology", "variant=l1 size=128KiB", &hopper, "1024 lines do not stay in L1");
    family_assert_skip("l2_topology", "variant=l1 warmed_by=both", &hopper, "warmed_by is same");
    family_assert_skip("l2_topology", "sm=132", &hopper, "no multiprocessor 132");
    family_assert_skip("l2_topology", "warmed_by=both other=140", &hopper, "no multiprocessor 140");
}

TEST(percentiles)
{
    struct point point = family_point("l2_topology", "hops=4");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    struct observation seen = {NAN, NAN, NAN};
    uint32_t cycles[RING_GROUPS];
    for (int i = 0; i < RING_GROUPS; i++)
        cycles[i] = i % 2 ? 4 * 258 : 4 * 414; /* two peaks */
    family_of(&point)->observe(&point, &s, cycles, &seen);
    assert_true(seen.latency_p05 == 258 && seen.latency_p95 == 414);
}
