/* The recording of a lane: one phase at a time, summed by phase and kernel, claimed by a worker, sent. */
#include "unit_test.h"

#include "protocol/timeline.h"

#define assert_near(is, should) assert_true(fabs((is) - (should)) <= 1e-9)

static void expect_sum(const struct timeline *timeline, size_t i, enum phase phase, uint32_t parts,
                       double seconds)
{
    assert_true(i < timeline->count);
    assert_int_equal(timeline->sum[i].phase, phase);
    assert_int_equal(timeline->sum[i].parts, parts);
    assert_near(timeline->sum[i].seconds, seconds);
}

static double all_of(const struct timeline *timeline)
{
    double seconds = 0;
    for (size_t i = 0; i < timeline->count; i++)
        seconds += timeline->sum[i].seconds;
    return seconds;
}

TEST(phases_follow_each_other)
{
    struct timeline t = {0};
    timeline_enter(&t, PHASE_program, 10);
    assert_int_equal(t.count, 0);
    timeline_enter(&t, PHASE_mpi, 11);
    timeline_enter(&t, PHASE_start, 11); /* no time in MPI: nothing of it */
    timeline_enter(&t, PHASE_wait_work, 13);
    timeline_rename(&t, PHASE_wait_exclusive);
    timeline_enter(&t, PHASE_end, 14);
    assert_int_equal(t.count, 3);
    expect_sum(&t, 0, PHASE_program, 1, 1);
    expect_sum(&t, 1, PHASE_start, 1, 2);
    expect_sum(&t, 2, PHASE_wait_exclusive, 1, 1);
    timeline_free(&t);
}

/* One sum for each phase and kernel, however many points there are, with the first of them. */
TEST(sums_by_phase_and_kernel)
{
    static const char *const kernels[] = {"copy", "reduce"};
    struct timeline t = {0};
    double time = 0;
    timeline_enter(&t, PHASE_load, 0);
    for (uint64_t point = 1; point <= 1000; point++) {
        timeline_point(&t, kernels[point % 2], point, time);
        timeline_enter(&t, PHASE_sample, time += 1);
        timeline_enter(&t, PHASE_load, time += 2);
    }
    timeline_point(&t, NULL, 0, time);
    assert_int_equal(t.count, 4);
    expect_sum(&t, 0, PHASE_load, 500, 500);
    expect_sum(&t, 1, PHASE_sample, 500, 1000);
    assert_true(t.sum[0].point == 1 && t.sum[2].point == 2 && t.sum[0].kernel != t.sum[2].kernel);
    timeline_free(&t);
}

/* What a worker tells, late, owns the seconds that it was at something; its rank has the rest, and no second
 * is owned twice. */
TEST(a_worker_claims_its_seconds)
{
    struct timeline t = {0};
    const struct phase_sum load = {PHASE_load, 7, 70, 1, 2}, sample = {PHASE_sample, 7, 70, 3, 6},
                           more = {PHASE_lost, 0, 0, 1, 1000};
    timeline_enter(&t, PHASE_wait_work, 0);
    timeline_enter(&t, PHASE_messages, 5);
    timeline_claim(&t, &load, 15);
    timeline_claim(&t, &sample, 15);
    timeline_enter(&t, PHASE_wait_work, 15);
    expect_sum(&t, 0, PHASE_wait_work, 1, 5);
    expect_sum(&t, 1, PHASE_load, 1, 2);
    expect_sum(&t, 2, PHASE_sample, 3, 6);
    expect_sum(&t, 3, PHASE_messages, 1, 2);
    timeline_claim(&t, &more, 18); /* more than there is of the open phase */
    timeline_enter(&t, PHASE_end, 18);
    expect_sum(&t, 4, PHASE_lost, 1, 3);
    assert_near(all_of(&t), 18);
    timeline_free(&t);
}

TEST(sums_travel)
{
    struct timeline t = {0};
    struct wire wire = {0};
    struct phase_sum sum;
    timeline_enter(&t, PHASE_copy_back, 1.5);
    timeline_point(&t, "copy", UINT64_C(0xfedcba9876543210), 1.5);
    timeline_enter(&t, PHASE_end, 2.5);
    timeline_put(&t, &wire);
    assert_int_equal(t.count, 0); /* they are sent once */
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_int_equal(wire_get_u32(&reader), 1);
    assert_true(timeline_get(&reader, &sum));
    assert_true(sum.phase == PHASE_copy_back && sum.point == UINT64_C(0xfedcba9876543210) && sum.kernel);
    assert_true(sum.parts == 1 && sum.seconds == 1);
    wire.data[4] = PHASE_COUNT; /* the phase */
    reader = wire_read(wire.data, wire.length);
    wire_get_u32(&reader);
    assert_false(timeline_get(&reader, &sum));
    wire_free(&wire);
    timeline_free(&t);
}
