#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/registry.h"

static void offer(const char *typed, const char *candidate, const char *about)
{
    if (strncmp(candidate, typed, strlen(typed)) == 0)
        printf("%s\t%s\n", candidate, about);
}

static void offer_commands(const char *typed)
{
    for (const struct command *const *one = commands; *one; one++)
        offer(typed, (*one)->name, (*one)->summary);
    for (const struct reader *one = readers; one->name; one++)
        offer(typed, one->name, one->summary);
}

static void offer_options(const struct command *command, const char *typed)
{
    char name[128];
    for (int i = 0; options_at(command, i); i++) {
        snprintf(name, sizeof name, "--%s", options_at(command, i)->name);
        offer(typed, name, options_at(command, i)->help);
    }
}

static void offer_kernels(const char *typed)
{
    for (const struct family *const *family = families; *family; family++)
        offer(typed, (*family)->space.kernel, (*family)->summary);
}

/* `word`: behind the command's name. */
static void complete_word(const struct command *command, int words, char **word)
{
    const char *typed = word[words - 1];
    const struct command_option *option = words > 1 ? options_find(command, word[words - 2]) : NULL;
    bool value = option && option->value;
    for (const char *const *one = value ? option->words : NULL; one && *one; one++)
        offer(typed, *one, "");
    if (value ? !strcmp(option->name, "kernel") : !strcmp(command->operands, "[NAME]"))
        offer_kernels(typed);
    if (!value && *typed == '-')
        offer_options(command, typed);
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

void complete_print(int words, char **word)
{
    const struct command *command = words > 1 ? command_find(word[0]) : NULL;
    if (words == 1 || (words == 2 && !strcmp(word[0], "help")))
        offer_commands(word[words - 1]);
    if (words == 1) {
        offer(word[0], "help", "show the help of a command");
        offer(word[0], "--version", "print release and commit");
        offer(word[0], "--help", "list all commands");
    } else if (command) {
        complete_word(command, words - 1, word + 1);
    } else if (words > 1 && reader_find(word[0])) {
        ask_reader(words, word);
    }
}
