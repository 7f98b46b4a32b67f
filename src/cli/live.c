#include "cli/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "core/column.h"
#include "table/print.h"
#include "table/print_text.h"
#include "protocol/config.h"

#define WIDTH         12
#define DEVICE_PREFIX "device."

static void add_name(struct live *live, const char *name)
{
    for (int i = 0; i < live->names; i++)
        if (!strcmp(live->name[i], name))
            return;
    live->name = memory_resize(live->name, (size_t)live->names + 1, sizeof *live->name);
    live->name[live->names++] = memory_text(name);
}

/* ---- Columns ---- */

static bool is_device_column(const char *name)
{
#define X(column, unit, meaning) #column,
    static const char *const names[] = {DEVICE_TEXTS(X) DEVICE_INTS(X) DEVICE_REALS(X) NULL};
#undef X
    return text_find(names, name) >= 0;
}

/* Axes of the swept kernels, and what is counted, NULL-terminated; the caller frees. */
static const char **job_columns(const struct job *job, const struct config *config)
{
    size_t most = (size_t)job->sweep_count * POINT_AXES_MAX + (size_t)config->counter_count + 1, count = 0;
    const char **names = memory_new(most + FIXED_COUNT + REAL_COUNT, sizeof *names);
    for (int s = 0; s < job->sweep_count; s++)
        for (int i = 0; i < job->sweeps[s].family->space.count; i++)
            names[count++] = job->sweeps[s].family->space.axes[i].name;
    for (int i = 0; i < config->counter_count; i++)
        names[count++] = config->counter[i];
    for (int i = 0; i < FIXED_COUNT; i++)
        names[count++] = column_fixed[i].name;
    for (int i = 0; i < REAL_COUNT; i++)
        names[count++] = column_reals[i].name;
    return names;
}

static int take_names(struct live *live, const char *const *known, struct error *error)
{
    char *copy = memory_text(live->columns), *rest = NULL;
    int failed = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest)) {
        bool of_device = !strncmp(name, DEVICE_PREFIX, strlen(DEVICE_PREFIX)) &&
                         is_device_column(name + strlen(DEVICE_PREFIX));
        if (text_find(known, name) < 0 && !of_device)
            failed = suggest_unknown(error, "column", name, known);
        else
            add_name(live, name);
    }
    free(copy);
    if (!failed && !live->names)
        failed = error_set(error, ERROR_USAGE, "--columns has no column name");
    return failed;
}

static void take_varied(struct live *live, const struct job *job)
{
    static const char *const headline[] = {COLUMN(status), COLUMN(time_median), COLUMN(bandwidth),
                                           COLUMN(fraction_peak)};
    add_name(live, COLUMN(kernel));
    for (int s = 0; s < job->sweep_count; s++)
        for (int i = 0; i < job->sweeps[s].axis_count; i++)
            if (job->sweeps[s].axes[i].count > 1)
                add_name(live, job->sweeps[s].family->space.axes[i].name);
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++)
        add_name(live, headline[i]);
}

/* ---- Printing ---- */

/* A closed pipe does not stop the run. A full disk is reported at the end, as for every command. */
static void end_line(struct live *live)
{
    putchar('\n');
    if (fflush(stdout) == 0)
        return;
    live->closed = true;
    if (errno == EPIPE)
        clearerr(stdout);
}

static void print_heads(struct live *live)
{
    for (int i = 0; i < live->names; i++) {
        if (live->terminal)
            printf("%s%-*s", i ? "  " : "", WIDTH, live->name[i]);
        else
            printf("%s%s", i ? "\t" : "", live->name[i]);
    }
    end_line(live);
}

static int begin(void *context, const struct job *job, const struct config *config, struct error *error)
{
    struct live *live = context;
    const char **known = job_columns(job, config);
    int failed = 0;
    if (live->columns)
        failed = take_names(live, known, error);
    else
        take_varied(live, job);
    free(known);
    if (!failed)
        print_heads(live);
    return failed;
}

static void print_cell(const struct live *live, const char *name, const struct dataset *file, size_t row)
{
    struct view_column column;
    struct error ignored;
    char text[512];
    if (view_find_column(file, name, &column, &ignored) != 0) {
        fputs(live->terminal ? "-" : "nan", stdout); /* an axis of a kernel without rows so far */
        return;
    }
    const struct column *header = view_header(file, &column);
    union cell cell = view_cell(file, row, &column);
    if (!live->terminal) {
        print_plain(stdout, header, cell);
        return;
    }
    print_human(header, cell, text, sizeof text);
    int head = (int)strlen(name);
    printf("%-*s", head > WIDTH ? head : WIDTH, text);
}

static void row(void *context, const struct dataset *file, size_t at)
{
    struct live *live = context;
    if (live->closed)
        return;
    for (int i = 0; i < live->names; i++) {
        fputs(i ? (live->terminal ? "  " : "\t") : "", stdout);
        print_cell(live, live->name[i], file, at);
    }
    end_line(live);
}

struct launch_live live_observer(struct live *live)
{
    live->terminal = isatty(STDOUT_FILENO);
    return (struct launch_live){.begin = begin, .row = row, .context = live};
}

void live_free(struct live *live)
{
    for (int i = 0; i < live->names; i++)
        free(live->name[i]);
    free(live->name);
    live->name = NULL;
    live->names = 0;
}
