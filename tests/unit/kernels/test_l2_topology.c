/* The l2_topology family: launch, where the tour lies, the reference against a walk, and every reason to
 * refuse. */
#include "unit_test.h"

#include "family/rules.h"
#define FAMILY "l2_topology"
#include "family_test.h"
#include "kernels/ring.h"

enum { ORDER, OWN, CURSOR, COUNTERS, LAST, CYCLES, CHOICE };
enum { MEMORY = 1, SLOTS = 6, HOP, SM, OTHER, WARMED_BY }; /* arguments */

TEST(launch)
{
    struct setup s = setup_of("size=128 hops=64 line=24 sm=77 warmed_by=both other=3");
    assert_int_equal(rules_blocks_fitting(&hopper, s.block[0], s.shared_dynamic), 1); /* one on each */
    assert_non_null(strstr(family_find(FAMILY)->source, "BY_SAME, BY_OTHER, BY_BOTH"));
    assert_non_null(strstr(family_find(FAMILY)->source, "CANDIDATES = 4"));
}

static void check_tour(const char *settings)
{
    struct family_run run = run_whole(settings);
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

TEST(percentiles)
{
    uint32_t cycles[RING_GROUPS];
    for (int i = 0; i < RING_GROUPS; i++)
        cycles[i] = i % 2 ? 4 * 258 : 4 * 414; /* two peaks */
    struct observation seen = observe_of("hops=4", cycles);
    assert_true(seen.latency_p05 == 258 && seen.latency_p95 == 414);
}
