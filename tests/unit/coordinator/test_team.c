/* What follows from the ranks' greetings: which back end, whether every rank has a GPU, who gets which CPUs.
 */
#include "unit_test.h"

#include "coordinator/state/team.h"

#define RANKS 4

struct fixture {
    struct team team;
    struct member *member; /* the team's */
};

/* Four ranks on two nodes, each with a GPU of its own. */
static struct fixture *fixture_start(struct fixture *f)
{
    f->team = team_new(RANKS);
    f->member = f->team.member;
    for (int i = 0; i < RANKS; i++) {
        struct member *member = &f->member[i];
        member->node = i / 2 * 2;
        member->local_rank = i % 2;
        member->local_size = 2;
        member->hello = HELLO_OPENED;
        member->traits.owns_device = true;
        member->device = device_unknown();
        snprintf(member->host, sizeof member->host, "node%d", i / 2);
        snprintf(member->device.uuid, sizeof member->device.uuid, "GPU-%d", i);
    }
    team_arrange(&f->team);
    return f;
}

static void close_device(struct member *member, const char *why)
{
    member->hello = HELLO_NO_DEVICE;
    member->device = device_unknown();
    snprintf(member->why, sizeof member->why, "%s", why);
}

TEST(everybody_has_a_gpu)
{
    struct fixture f;
    struct error error = {0};
    assert_int_equal(team_judge(&fixture_start(&f)->team, "cuda", true, &error), TEAM_READY);
    assert_int_equal(f.team.nodes, 2);
    assert_int_equal(f.team.first[1], 2);
    assert_int_equal(f.member[2].next_on_node, 3);
    assert_int_equal(f.member[3].next_on_node, -1);
    team_free(&f.team);
}

TEST(two_ranks_on_one_gpu)
{
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[3].device.uuid, "GPU-2");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "2 ranks on node node1 but 1 GPU"));
    team_free(&f.team);
}

TEST(same_uuid_on_two_nodes_is_fine)
{
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[2].device.uuid, "GPU-0");
    assert_int_equal(team_judge(&f.team, "cuda", false, &error), TEAM_READY);
    team_free(&f.team);
}

TEST(one_rank_without)
{
    struct fixture f;
    struct error error = {0};
    close_device(&fixture_start(&f)->member[1], "no device left");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "2 ranks on node node0 but 1 GPU"));
    team_free(&f.team);
}

TEST(no_gpu_anywhere)
{
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    for (int i = 0; i < RANKS; i++)
        close_device(&f.member[i], "no driver");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_TRY_HOST);
    assert_non_null(strstr(error.text, "no driver"));
    assert_int_equal(team_judge(&f.team, "cuda", false, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "rank 0 on node0 has no cuda device: no driver"));
    team_free(&f.team);
}

TEST(host_ranks_share_a_device)
{
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[1].device.uuid, "GPU-0");
    for (int i = 0; i < RANKS; i++)
        f.member[i].traits = (struct traits){.is_host = true};
    assert_int_equal(team_judge(&f.team, "host", true, &error), TEAM_READY);
    close_device(&f.member[1], "out of memory");
    assert_int_equal(team_judge(&f.team, "host", false, &error), TEAM_CANNOT);
    team_free(&f.team);
}

/* Points of several devices name them by seat: the ordinal, or the local rank where each rank sees one device, which is number 0
 * for all. */
TEST(seats)
{
    struct fixture f;
    fixture_start(&f);
    for (int i = 0; i < RANKS; i++)
        assert_true(f.member[i].seat == -1 && !f.member[i].sees_own_only); /* the ordinals are unknown */
    f.member[0].device.ordinal = 1;
    f.member[1].device.ordinal = 3;
    f.member[2].device.ordinal = f.member[3].device.ordinal = 0;
    team_arrange(&f.team);
    assert_true(f.member[0].seat == 1 && f.member[1].seat == 3);
    assert_true(!f.member[0].sees_own_only && !f.member[1].sees_own_only); /* whatever another node does */
    assert_true(f.member[2].seat == 0 && f.member[3].seat == 1);
    assert_true(f.member[2].sees_own_only && f.member[3].sees_own_only);
    team_free(&f.team);
}

TEST(shares)
{
    struct fixture f;
    fixture_start(&f);
    f.member[2].device.numa_node = 0;
    f.member[3].device.numa_node = 1;
    team_share(&f.team);
    assert_int_equal(f.member[0].share, 0);
    assert_int_equal(f.member[1].share, 1);
    assert_int_equal(f.member[1].shares, 2);
    assert_int_equal(f.member[2].shares, 1); /* NUMA nodes of their own */
    assert_int_equal(f.member[3].share, 0);
    assert_int_equal(f.member[3].shares, 1);
    f.member[0].cpus = 1; /* the launcher has bound each of them to CPUs of its own */
    f.member[1].cpus = 2;
    team_share(&f.team);
    assert_true(f.member[0].shares == 1 && f.member[1].shares == 1);
    assert_true(f.member[0].share == 0 && f.member[1].share == 0);
    for (int i = 0; i < RANKS; i++)
        f.member[i].traits.makes_up = true;
    team_share(&f.team);
    assert_int_equal(f.member[0].shares, 0);
    team_free(&f.team);
}

TEST(no_worker_is_never_no_gpu)
{
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    for (int i = 0; i < RANKS; i++)
        close_device(&f.member[i], "no driver");
    close_device(&f.member[2], "of another build");
    f.member[2].hello = HELLO_NO_WORKER;
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_string_equal(error.text, "rank 2 on node1 has no worker: of another build");
    f.member[1].hello = f.member[3].hello = HELLO_NO_WORKER;
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_string_equal(error.text, "rank 1 on node0 (and 2 others) has no worker: no driver");
    team_free(&f.team);
}

TEST(answers)
{
    struct fixture f;
    fixture_start(&f);
    for (int i = 0; i < RANKS - 1; i++)
        team_answer(&f.team, i);
    team_answer(&f.team, 0); /* again: it counts once */
    assert_false(team_all_answered(&f.team));
    team_lose(&f.team, RANKS - 1);
    team_lose(&f.team, RANKS - 1);
    assert_true(team_all_answered(&f.team));
    assert_int_equal(f.team.present, RANKS - 1);
    team_await_answers(&f.team);
    assert_int_equal(f.team.unanswered, RANKS - 1);
    team_answer(&f.team, RANKS - 1); /* a lost one's answer does not count */
    assert_int_equal(f.team.unanswered, RANKS - 1);
    team_free(&f.team);
}
