/* Shares of CPUs, on made-up machines. */
#include "unit_test.h"

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

TEST(one_share_is_everything)
{
    expect("pack:2 core:4 pu:2", NULL, 1, (const char *const[]){"0-15"});
}

TEST(shares_are_whole_cores)
{
    expect("core:4 pu:2", NULL, 2, (const char *const[]){"0-3", "4-7"});
    expect("core:3 pu:2", NULL, 2, (const char *const[]){"0-1", "2-5"});
}

TEST(only_what_is_allowed)
{
    expect("core:8 pu:1", "2-5", 2, (const char *const[]){"2-3", "4-5"});
}

/* One thread of each core was given: cores do not count then. */
TEST(half_cores)
{
    expect("core:4 pu:2", "0,2,4,6", 2, (const char *const[]){"0,2", "4,6"});
    expect("core:4 pu:2", "0-2", 3, (const char *const[]){"0", "1", "2"});
}

TEST(more_shares_than_cores)
{
    expect("core:2 pu:2", NULL, 4, (const char *const[]){"0", "1", "2", "3"});
    expect("core:2 pu:1", NULL, 5, (const char *const[]){"0", "1", "0", "1", "0"});
}

TEST(no_shares_leaves_the_affinity)
{
    struct config config = config_standard();
    strcpy(config.cpus, "3");
    binding_choose("", &config);
    assert_string_equal(config.cpus, "");
    assert_int_equal(config.threads, 1);
}

TEST(this_machine)
{
    struct config config = config_standard();
    config.shares = 1;
    binding_choose("", &config);
    assert_true(config.threads >= 1);
    assert_string_not_equal(config.cpus, "");
}
