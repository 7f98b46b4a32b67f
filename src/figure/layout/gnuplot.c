#include "figure/layout/gnuplot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "figure/layout/script.h"
#include "figure/layout/values.h"
#include "process/process.h"
#include "process/scratch.h"

const char *const gnuplot_formats[] = {"pdf", "png", "svg", "epslatex", "cairolatex", NULL};

#define GNUPLOT_SECONDS 300.0 /* limit for one figure, which takes one or two */

/* Warnings of gnuplot go to the user; on failure its last lines are part of the error. */
static int run(const char *folder, const char *script, const char *figure, struct error *error)
{
    /* -d ignores ~/.gnuplot. Device names are UTF-8, and numbers must have a decimal point. */
    const char *const argv[] = {"gnuplot", "-d", script, NULL};
    const char *const setting[] = {"LC_ALL=C.UTF-8", NULL};
    struct text printed = {0};
    int failed = process_run(
        &(struct process_options){.path = "gnuplot", .argv = argv, .folder = folder, .setting = setting},
        GNUPLOT_SECONDS, &printed, error);
    if (printed.length)
        fwrite(printed.data, 1, printed.length, stderr);
    text_free(&printed);
    if (failed && strstr(error->text, "cannot execute"))
        return error_set(error, ERROR_ENVIRONMENT,
                         "cannot run gnuplot: install gnuplot 5.2 or later (gnuplot-nox)");
    return failed ? error_prefix(error, "cannot draw with %s: ", figure) : 0;
}

static const char *extension(const char *format)
{
    return strstr(format, "latex") ? "tex" : format;
}

char *gnuplot_file(const struct gnuplot_output *output, const char *name)
{
    struct text path = {0};
    text_add(&path, "%s/%s.%s", output->folder, name, extension(output->format));
    return path.data;
}

/* A new folder under $TMPDIR, or with --data the figure's folder. The caller frees the name. */
static char *choose_folder(const struct gnuplot_output *output, struct scratch *scratch, struct error *error)
{
    const char *temporary = getenv("TMPDIR"), *folder = output->folder;
    *scratch = (struct scratch){.lock = -1};
    if (!output->keep_data) {
        struct text prefix = {0};
        text_add(&prefix, "%s/warpsweep-plot.", temporary && *temporary ? temporary : "/tmp");
        int failed = scratch_make(prefix.data, scratch, error);
        text_free(&prefix);
        if (failed)
            return NULL;
        folder = scratch->path;
    }
    char *whole = realpath(folder, NULL); /* gnuplot runs in another folder, and $TMPDIR may be relative */
    return whole ? whole : memory_text(folder);
}

/* gnuplot does not report a full disk, so the end of the file is checked. */
static int check_end(const char *path, const char *end, struct error *error)
{
    enum { TAIL = 256 };
    char tail[TAIL + 1] = "";
    size_t got = 0;
    FILE *file = fopen(path, "rb");
    if (file && (fseek(file, -TAIL, SEEK_END) == 0 || fseek(file, 0, SEEK_SET) == 0))
        got = fread(tail, 1, TAIL, file);
    bool there = file && memmem(tail, got, end, strlen(end)) && fsync(fileno(file)) == 0;
    if (file)
        fclose(file);
    return there ? 0 : error_set(error, ERROR_ENVIRONMENT, "%s is incomplete; is the disk full?", path);
}

static int check_drawn(const struct gnuplot_output *output, const char *name, struct error *error)
{
    static const struct {
        const char *format, *extension, *end;
    } ends[] = {{"pdf", "pdf", "%%EOF"},          {"png", "png", "IEND"},
                {"svg", "svg", "</svg>"},         {"epslatex", "tex", "\\endgroup"},
                {"epslatex", "eps", "%%Trailer"}, {"cairolatex", "tex", "\\endgroup"},
                {"cairolatex", "pdf", "%%EOF"}};
    int failed = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !failed; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s.%s", output->folder, name, ends[i].extension);
        if (!strcmp(ends[i].format, output->format))
            failed = check_end(path.data, ends[i].end, error);
        text_free(&path);
    }
    return failed;
}

int gnuplot_draw(const struct figure *figure, const struct chart *chart, const struct layout *layout,
                 const struct gnuplot_output *output, struct error *error)
{
    struct scratch scratch;
    struct text plot = {0}, table = {0}, file = {0};
    char *folder = choose_folder(output, &scratch, error);
    if (!folder)
        return -1;
    text_add(&plot, "%s/%s.plot", folder, figure->name);
    text_add(&table, "%s/%s.tsv", folder, figure->name);
    free(folder);
    text_add(&file, "%s.%s", figure->name, extension(output->format));
    const struct script script = {figure,           chart,     layout, output->format, file.data,
                                  output->analysis, table.data};
    int failed = script_write_data(table.data, &script, error);
    if (!failed)
        failed = script_write(plot.data, &script, error);
    if (!failed)
        failed = run(output->folder, plot.data, figure->path ? figure->path : figure->name, error);
    if (!failed)
        failed = check_drawn(output, figure->name, error);
    char *drawn = gnuplot_file(output, figure->name);
    if (!failed && !strcmp(output->format, "svg"))
        failed = values_add(drawn, chart, layout, error);
    if (failed)
        unlink(drawn);
    free(drawn);
    scratch_free(&scratch);
    text_free(&plot);
    text_free(&table);
    text_free(&file);
    return failed;
}
