/* The doors into a results file: whatever comes in by any of them, no number that cannot be and no time of a
 * point that failed is in the file, its row is there and says so, and the file can be read. */
#include "unit_test.h"

#include "results_fixture.h"
#include "store/dataset/invariants.h"
#include "store/journal/record.h"
#include "store/merge/store_merge.h"
#include "store/writer.h"

enum door {
    APPEND,  /* a result */
    REPLAY,  /* the journal of a killed run */
    SUMMARY, /* times of several processes, at the end of a run */
    JOIN,    /* several files */
    DOORS
};
static const char *const door_words[DOORS] = {"append", "replay", "summary", "join"};

static const double numbers[] = {-1, INFINITY, -INFINITY, -300};
static const double seconds[] = {-1, 0, NAN, INFINITY, 2e9};
enum { NUMBERS = sizeof numbers / sizeof *numbers, SECONDS = sizeof seconds / sizeof *seconds };

static const char counted_columns[2][96] = {"dram_bytes_read", "dram_bytes_written"};

/* ---- A row, changed, through a door ---- */

/* A row of a file that is built: the case that it is of, which changes its result before it comes in, or its
 * row afterwards. */
struct passing {
    enum door door;
    size_t rows;
    void (*change)(struct passing *passing, size_t which, double *real, double *sample, enum status *status);
};

static struct store *open_store(bool resume)
{
    struct store_head head = fixture_head();
    head.counter = counted_columns;
    head.counter_count = 2;
    return fixture_open(file, resume, &head);
}

static struct result good_result(const struct point *point, uint32_t process, struct sample samples[4])
{
    struct result result = result_new();
    result.id = point_id(point);
    result.device = 0;
    result.process = process;
    result.samples = samples;
    result.sample_count = 4;
    for (int i = 0; i < 4; i++)
        samples[i] = (struct sample){.seconds = 1e-3, .sm_clock = 1e9};
    result.real[REAL_bytes_read] = result.real[REAL_bytes_written] = 1e6;
    result_summarise(&result);
    return result;
}

/* Two processes of each point; the changes are those of the first one's result. */
static void append_all(struct passing *passing, struct store *store)
{
    struct error error = {0};
    for (size_t i = 0; i < passing->rows; i++) {
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = good_result(&point, 0, samples);
        if (passing->door == APPEND)
            passing->change(passing, i, result.real, &samples[2].seconds, &result.status);
        fixture_append(store, &point, &result);
        result = good_result(&point, 1, samples);
        if (passing->door != APPEND)
            assert_int_equal(store_merge(store, &result, &error), 0);
    }
}

/* Change the rows in memory, as a door does that lets everything in. */
static void change_rows(struct passing *passing, struct dataset *data)
{
    for (size_t i = 0; i < passing->rows; i++) {
        double real[REAL_COUNT];
        size_t row = fixture_row_of(data, i);
        union cell *cell = frame_row(&data->results, row);
        enum status status = STATUS_OK;
        for (int k = 0; k < REAL_COUNT; k++)
            real[k] = cell[data->columns.real[k]].real;
        passing->change(passing, i, real,
                        &data->samples[cell[data->columns.fixed[FIXED_sample_offset]].integer + 2].seconds,
                        &status);
        for (int k = 0; k < REAL_COUNT; k++)
            cell[data->columns.real[k]].real = real[k];
        frame_put_text(&data->results, row, data->columns.fixed[FIXED_status], status_words[status]);
    }
}

/* The journal of a run that was killed, which has let everything in: beside the file that it continues. */
static struct dataset replay(struct passing *passing, struct store *store)
{
    struct error error = {0};
    change_rows(passing, &store->data);
    for (size_t row = 0; row < store->data.results.rows; row++)
        record_put_row(&store->journal, RECORD_RESULT, &store->data, row, ++store->data.mark.sequence);
    assert_int_equal(journal_sync(&store->journal, &error), 0);
    return read_file(file);
}

static struct dataset join(struct passing *passing)
{
    struct merge_source source = {.path = file, .data = read_file(file)};
    struct merge_counts counts;
    struct dataset merged;
    struct error error = {0};
    char *joined = fixture_path("joined.h5");
    change_rows(passing, &source.data);
    assert_int_equal(
        merge_datasets(&source, 1, MERGE_REFUSE, &(struct accepted){0}, NULL, 0, &merged, &counts, &error),
        0);
    assert_int_equal(store_save(joined, &merged, &error), 0);
    dataset_free(&source.data);
    dataset_free(&merged);
    merged = read_file(joined);
    remove(joined);
    free(joined);
    return merged;
}

/* The rows through the door, as the file has them then. */
static struct dataset pass(struct passing *passing)
{
    struct dataset dataset;
    struct store *store = open_store(false);
    append_all(passing, store);
    if (passing->door == REPLAY) {
        dataset = replay(passing, store);
        journal_close(&store->journal, true);
        dataset_free(&store->data);
        free(store->schema.space);
        free(store->path);
        free(store);
    } else {
        if (passing->door == SUMMARY)
            change_rows(passing, &store->data);
        fixture_close(store);
        dataset = passing->door == JOIN ? join(passing) : read_file(file);
    }
    remove(file);
    return dataset;
}

/* ---- What has to be there ---- */

static double real_of(const struct dataset *dataset, size_t row, enum result_real real)
{
    return frame_find_real(&dataset->results, row, column_reals[real].name);
}

static const char *text_of(const struct dataset *dataset, size_t row, const char *column)
{
    return fixture_cell(&dataset->results, row, column).text;
}

/* By rules of its own: nothing is infinite, or below 0, but what may be. */
static void expect_possible(const struct dataset *dataset, size_t row)
{
    for (int i = 0; i < REAL_COUNT; i++) {
        double value = real_of(dataset, row, (enum result_real)i);
        if (value < 0 ? i != REAL_temperature
                      : isinf(value) && i != REAL_error_max && i != REAL_error_rms && i != REAL_error_peak)
            fail_msg("row %zu has %s %g", row, column_reals[i].name, value);
    }
}

static void expect_failed(const struct dataset *dataset, size_t row, const char *why)
{
    assert_string_equal(text_of(dataset, row, "status"), "failed");
    assert_non_null(strstr(text_of(dataset, row, "message"), why));
    assert_true(isnan(real_of(dataset, row, REAL_time_median)));
    assert_int_equal(fixture_cell(&dataset->results, row, "sample_count").integer, 0);
}

/* Its time is that of good samples. */
static void expect_good(const struct dataset *dataset, size_t row, double processes)
{
    assert_string_equal(text_of(dataset, row, "status"), "ok");
    assert_true(fabs(real_of(dataset, row, REAL_time_median) / 1e-3 - 1) < 1e-9);
    assert_true(real_of(dataset, row, REAL_processes) == processes);
    assert_true(fixture_cell(&dataset->results, row, "sample_count").integer == 4 * (int64_t)processes);
}

/* ---- Numbers ---- */

static void change_number(struct passing *passing, size_t which, double *real, double *sample,
                          enum status *status)
{
    (void)passing, (void)sample, (void)status;
    real[which / NUMBERS] = numbers[which % NUMBERS];
}

/* Computed from samples or counters where the row comes in, whatever was there. */
static bool is_computed(enum result_real real, enum door door)
{
    return door != APPEND && (real == REAL_time_median || real == REAL_processes);
}

static void expect_number(const struct dataset *dataset, size_t row, enum result_real real, double number,
                          enum door door)
{
    bool energy = column_reals[real].role == ROLE_ENERGY, possible = invariants_real(real, number);
    const char *said = text_of(dataset, row, energy ? "energy_status" : "message");
    expect_possible(dataset, row);
    if (real == REAL_time_median && !possible) {
        expect_failed(dataset, row, "impossible result: time_median");
        return;
    }
    assert_string_equal(text_of(dataset, row, "status"), "ok");
    assert_true(fabs(real_of(dataset, row, REAL_time_median) / 1e-3 - 1) < 1e-9);
    if (possible) { /* a temperature of -1 degC, an infinite error */
        assert_true(real_of(dataset, row, real) == number);
        assert_string_equal(said, "");
    } else if (!is_computed(real, door)) {
        assert_true(isnan(real_of(dataset, row, real)));
        assert_non_null(strstr(said, column_reals[real].name));
    }
}

/* Every number of a row, by every door. */
TEST(numbers_that_cannot_be)
{
    for (enum door door = APPEND; door < DOORS; door++) {
        struct passing passing = {door, REAL_COUNT * NUMBERS, change_number};
        struct dataset dataset = pass(&passing);
        print_message("%s\n", door_words[door]);
        assert_int_equal(dataset.results.rows, passing.rows);
        for (size_t i = 0; i < passing.rows; i++) {
            struct point point = stream_point(i);
            expect_number(&dataset, (size_t)fixture_row(&dataset, &point), (enum result_real)(i / NUMBERS),
                          numbers[i % NUMBERS], door);
        }
        dataset_free(&dataset);
    }
}

/* ---- Samples ---- */

static void change_sample(struct passing *passing, size_t which, double *real, double *sample,
                          enum status *status)
{
    (void)passing, (void)real, (void)status;
    if (which < SECONDS)
        *sample = seconds[which];
}

TEST(samples_that_cannot_be)
{
    for (enum door door = APPEND; door < DOORS; door++) {
        struct passing passing = {door, 2 * SECONDS, change_sample};
        struct dataset dataset = pass(&passing);
        print_message("%s\n", door_words[door]);
        assert_int_equal(dataset.results.rows, passing.rows);
        for (size_t i = 0; i < passing.rows; i++) {
            size_t row = fixture_row_of(&dataset, i);
            expect_possible(&dataset, row);
            if (i < SECONDS)
                expect_failed(&dataset, row, "impossible result: a sample took");
            else
                expect_good(&dataset, row, door == APPEND ? 1 : 2);
        }
        dataset_free(&dataset);
    }
}

/* ---- Statuses ---- */

static void change_status(struct passing *passing, size_t which, double *real, double *sample,
                          enum status *status)
{
    (void)passing, (void)real;
    *status = (enum status)which;
    if (*status != STATUS_OK)
        *sample = 1; /* that of a device about to fail */
}

TEST(bad_statuses)
{
    for (enum door door = APPEND; door < DOORS; door++) {
        struct passing passing = {door, STATUS_COUNT, change_status};
        struct dataset dataset = pass(&passing);
        print_message("%s\n", door_words[door]);
        for (size_t i = 0; i < STATUS_COUNT; i++) {
            size_t row = fixture_row_of(&dataset, i);
            assert_string_equal(text_of(&dataset, row, "status"), status_words[i]);
            if (i == STATUS_OK) {
                expect_good(&dataset, row, door == APPEND ? 1 : 2);
                continue;
            }
            assert_true(isnan(real_of(&dataset, row, REAL_time_median)));
            assert_true(isnan(real_of(&dataset, row, REAL_processes)));
            assert_int_equal(fixture_cell(&dataset.results, row, "sample_count").integer, 0);
        }
        dataset_free(&dataset);
    }
}

/* ---- Further processes ---- */

/* Point 0 gets a good one; the others one of each status, or of each time that cannot be, and then a good
 * one: it counts. */
TEST(further_processes)
{
    enum { POINTS = STATUS_COUNT + SECONDS };
    struct error error = {0};
    struct store *store = open_store(false);
    for (size_t i = 0; i < POINTS; i++) {
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = good_result(&point, 0, samples);
        fixture_append(store, &point, &result);
        result = good_result(&point, 1, samples);
        for (int k = 0; k < 4 && i; k++)
            samples[k].seconds = 1; /* that of a device about to fail */
        if (i >= STATUS_COUNT)
            samples[3].seconds = seconds[i - STATUS_COUNT];
        else if (i)
            result_fail(&result, (enum status)i, "on purpose");
        assert_int_equal(store_merge(store, &result, &error), 0);
        assert_true((result.status == STATUS_OK) == !i);
        result = good_result(&point, 2, samples);
        assert_int_equal(store_merge(store, &result, &error), 0);
    }
    assert_int_equal(store_fail_process(store, 12345, "of no point", &error), 0);
    for (int closed = 0; closed < 2; closed++) { /* from the journal, and from the file */
        if (closed)
            fixture_close(store);
        else
            usleep(10000), fixture_tick(store);
        struct dataset dataset = read_file(file);
        for (size_t i = 0; i < POINTS; i++) {
            size_t row = fixture_row_of(&dataset, i);
            char message[128] = "";
            expect_possible(&dataset, row);
            expect_good(&dataset, row, i ? 2 : 3);
            assert_true(real_of(&dataset, row, REAL_processes_failed) == (i > 0));
            if (i >= STATUS_COUNT)
                snprintf(message, sizeof message,
                         "a process failed: failed: impossible result: a sample took %g s",
                         seconds[i - STATUS_COUNT]);
            else if (i)
                snprintf(message, sizeof message, "a process failed: %s: on purpose", status_words[i]);
            assert_string_equal(text_of(&dataset, row, "message"), message);
        }
        dataset_free(&dataset);
    }
}

/* Point 1 + i has one other hash in its second process, of the i-th kind: then that kind is unknown, also
 * after a third process that ran what the first did. */
TEST(processes_that_ran_different_things)
{
    static const char *const columns[] = {"code_hash", "launch_hash", "protocol_hash"}, *const words[] = {
                                                                                            "code",
                                                                                            "launches",
                                                                                            "protocols"};
    enum { KINDS = 3, PROCESSES = 3 };
    struct error error = {0};
    struct store *store = open_store(false);
    for (size_t i = 0; i <= KINDS; i++) {
        struct point point = stream_point(i);
        for (uint32_t process = 0; process < PROCESSES; process++) {
            struct sample samples[4];
            struct result result = good_result(&point, process, samples);
            uint64_t *const hash[KINDS] = {&result.code_hash, &result.launch_hash, &result.protocol_hash};
            for (size_t kind = 0; kind < KINDS; kind++)
                *hash[kind] = 0xabc0 + kind + (process == 1 && kind + 1 == i ? 0x100 : 0);
            assert_int_equal(process ? store_merge(store, &result, &error)
                                     : store_append(store, &point, &result, &error),
                             0);
        }
    }
    fixture_close(store);
    struct dataset dataset = read_file(file);
    for (size_t i = 0; i <= KINDS; i++) {
        size_t row = fixture_row_of(&dataset, i);
        char message[64] = "";
        for (size_t kind = 0; kind < KINDS; kind++)
            assert_int_equal(*text_of(&dataset, row, columns[kind]) != 0, kind + 1 != i);
        if (i)
            snprintf(message, sizeof message, "its processes ran different %s", words[i - 1]);
        assert_string_equal(text_of(&dataset, row, "message"), message);
    }
    dataset_free(&dataset);
}

/* A row that is not ok takes no further process. */
TEST(processes_of_a_failed_point)
{
    struct error error = {0};
    struct sample samples[4];
    struct point point = stream_point(0);
    struct store *store = open_store(false);
    struct result result = good_result(&point, 0, samples);
    result_fail(&result, STATUS_CRASHED, "on purpose");
    fixture_append(store, &point, &result);
    result = good_result(&point, 1, samples);
    assert_int_equal(store_merge(store, &result, &error), 0);
    assert_int_equal(store_fail_process(store, result.id, "another", &error), 0);
    fixture_close(store);
    struct dataset dataset = read_file(file);
    assert_string_equal(text_of(&dataset, 0, "message"), "on purpose");
    assert_true(isnan(real_of(&dataset, 0, REAL_time_median)));
    assert_int_equal(fixture_cell(&dataset.results, 0, "sample_count").integer, 0);
    dataset_free(&dataset);
}

/* ---- Counting ---- */

static struct counted good_count(void)
{
    struct counted counted = counted_new(0);
    counted.state = COUNTERS_COUNTED;
    counted.counter[0] = 42;
    counted.counter[1] = 43;
    counted.energy.energy = 0.5;
    counted.energy.energy_power = 0.25;
    snprintf(counted.energy.status, sizeof counted.energy.status, ENERGY_MEASURED);
    return counted;
}

static struct counted bad_count(size_t which)
{
    struct counted counted = good_count();
    double number = numbers[which % NUMBERS];
    switch (which / NUMBERS) {
    case 0:
        counted.counter[1] = number;
        break;
    case 1:
        counted.energy.energy = number;
        break;
    case 2:
        counted.activity.span = number;
        break;
    default:
        counted.activity.idle = number;
    }
    return counted;
}

TEST(counts_that_cannot_be)
{
    enum { CASES = 4 * NUMBERS };
    struct error error = {0};
    struct store *store = open_store(false);
    for (size_t i = 0; i < CASES + STATUS_COUNT; i++) { /* then good counts of rows of each status */
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = good_result(&point, 0, samples);
        const struct counted counted = i < CASES ? bad_count(i) : good_count();
        if (i > CASES)
            result_fail(&result, (enum status)(i - CASES), "on purpose");
        fixture_append(store, &point, &result);
        assert_int_equal(store_count(store, result.id, 0, 0, &counted, &error), 0);
    }
    fixture_close(store);
    struct dataset dataset = read_file(file);
    for (size_t i = 0; i < CASES + STATUS_COUNT; i++) {
        struct point point = stream_point(i);
        size_t row = (size_t)fixture_row(&dataset, &point), what = i / NUMBERS;
        const char *counters = text_of(&dataset, row, "counters_status"),
                   *energy = text_of(&dataset, row, "energy_status");
        expect_possible(&dataset, row);
        if (i > CASES) {
            assert_true(!strcmp(counters, "none") && !*energy && isnan(real_of(&dataset, row, REAL_energy)));
            continue;
        }
        expect_good(&dataset, row, 1);
        double first = fixture_cell(&dataset.results, row, counted_columns[0]).real,
               second = fixture_cell(&dataset.results, row, counted_columns[1]).real;
        assert_true(first == 42 && (what ? second == 43 : isnan(second)));
        assert_true(what == 0 ? !strncmp(counters, "failed: impossible: dram_bytes_written ", 39)
                              : !strcmp(counters, "counted"));
        assert_true(what == 1 ? !strncmp(energy, "failed: impossible: energy ", 27)
                              : !strcmp(energy, "measured"));
        assert_true(what == 1 ? isnan(real_of(&dataset, row, REAL_energy_power))
                              : real_of(&dataset, row, REAL_energy_power) == 0.25);
        assert_true((strstr(text_of(&dataset, row, "message"), "activity") != NULL) ==
                    (what == 2 || what == 3));
    }
    dataset_free(&dataset);
}

/* ---- Devices, and phases of the timeline ---- */

TEST(devices_that_cannot_be)
{
    struct store *store = open_store(false);
    struct device device = fixture_device();
    snprintf(device.uuid, sizeof device.uuid, "GPU-4567");
    device.peak_copy = -INFINITY;
    device.clock_max = -1;
    device.numa_node = -7;
    assert_int_equal(store_device(store, &device), 1);
    append_all(&(struct passing){.door = JOIN, .rows = 1}, store);
    fixture_close(store);
    struct dataset dataset = read_file(file);
    struct device read = dataset_device(&dataset, 1);
    assert_true(isnan(read.peak_copy) && isnan(read.clock_max) && read.numa_node == -1);
    assert_true(read.nominal == 4e12);
    dataset_free(&dataset);
}

/* One that cannot be costs no others. */
TEST(phases_that_cannot_be)
{
    struct store *store = open_store(false);
    const struct phase_row good = {.start = 1, .sum = {.parts = 1, .seconds = 2}, .device = 0};
    struct phase_row bad[4] = {good, good, good, good};
    bad[0].sum.seconds = -5;
    bad[1].start = NAN;
    bad[2].device = 7;
    bad[3].sum.seconds = INFINITY;
    store_phase(store, &good);
    for (int i = 0; i < 4; i++)
        store_phase(store, &bad[i]);
    store_phase(store, &good);
    append_all(&(struct passing){.door = JOIN, .rows = 1}, store);
    fixture_close(store);
    struct dataset dataset = read_file(file);
    assert_null(dataset.lost_timeline);
    assert_int_equal(dataset.timeline.rows, 2);
    dataset_free(&dataset);
}
