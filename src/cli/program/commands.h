/* commands.h - all sub-commands, for those that look one up or tell of all. */
#ifndef CLI_PROGRAM_COMMANDS_H
#define CLI_PROGRAM_COMMANDS_H

#include "cli/command.h"

extern const struct command *const commands[]; /* in the order of the help; ends with NULL */

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);

#endif
