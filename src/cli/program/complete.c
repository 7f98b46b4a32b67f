#include "cli/program/complete.h"

#include <stdio.h>
#include <string.h>

#include "cli/program/commands.h"
#include "cli/program/readers.h"
#include "cli/program/values.h"

static const struct command_option *find_long(const struct command *command, const char *name, size_t length)
{
    for (const struct command_option *option = command->options; option->name; option++)
        if (strlen(option->name) == length && !strncmp(option->name, name, length))
            return option;
    return NULL;
}

/* The option named by a word whose value is the next word, or NULL. */
static const struct command_option *awaits_value(const struct command *command, const char *word)
{
    const struct command_option *option = NULL;
    if (word[0] != '-' || !word[1])
        return NULL;
    if (word[1] == '-')
        option = strchr(word, '=') ? NULL : find_long(command, word + 2, strlen(word + 2));
    else
        for (const struct command_option *one = command->options; one->name && !word[2] && !option; one++)
            option = one->letter == word[1] ? one : NULL;
    return option && option->value ? option : NULL;
}

static void offer_command_names(const char *typed)
{
    for (const struct command *const *one = commands; *one; one++)
        values_offer("", typed, (*one)->name, "", (*one)->summary);
    for (const struct reader *one = readers; one->name; one++)
        values_offer("", typed, one->name, "", one->summary);
}

static void offer_commands(const char *typed)
{
    offer_command_names(typed);
    values_offer("", typed, "help", "", "show the help of a command");
    values_offer("", typed, "--version", "", "print release and commit");
    values_offer("", typed, "--help", "", "list all commands");
}

static void offer_options(const struct command *command, const char *typed)
{
    char name[128];
    for (const struct command_option *option = command->options; option->name; option++) {
        snprintf(name, sizeof name, "--%s", option->name);
        values_offer("", typed, name, "", option->help);
    }
    values_offer("", typed, "--help", "", "show this help");
}

static int count_operands(const struct line *line)
{
    int operands = 0;
    for (int i = 0; i + 1 < line->words; i++) {
        if (awaits_value(line->command, line->word[i]))
            i++;
        else if (line->word[i][0] != '-')
            operands++;
    }
    return operands;
}

static void complete_word(const struct line *line)
{
    const char *typed = line->word[line->words - 1], *equals = strchr(typed, '=');
    const struct command_option *option =
        line->words > 1 ? awaits_value(line->command, line->word[line->words - 2]) : NULL;
    if (option) {
        values_of_option(line, option, "", typed);
    } else if (!strncmp(typed, "--", 2) && equals) {
        char before[128];
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - typed), typed);
        option = find_long(line->command, typed + 2, (size_t)(equals - typed - 2));
        if (option && option->value)
            values_of_option(line, option, before, equals + 1);
    } else if (typed[0] == '-') {
        offer_options(line->command, typed);
    } else {
        values_of_operand(line, count_operands(line), typed);
    }
}

int complete_print(int words, char **word)
{
    if (words == 1)
        offer_commands(word[0]);
    if (words == 2 && !strcmp(word[0], "help")) {
        offer_command_names(word[1]);
        return EXIT_FINE;
    }
    if (words < 2)
        return EXIT_FINE;
    const struct command *command = command_find(word[0]);
    struct line line = {.command = command, .words = words - 1, .word = word + 1};
    if (command)
        complete_word(&line);
    else if (reader_find(
                 word[0])) /* where a result is asked for, so are files: the options are in the help alone */
        printf("/files .h5 .yaml .yml\n");
    return EXIT_FINE;
}
