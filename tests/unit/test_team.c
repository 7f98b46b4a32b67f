/* What follows from the ranks' greetings: which back end, whether every rank has a GPU, who gets which CPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "launch/coordinator/team.h"

#define RANKS 4

struct fixture {
    struct member member[RANKS];
    struct team team;
};

/* Four ranks on two nodes, each with a GPU of its own. */
static struct fixture *fixture_start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->team = (struct team){f->member, RANKS};
    for (int i = 0; i < RANKS; i++) {
        struct member *member = &f->member[i];
        member->node = i / 2 * 2;
        member->local_rank = i % 2;
        member->local_size = 2;
        member->opened = true;
        member->device = device_unknown();
        snprintf(member->host, sizeof member->host, "node%d", i / 2);
        snprintf(member->device.uuid, sizeof member->device.uuid, "GPU-%d", i);
    }
    return f;
}

static void close_device(struct member *member, const char *why)
{
    member->opened = false;
    member->device = device_unknown();
    snprintf(member->why, sizeof member->why, "%s", why);
}

static void test_everybody_has_a_gpu(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    assert_int_equal(team_judge(&fixture_start(&f)->team, "cuda", true, &error), TEAM_READY);
    assert_int_equal(team_nodes(&f.team), 2);
}

static void test_two_ranks_on_one_gpu(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[3].device.uuid, "GPU-2");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "2 ranks on node node1 but 1 GPU"));
}

static void test_same_uuid_on_two_nodes_is_fine(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[2].device.uuid, "GPU-0");
    assert_int_equal(team_judge(&f.team, "cuda", false, &error), TEAM_READY);
}

static void test_one_rank_without(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    close_device(&fixture_start(&f)->member[1], "no device left");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "2 ranks on node node0 but 1 GPU"));
}

static void test_no_gpu_anywhere(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    for (int i = 0; i < RANKS; i++)
        close_device(&f.member[i], "no driver");
    assert_int_equal(team_judge(&f.team, "cuda", true, &error), TEAM_TRY_HOST);
    assert_non_null(strstr(error.text, "no driver"));
    assert_int_equal(team_judge(&f.team, "cuda", false, &error), TEAM_CANNOT);
    assert_non_null(strstr(error.text, "rank 0 on node0 has no cuda device: no driver"));
}

static void test_host_ranks_share_a_device(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    fixture_start(&f);
    strcpy(f.member[1].device.uuid, "GPU-0");
    assert_int_equal(team_judge(&f.team, "host", true, &error), TEAM_READY);
    close_device(&f.member[1], "out of memory");
    assert_int_equal(team_judge(&f.team, "host", true, &error), TEAM_CANNOT);
}

static void test_shares(void **state)
{
    (void)state;
    struct fixture f;
    fixture_start(&f);
    f.member[2].device.numa_node = 0;
    f.member[3].device.numa_node = 1;
    team_share(&f.team, "cuda");
    assert_int_equal(f.member[0].share, 0);
    assert_int_equal(f.member[1].share, 1);
    assert_int_equal(f.member[1].shares, 2);
    assert_int_equal(f.member[2].shares, 1); /* NUMA nodes of their own */
    assert_int_equal(f.member[3].share, 0);
    assert_int_equal(f.member[3].shares, 1);
    team_share(&f.team, "fake");
    assert_int_equal(f.member[0].shares, 0);
}

static void test_answers(void **state)
{
    (void)state;
    struct fixture f;
    fixture_start(&f);
    for (int i = 0; i < RANKS - 1; i++)
        f.member[i].answered = true;
    assert_false(team_all_answered(&f.team));
    f.member[RANKS - 1].lost = true;
    assert_true(team_all_answered(&f.team));
    assert_int_equal(team_present(&f.team), RANKS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everybody_has_a_gpu),
        cmocka_unit_test(test_two_ranks_on_one_gpu),
        cmocka_unit_test(test_same_uuid_on_two_nodes_is_fine),
        cmocka_unit_test(test_one_rank_without),
        cmocka_unit_test(test_no_gpu_anywhere),
        cmocka_unit_test(test_host_ranks_share_a_device),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
