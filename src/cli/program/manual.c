#include "cli/program/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/program/commands.h"
#include "cli/program/readers.h"
#include "version.h"

/* Text as roff takes it: dashes that can be copied, and no line that begins with a request (. or '). */
static void put(const char *text)
{
    bool line_starts = true;
    for (; *text; text++) {
        if (line_starts && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_starts = *text == '\n';
    }
}

/* Dated today, or by SOURCE_DATE_EPOCH, so that builds are reproducible. */
static void put_title(const char *name)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds = (int64_t)time(NULL);
    char date[32], upper[64];
    struct tm utc;
    size_t i = 0;
    if (epoch)
        text_parse_integer(epoch, &seconds);
    time_t now = (time_t)seconds;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    for (; name[i] && i < sizeof upper - 1; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    upper[i] = '\0';
    printf(".TH %s 1 %s \"warpsweep %s\" \"warpsweep manual\"\n", upper, date, WARPSWEEP_RELEASE);
}

static void put_name(const char *name, const char *summary)
{
    printf(".SH NAME\n");
    put(name);
    printf(" \\- ");
    put(summary);
    putchar('\n');
}

static void put_exit_codes(void)
{
    printf(
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nsuccess\n"
        ".TP\n.B 1\nthe command finished, but some points failed, are missing, or miss a limit that was set\n"
        ".TP\n.B 2\ninvalid command line, job file or input file\n"
        ".TP\n.B 3\nthe environment cannot run it: device, compiler, tool, disk or permissions\n");
}

static void put_see_also(const char *own)
{
    const char *separator = "";
    printf(".SH SEE ALSO\n");
    if (strcmp(own, "warpsweep") != 0) {
        printf(".BR warpsweep (1)");
        separator = ",\n";
    }
    for (const struct command *const *one = commands; *one; one++)
        if (strcmp((*one)->name, own) != 0) {
            printf("%s.BR warpsweep\\-%s (1)", separator, (*one)->name);
            separator = ",\n";
        }
    putchar('\n');
    put("Job files, results files and their columns are described in docs/job-file.md and "
        "docs/results-file.md, "
        "installed in share/doc/warpsweep.\n");
}

/* ---- Commands ---- */

static void put_option(const struct command_option *option)
{
    printf(".TP\n.B ");
    if (option->letter)
        printf("\\-%c, ", option->letter);
    printf("\\-\\-");
    put(option->name);
    if (option->value) {
        printf(" \\fI");
        put(option->value);
        printf("\\fR");
    }
    putchar('\n');
    put(option->help);
    for (const char *const *word = option->words; word && *word; word++) {
        printf("%s", word == option->words ? ": " : ", ");
        put(*word);
    }
    if (option->standard) {
        printf(" [default: ");
        put(option->standard);
        putchar(']');
    }
    putchar('\n');
}

static void print_command(const struct command *command)
{
    char name[64];
    static const struct command_option help = {"help", 'h', NULL, NULL, NULL, "show this help"};
    snprintf(name, sizeof name, "warpsweep-%s", command->name);
    put_title(name);
    put_name(name, command->summary);
    printf(".SH SYNOPSIS\n.B warpsweep %s\n%s", command->name,
           command->options->name ? "[\\fIOPTION\\fR]...\n" : "");
    put(command->operands);
    printf("%s", *command->operands ? "\n" : "");
    printf(".SH DESCRIPTION\n");
    put(command->details ? command->details : command->summary);
    printf("%s.SH OPTIONS\n", command->details ? "" : "\n");
    for (const struct command_option *option = command->options; option->name; option++)
        put_option(option);
    put_option(&help);
    put_exit_codes();
    printf(".SH EXAMPLES\n");
    printf(".RS 4\n.nf\n");
    put(command->examples);
    printf(".fi\n.RE\n");
    put_see_also(command->name);
}

static void print_overview(void)
{
    put_title("warpsweep");
    put_name("warpsweep", "measure the performance of GPU memory access patterns");
    printf(
        ".SH SYNOPSIS\n.B warpsweep\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH "
        "DESCRIPTION\n"
        "A job file names kernels and a grid of parameters (axes). warpsweep compiles, verifies and times "
        "every point of\nthe grid. It reads hardware counters, and predicts accesses and time with a model. "
        "MPI starts one rank per GPU.\nAll results go to one HDF5 file. The other commands make tables, "
        "figures "
        "and comparisons from it.\n.SH COMMANDS\n");
    for (const struct command *const *one = commands; *one; one++) {
        printf(".TP\n.BR warpsweep\\-%s (1)\n", (*one)->name);
        put((*one)->summary);
        putchar('\n');
    }
    for (const struct reader *one = readers; one->name; one++) {
        printf(".TP\n.B warpsweep %s\n", one->name);
        put(one->summary);
        putchar('\n');
    }
    printf(".TP\n.B warpsweep help \\fICOMMAND\\fR\nshow the help of a command\n"
           ".TP\n.B warpsweep \\-\\-version\nprint release and commit\n");
    put_exit_codes();
    put_see_also("warpsweep");
}

int manual_print(const char *page, struct error *error)
{
    const struct command *command = command_find(page);
    if (command)
        print_command(command);
    else if (!strcmp(page, "warpsweep"))
        print_overview();
    else if (!strcmp(page, "pages"))
        for (const struct command *const *one = commands; *one; one++)
            printf("%s\n", (*one)->name);
    else
        return error_set(error, ERROR_USAGE,
                         "no man page '%.40s': expected warpsweep, the name of a command, or pages", page);
    return EXIT_FINE;
}
