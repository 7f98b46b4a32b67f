/* Estimates over processes and devices: by hand, and by simulation: a 95 % interval must hold the truth for
 * every kind of noise that a GPU makes, with three processes and the stopping rule in the loop. */
#include "unit_test.h"

#include "simulation.h"
#include "statistics/pooling.h"
#include "statistics/summary.h"

#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 6 }; /* checked code is that much slower */
#else
enum { SHARE = 1 };
#endif
enum { POINTS = 10, CELLS_MAX = 12, RANDOM_SEED = 20 };

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12);
}

static struct levels_cell cell(uint32_t device, uint32_t process, double log_median, double variance)
{
    return (struct levels_cell){.device = device,
                                .process = process,
                                .log_median = log_median,
                                .variance = variance,
                                .dof = 20,
                                .samples = 20};
}

TEST(alone_by_hand)
{
    const struct levels_cell three[] = {cell(0, 7, -9.00, 1e-6), cell(0, 8, -9.02, 1e-6),
                                        cell(0, 9, -9.04, 1e-6)};
    struct levels_estimate e = levels_estimate_alone(three, 3);
    assert_int_equal(e.units, 3);
    assert_int_equal(e.top, LEVELS_PROCESS);
    assert_int_equal(e.basis, LEVELS_ALONE);
    assert_near(e.log_seconds, -9.02);
    assert_near(e.seconds, exp(-9.02));
    assert_near(e.error, 0.02 / sqrt(3));
    assert_true(fabs(e.dof - 2) < 1e-4);
    assert_true(fabs(log(e.high) + 9.02 - 4.302653 * 0.02 / sqrt(3)) < 1e-5);
    assert_true(fabs(log(e.low) + 9.02 + 4.302653 * 0.02 / sqrt(3)) < 1e-5);
}

/* Processes that agree better than their samples can know are lucky. */
TEST(samples_bound_the_width)
{
    const struct levels_cell three[] = {cell(0, 1, -9, 3e-6), cell(0, 2, -9, 3e-6), cell(0, 3, -9, 3e-6)};
    assert_near(levels_estimate_alone(three, 3).error, 1e-3);
}

TEST(devices_are_the_units)
{
    const struct levels_cell cells[] = {
        cell(5, 1, -9.00, 1e-6), cell(6, 1, -8.90, 1e-6), /* the same number, another process */
        cell(5, 2, -9.02, 1e-6), cell(5, 2, -9.04, 1e-6), /* twice in one process: averaged first */
    };
    struct levels levels = levels_of(cells, 4);
    assert_int_equal(levels.count, 2);
    assert_int_equal(levels.top, LEVELS_DEVICE);
    assert_int_equal(levels.unit[0].id, 5);
    assert_near(levels.unit[0].log_median, 0.5 * (-9.00 - 9.03));
    assert_near(levels.unit[0].variance, 0.25 * (1e-6 + 0.5e-6));
    assert_near(levels.unit[1].log_median, -8.90);
    levels_free(&levels);
    assert_true(fabs(levels_estimate_alone(cells, 4).dof - 1) < 1e-4);
}

TEST(little_data)
{
    struct levels_estimate e = levels_estimate_alone(NULL, 0);
    assert_int_equal(e.basis, LEVELS_NONE);
    assert_true(isnan(e.seconds) && isnan(e.low) && isnan(e.high) && isnan(e.error));
    const struct levels_cell one = cell(0, 1, -9, 4e-6);
    e = levels_estimate_alone(&one, 1);
    assert_int_equal(e.basis, LEVELS_WITHIN);
    assert_near(e.error, 2e-3);
    /* One sample a process: nothing is known within, yet three processes give an interval. */
    const double seconds[] = {1e-4, 1.01e-4, 1.02e-4};
    struct levels_cell cells[3];
    for (uint32_t i = 0; i < 3; i++)
        cells[i] = levels_cell_of(0, i, &seconds[i], 1);
    e = levels_estimate_alone(cells, 3);
    assert_int_equal(e.basis, LEVELS_ALONE);
    assert_true(e.low < 1.01e-4 && e.low > 0.97e-4 && e.high > 1.01e-4 && e.high < 1.05e-4);
    struct pooling nothing = {0};
    struct levels_estimate same = pooling_estimate(&nothing, cells, 3);
    assert_true(same.seconds == e.seconds && same.low == e.low && same.high == e.high &&
                same.error == e.error && same.dof == e.dof && same.basis == e.basis);
}

/* Coverage of alone and pooled estimates, their mean half-width, samples a process. */
struct outcome {
    double held[2], width[2], samples;
};

static void one_file(const struct simulation *s, uint64_t *state, struct outcome *sum, size_t *samples)
{
    struct levels_cell cells[POINTS][CELLS_MAX];
    struct levels levels[POINTS];
    double shift[CELLS_MAX], truth = simulation_truth(s);
    const size_t count = (size_t)(s->devices * s->processes);
    simulation_shifts(s, state, shift);
    for (int g = 0; g < POINTS; g++) {
        simulation_point(s, shift, state, cells[g], samples);
        levels[g] = levels_of(cells[g], count);
    }
    struct pooling pooling = pooling_of(levels, POINTS);
    for (int g = 0; g < POINTS; g++) {
        const struct levels_estimate e[] = {levels_estimate_alone(cells[g], count),
                                            pooling_estimate(&pooling, cells[g], count)};
        for (int i = 0; i < 2; i++) {
            sum->held[i] += log(e[i].low) <= truth && truth <= log(e[i].high);
            sum->width[i] += 0.5 * log(e[i].high / e[i].low);
        }
        levels_free(&levels[g]);
    }
}

static struct outcome simulate(const struct simulation *s, int files, uint64_t seed)
{
    struct outcome sum = {0};
    size_t samples = 0;
    uint64_t state = hash_mix(seed);
    for (int f = 0; f < files; f++)
        one_file(s, &state, &sum, &samples);
    double n = (double)files * POINTS;
    for (int i = 0; i < 2; i++) {
        sum.held[i] /= n;
        sum.width[i] /= n;
    }
    sum.samples = (double)samples / n / (s->devices * s->processes);
    return sum;
}

/* What must hold, and how wide the pooled interval may be for it (mean half-width). */
struct scenario {
    struct simulation noise;
    int files;
    double width_most;
};

/* Three processes on one device, unless it says otherwise. */
#define ONE  .devices = 1, .processes = 3, .slow_share = 0.5
#define FOUR .devices = 4, .processes = 3, .slow_share = 0.5
static const struct scenario scenarios[] = {
    {{"normal noise 0.3 %", ONE, .spread = 0.003}, 300, 0.003},
    {{"normal noise 2 %", ONE, .spread = 0.02}, 150, 0.005},
    {{"AR(1) 0.3, 1 %", ONE, .spread = 0.01, .rho = 0.3}, 200, 0.005},
    {{"AR(1) 0.7, 1 %", ONE, .spread = 0.01, .rho = 0.7}, 150, 0.006},
    {{"long kernel: process 0.05 %", ONE, .spread = 0.001, .common = 0.0005, .own = 0.0002}, 600, 0.003},
    {{"process 0.5 %", ONE, .spread = 0.005, .common = 0.005, .own = 0.001}, 900, 0.015},
    {{"process 2 %", ONE, .spread = 0.005, .common = 0.02, .own = 0.002}, 900, 0.05},
    {{"process 5 %", ONE, .spread = 0.005, .common = 0.05, .own = 0.005}, 900, 0.12},
    {{"process 1 %, each point its own", ONE, .spread = 0.005, .own = 0.01}, 300, 0.018},
    {{"process 0.5 + 0.5 %, AR(1) 0.7", ONE, .spread = 0.005, .rho = 0.7, .common = 0.005, .own = 0.005},
     300,
     0.02},
    {{"contaminated, process 0.5 %", ONE, .noise = NOISE_CONTAMINATED, .spread = 0.005, .common = 0.005,
      .own = 0.001},
     600,
     0.015},
    {{"log-normal, AR(1) 0.3", ONE, .noise = NOISE_LOGNORMAL, .spread = 0.01, .rho = 0.3}, 200, 0.005},
    {{"Pareto, process 0.2 %", ONE, .noise = NOISE_PARETO, .spread = 0.005, .common = 0.002, .own = 0.001},
     300,
     0.008},
    {{"two clock states 1 % apart, in turn", ONE, .noise = NOISE_STATES, .spread = 0.001, .states = 0.01},
     300,
     0.01},
    {{"the same, process 0.5 %", ONE, .noise = NOISE_STATES, .spread = 0.001, .states = 0.01,
      .common = 0.005},
     600,
     0.02},
    {{"two states, one a process and point", ONE, .spread = 0.002, .states = 0.01}, 300, 0.01},
    {{"the same, one in five slow", .devices = 1, .processes = 3, .slow_share = 0.2, .spread = 0.002,
      .states = 0.01},
     300,
     0.01},
    {{"four devices, process 0.3 %", FOUR, .spread = 0.003, .common = 0.003, .own = 0.001, .device = 0.002},
     400,
     0.006},
    {{"four devices, process 2 %, AR(1) 0.7", FOUR, .spread = 0.003, .rho = 0.7, .common = 0.02,
      .device = 0.005},
     300,
     0.03},
};

TEST(coverage)
{
    print_message(
        "95 %% intervals, 3 processes a device  samples |  alone: held  +-%%  | pooled: held  +-%%\n");
    int wrong = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *s = &scenarios[i];
        int files = s->files / SHARE;
        struct outcome o = simulate(&s->noise, files, i + RANDOM_SEED);
        print_message("%-38s %5.0f |      %5.1f %% %6.2f |     %5.1f %% %6.2f\n", s->noise.name, o.samples,
                      100 * o.held[0], 100 * o.width[0], 100 * o.held[1], 100 * o.width[1]);
        /* A smaller simulation knows less: the points of a file stand or fall together. */
        double least = 0.93 - (SHARE > 1 ? 2 * sqrt(0.05 * 0.95 / files) : 0);
        wrong += o.held[1] < least || o.width[1] > s->width_most;
    }
    assert_int_equal(wrong, 0);
}

/* Some points are of another kind: they get their own interval and leave the others' as it was. */
TEST(unlike_points_stand_alone)
{
    enum { MANY = 40 };
    struct levels_cell cells[MANY][3];
    struct levels levels[MANY];
    uint64_t random = 3;
    for (uint32_t g = 0; g < MANY; g++) {
        double sd = g < 3 ? 0.05 : 0.002;
        for (uint32_t p = 0; p < 3; p++)
            cells[g][p] = cell(0, p, log(5e-6) + sd * simulation_normal(&random), 1e-8);
        levels[g] = levels_of(cells[g], 3);
    }
    struct pooling pooling = pooling_of(levels, MANY);
    double width[2] = {0};
    for (int g = 0; g < MANY; g++) {
        struct levels_estimate e = pooling_estimate(&pooling, cells[g], 3);
        width[g >= 3] += 0.5 * log(e.high / e.low) / (g >= 3 ? MANY - 3 : 3);
        levels_free(&levels[g]);
    }
    assert_true(width[0] > 0.05);
    assert_true(width[1] < 0.006); /* of one's own: 0.005 on average */
}

/* A file with one process learns from another that has replicates. */
TEST(pooling_of_another_file)
{
    enum { MANY = 20 };
    struct levels levels[MANY];
    uint64_t random = 8;
    double shift[3];
    for (int p = 0; p < 3; p++)
        shift[p] = 0.01 * simulation_normal(&random);
    for (uint32_t g = 0; g < MANY; g++) {
        struct levels_cell cells[3];
        for (uint32_t p = 0; p < 3; p++)
            cells[p] = cell(0, p, log(5e-6) + shift[p] + 0.001 * simulation_normal(&random), 1e-8);
        levels[g] = levels_of(cells, 3);
    }
    struct pooling pooling = pooling_of(levels, MANY);
    const struct pooling_class *class = &pooling.of[LEVELS_ON_DEVICE][LEVELS_PROCESS][pooling_class_of(5e-6)];
    assert_int_equal(class->points, MANY);
    assert_true(fabs(class->common_dof - 2) < 1e-9);
    double mean = (shift[0] + shift[1] + shift[2]) / 3, variance = 0;
    for (int p = 0; p < 3; p++)
        variance += 0.5 * (shift[p] - mean) * (shift[p] - mean);
    assert_true(fabs(class->common / variance - 1) < 0.2);
    assert_true(class->own > 0.3e-6 && class->own < 2e-6);
    const struct levels_cell lone = cell(0, 1, log(5e-6), 1e-8), other = cell(0, 1, log(5e-4), 1e-8);
    struct levels_estimate e = pooling_estimate(&pooling, &lone, 1);
    assert_int_equal(e.basis, LEVELS_POOLED);
    assert_true(e.error > sqrt(variance) * 0.9 && e.error < sqrt(variance) * 1.3);
    /* All points are of one class: what little the file knows serves for all durations. */
    assert_int_equal(pooling_estimate(&pooling, &other, 1).basis, LEVELS_POOLED);
    for (int g = 0; g < MANY; g++)
        levels_free(&levels[g]);
}

/* Workers that crash and come again: each point sees three of many processes, and the common shift gains
 * degrees of freedom; two groups of processes that share no point cannot be compared with each other. */
TEST(many_processes)
{
    enum { MANY = 60, PROCESSES = 12 };
    struct levels levels[MANY];
    uint64_t random = 4;
    double shift[PROCESSES];
    for (int p = 0; p < PROCESSES; p++)
        shift[p] = 0.01 * simulation_normal(&random) + (p < 6 ? 0 : 0.2);
    for (uint32_t g = 0; g < MANY; g++) {
        struct levels_cell cells[3];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t p = (g + 2 * k) % 6 + (g < MANY / 2 ? 0 : 6);
            cells[k] = cell(0, 100 + p, log(5e-6) + shift[p] + 0.0005 * simulation_normal(&random), 1e-8);
        }
        levels[g] = levels_of(cells, 3);
    }
    struct pooling pooling = pooling_of(levels, MANY);
    const struct pooling_class *class = &pooling.of[LEVELS_ON_DEVICE][LEVELS_PROCESS][pooling_class_of(5e-6)];
    assert_true(fabs(class->common_dof - (PROCESSES - 4)) < 1e-9); /* even and odd never meet, either */
    assert_true(sqrt(class->common) > 0.005 && sqrt(class->common) < 0.02);
    assert_true(sqrt(class->own) > 0.0003 && sqrt(class->own) < 0.0008);
    for (int g = 0; g < MANY; g++)
        levels_free(&levels[g]);
}
