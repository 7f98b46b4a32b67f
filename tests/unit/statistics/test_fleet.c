/* A fleet of devices: who is slow, who is not, and how the variance splits into levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "simulation.h"
#include "statistics/components.h"
#include "statistics/fleet.h"

enum { DEVICES = 64, POINTS = 60, SEEDS = 100, SLOW = 17 };
static const struct fleet_rule rule = {.threshold = 0.01, .alarms = 0.002, .floor = 0.0003};

/* The times of one seed: devices deviate by `device` in all points and by `noise` at each; the slow one lies
 * `slow` above the others' centre, with a deviation of its own or without. */
static void fill(double *log_seconds, double device, double noise, double slow, bool slow_deviates,
                 uint64_t *state)
{
    for (int d = 0; d < DEVICES; d++) {
        double effect = device * simulation_normal(state);
        if (d == SLOW && slow > 0)
            effect = log1p(slow) + (slow_deviates ? effect : 0);
        for (int p = 0; p < POINTS; p++)
            log_seconds[p * DEVICES + d] = -10 + 0.1 * p + effect + noise * simulation_normal(state);
    }
}

struct found {
    int slow, others; /* seeds in which the slow one was found, in which another was accused */
    double agree;     /* mean share of the points that say so */
};

static struct found search(double device, double noise, double slow, bool slow_deviates)
{
    static double log_seconds[POINTS * DEVICES];
    const struct fleet_times times = {log_seconds, POINTS, DEVICES};
    struct fleet_device result[DEVICES];
    struct found found = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint64_t state = hash_mix(seed + 1000);
        fill(log_seconds, device, noise, slow, slow_deviates, &state);
        fleet_judge(&times, &rule, result);
        bool others = false;
        for (int d = 0; d < DEVICES; d++)
            others |= result[d].outlier && (d != SLOW || slow == 0);
        found.others += others;
        found.slow += result[SLOW].outlier;
        found.agree += (double)result[SLOW].agree / (double)result[SLOW].points / SEEDS;
    }
    return found;
}

static void test_one_slow_of_64(void **state)
{
    (void)state;
    static const struct {
        double device, noise;
        bool slow_deviates;
    } rows[] = {{0.0015, 0.002, true}, {0.003, 0.005, true}, {0.0045, 0.005, false}, {0, 0.005, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct found f = search(rows[i].device, rows[i].noise, 0.03, rows[i].slow_deviates);
        print_message("64 devices that deviate by %.2f %% (points by %.1f %%), one 3 %% slow: found in %d of "
                      "%d, another "
                      "accused in %d; %.0f %% of points say so\n",
                      100 * rows[i].device, 100 * rows[i].noise, f.slow, SEEDS, f.others, 100 * f.agree);
        assert_int_equal(f.slow, SEEDS);
        assert_true(f.others <= SEEDS / 100);
        assert_true(f.agree > 0.95);
    }
}

static void test_none_slow(void **state)
{
    (void)state;
    assert_true(search(0.005, 0.005, 0, true).others <= 1);
    assert_int_equal(search(0.0015, 0.002, 0, true).others, 0);
}

/* Eight slow ones of 64 do not hide each other; a slow one of a small fleet is still the furthest. */
static void test_several_slow(void **state)
{
    (void)state;
    static double log_seconds[POINTS * DEVICES];
    uint64_t random = 6;
    fill(log_seconds, 0.002, 0.003, 0, false, &random);
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 8; d++)
            log_seconds[p * DEVICES + d] += 0.03;
    const struct fleet_times times = {log_seconds, POINTS, DEVICES};
    struct fleet_device device[DEVICES];
    struct fleet fleet = fleet_judge(&times, &rule, device);
    for (int d = 0; d < DEVICES; d++)
        assert_int_equal(device[d].outlier, d < 8);
    assert_true(fleet.spread > 0.0012 && fleet.spread < 0.003);
    assert_true(fleet.critical > 4 && fleet.critical < 5.5);
    assert_true(fabs(device[0].effect - 0.03) < 0.008);
}

static void test_gaps_and_small_fleets(void **state)
{
    (void)state;
    const double nan_ = NAN;
    /* One point was measured by two devices only, another by none, one device measured nothing. */
    const double log_seconds[] = {1.00, 1.02, 1.04, nan_, 2.0, 2.0, nan_, nan_, nan_, nan_, nan_, nan_};
    const struct fleet_times times = {log_seconds, 3, 4};
    struct fleet_device device[4];
    fleet_judge(&times, &rule, device);
    assert_true(fabs(device[0].effect + 0.02) < 1e-12 && fabs(device[2].effect - 0.02) < 1e-12);
    assert_int_equal(device[0].points, 1);
    assert_int_equal(device[0].agree, 1);
    assert_int_equal(device[1].agree, 0);
    assert_true(device[3].points == 0 && isnan(device[3].effect) && isnan(device[3].z) && !device[3].outlier);
    const struct fleet_times two = {log_seconds, 1, 2};
    struct fleet fleet = fleet_judge(&two, &rule, device);
    assert_true(isnan(device[0].z) && isnan(fleet.spread) && !device[0].outlier && !device[1].outlier);
    /* Devices that are exactly alike: the floor keeps the rest from being accused of a rounding error. */
    double alike[8];
    for (int d = 0; d < 8; d++)
        alike[d] = d == 3 ? -8 + 1e-9 : -8;
    struct fleet_device eight[8];
    fleet_judge(&(struct fleet_times){alike, 1, 8}, &rule, eight);
    for (int d = 0; d < 8; d++)
        assert_true(!eight[d].outlier && fabs(eight[d].z) < 0.1);
}

/* The simulated levels come out again, averaged over points. */
static void test_split(void **state)
{
    (void)state;
    enum { NODES = 4, PER_NODE = 4, PROCESSES = 3, MANY = 400 };
    struct levels_cell cells[NODES * PER_NODE * PROCESSES];
    static struct components each[MANY];
    uint32_t node_of[NODES * PER_NODE];
    uint64_t random = 12;
    for (int g = 0; g < MANY; g++) {
        size_t count = 0;
        for (uint32_t n = 0; n < NODES; n++) {
            double node = 0.01 * simulation_normal(&random);
            for (uint32_t d = n * PER_NODE; d < (n + 1) * PER_NODE; d++) {
                double device = 0.005 * simulation_normal(&random);
                node_of[d] = n;
                for (uint32_t p = 0; p < PROCESSES; p++)
                    cells[count++] = (struct levels_cell){.device = d,
                                                          .process = p,
                                                          .variance = 1e-6,
                                                          .spread = 0.004,
                                                          .samples = 16,
                                                          .log_median = -9 + node + device +
                                                                        0.003 * simulation_normal(&random) +
                                                                        0.001 * simulation_normal(&random)};
            }
        }
        each[g] = components_of(cells, count, node_of);
    }
    struct components mean = components_mean(each, MANY);
    assert_true(fabs(components_sd(mean.sample) - 0.004) < 1e-9);
    assert_true(fabs(components_sd(mean.process) / 0.003 - 1) < 0.1);
    assert_true(fabs(components_sd(mean.device) / 0.005 - 1) < 0.1);
    assert_true(fabs(components_sd(mean.node) / 0.01 - 1) < 0.1);
}

static void test_split_by_hand(void **state)
{
    (void)state;
    struct levels_cell cells[4] = {{.device = 0, .process = 1, .log_median = 1.00},
                                   {.device = 0, .process = 2, .log_median = 1.02},
                                   {.device = 1, .process = 1, .log_median = 1.10},
                                   {.device = 1, .process = 2, .log_median = 1.14}};
    struct components c = components_of(cells, 4, NULL);
    double process = 0.5 * (0.0002 + 0.0008);
    assert_true(fabs(c.process - process) < 1e-12);
    assert_true(fabs(c.device - (0.11 * 0.11 / 2 - process / 2)) < 1e-12);
    assert_true(isnan(c.node));
    const uint32_t apart[] = {0, 1}; /* one device a node: the two levels are one */
    struct components d = components_of(cells, 4, apart);
    assert_true(fabs(d.device - c.device) < 1e-12 && isnan(d.node));
    c = components_of(cells, 1, NULL);
    assert_true(isnan(c.process) && isnan(c.device) && isnan(c.node));
    assert_true(isnan(components_of(NULL, 0, NULL).sample));
    cells[0].variance = cells[1].variance = 0.1; /* samples explain more than all there is */
    c = components_of(cells, 2, NULL);
    assert_true(c.process < 0 && components_sd(c.process) == 0);
    assert_true(isnan(components_sd(components_mean(&c, 1).device)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_slow_of_64), cmocka_unit_test(test_none_slow),
        cmocka_unit_test(test_several_slow),   cmocka_unit_test(test_gaps_and_small_fleets),
        cmocka_unit_test(test_split),          cmocka_unit_test(test_split_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
