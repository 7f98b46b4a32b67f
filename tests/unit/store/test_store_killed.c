/* What runs that are killed one after the other leave, and what the next one makes of it. */
#include <sys/wait.h>

#include "unit_test.h"

#include "results_fixture.h"

static const char counter[1][96] = {"dram__bytes_read.sum"};

/* ---- Writers: in processes of their own, an error ends them ---- */

static struct store_head head(void)
{
    struct store_head head = fixture_head();
    head.counter = counter;
    head.counter_count = 1;
    return head;
}

static void require(int failed, const struct error *error)
{
    if (!failed)
        return;
    fprintf(stderr, "%s\n", error->text);
    _exit(1);
}

static struct store *begin(void)
{
    struct store *store;
    struct error error;
    const struct store_head now = head();
    require(store_open(file, access(file, F_OK) == 0, &now, &store, &error), &error);
    return store;
}

static void tell_device(struct store *store)
{
    struct device device = fixture_device();
    store_device(store, &device);
}

/* Result `number` of point `which`, whose counters are to come. */
static void append(struct store *store, uint64_t which, uint64_t number)
{
    struct sample samples[4];
    struct error error;
    struct point point = stream_point(which);
    struct result result = numbered_result(number, &point, samples);
    result.counters = COUNTERS_PENDING;
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        result.counter[i] = NAN;
    require(store_append(store, &point, &result, &error), &error);
}

static void append_range(struct store *store, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++)
        append(store, i, i);
}

static void count(struct store *store, uint64_t which, double value)
{
    struct error error;
    struct point point = stream_point(which);
    const struct counted counted = {.state = COUNTERS_COUNTED, .counter = {value}};
    require(store_count(store, point_id(&point), 0, 0, &counted, &error), &error);
}

static void checkpoint(struct store *store)
{
    struct error error;
    require(store_checkpoint(store, &error), &error);
}

static void end(struct store *store)
{
    struct error error;
    require(store_close(store, &error), &error);
}

/* What a kill finds: all that came half a second ago is in the journal. */
static void die(struct store *store)
{
    struct error error;
    usleep(10000);
    require(store_tick(store, &error), &error);
    _exit(0);
}

static void in_a_process(void (*run)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- What has to be there ---- */

struct expected {
    uint64_t number; /* of the result */
    double counter;  /* NaN: pending */
};

/* The file and its journal have exactly the points [0, rows), and nothing is damaged. */
static void expect(uint64_t rows, struct expected (*of)(uint64_t which))
{
    struct dataset dataset = read_file(file);
    assert_int_equal(dataset.journal_damage.places, 0);
    assert_int_equal(dataset.results.rows, rows);
    for (uint64_t i = 0; i < rows; i++) {
        size_t row = fixture_row_of(&dataset, i);
        const struct expected expected = of(i);
        assert_true(fixture_row_is(&dataset, row, expected.number));
        double value = fixture_cell(&dataset.results, row, counter[0]).real;
        const char *status = fixture_cell(&dataset.results, row, "counters_status").text;
        assert_string_equal(status, isnan(expected.counter) ? "pending" : "counted");
        assert_true(isnan(expected.counter) ? isnan(value) : value == expected.counter);
    }
    dataset_free(&dataset);
}

static void go_on_and_end(void)
{
    end(begin());
}

/* ---- Only counters, or only a device, are in the journal ---- */

static void count_and_die(void)
{
    struct store *store = begin();
    tell_device(store);
    append_range(store, 0, 4);
    checkpoint(store);
    for (uint64_t i = 0; i < 4; i++)
        count(store, i, 10.0 + (double)i);
    die(store);
}

static struct expected all_counted(uint64_t which)
{
    return (struct expected){which, 10.0 + (double)which};
}

TEST(counters_alone)
{
    in_a_process(count_and_die);
    expect(4, all_counted);
    in_a_process(go_on_and_end);
    assert_int_equal(access(journal, F_OK), -1);
    expect(4, all_counted);
}

static void die_before_the_first_row(void)
{
    struct store *store = begin();
    tell_device(store);
    die(store);
}

static void die_after_rows(void)
{
    struct store *store = begin();
    tell_device(store);
    append_range(store, 0, 4);
    die(store);
}

static struct expected all_pending(uint64_t which)
{
    return (struct expected){which, NAN};
}

TEST(device_alone)
{
    in_a_process(die_before_the_first_row);
    in_a_process(die_after_rows);
    expect(4, all_pending);
    in_a_process(go_on_and_end);
    expect(4, all_pending);
}

/* ---- One kill after the other, before any checkpoint ---- */

enum { IN_FILE = 40, FIRST = 60, SECOND = 80, AGAIN = 5, COUNTED = 7, BOTH = 9 };

/* In the file: [0, IN_FILE). In the journal: more points, some that come again, counters of points of
 * either. */
static void die_first(void)
{
    struct store *store = begin();
    tell_device(store);
    append_range(store, 0, IN_FILE);
    checkpoint(store);
    append_range(store, IN_FILE, FIRST);
    append(store, AGAIN, AGAIN + 1000);
    append(store, BOTH, BOTH + 1000);
    count(store, COUNTED, 1);
    count(store, BOTH, 2);
    count(store, FIRST - 1, 3);
    die(store);
}

static struct expected after_first(uint64_t which)
{
    struct expected expected = {which, NAN};
    if (which == AGAIN || which == BOTH)
        expected.number += 1000;
    if (which == COUNTED)
        expected.counter = 1;
    if (which == BOTH)
        expected.counter = 2;
    if (which == FIRST - 1)
        expected.counter = 3;
    return expected;
}

static enum counters_state counters_of(const struct store *store, uint64_t which)
{
    struct store_point there = {0};
    struct point point = stream_point(which);
    store_find(store, point_id(&point), &there);
    return there.counters;
}

/* What is known when the file was read; then all of it again, and more. */
static void die_second(void)
{
    uint64_t counts[STATUS_COUNT];
    uint64_t failed = 0;
    struct store *store = begin();
    bool right = true;
    fixture_count(store, counts);
    for (uint64_t i = 0; i < FIRST; i++) {
        struct store_point there;
        struct point point = stream_point(i);
        bool bad = after_first(i).number % 7 == 6;
        failed += bad;
        right = right && store_find(store, point_id(&point), &there) &&
                there.status == (bad ? STATUS_FAILED : STATUS_OK);
        right = right && (bad || counters_of(store, i) ==
                                     (isnan(after_first(i).counter) ? COUNTERS_PENDING : COUNTERS_COUNTED));
    }
    right = right && counts[STATUS_FAILED] == failed && counts[STATUS_OK] == FIRST - failed;
    append_range(store, FIRST, SECOND);
    append(store, AGAIN, AGAIN);  /* one that the journal has anew */
    append(store, 3, 2003);       /* one of the file */
    count(store, COUNTED, 11);    /* whose counters are in the journal */
    count(store, COUNTED + 1, 4); /* of the file */
    count(store, AGAIN, 5);
    if (!right)
        _exit(2);
    die(store);
}

static struct expected after_second(uint64_t which)
{
    struct expected expected = after_first(which);
    if (which == 3)
        expected.number = 2003;
    if (which == AGAIN)
        expected = (struct expected){AGAIN, 5};
    if (which == COUNTED)
        expected.counter = 11;
    if (which == COUNTED + 1)
        expected.counter = 4;
    return expected;
}

static void die_third(void)
{
    die(begin());
}

TEST(kill_after_kill)
{
    in_a_process(die_first);
    expect(FIRST, after_first);
    in_a_process(die_second);
    expect(SECOND, after_second);
    in_a_process(die_third);
    in_a_process(die_third);
    expect(SECOND, after_second);
    in_a_process(go_on_and_end);
    assert_int_equal(access(journal, F_OK), -1);
    expect(SECOND, after_second);
}

TEST(finished_after_one_kill)
{
    in_a_process(die_first);
    in_a_process(go_on_and_end);
    assert_int_equal(access(journal, F_OK), -1);
    expect(FIRST, after_first);
}

/* A record that a kill has cut is no damage, nor is it in the way of what the next run writes. */
TEST(torn_between_runs)
{
    static const unsigned char cut[40] = {200, 1, 0, 0, 1, 2, 3, 4, 4};
    for (size_t length = 1; length <= sizeof cut; length += 13) {
        in_a_process(die_first);
        FILE *end = fopen(journal, "ab");
        assert_int_equal(fwrite(cut, 1, length, end), length);
        assert_int_equal(fclose(end), 0);
        in_a_process(die_second);
        expect(SECOND, after_second);
        unlink(file);
        unlink(journal);
    }
}

/* The last record is damaged: the others count, and the original is kept. */
TEST(damage_before_the_second_run)
{
    size_t size;
    in_a_process(die_first);
    unsigned char *bytes = fixture_read(journal, &size);
    bytes[size - 20] ^= 1; /* counters of FIRST - 1 */
    fixture_write(journal, bytes, size);
    free(bytes);
    struct dataset dataset;
    struct error error;
    assert_int_equal(dataset_read(file, &dataset, &error), 0);
    assert_int_equal(dataset.journal_damage.places, 1);
    assert_int_equal(dataset.results.rows, FIRST);
    dataset_free(&dataset);
    in_a_process(go_on_and_end);
    char *kept = fixture_path("results.h5.journal.damaged");
    assert_int_equal(access(kept, F_OK), 0);
    free(kept);
    assert_int_equal(dataset_read(file, &dataset, &error), 0);
    assert_int_equal(dataset.journal_damage.places, 0);
    assert_int_equal(dataset.results.rows, FIRST);
    dataset_free(&dataset);
}
