/* What a results file is of, and what may not be mixed into it. */
#include "unit_test.h"

#include "base/memory.h"
#include "coordinator/state/run_plan.h"
#include "store/merge/store_merge.h"

/* A file of one row, by run 1, on a GPU. */
static struct dataset file_of(const struct store_pair *pairs, int count)
{
    struct dataset file = {.results = frame_new(), .devices = frame_new()};
    frame_add_column(&file.results, "run", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_column(&file.results, "status", COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_row(&file.results);
    frame_put_integer(&file.results, 0, 0, 1);
    frame_put_text(&file.results, 0, 1, "ok");
    frame_add_column(&file.devices, "name", COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_column(&file.devices, "backend", COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_add_column(&file.devices, "capability", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_column(&file.devices, "multiprocessors", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_column(&file.devices, "memory_bytes", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_row(&file.devices);
    frame_put_text(&file.devices, 0, 0, "NVIDIA H200");
    frame_put_text(&file.devices, 0, 1, "cuda");
    frame_put_integer(&file.devices, 0, 2, 90);
    frame_put_integer(&file.devices, 0, 3, 132);
    frame_put_integer(&file.devices, 0, 4, INT64_C(150000000000));
    file.environment = memory_new((size_t)count, sizeof *file.environment);
    for (int i = 0; i < count; i++)
        file.environment[i] = (struct store_pair){
            .name = memory_text(pairs[i].name), .value = memory_text(pairs[i].value), .run = 1};
    file.environment_count = count;
    return file;
}

#define PAIR(name_, value_)                                                                                  \
    {                                                                                                        \
        .name = (char *)(name_), .value = (char *)(value_)                                                   \
    }
static const struct store_pair standard[] = {
    PAIR("backend", "cuda"),  PAIR("seed", "7"),           PAIR("rules", "1"),   PAIR("timing", "cache cold"),
    PAIR("code.copy", "abc"), PAIR("counters", "l2 dram"), PAIR("release", "9"),
};
enum { STANDARD = sizeof standard / sizeof *standard };

static struct member gpu(const char *name, int multiprocessors, int64_t memory)
{
    struct member member = {.device = device_unknown()};
    snprintf(member.device.name, sizeof member.device.name, "%s", name);
    snprintf(member.device.backend, sizeof member.device.backend, "cuda");
    member.device.capability = 90;
    member.device.multiprocessors = multiprocessors;
    member.device.memory_bytes = memory;
    return member;
}

/* Resume with the pair `changed` (NULL: none) on `member`; lines for the user go to `lines`. */
static int resume(const struct store_pair *changed, struct member member,
                  const struct launch_options *options, struct text *lines)
{
    struct store_pair now[STANDARD];
    memcpy(now, standard, sizeof now);
    for (int i = 0; i < STANDARD && changed; i++)
        if (!strcmp(now[i].name, changed->name))
            now[i] = *changed;
    struct dataset file = file_of(standard, STANDARD);
    const struct environment environment = {.pair = now, .count = STANDARD};
    const struct team team = {.member = &member, .count = 1};
    struct error error = {0};
    int failed = identity_check(&file, &environment, &team, options, lines, &error);
    assert_int_equal(failed, error.kind == ERROR_ENVIRONMENT ? -1 : 0);
    dataset_free(&file);
    return failed;
}

static void say(void *said, const struct compared *what, const char *there, const char *now)
{
    assert_string_equal(what->name, what->what);
    snprintf(said, 64, "%s %s", there, now);
}

TEST(pairs)
{
    const struct launch_options options = {.output_path = "f.h5"};
    const struct member same = gpu("NVIDIA H200", 132, INT64_C(150000000000));
    static const struct {
        struct store_pair pair;
        const char *said;
    } cases[] = {
        {PAIR("backend", "host"), "--backend cuda"}, {PAIR("seed", "8"), "--seed 7"},
        {PAIR("rules", "2"), "rules of measuring"},  {PAIR("timing", "cache hot"), "timing"},
        {PAIR("code.copy", "abd"), "code of copy"},  {PAIR("counters", "l2"), "--remeasure counters"},
        {PAIR("counters", "none"), "counters"},
    };
    struct text lines = {0};
    assert_int_equal(resume(NULL, same, &options, &lines), 0);
    text_free(&lines);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(resume(&cases[i].pair, same, &options, &lines), -1);
        assert_non_null(strstr(lines.data, cases[i].said));
        assert_non_null(strstr(lines.data, cases[i].pair.value));
        text_free(&lines);
    }
    const struct launch_options again = {.output_path = "f.h5", .remeasure_counters = true};
    assert_int_equal(resume(&cases[5].pair, same, &again, &lines), 0);
    text_free(&lines);
}

/* A variable that one side does not have was not set, if that side lists it; else nothing is known. */
TEST(variables)
{
    static const struct store_pair ring = PAIR("NCCL_ALGO", "Ring"), tree = PAIR("NCCL_ALGO", "Tree"),
                                   listed = PAIR("variables", "OMP_* NCCL_*"),
                                   other = PAIR("variables", "OMP_*"), job = PAIR("SLURM_JOB_ID", "1"),
                                   next = PAIR("SLURM_JOB_ID", "2");
    static const struct {
        struct store_pair there[2], now[2];
        const char *said; /* NULL: nothing */
    } cases[] = {
        {{ring, listed}, {tree, listed}, "Ring Tree"},
        {{ring, listed}, {ring, listed}, NULL},
        {{job, listed}, {ring, listed}, "not set Ring"},
        {{ring, listed}, {job, listed}, "Ring not set"},
        {{job, other}, {ring, listed}, NULL},
        {{ring, other}, {tree, other}, NULL},
        {{ring, other}, {job, listed}, "Ring not set"},
        {{job, listed}, {next, listed}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[64] = "";
        compatibility_compare(cases[i].there, 2, cases[i].now, 2, &(struct accepted){0}, say, said);
        assert_string_equal(said, cases[i].said ? cases[i].said : "");
        *said = 0;
        compatibility_compare(cases[i].there, 2, cases[i].now, 2, &(struct accepted){{"NCCL_ALGO"}, 1}, say,
                              said);
        assert_string_equal(said, "");
    }
}

TEST(products)
{
    const struct launch_options options = {.output_path = "f.h5"};
    const struct launch_options append = {.output_path = "f.h5", .append_device = true};
    struct text lines = {0};
    assert_int_equal(resume(NULL, gpu("NVIDIA H200", 132, INT64_C(149000000000)), &options, &lines), 0);
    assert_int_equal(resume(NULL, gpu("NVIDIA H200", 132, INT64_C(75000000000)), &options, &lines), -1);
    assert_int_equal(resume(NULL, gpu("NVIDIA H200", 66, INT64_C(150000000000)), &options, &lines), -1);
    assert_int_equal(resume(NULL, gpu("NVIDIA H100", 132, INT64_C(150000000000)), &options, &lines), -1);
    assert_non_null(strstr(lines.data, "--append-device"));
    assert_int_equal(resume(NULL, gpu("NVIDIA H100", 132, INT64_C(80000000000)), &append, &lines), 0);
    text_free(&lines);
}

/* A file without rules can be resumed, with a note. */
TEST(older_release)
{
    static const struct store_pair old[] = {PAIR("backend", "cuda"), PAIR("seed", "7"),
                                            PAIR("counters", "l2 dram"), PAIR("release", "0.2.0")};
    struct dataset file = file_of(old, 4);
    struct member member = gpu("NVIDIA H200", 132, INT64_C(150000000000));
    const struct environment now = {.pair = (struct store_pair *)standard, .count = STANDARD};
    const struct team team = {.member = &member, .count = 1};
    const struct launch_options options = {.output_path = "f.h5"};
    struct text lines = {0};
    struct error error = {0};
    assert_int_equal(identity_check(&file, &now, &team, &options, &lines, &error), 0);
    assert_non_null(strstr(lines.data, "release 0.2.0 wrote this file without its rules"));
    text_free(&lines);
    dataset_free(&file);
}
