#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit_test.h"

#include "store/journal/journal.h"
#include "results_fixture.h"

/* Append result `number` as that of stream point `which`. */
static void append_as(struct store *store, uint64_t which, uint64_t number)
{
    struct sample samples[4];
    struct point point = stream_point(which);
    struct result result = numbered_result(number, &point, samples);
    fixture_append(store, &point, &result);
}

static void append_range(struct store *store, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++)
        append_as(store, i, i);
}

static struct dataset close_and_read(struct store *store)
{
    fixture_close(store);
    return read_file(file);
}

/* The file at `path` has the points [0, count), each once, as result `number of point` + `shift`. */
static void check_points(const char *path, uint64_t count, uint64_t shift)
{
    struct dataset dataset = read_file(path);
    assert_int_equal(dataset.results.rows, count);
    for (uint64_t i = 0; i < count; i++) {
        size_t row = fixture_row_of(&dataset, i);
        assert_true(fixture_row_is(&dataset, row, i + shift));
    }
    dataset_free(&dataset);
}

/* A name that is taken, or of a folder, is wrong usage. */
static void expect_refusal(const char *path, bool resume, const char *part)
{
    struct store_head head = fixture_head();
    struct store *store;
    struct error error = {0};
    assert_int_equal(store_open(path, resume, &head, &store, &error), -1);
    assert_null(store);
    bool usage = strstr(error.text, "use --resume") || strstr(error.text, "not a regular file") ||
                 strstr(error.text, "folder does not exist");
    assert_int_equal(error.kind, usage ? ERROR_USAGE : ERROR_ENVIRONMENT);
    if (!strstr(error.text, part))
        fail_msg("'%s' says nothing of '%s'", error.text, part);
}

/* ---- Round trip ---- */

TEST(round_trip)
{
    struct store_head head = fixture_head();
    struct store *store = fixture_open(file, false, &head);
    append_range(store, 0, 20);
    fixture_close(store);
    check_points(file, 20, 0);

    struct dataset dataset = read_file(file);
    assert_false(dataset.running);
    assert_int_equal(dataset.journal_rows, 0);
    assert_string_equal(dataset.job, head.job);
    assert_string_equal(dataset.job_path, head.job_path);
    assert_int_equal(dataset.planned, 100);
    assert_string_equal(dataset_environment(&dataset, "commit"), "abcdef");
    assert_null(dataset_environment(&dataset, "none such"));
    assert_int_equal(dataset.devices.rows, 1);
    assert_string_equal(fixture_cell(&dataset.devices, 0, "name").text, "Test device");
    assert_int_equal(fixture_cell(&dataset.devices, 0, "multiprocessors").integer, 132);
    assert_int_equal(fixture_cell(&dataset.devices, 0, "numa_node").integer, -1);
    assert_true(isnan(fixture_cell(&dataset.devices, 0, "datasheet").real));

    const struct frame *results = &dataset.results;
    struct point point = stream_point(6);
    size_t row = (size_t)fixture_row(&dataset, &point);
    assert_string_equal(fixture_cell(results, row, "kernel").text, "stream");
    assert_string_equal(fixture_cell(results, row, "variant").text, "load");
    assert_int_equal(fixture_cell(results, row, "size").integer, 7 << 10);
    assert_int_equal(fixture_cell(results, row, "unroll").integer, 4);
    assert_string_equal(fixture_cell(results, row, "arch").text, "native");
    assert_string_equal(fixture_cell(results, row, "cache").text, "cold");
    assert_int_equal(fixture_cell(results, row, "repeat").integer, 0);
    assert_int_equal(fixture_cell(results, row, "run").integer, 1);
    assert_string_equal(fixture_cell(results, row, "status").text, "failed");
    assert_string_equal(fixture_cell(results, row, "message").text, "wrong output 6");
    assert_int_equal(fixture_cell(results, row, "device").integer, 0);
    assert_string_equal(fixture_cell(results, row, "backend").text, "fake");
    assert_string_equal(fixture_cell(results, row, "stop").text, "converged");
    assert_string_equal(fixture_cell(results, row, "throttle").text, "sw_power_cap|hw_thermal_slowdown");
    assert_int_equal(fixture_cell(results, row, "throttle_mask").integer, 0x44);
    point = stream_point(9);
    row = (size_t)fixture_row(&dataset, &point);
    assert_string_equal(fixture_cell(results, row, "roof").text, "dram_mix");
    assert_true(isnan(fixture_cell(results, row, "power").real));

    const struct column *size = &results->column[frame_find(results, "size")];
    assert_string_equal(size->unit, "bytes");
    assert_string_equal(size->meaning, "bytes of the main array");
    assert_string_equal(results->column[frame_find(results, "power")].unit, "W");
    assert_string_equal(dataset.devices.column[frame_find(&dataset.devices, "nominal")].unit, "bytes/s");
    dataset_free(&dataset);
}

/* Two processes of one point, whose times are given. */
static struct store *begin_two_processes(double first, double second)
{
    struct store *store = fixture_open(file, false, NULL);
    struct point point = stream_point(1);
    struct error error;
    for (int process = 0; process < 2; process++) {
        struct sample samples[4];
        struct result result = numbered_result(1, &point, samples);
        for (int i = 0; i < 4; i++)
            samples[i] = (struct sample){.seconds = process ? second : first,
                                         .throttle_mask = process ? 0x4 : 0x40,
                                         .process = (uint32_t)process};
        result.sample_count = 4;
        result.process = (uint32_t)process;
        result.real[REAL_time_median] = samples[0].seconds;
        if (process)
            store_merge(store, &result, &error);
        else
            store_append(store, &point, &result, &error);
    }
    return store;
}

static void expect_two_processes(void)
{
    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.results.rows, 1);
    assert_int_equal(fixture_cell(&dataset.results, 0, "sample_count").integer, 8);
    assert_true(fixture_cell(&dataset.results, 0, "processes").real == 2);
    double time = fixture_cell(&dataset.results, 0, "time_median").real;
    assert_true(fabs(time / sqrt(3e-12) - 1) < 1e-12);
    assert_int_equal(fixture_cell(&dataset.results, 0, "throttle_mask").integer, 0x44); /* of both */
    assert_string_equal(fixture_cell(&dataset.results, 0, "throttle").text,
                        "sw_power_cap|hw_thermal_slowdown");
    dataset_free(&dataset);
}

/* In the journal of a run that is killed, in a checkpoint and in the file of a complete run. */
TEST(second_process)
{
    struct store *store = begin_two_processes(1e-6, 3e-6);
    struct point point = stream_point(1);
    struct error error;
    const struct counted counted = {.state = COUNTERS_MISSING, .why = "of the first process"};
    assert_int_equal(store_count(store, point_id(&point), 0, 0, &counted, &error), 0);
    usleep(10000);
    fixture_tick(store);
    expect_two_processes();
    fixture_checkpoint(store);
    expect_two_processes();
    fixture_close(store);
    expect_two_processes();
}

/* A point that met no device, its message in an encoding that is none. */
TEST(point_without_device)
{
    struct store *store = fixture_open(file, false, NULL);
    struct point point = stream_point(0);
    struct result result = result_new();
    struct error error;
    result.id = point_id(&point);
    result_fail(&result, STATUS_UNSUPPORTED,
                "tab\tgr\xc3\xb6\xc3\x9f"
                "e \xff\xc0\xaf \xed\xa0\x80 end\xe2\x82");
    result.real[REAL_bytes_read] = 1;
    fixture_append(store, &point, &result);
    result.device = 1; /* there is only 0 */
    assert_int_equal(store_append(store, &point, &result, &error), -1);
    struct dataset dataset = close_and_read(store);
    assert_int_equal(dataset.results.rows, 1);
    assert_string_equal(fixture_cell(&dataset.results, 0, "message").text,
                        "tab gr\xc3\xb6\xc3\x9f"
                        "e \\xff\\xc0\\xaf \\xed\\xa0\\x80 end\\xe2\\x82");
    assert_true(fixture_cell(&dataset.results, 0, "device").integer == FRAME_NO_INTEGER);
    assert_string_equal(fixture_cell(&dataset.results, 0, "backend").text, "");
    dataset_free(&dataset);
}

TEST(empty_run)
{
    struct store *store = fixture_open(file, false, NULL);
    check_points(file, 0, 0); /* there and whole as soon as the store is open */
    struct dataset dataset = read_file(file);
    assert_true(dataset.running && dataset.writer);
    dataset_free(&dataset);
    fixture_close(store);
    check_points(file, 0, 0);
}

TEST(long_texts_and_many_counters)
{
    struct store_head head = fixture_head();
    char(*counter)[96] = memory_new(RESULT_COUNTERS_MAX, sizeof *counter);
    char *job = memory_new(300001, 1);
    memset(job, 'j', 300000);
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        snprintf(counter[i], sizeof counter[i],
                 "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active_and_more_%03d.ratio", i);
    head.counter = (const char(*)[96])counter;
    head.counter_count = RESULT_COUNTERS_MAX;
    head.job = job;
    struct store *store = fixture_open(file, false, &head);
    struct sample samples[4];
    struct point point = stream_point(3);
    struct result result = numbered_result(3, &point, samples);
    memset(result.message, 'm', sizeof result.message - 1);
    for (int i = 0; i < RESULT_COUNTERS_MAX - 1; i++)
        result.counter[i] = i;
    fixture_append(store, &point, &result);
    struct dataset dataset = close_and_read(store);
    assert_int_equal(strlen(dataset.job), 300000);
    assert_string_equal(fixture_cell(&dataset.results, 0, "message").text, result.message);
    for (int i = 0; i < RESULT_COUNTERS_MAX - 1; i++)
        assert_true(fixture_cell(&dataset.results, 0, counter[i]).real == i);
    assert_true(isnan(fixture_cell(&dataset.results, 0, counter[RESULT_COUNTERS_MAX - 1]).real));
    dataset_free(&dataset);
    free(counter);
    free(job);
}

/* More columns than HDF5 can describe: an error that says why, and the file stays as it was. */
TEST(too_many_columns)
{
    struct store_head head = fixture_head();
    char(*counter)[96] = memory_new(RESULT_COUNTERS_MAX, sizeof *counter);
    struct error error;
    struct store *store;
    head.counter = (const char(*)[96])counter;
    head.counter_count = RESULT_COUNTERS_MAX;
    int failed = 0, columns = 0;
    for (int run = 0; run < 8 && !failed; run++) {
        for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
            snprintf(counter[i], sizeof counter[i], "a_counter_%080d", run * RESULT_COUNTERS_MAX + i);
        failed = store_open(file, true, &head, &store, &error);
        if (!failed) {
            fixture_close(store);
            struct dataset dataset = read_file(file);
            columns = dataset.results.columns;
            dataset_free(&dataset);
        }
    }
    free(counter);
    assert_int_equal(failed, -1);
    assert_non_null(strstr(error.text, "too large"));
    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.results.columns, columns);
    assert_false(dataset.running);
    dataset_free(&dataset);
}

/* ---- Resuming ---- */

TEST(existing_file_needs_resume)
{
    fixture_close(fixture_open(file, true, NULL)); /* nothing there: --resume starts */
    expect_refusal(file, false, "--resume");
    unlink(file);
    fixture_write(journal, "WSWPJNL1", 8);
    expect_refusal(file, false, "--resume");
    expect_refusal("/nowhere/at/all.h5", false, "its folder does not exist, or takes no files");
    assert_int_equal(mkdir("/tmp/warpsweep-test-folder.h5", 0777) == 0 || errno == EEXIST, 1);
    expect_refusal("/tmp/warpsweep-test-folder.h5", true, "not a regular file");
    rmdir("/tmp/warpsweep-test-folder.h5");
}

TEST(resume)
{
    struct store_head head = fixture_head();
    struct store *store = fixture_open(file, false, &head);
    append_range(store, 0, 10);
    fixture_close(store);

    head.planned = 30;
    store = fixture_open(file, true, &head);
    uint64_t counts[STATUS_COUNT];
    fixture_count(store, counts);
    assert_int_equal(counts[STATUS_OK], 9);
    assert_int_equal(counts[STATUS_FAILED], 1);
    struct store_point there;
    struct point point = stream_point(6);
    assert_true(store_find(store, point_id(&point), &there));
    assert_int_equal(there.status, STATUS_FAILED);
    point = stream_point(3);
    assert_true(store_find(store, point_id(&point), &there));
    assert_int_equal(there.status, STATUS_OK);
    point = stream_point(10);
    assert_false(store_find(store, point_id(&point), &there));
    append_range(store, 10, 20);
    fixture_close(store);
    check_points(file, 20, 0);

    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.planned, 30);
    assert_int_equal(dataset.devices.rows, 1); /* the same device, found again */
    assert_int_equal(dataset.environment_count, 4);
    assert_int_equal(dataset.environment[0].run, 2);
    assert_int_equal(dataset.environment[3].run, 1);
    point = stream_point(3);
    assert_int_equal(fixture_cell(&dataset.results, (size_t)fixture_row(&dataset, &point), "run").integer, 1);
    point = stream_point(13);
    assert_int_equal(fixture_cell(&dataset.results, (size_t)fixture_row(&dataset, &point), "run").integer, 2);
    dataset_free(&dataset);
}

/* A large cluster's devices differ in a few characters, and compress to next to nothing. */
TEST(thousands_of_devices)
{
    struct store *store = fixture_open(file, false, NULL);
    for (int i = 0; i < 4000; i++) {
        struct device device = fixture_device();
        snprintf(device.uuid, sizeof device.uuid, "GPU-%d", i);
        assert_int_equal(store_device(store, &device), i + 1);
    }
    append_range(store, 0, 1);
    struct dataset dataset = close_and_read(store);
    assert_int_equal(dataset.devices.rows, 4001);
    dataset_free(&dataset);
}

/* A retried point replaces the earlier row, its samples too, in the same run and in the next. */
TEST(retry_replaces)
{
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 10);
    append_as(store, 2, 102);
    fixture_checkpoint(store);
    append_as(store, 3, 103);
    fixture_tick(store);
    struct dataset dataset = read_file(file); /* row 3 is both in the file and, newer, in the journal */
    assert_int_equal(dataset.results.rows, 10);
    assert_int_equal(dataset.journal_rows, 1);
    struct point point = stream_point(3);
    assert_true(fixture_row_is(&dataset, (size_t)fixture_row(&dataset, &point), 103));
    dataset_free(&dataset);
    for (uint64_t i = 0; i < 5; i++)
        append_as(store, i, i + 100);
    fixture_close(store);
    store = fixture_open(file, true, NULL);
    for (uint64_t i = 5; i < 10; i++)
        append_as(store, i, i + 100);
    uint64_t counts[STATUS_COUNT];
    fixture_count(store, counts);
    assert_int_equal(counts[STATUS_OK] + counts[STATUS_FAILED], 10);
    assert_int_equal(counts[STATUS_FAILED], 1); /* 104; 106 was ok */
    fixture_close(store);
    check_points(file, 10, 100);
    dataset = read_file(file);
    size_t samples = 0;
    for (uint64_t i = 100; i < 110; i++)
        samples += fixture_samples(i);
    assert_int_equal(dataset.sample_count, samples); /* nothing of the replaced rows */
    dataset_free(&dataset);
}

/* Repetitions of a canary are rows of their own, one per device and repetition. */
TEST(canaries)
{
    struct store *store = fixture_open(file, false, NULL);
    struct device other = fixture_device();
    snprintf(other.uuid, sizeof other.uuid, "GPU-4567");
    assert_int_equal(store_device(store, &other), 1);
    assert_int_equal(store_device(store, &other), 1);
    double peak = other.peak_copy;
    other.peak_copy *=
        1.001; /* measured again, by another run: it is the same device, with its first peaks */
    assert_int_equal(store_device(store, &other), 1);
    assert_true(other.peak_copy == peak);
    struct device clocked = other; /* the driver tells something else: it is not what it was */
    snprintf(clocked.driver, sizeof clocked.driver, "of tomorrow");
    clocked.peak_copy = 2 * peak;
    assert_int_equal(store_device(store, &clocked), 2);
    assert_true(clocked.peak_copy == 2 * peak);
    struct sample samples[4];
    struct point point = stream_point(1);
    for (int pass = 0; pass < 2; pass++) {
        for (int device = 0; device < 2; device++) {
            for (int repeat = 0; repeat < 3; repeat++) {
                struct result result = numbered_result((uint64_t)(10 * device + repeat), &point, samples);
                result.repeat = repeat;
                result.device = device;
                fixture_append(store, &point, &result);
            }
        }
    }
    uint64_t counts[STATUS_COUNT];
    fixture_count(store, counts);
    assert_int_equal(counts[STATUS_OK], 1); /* canaries are no points of the grid */
    struct dataset dataset = close_and_read(store);
    assert_int_equal(dataset.results.rows, 1 + 2 * 2);
    int canaries = 0;
    for (size_t row = 0; row < dataset.results.rows; row++) {
        int64_t repeat = fixture_cell(&dataset.results, row, "repeat").integer;
        canaries += repeat > 0;
    }
    assert_int_equal(canaries, 4);
    dataset_free(&dataset);
}

/* Also where the hashes of two keys are equal: each row has its own key. */
TEST(keys_of_rows)
{
    enum { REPEATS = 40, DEVICES = 100 };
    struct row_index index = {0};
    const struct row_key first = row_key_of(1, 0, -1), second = row_key_of(2, 0, -1);
    assert_true(row_index_add(&index, first) == ROW_NONE && row_index_add(&index, second) == ROW_NONE);
    for (int repeat = 1; repeat <= REPEATS; repeat++)
        for (int device = 0; device < DEVICES; device++)
            assert_true(row_index_add(&index, row_key_of(1, repeat, device)) == ROW_NONE);
    *keys_number(&index.numbers, 3) = 1; /* the hash of point 3 belongs to point 1 */
    assert_true(row_index_find(&index, row_key_of(3, 0, -1)) == ROW_NONE);
    assert_true(row_index_add(&index, row_key_of(3, 0, -1)) == ROW_NONE);
    assert_int_equal(row_index_find(&index, row_key_of(3, 0, -1)), index.rows - 1);
    assert_int_equal(row_index_add(&index, second), 1);
    for (int repeat = 1; repeat <= REPEATS; repeat++)
        for (int device = 0; device < DEVICES; device++)
            assert_int_equal(row_index_find(&index, row_key_of(1, repeat, device)),
                             2 + (repeat - 1) * DEVICES + device);
    row_index_free(&index);
}

/* A resumed job may have other kernels, axes and counters: columns are a union, rows are kept. */
TEST(resume_with_another_job)
{
    struct store_head head = fixture_head();
    static const char first_counter[1][96] = {"dram__bytes_read.sum"};
    static const char second_counter[1][96] = {"lts__t_sectors.sum"};
    head.counter = first_counter;
    head.counter_count = 1;
    struct store *store = fixture_open(file, false, &head);
    append_range(store, 0, 5);
    fixture_close(store);

    const struct space *const spaces[] = {&gated_space, NULL};
    head.spaces = spaces;
    head.counter = second_counter;
    head.job = "another job";
    store = fixture_open(file, true, &head);
    struct point point = point_standard(&gated_space), stray = stream_point(9);
    struct result result = result_new();
    struct error error;
    result.id = point_id(&point);
    result.device = 0;
    result.counter[0] = 12;
    fixture_append(store, &point, &result);
    assert_int_equal(store_append(store, &stray, &result, &error), -1); /* not a kernel of this job */
    fixture_close(store);

    struct dataset dataset = read_file(file);
    const struct frame *results = &dataset.results;
    assert_string_equal(dataset.job, "another job");
    assert_int_equal(results->rows, 6);
    size_t new = (size_t)fixture_row(&dataset, &point);
    struct point old_point = stream_point(2);
    size_t old = (size_t)fixture_row(&dataset, &old_point);
    assert_string_equal(fixture_cell(results, new, "unroll").text, "full"); /* a number before */
    assert_string_equal(fixture_cell(results, old, "unroll").text, "4");
    assert_true(fixture_cell(results, new, "stride").integer == FRAME_NO_INTEGER);
    assert_int_equal(fixture_cell(results, old, "stride").integer, 1);
    assert_int_equal(fixture_cell(results, new, "rows").integer, 1);
    assert_true(fixture_cell(results, old, "rows").integer == FRAME_NO_INTEGER);
    assert_true(fixture_cell(results, new, second_counter[0]).real == 12);
    assert_true(isnan(fixture_cell(results, new, first_counter[0]).real));
    dataset_free(&dataset);
}

TEST(counter_with_the_name_of_a_column)
{
    static const char counter[1][96] = {"status"};
    struct store_head head = fixture_head();
    struct store *store;
    struct error error;
    head.counter = counter;
    head.counter_count = 1;
    assert_int_equal(store_open(file, false, &head, &store, &error), -1);
    assert_non_null(strstr(error.text, "status"));
    fixture_close(fixture_open(file, false, NULL)); /* the failure left nothing behind */
}

/* ---- Crashes, as the files they leave ---- */

/* Copies of FILE.h5 and its journal as a crash now would leave them, under another name. */
static void copy_files(const char *to)
{
    char *to_journal = NULL;
    size_t size;
    unsigned char *bytes = fixture_read(file, &size);
    fixture_write(to, bytes, size);
    free(bytes);
    assert_true(asprintf(&to_journal, "%s.journal", to) > 0);
    bytes = fixture_read(journal, &size);
    fixture_write(to_journal, bytes, size);
    free(bytes);
    free(to_journal);
}

/* From here on the test is about such copies. */
static void go_on_with(const char *name)
{
    free(file);
    free(journal);
    file = fixture_path(name);
    assert_true(asprintf(&journal, "%s.journal", file) > 0);
}

/* A run that is under way: rows [0, 8) in the file, [8, 16) in the journal. */
static struct store *half_way(void)
{
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 8);
    fixture_checkpoint(store);
    append_range(store, 8, 16);
    fixture_tick(store);
    return store;
}

static void resume_and_finish(uint64_t first, uint64_t last)
{
    struct store *store = fixture_open(file, true, NULL);
    for (uint64_t i = 0; i < last; i++) {
        struct store_point there;
        struct point point = stream_point(i);
        assert_int_equal(store_find(store, point_id(&point), &there), i < first);
    }
    append_range(store, first, last);
    fixture_close(store);
    check_points(file, last, 0);
}

TEST(journal_is_read_and_folded)
{
    char *copy = fixture_path("copy.h5");
    struct store *store = half_way();
    check_points(file, 16, 0);
    struct dataset dataset = read_file(file);
    assert_true(dataset.running && dataset.writer);
    assert_int_equal(dataset.journal_rows, 8);
    dataset_free(&dataset);
    copy_files(copy);
    fixture_close(store);
    check_points(file, 16, 0);
    dataset = read_file(copy);
    assert_true(dataset.running);
    assert_false(dataset.writer);
    dataset_free(&dataset);
    free(copy);
    go_on_with("copy.h5");
    resume_and_finish(16, 20);
}

/* ---- Counters come after the times ---- */

static const char counted_columns[2][96] = {"dram_bytes_read", "dram_bytes_written"};

static void append_pending(struct store *store, uint64_t number)
{
    struct sample samples[4];
    struct point point = stream_point(number);
    struct result result = numbered_result(number, &point, samples);
    result.counters = COUNTERS_PENDING;
    result.real[REAL_l2_dirty] = 0.25;
    result.real[REAL_predicted_dram_bytes_read] = result.real[REAL_predicted_dram_bytes_written] = 17;
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        result.counter[i] = NAN;
    fixture_append(store, &point, &result);
}

static void count(struct store *store, uint64_t number, struct counted counted)
{
    struct point point = stream_point(number);
    struct error error = {0};
    assert_int_equal(store_count(store, point_id(&point), 0, 0, &counted, &error), 0);
}

static enum counters_state counters_of(const struct store *store, const struct point *point)
{
    struct store_point there;
    assert_true(store_find(store, point_id(point), &there));
    return there.counters;
}

static void expect_counters(uint64_t number, const char *status, double first)
{
    struct dataset dataset = read_file(file);
    size_t row = fixture_row_of(&dataset, number);
    assert_string_equal(fixture_cell(&dataset.results, row, "counters_status").text, status);
    double value = fixture_cell(&dataset.results, row, counted_columns[0]).real;
    assert_true(isnan(first) ? isnan(value) : value == first);
    dataset_free(&dataset);
}

TEST(counters_amend_rows)
{
    struct store_head head = fixture_head();
    head.counter = counted_columns;
    head.counter_count = 2;
    struct store *store = fixture_open(file, false, &head);
    struct point first = stream_point(0), second = stream_point(1);
    append_pending(store, 0);
    append_pending(store, 1);
    append_pending(store, 2);
    assert_int_equal(counters_of(store, &first), COUNTERS_PENDING);
    assert_true(frame_find_real(&store_data(store)->results, store_find_row(store, point_id(&first)),
                                "l2_dirty") == 0.25);
    count(store, 0, (struct counted){.state = COUNTERS_COUNTED, .counter = {42, 43}});
    count(store, 1, (struct counted){.state = COUNTERS_MISSING, .why = "it died", .counter = {NAN, NAN}});
    count(store, 9, (struct counted){.state = COUNTERS_COUNTED}); /* no such row */
    assert_int_equal(counters_of(store, &first), COUNTERS_COUNTED);
    assert_int_equal(counters_of(store, &second), COUNTERS_MISSING);
    for (int folded = 0; folded < 2; folded++) { /* from the journal, then from the file */
        if (folded)
            fixture_checkpoint(store);
        else
            usleep(10000), fixture_tick(store);
        expect_counters(0, "counted", 42);
        expect_counters(1, "missing: it died", NAN);
        expect_counters(2, "pending", NAN);
    }
    fixture_close(store);

    /* What was missing is taken again: from the file through the journal. */
    store = fixture_open(file, true, &head);
    count(store, 1, (struct counted){.state = COUNTERS_COUNTED, .counter = {7, 8}});
    count(store, 0, (struct counted){.state = COUNTERS_NONE, .why = "no kernel", .counter = {NAN, NAN}});
    usleep(10000);
    fixture_tick(store);
    expect_counters(1, "counted", 7);
    expect_counters(0, "none: no kernel", NAN);
    fixture_close(store);
    expect_counters(1, "counted", 7);
    expect_counters(0, "none: no kernel", NAN);
}

/* The journal cut at many places (test_journal does every byte): whole rows count, and a run resumes from
 * them. */
TEST(torn_journal)
{
    char *copy = fixture_path("copy.h5");
    struct store *store = half_way();
    copy_files(copy);
    fixture_close(store);
    free(copy);
    go_on_with("copy.h5");
    size_t size, image_size, rows = 8;
    unsigned char *bytes = fixture_read(journal, &size), *image = fixture_read(file, &image_size);
    for (size_t cut = 0; cut <= size; cut += cut + 211 < size || cut == size ? 211 : size - cut) {
        fixture_write(journal, bytes, cut);
        struct dataset dataset = read_file(file);
        assert_in_range(dataset.results.rows, rows, rows + 1);
        assert_int_equal(dataset.journal_rows, dataset.results.rows - 8);
        rows = dataset.results.rows;
        dataset_free(&dataset);
    }
    assert_int_equal(rows, 16);

    for (size_t cut = 0; cut <= size; cut += 1009) {
        fixture_write(file, image, image_size);
        fixture_write(journal, bytes, cut);
        struct dataset dataset = read_file(file);
        rows = dataset.results.rows;
        dataset_free(&dataset);
        resume_and_finish(rows, 18);
    }
    free(image);
    free(bytes);
}

/* Killed between the renaming of the new file and the new start of the journal: the old journal, whose rows
 * are all in the file, some of them older than the file's, must neither double nor undo anything. */
TEST(kill_between_rename_and_restart)
{
    struct store *store = half_way();
    size_t size;
    unsigned char *bytes = fixture_read(journal, &size);
    append_as(store, 9, 109); /* newer than what the kept journal says */
    fixture_checkpoint(store);
    fixture_close(store);
    fixture_write(journal, bytes, size);
    free(bytes);
    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.results.rows, 16);
    assert_int_equal(dataset.journal_rows, 0);
    struct point point = stream_point(9);
    assert_true(fixture_row_is(&dataset, (size_t)fixture_row(&dataset, &point), 109));
    dataset_free(&dataset);
    store = fixture_open(file, true, NULL);
    append_as(store, 9, 9);
    append_range(store, 16, 20);
    fixture_close(store);
    check_points(file, 20, 0);
}

/* FILE.h5 lost before the first checkpoint: the journal alone has everything. Lost later: an error, not a
 * part. */
TEST(journal_without_file)
{
    struct dataset dataset;
    struct error error;
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 5);
    fixture_tick(store);
    unlink(file);
    check_points(file, 5, 0);
    fixture_checkpoint(store);
    append_range(store, 5, 6);
    fixture_tick(store);
    unlink(file);
    assert_int_equal(dataset_read(file, &dataset, &error), -1);
    assert_non_null(strstr(error.text, "does not match"));
    fixture_close(store);
    check_points(file, 6, 0); /* the writer has it all in memory */
}

TEST(journal_of_another_file)
{
    struct store *store = half_way();
    size_t size;
    unsigned char *bytes = fixture_read(journal, &size);
    fixture_close(store);
    unlink(file);
    store = fixture_open(file, false, NULL);
    append_range(store, 0, 30);
    fixture_close(store);
    fixture_write(journal, bytes, size);
    free(bytes);
    expect_refusal(file, true, "does not match");
    assert_int_equal(access(journal, F_OK), 0); /* whose it is, is not for us to say */
    unlink(journal);
    check_points(file, 30, 0);
}

TEST(second_writer_is_refused)
{
    struct store *store = half_way();
    expect_refusal(file, true, "another run");
    expect_refusal(file, false, "--resume");
    append_range(store, 16, 20);
    fixture_close(store);
    check_points(file, 20, 0);
}

TEST(leftovers_are_removed)
{
    char *left = fixture_path("results.h5.tmp-0badcafe-123-0"),
         *other = fixture_path("results.h5.tmp-mine-123-0");
    fixture_write(left, "half a file", 11);
    fixture_write(other, "not ours", 8);
    fixture_close(fixture_open(file, false, NULL));
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    free(left);
    free(other);
}

/* ---- A full disk ---- */

TEST(full_disk)
{
    struct error error = {0};
    struct rlimit limit, small;
    struct store *store = half_way();
    struct stat before, after;
    assert_int_equal(stat(file, &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct stat journal_status;
    assert_int_equal(stat(journal, &journal_status), 0);
    small = limit;
    small.rlim_cur = (rlim_t)journal_status.st_size + 100;
    int failed = 0;
    uint64_t number = 16;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    while (!failed && number < 200) {
        struct sample samples[4];
        struct point point = stream_point(number);
        struct result result = numbered_result(number, &point, samples);
        failed = store_append(store, &point, &result, &error) || store_tick(store, &error);
        number++;
    }
    small.rlim_cur = 1000; /* for FILE.h5 there is less room */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int closed = store_close(store, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(failed, 1);
    assert_int_equal(closed, -1);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    assert_int_equal(stat(file, &after), 0); /* still the old file */
    assert_int_equal(before.st_ino, after.st_ino);
    check_points(file, 16, 0);
    resume_and_finish(16, 24);
}

/* ---- Names, links, modes ---- */

/* A link to the file is the file: one lock, one journal, and the link stays a link. */
TEST(links)
{
    struct stat status;
    char *folder = fixture_path("elsewhere"), *link = fixture_path("elsewhere/link.h5");
    char *link_journal = fixture_path("elsewhere/link.h5.journal");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink("../results.h5", link), 0);
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 8);
    expect_refusal(link, true, "another run");
    fixture_close(store);

    char *own = file;
    file = link;
    store = fixture_open(file, true, NULL);
    assert_int_equal(access(journal, F_OK), 0); /* beside the file, not beside the link */
    assert_int_equal(access(link_journal, F_OK), -1);
    append_range(store, 8, 12);
    expect_refusal(own, true, "another run");
    fixture_tick(store);
    check_points(link, 12, 0); /* the journal is found through the link */
    fixture_close(store);
    file = own;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    check_points(file, 12, 0);

    unlink(file); /* a link to a file that is not there yet */
    file = link;
    fixture_close(fixture_open(file, true, NULL));
    file = own;
    assert_int_equal(lstat(file, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    free(folder);
    free(link);
    free(link_journal);
}

/* A file that is nobody else's to read stays so, and its journal is neither. */
TEST(mode_is_kept)
{
    struct stat status;
    fixture_close(fixture_open(file, false, NULL));
    assert_int_equal(chmod(file, 0600), 0);
    struct store *store = fixture_open(file, true, NULL);
    append_range(store, 0, 3);
    fixture_checkpoint(store);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(journal, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    fixture_close(store);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

/* Somebody removes the journal while it is written: it is made anew before half a second's rows could be
 * lost. */
TEST(removed_journal)
{
    char *copy = fixture_path("copy.h5");
    struct store *store = half_way();
    assert_int_equal(unlink(journal), 0);
    append_range(store, 16, 20);
    for (int i = 0; i < 200 && access(journal, F_OK) != 0; i++) {
        usleep(10000);
        fixture_tick(store);
    }
    append_range(store, 20, 24);
    usleep(500000);
    fixture_tick(store);
    copy_files(copy); /* as a kill now would leave them */
    check_points(copy, 24, 0);
    expect_refusal(file, true, "another run"); /* locked like the first */
    fixture_close(store);
    check_points(file, 24, 0);
    free(copy);
}

/* Somebody moves another file to the name: it stays, and the run goes on under the first name that neither a
 * file nor a journal has. */
TEST(another_file_under_the_name)
{
    char *other = fixture_path("other.h5"), *taken = fixture_path("results-2.h5.journal"),
         *next = fixture_path("results-3.h5");
    size_t size;
    struct store *store = half_way();
    fixture_write(taken, "of a killed run", 15);
    fixture_write(other, "other", 5);
    assert_int_equal(rename(other, file), 0);
    append_range(store, 16, 20);
    fixture_checkpoint(store);
    check_points(next, 20, 0);
    append_range(store, 20, 24);
    fixture_close(store);
    check_points(next, 24, 0);
    unsigned char *bytes = fixture_read(taken, &size);
    assert_int_equal(size, 15);
    assert_memory_equal(bytes, "of a killed run", 15);
    free(bytes);
    bytes = fixture_read(file, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "other", 5);
    free(bytes);
    free(other);
    free(taken);
    free(next);
}

/* ---- Checkpoints that are written while rows come ---- */

/* Appends, replacements and checkpoints in between; then as a kill would leave the files, and as an end
 * does. */
TEST(rows_beside_checkpoints)
{
    enum { POINTS = 1000, ROUNDS = 12 };
    char *copy = fixture_path("copy.h5");
    struct store *store = fixture_open(file, false, NULL);
    struct stat before, after;
    int files = 0;
    assert_int_equal(stat(file, &before), 0);
    uint64_t shift = 0;
    for (uint64_t round = 0; round < ROUNDS || files < 2;
         round++, shift++) { /* a checkpoint in 2 s at most */
        for (uint64_t i = 0; i < POINTS; i++) {
            append_as(store, i, i + shift); /* from the second round on: in the place of the one before */
            fixture_tick(store);
        }
        assert_int_equal(stat(file, &after), 0);
        files += before.st_ino != after.st_ino;
        before = after;
        usleep(200000);
    }
    shift--;
    usleep(500000);
    fixture_tick(store);
    char *command = NULL; /* as a kill now would leave them; they are too large for copy_files */
    assert_true(asprintf(&command, "cp %s %s && cp %s %s.journal", file, copy, journal, copy) > 0);
    assert_int_equal(system(command), 0);
    free(command);
    check_points(copy, POINTS, shift);
    uint64_t counts[STATUS_COUNT];
    fixture_count(store, counts);
    assert_int_equal(counts[STATUS_OK] + counts[STATUS_FAILED], POINTS);
    fixture_close(store);
    check_points(file, POINTS, shift);
    free(copy);
}

/* ---- Damaged journals ---- */

/* A bit in the middle costs its row alone; the rows behind it count, and the original is kept. */
TEST(damaged_journal)
{
    char *copy = fixture_path("copy.h5"), *kept = fixture_path("copy.h5.journal.damaged");
    struct store *store = half_way();
    copy_files(copy);
    fixture_close(store);
    free(copy);
    go_on_with("copy.h5");
    size_t size, kept_size;
    unsigned char *bytes = fixture_read(journal, &size);
    struct journal_reader image;
    struct error error;
    assert_int_equal(journal_read(journal, &image, &error), 0);
    size_t start = 0;
    uint32_t type;
    struct wire_reader reader;
    for (int rows = 0; rows < 4 && journal_next(&image, &type, &reader);
         rows += type == 3) /* RECORD_RESULT */
        start = image.at;
    journal_reader_free(&image);
    bytes[start + 30] ^= 4;
    fixture_write(journal, bytes, size);
    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.results.rows, 15);
    assert_int_equal(dataset.journal_damage.places, 1);
    assert_int_equal(dataset.journal_damage.rows, 1);
    dataset_free(&dataset);
    store = fixture_open(file, true, NULL);
    unsigned char *original = fixture_read(kept, &kept_size);
    assert_int_equal(kept_size, size);
    assert_memory_equal(original, bytes, size);
    append_range(store, 0, 16);
    fixture_close(store);
    check_points(file, 16, 0);
    free(original);
    free(bytes);
    free(kept);
}

/* ---- Files that are no results files ---- */

static void expect_unreadable(const void *bytes, size_t size)
{
    struct dataset dataset;
    struct error error = {0};
    fixture_write(file, bytes, size);
    assert_int_equal(dataset_read(file, &dataset, &error), -1);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, file));
}

/* 0 when at least 50 of about 300 damaged bytes, one at a time, were told. */
static int read_damaged(unsigned char *bytes, size_t size)
{
    struct dataset dataset;
    struct error error;
    int told = 0;
    for (size_t at = 0; at < size; at += 1 + size / 300) {
        bytes[at] ^= 0x55;
        fixture_write(file, bytes, size);
        if (dataset_read(file, &dataset, &error) == 0)
            dataset_free(&dataset);
        else
            told++;
        bytes[at] ^= 0x55;
    }
    return told < 50;
}

TEST(damaged_files)
{
    struct dataset dataset;
    struct error error;
    assert_int_equal(dataset_read(file, &dataset, &error), -1);
    assert_non_null(strstr(error.text, "no such file"));
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 16);
    fixture_close(store);
    size_t size;
    unsigned char *bytes = fixture_read(file, &size);
    expect_unreadable("", 0);
    expect_unreadable("not HDF5 at all", 15);
    for (size_t cut = 1; cut < size; cut += 1 + size / 60)
        expect_unreadable(bytes, cut);
    expect_refusal(file, true, "results file");
    /* One byte wrong: an error, or, where nothing reads that byte, the file as it was. Never a crash. In a
     * process of its own, whose memory is not checked for leaks: HDF5 itself loses some when an object is
     * damaged. */
    pid_t child = fork();
    if (child == 0)
        _exit(read_damaged(bytes, size));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    fixture_write(file, bytes, size);
    check_points(file, 16, 0);
    free(bytes);
}

/* The rows of a file that is resumed can be asked for, replaced and amended. */
TEST(resumed_rows)
{
    enum { OLD = 3000, NEW = 10, AGAIN = 5, FAILED = 6, ELSE = 3005 };
    struct error error;
    struct store_head head = fixture_head();
    static const char counter[1][96] = {"dram__bytes_read.sum"};
    head.counter = counter;
    head.counter_count = 1;
    struct store *store = fixture_open(file, false, &head);
    append_range(store, 0, OLD);
    fixture_close(store);
    store = fixture_open(file, true, &head);
    assert_int_equal(store_data(store)->results.rows, OLD);
    for (uint64_t i = 0; i < OLD; i++) {
        struct store_point there;
        struct point point = stream_point(i);
        assert_true(store_find(store, point_id(&point), &there));
        assert_int_equal(there.status, i % 7 == 6 ? STATUS_FAILED : STATUS_OK);
    }
    append_as(store, AGAIN, ELSE);
    append_range(store, OLD, OLD + NEW);
    struct point failed = stream_point(FAILED), old = stream_point(OLD - 1);
    assert_string_equal(
        frame_find_text(&store_data(store)->results, store_find_row(store, point_id(&failed)), "message"),
        "wrong output 6");
    assert_false(store_is_counted(store, point_id(&old)));
    const struct counted counted = {.state = COUNTERS_COUNTED, .counter = {42}};
    assert_int_equal(store_count(store, point_id(&old), 0, -1, &counted, &error), 0);
    assert_true(store_is_counted(store, point_id(&old)));
    struct dataset dataset = close_and_read(store);
    assert_int_equal(dataset.results.rows, OLD + NEW);
    for (uint64_t i = 0; i < OLD + NEW; i++) {
        size_t row = fixture_row_of(&dataset, i);
        assert_true(fixture_row_is(&dataset, row, i == AGAIN ? ELSE : i));
        assert_true(frame_find_real(&dataset.results, row, counter[0]) == 42 || i != OLD - 1);
    }
    dataset_free(&dataset);
}

/* The file with byte `at` wrong is refused before anything is written, or gone on with. 1: refused, for its
 * samples. */
static int resume_damaged(unsigned char *bytes, size_t size, size_t at)
{
    struct store *store;
    struct error error = {0};
    struct store_head head = fixture_head();
    bytes[at] ^= 0x5a;
    fixture_write(file, bytes, size);
    int refused = store_open(file, true, &head, &store, &error);
    if (refused) {
        size_t now;
        unsigned char *there = fixture_read(file, &now);
        bool touched = now != size || memcmp(there, bytes, size) != 0 || access(journal, F_OK) == 0;
        free(there);
        if (touched || error.kind != ERROR_ENVIRONMENT || !*error.text)
            _exit(2);
    } else {
        append_as(store, 1000, 1000);
        struct dataset dataset;
        if (store_close(store, &error) != 0 || dataset_read(file, &dataset, &error) != 0)
            _exit(3);
        if (dataset.results.rows != 801)
            _exit(4);
        dataset_free(&dataset);
    }
    bytes[at] ^= 0x5a;
    return refused && strstr(error.text, "/samples");
}

static int resume_damaged_all(unsigned char *bytes, size_t size)
{
    int of_samples = 0;
    for (size_t at = 0; at < size; at += 1 + size / 150)
        of_samples += resume_damaged(bytes, size, at);
    return of_samples ? 0 : 1;
}

/* A run that resumes a damaged file stops before it has written anything. In a process of its own, as
 * above. */
TEST(damaged_files_are_not_resumed)
{
    size_t size;
    struct store *store = fixture_open(file, false, NULL);
    append_range(store, 0, 800);
    fixture_close(store);
    unsigned char *bytes = fixture_read(file, &size);
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(resume_damaged_all(bytes, size));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free(bytes);
}
