/* What runs that are killed one after the other leave, and what the next one makes of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/io.h"
#include "store_fixture.h"

static char *file, *journal;
static const char counter[1][96] = {"dram__bytes_read.sum"};

static int set_up(void **state)
{
    (void)state;
    fixture_make_folder();
    file = fixture_path("results.h5");
    journal = fixture_path("results.h5.journal");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_remove_folder();
    free(file);
    free(journal);
    return 0;
}

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
    struct dataset dataset;
    struct error error = {0};
    if (dataset_read(file, &dataset, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(dataset.journal_damage.places, 0);
    assert_int_equal(dataset.results.rows, rows);
    for (uint64_t i = 0; i < rows; i++) {
        struct point point = stream_point(i);
        long row = fixture_row(&dataset, &point);
        const struct expected expected = of(i);
        assert_true(row >= 0);
        assert_true(fixture_row_is(&dataset, (size_t)row, expected.number));
        double value = fixture_cell(&dataset.results, (size_t)row, counter[0]).real;
        const char *status = fixture_cell(&dataset.results, (size_t)row, "counters_status").text;
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

static void test_counters_alone(void **state)
{
    (void)state;
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

static void test_device_alone(void **state)
{
    (void)state;
    in_a_process(die_before_the_first_row);
    in_a_process(die_after_rows);
    expect(4, all_pending);
    in_a_process(go_on_and_end);
    expect(4, all_pending);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_counters_alone),
        TEST(test_device_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
