/* Results: missing is NaN, and the statistics follow from the samples. */
#include "unit_test.h"

#include "core/result.h"

static void give_samples(struct result *result, const double *seconds, uint32_t count)
{
    result->samples = calloc(count, sizeof *result->samples);
    result->sample_count = count;
    for (uint32_t i = 0; i < count; i++)
        result->samples[i] = (struct sample){.seconds = seconds[i]};
}

TEST(new_is_missing_everywhere)
{
    struct result result = result_new();
    assert_int_equal(result.status, STATUS_OK);
    assert_int_equal(result.stop, STOP_NONE);
    assert_int_equal(result.device, -1);
    assert_int_equal(result.repeat, 0);
    assert_string_equal(result.message, "");
    for (int i = 0; i < REAL_COUNT; i++)
        assert_true(isnan(result.real[i]));
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        assert_true(isnan(result.counter[i]));
    result_free(&result); /* of no samples */
}

static void expect_nothing_counted(const struct counted *counted)
{
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        assert_true(isnan(counted->counter[i]));
    assert_true(isnan(counted->activity.span) && isnan(counted->activity.idle));
#define X(name, role, unit, meaning) assert_true(isnan(counted->energy.name));
    RESULT_ENERGY(X)
#undef X
}

TEST(new_counted_is_missing_everywhere)
{
    struct counted counted = counted_new(3);
    expect_nothing_counted(&counted);
    assert_int_equal(counted.index, 3);
    assert_string_equal(counted.energy.status, "");
    for (int energy = 0; energy < 2; energy++) {
        counted = counted_lost(4, energy, "it died");
        expect_nothing_counted(&counted);
        assert_true(counted.index == 4 && counted.state == COUNTERS_FAILED);
        assert_string_equal(counted.why, "it died");
        assert_string_equal(counted.energy.status, energy ? "failed: it died" : "");
    }
}

TEST(summary)
{
    static const double seconds[] = {4e-3, 1e-3, 2e-3, 8e-3, 2e-3};
    struct result result = result_new();
    give_samples(&result, seconds, 5);
    result_summarise(&result);
    const double *real = result.real;
    assert_true(real[REAL_time_median] == 2e-3);
    assert_true(isnan(real[REAL_power]));           /* not this function's to know */
    assert_true(result.samples[0].seconds == 4e-3); /* raw samples stay in order */
    result_free(&result);
    assert_null(result.samples);
    assert_int_equal(result.sample_count, 0);
}

TEST(nothing_measured_stays_missing)
{
    struct result result = result_new();
    result_summarise(&result);
    assert_true(isnan(result.real[REAL_time_median]));
    result_free(&result);

    static const double one[] = {1e-3};
    result = result_new();
    give_samples(&result, one, 1);
    result_summarise(&result);
    assert_true(result.real[REAL_time_median] == 1e-3);
    result_free(&result);
}

TEST(failure_message)
{
    struct result result = result_new();
    result_fail(&result, STATUS_UNSUPPORTED, "vector of %d bytes", 64);
    assert_int_equal(result.status, STATUS_UNSUPPORTED);
    assert_string_equal(result.message, "vector of 64 bytes");
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    result_fail(&result, STATUS_FAILED, "%s", long_text);
    assert_int_equal(strlen(result.message), RESULT_MESSAGE_SIZE - 1);
}

TEST(words)
{
    /* files hold these */
    static const char *const statuses[] = {"ok",      "unsupported", "failed",
                                           "crashed", "timed_out",   "unavailable"};
    static const char *const stops[] = {"none", "converged", "settled", "max_time", "max_samples"};
    for (int i = 0; i < STATUS_COUNT; i++)
        assert_string_equal(status_words[i], statuses[i]);
    for (int i = 0; i < STOP_COUNT; i++)
        assert_string_equal(stop_words[i], stops[i]);
    assert_null(status_words[STATUS_COUNT]);
    assert_null(stop_words[STOP_COUNT]);
}

/* A point that goes on keeps all that is said of it, each remark once, as far as there is room. */
TEST(remarks)
{
    struct result result = result_new();
    char longest[RESULT_MESSAGE_SIZE];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    result_remark(&result, "algorithm %d", 66);
    result_remark(&result, "the clock %s", "sinks");
    result_remark(&result, "algorithm %d", 66);
    assert_string_equal(result.message, "algorithm 66; the clock sinks");
    assert_int_equal(result.status, STATUS_OK);
    result_remark(&result, "%s", longest);
    assert_int_equal(strlen(result.message), sizeof result.message - 1);
    result_free(&result);
}
