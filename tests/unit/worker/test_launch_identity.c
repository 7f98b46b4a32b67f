/* Which differences of launch and protocol change the hashes of a row, and which do not. */
#include "unit_test.h"

#include "kernels/registry.h"
#include "worker/stages.h"

static const struct target target = {.capability = 90, .l2_bytes = 50 << 20, .multiprocessors = 132};

static struct setup standard(void)
{
    struct point point = point_standard(&family_find("copy")->space);
    return point_setup(&point, &target);
}

TEST(a_launch)
{
    const struct setup setup = standard();
    const uint64_t hash = identity_launch(&setup);
    struct setup other = setup;
    other.entry = "renamed";
    other.buffer[0].name = "renamed";
    other.buffer[0].fill.kind = !other.buffer[0].fill.kind;
    assert_true(identity_launch(&other) == hash);
    struct setup changed[] = {setup, setup, setup, setup, setup, setup, setup, setup};
    changed[0].grid[0]++;
    changed[1].block[2]++;
    changed[2].shared_dynamic += 16;
    changed[3].argument[0].value ^= 1;
    changed[4].buffer[0].count++;
    changed[5].buffer[1].dtype = DTYPE_F64;
    changed[6].programmatic_launch = !setup.programmatic_launch;
    changed[7].l2.window = 1;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(identity_launch(&changed[i]) != identity_launch(&changed[j]));
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        assert_true(identity_launch(&changed[i]) != hash);
}

static struct config config;

static uint64_t protocol(enum engine engine, enum cache_mode cache, enum timer_kind timer)
{
    struct result result = {.timer = timer};
    struct trial trial = {.config = &config, .cache = cache, .result = &result, .setup.engine = engine};
    return identity_protocol(&trial);
}

TEST(a_protocol)
{
    const uint64_t hash = protocol(ENGINE_KERNEL, CACHE_COLD, TIMER_GRAPH);
    assert_true(hash != 0);
    assert_true(hash == protocol(ENGINE_KERNEL, CACHE_COLD, TIMER_SINGLE)); /* the duration decides */
    assert_true(hash != protocol(ENGINE_KERNEL, CACHE_HOT, TIMER_GRAPH));
    assert_true(hash != protocol(ENGINE_KERNEL, CACHE_COLD, TIMER_CLOCK));
    assert_true(protocol(ENGINE_CALL, CACHE_COLD, TIMER_GRAPH) !=
                protocol(ENGINE_CALL, CACHE_COLD, TIMER_SINGLE));
    config.timing.clock = CLOCK_BOOST;
    assert_true(hash != protocol(ENGINE_KERNEL, CACHE_COLD, TIMER_GRAPH));
}
