/* Whole runs of the coordinator with simulated ranks: every point once whatever happens to ranks and workers,
 * stops, resumes, canaries, exclusive points, and what is refused before anything runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulated_run.h"

#define COPIES                                                                                               \
    "  - kernel: copy\n"                                                                                     \
    "    axes:\n"                                                                                            \
    "      size: {from: 64KiB, to: 1600KiB, step: 64KiB}\n"                                                  \
    "      dtype: [u8, f16, f32, f64]\n"                                                                     \
    "      stride: [1, 2, 3, 4, 5]\n"
#define COPIES_COUNT 500
#define LINKS                                                                                                \
    "  - kernel: host_copy\n"                                                                                \
    "    axes: {variant: pinned, direction: [h2d, d2h], size: {from: 1MiB, to: 25MiB, step: 1MiB}}\n"
#define LINKS_COUNT 50
#define CANARIES    4 /* of a run of so many points, on each rank, three times */

static const char copies[] = "counters: none\ntiming: {replicates: 1}\nsweeps:\n" COPIES;
static const char mixed[] = "counters: none\ntiming: {replicates: 1}\nsweeps:\n" LINKS COPIES;

/* Sixteen ranks on four nodes; what they say of their GPUs. */
static struct simulation_options standard(void **state)
{
    const struct simulation_options options = {.job = copies,
                                               .ranks = 16,
                                               .ranks_per_node = 4,
                                               .seed = 1,
                                               .sick_from = 1,
                                               .traits = {.owns_device = true, .compiles = true},
                                               .folder = *state};
    simulation_remove(&options); /* what a test left that failed */
    return options;
}

static void assert_once(const struct simulation_options *options, const struct simulation_outcome *outcome,
                        size_t points)
{
    struct simulation_file file = simulation_read(options);
    assert_int_equal(outcome->points, points);
    assert_int_equal(file.points, points);
    assert_int_equal(file.distinct, points);
    assert_int_equal(file.status[STATUS_CRASHED], outcome->crashed);
    assert_int_equal(file.status[STATUS_FAILED], outcome->failed);
}

static void test_every_point_once(void **state)
{
    struct simulation_options options = standard(state);
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_once(&options, &outcome, COPIES_COUNT);
    assert_int_equal(simulation_read(&options).devices, 16);
    simulation_remove(&options);
}

/* Workers predict, which takes up to a millisecond a point; the one process that all ranks wait for does not. */
static void test_rank_0_predicts_nothing(void **state)
{
    struct simulation_options options = standard(state);
    simulation_run(&options);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.points == COPIES_COUNT && file.predicted == 0);
    simulation_remove(&options);
}

/* Each point is measured by three processes of one device, once by each. */
static void test_replicates(void **state)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_once(&options, &outcome, COPIES_COUNT);
    assert_int_equal(outcome.replicates, 2 * COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.processes_least == 3 && file.processes_most == 3);
    assert_true(file.devices_least == 1 && file.devices_most == 1);
    simulation_remove(&options);
}

/* Further processes of one point in twenty take as long as the first, those of the others a fiftieth. */
static double uneven(uint64_t id, bool replicate, bool count)
{
    (void)count;
    return replicate && hash_mix(id) % 20 ? 0.002 : 0.1;
}

/* A rank with many long replicates leaves new points to others, so that all finish together. */
static void test_replicates_are_shared_evenly(void **state)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    options.seconds = uneven;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_once(&options, &outcome, COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.processes_least == 3 && file.processes_most == 3);
    assert_true(file.devices_least == 1 && file.devices_most == 1);
    assert_true(outcome.busy > 0.94 * options.ranks * (outcome.until - outcome.measured_from));
    simulation_remove(&options);
}

/* Every device measures each point, in two processes of each. */
static void test_all_devices(void **state)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 2, devices: all}\nsweeps:\n" COPIES;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_once(&options, &outcome, COPIES_COUNT);
    assert_int_equal(outcome.replicates, (16 * 2 - 1) * COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.processes_least == 32 && file.processes_most == 32);
    assert_true(file.devices_least == 16 && file.devices_most == 16);
    simulation_remove(&options);
}

/* What fails is not measured again; a rank that dies takes its replicates with it, and no point. */
static void test_replicates_of_what_fails(void **state)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    options.fail = 0.1;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 1);
    assert_once(&options, &outcome, COPIES_COUNT);
    assert_true(outcome.failed > 0);
    assert_int_equal(outcome.replicates, 2 * (COPIES_COUNT - outcome.failed));
    simulation_remove(&options);
}

static void test_canaries_on_every_rank(void **state)
{
    struct simulation_options options = standard(state);
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.repeats, 16 * CANARIES * 3);
    assert_int_equal(simulation_read(&options).repeats, 16 * CANARIES * 3);
    simulation_remove(&options);
}

/* Crashed and failed points are in the file as such, and make the exit code 1; asked for again they are
 * measured, and nothing else is. */
static void test_bad_points(void **state)
{
    struct simulation_options options = standard(state);
    options.crash = options.fail = 0.1;
    struct simulation_outcome outcome = simulation_run(&options);
    size_t bad = outcome.crashed + outcome.failed;
    assert_int_equal(outcome.code, 1);
    assert_true(outcome.crashed > 10 && outcome.failed > 10);
    assert_once(&options, &outcome, COPIES_COUNT);
    options.crash = options.fail = 0;
    options.resume = true;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.points, 0); /* bad ones are done, too */
    options.retry_failed = true;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(outcome.points, bad);
    assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
    simulation_remove(&options);
}

static void test_lost_ranks_leave_their_points_to_others(void **state)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.lose = 0.05;
    options.keep_first = true;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        options.seed = seed;
        options.traits.makes_up = seed % 3 == 0; /* in batches of many points */
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 0);
        assert_true(outcome.lost > 0);
        assert_once(&options, &outcome, COPIES_COUNT + LINKS_COUNT);
        assert_int_equal(outcome.collisions, 0);
        simulation_remove(&options);
    }
}

static void test_all_ranks_lost_ends_the_run(void **state)
{
    struct simulation_options options = standard(state);
    options.lose = 0.5;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 3);
    assert_int_equal(outcome.lost, 16);
    assert_in_range(outcome.points, 1, COPIES_COUNT - 1);
    assert_int_equal(simulation_read(&options).points, outcome.points); /* what was measured is kept */
    simulation_remove(&options);
}

static void test_exclusive_points_are_alone_on_their_node(void **state)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(outcome.collisions, 0);
    assert_once(&options, &outcome, COPIES_COUNT + LINKS_COUNT);
    simulation_remove(&options);
}

static void test_stop_and_resume(void **state)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.stop_after = 100;
    options.signals.users = 1;
    struct simulation_outcome first = simulation_run(&options);
    assert_int_equal(first.code, 1);
    assert_in_range(first.points, 100, 300);
    assert_int_equal(simulation_read(&options).points, first.points);
    options.stop_after = 0;
    options.resume = true;
    options.ranks = 5;
    struct simulation_outcome second = simulation_run(&options);
    assert_int_equal(second.code, 0);
    assert_int_equal(first.points + second.points, COPIES_COUNT + LINKS_COUNT);
    assert_int_equal(simulation_read(&options).distinct, COPIES_COUNT + LINKS_COUNT);
    simulation_remove(&options);
}

/* The first interrupt lets points end, the second does not wait for them. */
static void test_second_interrupt(void **state)
{
    struct simulation_options options = standard(state);
    options.stop_after = 100;
    for (int interrupts = 1; interrupts <= 2; interrupts++) {
        options.signals.interrupts = interrupts;
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 1);
        assert_true(outcome.seconds < 2);
        assert_int_equal(simulation_read(&options).points, outcome.points);
        simulation_remove(&options);
    }
}

static void test_time_limit(void **state)
{
    struct simulation_options options = standard(state);
    options.time_limit = 1e-9;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(outcome.points, 0);
    simulation_remove(&options);
}

/* Peaks are measured on all devices of a node at once; then those of the host links, one rank at a time. Ranks that share the
 * processor measure one after another. The order does not matter for made-up results. */
static void test_devices_are_characterised_side_by_side(void **state)
{
    struct simulation_options options = standard(state);
    struct simulation_outcome outcome = simulation_run(&options);
    assert_true(outcome.together > 1);
    assert_int_equal(outcome.links_together, 0); /* copies within the device ask nothing of it */
    simulation_remove(&options);
    options.ranks_per_node = 1;
    outcome = simulation_run(&options);
    assert_true(outcome.together == 1 && outcome.links_together == 0);
    simulation_remove(&options);
    options.job = mixed;
    outcome = simulation_run(&options);
    assert_true(outcome.together == 0 && outcome.links_together == 1);
    simulation_remove(&options);
    options.ranks_per_node = 4;
    outcome = simulation_run(&options);
    assert_true(outcome.together > 1);
    assert_int_equal(outcome.links_together, 1);
    simulation_remove(&options);
    options.traits.owns_device = false;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.together, 0);
    assert_int_equal(outcome.links_together, 1);
    simulation_remove(&options);
    options.traits.makes_up = true;
    outcome = simulation_run(&options);
    assert_true(outcome.links_together > 1);
    simulation_remove(&options);
}

/* Each cache folder gets each kernel once: one for the nodes that share the coordinator's, one for each other
 * node. */
static void test_kernels_are_compiled_once_a_cache(void **state)
{
    struct simulation_options options = standard(state);
    size_t kernels[2];
    for (int i = 0; i < 2; i++) {
        options.ranks = i ? 16 : 4; /* nodes 0 to 3, of which 1 and 3 have caches of their own */
        kernels[i] = simulation_run(&options).kernels;
        simulation_remove(&options);
    }
    assert_true(kernels[0] > 0);
    assert_int_equal(kernels[1], 3 * kernels[0]);
    options.traits.compiles = false;
    assert_int_equal(simulation_run(&options).kernels, 0);
    simulation_remove(&options);
}

/* A node with another build: nothing runs, whatever back end was asked for. */
static void test_rank_of_another_build(void **state)
{
    struct simulation_options options = standard(state);
    char path[512];
    options.foreign = 7;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 3);
    assert_int_equal(outcome.points, 0);
    snprintf(path, sizeof path, "%s/out.h5", options.folder);
    assert_int_equal(access(path, F_OK), -1);
    simulation_remove(&options);
}

/* ---- Sick devices ---- */

/* A device that fails everything is found out by its first few points, which others measure; what it had been given is
 * theirs, and costs them nothing twice. */
static void test_sick_device(void **state)
{
    struct simulation_options options = standard(state);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        options.seed = seed;
        options.ranks = options.ranks_per_node = 4;
        options.sick = 1;
        options.sick_after = seed % 3 * 20;
        options.traits.makes_up = seed % 4 == 0; /* in batches of many points */
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 1);
        assert_once(&options, &outcome, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
        assert_in_range(outcome.wasted, 0, 8);
        simulation_remove(&options);
    }
}

/* Half the devices are sick, and what one of them failed another may have confirmed: that is not believed. */
static void test_many_sick_devices(void **state)
{
    struct simulation_options options = standard(state);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        options.seed = seed;
        options.sick = 8;
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 1);
        assert_once(&options, &outcome, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
        simulation_remove(&options);
    }
}

/* Points that are bad wherever they are tried make no device sick, however many they are. */
static void test_bad_points_are_no_sick_device(void **state)
{
    struct simulation_options options = standard(state);
    for (int share = 1; share <= 4; share++) {
        options.crash = options.fail = 0.125 * share;
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 1);
        assert_once(&options, &outcome, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).devices, 16); /* all were at work */
        assert_int_equal(outcome.attempts, outcome.crashed + outcome.failed);
        simulation_remove(&options);
    }
}

/* When no device is left, the run ends with a message and keeps its results; a later one finishes it. */
static void test_all_devices_sick(void **state)
{
    struct simulation_options options = standard(state);
    options.ranks = options.ranks_per_node = 4;
    options.sick = 3;
    options.sick_after = 30;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_once(&options, &outcome, COPIES_COUNT); /* by the one that is well */
    simulation_remove(&options);

    options.ranks = options.ranks_per_node = 2; /* rank 0 is lost, rank 1 sick */
    options.sick = 1;
    options.lose = 0.2;
    options.keep_first = false;
    size_t ended = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        options.seed = seed;
        outcome = simulation_run(&options);
        struct simulation_file file = simulation_read(&options);
        assert_true(outcome.code == 1 || outcome.code == 3);
        assert_int_equal(file.points, file.distinct);
        assert_int_equal(file.points, outcome.points);
        ended += file.status[STATUS_OK] < COPIES_COUNT;
        simulation_remove(&options);
    }
    assert_true(ended > 0);
}

/* One device alone that turns sick: its canaries were good before. What it failed meanwhile is recorded as failed, and the
 * rest is left to a later run. */
static void test_only_device_turns_sick(void **state)
{
    struct simulation_options options = standard(state);
    options.ranks = options.ranks_per_node = 1;
    options.sick = 1;
    options.sick_from = 0;
    options.sick_after = 100;
    struct simulation_outcome outcome;
    bool cut_short = false; /* a batch, once its failures were heard of */
    for (options.seed = 1; options.seed <= 8; options.seed++) {
        outcome = simulation_run(&options);
        struct simulation_file file = simulation_read(&options);
        assert_int_equal(outcome.code, 1);
        assert_in_range(file.status[STATUS_FAILED], 1, 32);
        cut_short = cut_short || file.status[STATUS_FAILED] < 24;
        assert_int_equal(file.points, file.distinct);
        if (options.seed < 8)
            simulation_remove(&options);
    }
    assert_true(cut_short);
    options.sick = 0;
    options.resume = options.retry_failed = true;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
    simulation_remove(&options);
}

/* ---- Silent ranks ---- */

static void test_silent_ranks(void **state)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.silence = 1;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        options.seed = seed;
        options.mute = (int)(seed * 4 - 1); /* a point that met two of them would end as crashed */
        options.mute_batch = (int)seed;
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 1);
        assert_once(&options, &outcome, COPIES_COUNT + LINKS_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT + LINKS_COUNT);
        assert_int_equal(outcome.collisions, 0);
        simulation_remove(&options);
    }
}

/* ---- Counters ---- */

static void test_counters_follow_the_times(void **state)
{
    struct simulation_options options = standard(state);
    options.counters = "memory";
    options.counter_count = simulation_set_size(options.counters);
    options.traits.counts = true;
    options.lose = 0.05; /* whose points were timed, and not counted, are counted by others */
    options.keep_first = true;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        options.seed = seed;
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, 0);
        assert_once(&options, &outcome, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).counted, COPIES_COUNT);
        simulation_remove(&options);
    }
}

/* A run that ends before all is counted leaves that to the next, which times nothing anew. */
static void test_counters_after_a_stop(void **state)
{
    struct simulation_options options = standard(state);
    options.counters = "memory";
    options.counter_count = simulation_set_size(options.counters);
    options.traits.counts = true;
    options.stop_after = 200;
    options.signals.interrupts = 2;
    struct simulation_outcome first = simulation_run(&options);
    struct simulation_file file = simulation_read(&options);
    assert_int_equal(first.code, 1);
    assert_true(file.counted < file.status[STATUS_OK]);
    options.resume = true;
    options.stop_after = 0;
    struct simulation_outcome second = simulation_run(&options);
    assert_int_equal(second.code, 0);
    assert_int_equal(first.points + second.points, COPIES_COUNT);
    assert_int_equal(simulation_read(&options).counted, COPIES_COUNT);
    simulation_remove(&options);
}

/* A thousand ranks: what the bench does with ten thousand. */
static void test_a_thousand_ranks(void **state)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.ranks = 1000;
    options.ranks_per_node = 8;
    options.crash = options.fail = 0.01;
    options.lose = 0.01;
    options.keep_first = true;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 1);
    assert_once(&options, &outcome, COPIES_COUNT + LINKS_COUNT);
    assert_int_equal(outcome.collisions, 0);
    assert_true(outcome.peak_bytes < 16u << 20);
    simulation_remove(&options);

    options.lose = 0; /* one in a hundred is sick, and one falls silent */
    options.sick = options.mute = 10;
    options.mute_batch = 2;
    options.silence = 2;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.code, 1);
    assert_once(&options, &outcome, COPIES_COUNT + LINKS_COUNT);
    simulation_remove(&options);
}

static int make_folder(void **state)
{
    *state = simulation_folder();
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    rmdir(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_point_once),
        cmocka_unit_test(test_rank_0_predicts_nothing),
        cmocka_unit_test(test_canaries_on_every_rank),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_replicates_are_shared_evenly),
        cmocka_unit_test(test_all_devices),
        cmocka_unit_test(test_replicates_of_what_fails),
        cmocka_unit_test(test_bad_points),
        cmocka_unit_test(test_lost_ranks_leave_their_points_to_others),
        cmocka_unit_test(test_all_ranks_lost_ends_the_run),
        cmocka_unit_test(test_exclusive_points_are_alone_on_their_node),
        cmocka_unit_test(test_stop_and_resume),
        cmocka_unit_test(test_second_interrupt),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_devices_are_characterised_side_by_side),
        cmocka_unit_test(test_kernels_are_compiled_once_a_cache),
        cmocka_unit_test(test_rank_of_another_build),
        cmocka_unit_test(test_sick_device),
        cmocka_unit_test(test_many_sick_devices),
        cmocka_unit_test(test_bad_points_are_no_sick_device),
        cmocka_unit_test(test_all_devices_sick),
        cmocka_unit_test(test_only_device_turns_sick),
        cmocka_unit_test(test_silent_ranks),
        cmocka_unit_test(test_counters_follow_the_times),
        cmocka_unit_test(test_counters_after_a_stop),
        cmocka_unit_test(test_a_thousand_ranks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
