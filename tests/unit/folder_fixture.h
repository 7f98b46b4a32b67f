/* folder_fixture.h - `folder`, which is made before a test (EACH) or a file's first one (GROUP), and goes
 * away. */
#pragma once

#include "unit_test.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/warpsweep-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}
