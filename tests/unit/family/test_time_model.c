/* The time model: which bound is named where it is known which one holds a point up, how predictions follow the
 * profile, and what is assumed of a device that tells little. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "family/target.h"
#include "family/time/link.h"
#include "family/time/time_model.h"
#include "family_test.h"
#include "made_up_gpu.h"

static struct time_prediction predict(const char *kernel, const char *settings, const struct profile *profile)
{
    struct point point = family_point(kernel, settings);
    struct time_facts facts = time_facts_none((enum cache_mode)point_value(&point, "cache", CACHE_COLD));
    struct time_prediction time;
    if (!time_predict(&point, profile, &facts, &time))
        fail_msg("%s %s: no prediction", kernel, settings);
    assert_true(time.low <= time.seconds && time.seconds <= time.high);
    assert_true(time.part[time.bound] > 0 || time.bound == BOUND_tail);
    return time;
}

static void assert_bound(const char *kernel, const char *settings, enum bound bound, double seconds,
                         double share)
{
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction time = predict(kernel, settings, &profile);
    if (time.bound != bound || !(fabs(time.seconds / seconds - 1) < share))
        fail_msg("%s %s: %s, %g s; expected %s, %g s", kernel, settings, bound_words[time.bound],
                 time.seconds, bound_words[bound], seconds);
}

static void test_bounds(void **state)
{
    (void)state;
    double clock = 1.98e9, sms = 132, gib = 1 << 30;
    assert_bound("copy", "size=1GiB vector=4", BOUND_dram, 2 * gib / 4.3e12, 0.05);
    assert_bound("copy", "size=64KiB vector=4", BOUND_launch, 1.43e-6, 0.1);
    /* A block's 256 bytes are too few to keep DRAM busy: blocks start one every 158 cycles on a multiprocessor. */
    assert_bound("copy", "size=1GiB dtype=u8 block=128", BOUND_launch, gib / 128 * 157.7 / sms / clock, 0.02);
    /* Waves of two blocks a multiprocessor: each waits for its loads. */
    assert_bound("copy", "size=1GiB dtype=u8 block=1024", BOUND_latency,
                 gib / 1024 / (2 * sms) * (590 + 16.7 * 32 + 674) / clock, 0.05);
    assert_bound("host_copy", "variant=pinned direction=h2d size=1GiB", BOUND_link, gib / 55e9, 0.01);
    /* Each block is alone on its multiprocessor, as those of m=4096 n=256 k=4096, which took 692 us on an H200. */
    assert_bound("matmul", "variant=register m=256 n=256 k=4096", BOUND_tail, 692e-6, 0.15);
}

/* Bank conflicts cost wavefronts, and those are what it is about. */
static void test_wavefronts(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction free = predict("shared_stride", "variant=read stride=1 cache=hot", &profile);
    struct time_prediction all = predict("shared_stride", "variant=read stride=32 cache=hot", &profile);
    assert_int_equal(free.bound, BOUND_shared);
    assert_int_equal(all.bound, BOUND_shared);
    assert_true(fabs(all.seconds / free.seconds - 32) < 1.5);
}

/* Loads from global memory and accesses to shared memory go through the same banks, one after another: of a tile's 8 rows of 8
 * elements a load's four rows are in the same banks, of one of 32 a load's one row in all of them. */
static void test_banks_are_shared(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    static const int tiles[] = {8, 16, 32};
    for (int i = 0; i < 3; i++) {
        char settings[96];
        snprintf(settings, sizeof settings, "variant=tiled m=2048 n=2048 k=2048 tile=%d", tiles[i]);
        struct time_prediction time = predict("matmul", settings, &profile);
        double loads = 2.0 * 2048 * 2048 * 2048 / tiles[i] / 32, rows = 32 / tiles[i];
        double stores = 2048.0 * 2048 / 32;
        assert_true(fabs(time.part[BOUND_l1] / ((loads + stores) * rows / 132 / 1.98e9) - 1) < 0.02);
        assert_true(time.seconds > time.part[BOUND_l1] + time.part[BOUND_shared]);
    }
}

/* Seconds that so many more columns of A and B add to a product of one tile, and what they take in tensor cores. */
static double slices_added(const char *axes, const struct profile *profile)
{
    char few[160], many[160];
    snprintf(few, sizeof few, "m=128 n=256 k=4096 %s", axes);
    snprintf(many, sizeof many, "m=128 n=256 k=8192 %s", axes);
    return predict("tensor_matmul", many, profile).seconds - predict("tensor_matmul", few, profile).seconds;
}

/* A tile of 128 x 256 and 64 columns takes 1024 cycles at 4096 operations each. With one stage, each slice waits for its copies, too. mma has
 * two thirds of that rate, and passes shared memory. Tiles beyond a wave take another. */
static void test_tiles(void **state)
{
    (void)state;
    struct device device = gpu();
    device.peak_tensor_bf16 = 957e12; /* at 1.79 GHz */
    struct profile profile = profile_of(&device);
    const double slice = 1024 / 1.98e9, load = profile.value[PROFILE_latency_dram].value + 300;
    double wgmma = slices_added("variant=wgmma cache=cold", &profile);
    assert_true(fabs(wgmma / (64 * slice) - 1) < 1e-9);
    double alone = slices_added("variant=wgmma stages=1 cache=cold", &profile);
    assert_true(fabs((alone - wgmma) / (64 * (load + 49152 / 64.) / 1.98e9) - 1) < 1e-9);
    double mma = slices_added("variant=mma cache=cold", &profile), banks = 180224 / 128.;
    assert_true(fabs(mma / (64 * pow(pow(1536, 2.5) + pow(banks, 2.5), 0.4) / 1.98e9) - 1) < 1e-9);
    double wave = predict("tensor_matmul", "variant=wgmma m=16896 n=256 k=8192", &profile).seconds;
    double more = predict("tensor_matmul", "variant=wgmma m=17024 n=256 k=8192", &profile).seconds;
    assert_true(more - wave > 0.9 * 128 * slice && more - wave < 1.1 * 128 * slice);
}

/* Each level of a tree in shared memory costs a barrier of the block's threads, in each wave of blocks. */
static void test_exchanges(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    static const char shape[] = "grid=cover block=1024 items=1 vector=1 size=16MiB cache=hot variant=";
    char tree[128], redux[128];
    snprintf(tree, sizeof tree, "%sshared_tree", shape);
    snprintf(redux, sizeof redux, "%sredux dtype=i32", shape);
    double waves = ceil(4096 / 264.), exchange = 2 * profile.value[PROFILE_latency_shared].value + 1024 / 16.;
    double apart = predict("reduce", tree, &profile).part[BOUND_latency] -
                   predict("reduce", redux, &profile).part[BOUND_latency];
    assert_true(fabs(apart / ((waves - 1) * 9 * exchange / 1.98e9) - 1) < 0.01); /* 10 levels against 1 */
}

/* The blocks of a dependent launch have started when the launch before ends. */
static void test_dependent_launch(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    double off = predict("silu_mul", "batch=1 d=4096 cache=hot pdl=off", &profile).seconds;
    double on = predict("silu_mul", "batch=1 d=4096 cache=hot pdl=on", &profile).seconds;
    assert_true(fabs((off - on) / (590 / 1.98e9) - 1) < 1e-6);
    off = predict("silu_mul", "batch=8192 d=4096 pdl=off", &profile).seconds; /* no room for two launches */
    assert_true(off == predict("silu_mul", "batch=8192 d=4096 pdl=on", &profile).seconds);
    /* One block, on one multiprocessor: two special functions per element, 16 per cycle. */
    struct time_prediction one = predict("silu_mul", "batch=1 d=4096 cache=hot", &profile);
    assert_true(fabs(one.part[BOUND_flop] / (2 * 4096 / 16. / 1.98e9) - 1) < 1e-6);
}

/* One stream adds copies and work up; enough of them hide all but the slowest. */
static void test_copies_with_work(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    double in = 0x1p28 / profile.value[PROFILE_peak_h2d].value,
           out = 0x1p28 / profile.value[PROFILE_peak_d2h].value;
    double one =
        predict("host_copy", "size=256MiB chunk=16MiB variant=round_trip streams=1", &profile).seconds;
    double three =
        predict("host_copy", "size=256MiB chunk=16MiB variant=round_trip streams=3", &profile).seconds;
    assert_true(fabs(one / (in + out) - 1) < 1e-9);
    assert_true(fabs(three / ((in + out + 15 * fmax(in, out)) / 16) - 1) < 1e-9);
    struct time_prediction busy =
        predict("host_copy", "size=256MiB chunk=16MiB variant=overlapped streams=4 work=4096", &profile);
    assert_int_equal(busy.bound, BOUND_flop);
    assert_true(busy.seconds > busy.part[BOUND_flop] && busy.seconds < busy.part[BOUND_flop] + 0.1 * in);
}

static void assert_near(double value, double expected, double share)
{
    if (!(fabs(value / expected - 1) <= share))
        fail_msg("%g, expected %g", value, expected);
}

/* A packet has a header for 128 bytes; a write that leaves bytes out has their enables, too; both ways, a read's request shares
 * the wire with the answers of the other direction. */
static void test_link_packets(void **state)
{
    (void)state;
    assert_near(link_wire_share(128, 128, true, false), 144. / 128, 1e-12);
    assert_near(link_wire_share(128, 128, false, true), 144. / 128, 1e-12);
    assert_near(link_wire_share(128, 64, false, false), 160. / 64, 1e-12);
    assert_near(link_wire_share(128, 128, true, true), 160. / 128, 1e-12);
    assert_near(link_wire_share(32, 32, true, false), 48. / 32, 1e-12);
}

static struct profile linked_profile(void)
{
    struct device device = gpu();
    device.link_nominal = 478.1e9;
    return profile_of(&device);
}

static void test_links(void **state)
{
    (void)state;
    struct profile profile = linked_profile();
    double gib = 1 << 30, clock = 1.98e9;
    struct time_prediction load = predict("peer_copy", "variant=load pair=0-1 size=1GiB", &profile),
                           both = predict("peer_copy", "variant=load pair=0-1 size=1GiB direction=both_ways",
                                          &profile),
                           store = predict("peer_copy", "variant=store pair=0-1 size=1GiB", &profile),
                           wide = predict("peer_copy", "variant=store pair=0-1 size=1GiB width=32", &profile),
                           narrow = predict("peer_copy", "variant=load pair=0-1 size=1GiB width=2", &profile);
    assert_int_equal(load.bound, BOUND_peer);
    assert_near(load.part[BOUND_peer], gib / profile.value[PROFILE_link_read].value, 1e-9);
    assert_near(load.seconds, load.part[BOUND_peer], 0.01);
    assert_near(both.part[BOUND_peer] / load.part[BOUND_peer], 160. / 144, 1e-9);
    assert_near(wide.part[BOUND_peer] / store.part[BOUND_peer], 160. / 64 / (144. / 128), 1e-9);
    assert_near(narrow.part[BOUND_peer] / load.part[BOUND_peer], 80. / 64 / (144. / 128), 1e-9);
    /* Little's law: three of four tiles of 8 KiB, with their barriers, wait for the peer's DRAM. */
    struct time_prediction one =
        predict("peer_copy", "variant=bulk_load pair=0-1 size=128MiB blocks=1", &profile);
    double held = 3 * (8192 + 8), round = 1881 + 300 + held / 64;
    assert_int_equal(one.bound, BOUND_latency);
    assert_near(one.part[BOUND_latency], 0x1p27 / held * round / clock, 0.001);
    /* The copy engine: what is before its first byte, and the bytes. */
    struct time_prediction small = predict("peer_copy", "variant=copy_engine pair=0-1 size=4KiB", &profile);
    assert_int_equal(small.bound, BOUND_launch);
    assert_near(small.seconds,
                profile.value[PROFILE_link_setup].value + 4096 / profile.value[PROFILE_link_copy].value,
                1e-9);
}

/* Within one device the bytes cross its L2, or its DRAM, twice. */
static void test_local_pairs(void **state)
{
    (void)state;
    struct profile profile = linked_profile();
    struct time_prediction hot = predict("peer_copy", "pair=local size=16MiB cache=hot", &profile),
                           large = predict("peer_copy", "pair=local size=1GiB", &profile);
    assert_int_equal(hot.bound, BOUND_l2);
    assert_near(hot.part[BOUND_l2], 2 * 0x1p24 / 6.5e12, 1e-9);
    assert_int_equal(large.bound, BOUND_dram);
    assert_near(large.part[BOUND_dram], 2 * 0x1p30 / 4.3e12, 0.08);
}

/* A device that tells no link, and a profile without one. */
static void test_unknown_link(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct point point = family_point("peer_copy", "pair=0-1 size=1GiB");
    struct time_facts facts = time_facts_none(CACHE_COLD);
    struct time_prediction time;
    assert_false(time_predict(&point, &profile, &facts, &time));
    assert_true(isnan(time.seconds));
}

/* Accesses one after another: by hand, from the profile's cycles at 1.98 GHz. A chase has 8192 of them in 1024 groups of 64 cycles. */
static void test_chains(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double cycles;
    } chains[] = {
        {"variant=load pair=0-1 size=64KiB cache=hot", 8192 * 1600.0},
        {"variant=load pair=0-1 size=64KiB cache=cold", 512 * 1900.0 + 7680 * 1600.0},
        {"variant=load pair=0-1 size=4MiB cache=cold", 8192 * 1900.0},
        {"variant=load pair=0-1 size=256MiB cache=hot", 8192 * 1900.0},
        {"variant=load_l1 pair=0-1 size=64KiB cache=hot", 512 * 1600.0 + 7680 * 33.0},
        {"variant=load_l1 pair=local size=4MiB cache=hot", 8192 * 280.0},
        {"variant=atomic_add pair=local size=64KiB cache=hot", 8192 * 400.0},
        {"variant=atomic_cas pair=local size=256MiB cache=hot", 8192 * 660.0},
        {"variant=atomic_add pair=0-1 size=64KiB cache=hot", 8192 * 1600.0},
        {"variant=fence pair=local", 8192 * 1100.0},
        {"variant=fence pair=0-1", 8192 * (1100.0 + 660)},
        {"variant=ping_pong pair=local", 8192 * 2 * (1100 + 2 * 280.0)},
        {"variant=ping_pong pair=0-1", 8192 * 2 * (1100 + 2 * 280.0 + 660)},
        {"variant=load pair=0-1 size=64KiB hops=16 cache=hot", 16384 * 1600.0},
    };
    static const struct {
        enum profile_field field;
        double cycles;
    } values[] = {
        {PROFILE_link_latency, 1600},  {PROFILE_link_latency_dram, 1900}, {PROFILE_latency_l1, 33},
        {PROFILE_latency_l2, 280},     {PROFILE_latency_dram, 660},       {PROFILE_latency_atomic, 400},
        {PROFILE_latency_fence, 1100},
    };
    struct profile profile = linked_profile();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct profile_value *value = &profile.value[values[i].field];
        value->value = value->low = value->high = values[i].cycles;
    }
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct time_prediction time = predict("peer_latency", chains[i].settings, &profile);
        double wanted = (chains[i].cycles + 1024 * 64) / 1.98e9;
        assert_int_equal(time.bound, BOUND_latency);
        if (fabs(time.part[BOUND_latency] / wanted - 1) > 1e-9)
            fail_msg("%s: %g s, not %g", chains[i].settings, time.part[BOUND_latency], wanted);
    }
    profile.value[PROFILE_link_latency].value = NAN; /* only what needs it is unknown */
    struct point far = family_point("peer_latency", "pair=0-1 size=64KiB");
    struct time_facts facts = time_facts_none(CACHE_HOT);
    struct time_prediction time;
    assert_false(time_predict(&far, &profile, &facts, &time));
    assert_true(isnan(time.seconds));
    assert_true(predict("peer_latency", "pair=local size=64KiB", &profile).seconds > 0);
}

/* Of a resource's rate, only what needs it knows. */
static void test_follows_profile(void **state)
{
    (void)state;
    struct device device = gpu(), slow = gpu();
    slow.peak_copy /= 2;
    slow.peak_read /= 2;
    slow.peak_write /= 2;
    struct profile fast_profile = profile_of(&device), slow_profile = profile_of(&slow);
    double ratio = predict("copy", "size=1GiB vector=4", &slow_profile).seconds /
                   predict("copy", "size=1GiB vector=4", &fast_profile).seconds;
    assert_true(fabs(ratio - 2) < 0.06);
    ratio = predict("shared_stride", "variant=read stride=4 cache=hot", &slow_profile).seconds /
            predict("shared_stride", "variant=read stride=4 cache=hot", &fast_profile).seconds;
    assert_true(ratio == 1);
    /* An interval of the roof's is one of the prediction's, and no wider. */
    slow_profile = fast_profile;
    slow_profile.value[PROFILE_peak_copy].low *= 0.5;
    struct time_prediction wide = predict("copy", "size=1GiB vector=4", &slow_profile);
    assert_true(wide.high > 1.9 * wide.seconds && wide.high < 2.1 * wide.seconds);
}

/* Loads that stay behind stores wait for memory once more each, with what a round adds to it: where results might lie over the
 * inputs, after each element; in a loop of rounds, after each of these. */
static void test_behind_stores(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction plain = predict("lookup", "variant=plain size=1GiB items=4", &profile);
    struct time_prediction restricted = predict("lookup", "variant=restrict size=1GiB items=4", &profile);
    double waves = (1 << 28) / 1024.0 / (8 * 132),
           latency = (profile.value[PROFILE_latency_dram].value + 300) / 1.98e9;
    assert_true(plain.seconds > 1.05 * restricted.seconds);
    assert_true(fabs((plain.part[BOUND_latency] - restricted.part[BOUND_latency]) / (3 * waves * latency) -
                     1) < 0.01);
    plain =
        predict("lookup", "variant=plain size=1GiB items=1", &profile); /* nothing is before its one load */
    restricted = predict("lookup", "variant=restrict size=1GiB items=1", &profile);
    assert_true(plain.seconds == restricted.seconds);
    struct time_prediction loop = predict("copy", "variant=gridstride size=1GiB dtype=u8", &profile);
    double rounds = (1 << 30) / (256.0 * 8 * 132);
    assert_true(fabs(loop.part[BOUND_latency] / (rounds * latency) - 1) < 0.05);
    /* A loop of several elements: only the first waits, and all of them look alike but for that. */
    loop = predict("lookup", "variant=shared size=1GiB table=4KiB lookups=8 items=4", &profile);
    assert_true(fabs(loop.part[BOUND_latency] / (waves * latency) - 1) < 0.05);
}

/* A copy by a single wave of blocks does not reach the roof; a reduction, which only reads, does. */
static void test_single_wave(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction waves = predict("copy", "variant=load size=1GiB vector=4", &profile);
    struct time_prediction single = predict("copy", "variant=gridstride size=1GiB vector=4", &profile);
    struct time_prediction read = predict("reduce", "variant=shuffle size=1GiB", &profile);
    assert_true(fabs(waves.part[BOUND_dram] / single.part[BOUND_dram] - 0.93) < 1e-3);
    assert_true(waves.part[BOUND_l2] == single.part[BOUND_l2]);
    assert_true(fabs(read.part[BOUND_dram] / ((1 << 30) / device.peak_read) - 1) < 1e-3);
}

/* Warps that write a whole sector with several stores cost one access to L2 each; those that leave it partly written, two. */
static void test_partly_written(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction whole =
        predict("block_load", "variant=direct size=1GiB items=8 block=128", &profile);
    struct time_prediction part =
        predict("transpose", "variant=naive rows=16384 columns=16384 tile=32", &profile);
    double sectors = (1 << 28) * 32.0; /* each element is stored on its own; 1 GiB is read */
    assert_true(fabs(whole.part[BOUND_l2] / (sectors / device.peak_l2_write) - 1) < 0.1);
    assert_true(fabs(part.part[BOUND_l2] / (2 * sectors / device.peak_l2_write) - 1) < 0.1);
}

/* What is scattered over DRAM moves slower than its bytes say; rows of it do not. */
static void test_scattered(void **state)
{
    (void)state;
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct time_prediction far = predict("copy", "variant=load size=1GiB stride=137", &profile);
    struct time_prediction near = predict("copy", "variant=load size=1GiB stride=16", &profile);
    double far_bytes = 64.0 / 548, near_bytes = 1;
    assert_true(far.part[BOUND_dram] / far_bytes > 1.3 * near.part[BOUND_dram] / near_bytes);
    struct time_prediction rows = predict("layout", "variant=aosoa size=1GiB fields=8 read=1", &profile);
    assert_true(fabs(rows.part[BOUND_dram] / ((1 << 30) / 8 * 2 / 4.3e12) - 1) < 0.05);
}

static void test_no_prediction(void **state)
{
    (void)state;
    struct profile nothing = profile_unknown();
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    struct point chain = family_point("latency", "variant=l2 size=1MiB cache=hot"),
                 copy = family_point("copy", "");
    struct time_facts facts = time_facts_none(CACHE_COLD);
    struct time_prediction time;
    assert_false(time_predict(&chain, &profile, &facts, &time));
    assert_true(isnan(time.seconds));
    profile_assume(&nothing);
    assert_false(time_predict(&copy, &nothing, &facts, &time));
    assert_true(isnan(time.seconds) && time.bound == BOUND_none);
}

static void test_resident(void **state)
{
    (void)state;
    assert_true(time_resident(1, 2048, 256) == 8);
    assert_true(time_resident(0.625, 2048, 256) == 5);
    assert_true(isnan(time_resident(NAN, 2048, 256)));
    assert_true(isnan(time_resident(0.5, NAN, 256)));
}

static void test_profile(void **state)
{
    (void)state;
    struct profile profile = profile_unknown();
    struct profile_value *copy = &profile.value[PROFILE_peak_copy];
    profile_set(&profile, PROFILE_peak_copy, NAN, true, "nowhere");
    profile_set(&profile, PROFILE_peak_copy, -1, true, "nowhere");
    assert_true(isnan(copy->value));
    profile_set(&profile, PROFILE_peak_copy, 3e12, true, "one run");
    assert_true(copy->low == 3e12 && copy->high == 3e12 && copy->measured);
    profile_set(&profile, PROFILE_peak_copy, 3.2e12, true, "another");
    assert_true(copy->low == 3e12 && copy->high == 3.2e12 && copy->value == 3.1e12);
    assert_string_equal(copy->source, "one run");
    profile_assume(&profile);
    /* Nothing is assumed over what is known, nor out of nothing. */
    assert_true(copy->value == 3.1e12 && copy->measured);
    assert_true(profile.value[PROFILE_peak_read].value == 3.1e12 &&
                !profile.value[PROFILE_peak_read].measured);
    assert_true(isnan(profile.value[PROFILE_peak_l2_read].value));
    assert_false(profile.value[PROFILE_latency_dram].measured);
    assert_true(profile.value[PROFILE_latency_dram].low < profile.value[PROFILE_latency_dram].high);
    struct device device = profile_device(&profile, "predicted");
    assert_true(device.peak_copy == 3.1e12 && isnan(device.peak_h2d) && device.multiprocessors == -1);
}

/* The columns that a worker fills, and that it fills none for what is no GPU. */
static void test_fill(void **state)
{
    (void)state;
    struct device device = gpu();
    struct point point = family_point("copy", "size=1GiB vector=4");
    struct result result = result_new();
    result.real[REAL_time_median] = 500e-6;
    struct target target = target_of_device(&device);
    struct setup setup = point_setup(&point, &target);
    struct prediction accesses;
    model_predict(&point, &setup, &target, NAN, &accesses);
    time_fill(&result, &point, &setup, &accesses, &device);
    assert_int_equal(result.bound, BOUND_dram);
    assert_true(fabs(result.real[REAL_headroom] * result.real[REAL_predicted_time] / 500e-6 - 1) < 1e-12);
    struct result other = result_new();
    device.capability = 0;
    time_fill(&other, &point, &setup, &accesses, &device);
    assert_true(isnan(other.real[REAL_predicted_time]) && other.bound == BOUND_none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_banks_are_shared),
        cmocka_unit_test(test_follows_profile),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_dependent_launch),
        cmocka_unit_test(test_copies_with_work),
        cmocka_unit_test(test_link_packets),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_local_pairs),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_unknown_link),
        cmocka_unit_test(test_behind_stores),
        cmocka_unit_test(test_single_wave),
        cmocka_unit_test(test_partly_written),
        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_no_prediction),
        cmocka_unit_test(test_resident),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
