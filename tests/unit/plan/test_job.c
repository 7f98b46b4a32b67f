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
    assert_int_equal(job_parse("t.yaml", text, strlen(text), &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.text, message);
    assert_null(job.sweeps); /* nothing to free */
    assert_null(job.text);
}

TEST(least_job)
{
    struct job job = parsed("sweeps: [{kernel: copy}]\n");
    struct timing standard = config_standard().timing;
    assert_string_equal(job.path, "t.yaml");
    assert_string_equal(job.text, "sweeps: [{kernel: copy}]\n");
    assert_string_equal(job.title, "");
    assert_string_equal(job.counter_set, "memory");
    assert_int_equal(job.counter_count, 0);
    assert_int_equal(job.timing.min_samples, standard.min_samples);
    assert_int_equal(job.timing.max_samples, standard.max_samples);
    assert_true(job.timing.max_time == standard.max_time && job.timing.timeout == standard.timeout);
    assert_int_equal(job.sweep_count, 1);
    const struct job_sweep *sweep = &job.sweeps[0];
    assert_string_equal(sweep->family->space.kernel, "copy");
    assert_int_equal(sweep->axis_count, sweep->family->space.count);
    struct point point = point_standard(&sweep->family->space);
    for (int i = 0; i < sweep->axis_count; i++) {
        assert_int_equal(sweep->axes[i].axis, i);
        assert_int_equal(sweep->axes[i].group, i);
        assert_int_equal(sweep->axes[i].count, 1);
        assert_int_equal(sweep->axes[i].values[0], point.value[i]);
    }
    job_free(&job);
}

TEST(settings)
{
    struct job job = parsed("title: Strides\ncounters: roofline\n"
                            "timing: {cache: rotate, min_samples: 5, max_samples: 1e3, target_ci: 1%,\n"
                            "         max_time: 250ms, timeout: 00:01:30}\n"
                            "sweeps: [{kernel: copy}]\n");
    assert_string_equal(job.title, "Strides");
    assert_string_equal(job.counter_set, "roofline");
    assert_int_equal(job.timing.cache, CACHE_ROTATE);
    assert_int_equal(job.timing.min_samples, 5);
    assert_int_equal(job.timing.max_samples, 1000);
    assert_true(job.timing.target_ci == 0.01);
    assert_true(job.timing.max_time == 0.25);
    assert_true(job.timing.timeout == 90);
    VALUES(&job.sweeps[0], "cache", CACHE_ROTATE);
    job_free(&job);
}

TEST(metrics)
{
    struct job job =
        parsed("counters: [dram__bytes_read.sum, sm__cycles_active.avg]\nsweeps: [{kernel: copy}]\n");
    assert_string_equal(job.counter_set, "");
    assert_int_equal(job.counter_count, 2);
    assert_string_equal(job.counter[0], "dram__bytes_read.sum");
    assert_string_equal(job.counter[1], "sm__cycles_active.avg");
    job_free(&job);
}

TEST(values)
{
    struct job job = parsed("sweeps:\n"
                            "  - kernel: copy\n"
                            "    axes:\n"
                            "      size: [1000, 64KiB, 1 MiB, 2MB]\n"
                            "      stride: {from: 1, to: 40, factor: 3}\n"
                            "      offset: {from: 0, to: 10, step: 5}\n"
                            "      block: [{from: 32, to: 128, step: 32}, 1024]\n"
                            "      dtype: [f64, u8]\n"
                            "      items: {from: 4, to: 4, factor: 2}\n"
                            "      arch: [native, compute_80]\n");
    const struct job_sweep *sweep = &job.sweeps[0];
    VALUES(sweep, "size", 1000, 65536, 1048576, 2000000);
    VALUES(sweep, "stride", 1, 3, 9, 27);
    VALUES(sweep, "offset", 0, 5, 10);
    VALUES(sweep, "block", 32, 64, 96, 128, 1024);
    VALUES(sweep, "dtype", DTYPE_F64, DTYPE_U8);
    VALUES(sweep, "items", 4);
    arch compute_80;
    assert_true(arch_parse("compute_80", &compute_80));
    VALUES(sweep, "arch", ARCH_NATIVE, compute_80);
    job_free(&job);
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

TEST(precedence)
{
    struct job job = parsed("timing: {cache: hot}\n"
                            "defaults: {stride: [1, 2], size: 1MiB}\n"
                            "sweeps:\n"
                            "  - {kernel: copy}\n"
                            "  - {kernel: copy, axes: {stride: 4, cache: cold}}\n");
    VALUES(&job.sweeps[0], "stride", 1, 2);
    VALUES(&job.sweeps[0], "size", 1048576);
    VALUES(&job.sweeps[0], "cache", CACHE_HOT);
    VALUES(&job.sweeps[1], "stride", 4);
    VALUES(&job.sweeps[1], "size", 1048576);
    VALUES(&job.sweeps[1], "cache", CACHE_COLD);
    job_free(&job);
    job = parsed("timing: {cache: hot}\ndefaults: {cache: [cold, rotate]}\nsweeps: [{kernel: copy}]\n");
    VALUES(&job.sweeps[0], "cache", CACHE_COLD, CACHE_ROTATE);
    job_free(&job);
}

TEST(zip_groups)
{
    struct job job = parsed("defaults: {items: [1, 2]}\n"
                            "sweeps:\n"
                            "  - kernel: copy\n"
                            "    axes: {stride: [1, 2, 4], vector: [4, 2, 1], block: [64, 128]}\n"
                            "    zip: [[stride, vector], [items, block]]\n");
    const struct job_sweep *sweep = &job.sweeps[0];
    assert_int_equal(axis_of(sweep, "stride")->group, axis_of(sweep, "vector")->group);
    assert_int_equal(axis_of(sweep, "items")->group, axis_of(sweep, "block")->group);
    assert_int_not_equal(axis_of(sweep, "items")->group, axis_of(sweep, "vector")->group);
    for (int i = 0; i < sweep->axis_count; i++) {
        int leader = sweep->axes[i].group;
        assert_true(leader <= i);
        assert_int_equal(sweep->axes[leader].group, leader);
        assert_int_equal(sweep->axes[leader].count, sweep->axes[i].count);
    }
    job_free(&job);
}

TEST(excludes_are_ascending)
{
    struct job job = parsed("sweeps:\n"
                            "  - kernel: copy\n"
                            "    axes: {stride: [1, 2, 4, 8]}\n"
                            "    exclude:\n"
                            "      - {stride: [8, 2, 4], size: 256MiB}\n");
    const struct job_sweep *sweep = &job.sweeps[0];
    assert_int_equal(sweep->exclude_count, 1);
    assert_int_equal(sweep->excludes[0].count, 2);
    const struct job_axis *stride = &sweep->excludes[0].axes[0];
    assert_int_equal(stride->axis, space_axis(&sweep->family->space, "stride"));
    assert_int_equal(stride->count, 3);
    assert_true(stride->values[0] == 2 && stride->values[1] == 4 && stride->values[2] == 8);
    job_free(&job);
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
    assert_int_equal(job_read(path, &job, &error), 0);
    assert_string_equal(job.path, path);
    assert_string_equal(job.text, text);
    assert_string_equal(job.title, "from a file");
    job_free(&job);
    assert_int_equal(ftruncate(file, (off_t)JOB_FILE_LIMIT + 1), 0);
    assert_int_equal(job_read(path, &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "this file has 4194305 bytes; a job file has at most 4194304"));
    close(file);
    unlink(path);
    assert_int_equal(job_read(path, &job, &error), -1);
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
    assert_int_equal(job_parse("t.yaml", text, size, &job, &error), -1);
    assert_string_equal(error.text, "t.yaml:1:1: this job has 4194305 bytes; the maximum is 4194304");
    assert_int_equal(job_parse("t.yaml", text, size - 1, &job, &error), -1);
    assert_string_equal(error.text, "t.yaml:1:1: this job file is empty; expected `sweeps:`");
    free(text);
}

TEST(replicates_of_unknown_kernels)
{
    bool all;
    assert_int_equal(job_replicates("timing: {replicates: 2}\nsweeps: [{kernel: mine}]\n", true, &all), 2);
    assert_false(all);
    assert_int_equal(job_replicates("timing: {devices: all}\nsweeps: [{kernel: mine}]\n", false, &all), 3);
    assert_true(all);
    assert_int_equal(job_replicates("sweeps: [{kernel: mine}]\n", true, &all), PAIRED_REPLICATES);
    assert_int_equal(job_replicates("no job", false, &all), 3);
    assert_int_equal(job_replicates("[", false, &all), 3);
    assert_false(all);
}
