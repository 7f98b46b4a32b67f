/* The peer_copy family: which end each buffer lies at, bytes by hand, accesses, and every reason to refuse. */
#include "unit_test.h"

#define FAMILY "peer_copy"
#include "family_test.h"
#include "kernels/registry.h"

TEST(work)
{
    assert_work("size=1000", 1000, 0, 0);
    assert_work("size=1000 variant=store", 0, 1000, 0);
    assert_work("size=1000 variant=copy_engine direction=both_ways", 0, 2000, 0);
    assert_work("size=1GiB variant=bulk_load pair=0-1", 1 << 30, 0, 0);
    /* what a device sends: of both ways the half; within a device nothing */
    struct point both = point_of("size=1000 direction=both_ways pair=0-1"), local = point_of("size=1000");
    assert_int_equal(family_of(&both)->work(&both).bus_bytes, 1000);
    assert_int_equal(family_of(&local)->work(&local).bus_bytes, 0);
}

/* Pulled: the source is far. Pushed: the destination is. What the far device runs has the same two ends from its side. */
TEST(ends)
{
    struct setup pull = setup_of("variant=load direction=both_ways"), push = setup_of("variant=bulk_store");
    assert_true(pull.buffer[0].device == 1 && !pull.buffer[1].device && !pull.buffer[2].device &&
                pull.buffer[3].device == 1);
    assert_true(pull.parts == 2 && pull.group == 2);
    assert_int_equal(setup_part_buffer(&pull, 1, 0), 2);
    assert_int_equal(setup_part_buffer(&pull, 1, 1), 3);
    assert_true(!push.buffer[0].device && push.buffer[1].device == 1);
    assert_false(setup_has_parts(&push));
    assert_int_equal(push.buffers, 2);
    struct point local = point_of(""), two = point_of("pair=3-1");
    struct devices of_two = family_devices(&two);
    assert_int_equal(family_devices(&local).count, 0);
    assert_true(of_two.count == 2 && of_two.ordinal[0] == 3 && of_two.ordinal[1] == 1);
    assert_true(family_of(&two)->node_exclusive);
}

TEST(grid)
{
    assert_int_equal(setup_of("size=1GiB").grid[0], 132);
    assert_int_equal(setup_of("size=1GiB blocks=5").grid[0], 5);
    assert_int_equal(setup_of("size=128").grid[0], 1);
    assert_int_equal(setup_of("size=64KiB variant=bulk_load").grid[0], 8);
    assert_int_equal(setup_of("size=1MiB variant=bulk_load stages=3 tile_bytes=1KiB").shared_dynamic,
                     3 * 1032);
    assert_int_equal(setup_of("variant=copy_engine").engine, ENGINE_PEER_COPY);
}

TEST(accesses)
{
    static const char *const some[] = {"size=1000000 blocks=7",      "size=128 width=8",
                                       "size=70004 width=4 items=1", "size=300004 variant=store items=16",
                                       "size=12 width=16",           "size=65536 width=1"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_accesses(some[i], NULL);
}

TEST(refusals)
{
    struct target ampere = hopper;
    ampere.capability = 80;
    assert_skip_on(&on_host, "", NULL);
    assert_skip_on(&on_host, "pair=0-1", NULL); /* between ranks */
    assert_skip("pair=7-6", NULL);
    assert_skip("width=12", "power of two");
    assert_skip("stages=8", "load has no stages to choose");
    assert_skip("variant=copy_engine blocks=8", "copy_engine has no blocks");
    assert_skip("variant=copy_engine arch=sm_90", "copy_engine has no arch");
    assert_skip("variant=bulk_load width=4", "bulk_load has no width");
    assert_skip("variant=bulk_load tile_bytes=1000", "multiples of 16");
    assert_skip("variant=bulk_load tile_bytes=32KiB stages=8", "262208 bytes");
    assert_skip_on(&ampere, "variant=bulk_load", "a bulk copy");
}
