/* Shares of CPUs, on made-up machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runner/binding.h"

/* The shares of `set` (NULL: all) on a synthetic machine must be `expected`, a list of CPU lists. */
static void expect(const char *machine, const char *set, int shares, const char *const *expected)
{
    hwloc_topology_t topology;
    char list[128];
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    hwloc_bitmap_t cpus = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
    if (set)
        hwloc_bitmap_list_sscanf(cpus, set);
    for (int share = 0; share < shares; share++) {
        hwloc_bitmap_t slice = binding_slice(topology, cpus, share, shares);
        hwloc_bitmap_list_snprintf(list, sizeof list, slice);
        assert_string_equal(list, expected[share]);
        hwloc_bitmap_free(slice);
    }
    hwloc_bitmap_free(cpus);
    hwloc_topology_destroy(topology);
}

static void test_one_share_is_everything(void **state)
{
    (void)state;
    expect("pack:2 core:4 pu:2", NULL, 1, (const char *const[]){"0-15"});
}

static void test_shares_are_whole_cores(void **state)
{
    (void)state;
    expect("core:4 pu:2", NULL, 2, (const char *const[]){"0-3", "4-7"});
    expect("core:3 pu:2", NULL, 2, (const char *const[]){"0-1", "2-5"});
}

static void test_only_what_is_allowed(void **state)
{
    (void)state;
    expect("core:8 pu:1", "2-5", 2, (const char *const[]){"2-3", "4-5"});
}

/* One thread of each core was given: cores do not count then. */
static void test_half_cores(void **state)
{
    (void)state;
    expect("core:4 pu:2", "0,2,4,6", 2, (const char *const[]){"0,2", "4,6"});
    expect("core:4 pu:2", "0-2", 3, (const char *const[]){"0", "1", "2"});
}

static void test_more_shares_than_cores(void **state)
{
    (void)state;
    expect("core:2 pu:2", NULL, 4, (const char *const[]){"0", "1", "2", "3"});
    expect("core:2 pu:1", NULL, 5, (const char *const[]){"0", "1", "0", "1", "0"});
}

static void test_no_shares_leaves_the_affinity(void **state)
{
    (void)state;
    struct config config = config_standard();
    strcpy(config.cpus, "3");
    binding_choose("", 0, 0, &config);
    assert_string_equal(config.cpus, "");
    assert_int_equal(config.threads, 1);
}

static void test_this_machine(void **state)
{
    (void)state;
    struct config config = config_standard();
    binding_choose("", 0, 1, &config);
    assert_true(config.threads >= 1);
    assert_string_not_equal(config.cpus, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_share_is_everything),
        cmocka_unit_test(test_shares_are_whole_cores),
        cmocka_unit_test(test_only_what_is_allowed),
        cmocka_unit_test(test_half_cores),
        cmocka_unit_test(test_more_shares_than_cores),
        cmocka_unit_test(test_no_shares_leaves_the_affinity),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
