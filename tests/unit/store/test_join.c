#include "unit_test.h"

#include "store/merge/store_merge.h"
#include "results_fixture.h"

static const struct accepted none;

/* Points `first` to `last` - 1 with the results of those numbers plus `shift`, by `process` on a device of
 * that uuid; a repetition 1 of the first one. `commit` is the run's. */
struct plan {
    uint64_t first, last, shift;
    uint32_t process;
    const char *uuid, *start;
};

static void put(struct store *store, const struct plan *plan, uint64_t which, int repeat)
{
    struct sample samples[4];
    struct point point = stream_point(which);
    struct result result = numbered_result(which + plan->shift, &point, samples);
    result.repeat = repeat;
    result.process = plan->process;
    fixture_append(store, &point, &result);
}

static void write_file(const char *name, const struct plan *plan)
{
    char *path = fixture_path(name);
    struct store_pair environment[] = {{.name = (char *)"commit", .value = (char *)"abcdef"},
                                       {.name = (char *)"start", .value = (char *)plan->start}};
    struct store_head head = fixture_head();
    head.environment = environment;
    head.environment_count = 2;
    struct store *store;
    struct error error = {0};
    fixture_expect(store_open(path, false, &head, &store, &error), &error);
    struct device device = fixture_device();
    snprintf(device.uuid, sizeof device.uuid, "%s", plan->uuid);
    store_device(store, &device);
    for (uint64_t which = plan->first; which < plan->last; which++)
        put(store, plan, which, 0);
    put(store, plan, plan->first, 1);
    fixture_close(store);
    free(path);
}

static struct merge_source read_source(const char *name)
{
    char *path = fixture_path(name);
    struct merge_source source = {.path = name, .data = read_file(path)};
    free(path);
    return source;
}

static const struct store_pair how = {.name = (char *)"merged_from", .value = (char *)"here and there"};

/* Join the files of those names, NULL-terminated, and hold the result against `error`: "" for none. */
static struct dataset join(const char *const *name, enum merge_prefer prefer, struct merge_counts *counts,
                           const char *wrong)
{
    struct merge_source source[4];
    struct dataset joined;
    struct error error = {0};
    int count = 0;
    for (; name[count]; count++)
        source[count] = read_source(name[count]);
    int failed = merge_datasets(source, count, prefer, &none, &how, 1, &joined, counts, &error);
    if (!failed != !*wrong || (failed && !strstr(error.text, wrong)))
        fail_msg("'%s' instead of '%s'", error.text, wrong);
    while (count-- > 0)
        dataset_free(&source[count].data);
    return joined;
}

static const struct plan a = {0, 10, 0, 0, "GPU-a", "Monday"}, b = {10, 20, 0, 0, "GPU-b", "Tuesday"};

/* Every point, with its samples, the device and the run of its own file, and a process that only its file
 * has. */
TEST(rows_keep_what_is_theirs)
{
    write_file("a.h5", &a);
    write_file("b.h5", &b);
    struct merge_counts counts;
    struct dataset joined = join((const char *[]){"a.h5", "b.h5", NULL}, MERGE_REFUSE, &counts, "");
    assert_int_equal(counts.points, 20);
    assert_int_equal(joined.results.rows, 22); /* and a repetition of each */
    assert_int_equal(joined.devices.rows, 2);
    for (uint64_t which = 0; which < 20; which++) {
        size_t row = fixture_row_of(&joined, which);
        const char *uuid = which < 10 ? "GPU-a" : "GPU-b";
        int64_t device = fixture_cell(&joined.results, row, "device").integer;
        int64_t offset = fixture_cell(&joined.results, row, "sample_offset").integer;
        assert_true(fixture_row_is(&joined, row, which));
        assert_string_equal(frame_find_text(&joined.devices, (size_t)device, "uuid"), uuid);
        assert_int_equal(fixture_cell(&joined.results, row, "run").integer, which < 10 ? 1 : 2);
        for (uint64_t i = 0; i < which % 4; i++) {
            assert_int_equal(joined.samples[(uint64_t)offset + i].process, which < 10 ? 0 : 1);
            assert_int_equal(joined.samples[(uint64_t)offset + i].device, device);
        }
    }
    dataset_free(&joined);
}

TEST(environments_of_all_are_kept_the_latest_first)
{
    write_file("a.h5", &a);
    write_file("b.h5", &b);
    struct merge_counts counts;
    struct dataset joined = join((const char *[]){"a.h5", "b.h5", NULL}, MERGE_REFUSE, &counts, "");
    static const struct store_pair expected[] = {{(char *)"merged_from", (char *)"here and there", 3},
                                                 {(char *)"commit", (char *)"abcdef", 2},
                                                 {(char *)"start", (char *)"Tuesday", 2},
                                                 {(char *)"commit", (char *)"abcdef", 1},
                                                 {(char *)"start", (char *)"Monday", 1}};
    assert_int_equal(joined.environment_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(joined.environment[i].name, expected[i].name);
        assert_string_equal(joined.environment[i].value, expected[i].value);
        assert_int_equal(joined.environment[i].run, expected[i].run);
    }
    assert_string_equal(joined.job, fixture_head().job);
    assert_int_equal(joined.planned, 100);
    dataset_free(&joined);
}

/* A copy adds nothing: no row, device, run, repetition or sample. */
TEST(what_is_equal_is_there_once)
{
    write_file("a.h5", &a);
    write_file("b.h5", &b);
    struct merge_counts counts;
    struct dataset joined = join((const char *[]){"b.h5", "a.h5", "a.h5", NULL}, MERGE_REFUSE, &counts, "");
    struct dataset once = join((const char *[]){"b.h5", "a.h5", NULL}, MERGE_REFUSE, &counts, "");
    assert_int_equal(joined.results.rows, once.results.rows);
    assert_int_equal(joined.devices.rows, once.devices.rows);
    assert_int_equal(joined.sample_count, once.sample_count);
    assert_int_equal(joined.environment_count, once.environment_count);
    dataset_free(&once);
    dataset_free(&joined);
}

/* Repetitions of two runs of the same device stand side by side. */
TEST(repetitions_are_numbered_through)
{
    static const struct plan later = {0, 1, 0, 0, "GPU-a", "Wednesday"};
    write_file("a.h5", &a);
    write_file("later.h5", &later);
    struct merge_counts counts;
    struct dataset joined = join((const char *[]){"a.h5", "later.h5", NULL}, MERGE_FIRST, &counts, "");
    int repetitions[3] = {0};
    for (size_t row = 0; row < joined.results.rows; row++) {
        int64_t repeat = fixture_cell(&joined.results, row, "repeat").integer;
        assert_in_range(repeat, 0, 2);
        repetitions[repeat]++;
    }
    assert_int_equal(repetitions[1], 1);
    assert_int_equal(repetitions[2], 1);
    dataset_free(&joined);
}

/* What two files tell of themselves, one of the matters after the other. */
TEST(what_was_not_measured_alike_is_refused)
{
    static const struct {
        const char *name, *first, *other, *wrong; /* of /environment */
    } cases[] = {
        {"seed", "1", "1", ""},
        {"seed", "1", "2", "seed '2', not '1'"},
        {"backend", "cuda", "host", "back end 'host', not 'cuda'"},
        {"timing", "cache cold", "cache hot", "timing 'cache hot', not 'cache cold'"},
        {"counters", "a b", "a", "counters 'a', not 'a b'"},
        {"commit", "1234", "5678", "commit of warpsweep '5678', not '1234'"},
        {"code.copy", "1234", "5678", ""}, /* without `rules` the commit stands for it */
    };
    struct error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store_pair pair[2] = {{.name = (char *)cases[i].name, .value = (char *)cases[i].first},
                                     {.name = (char *)cases[i].name, .value = (char *)cases[i].other}};
        struct dataset first = {.job = (char *)"", .environment = &pair[0], .environment_count = 1};
        struct dataset other = {.job = (char *)"", .environment = &pair[1], .environment_count = 1};
        int failed = compatibility_check("first.h5", &first, "other.h5", &other, &none, &error);
        if (!failed != !*cases[i].wrong || (failed && !strstr(error.text, cases[i].wrong)))
            fail_msg("'%s' instead of '%s'", error.text, cases[i].wrong);
    }
}

TEST(the_rules_and_the_code_stand_for_the_release)
{
    static struct store_pair of_first[] = {{(char *)"rules", (char *)"1", 1},
                                           {(char *)"commit", (char *)"abc", 1},
                                           {(char *)"code.copy", (char *)"1234", 1}};
    static struct store_pair of_other[] = {{(char *)"rules", (char *)"1", 1},
                                           {(char *)"commit", (char *)"def", 1},
                                           {(char *)"code.copy", (char *)"1234", 1}};
    struct dataset first = {.job = (char *)"", .environment = of_first, .environment_count = 3};
    struct dataset other = {.job = (char *)"", .environment = of_other, .environment_count = 3};
    struct error error = {0};
    assert_int_equal(compatibility_check("first.h5", &first, "other.h5", &other, &none, &error), 0);
    of_other[2].value = (char *)"5678";
    assert_int_equal(compatibility_check("first.h5", &first, "other.h5", &other, &none, &error), -1);
    assert_non_null(strstr(error.text, "code of copy"));
}

TEST(another_product_is_refused)
{
    static const struct plan c = {10, 20, 0, 0, "GPU-c", "Tuesday"};
    struct error error = {0};
    write_file("a.h5", &a);
    write_file("c.h5", &c);
    struct merge_source first = read_source("a.h5"), other = read_source("c.h5");
    int column = frame_find(&other.data.devices, "multiprocessors");
    assert_int_equal(compatibility_check("a.h5", &first.data, "c.h5", &other.data, &none, &error), 0);
    frame_row(&other.data.devices, 0)[column].integer = 114;
    frame_row(&other.data.devices, 0)[frame_find(&other.data.devices, "capability")].integer = 90;
    assert_int_equal(compatibility_check("a.h5", &first.data, "c.h5", &other.data, &none, &error), -1);
    assert_non_null(strstr(error.text, "only c.h5 was measured on 'Test device'"));
    dataset_free(&first.data);
    dataset_free(&other.data);
}
