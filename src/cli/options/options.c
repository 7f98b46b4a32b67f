#include "cli/options/options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"

static const struct command_option help_option = {"help", 'h', NULL, NULL, NULL, "show this help"};

static int unknown_option(const struct command *command, const char *name, struct error *error)
{
    size_t count = 1;
    for (const struct command_option *option = command->options; option->name; option++)
        count++;
    const char **known = memory_new(count + 1, sizeof *known);
    known[0] = help_option.name;
    for (size_t i = 1; i < count; i++)
        known[i] = command->options[i - 1].name;
    const char *nearest = text_nearest(name, known);
    error_set(error, ERROR_USAGE, "%s has no option '--%.80s'%s%s%s", command->name, name,
              nearest ? " (did you mean '--" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    free(known);
    return -1;
}

static const struct command_option *find_option(const struct command *command, const char *name,
                                                size_t length)
{
    if (strlen(help_option.name) == length && !strncmp(name, help_option.name, length))
        return &help_option;
    for (const struct command_option *option = command->options; option->name; option++)
        if (strlen(option->name) == length && !strncmp(name, option->name, length))
            return option;
    return NULL;
}

const struct command_option *options_find(const struct command *command, const char *word)
{
    if (word[0] != '-' || !word[1])
        return NULL;
    if (word[1] == '-')
        return find_option(command, word + 2, strcspn(word + 2, "="));
    if (word[1] == help_option.letter)
        return &help_option;
    for (const struct command_option *option = command->options; option->name; option++)
        if (option->letter == word[1])
            return option;
    return NULL;
}

/* Finds the option of a word. `glued`: the value within the word (--name=value, -nvalue), or NULL. */
static const struct command_option *read_option(const struct command *command, const char *word,
                                                const char **glued, struct error *error)
{
    const struct command_option *option = options_find(command, word);
    const char *equals = strchr(word, '=');
    bool is_long = word[1] == '-';
    *glued = is_long ? (equals ? equals + 1 : NULL) : word[2] ? word + 2 : NULL;
    if (!option && !is_long)
        error_set(error, ERROR_USAGE, "%s has no option '-%c'", command->name, word[1]);
    if (!option && is_long) {
        char *copy = memory_text(word + 2);
        copy[strcspn(copy, "=")] = '\0';
        unknown_option(command, copy, error);
        free(copy);
    }
    return option;
}

static int check_value(const struct command_option *option, const char *value, struct error *error)
{
    if (!option->words || text_find(option->words, value) >= 0)
        return 0;
    char what[64];
    snprintf(what, sizeof what, "value of --%s", option->name);
    return suggest_unknown(error, what, value, option->words);
}

static int take_option(struct arguments *arguments, int *at, struct error *error)
{
    const char *value;
    const char *word = arguments->argv[*at];
    const struct command_option *option = read_option(arguments->command, word, &value, error);
    if (!option)
        return -1;
    if (option == &help_option) {
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
    if (value && check_value(option, value, error) != 0)
        return -1;
    if (value && strstr(option->value, "=V") && !strpbrk(value, "=<>"))
        return error_set(
            error, ERROR_USAGE, "--%s '%.60s': expected %s in one word, such as --%s %.60s=%.60s",
            option->name, value, option->value, option->name, value,
            *at + 1 < arguments->argc && *arguments->argv[*at + 1] != '-' ? arguments->argv[*at + 1] : "V");
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
                         find_option(command, "set", strlen("set")) && options_given(arguments, "set")
                             ? "; --set is one word: --set 'AXIS=VALUES'"
                             : "",
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
    *arguments = (struct arguments){.command = command, .argc = argc, .argv = argv};
    arguments->given = memory_new((size_t)argc, sizeof *arguments->given);
    arguments->operand = memory_new((size_t)argc, sizeof *arguments->operand);
    for (int i = 2; i < argc && !arguments->help; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || !word[1]) {
            arguments->operand[arguments->operands++] = argv[i];
        } else if (!strcmp(word, "--")) {
            only_operands = true;
        } else if (take_option(arguments, &i, error) != 0) {
            options_free(arguments);
            return -1;
        }
    }
    if (!arguments->help && (check_operands(arguments, error) != 0 || check_needs(arguments, error) != 0)) {
        options_free(arguments);
        return -1;
    }
    return 0;
}

void options_free(struct arguments *arguments)
{
    free(arguments->given);
    free(arguments->operand);
    *arguments = (struct arguments){0};
}

static const struct command_option *known_option(const struct arguments *arguments, const char *name)
{
    const struct command_option *option = find_option(arguments->command, name, strlen(name));
    assert(option && "every option that a command reads is in its table");
    return option;
}

const char *options_each(const struct arguments *arguments, const char *name, int k)
{
    const struct command_option *option = known_option(arguments, name);
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == option && k-- == 0)
            return arguments->given[i].value;
    return NULL;
}

const char *options_text(const struct arguments *arguments, const char *name)
{
    const struct command_option *option = known_option(arguments, name);
    for (int i = arguments->given_count; i-- > 0;)
        if (arguments->given[i].option == option)
            return arguments->given[i].value;
    return option->standard;
}

bool options_given(const struct arguments *arguments, const char *name)
{
    const struct command_option *option = known_option(arguments, name);
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == option)
            return true;
    return false;
}

static void help_line(const struct command_option *option, FILE *out)
{
    char left[48];
    if (option->letter)
        snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name, option->value ? " " : "",
                 option->value ? option->value : "");
    else
        snprintf(left, sizeof left, "    --%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
    fprintf(out, "  %-26s %s", left, option->help);
    if (option->words) {
        for (const char *const *word = option->words; *word; word++)
            fprintf(out, "%s%s", word == option->words ? ": " : ", ", *word);
    }
    if (option->standard)
        fprintf(out, " [%s]", option->standard);
    fputc('\n', out);
}

void options_help(const struct command *command, FILE *out)
{
    fprintf(out, "warpsweep %s - %s\n\nUsage: warpsweep %s %s%s\n", command->name, command->summary,
            command->name, command->options->name ? "[OPTION]... " : "", command->operands);
    if (command->details)
        fprintf(out, "\n%s", command->details);
    fprintf(out, "\nOptions:\n");
    for (const struct command_option *option = command->options; option->name; option++)
        help_line(option, out);
    help_line(&help_option, out);
    fprintf(out, "\nExamples:\n%s", command->examples);
}
