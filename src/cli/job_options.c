#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "family/code/plugin.h"
#include "family/versions.h"
#include "kernels/registry.h"

/* ---- Jobs: a file, or one made of a kernel ---- */

static int read_all(const struct arguments *arguments, const char *option, const char **out, int *count,
                    struct error *error)
{
    const char *text;
    for (*count = 0; (text = options_each(arguments, option, *count)); ++*count) {
        if (*count == COMPOSE_EDITS_MAX)
            return error_set(error, ERROR_USAGE, "--%s may be given at most %d times", option,
                             COMPOSE_EDITS_MAX);
        out[*count] = text;
    }
    return 0;
}

int options_accepted(const struct arguments *arguments, struct accepted *accepted, struct error *error)
{
    const char *name;
    for (int k = 0; (name = options_each(arguments, "accept", k)); k++)
        if (accepted_add(accepted, name, error) != 0)
            return -1;
    return 0;
}

int job_source_read(const struct arguments *arguments, struct job_source *source, struct error *error)
{
    *source = (struct job_source){.path = arguments->operands ? arguments->operand[0] : NULL,
                                  .kernel = options_text(arguments, "kernel")};
    if (source->path && source->kernel)
        return error_set(
            error, ERROR_USAGE,
            "expected a job file or --kernel, not both; --only kernel=%.60s selects a kernel of the file",
            source->kernel);
    if (!source->path && !source->kernel)
        return error_set(error, ERROR_USAGE, "%s needs a job file, or --kernel NAME; see warpsweep %s --help",
                         arguments->command->name, arguments->command->name);
    if (read_all(arguments, "set", source->set, &source->sets, error) != 0)
        return -1;
    return read_all(arguments, "only", source->only, &source->onlys, error);
}

/* ---- A user's own kernels ---- */

/* The length of NAME in NAME=DIR; 0: it is a folder alone. */
static size_t name_length(const char *given)
{
    struct stat status;
    size_t length = strspn(given, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!length || given[length] != '=' || (stat(given, &status) == 0 && S_ISDIR(status.st_mode)))
        return 0;
    return length;
}

/* Add the real path of a folder; `named`: as a line NAME=FOLDER of two versions. */
static int add_folder(const char *given, bool named, struct text *value, struct error *error)
{
    const size_t length = name_length(given);
    const char *wrong =
        named && !length ? "of two folders each needs a name in a-z, 0-9 and _: --kernels NAME=DIR" : NULL;
    if (length && !named)
        wrong = "a paired run needs two versions; expected another --kernels NAME=DIR";
    if (wrong)
        return error_set(error, ERROR_USAGE, "--kernels %.400s: %s", given, wrong);
    if (length > VERSIONS_NAME_MAX)
        return error_set(error, ERROR_USAGE, "--kernels %.400s: expected a name of at most %d characters",
                         given, VERSIONS_NAME_MAX);
    char *folder = realpath(given + (named ? length + 1 : 0), NULL);
    if (!folder)
        return error_set(error, ERROR_USAGE, "--kernels %.400s: %s", given, strerror(errno));
    text_add(value, "%.*s%s%s%s", (int)length, given, named ? "=" : "", folder, named ? "\n" : "");
    free(folder);
    return 0;
}

int user_kernels_load(const struct arguments *arguments, struct error *error)
{
    const char *first = options_each(arguments, "kernels", 0),
               *second = options_each(arguments, "kernels", 1);
    struct text value = {0};
    int failed = 0;
    unsetenv(PLUGIN_VARIABLE); /* workers must know the same kernels as we do */
    if (options_each(arguments, "kernels", VERSIONS))
        return error_set(error, ERROR_USAGE,
                         "--kernels is given more than twice; a paired run has two versions");
    if (first)
        failed = add_folder(first, second, &value, error);
    if (second && !failed)
        failed = add_folder(second, true, &value, error);
    if (first && second && !failed && !strncmp(first, second, name_length(first) + 1))
        failed =
            error_set(error, ERROR_USAGE, "--kernels: both versions are named '%.*s'; expected two names",
                      (int)name_length(first), first);
    if (value.data && !failed) {
        setenv(PLUGIN_VARIABLE, value.data, 1);
        plugin_report_faults();
    }
    text_free(&value);
    return failed ? -1 : registry_load_environment(error);
}
