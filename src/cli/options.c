#include "cli/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

/* The option of a word, -n, --name or --name=value; NULL: the command has none such. */
static const struct command_option *find_option(const struct command *command, const char *word)
{
    const struct command_option *option = command->options;
    const size_t length = word[0] && word[1] == '-' ? strcspn(word + 2, "=") : 0;
    while (option->name &&
           (length ? strlen(option->name) != length || strncmp(option->name, word + 2, length) != 0
                   : !word[1] || option->letter != word[1]))
        option++;
    return option->name ? option : NULL;
}

enum { OPTIONS_MAX = 40 };

static int unknown_option(const struct command *command, const char *word, struct error *error)
{
    const char *known[OPTIONS_MAX + 1] = {NULL};
    char name[81];
    int count = 0;
    if (access(word, F_OK) == 0)
        return error_set(error, ERROR_USAGE, "%s has no option '%.80s' (did you mean './%.80s'?)",
                         command->name, word, word);
    if (word[1] != '-')
        return error_set(error, ERROR_USAGE, "%s has no option '-%c'", command->name, word[1]);
    for (const struct command_option *option = command->options; option->name; option++)
        known[count++] = option->name;
    assert(count <= OPTIONS_MAX);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = text_nearest(name, known);
    return error_set(error, ERROR_USAGE, "%s has no option '--%s'%s%s%s", command->name, name,
                     nearest ? " (did you mean '--" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* The option of word `*at`, with its value: within the word (--name=value, -nvalue), or the next word. */
static int take_option(struct arguments *arguments, int *at, struct error *error)
{
    const char *word = arguments->argv[*at], *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : NULL;
    if (word[1] != '-')
        value = word[2] ? word + 2 : NULL;
    const struct command_option *option = find_option(arguments->command, word);
    if (!option)
        return unknown_option(arguments->command, word, error);
    if (!strcmp(option->name, "help")) {
        arguments->help = true;
        return 0;
    }
    if (!option->value && value)
        return error_set(error, ERROR_USAGE, "--%s takes no value", option->name);
    if (option->value && !value) {
        if (*at + 1 >= arguments->argc)
            return error_set(error, ERROR_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                             option->value);
        value = arguments->argv[++*at];
    }
    if (value && option->words && text_find(option->words, value) < 0) {
        char what[64];
        snprintf(what, sizeof what, "value of --%s", option->name);
        return suggest_unknown(error, what, value, option->words);
    }
    if (value && strstr(option->value, "=V") && !strpbrk(value, "=<>"))
        return error_set(error, ERROR_USAGE, "--%s '%.60s': expected %s in one word", option->name, value,
                         option->value);
    arguments->given[arguments->given_count++] = (struct given_option){option, value};
    return 0;
}

static int check_operands(const struct arguments *arguments, struct error *error)
{
    const struct command *command = arguments->command;
    if (arguments->operands < command->operands_min)
        return error_set(error, ERROR_USAGE, "%s needs %s; see warpsweep %s --help", command->name,
                         command->operands, command->name);
    if (arguments->operands > command->operands_max)
        return error_set(error, ERROR_USAGE, "%s: unexpected operand '%.80s'%s; see warpsweep %s --help",
                         command->name, arguments->operand[command->operands_max],
                         options_given(arguments, "set") ? "; --set is one word: --set 'AXIS=VALUES'" : "",
                         command->name);
    return 0;
}

static int check_needs(const struct arguments *arguments, struct error *error)
{
    char needed[32];
    for (int i = 0; i < arguments->given_count; i++) {
        const struct command_option *option = arguments->given[i].option;
        if (sscanf(option->help, "with --%31[a-z-]:", needed) == 1 && !options_given(arguments, needed))
            return error_set(error, ERROR_USAGE, "--%s needs --%s", option->name, needed);
    }
    return 0;
}

int options_parse(const struct command *command, int argc, char **argv, struct arguments *arguments,
                  struct error *error)
{
    bool only_operands = false;
    int failed = 0;
    *arguments = (struct arguments){.command = command, .argc = argc, .argv = argv};
    arguments->given = memory_new((size_t)argc, sizeof *arguments->given);
    arguments->operand = memory_new((size_t)argc, sizeof *arguments->operand);
    for (int i = 2; i < argc && !arguments->help && !failed; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || !word[1])
            arguments->operand[arguments->operands++] = argv[i];
        else if (!strcmp(word, "--"))
            only_operands = true;
        else
            failed = take_option(arguments, &i, error);
    }
    if (!failed && !arguments->help)
        failed = check_operands(arguments, error) || check_needs(arguments, error);
    return failed ? -1 : 0;
}

void options_free(struct arguments *arguments)
{
    free(arguments->given);
    free(arguments->operand);
    *arguments = (struct arguments){0};
}

const char *options_each(const struct arguments *arguments, const char *name, int k)
{
    for (int i = 0; i < arguments->given_count; i++)
        if (!strcmp(arguments->given[i].option->name, name) && k-- == 0)
            return arguments->given[i].value;
    return NULL;
}

const char *options_text(const struct arguments *arguments, const char *name)
{
    const struct command_option *option = arguments->command->options;
    while (strcmp(option->name, name) != 0)
        option++; /* every option that a command reads is in its table */
    const char *value = option->standard, *given;
    for (int k = 0; (given = options_each(arguments, name, k)); k++)
        value = given;
    return value;
}

bool options_given(const struct arguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->given_count; i++)
        if (!strcmp(arguments->given[i].option->name, name))
            return true;
    return false;
}

static void help_line(const struct command_option *option, FILE *out)
{
    char left[48];
    const char letter[] = {'-', option->letter, ',', '\0'};
    snprintf(left, sizeof left, "%3s --%s %s", option->letter ? letter : "", option->name,
             option->value ? option->value : "");
    fprintf(out, "  %-26s %s", left, option->help);
    for (const char *const *word = option->words; word && *word; word++)
        fprintf(out, "%s%s", word == option->words ? ": " : ", ", *word);
    if (option->standard)
        fprintf(out, " [%s]", option->standard);
    fputc('\n', out);
}

void options_help(const struct command *command, FILE *out)
{
    fprintf(out, "warpsweep %s - %s\n\nUsage: warpsweep %s %s%s\n", command->name, command->summary,
            command->name, command->options[1].name ? "[OPTION]... " : "", command->operands);
    if (command->details)
        fprintf(out, "\n%s", command->details);
    fprintf(out, "\nOptions:\n");
    for (const struct command_option *option = command->options; option->name; option++)
        help_line(option, out);
    fprintf(out, "\nExamples:\n%s", command->examples);
}

int options_results_file(const char *path, struct error *error)
{
    static const char *const tables[] = {".csv", ".tsv", ".json", ".jsonl", ".txt", NULL};
    const char *suffix = strrchr(io_file_name(path), '.');
    if (suffix && text_find(tables, suffix) >= 0) /* a file that no spreadsheet reads */
        return error_set(error, ERROR_USAGE,
                         "-o %.200s: results are written as HDF5, to FILE.h5; warpsweep table FILE.h5 then "
                         "prints them as csv, tsv or json",
                         path);
    return io_check_name(path, error);
}
