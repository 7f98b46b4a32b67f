/* init - a new family of one's own, made of an example. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "family/code/plugin.h"
#include "family/family.h"
#include "kernels/registry.h"
#include "process/folders.h"

#define HEADERS   "PREFIX/include/warpsweep" /* in a template: where the headers are */
#define FILES_MAX 8
#define FILE_SIZE (1 << 20)

static const char *const types[] = {"cuda", "call", "code", "python", NULL};

/* By type: the family's name in the files, what it computes, its files in examples/. */
static const struct template
{
    const char *name, *is, *file[FILES_MAX + 1];
}
templates[] = {
    {"triad",
     "a triad (a = b + 3 c)",
     {"family/triad.c", "family/triad.cu", "family/job.yaml", "family/compile", "family/test"}},
    {"triad",
     "a triad (a = b + 3 c)",
     {"family-call/triad.c", "family-call/launches.cu", "family-call/job.yaml", "family-call/compile",
      "family/test"}},
    {"triad",
     "a triad (a = b + 3 c)",
     {"family-code/triad.c", "family-code/triad.code", "family-code/triad.ptx", "family-code/job.yaml",
      "family-code/compile", "family/test"}},
    {"softmax", "the softmax of rows", {"python/softmax.py", "python/job.yaml", "family/test"}},
};

static const struct command_option options[] = {
    {"type", 0, "TYPE", "cuda", types,
     "cuda, a kernel of CUDA source; code, machine code of another compiler; call, a function that queues "
     "launches; python, such a function in Python"},
    OPTION_HELP,
};

static int check_name(const char *name, struct error *error)
{
    if (!plugin_is_name(name) || strlen(name) >= 48)
        return error_set(
            error, ERROR_USAGE,
            "'%.60s': expected a name of at most 47 of a-z, 0-9 and _, of which the first is a letter", name);
    if (family_in(families, name))
        return error_set(error, ERROR_USAGE, "there is a kernel '%s'; expected another name", name);
    if (access(name, F_OK) == 0)
        return error_set(error, ERROR_USAGE, "%s exists; init makes a new folder and overwrites nothing",
                         name);
    return 0;
}

/* `text` with each `word` replaced. */
static void add_replaced(struct text *out, const char *text, const char *word, const char *by)
{
    for (const char *found; (found = strstr(text, word)); text = found + strlen(word))
        text_add(out, "%.*s%s", (int)(found - text), text, by);
    text_add(out, "%s", text);
}

/* Write a file of the template under the family's name, and add its path to `made`. What is written before a
 * failure stays: it is in a new folder. */
static int write_file(const struct template *template, const char *file, const char *name,
                      const char *headers, struct text *made, struct error *error)
{
    struct text path = {0}, own = {0}, whole = {0};
    struct stat status;
    size_t size;
    char *shipped = shipped_file("examples", file, error);
    char *contents = shipped ? io_read_file(shipped, FILE_SIZE, &size, error) : NULL;
    int failed = contents ? 0 : -1;
    if (contents) {
        text_add(&path, "%s/", name);
        add_replaced(&path, io_file_name(file), template->name, name);
        add_replaced(&own, contents, template->name, name);
        add_replaced(&whole, own.data, HEADERS, headers);
        failed = io_replace_file(path.data, whole.data, whole.length, NULL, error);
        if (!failed && stat(shipped, &status) == 0 &&
            status.st_mode & S_IXUSR && /* for all who may read it */
            (stat(path.data, &status) != 0 ||
             chmod(path.data, status.st_mode | (status.st_mode & 0444) >> 2) != 0))
            failed = error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path.data, strerror(errno));
        text_add(made, "%s%s", made->data ? " " : "", path.data);
    }
    text_free(&path);
    text_free(&own);
    text_free(&whole);
    free(contents);
    free(shipped);
    return failed;
}

static void print_next(const struct template *template, const char *name, const char *made)
{
    printf(
        "%s\n\n%s so far computes %s, like the example: change its code, bytes, operations and reference.\n"
        "\nNext:\n"
        "  %s/test                       # compile it, check its job, and run it without a GPU\n"
        "  warpsweep check %s/job.yaml --kernels %s\n"
        "  warpsweep run %s/job.yaml --kernels %s -o %s.h5      # on a GPU\n"
        "  warpsweep table %s.h5 --top 10\n",
        made, name, template->is, name, name, name, name, name, name, name);
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *name = arguments->operand[0];
    const struct template *template = &templates[text_find(types, options_text(arguments, "type"))];
    struct text made = {0};
    int failed = check_name(name, error);
    char *headers = failed ? NULL : shipped_headers(error);
    failed = !headers;
    if (!failed && mkdir(name, 0777) != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot make the folder %s: %s", name, strerror(errno));
    for (int i = 0; !failed && template->file[i]; i++)
        failed = write_file(template, template->file[i], name, headers, &made, error);
    if (!failed)
        print_next(template, name, made.data);
    text_free(&made);
    free(headers);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_init = {
    .name = "init",
    .operands = "NAME",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "make a kernel family of your own that runs, in a new folder",
    .details =
        "Copies an example into the folder NAME, under that name: descriptor, code, job, and scripts that\n"
        "compile and test it. The example is a triad, a = b + 3 c, whatever the name; with --type python a\n"
        "softmax. It runs at once; then change the parts that differ. Names are of a-z, 0-9 and _.\n",
    .examples = "  warpsweep init my_kernel\n"
                "  warpsweep init fused --type call\n",
    .options = options,
    .run = run,
};
