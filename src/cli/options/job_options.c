#include "cli/options/options.h"

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
