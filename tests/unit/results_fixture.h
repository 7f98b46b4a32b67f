/* results_fixture.h - a results file and its journal in a folder of each test's own. Include after
 * unit_test.h. */
#pragma once

#include "store_fixture.h"
#include "unit_test.h"

static char *file, *journal;

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

EACH(set_up, tear_down)

static inline struct dataset read_file(const char *path)
{
    struct dataset dataset;
    struct error error = {0};
    if (dataset_read(path, &dataset, &error) != 0)
        fail_msg("%s", error.text);
    return dataset;
}

/* ---- Each of these succeeds ---- */

static inline void fixture_expect(int failed, const struct error *error)
{
    if (failed)
        fail_msg("%s", error->text);
}

/* With the one device. NULL: a run like any other. */
static inline struct store *fixture_open(const char *path, bool resume, const struct store_head *head)
{
    struct store *store;
    struct error error = {0};
    const struct store_head standard = fixture_head();
    struct device device = fixture_device();
    fixture_expect(store_open(path, resume, head ? head : &standard, &store, &error), &error);
    assert_int_equal(store_device(store, &device), 0);
    return store;
}

static inline void fixture_append(struct store *store, const struct point *point, struct result *result)
{
    struct error error = {0};
    fixture_expect(store_append(store, point, result, &error), &error);
}

static inline void fixture_tick(struct store *store)
{
    struct error error = {0};
    fixture_expect(store_tick(store, &error), &error);
}

static inline void fixture_checkpoint(struct store *store)
{
    struct error error = {0};
    fixture_expect(store_checkpoint(store, &error), &error);
}

static inline void fixture_close(struct store *store)
{
    struct error error = {0};
    fixture_expect(store_close(store, &error), &error);
    assert_int_equal(access(journal, F_OK), -1); /* a clean end leaves no journal */
}

/* The row of a point of `stream`. */
static inline size_t fixture_row_of(const struct dataset *dataset, uint64_t number)
{
    struct point point = stream_point(number);
    long row = fixture_row(dataset, &point);
    assert_true(row >= 0);
    return (size_t)row;
}
