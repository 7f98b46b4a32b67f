/* The table of counters: consistent in itself, and known to the chips that people have. */
#include "unit_test.h"

#include "core/metric.h"
#include "core/result.h"
#include "plan/job.h"

TEST(columns_are_unique_and_described)
{
    assert_true(metric_count > 0 && metric_count <= RESULT_COUNTERS_MAX);
    for (int i = 0; i < metric_count; i++) {
        const struct metric *metric = &metrics[i];
        assert_true(*metric->column && strlen(metric->column) < sizeof((struct config *)0)->counter[0]);
        assert_true(*metric->unit && *metric->meaning && metric->cupti[0] && metric->factor > 0);
        assert_true(metric->sets && !(metric->sets & ~(unsigned)METRIC_ALL));
        assert_ptr_equal(metric_find(metric->column), metric); /* the first of that name */
        for (int k = 0; k < METRIC_NAMES_MAX && metric->cupti[k]; k++)
            assert_non_null(strstr(metric->cupti[k], "__"));
    }
    assert_null(metric_find("dram__bytes_read.sum"));
}

/* Counters and what every point has are columns of one table. */
TEST(columns_are_not_those_of_every_result)
{
    static const char *const reals[] = {
#define X(name, role, unit, meaning) #name,
        RESULT_REALS(X)
#undef X
    };
    for (int i = 0; i < metric_count; i++)
        for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
            assert_string_not_equal(metrics[i].column, reals[k]);
}

TEST(sets_hold_what_they_should)
{
    const char *columns[RESULT_COUNTERS_MAX];
    for (int i = 0; metric_sets[i]; i++) {
        int count = metric_set_columns(metric_sets[i], columns);
        bool none = !strcmp(metric_sets[i], "none");
        assert_true(none ? count == 0 : count > 0);
        for (int k = 0; k < count; k++)
            assert_non_null(metric_find(columns[k]));
    }
    int links = metric_set_columns("links", columns), tensor = metric_set_columns("tensor", columns);
    assert_int_equal(metric_set_columns("all", columns),
                     metric_count - links - tensor + 1); /* roofline has one */
    assert_int_equal(metric_set_columns("memries", columns), -1);
    assert_int_equal(metric_set_columns("", columns), -1);
}

static bool set_has(const char *set, const char *column)
{
    const char *columns[RESULT_COUNTERS_MAX];
    int count = metric_set_columns(set, columns);
    for (int i = 0; i < count; i++)
        if (!strcmp(columns[i], column))
            return true;
    return false;
}

/* What the field reads by name. */
TEST(sets_answer_their_question)
{
    assert_true(set_has("coalescing", "load_sectors_per_request"));
    assert_false(set_has("coalescing", "dram_throughput"));
    assert_true(set_has("memory", "load_efficiency") && set_has("memory", "dram_throughput") &&
                set_has("memory", "l1_hit_rate") && set_has("memory", "l2_hit_rate") &&
                set_has("memory", "sm_active"));
    assert_true(set_has("shared", "shared_load_conflicts") && set_has("shared", "shared_utilization"));
    assert_true(set_has("occupancy", "occupancy_achieved"));
    assert_true(set_has("stalls", "stall_long_scoreboard") && set_has("stalls", "stall_barrier"));
    assert_true(set_has("links", "link_bytes_sent") && set_has("links", "link_payload_received"));
    assert_true(set_has("peers", "peer_read_sectors") && set_has("peers", "load_sectors"));
    assert_false(set_has("links", "load_sectors") || set_has("all", "link_bytes_sent"));
    assert_true(set_has("tensor", "tensor_ops_f8") && set_has("roofline", "tensor_ops_bf16"));
    assert_true(set_has("roofline", "ffma_thread") && set_has("roofline", "dram_bytes_read"));
}

/* Every set's name is one that a job file takes. */
TEST(jobs_take_every_set)
{
    for (int i = 0; metric_sets[i]; i++) {
        char text[128];
        struct job job;
        struct error error;
        snprintf(text, sizeof text, "counters: %s\nsweeps: [{kernel: copy}]\n", metric_sets[i]);
        assert_int_equal(job_parse("job.yaml", text, strlen(text), NULL, &job, &error), 0);
        assert_string_equal(job.counter_set, metric_sets[i]);
        job_free(&job);
    }
}

#ifdef WARPSWEEP_CUDA
#include "worker/cuda/counters/cuda_counters.h"
#include "worker/cuda/counters/cupti.h"

static const char *const chips[] = {"GH100", "GB100", "GB202"};

/* Says why not. CUPTI's own libraries refuse to be loaded beside AddressSanitizer. */
static bool cupti_is_here(void)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("CUPTI does not load beside AddressSanitizer\n");
    return false;
#else
    struct error error;
    if (cupti_chips(&error))
        return true;
    print_message("%s\n", error.text);
    return false;
#endif
}

/* GB202 has no NVLink, GH100 no fp4. */
static bool is_lacking(const char *chip, const struct metric *metric)
{
    return (!strcmp(chip, "GB202") && metric->sets == METRIC_LINKS) ||
           (!strcmp(chip, "GH100") && !strcmp(metric->column, "tensor_ops_f4"));
}

static bool lacks_set(const char *chip, const char *set)
{
    return !strcmp(chip, "GB202") && !strcmp(set, "links");
}

static bool first_known(struct cupti_chip *chip, const char *const alternatives[METRIC_NAMES_MAX])
{
    for (int i = 0; i < METRIC_NAMES_MAX && alternatives[i]; i++)
        if (cupti_chip_has(chip, alternatives[i]))
            return true;
    return false;
}

TEST(every_chip_knows_every_column)
{
    for (size_t c = 0; c < sizeof chips / sizeof *chips; c++) {
        struct cupti_chip *chip;
        struct error error;
        if (!cupti_is_here())
            skip();
        assert_int_equal(cupti_chip_open(chips[c], &chip, &error), 0);
        for (int i = 0; i < metric_count; i++) {
            bool knows = first_known(chip, metrics[i].cupti) &&
                         (!metrics[i].per[0] || first_known(chip, metrics[i].per));
            if (knows == is_lacking(chips[c], &metrics[i]))
                fail_msg("%s %s %s", chips[c], knows ? "knows" : "does not know", metrics[i].column);
        }
        cupti_chip_close(chip);
    }
}

/* An alternative that no chip takes would be a slip of the pen. */
TEST(every_name_is_some_chips)
{
    struct error error;
    if (!cupti_is_here())
        skip();
    for (int i = 0; i < metric_count; i++) {
        for (int k = 0; k < METRIC_NAMES_MAX && metrics[i].cupti[k]; k++) {
            bool known = false;
            for (size_t c = 0; c < sizeof chips / sizeof *chips && !known; c++) {
                struct cupti_chip *chip;
                assert_int_equal(cupti_chip_open(chips[c], &chip, &error), 0);
                known = cupti_chip_has(chip, metrics[i].cupti[k]);
                cupti_chip_close(chip);
            }
            if (!known)
                fail_msg("no chip knows %s", metrics[i].cupti[k]);
        }
    }
}

static uint32_t passes_of(const char *chip, const char *set)
{
    const char *columns[RESULT_COUNTERS_MAX];
    bool has[RESULT_COUNTERS_MAX];
    uint32_t passes = 0;
    struct error error;
    int count = metric_set_columns(set, columns);
    if (cuda_chip_ask(chip, columns, (uint32_t)count, has, &passes, &error) != 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < count; i++)
        assert_true(has[i] != is_lacking(chip, metric_find(columns[i])));
    return passes;
}

/* What a pass costs is some 19 ms a point: the sets are made so that they need few. */
TEST(sets_need_few_passes)
{
    if (!cupti_is_here())
        skip();
    assert_in_range(passes_of("GH100", "memory"), 1, 3);
    assert_in_range(passes_of("GB100", "memory"), 1, 3);
    assert_int_equal(passes_of("GH100", "links"), 1);
    assert_int_equal(passes_of("GB100", "links"), 1);
    assert_in_range(passes_of("GH100", "peers"), 1, 3);
    for (size_t c = 0; c < sizeof chips / sizeof *chips; c++)
        for (int i = 0; metric_sets[i]; i++)
            if (strcmp(metric_sets[i], "none") != 0)
                assert_in_range(passes_of(chips[c], metric_sets[i]),
                                lacks_set(chips[c], metric_sets[i]) ? 0 : 1,
                                !strcmp(metric_sets[i], "all") ? 9 : 8);
}

TEST(a_chip_says_what_it_lacks)
{
    static const char *const columns[] = {"dram__bytes_read.sum", "dram_bytes_read", "nonsense__x.sum"};
    bool has[3];
    uint32_t passes = 0;
    struct error error = {0};
    if (!cupti_is_here())
        skip();
    assert_int_equal(cuda_chip_ask("GB202", columns, 3, has, &passes, &error), 0);
    assert_true(!has[0] && has[1] && !has[2]); /* the table has GB202's name for the same */
    assert_int_equal(passes, 1);
    assert_int_equal(cuda_chip_ask("GB202", columns, 0, has, &passes, &error), 0);
    assert_int_equal(passes, 0);
    assert_int_equal(cuda_chip_ask("GH10", columns, 1, has, &passes, &error), -1);
    assert_non_null(strstr(error.text, "did you mean 'GH100'?"));
}
#endif
