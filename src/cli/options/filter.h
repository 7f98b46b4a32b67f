/* filter.h - options of commands that select rows of a file. */
#pragma once

#include "cli/options/options.h"
#include "table/view.h"

#define FILTER_OPTIONS                                                                                       \
    {"kernel", 'k', "NAME", NULL, NULL, "only this kernel's points"},                                        \
    {                                                                                                        \
        "where", 'w', "COLUMN=V,V", NULL, NULL,                                                              \
            "only rows with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated"              \
    }

/* Keep the rows that the options select. `canaries`: also the repetitions of canary points. */
int filter_rows(const struct arguments *arguments, bool canaries, struct view *view, struct error *error);
