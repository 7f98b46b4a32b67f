#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "launch/launch.h"
#include "version.h"

static const struct command *const commands[] = {
#define X(name) &command_##name,
    COMMANDS(X)
#undef X
        NULL,
};
enum { COMMANDS_MAX = 64 }; /* with readers */

static void print_overview(FILE *out)
{
    fprintf(out, "warpsweep - measure the performance of GPU memory access patterns\n\n"
                 "Usage: warpsweep COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n");
    for (const struct command *const *one = commands; *one; one++)
        fprintf(out, "  %-10s%s\n", (*one)->name, (*one)->summary);
    fprintf(out, "\nCommands that read results files, in Python:\n");
    for (const struct reader *one = readers; one->name; one++)
        fprintf(out, "  %-10s%s\n", one->name, one->summary);
    fprintf(
        out,
        "\n  warpsweep COMMAND --help describes a command; warpsweep --version prints release and commit.\n\n"
        "Examples:\n"
        "  warpsweep check jobs/quickstart.yaml\n"
        "  mpirun -n 2 warpsweep run jobs/quickstart.yaml -o results.h5\n"
        "  warpsweep table results.h5 --where status=ok\n"
        "  warpsweep plot results.h5 -o figures\n");
}

static bool is_reader(const char *name)
{
    const struct reader *one = readers;
    while (one->name && strcmp(one->name, name) != 0)
        one++;
    return one->name;
}

static const struct command *find_command(const char *name, struct error *error)
{
    const char *known[COMMANDS_MAX] = {NULL};
    int count = 0;
    for (const struct command *const *one = commands; *one; one++)
        if (!strcmp(known[count++] = (*one)->name, name))
            return *one;
    for (const struct reader *one = readers; one->name; one++)
        known[count++] = one->name;
    suggest_unknown(error, "command", name, known);
    return NULL;
}

static int fail(const struct error *error)
{
    if (rank_is_first())
        fprintf(stderr, "warpsweep: %s\n", error->text);
    return error->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_ENVIRONMENT;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct error error = {0};
    struct arguments arguments;
    int code = options_parse(command, argc, argv, &arguments, &error);
    if (code == 0 && arguments.help)
        options_help(command, stdout);
    else if (code == 0)
        code = command->run(&arguments, &error);
    if (code < 0)
        code = fail(&error);
    options_free(&arguments);
    return code;
}

/* A full disk is an error; a closed pipe is not. */
static int finish_output(int code)
{
    struct error error = {0};
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return code;
    error_set(&error, ERROR_ENVIRONMENT, "cannot write the output%s%s", errno ? ": " : "",
              errno ? strerror(errno) : "");
    return fail(&error);
}

/* In place of the C library's, for all libraries: Open MPI ends the process by it when MPI_Init fails, before
 * MPI has error handlers. Code 1 would be a verdict. */
_Noreturn void _exit(int code)
{
    code = mpi_start_ends(code);
    for (;;)
        syscall(SYS_exit_group, code);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    io_fill_standard();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a failed write, with a message */
    signal(SIGPIPE, SIG_DFL); /* `| head` ends us silently, also under a parent that ignores the signal */
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("warpsweep %s (%s)\n", WARPSWEEP_RELEASE, WARPSWEEP_COMMIT);
        return finish_output(EXIT_FINE);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        static char option[] = "--help";
        if (argc == 2) {
            print_overview(stdout);
            return finish_output(EXIT_FINE);
        }
        argv[1] = argv[2];
        argv[2] = option;
        argv[argc = 3] = NULL;
    }
    if (is_reader(argv[1])) {
        int code = reader_run(argv + 1, &error);
        return code < 0 ? fail(&error) : code;
    }
    const struct command *command = find_command(argv[1], &error);
    return command ? finish_output(run_command(command, argc, argv)) : fail(&error);
}
