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
