/* What follows from the ranks' greetings: which back end, whether every rank has a GPU, who gets which CPUs.
 */
#include "unit_test.h"

#include "coordinator/state/team.h"

#define RANKS 4

static struct team team;
static struct error error;

/* Four ranks on two nodes, each with a GPU of its own. */
static int start(void **state)
{
    team = team_new(RANKS);
    error = (struct error){0};
    for (int i = 0; i < RANKS; i++) {
        struct member *member = &team.member[i];
        member->home.node = i / 2 * 2;
        member->hello = HELLO_OPENED;
        member->traits.owns_device = true;
        member->device = device_unknown();
        snprintf(member->home.host, sizeof member->home.host, "node%d", i / 2);
        snprintf(member->device.uuid, sizeof member->device.uuid, "GPU-%d", i);
    }
    team_arrange(&team);
    return 0;
}

static int end(void **state)
{
    team_free(&team);
    return 0;
}

EACH(start, end)

static void close_device(struct member *member, const char *why)
{
    member->hello = HELLO_NO_DEVICE;
    member->device = device_unknown();
    snprintf(member->why, sizeof member->why, "%s", why);
}

TEST(everybody_has_a_gpu)
{
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_READY);
    assert_int_equal(team.nodes, 2);
    assert_int_equal(team.first[1], 2);
    assert_int_equal(team.member[2].next_on_node, 3);
    assert_int_equal(team.member[3].next_on_node, -1);
}

TEST(two_ranks_on_one_gpu)
{
    strcpy(team.member[3].device.uuid, "GPU-2");
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_CANNOT);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "2 ranks on node node1 but 1 GPU"));
}

TEST(same_uuid_on_two_nodes_is_fine)
{
    strcpy(team.member[2].device.uuid, "GPU-0");
    assert_int_equal(team_judge(&team, "cuda", false, &error), TEAM_READY);
}

TEST(one_rank_without)
{
    close_device(&team.member[1], "no device left");
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "2 ranks on node node0 but 1 GPU"));
}

TEST(no_gpu_anywhere)
{
    for (int i = 0; i < RANKS; i++)
        close_device(&team.member[i], "no driver");
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_TRY_HOST);
    assert_non_null(strstr(error.text, "no driver"));
    assert_int_equal(team_judge(&team, "cuda", false, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "rank 0 on node0 has no cuda device: no driver"));
}

TEST(host_ranks_share_a_device)
{
    strcpy(team.member[1].device.uuid, "GPU-0");
    for (int i = 0; i < RANKS; i++)
        team.member[i].traits = (struct traits){.is_host = true};
    assert_int_equal(team_judge(&team, "host", true, &error), TEAM_READY);
    close_device(&team.member[1], "out of memory");
    assert_int_equal(team_judge(&team, "host", false, &error), TEAM_CANNOT);
}

TEST(shares)
{
    team.member[2].device.numa_node = 0;
    team.member[3].device.numa_node = 1;
    team_share(&team);
    assert_int_equal(team.member[0].share, 0);
    assert_int_equal(team.member[1].share, 1);
    assert_int_equal(team.member[1].shares, 2);
    assert_int_equal(team.member[2].shares, 1); /* NUMA nodes of their own */
    assert_int_equal(team.member[3].share, 0);
    assert_int_equal(team.member[3].shares, 1);
    team.member[0].home.cpus = 1; /* the launcher has bound each of them to CPUs of its own */
    team.member[1].home.cpus = 2;
    team_share(&team);
    assert_true(team.member[0].shares == 1 && team.member[1].shares == 1);
    assert_true(team.member[0].share == 0 && team.member[1].share == 0);
    for (int i = 0; i < RANKS; i++)
        team.member[i].traits.makes_up = true;
    team_share(&team);
    assert_int_equal(team.member[0].shares, 0);
}

TEST(no_worker_is_never_no_gpu)
{
    for (int i = 0; i < RANKS; i++)
        close_device(&team.member[i], "no driver");
    close_device(&team.member[2], "of another build");
    team.member[2].hello = HELLO_NO_WORKER;
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_CANNOT);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_string_equal(error.text, "rank 2 on node1 has no worker: of another build");
    team.member[1].hello = team.member[3].hello = HELLO_NO_WORKER;
    assert_int_equal(team_judge(&team, "cuda", true, &error), TEAM_CANNOT);
    assert_string_equal(error.text, "rank 1 on node0 (and 2 others) has no worker: no driver");
}

/* Nothing is known of a device before its rank has answered. */
TEST(devices_are_unknown_at_first)
{
    struct team new = team_new(2);
    const struct device unknown = device_unknown();
    assert_memory_equal(&new.member[1].device, &unknown, sizeof unknown);
    team_free(&new);
}

TEST(answers)
{
    for (int i = 0; i < RANKS - 1; i++)
        team_answer(&team, i);
    team_answer(&team, 0); /* again: it counts once */
    assert_true(team.unanswered > 0);
    team_lose(&team, RANKS - 1);
    team_lose(&team, RANKS - 1);
    assert_int_equal(team.unanswered, 0);
    assert_int_equal(team.present, RANKS - 1);
    team_await_answers(&team);
    assert_int_equal(team.unanswered, RANKS - 1);
    team_answer(&team, RANKS - 1); /* a lost one's answer does not count */
    assert_int_equal(team.unanswered, RANKS - 1);
}
