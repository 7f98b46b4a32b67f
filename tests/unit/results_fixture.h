/* results_fixture.h - a results file and its journal in a folder of each test's own. Include after unit_test.h. */
#pragma once

#include "store_fixture.h"

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
