#include "cli/command.h"

#include <string.h>

const struct command *const commands[] = {
#define X(name) &command_##name,
    COMMANDS(X)
#undef X
        NULL,
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *one = commands; *one; one++)
        if (!strcmp((*one)->name, name))
            return *one;
    return NULL;
}
