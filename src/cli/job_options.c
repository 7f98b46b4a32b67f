#include "cli/command.h"

#include <assert.h>
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

/* Its real path. The caller frees it. */
static char *find_folder(const char *given, const char *folder, struct error *error)
{
    char *real = realpath(folder, NULL);
    if (!real)
        error_set(error, ERROR_USAGE, "--kernels %.400s: %s", given, strerror(errno));
    return real;
}

static int load_folder(const char *given, struct error *error)
{
    if (name_length(given))
        return error_set(
            error, ERROR_USAGE,
            "--kernels %.400s: a paired run needs two versions; expected another --kernels NAME=DIR", given);
    char *folder = find_folder(given, given, error);
    if (!folder)
        return -1;
    setenv(PLUGIN_VARIABLE, folder, 1);
    int failed = registry_load_folder(folder, error);
    free(folder);
    return failed;
}

/* Add a line NAME=FOLDER. */
static int add_version(const char *given, struct text *lines, struct error *error)
{
    size_t length = name_length(given);
    if (!length)
        return error_set(
            error, ERROR_USAGE,
            "--kernels %.400s: with two folders each needs a name; expected --kernels NAME=DIR, the "
            "name in a-z, 0-9 and _",
            given);
    if (length > VERSIONS_NAME_MAX)
        return error_set(error, ERROR_USAGE, "--kernels %.400s: expected a name of at most %d characters",
                         given, VERSIONS_NAME_MAX);
    char *folder = find_folder(given, given + length + 1, error);
    if (folder)
        text_add(lines, "%.*s=%s\n", (int)length, given, folder);
    free(folder);
    return folder ? 0 : -1;
}

static int load_versions(const char *a, const char *b, struct error *error)
{
    struct text lines = {0};
    int failed = add_version(a, &lines, error);
    if (!failed)
        failed = add_version(b, &lines, error);
    if (!failed && name_length(a) == name_length(b) && !strncmp(a, b, name_length(a)))
        failed =
            error_set(error, ERROR_USAGE, "--kernels: both versions are named '%.*s'; expected two names",
                      (int)name_length(a), a);
    assert(failed || lines.data);
    if (!failed) {
        setenv(PLUGIN_VARIABLE, lines.data, 1);
        failed = registry_load_versions(lines.data, error);
    }
    text_free(&lines);
    return failed;
}

int user_kernels_load(const struct arguments *arguments, struct error *error)
{
    const char *first = options_each(arguments, "kernels", 0),
               *second = options_each(arguments, "kernels", 1);
    if (!first) {
        unsetenv(PLUGIN_VARIABLE); /* workers must know the same kernels as we do */
        return 0;
    }
    if (options_each(arguments, "kernels", VERSIONS))
        return error_set(error, ERROR_USAGE,
                         "--kernels is given more than twice; a paired run has two versions");
    return second ? load_versions(first, second, error) : load_folder(first, error);
}
