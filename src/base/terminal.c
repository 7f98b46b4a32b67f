#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_redraws(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && (!kind || strcmp(kind, "dumb") != 0);
}
