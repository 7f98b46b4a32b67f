#include "cli/program/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/program/commands.h"
#include "cli/program/readers.h"
#include "kernels/registry.h"

static void offer(const char *before, const char *typed, const char *candidate, const char *about)
{
    if (strncmp(candidate, typed, strlen(typed)) == 0)
        printf("%s%s\t%s\n", before, candidate, about);
}

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

static void offer_commands(const char *typed)
{
    for (const struct command *const *one = commands; *one; one++)
        offer("", typed, (*one)->name, (*one)->summary);
    for (const struct reader *one = readers; one->name; one++)
        offer("", typed, one->name, one->summary);
}

static void offer_options(const struct command *command, const char *typed)
{
    char name[128];
    for (const struct command_option *option = command->options; option->name; option++) {
        snprintf(name, sizeof name, "--%s", option->name);
        offer("", typed, name, option->help);
    }
    offer("", typed, "--help", "show this help");
}

static void offer_kernels(const char *typed)
{
    for (const struct family *const *family = families; *family; family++)
        offer("", typed, (*family)->space.kernel, (*family)->summary);
}

/* The words of an option, or files. `before`: what is typed before the value, "--format=" or "". */
static void offer_values(const struct command_option *option, const char *before, const char *typed)
{
    for (const char *const *word = option->words; word && *word; word++)
        offer(before, typed, *word, "");
    if (!strcmp(option->name, "kernel"))
        offer_kernels(typed);
    else if (!strcmp(option->value, "FILE.h5"))
        printf("/files .h5\n");
    else if (!strcmp(option->value, "FILE"))
        printf("/files\n");
    else if (!strcmp(option->value, "DIR"))
        printf("/folders\n");
}

static void offer_operands(const struct command *command, const char *typed)
{
    if (!strcmp(command->operands, "[NAME]"))
        offer_kernels(typed);
    else if (strstr(command->operands, "JOB"))
        printf("/files .yaml .yml\n");
    else if (strstr(command->operands, ".h5"))
        printf("/files .h5\n");
}

/* `word`: behind the command's name. */
static void complete_word(const struct command *command, int words, char **word)
{
    const char *typed = word[words - 1], *equals = strchr(typed, '=');
    const struct command_option *option = words > 1 ? awaits_value(command, word[words - 2]) : NULL;
    if (option) {
        offer_values(option, "", typed);
    } else if (!strncmp(typed, "--", 2) && equals) {
        char before[128];
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - typed), typed);
        option = find_long(command, typed + 2, (size_t)(equals - typed - 2));
        if (option && option->value)
            offer_values(option, before, equals + 1);
    } else if (typed[0] == '-') {
        offer_options(command, typed);
    } else {
        offer_operands(command, typed);
    }
}

/* Does not return if Python starts. */
static void ask_reader(int words, char **word)
{
    struct error ignored;
    char request[] = "__complete";
    char **asked = memory_new((size_t)words + 2, sizeof *asked);
    asked[0] = request;
    memcpy(asked + 1, word, (size_t)words * sizeof *asked);
    reader_become(asked, &ignored);
    free(asked);
}

int complete_print(int words, char **word)
{
    const struct command *command = words > 1 ? command_find(word[0]) : NULL;
    if (words == 1 || (words == 2 && !strcmp(word[0], "help")))
        offer_commands(word[words - 1]);
    if (words == 1) {
        offer("", word[0], "help", "show the help of a command");
        offer("", word[0], "--version", "print release and commit");
        offer("", word[0], "--help", "list all commands");
    } else if (command) {
        complete_word(command, words - 1, word + 1);
    } else if (words > 1 && reader_find(word[0])) {
        ask_reader(words, word);
    }
    return EXIT_FINE;
}
