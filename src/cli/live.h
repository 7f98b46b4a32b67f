/* live.h - print the rows of a run on stdout as they complete: tab-separated, or aligned and scaled on a terminal. */
#pragma once

#include <stdbool.h>

#include "launch/launch.h"

struct live {
    const char *
        columns; /* as --columns has them; NULL: kernel, the axes that the job varies, status, time, bandwidth */
    char **name; /* owned */
    int names;
    bool terminal; /* aligned and scaled */
    bool closed;   /* the reader has closed stdout */
};

/* Callbacks for the launcher, with `live` as context; `live` must outlive the run. */
struct launch_live live_observer(struct live *live);
void live_free(struct live *live);
