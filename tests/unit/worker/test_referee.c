/* The referee on made-up times: which differences between launches that find their results and others count.
 */
#include "unit_test.h"

#include "base/memory.h"
#include "worker/referee.h"

#define SAMPLES 10

static double known, unknown; /* s, of a launch behind results, and behind poison */
static bool poisoned;

static void renew(struct trial *trial, bool poison)
{
    (void)trial;
    poisoned = poison;
}

static void take_single(struct trial *trial, struct sample *sample)
{
    (void)trial;
    sample->seconds = poisoned ? unknown : known;
}

static const struct backend backend = {.renew = renew, .take_single = take_single};

static enum status judged(double of_known, double of_unknown)
{
    const struct stages stages = {.backend = &backend, .replicate = true};
    struct result result = result_new();
    struct trial trial = {.result = &result, .cache = CACHE_COLD, .folded = 1, .launches = 1};
    known = of_known;
    unknown = of_unknown;
    result.samples = memory_new(SAMPLES, sizeof *result.samples);
    while (result.sample_count < SAMPLES)
        result.samples[result.sample_count++] = sample_of(known);
    referee_judge(&trial, &stages, true);
    enum status status = result.status;
    result_free(&result);
    return status;
}

TEST(a_launch_may_take_longer_by_a_margin)
{
    assert_int_equal(judged(1e-3, 1e-3), STATUS_OK);
    assert_int_equal(judged(1e-3, 1.019e-3), STATUS_OK);
    assert_int_equal(judged(1e-3, 1.021e-3), STATUS_FAILED);
}

/* What TLBs make of a short launch is no fault of the kernel. */
TEST(short_launches_have_a_margin_of_their_own)
{
    assert_int_equal(judged(2.42e-6, 2.52e-6), STATUS_OK);
    assert_int_equal(judged(2.42e-6, 2.8e-6), STATUS_FAILED);
}

TEST(a_launch_that_finds_nothing_may_be_faster)
{
    assert_int_equal(judged(1e-3, 0.5e-3), STATUS_OK);
}
