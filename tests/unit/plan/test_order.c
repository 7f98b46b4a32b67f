/* The order of work and the canaries. */
#include "unit_test.h"

#include "base/memory.h"
#include "job_fixture.h"
#include "plan/grid.h"

static const char many_sizes[] = "sweeps:\n"
                                 "  - kernel: copy\n"
                                 "    axes:\n"
                                 "      size: {from: 4KiB, to: 4GiB, factor: 4}\n"
                                 "      stride: [1, 2, 4, 8, 16, 32]\n"
                                 "      block: {from: 32, to: 1024, step: 32}\n";

struct fixture {
    struct job job;
    struct grid *grid;
};

static struct fixture fixture_of(const char *text)
{
    struct fixture fixture = {.job = parsed(text)};
    fixture.grid = expanded(&fixture.job);
    return fixture;
}

static void done(struct fixture *fixture)
{
    grid_free(fixture->grid);
    job_free(&fixture->job);
}

static double seconds_at(const struct fixture *fixture, uint32_t index)
{
    struct point point = grid_point(fixture->grid, index);
    return order_expected_seconds(&point, &fixture->job.timing);
}

static int exponent_of(double seconds)
{
    int exponent;
    frexp(seconds, &exponent);
    return exponent;
}

TEST(expected_grows_with_size)
{
    struct fixture f =
        fixture_of("sweeps: [{kernel: copy, axes: {size: {from: 4KiB, to: 64GiB, factor: 4}}}]\n");
    double last = 0;
    for (uint32_t i = 0; i < grid_count(f.grid); i++) {
        double seconds = seconds_at(&f, i);
        assert_true(isfinite(seconds) && seconds > last);
        last = seconds;
    }
    done(&f);
}

TEST(expected_follows_the_timing)
{
    struct fixture f = fixture_of("sweeps: [{kernel: copy, axes: {size: 4GiB, cache: [cold, hot]}}]\n");
    double cold = seconds_at(&f, 0), hot = seconds_at(&f, 1);
    assert_true(cold > hot); /* a cold sample empties L2 first */
    f.job.timing.target_ci = 0.001;
    assert_true(seconds_at(&f, 0) > 2 * cold);
    f.job.timing.target_ci = 0.005;
    f.job.timing.min_samples = 100;
    double more = seconds_at(&f, 0);
    assert_true(more > cold);
    f.job.timing.max_time = 1e-3; /* min_samples are taken all the same */
    assert_true(seconds_at(&f, 0) == more);
    f.job.timing.min_samples = 2;
    assert_true(seconds_at(&f, 0) < cold);
    done(&f);
}

TEST(impossible_points_cost_nothing)
{
    struct fixture f = fixture_of("sweeps: [{kernel: copy, axes: {dtype: f64, vector: 32}}]\n");
    assert_true(seconds_at(&f, 0) == 0);
    done(&f);
}

static struct expected expected_of(const struct fixture *f)
{
    struct expected sum = {0};
    for (uint32_t i = 0; i < grid_count(f->grid); i++) {
        struct point point = grid_point(f->grid, i);
        expected_add(&sum, &point, &f->job.timing);
    }
    return sum;
}

/* What takes long on tensor cores is loaded and sampled for over a second, by each process. */
TEST(a_sustained_clock_takes_seconds)
{
    struct fixture large =
        fixture_of("sweeps: [{kernel: tensor_matmul, axes: {m: 8192, n: 8192, k: 8192}}]\n");
    struct fixture small = fixture_of("sweeps: [{kernel: tensor_matmul, axes: {m: 256, n: 256, k: 256}}]\n");
    struct fixture memory = fixture_of("sweeps: [{kernel: copy, axes: {size: 4GiB}}]\n");
    double sustained = expected_of(&large).seconds, alike = expected_of(&small).seconds,
           copied = expected_of(&memory).seconds;
    large.job.timing.clock = small.job.timing.clock = memory.job.timing.clock = CLOCK_ANY;
    assert_true(sustained > expected_of(&large).seconds + SETTLE_PERIOD);
    large.job.timing.clock = CLOCK_BOOST;
    assert_true(expected_of(&large).seconds > BOOST_PAUSE && expected_of(&large).seconds < sustained);
    assert_true(alike == expected_of(&small).seconds && copied == expected_of(&memory).seconds);
    done(&large);
    done(&small);
    done(&memory);
}

/* Launches that are longer than a boost clock lasts are sampled one by one, with a pause before each. */
TEST(a_boost_clock_takes_pauses)
{
    struct fixture f = fixture_of("timing: {clock: boost, max_time: 0.2s}\nsweeps: [{kernel: tensor_matmul, "
                                  "axes: {m: [4096, 16384], n: 16384, k: 16384}}]\n");
    struct expected one = {0}, both = expected_of(&f);
    const struct point small = grid_point(f.grid, 0);
    const uint32_t samples = config_samples_min(&f.job.timing);
    expected_add(&one, &small, &f.job.timing);
    assert_true(one.seconds > BOOST_PAUSE && one.seconds < samples * BOOST_PAUSE);
    assert_true(both.seconds - one.seconds > samples * BOOST_PAUSE);
    done(&f);
}

/* The loop of each point whose energy can be measured outlasts the point by far. */
TEST(energies_take_seconds)
{
    struct fixture one = fixture_of("sweeps: [{kernel: copy, axes: {size: 1GiB, cache: [cold, hot]}}]\n");
    struct fixture none = fixture_of("sweeps: [{kernel: copy, axes: {size: 1GiB, cache: clean}}]\n");
    const struct expected expected = expected_of(&one), flushed = expected_of(&none);
    const struct timing *timing = &one.job.timing;
    double more = expected_run(&expected, timing, 0, 0, true) - expected_run(&expected, timing, 0, 0, false);
    assert_true(more >= 2 * (ENERGY_SETTLES + ENERGY_WINDOW) && more < 2 * 5);
    assert_true(expected_run(&flushed, timing, 0, 0, true) == expected_run(&flushed, timing, 0, 0, false));
    done(&one);
    done(&none);
}

/* Atomic operations, and messages between devices, are no products: a lasting load does not lower the clock.
 */
TEST(only_products_lower_the_clock)
{
    struct fixture atomics =
        fixture_of("sweeps: [{kernel: atomics, axes: {variant: add, warps: 1024, result: used}}]\n");
    struct fixture messages = fixture_of("sweeps: [{kernel: contention, axes: {variant: load}}]\n");
    assert_true(expected_of(&atomics).seconds > 0 && expected_of(&atomics).seconds < 0.5);
    assert_true(expected_of(&messages).seconds > 0 && expected_of(&messages).seconds < 0.5);
    done(&atomics);
    done(&messages);
}

/* Levels of memory have rates of their own, and what a latency is measured by is written first. */
TEST(levels_of_memory)
{
    struct fixture shared = fixture_of("sweeps: [{kernel: shared_stride, axes: {stride: 1}}]\n"),
                   small = fixture_of("sweeps: [{kernel: latency, axes: {variant: l2, size: 1MiB}}]\n"),
                   large = fixture_of("sweeps: [{kernel: latency, axes: {variant: dram, size: 4GiB}}]\n");
    assert_true(expected_of(&shared).seconds < 0.03);
    assert_true(expected_of(&small).seconds < 0.1 && expected_of(&large).seconds > 1);
    done(&shared);
    done(&small);
    done(&large);
}

TEST(ranks_share_a_run)
{
    struct fixture f = fixture_of("sweeps: [{kernel: copy, axes: {size: [1GiB, 4GiB]}}]\n");
    struct expected all = expected_of(&f), half = all;
    expected_divide(&half, 2);
    assert_true(half.seconds == all.seconds / 2 && half.once == all.once / 2 &&
                half.energy == all.energy / 2);
    assert_int_equal(half.points, 1);
    done(&f);
}

TEST(a_run_takes_longer_than_its_points)
{
    struct fixture f = fixture_of("sweeps: [{kernel: copy, axes: {size: 4GiB}}]\n");
    struct expected expected = {.seconds = 10, .once = 5, .points = 100};
    struct timing timing = f.job.timing;
    timing.replicates = 1;
    double one = expected_run(&expected, &timing, 0, 0, false);
    assert_true(one > 15 && one < 20); /* the start */
    assert_true(expected_run(&expected, &timing, 100, 0, false) > one);
    assert_true(expected_run(&expected, &timing, 0, 20, false) > one);
    timing.replicates = 3; /* verified once */
    double three = expected_run(&expected, &timing, 0, 0, false);
    assert_true(three > one + 20 && three < one + 25);
    done(&f);
}

/* Points that slow down what follows have processes of their own: but the first of them, where there are
 * others. */
TEST(points_that_slow_others_take_processes)
{
    struct fixture dense = fixture_of("sweeps: [{kernel: tensor_matmul, axes: {variant: mma, m: 4096}}]\n"),
                   sparse = fixture_of(
                       "sweeps: [{kernel: tensor_matmul, axes: {variant: mma, m: 4096, sparse: on}}]\n");
    struct expected both = expected_of(&dense), slow = expected_of(&sparse);
    struct timing timing = dense.job.timing;
    timing.replicates = 3;
    assert_true(both.quiet && !both.slows && slow.slows && !slow.quiet);
    assert_true(slow.seconds <=
                both.seconds); /* of as many operations, half with zeros that are not stored */
    double apart = expected_run(&both, &timing, 0, 0, false) + timing.replicates * slow.seconds + slow.once;
    expected_add_all(&both, &slow);
    assert_true(expected_run(&both, &timing, 0, 0, false) > apart + 0.5);
    done(&dense);
    done(&sparse);
}

TEST(order_is_a_permutation_by_class)
{
    struct fixture f = fixture_of(many_sizes);
    size_t count = grid_count(f.grid);
    uint32_t *order = order_of_work(f.grid, &f.job.timing, 7);
    bool *seen = memory_new(count, sizeof *seen);
    int last = INT32_MAX;
    for (size_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
        int exponent = exponent_of(seconds_at(&f, order[i]));
        assert_true(exponent <= last);
        last = exponent;
    }
    assert_true(last < exponent_of(seconds_at(&f, order[0]))); /* there was more than one class */
    free(seen);
    free(order);
    done(&f);
}

TEST(order_is_seeded)
{
    struct fixture f = fixture_of(many_sizes);
    size_t bytes = grid_count(f.grid) * sizeof(uint32_t), in_place = 0;
    uint32_t *a = order_of_work(f.grid, &f.job.timing, 1), *again = order_of_work(f.grid, &f.job.timing, 1);
    uint32_t *b = order_of_work(f.grid, &f.job.timing, 2);
    assert_memory_equal(a, again, bytes);
    for (size_t i = 0; i < grid_count(f.grid); i++)
        in_place += a[i] == b[i];
    assert_true(in_place < grid_count(f.grid) / 10);
    free(a);
    free(again);
    free(b);
    done(&f);
}

TEST(shuffle_is_even)
{
    /* Eight points of one class: over 4,000 seeds each is first about 500 times (sigma 21). */
    struct fixture f =
        fixture_of("sweeps: [{kernel: copy, axes: {size: 4KiB, block: {from: 32, to: 256, step: 32}}}]\n");
    int first[8] = {0};
    assert_int_equal(grid_count(f.grid), 8);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        uint32_t *order = order_of_work(f.grid, &f.job.timing, seed);
        first[order[0]]++;
        free(order);
    }
    for (int i = 0; i < 8; i++)
        assert_in_range(first[i], 400, 600);
    done(&f);
}

TEST(canaries)
{
    static const struct target h200 = {
        .capability = 90, .multiprocessors = 132, .memory_bytes = UINT64_C(140) << 30};
    struct fixture f = fixture_of("sweeps:\n"
                                  "  - kernel: copy\n"
                                  "    axes:\n"
                                  "      size: [1MiB, 2MiB, 256GiB]\n"
                                  "      vector: [1, 2, 4, 8, 16, 32]\n"
                                  "      dtype: [f32, f64]\n"
                                  "      arch: [native, sm_90, sm_120]\n");
    uint32_t canary[4], again[4];
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_int_equal(order_canaries(f.grid, &h200, seed, 4, canary), 4);
        assert_int_equal(order_canaries(f.grid, &h200, seed, 4, again), 4);
        assert_memory_equal(canary, again, sizeof canary);
        for (int i = 0; i < 4; i++) {
            struct point point = grid_point(f.grid, canary[i]);
            char reason[256];
            assert_null(family_skip(&point, &h200, reason, sizeof reason));
            assert_int_equal(point_value(&point, "size", 0),
                             2 << 20); /* neither the smallest nor what does not fit */
            for (int j = 0; j < i; j++)
                assert_int_not_equal(canary[i], canary[j]);
        }
    }
    done(&f);
}

/* They would hold up the other ranks of their node, and ask for a new worker, each time. */
TEST(points_that_must_be_alone_are_no_canaries)
{
    static const struct target hopper = {.capability = 90};
    uint32_t canary[4];
    struct fixture f = fixture_of("sweeps:\n"
                                  "  - {kernel: host_copy, axes: {size: [1MiB, 2MiB, 4MiB, 8MiB]}}\n"
                                  "  - {kernel: copy, axes: {size: [1MiB, 2MiB], stride: [1, 2]}}\n");
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_int_equal(order_canaries(f.grid, &hopper, seed, 4, canary), 4);
        for (int i = 0; i < 4; i++)
            assert_in_range(canary[i], 4, 7);
    }
    done(&f);
    f = fixture_of("sweeps:\n"
                   "  - {kernel: host_copy, axes: {size: [1MiB, 2MiB, 4MiB]}}\n"
                   "  - {kernel: copy, axes: {size: 1MiB, arch: sm_120}}\n");
    assert_int_equal(order_canaries(f.grid, &hopper, 1, 2, canary), 2); /* nothing else runs */
    assert_in_range(canary[0], 1, 2);
    assert_in_range(canary[1], 1, 2);
    done(&f);
}

/* A sparse product would slow down what follows it. */
TEST(points_that_slow_others_are_no_canaries)
{
    static const struct target hopper = {.capability = 90};
    uint32_t canary[4];
    struct fixture f = fixture_of("sweeps: [{kernel: mma_rate, axes: {variant: mma, dtype: bf16, "
                                  "chains: [1, 2, 4, 8], sparse: [off, on]}}]\n");
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_int_equal(order_canaries(f.grid, &hopper, seed, 4, canary), 4);
        for (int i = 0; i < 4; i++) {
            const struct point point = grid_point(f.grid, canary[i]);
            assert_false(point_slows(&point));
        }
    }
    done(&f);
}

TEST(canaries_when_few_points_will_do)
{
    static const struct target hopper = {.capability = 90};
    uint32_t canary[8];
    struct fixture f = fixture_of("sweeps: [{kernel: copy, axes: {stride: [1, 2]}}]\n");
    assert_int_equal(order_canaries(f.grid, &hopper, 1, 8, canary), 2); /* one size only: it will do */
    assert_int_not_equal(canary[0], canary[1]);
    assert_int_equal(order_canaries(f.grid, &hopper, 1, 0, canary), 0);
    done(&f);
    f = fixture_of("sweeps: [{kernel: copy, axes: {size: [1MiB, 2MiB], arch: sm_120}}]\n");
    assert_int_equal(order_canaries(f.grid, &hopper, 1, 8, canary), 0); /* nothing runs there */
    done(&f);
    f = fixture_of("sweeps:\n  - {kernel: copy, axes: {size: 1MiB}}\n"
                   "  - {kernel: copy, axes: {size: 2MiB, arch: sm_120}}\n");
    assert_int_equal(order_canaries(f.grid, &hopper, 1, 8, canary), 1); /* the smallest, as no other runs */
    assert_int_equal(canary[0], 0);
    done(&f);
}
