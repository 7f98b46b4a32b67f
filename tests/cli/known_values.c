/* Prints the options whose kind of value completion does not know. */
#include <stdio.h>

#include "cli/program/commands.h"
#include "cli/program/values.h"

int main(void)
{
    int unknown = 0, options = 0;
    for (const struct command *const *one = commands; *one; one++)
        for (const struct command_option *option = (*one)->options; option->name; option++, options++)
            if (!values_are_known(option)) {
                printf("%s --%s %s: add the value to the table of src/cli/program/values.c\n", (*one)->name,
                       option->name, option->value);
                unknown++;
            }
    printf("%d options, %d unknown\n", options, unknown);
    return unknown || options < 50;
}
