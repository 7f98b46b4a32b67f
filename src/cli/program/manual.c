#include "cli/program/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/program/commands.h"
#include "cli/program/roff.h"
#include "core/column.h"
#include "core/metric.h"
#include "core/result.h"
#include "kernels/registry.h"
#include "version.h"

static void put(const char *text)
{
    roff_text(stdout, text, strlen(text));
}

/* The day it is made, or that of the source (SOURCE_DATE_EPOCH), so that a build can be repeated. */
static void put_title(const char *name, int section)
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
    printf(".TH %s %d %s \"warpsweep %s\" \"warpsweep manual\"\n", upper, section, date, WARPSWEEP_RELEASE);
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
    printf(".SH EXIT STATUS\n"
           ".TP\n.B 0\nfine\n"
           ".TP\n.B 1\ndone, but some points failed, disagree, are slower than asked for or not offered\n"
           ".TP\n.B 2\nbad command line, job file, or no such file\n"
           ".TP\n.B 3\nthis machine cannot do it\n");
}

static void put_see_also(const char *own)
{
    printf(".SH SEE ALSO\n");
    if (strcmp(own, "warpsweep") != 0)
        printf(".BR warpsweep (1),\n");
    for (const struct command *const *one = commands; *one; one++)
        if (strcmp((*one)->name, own) != 0)
            printf(".BR warpsweep\\-%s (1),\n", (*one)->name);
    printf(".BR warpsweep\\-job (5),\n.BR warpsweep\\-results (5)\n");
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
        printf("; else ");
        put(option->standard);
    }
    putchar('\n');
}

static void print_command(const struct command *command)
{
    char name[64];
    static const struct command_option help = {"help", 'h', NULL, NULL, NULL, "show the help"};
    snprintf(name, sizeof name, "warpsweep-%s", command->name);
    put_title(name, 1);
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
    roff_literal(stdout, command->examples, strlen(command->examples));
    put_see_also(command->name);
}

static void print_overview(void)
{
    put_title("warpsweep", 1);
    put_name("warpsweep", "measure how GPU memory access patterns perform");
    printf(".SH SYNOPSIS\n.B warpsweep\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH "
           "DESCRIPTION\n"
           "A job file names kernels and a grid of axes. Every point of it is compiled, verified, timed and "
           "counted, on the\n"
           "GPUs of as many ranks as MPI starts, and predicted by a model of its accesses and of its time. "
           "Everything\n"
           "lands in one HDF5 file, of which the other commands make tables, figures and comparisons.\n.SH "
           "COMMANDS\n");
    for (const struct command *const *one = commands; *one; one++) {
        printf(".TP\n.BR warpsweep\\-%s (1)\n", (*one)->name);
        put((*one)->summary);
        putchar('\n');
    }
    printf(".TP\n.B warpsweep help \\fICOMMAND\\fR\ntell of a command\n"
           ".TP\n.B warpsweep \\-\\-version\nname release and commit\n");
    put_exit_codes();
    put_see_also("warpsweep");
}

/* ---- Files ---- */

static void put_term(const char *name, const char *unit, const char *meaning)
{
    printf(".TP\n.B ");
    put(name);
    putchar('\n');
    put(meaning);
    if (*unit) {
        printf(" (");
        put(unit);
        putchar(')');
    }
    putchar('\n');
}

static void put_axis_values(const struct axis *axis)
{
    char least[AXIS_TEXT_SIZE], most[AXIS_TEXT_SIZE];
    printf(".br\n");
    if (axis->kind == AXIS_WORD) {
        for (const char *const *word = axis->words; *word; word++) {
            printf("%s", word == axis->words ? "" : ", ");
            put(*word);
        }
    } else if (axis->kind != AXIS_ARCH) {
        axis_format(axis, axis->least, least);
        axis_format(axis, axis->most, most);
        printf("%s to %s", least, most);
    } else {
        printf("native, sm_90, sm_90a, compute_80 and the like");
    }
    printf("; else ");
    put(axis->standard);
    putchar('\n');
}

static void put_kernels(void)
{
    printf(".SH KERNELS AND THEIR AXES\n");
    for (const struct family *const *family = families; *family; family++) {
        printf(".SS %s\n", (*family)->space.kernel);
        put((*family)->summary);
        putchar('\n');
        for (int i = 0; i < (*family)->space.count; i++) {
            const struct axis *axis = &(*family)->space.axes[i];
            put_term(axis->name, axis->unit, axis->summary);
            put_axis_values(axis);
        }
    }
}

static void put_columns(void)
{
    printf(".SH COLUMNS OF /RESULTS\n");
    for (int i = 0; i < FIXED_COUNT; i++)
        put_term(column_fixed[i].name, column_fixed[i].unit, column_fixed[i].meaning);
    for (int i = 0; i < REAL_COUNT; i++)
        put_term(column_reals[i].name, column_reals[i].unit, column_reals[i].meaning);
    printf(".SH COLUMNS OF COUNTERS\n");
    for (int i = 0; i < metric_count; i++)
        put_term(metrics[i].column, metrics[i].unit, metrics[i].meaning);
    printf(".SH COLUMNS OF /DEVICES\n");
#define X(name, unit, meaning) put_term(#name, unit, meaning);
    DEVICE_TEXTS(X)
    DEVICE_INTS(X)
    DEVICE_REALS(X)
#undef X
}

/* The whole of a document; NULL with the error. */
static char *read_document(const char *path, struct error *error)
{
    struct text text = {0};
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "re");
    if (!file) {
        error_set(error, ERROR_USAGE, "%.300s: %s", path, strerror(errno));
        return NULL;
    }
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        text_append(&text, block, got);
    fclose(file);
    return text.data ? text.data : memory_text("");
}

static int print_file_page(const char *page, const char *path, struct error *error)
{
    char name[64];
    bool job = !strcmp(page, "job");
    char *document = read_document(path, error);
    if (!document)
        return -1;
    snprintf(name, sizeof name, "warpsweep-%s", page);
    put_title(name, 5);
    put_name(name, job ? "what to sweep, and how to measure it" : "what a run has measured");
    roff_markdown(stdout, document);
    free(document);
    if (job)
        put_kernels();
    else
        put_columns();
    printf(".SH SEE ALSO\n.BR warpsweep (1),\n.BR warpsweep\\-%s\n", job ? "results (5)" : "job (5)");
    return EXIT_FINE;
}

int manual_print(int words, char **word, struct error *error)
{
    const char *page = words ? word[0] : "";
    const struct command *command = command_find(page);
    if (!strcmp(page, "pages")) {
        for (const struct command *const *one = commands; *one; one++)
            printf("%s\n", (*one)->name);
        return EXIT_FINE;
    }
    if (command) {
        print_command(command);
        return EXIT_FINE;
    }
    if (!strcmp(page, "warpsweep")) {
        print_overview();
        return EXIT_FINE;
    }
    if (words == 2 && (!strcmp(page, "job") || !strcmp(page, "results")))
        return print_file_page(page, word[1], error);
    return error_set(error, ERROR_USAGE,
                     "expected a command, warpsweep, job DOCUMENT, results DOCUMENT or pages");
}
