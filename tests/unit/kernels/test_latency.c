/* The latency family: the ring's order against walking it, every reason to refuse, and the percentiles. */
#include "unit_test.h"

#define FAMILY "latency"
#include "family_test.h"

enum { RING, OWN, CURSOR, LAST, CYCLES, GROUPS = 1024 };

TEST(source)
{
    assert_non_null(strstr(family_find(FAMILY)->source, "__constant__ u32 table[16384]"));
    assert_non_null(strstr(family_find(FAMILY)->source, "#define GROUPS  1024"));
}

/* Walk the ring as it lies in memory: all slots once, then back; and that is where the reference is too. */
static void check_ring(const char *settings)
{
    struct family_run run = run_whole(settings);
    uint64_t size = (uint64_t)run.point.value[1], hop = (uint64_t)point_value(&run.point, "hop", 0);
    uint64_t slots = size / hop, at = 0, hops = GROUPS * (uint64_t)point_value(&run.point, "hops", 0);
    uint64_t spacing = run.setup.buffer[RING].count / slots; /* words of the input between slots */
    const uint32_t *ring = run.data[RING];
    unsigned char *seen = calloc(slots, 1);
    uint64_t longest = slots > hops ? slots : hops, last = UINT64_MAX, neighbours = 0;
    for (uint64_t i = 1; i <= longest; i++) {
        uint64_t next = ring[at / hop * spacing];
        assert_true(next < size && next % hop == 0);
        neighbours += next == at + hop || at == next + hop;
        at = next;
        if (i <= slots && seen[at / hop]++)
            fail_msg("%s: slot %llu comes twice within a lap", settings, (unsigned long long)(at / hop));
        if (i == slots)
            assert_int_equal(at, 0);
        if (i == hops)
            last = at;
    }
    assert_int_equal(*(uint32_t *)run.data[LAST], last);
    if (slots >= 256) /* not in an order that a prefetcher would guess */
        assert_true(neighbours < longest / 50);
    free(seen);
}

TEST(ring)
{
    check_ring("");
    check_ring("size=128");
    check_ring("size=256");
    check_ring("size=8 hop=8 hops=1");
    check_ring("variant=shared size=128KiB hop=8");
    check_ring("variant=dsmem size=8KiB");
    check_ring("variant=constant size=2KiB hop=64 hops=3");
    check_ring("variant=l2 size=32MiB hop=4KiB");
    check_ring("variant=l2 size=16MiB hop=4KiB hops=256");
    check_ring("variant=l1 size=64KiB hop=32 hops=7");
    check_ring("variant=l2 size=1MiB through=bulk");
}

/* The largest ring, sampled: its offsets fill 32 bits, and the sum does not overflow into nonsense. */
TEST(large_ring)
{
    struct setup s = setup_of("variant=dram size=4GiB");
    const uint64_t n = UINT64_C(1) << 25;
    for (uint64_t k = 0; k < 1000; k++) {
        uint64_t slot = fill_bits(9, k) % n;
        uint32_t value;
        fill_element(&s.buffer[RING].fill, DTYPE_I32, 1, slot, &value);
        assert_int_equal(value, (slot * 1664525 + 1013904223) % n * 128);
    }
}

TEST(percentiles)
{
    uint32_t cycles[GROUPS];
    for (uint32_t i = 0; i < GROUPS; i++)
        cycles[i] = 10 * (i * 37 % GROUPS); /* 0 to 1023 per hop, shuffled */
    struct observation seen = observe_of("hops=10", cycles);
    assert_true(fabs(seen.latency_p05 - 51.15) < 1e-9);
    assert_true(fabs(seen.latency_p50 - 511.5) < 1e-9);
    assert_true(fabs(seen.latency_p95 - 971.85) < 1e-9);
}
