/* The schedule, driven as a coordinator drives it: every point once, whatever happens, and exclusive points
 * alone. */
#include "unit_test.h"

#include "base/hash.h"
#include "coordinator/schedule/schedule.h"
#include "protocol/config.h"

#define POINTS_MAX 4096
#define RANKS_MAX  16
#define BATCH_MAX  64

/* A made-up job: point i takes `seconds`, and is exclusive when `every` divides i, or loads the host link
 * when `link` does. */
struct world {
    double seconds;
    uint32_t heavy;  /* so many points, the first ones, take ten times as long */
    uint32_t every;  /* 0: none is */
    uint32_t link;   /* 0: none does */
    uint32_t groups; /* point i is of group i % groups; 0: each is of its own */
    int node[RANKS_MAX], seat[RANKS_MAX], ranks;
    uint32_t slow; /* points from this one on slow their process down; 0: none */
    int seats;     /* exclusive point i is of seat i % seats; 0: of any */
    struct schedule *schedule;
    struct schedule_item batch[RANKS_MAX][BATCH_MAX];
    int count[RANKS_MAX];
    int seen[POINTS_MAX]; /* how often finished */
    int counted[POINTS_MAX];
    int by[POINTS_MAX];     /* which rank */
    int repeats[RANKS_MAX]; /* repetitions finished */
};

static double expected(void *context, uint32_t index, bool count)
{
    const struct world *world = context;
    return index < world->heavy ? 10 * world->seconds : world->seconds;
}

static bool exclusive(void *context, uint32_t index)
{
    uint32_t every = ((struct world *)context)->every;
    return every && index % every == 0;
}

static bool links(void *context, uint32_t index)
{
    uint32_t link = ((struct world *)context)->link;
    return link && index % link == 0 && !exclusive(context, index);
}

static struct schedule_needs needs(void *context, uint32_t index)
{
    const struct world *world = context;
    enum schedule_use one = links(context, index) ? USE_LINK : USE_DEVICE;
    return (struct schedule_needs){.use = exclusive(context, index) ? USE_NODE : one,
                                   .seat = world->seats ? (int)index % world->seats : -1,
                                   .slows = world->slow && index >= world->slow};
}

static uint64_t group(void *context, uint32_t index)
{
    uint32_t groups = ((struct world *)context)->groups;
    return hash_mix(groups ? index % groups : index);
}

static double count_least; /* of the next world */

static struct world *last; /* freed before the next one, and behind each test */

static int world_free(void **state)
{
    if (last)
        schedule_free(last->schedule);
    free(last);
    last = NULL;
    return 0;
}

EACH(NULL, world_free)

static struct world *world_new(int ranks, int nodes, double seconds, uint32_t every)
{
    world_free(NULL);
    struct world *world = last = calloc(1, sizeof *world);
    world->seconds = seconds;
    world->every = every;
    world->ranks = ranks;
    for (int i = 0; i < ranks; i++)
        world->node[i] = i * nodes / ranks;
    for (int i = 0; i < ranks; i++)
        world->seat[i] = i && world->node[i] == world->node[i - 1] ? world->seat[i - 1] + 1 : 0;
    world->schedule = schedule_new(&(struct schedule_options){.ranks = ranks,
                                                              .node = world->node,
                                                              .seat = world->seat,
                                                              .batch_seconds = 0.05,
                                                              .batch_max = BATCH_MAX,
                                                              .count_seconds = 0.05,
                                                              .count_least = count_least,
                                                              .count_max = BATCH_MAX,
                                                              .look_ahead = LOOK_AHEAD_SCHEDULE,
                                                              .context = world,
                                                              .expected = expected,
                                                              .needs = needs,
                                                              .group = group});
    return world;
}

static void add_points(struct world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        schedule_add(world->schedule, i);
}

static bool loads_link(const struct world *world, int rank)
{
    return links((void *)world, world->batch[rank][0].index) && !world->batch[rank][0].count;
}

/* An exclusive batch is alone on its node, and one that loads the host link the only one that does. */
static void check_exclusion(const struct world *world)
{
    for (int a = 0; a < world->ranks; a++)
        for (int b = 0; b < world->ranks; b++)
            if (a != b && world->node[a] == world->node[b] && world->count[a] && world->count[b]) {
                assert_false(exclusive((void *)world, world->batch[a][0].index));
                assert_false(loads_link(world, a) && loads_link(world, b));
            }
}

static void take(struct world *world, int rank)
{
    world->count[rank] = schedule_take(world->schedule, rank, world->batch[rank]);
    assert_in_range(world->count[rank], 0, BATCH_MAX);
    for (int i = 1; i < world->count[rank]; i++) /* a batch is of one kind */
        assert_int_equal(exclusive(world, world->batch[rank][0].index),
                         exclusive(world, world->batch[rank][i].index));
    for (int i = 1; i < world->count[rank]; i++) {
        assert_int_equal(world->batch[rank][0].count, world->batch[rank][i].count);
        if (!world->batch[rank][0].count)
            assert_int_equal(links(world, world->batch[rank][0].index),
                             links(world, world->batch[rank][i].index));
    }
    check_exclusion(world);
}

static void finish(struct world *world, int rank)
{
    for (int i = 0; i < world->count[rank]; i++) {
        struct schedule_item item = world->batch[rank][i];
        if (item.count) {
            world->counted[item.index]++;
        } else if (item.repeat) {
            world->repeats[rank]++;
        } else {
            world->seen[item.index]++;
            world->by[item.index] = rank;
        }
    }
    schedule_finish(world->schedule, rank, world->count[rank]);
    world->count[rank] = 0;
}

static void lose(struct world *world, int rank, int done)
{
    struct schedule_item *item = world->batch[rank] + done;
    int count = world->count[rank] - done, back = 0;
    world->count[rank] = done;
    finish(world, rank);
    for (int i = 0; i < count; i++)
        if (!item[i].repeat && !item[i].replicate)
            item[back++] = item[i];
    schedule_return(world->schedule, item, back);
    schedule_lose(world->schedule, rank);
}

/* Ranks ask and finish in a random order until all is done; it must not stall. */
static void drive(struct world *world, uint64_t seed)
{
    int idle_rounds = 0;
    while (!schedule_is_done(world->schedule)) {
        seed = hash_mix(seed + 1);
        int rank = (int)(seed % (uint64_t)world->ranks);
        bool moved = world->count[rank] > 0;
        if (moved)
            finish(world, rank);
        else
            take(world, rank);
        moved |= world->count[rank] > 0;
        idle_rounds = moved ? 0 : idle_rounds + 1;
        assert_true(idle_rounds < 1000 * world->ranks);
    }
}

static void check_all_once(const struct world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(world->seen[i], 1);
}

TEST(long_points_go_one_by_one)
{
    struct world *world = world_new(2, 1, 0.5, 0);
    add_points(world, 100);
    take(world, 0);
    assert_int_equal(world->count[0], 1);
}

TEST(short_points_go_in_batches_that_shrink)
{
    struct world *world = world_new(4, 1, 0.001, 0);
    int previous = BATCH_MAX;
    add_points(world, 1000);
    while (schedule_waiting(world->schedule)) {
        take(world, 0);
        assert_in_range(world->count[0], 1, 50); /* 50 ms of 1 ms points */
        assert_true(world->count[0] <= previous);
        if (schedule_waiting(world->schedule) == 950)
            assert_int_equal(world->count[0], 50);
        previous = world->count[0];
        finish(world, 0);
    }
    assert_int_equal(previous, 1); /* the tail is shared out */
}

/* By number alone, the first batch would have all long points. */
TEST(long_points_are_divided_by_time)
{
    struct world *world = world_new(2, 1, 0.001, 0);
    world->heavy = 4;
    add_points(world, 40);
    schedule_ask(world->schedule, 0);
    take(world, 0);
    assert_int_equal(world->count[0], 1); /* 10 ms; a quarter of all 76 ms has no room for another one */
    drive(world, 3);
    check_all_once(world, 40);
}

/* Each counted batch has a cost of its own, which is why it may be more than a fair share. */
TEST(counted_batches_have_a_least)
{
    count_least = 0.0105;
    struct world *world = world_new(2, 1, 0.001, 0);
    count_least = 0;
    for (uint32_t i = 0; i < 20; i++)
        schedule_add_count(world->schedule, i);
    schedule_ask(world->schedule, 0);
    take(world, 0);
    assert_int_equal(world->count[0], 10); /* where a fair share is five */
    drive(world, 4);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(world->counted[i], 1);
}

/* Counting waits until all points have been timed once; the longest comes first, and that of canaries goes
 * with it. */
TEST(counting_follows_the_first_times)
{
    struct world *world = world_new(2, 1, 1e-4, 0);
    world->heavy = 3;
    add_points(world, 300);
    for (uint32_t i = 0; i < 2 * BATCH_MAX; i++)
        schedule_add_count(world->schedule, i);
    schedule_add_repeat(world->schedule, 1, (struct schedule_item){.index = 9, .repeat = 4, .count = true});
    while (schedule_waiting(world->schedule)) {
        take(world, 0);
        assert_false(world->batch[0][0].count);
        finish(world, 0);
    }
    take(world, 0);
    assert_true(world->batch[0][0].count);
    assert_true(world->batch[0][0].index < world->heavy);
    take(world, 1);
    assert_int_equal(world->batch[1][0].repeat, 4);
    assert_true(world->count[1] > 1 && world->batch[1][1].count); /* in one start of the profiler */
    drive(world, 4);
    check_all_once(world, 300);
}

static void add_replicates(struct world *world, int rank, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        schedule_add_repeat(world->schedule, rank,
                            (struct schedule_item){.index = i, .round = 1, .replicate = true});
}

/* Half of a node's ranks count while there are replicates to time: those that can afford it, for as long as
 * they can. */
TEST(half_a_node_counts)
{
    static const uint32_t replicates[] = {190, 90, 40, 80}; /* 100 on average */
    struct world *world = world_new(4, 1, 1e-3, 0);
    for (uint32_t i = 0; i < 20; i++)
        schedule_add_count(world->schedule, i);
    for (int rank = 0; rank < 4; rank++)
        add_replicates(world, rank, replicates[rank]);
    for (int rank = 0; rank < 4; rank++) {
        take(world, rank);
        assert_int_equal(world->batch[rank][0].count, rank == 1 || rank == 2);
    }
    drive(world, 4);
}

/* An idle rank is woken when there is something to count. */
TEST(counting_wakes)
{
    struct world *world = world_new(2, 1, 1, 0);
    int rank;
    add_points(world, 1);
    schedule_ask(world->schedule, 0);
    schedule_ask(world->schedule, 1);
    world->count[0] = schedule_next(world->schedule, &rank, world->batch[0]);
    assert_int_equal(rank, 0);
    assert_int_equal(schedule_next(world->schedule, &rank, world->batch[1]), 0);
    schedule_add_count(world->schedule, 0);
    world->count[1] = schedule_next(world->schedule, &rank, world->batch[1]);
    assert_int_equal(rank, 1);
    assert_true(world->batch[1][0].count);
    drive(world, 2);
}

/* Points that load the host link run one by one on a node, on one rank, while the other ranks go on. */
TEST(one_rank_has_the_link)
{
    struct world *world = world_new(4, 2, 1, 0);
    world->link = 2;
    add_points(world, 40);
    take(world, 0);
    take(world, 1);
    take(world, 2);
    assert_true(loads_link(world, 0) && loads_link(world, 2));
    assert_false(loads_link(world, 1));
    finish(world, 0);
    finish(world, 1);
    take(world, 1);
    assert_false(loads_link(world, 1)); /* the other one keeps the link */
    take(world, 0);
    assert_true(loads_link(world, 0));
    lose(world, 0, 0);
    finish(world, 1);
    take(world, 1);
    assert_true(loads_link(world, 1)); /* now it is free */
    drive(world, 8);
    check_all_once(world, 40);
}

/* Replicates on the link are bound to their ranks. They take turns, beside what else there is. */
TEST(links_take_turns)
{
    struct world *world = world_new(2, 1, 1, 0);
    world->link = 2;
    for (int rank = 0; rank < 2; rank++)
        for (uint32_t i = 0; i < 4; i++)
            schedule_add_repeat(world->schedule, rank,
                                (struct schedule_item){.index = i, .replicate = true, .round = 1});
    take(world, 0);
    take(world, 1);
    assert_true(loads_link(world, 0));
    for (int i = 0; i < 2; i++) { /* its other points */
        assert_int_equal(world->count[1], 1);
        assert_false(loads_link(world, 1));
        finish(world, 1);
        take(world, 1);
    }
    assert_int_equal(world->count[1], 0);
    finish(world, 0);
    take(world, 1);
    assert_true(loads_link(world, 1));
    drive(world, 8);
}

TEST(keeps_the_order)
{
    struct world *world = world_new(2, 1, 1, 0);
    add_points(world, 3);
    take(world, 1);
    assert_int_equal(world->batch[1][0].index, 0);
    take(world, 0);
    assert_int_equal(world->batch[0][0].index, 1);
}

/* Canaries at the start, and points that need the whole node, come before those that load its link. */
TEST(order_of_kinds)
{
    struct world *world = world_new(2, 1, 1, 5);
    world->link = 2;
    for (uint32_t i = 1; i < 10; i++)
        schedule_add(world->schedule, i);
    take(world, 0);
    assert_int_equal(world->batch[0][0].index, 5);
    take(world, 1);
    assert_int_equal(world->count[1], 0);
    finish(world, 0);
    schedule_add_repeat(world->schedule, 0, (struct schedule_item){.index = 3, .repeat = 1});
    take(world, 0);
    assert_int_equal(world->batch[0][0].index, 3);
    finish(world, 0);
    take(world, 0);
    assert_true(loads_link(world, 0));
    drive(world, 8);
}

/* Points of every kind, in batches up to the longest, and a rank that is lost in the middle of one. */
TEST(random_kinds)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct world *world = world_new(1 + (int)(seed % 8), 1 + (int)(seed % 3), seed % 4 ? 1e-3 : 0,
                                        seed % 5 ? 0 : 1 + (uint32_t)seed / 5);
        world->link = 2 + (uint32_t)(seed % 6);
        add_points(world, 400);
        for (uint32_t i = 0; i < 400; i += 3)
            schedule_add_count(world->schedule, i);
        for (int rank = 0; rank < world->ranks; rank++)
            for (uint32_t repeat = 0; repeat < 3; repeat++)
                schedule_add_repeat(world->schedule, rank,
                                    (struct schedule_item){.index = 4, .repeat = 1 + repeat, .round = 1});
        bool loses = seed % 2 && world->ranks > 1;
        if (loses) {
            take(world, 0);
            lose(world, 0, world->count[0] / 2);
            assert_int_equal(schedule_take(world->schedule, 0, world->batch[0]), 0);
        }
        drive(world, seed);
        for (uint32_t i = 0; i < 400; i++)
            assert_true(world->seen[i] == 1 && world->counted[i] == (i % 3 == 0));
        for (int rank = loses; rank < world->ranks; rank++)
            assert_int_equal(world->repeats[rank], 3);
    }
}

/* Two nodes may each run an exclusive point at the same time. */
TEST(nodes_are_independent)
{
    struct world *world = world_new(4, 2, 1, 1);
    add_points(world, 10);
    take(world, 0);
    take(world, 1);
    take(world, 2);
    assert_int_equal(world->count[0], 1);
    assert_int_equal(world->count[1], 0); /* the same node */
    assert_int_equal(world->count[2], 1);
}

/* An exclusive point that turns up while its node is busy: the node drains, then runs it, then goes on. */
TEST(draining_does_not_starve)
{
    struct world *world = world_new(3, 1, 1, 1000);
    for (uint32_t i = 1; i <= 20; i++)
        schedule_add(world->schedule, i); /* shared ones */
    take(world, 0);
    take(world, 1);
    schedule_add_repeat(world->schedule, 2, (struct schedule_item){.index = 0, .repeat = 1});
    take(world, 2);
    assert_int_equal(world->count[2], 0); /* waits for the others */
    finish(world, 0);
    take(world, 0);
    assert_int_equal(world->count[0], 0); /* starts nothing new meanwhile */
    finish(world, 1);
    take(world, 2);
    assert_int_equal(world->count[2], 1);
    assert_int_equal(world->batch[2][0].index, 0);
    take(world, 0);
    assert_int_equal(world->count[0], 0);
    finish(world, 2);
    take(world, 0);
    assert_int_equal(world->count[0], 1);
    drive(world, 3);
    for (uint32_t i = 1; i <= 20; i++)
        assert_int_equal(world->seen[i], 1);
}

TEST(stop_leaves_what_runs)
{
    struct world *world = world_new(2, 1, 1, 0);
    add_points(world, 10);
    take(world, 0);
    schedule_stop(world->schedule);
    assert_int_equal(schedule_waiting(world->schedule), 0);
    assert_false(schedule_is_done(world->schedule));
    take(world, 1);
    assert_int_equal(world->count[1], 0);
    finish(world, 0);
    assert_true(schedule_is_done(world->schedule));
}

/* Of a point of each group, how many ranks had to learn what is expected. */
static int learnt(const struct world *world, uint32_t points)
{
    int pairs = 0;
    for (uint32_t group = 0; group < world->groups; group++) {
        bool did[RANKS_MAX] = {false};
        for (uint32_t i = group; i < points; i += world->groups)
            did[world->by[i]] = true;
        for (int rank = 0; rank < world->ranks; rank++)
            pairs += did[rank];
    }
    return pairs;
}

/* 960 points, 40 groups, 8 ranks, in an order that mixes groups: each is learnt by one rank, or by two
 * towards the end. Were points handed out as they come, it would be some 8 ranks a group. */
TEST(a_rank_keeps_to_its_groups)
{
    struct world *world = world_new(8, 2, 0.1, 0);
    world->groups = 40;
    add_points(world, 960);
    drive(world, 3);
    check_all_once(world, 960);
    assert_in_range(learnt(world, 960), 40, 80);
}

/* Nobody waits for the sake of a group: the ranks of one that is large all do it. */
TEST(a_large_group_is_everybodys)
{
    struct world *world = world_new(4, 1, 0.1, 0);
    world->groups = 1;
    add_points(world, 400);
    for (int rank = 0; rank < 4; rank++) {
        take(world, rank);
        assert_int_equal(world->count[rank], 1);
    }
}

/* Points of several devices run on a rank of their seat, on any node, and each once. */
TEST(points_reach_their_seat)
{
    for (uint32_t every = 1; every < 4; every++) {
        struct world *world = world_new(6, 2, 1e-3, every);
        world->seats = 3;
        add_points(world, 500);
        drive(world, every);
        check_all_once(world, 500);
        for (uint32_t i = 0; i < 500; i += every)
            assert_int_equal(world->seat[world->by[i]], i % 3);
    }
}

/* The other ranks of the node wait for them, a node without that seat does not; once no rank has the seat,
 * any rank runs them. */
TEST(seats_that_wait_and_go)
{
    struct world *world = world_new(3, 2, 1, 2); /* a node of seats 0 and 1, a node of seat 0 */
    world->seats = 2;
    world->every = 1;
    schedule_add(world->schedule, 1);
    schedule_add(world->schedule, 3);
    take(world, 0);
    assert_int_equal(world->count[0], 0);
    take(world, 2);
    assert_int_equal(world->count[2], 0);
    assert_false(schedule_suits(world->schedule, 2, 1));
    take(world, 1);
    assert_int_equal(world->count[1], 1);
    assert_int_equal(world->batch[1][0].index, 1);
    lose(world, 1, 0); /* gives point 1 back */
    assert_true(schedule_suits(world->schedule, 2, 1));
    drive(world, 5);
    assert_int_equal(world->seen[1] + world->seen[3], 2);
}

/* A suspect rank gets no new points: its node does not wait for the points of its seat. */
TEST(held_seat_holds_nobody_up)
{
    struct world *world = world_new(2, 1, 1, 4);
    world->seats = 4; /* exclusive points are of seat 0 */
    for (uint32_t i = 0; i < 8; i++)
        schedule_add(world->schedule, i);
    schedule_hold(world->schedule, 0, true);
    take(world, 1);
    assert_int_equal(world->batch[1][0].index, 1);
    finish(world, 1);
    schedule_hold(world->schedule, 0, false);
    take(world, 1);
    assert_int_equal(world->count[1], 0);
    drive(world, 7);
    check_all_once(world, 8);
}

/* Points that slow their process down share no batch with others. */
TEST(slow_points_are_apart)
{
    struct world *world = world_new(1, 1, 0.001, 0);
    world->slow = 40;
    add_points(world, 60);
    bool slowed = false;
    for (int finished = 0; finished < 60; finished += world->count[0], finish(world, 0)) {
        take(world, 0);
        assert_true(world->count[0] > 0);
        for (int i = 0; i < world->count[0]; i++)
            assert_int_equal(world->batch[0][i].slows, world->batch[0][0].index >= 40);
        assert_true(world->batch[0][0].slows >= slowed);
        slowed = world->batch[0][0].slows;
    }
    assert_true(slowed);
}
