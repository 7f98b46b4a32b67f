/* live.h - rows of a run as they come, on stdout: tab-separated like `table`, aligned and scaled on a terminal. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <stdbool.h>

#include "launch/launch.h"

struct live {
    const char *
        columns; /* as --columns has them; NULL: kernel, the axes that the job varies, status, time, bandwidth */
    char **name; /* owned */
    int names;
    bool people; /* a person looks at it */
    bool gone;   /* the reader has left */
};

/* What the launcher is to call, with `live` as its context: it has to outlive the run. */
struct launch_live live_observer(struct live *live);
void live_free(struct live *live);

#endif
