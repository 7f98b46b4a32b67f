/* commands.h - the table of all commands. */
#pragma once

#include "cli/command.h"

extern const struct command *const commands[]; /* in the order of the help; ends with NULL */

/* NULL: no command has that name. */
const struct command *command_find(const char *name);
