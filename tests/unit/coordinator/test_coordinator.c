/* Whole runs of the coordinator with simulated ranks: every point once whatever happens to ranks and workers,
 * stops, resumes, canaries, exclusive points, and what is refused before anything runs. */
#include "unit_test.h"

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

static int make_folder(void **state)
{
    *state = simulation_folder();
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    simulation_remove(&(struct simulation_options){.folder = *state});
    rmdir(*state);
    free(*state);
    return 0;
}

EACH(make_folder, remove_folder)

/* Sixteen ranks on four nodes; what they say of their GPUs. */
static struct simulation_options standard(void **state)
{
    return (struct simulation_options){.job = copies,
                                       .ranks = 16,
                                       .ranks_per_node = 4,
                                       .seed = 1,
                                       .sick_from = 1,
                                       .traits = {.owns_device = true, .compiles = true},
                                       .folder = *state};
}

/* The same with GPUs that count. */
static struct simulation_options counting(void **state)
{
    struct simulation_options options = standard(state);
    options.counters = "memory";
    options.counter_count = simulation_set_size(options.counters);
    options.traits.counts = true;
    return options;
}

static void assert_once(const struct simulation_options *options, const struct simulation_outcome *outcome,
                        size_t points)
{
    struct simulation_file file = simulation_read(options);
    assert_int_equal(file.good, !outcome->code);
    assert_int_equal(outcome->points, points);
    assert_int_equal(file.points, points);
    assert_int_equal(file.distinct, points);
    assert_int_equal(file.status[STATUS_CRASHED], outcome->crashed);
    assert_int_equal(file.status[STATUS_FAILED], outcome->failed);
}

/* A run that ends with `code`. */
static struct simulation_outcome run_to(const struct simulation_options *options, int code)
{
    struct simulation_outcome outcome = simulation_run(options);
    assert_int_equal(outcome.code, code);
    return outcome;
}

/* The same that has measured each of so many points once. */
static struct simulation_outcome run(const struct simulation_options *options, int code, size_t points)
{
    struct simulation_outcome outcome = run_to(options, code);
    assert_once(options, &outcome, points);
    return outcome;
}

TEST(every_point_once)
{
    struct simulation_options options = standard(state);
    struct simulation_outcome outcome = run(&options, 0, COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_int_equal(file.devices, 16);
    assert_true(outcome.repeats == 16 * CANARIES * 3 && file.repeats == outcome.repeats);
}

/* Repetitions are numbered over all devices: each number has a row of its own. */
TEST(canaries_of_many_devices)
{
    enum { POINTS = 25 }; /* one canary */
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 1}\nsweeps:\n  - kernel: copy\n"
                  "    axes: {size: {from: 64KiB, to: 1600KiB, step: 64KiB}}\n";
    for (options.ranks = 32; options.ranks <= 96; options.ranks += 32) {
        struct simulation_outcome outcome = run(&options, 0, POINTS);
        assert_int_equal(outcome.repeats, options.ranks * 3);
        assert_int_equal(simulation_read(&options).repeats, outcome.repeats);
    }
}

/* Each point is measured by three processes of one device, once by each. */
TEST(replicates)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    struct simulation_outcome outcome = run(&options, 0, COPIES_COUNT);
    assert_int_equal(outcome.replicates, 2 * COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.processes_least == 3 && file.processes_most == 3);
    assert_true(file.devices_least == 1 && file.devices_most == 1);
}

/* What a process has taken before it failed is in no time; the row says how many failed. */
TEST(failed_replicates)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    options.fail_replicate = 0.1;
    struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(outcome.replicates_failed > 10);
    assert_int_equal(file.processes_failed, outcome.replicates_failed);
    assert_true(file.processes_least < 3 && file.processes_most == 3);
    assert_true(fabs(file.time_most / 1e-3 - 1) < 1e-9);
}

/* Every device measures each point, in two processes of each. */
TEST(all_devices)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 2, devices: all}\nsweeps:\n" COPIES;
    struct simulation_outcome outcome = run(&options, 0, COPIES_COUNT);
    assert_int_equal(outcome.replicates, (16 * 2 - 1) * COPIES_COUNT);
    struct simulation_file file = simulation_read(&options);
    assert_true(file.processes_least == 32 && file.processes_most == 32);
    assert_true(file.devices_least == 16 && file.devices_most == 16);
}

/* What fails is not measured again; a rank that dies takes its replicates with it, and no point. */
TEST(replicates_of_what_fails)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 3}\nsweeps:\n" COPIES;
    options.fail = 0.1;
    struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT);
    assert_true(outcome.failed > 0);
    assert_int_equal(outcome.replicates, 2 * (COPIES_COUNT - outcome.failed));
}

/* Crashed and failed points are in the file as such, and make the exit code 1; asked for again they are
 * measured, and nothing else is. */
TEST(bad_points)
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
    outcome = run_to(&options, 0);
    assert_int_equal(outcome.points, bad);
    assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
}

TEST(lost_ranks_leave_their_points_to_others)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.lose = 0.05;
    options.keep_first = true;
    for (options.seed = 1; options.seed <= 8; options.seed++) {
        options.traits.makes_up = options.seed % 3 == 0; /* in batches of many points */
        struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT + LINKS_COUNT);
        assert_true(outcome.lost > 0);
        assert_int_equal(outcome.collisions, 0);
    }
}

TEST(all_ranks_lost_ends_the_run)
{
    struct simulation_options options = standard(state);
    options.lose = 0.5;
    struct simulation_outcome outcome = run_to(&options, 3);
    assert_false(simulation_read(&options).good);
    assert_int_equal(outcome.lost, 16);
    assert_in_range(outcome.points, 1, COPIES_COUNT - 1);
    assert_int_equal(simulation_read(&options).points, outcome.points); /* what was measured is kept */
}

TEST(stop_and_resume)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.stop_after = 100;
    options.signals.users = 1;
    struct simulation_outcome first = run_to(&options, 1);
    assert_in_range(first.points, 100, 300);
    assert_int_equal(simulation_read(&options).points, first.points);
    options.stop_after = 0;
    options.resume = true;
    options.ranks = 5;
    struct simulation_outcome second = run_to(&options, 0);
    assert_int_equal(first.points + second.points, COPIES_COUNT + LINKS_COUNT);
    assert_int_equal(simulation_read(&options).distinct, COPIES_COUNT + LINKS_COUNT);
}

/* The first interrupt lets points end, the second does not wait for them. */
TEST(second_interrupt)
{
    struct simulation_options options = standard(state);
    options.stop_after = 100;
    for (int interrupts = 1; interrupts <= 2; interrupts++) {
        options.signals.interrupts = interrupts;
        struct simulation_outcome outcome = run_to(&options, 1);
        assert_true(outcome.seconds < 2);
        assert_int_equal(simulation_read(&options).points, outcome.points);
    }
}

TEST(time_limit)
{
    struct simulation_options options = standard(state);
    options.time_limit = 1e-9;
    struct simulation_outcome outcome = run_to(&options, 1);
    assert_int_equal(outcome.points, 0);
}

/* Peaks are measured on all devices of a node at once; then those of the host links, one rank at a time.
 * Ranks that share the processor measure one after another. The order does not matter for made-up results. */
TEST(devices_are_characterised_side_by_side)
{
    struct simulation_options options = standard(state);
    struct simulation_outcome outcome = simulation_run(&options);
    assert_true(outcome.together > 1);
    assert_int_equal(outcome.links_together, 0); /* copies within the device ask nothing of it */
    options.ranks_per_node = 1;
    outcome = simulation_run(&options);
    assert_true(outcome.together == 1 && outcome.links_together == 0);
    options.job = mixed;
    outcome = simulation_run(&options);
    assert_true(outcome.together == 0 && outcome.links_together == 1);
    options.ranks_per_node = 4;
    outcome = simulation_run(&options);
    assert_true(outcome.together > 1);
    assert_int_equal(outcome.links_together, 1);
    options.traits.owns_device = false;
    outcome = simulation_run(&options);
    assert_int_equal(outcome.together, 0);
    assert_int_equal(outcome.links_together, 1);
    options.traits.makes_up = true;
    outcome = simulation_run(&options);
    assert_true(outcome.links_together > 1);
}

/* Each node gets each kernel once. */
TEST(kernels_are_compiled_once_a_node)
{
    struct simulation_options options = standard(state);
    size_t kernels[2];
    for (int i = 0; i < 2; i++) {
        options.ranks = i ? 16 : 4;
        kernels[i] = simulation_run(&options).kernels;
    }
    assert_true(kernels[0] > 0);
    assert_int_equal(kernels[1], 4 * kernels[0]);
    options.traits.compiles = false;
    assert_int_equal(simulation_run(&options).kernels, 0);
}

static double one_millisecond(uint64_t id, bool replicate, bool count)
{
    return 1e-3;
}

/* Points are measured as their kernels become ready: the first one long before the last kernel is, and none
 * before its own. */
TEST(points_do_not_wait_for_all_kernels)
{
    struct simulation_options options = standard(state);
    options.job = "counters: none\ntiming: {replicates: 1}\nsweeps:\n"
                  "  - {kernel: copy, axes: {dtype: [u8, f16, f32, f64], variant: [load, store, gridstride], "
                  "block: [128, 256], size: [1MiB, 2MiB, 4MiB, 8MiB]}}\n";
    options.seconds = one_millisecond;
    options.kernel_seconds = 1;
    for (options.ranks = 1; options.ranks <= 4; options.ranks *= 2) {
        struct simulation_outcome outcome = run_to(&options, 0);
        assert_int_equal(outcome.unready, 0);
        assert_true(outcome.compiled > 5);
        assert_true(outcome.measured_from > 0 && outcome.measured_from < 4);
        assert_true(outcome.until < outcome.compiled + 1); /* the rest was measured meanwhile */
    }
}

/* A node with another build: nothing runs, whatever back end was asked for. */
TEST(rank_of_another_build)
{
    struct simulation_options options = standard(state);
    char path[512];
    options.foreign = 7;
    struct simulation_outcome outcome = run_to(&options, 3);
    assert_int_equal(outcome.points, 0);
    snprintf(path, sizeof path, "%s/out.h5", options.folder);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- Sick devices ---- */

/* A device that fails everything is found out by its first few points, which others measure; what it had been
 * given is theirs, and costs them nothing twice. */
TEST(sick_device)
{
    struct simulation_options options = standard(state);
    for (options.seed = 1; options.seed <= 10; options.seed++) {
        options.ranks = options.ranks_per_node = 4;
        options.sick = 1;
        options.sick_after = options.seed % 3 * 20;
        options.traits.makes_up = options.seed % 4 == 0; /* in batches of many points */
        struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
        assert_in_range(outcome.wasted, 0, 8);
    }
}

/* Half the devices are sick, and what one of them failed another may have confirmed: that is not believed. */
TEST(many_sick_devices)
{
    struct simulation_options options = standard(state);
    for (options.seed = 1; options.seed <= 10; options.seed++) {
        options.sick = 8;
        run(&options, 1, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
    }
}

/* Points that only sick devices have failed are tried again, and count once. */
TEST(points_that_sick_devices_confirmed)
{
    struct simulation_options options = standard(state);
    for (options.seed = 1; options.seed <= 10; options.seed++) {
        options.ranks = options.ranks_per_node = 4;
        options.sick = 3;
        options.sick_after = 10;
        struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT);
        assert_int_equal(outcome.done, COPIES_COUNT);
        assert_int_equal(outcome.total, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
    }
}

/* Points that are bad wherever they are tried make no device sick, however many they are. */
TEST(bad_points_are_no_sick_device)
{
    struct simulation_options options = standard(state);
    for (int share = 1; share <= 4; share++) {
        options.crash = options.fail = 0.125 * share;
        struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).devices, 16); /* all were at work */
        assert_int_equal(outcome.attempts, outcome.crashed + outcome.failed);
    }
}

/* When no device is left, the run ends with a message and keeps its results; a later one finishes it. */
TEST(all_devices_sick)
{
    struct simulation_options options = standard(state);
    options.ranks = options.ranks_per_node = 4;
    options.sick = 3;
    options.sick_after = 30;
    struct simulation_outcome outcome = simulation_run(&options);
    assert_once(&options, &outcome, COPIES_COUNT); /* by the one that is well */

    options.ranks = options.ranks_per_node = 2; /* rank 0 is lost, rank 1 sick */
    options.sick = 1;
    options.lose = 0.2;
    options.keep_first = false;
    size_t ended = 0;
    for (options.seed = 1; options.seed <= 20; options.seed++) {
        outcome = simulation_run(&options);
        struct simulation_file file = simulation_read(&options);
        assert_true(outcome.code == 1 || outcome.code == 3);
        assert_int_equal(file.points, file.distinct);
        assert_int_equal(file.points, outcome.points);
        ended += file.status[STATUS_OK] < COPIES_COUNT;
    }
    assert_true(ended > 0);
}

/* One device alone that turns sick: its canaries were good before. What it failed meanwhile is recorded as
 * failed, and the rest is left to a later run. */
TEST(only_device_turns_sick)
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
    }
    assert_true(cut_short);
    options.sick = 0;
    options.resume = options.retry_failed = true;
    outcome = run_to(&options, 0);
    assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT);
}

/* ---- Silent ranks ---- */

TEST(silent_ranks)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.silence = 1;
    for (options.seed = 1; options.seed <= 3; options.seed++) {
        options.mute = (int)(options.seed * 4 - 1); /* a point that met two of them would end as crashed */
        options.mute_batch = (int)options.seed;
        struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT + LINKS_COUNT);
        assert_int_equal(simulation_read(&options).status[STATUS_OK], COPIES_COUNT + LINKS_COUNT);
        assert_int_equal(outcome.collisions, 0);
    }
}

/* ---- Counters ---- */

TEST(counters_follow_the_times)
{
    struct simulation_options options = counting(state);
    options.lose = 0.05; /* whose points were timed, and not counted, are counted by others */
    options.keep_first = true;
    for (options.seed = 1; options.seed <= 8; options.seed++) {
        struct simulation_outcome outcome = simulation_run(&options);
        assert_int_equal(outcome.code, outcome.lost > 0);
        assert_once(&options, &outcome, COPIES_COUNT);
        assert_int_equal(simulation_read(&options).counted, COPIES_COUNT);
    }
}

/* What a silent rank was counting has no counters, and nothing else that was not measured. */
TEST(silent_ranks_that_count)
{
    struct simulation_options options = counting(state);
    options.silence = 1;
    options.mute = 8;
    size_t uncounted = 0;
    for (options.mute_batch = 8; options.mute_batch <= 11; options.mute_batch++) {
        run(&options, 1, COPIES_COUNT);
        struct simulation_file file = simulation_read(&options);
        assert_int_equal(file.counted + file.uncounted, COPIES_COUNT);
        assert_int_equal(file.active, 0);
        uncounted += file.uncounted;
    }
    assert_true(uncounted > 0);
}

/* A run that ends before all is counted leaves that to the next, which times nothing anew. */
TEST(counters_after_a_stop)
{
    struct simulation_options options = counting(state);
    options.stop_after = 200;
    options.signals.interrupts = 2;
    struct simulation_outcome first = simulation_run(&options);
    struct simulation_file file = simulation_read(&options);
    assert_int_equal(first.code, 1);
    assert_true(file.counted < file.status[STATUS_OK]);
    options.resume = true;
    options.stop_after = 0;
    struct simulation_outcome second = run_to(&options, 0);
    assert_int_equal(first.points + second.points, COPIES_COUNT);
    assert_int_equal(simulation_read(&options).counted, COPIES_COUNT);
}

/* A thousand ranks: what the bench does with ten thousand. */
TEST(a_thousand_ranks)
{
    struct simulation_options options = standard(state);
    options.job = mixed;
    options.ranks = 1000;
    options.ranks_per_node = 8;
    options.crash = options.fail = 0.01;
    options.lose = 0.01;
    options.keep_first = true;
    struct simulation_outcome outcome = run(&options, 1, COPIES_COUNT + LINKS_COUNT);
    assert_int_equal(outcome.collisions, 0);
    assert_true(outcome.peak_bytes < 16u << 20);

    options.lose = 0; /* one in a hundred is sick, and one falls silent */
    options.sick = options.mute = 10;
    options.mute_batch = 2;
    options.silence = 2;
    outcome = run(&options, 1, COPIES_COUNT + LINKS_COUNT);
}
