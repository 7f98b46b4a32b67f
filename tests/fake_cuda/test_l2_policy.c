/* What L2 does for a point: limits that are set and restored, points that are refused, and the window of a
 * launch. */
#include "unit_test.h"

#include "fake_limits.h"
#include "worker/cuda/device/cuda_device.h"
#include "worker/cuda/launch/cuda_launch.h"

#define MIB (UINT64_C(1) << 20)

static const struct l2_policy none, window = {.window = 16 * MIB, .hit_ratio = 0.5f},
                                    whole = {.window = 16 * MIB, .hit_ratio = 1},
                                    larger = {.window = 32 * MIB, .hit_ratio = 1}, fetch = {.fetch = 32},
                                    both = {.window = 16 * MIB, .fetch = 128};
static struct cuda_session session;

static int begin(void **state)
{
    memset(&session, 0, sizeof session);
    fake_limits =
        (struct fake_limits){.room = 30 * MIB, .window_max = 128 * MIB, .persisting = 3 * MIB, .fetch = 64};
    return 0;
}

static void expect(uint64_t persisting, uint64_t granularity, int resets)
{
    assert_int_equal(fake_limits.persisting, persisting);
    assert_int_equal(fake_limits.fetch, granularity);
    assert_int_equal(fake_limits.resets, resets);
}

static void expect_restored(int resets)
{
    cuda_l2_apply(&session, &none);
    expect(3 * MIB, 64, resets);
    assert_true(cuda_l2_is(&session, &none));
}

EACH(begin, NULL)

/* Limits of one point do not stay for the next. */
TEST(limits)
{
    cuda_l2_apply(&session, &none);
    expect(3 * MIB, 64, 0);
    cuda_l2_apply(&session, &window);
    expect(30 * MIB, 64, 0);
    cuda_l2_apply(&session, &window); /* lines of the window before go, if it has the same size, too */
    expect(30 * MIB, 64, 1);
    assert_true(cuda_l2_is(&session, &window));
    assert_false(cuda_l2_is(&session, &whole));
    cuda_l2_apply(&session, &whole);
    expect(30 * MIB, 64, 2);
    cuda_l2_apply(&session, &larger);
    expect(30 * MIB, 64, 3);
    cuda_l2_apply(&session, &fetch);
    expect(3 * MIB, 32, 4);
    cuda_l2_apply(&session, &fetch);
    expect(3 * MIB, 32, 4);
    cuda_l2_apply(&session, &both);
    expect(30 * MIB, 128, 4);
    assert_false(cuda_l2_is(&session, &window));
    expect_restored(5);
}

static void expect_refused(const struct l2_policy *policy, enum status status, const char *why)
{
    struct cuda_guard guard;
    if (cuda_guard_set(&guard) == 0) {
        cuda_l2_apply(&session, policy);
        fail_msg("not refused: %s", why);
    }
    assert_int_equal(guard.status, status);
    assert_non_null(strstr(guard.message, why));
    expect_restored(fake_limits.resets);
}

TEST(refused)
{
    fake_limits.window_max = 16 * MIB;
    expect_refused(&larger, STATUS_UNSUPPORTED,
                   "a window of 33554432 bytes: the device has windows of at most 16777216");
    fake_limits.room = 0;
    session.device.capability = 75;
    expect_refused(&window, STATUS_UNSUPPORTED, "sets no L2 aside");
    session.device.capability = 90;
    expect_refused(&window, STATUS_UNAVAILABLE, "is MIG in use?");
}

/* The share of L2 cannot be changed: the point is refused, and the next one has what was there. */
TEST(fixed)
{
    fake_limits.fixed = true;
    fake_limits.persisting = 0;
    struct cuda_guard guard;
    if (cuda_guard_set(&guard) == 0) {
        cuda_l2_apply(&session, &window);
        fail();
    }
    assert_int_equal(guard.status, STATUS_UNAVAILABLE); /* MIG or MPS */
    assert_false(cuda_l2_is(&session, &window));
    cuda_l2_apply(&session, &none);
    assert_int_equal(fake_limits.persisting, 0);
    assert_true(cuda_l2_is(&session, &none));
}

/* It lies over its buffer, in the set of the launch. */
TEST(window)
{
    static char arena[4096];
    struct cuda_point point = {.session = &session,
                               .setup.l2 = {.window = 512, .buffer = 1, .hit_ratio = 0.25f},
                               .arena = {arena},
                               .set_bytes = 2048,
                               .offset = {0, 1024}};
    struct cudaAccessPolicyWindow of = cuda_l2_window(&point, 1);
    assert_ptr_equal(of.base_ptr, arena + 2048 + 1024);
    assert_int_equal(of.num_bytes, 512);
    assert_true(of.hitRatio == 0.25f);
    assert_int_equal(of.hitProp, cudaAccessPropertyPersisting);
    assert_int_equal(of.missProp, cudaAccessPropertyStreaming);
}
