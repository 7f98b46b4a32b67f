/* The l2_bandwidth family: launch, the reference against a sum word by word, accesses against the counts that
 * they add up to, and every reason to refuse. */
#include "unit_test.h"

#include "family/access/model.h"
#include "family/rules.h"
#define FAMILY "l2_bandwidth"
#include "family_test.h"
#include "kernels/ring.h"

enum { MEMORY, HOMES, CHOICE, WRITTEN, STATE, OUT, CYCLES };
enum { GROUPS = 7, HOME, WARMED_BY, REPORTS }; /* arguments */

TEST(launch)
{
    struct point point = point_of("size=1MiB home=far warmed_by=same");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    assert_int_equal(rules_blocks_fitting(&hopper, s.block[0], s.shared_dynamic), 1); /* one on each */
    const char *source = family_of(&point)->source;
    assert_non_null(strstr(source, "ROUNDS = 4, CANDIDATES = 2"));
    assert_non_null(strstr(source, "SEATS = 1024"));
    assert_non_null(strstr(source, "ANY, NEAR, FAR"));
    assert_non_null(strstr(source, "BY_SAME, BY_OTHER"));
}

/* Multiprocessor `rank` finds each word of its lines: `value` is what a pass stores at an index. */
static void check_sums(const char *settings, int first_pass, int passes, uint32_t times)
{
    struct family_run run = run_whole(settings);
    const uint32_t *sums = run.data[OUT];
    uint64_t groups = run.setup.argument[GROUPS].value, ranks = run.setup.grid[0], words = 0;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        uint32_t sum = 0;
        uint64_t shared_by = (uint64_t)point_value(&run.point, "shared_by", 0), teams = ranks / shared_by;
        uint64_t team = rank / shared_by;
        uint64_t begin = groups * team / teams * 128, end = groups * (team + 1) / teams * 128;
        for (int pass = first_pass; pass < first_pass + passes; pass++)
            for (uint64_t word = begin; word < end; word++)
                sum += times * (((uint32_t)word + (uint32_t)pass * 0x9e3779b9u) * 2654435761u);
        assert_int_equal(sums[rank], sum);
        words += end - begin;
    }
    assert_int_equal(words * 4, point_value(&run.point, "size", 0) * point_value(&run.point, "shared_by", 0));
}

TEST(sums)
{
    check_sums("size=1MiB home=near", 0, 4, 1);
    check_sums("size=300KiB warmed_by=same", 0, 1, 4); /* the lines of the first launch, four times */
    check_sums("size=300KiB variant=write", 7, 1, 1);  /* what the last pass stored */
    check_sums("size=1MiB variant=write warmed_by=same", 7, 1, 1);
    check_sums("size=1MiB shared_by=2 laps=3", 0, 4, 3);
    check_sums("size=300KiB shared_by=132 warmed_by=same", 0, 1, 4);
}

/* Requests of all warps: two for the state, those that copy lists to shared memory, and whole groups of four
 * lines: so many of each block's own, and of all that are stored. */
static void check_counts(const char *settings, double read, double written, double stored)
{
    struct point point = point_of(settings);
    struct setup s = family_of(&point)->setup(&point, &hopper);
    struct prediction p;
    uint64_t shared_by = (uint64_t)point_value(&point, "shared_by", 0), ranks = s.grid[0];
    uint64_t groups = s.argument[GROUPS].value, teams = ranks / shared_by, copies = 0, copied = 0;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        uint64_t team = rank / shared_by;
        uint64_t begin = groups * team / teams * 4, end = groups * (team + 1) / teams * 4;
        for (uint64_t first = begin; first < end; first += 32, copies++) {
            uint64_t last = first + 32 < end ? first + 31 : end - 1;
            copied += last / 8 - first / 8 + 1; /* numbers of four bytes in sectors */
        }
    }
    assert_true(model_predict(&point, &s, &hopper, NAN, &p));
    double state = 2.0 * 32 * (double)ranks, all = (double)groups, own = all * (double)shared_by;
    assert_true(p.load_requests == state + (double)copies + own * read + all * stored);
    assert_true(p.load_sectors == state + (double)copied + own * 16 * read + all * stored);
    assert_true(p.store_requests == own * written + all * stored + (double)ranks * 5);
    assert_true(p.store_sectors == 16 * (own * written + all * stored) + (double)ranks * 5);
    assert_true(isnan(p.dram_bytes_read) && isnan(p.atomic_requests));
}

TEST(counts)
{
    check_counts("size=1MiB", 4, 0, 4);
    check_counts("size=32MiB home=far", 4, 0, 4);
    check_counts("size=24MiB home=near warmed_by=same", 8, 0, 0);
    check_counts("size=3MiB variant=write", 1, 4, 4);
    check_counts("size=260KiB variant=write warmed_by=same", 5, 4, 0);
    check_counts("size=2MiB shared_by=11 laps=3", 12, 0, 4);
    check_counts("size=2MiB shared_by=2 warmed_by=same", 8, 0, 0);
}

TEST(percentiles)
{
    struct point point = point_of("size=16896KiB");
    struct setup s = family_of(&point)->setup(&point, &hopper);
    struct point shared = point_of("size=2816KiB shared_by=2 laps=3");
    struct observation seen = {NAN, NAN, NAN};
    uint32_t cycles[RING_GROUPS];
    for (int i = 0; i < RING_GROUPS; i++) {
        cycles[i] = i % 2 ? 1024 * 3 : 1024 * 5;
        if (i >= 528)
            cycles[i] = 1;
    }
    family_of(&point)->observe(&point, &s, cycles, &seen);
    assert_true(seen.latency_p05 == 3 && seen.latency_p95 == 5);
    family_of(&shared)->observe(&shared, &s, cycles, &seen); /* as many lines, six times a sixth */
    assert_true(seen.latency_p05 == 3 && seen.latency_p95 == 5);
}
