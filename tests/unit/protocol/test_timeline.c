/* The recording of a lane: one phase at a time, laid over, added up, sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "protocol/timeline.h"

#define assert_near(is, should, most) assert_true(fabs((is) - (should)) <= (most))

static struct span span_of(enum phase phase, uint64_t point, double start, double end)
{
    return (struct span){.start = start, .end = end, .point = point, .parts = 1, .phase = (uint8_t)phase};
}

static void expect_span(const struct timeline *timeline, size_t i, enum phase phase, double start, double end)
{
    assert_true(i < timeline->count);
    assert_int_equal(timeline->span[i].phase, phase);
    assert_near(timeline->span[i].start, start, 1e-12);
    assert_near(timeline->span[i].end, end, 1e-12);
}

static void phases_follow_each_other(void **state)
{
    (void)state;
    struct timeline t = {0};
    timeline_enter(&t, PHASE_program, 0, 10);
    assert_int_equal(t.count, 0);
    timeline_enter(&t, PHASE_mpi, 0, 11);
    timeline_enter(&t, PHASE_start, 0, 11); /* no time in MPI: no span of it */
    timeline_enter(&t, PHASE_wait_work, 0, 13);
    timeline_rename(&t, PHASE_wait_exclusive, 0);
    timeline_enter(&t, PHASE_end, 0, 14);
    assert_int_equal(t.count, 3);
    expect_span(&t, 0, PHASE_program, 10, 11);
    expect_span(&t, 1, PHASE_start, 11, 13);
    expect_span(&t, 2, PHASE_wait_exclusive, 13, 14);
    timeline_free(&t);
}

/* What a worker tells, late, owns the seconds that it was at something; its rank has the rest. */
static void the_innermost_owns(void **state)
{
    (void)state;
    struct timeline t = {0};
    timeline_enter(&t, PHASE_messages, 0, 0);
    timeline_enter(&t, PHASE_wait_work, 0, 10);
    struct span load = span_of(PHASE_load, 7, 1, 3), sample = span_of(PHASE_sample, 7, 3, 9);
    timeline_lay(&t, &load);
    timeline_lay(&t, &sample);
    assert_int_equal(t.count, 4);
    expect_span(&t, 0, PHASE_messages, 0, 1);
    expect_span(&t, 1, PHASE_load, 1, 3);
    expect_span(&t, 2, PHASE_sample, 3, 9);
    expect_span(&t, 3, PHASE_messages, 9, 10);
    assert_int_equal(t.span[2].point, 7);
    /* Over the end of several, and of the phase that goes on. */
    struct span over = span_of(PHASE_lost, 0, 8, 12);
    timeline_lay(&t, &over);
    timeline_enter(&t, PHASE_end, 0, 13);
    assert_int_equal(t.count, 5);
    expect_span(&t, 2, PHASE_sample, 3, 8);
    expect_span(&t, 3, PHASE_lost, 8, 12);
    expect_span(&t, 4, PHASE_wait_work, 12, 13);
    timeline_free(&t);
}

/* Whatever is laid over it, a lane has every second once. */
static void every_second_is_owned_once(void **state)
{
    (void)state;
    struct timeline t = {0};
    uint64_t seed = 1;
    timeline_enter(&t, PHASE_messages, 0, 0);
    for (int i = 0; i < 2000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double start = (double)(seed >> 40) / (1 << 24) * 0.05 * i, length = (double)(seed >> 60);
        struct span span = span_of((enum phase)(seed >> 33 & 15), seed >> 50 & 3, start, start + length);
        timeline_lay(&t, &span);
    }
    timeline_enter(&t, PHASE_end, 0, 1000);
    double at = 0;
    for (size_t i = 0; i < t.count; i++) {
        assert_near(t.span[i].start, at, 1e-6);
        at = t.span[i].end;
    }
    assert_near(at, 1000, 0);
    timeline_free(&t);
}

static void short_spans_are_added_up(void **state)
{
    (void)state;
    struct timeline t = {0};
    const char copy[] = "copy", reduce[] = "reduce";
    const void *group[9];
    for (int i = 0; i < 9; i++) {
        timeline_enter(&t, i % 2 ? PHASE_sample : PHASE_load, (uint64_t)i + 1, i);
        group[i] = i < 6 ? copy : reduce;
    }
    timeline_enter(&t, PHASE_end, 0, 9);
    timeline_sum(&t, group);
    assert_int_equal(t.count, 4);
    expect_span(&t, 0, PHASE_load, 0, 3);
    expect_span(&t, 1, PHASE_sample, 3, 6);
    expect_span(&t, 2, PHASE_load, 6, 8);
    expect_span(&t, 3, PHASE_sample, 8, 9);
    assert_int_equal(t.span[1].parts, 3);
    assert_int_equal(t.span[1].point, 2);
    timeline_free(&t);
}

static void instants_go_to_the_phase_before(void **state)
{
    (void)state;
    struct timeline t = {0};
    timeline_enter(&t, PHASE_load, 1, 0);
    timeline_enter(&t, PHASE_compare, 1, 1);
    timeline_enter(&t, PHASE_reference, 1, 1.000001);
    timeline_enter(&t, PHASE_finish, 2, 2); /* another point's is its own, however short */
    timeline_enter(&t, PHASE_end, 2, 2.000001);
    timeline_absorb(&t, 1e-5);
    assert_int_equal(t.count, 3);
    expect_span(&t, 0, PHASE_load, 0, 1.000001);
    expect_span(&t, 1, PHASE_reference, 1.000001, 2);
    timeline_free(&t);
}

static void spans_travel(void **state)
{
    (void)state;
    struct timeline t = {0};
    struct wire wire = {0};
    struct span span;
    timeline_enter(&t, PHASE_copy_back, UINT64_C(0xfedcba9876543210), 1.5);
    timeline_enter(&t, PHASE_end, 0, 2.5);
    timeline_put(&t, &wire);
    assert_int_equal(t.count, 0);
    struct wire_reader reader = wire_read(wire.data, wire.length);
    assert_int_equal(wire_get_u32(&reader), 1);
    assert_true(timeline_get(&reader, &span));
    assert_int_equal(span.phase, PHASE_copy_back);
    assert_true(span.point == UINT64_C(0xfedcba9876543210));
    assert_near(span.end, 2.5, 0);
    assert_int_equal(reader.at, reader.length);
    wire.data[4] = PHASE_COUNT; /* the phase */
    reader = wire_read(wire.data, wire.length);
    wire_get_u32(&reader);
    assert_false(timeline_get(&reader, &span));
    wire_free(&wire);
    timeline_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_follow_each_other),        cmocka_unit_test(the_innermost_owns),
        cmocka_unit_test(every_second_is_owned_once),      cmocka_unit_test(short_spans_are_added_up),
        cmocka_unit_test(instants_go_to_the_phase_before), cmocka_unit_test(spans_travel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
