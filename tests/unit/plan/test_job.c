/* Job files: what they may say and what becomes of it. The errors are golden (tests/golden/bad.txt). */
#include "unit_test.h"

#include "base/memory.h"
#include "job_fixture.h"
#include "plan/job.h"

static const struct job_axis *axis_of(const struct job_sweep *sweep, const char *name)
{
    int index = space_axis(&sweep->family->space, name);
    assert_true(index >= 0);
    return &sweep->axes[index];
}

static void assert_values(const struct job_sweep *sweep, const char *name, size_t count,
                          const int64_t *values)
{
    const struct job_axis *axis = axis_of(sweep, name);
    assert_int_equal(axis->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(axis->values[i], values[i]);
}
#define VALUES(sweep, name, ...)                                                                             \
    assert_values(sweep, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static void assert_refused(const char *text, const char *message)
{
    struct job job;
    struct error error = {0};
    assert_int_equal(job_parse("t.yaml", text, strlen(text), NULL, &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.text, message);
    assert_null(job.sweeps); /* nothing to free */
    assert_null(job.text);
}

TEST(ranges_at_the_limits)
{
    struct job job =
        parsed("sweeps:\n  - {kernel: copy, axes: {size: {from: 1, to: 16TiB, factor: 16}}}\n"
               "  - {kernel: copy, axes: {size: {from: 1, to: 16TiB, factor: 9223372036854775807}}}\n"
               "  - {kernel: copy, axes: {size: {from: 1, to: 16TiB, step: 8TiB}}}\n");
    assert_int_equal(axis_of(&job.sweeps[0], "size")->count, 12);
    assert_int_equal(axis_of(&job.sweeps[0], "size")->values[11], INT64_C(1) << 44);
    VALUES(&job.sweeps[1], "size", 1);
    VALUES(&job.sweeps[2], "size", 1, (INT64_C(1) << 43) + 1);
    job_free(&job);
}

TEST(value_budget)
{
    /* Exactly JOB_VALUES_MAX values in two sweeps; one more is refused where it stands. */
    struct job job = parsed("sweeps:\n  - {kernel: copy, axes: {size: {from: 1, to: 1048570, step: 1}}}\n"
                            "  - {kernel: copy, axes: {stride: [1, 2, 3, 4, 5, 6]}}\n");
    assert_int_equal(axis_of(&job.sweeps[0], "size")->count + axis_of(&job.sweeps[1], "stride")->count,
                     JOB_VALUES_MAX);
    job_free(&job);
    assert_refused(
        "sweeps:\n  - {kernel: copy, axes: {size: {from: 1, to: 1048570, step: 1}}}\n"
        "  - {kernel: copy, axes: {stride: [1, 2, 3, 4, 5, 6, 7]}}\n",
        "t.yaml:3:54: stride: 7 values here are too many; the maximum over all axes of a job is 1048576");
    assert_refused(
        "sweeps: [{kernel: copy, axes: {size: {from: 1, to: 1048577, step: 1}}}]\n",
        "t.yaml:1:38: size: 1048577 values here are too many; the maximum over all axes of a job is "
        "1048576");
}

TEST(places_of_sweeps)
{
    struct job job = parsed("sweeps:\n  - kernel: copy\n\n  -   kernel: copy\n");
    assert_int_equal(job.sweeps[0].line, 2);
    assert_int_equal(job.sweeps[0].column, 5);
    assert_int_equal(job.sweeps[1].line, 4);
    assert_int_equal(job.sweeps[1].column, 7);
    job_free(&job);
}

TEST(failures_free_everything)
{
    /* Each fails at another depth; LeakSanitizer and the check for NULL see what is left behind. */
    assert_refused("title: t\ncounters: [sm__a.sum, x]\nsweeps: [{kernel: copy}]\n",
                   "t.yaml:2:23: counters: 'x' is not a metric name; expected one like dram__bytes_read.sum");
    assert_refused("sweeps: [{kernel: copy, axes: {stride: [1, 2], vector: [1, 1]}}]\n",
                   "t.yaml:1:60: vector: the value 1 is given twice; the first is at line 1, column 57");
    assert_refused(
        "sweeps: [{kernel: copy, axes: {stride: [1, 2]}, exclude: [{stride: 1}, {stride: 2, items: 7}]}]\n",
        "t.yaml:1:91: exclude: the sweep has no point with items = 7");
}

TEST(read_file)
{
    static const char text[] = "title: from a file\nsweeps: [{kernel: copy}]\n";
    char path[] = "/tmp/test_job.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    struct job job;
    struct error error = {0};
    assert_int_equal(job_read(path, NULL, &job, &error), 0);
    assert_string_equal(job.path, path);
    assert_string_equal(job.text, text);
    assert_string_equal(job.title, "from a file");
    job_free(&job);
    assert_int_equal(ftruncate(file, (off_t)JOB_FILE_LIMIT + 1), 0);
    assert_int_equal(job_read(path, NULL, &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "the file has 4194305 bytes; the limit is 4194304"));
    close(file);
    unlink(path);
    assert_int_equal(job_read(path, NULL, &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "No such file or directory"));
}

TEST(parse_limit)
{
    size_t size = (size_t)JOB_FILE_LIMIT + 1;
    char *text = memory_new(size, 1);
    struct job job;
    struct error error = {0};
    memset(text, ' ', size);
    assert_int_equal(job_parse("t.yaml", text, size, NULL, &job, &error), -1);
    assert_string_equal(error.text, "t.yaml:1:1: this job has 4194305 bytes; the maximum is 4194304");
    assert_int_equal(job_parse("t.yaml", text, size - 1, NULL, &job, &error), -1);
    assert_string_equal(error.text, "t.yaml:1:1: this job file is empty; expected `sweeps:`");
    free(text);
}

TEST(outline_of_unknown_kernels)
{
    struct job_outline job =
        job_outline("title: Mine\ntiming: {replicates: 2}\nsweeps: [{kernel: mine}]\n", true);
    assert_int_equal(job.replicates, 2);
    assert_false(job.all_devices);
    assert_string_equal(job.title, "Mine");
    job = job_outline("timing: {devices: all}\nsweeps: [{kernel: mine}]\n", false);
    assert_int_equal(job.replicates, 3);
    assert_true(job.all_devices);
    assert_string_equal(job.title, "");
    assert_int_equal(job_outline("sweeps: [{kernel: mine}]\n", true).replicates, PAIRED_REPLICATES);
    assert_int_equal(job_outline("no job", false).replicates, 3);
    assert_int_equal(job_outline("[", false).replicates, 3);
}
