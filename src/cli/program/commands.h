/* commands.h - the table of all commands. */
#ifndef CLI_PROGRAM_COMMANDS_H
#define CLI_PROGRAM_COMMANDS_H

#include "cli/command.h"

extern const struct command *const commands[]; /* in the order of the help; ends with NULL */

/* NULL: no command has that name. */
const struct command *command_find(const char *name);

#endif
