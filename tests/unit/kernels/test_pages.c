/* The pages family: where slots lie, the reference against a walk as the kernel has it, and every reason to
 * refuse. */
#include "unit_test.h"

#define FAMILY "pages"
#include "family_test.h"
#include "family/rules.h"
#include "kernels/ring.h"

enum { ORDER, OWN, CURSORS, ARRIVED, LAST, CYCLES };
enum { SLOTS = 6, HOP, APART, CHASERS, FIRST, SECOND }; /* arguments */

TEST(launch)
{
    struct setup s = setup_of("size=64MiB");
    assert_int_equal(rules_blocks_fitting(&hopper, s.block[0], s.shared_dynamic), 1); /* one on each */
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
    struct family_run run = run_whole(settings);
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

/* The chaser that reports: the first one; among all, the one on multiprocessor sm. */
TEST(reporter)
{
    static uint32_t cycles[132 * RING_GROUPS];
    for (int i = 0; i < 132 * RING_GROUPS; i++)
        cycles[i] = 10 * (uint32_t)(i / RING_GROUPS) + 100;
    static const char *const settings[] = {"hops=10 sm=7", "hops=10 sm=7 chasers=all"};
    static const double expected[] = {10, 17};
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(observe_of(settings[i], cycles).latency_p50 - expected[i]) < 1e-9);
    }
}
