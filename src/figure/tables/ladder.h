/* ladder.h - the rows that are steps from a naive matrix product to the vendor's (jobs/ladder.yaml), for a figure and a table. */
#pragma once

#include "results/merge.h"
#include "table/view.h"

struct ladder_row {
    const char *name, *class; /* of the step; type of the elements, and whether it is a library */
    size_t row;               /* of the results */
    int place;                /* 0: the last step */
};

/* The rows of all steps at the size that most of them have, step by step; the caller frees them. None: fewer than three steps. */
size_t ladder_rows(const struct merged *all, const struct view *view, struct ladder_row **rows);
