/* Before a figure's own file, gnuplot reads a file of variables:
 *
 *   format, output   pdf, png, svg or epslatex; the file to write
 *   analysis         the folder of style.gp
 *   data             a tab-separated file: a block for each curve, two empty lines between, each block with a
 *                    line of column names first; plotted with `index i - 1`
 *   curves           how many; label[i], colour[i] (from 1) and source[i] (from 1) of each
 *   sources          how many devices and files; source_label[s], on_host[s]
 *   roofs            how many lines of what bounds the points; roof_name[r], roof_rate[r] (the highest of the
 *                    points', in bytes/s or flop/s), roof_varies[r] (1: some points have a lower one),
 *                    roof_flop[r] (1: flop/s), roof_source[r], roof_left[r] and roof_below[r] (where its name has
 *                    room)
 *   x_name           the column along x
 *   top              the largest of bandwidth_high, bandwidth and the roofs that the figure has, in bytes/s
 *   top_flop         the largest of flop_rate and the roofs of arithmetic, in flop/s; 0: there is none
 *   captions         how many lines; caption[i], and caption_source[i]: the source whose first line that is,
 * or 0
 */
#include "cli/figure/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "cli/data/latex.h"
#include "cli/data/print.h"
#include "cli/figure/roofs.h"
#include "process/process.h"

const char *const gnuplot_formats[] = {"pdf", "png", "svg", "epslatex", NULL};

#define GNUPLOT_SECONDS 300.0 /* for one figure; they take one or two */

/* ---- Writing what gnuplot reads ---- */

/* A single-quoted string, in which only the quote is special. For LaTeX the text is escaped as well. */
static void put_string(FILE *out, const char *text, bool latex)
{
    char *escaped = NULL;
    size_t size = 0;
    if (latex) {
        FILE *memory = open_memstream(&escaped, &size);
        latex_print_text(memory, text);
        fclose(memory);
        text = escaped;
    }
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('\'', out);
    free(escaped);
}

static void put_variable(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s = ", name);
    put_string(out, value, false);
    fputc('\n', out);
}

/* What write_variables puts down. */
struct drawing {
    const struct figure *figure;
    const struct merged *merged;
    const struct figure_data *data;
    struct figure_roof *roof;
    int roofs;
};

/* The largest value of the named columns and of the roofs of that kind: of bandwidth, or of arithmetic. */
static double largest(const struct drawing *drawing, bool flop)
{
    static const char *const names[2][3] = {{"bandwidth_high", "bandwidth", NULL}, {"flop_rate", NULL}};
    const struct frame *results = &drawing->merged->all.results;
    double top = 0;
    for (int s = 0; s < drawing->data->count; s++) {
        const struct series *series = &drawing->data->series[s];
        for (const char *const *name = names[flop]; *name; name++) {
            int column = frame_find(results, *name);
            for (size_t i = 0; column >= 0 && i < series->view.rows; i++)
                top = fmax(top, frame_row(results, series->view.row[i])[column].real);
        }
    }
    for (int r = 0; r < drawing->roofs; r++)
        if (roof_is_flop(drawing->roof[r].kind) == flop)
            top = fmax(top, drawing->roof[r].rate);
    return top;
}

static void put_sources(FILE *out, const struct merged *merged, bool latex)
{
    fprintf(out, "sources = %d\narray source_label[%d]\narray on_host[%d]\n", merged->groups, merged->groups,
            merged->groups);
    for (int g = 0; g < merged->groups; g++) {
        fprintf(out, "source_label[%d] = ", g + 1);
        put_string(out, merged->group[g].label, latex);
        fprintf(out, "\non_host[%d] = %d\n", g + 1, merged->group[g].on_host);
    }
}

static bool varies(const struct figure_roof *roof)
{
    return roof->low < 0.99 * roof->rate;
}

static void put_roofs(FILE *out, const struct drawing *drawing)
{
    static const char *const arrays[] = {"name", "rate", "varies", "flop", "source", "left", "below"};
    int size = drawing->roofs ? drawing->roofs : 1; /* gnuplot has no empty arrays */
    fprintf(out, "roofs = %d\n", drawing->roofs);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        fprintf(out, "array roof_%s[%d]\n", arrays[i], size);
    for (int r = 0; r < drawing->roofs; r++) {
        const struct figure_roof *roof = &drawing->roof[r];
        const int n = r + 1;
        fprintf(out, "roof_name[%d] = '%s'\nroof_rate[%d] = %.17g\nroof_varies[%d] = %d\n", n,
                roof_name(roof->kind), n, roof->rate, n, varies(roof));
        fprintf(out, "roof_flop[%d] = %d\nroof_source[%d] = %d\n", n, roof_is_flop(roof->kind), n,
                roof->group + 1);
        fprintf(out, "roof_left[%d] = %d\nroof_below[%d] = %d\n", n, roof->left, n, roof->below);
    }
}

static void put_curves(FILE *out, const struct figure_data *data, bool latex)
{
    fprintf(out, "curves = %d\narray label[%d]\narray colour[%d]\narray source[%d]\n", data->count,
            data->count, data->count, data->count);
    for (int i = 0; i < data->count; i++) {
        fprintf(out, "label[%d] = ", i + 1);
        put_string(out, data->series[i].label, latex);
        fprintf(out, "\ncolour[%d] = %d\nsource[%d] = %d\n", i + 1, data->series[i].colour + 1, i + 1,
                data->series[i].group + 1);
    }
}

static void put_caption(FILE *out, int number, int source, const char *line, bool latex)
{
    fprintf(out, "caption_source[%d] = %d\ncaption[%d] = ", number, source, number);
    put_string(out, line, latex);
    fputc('\n', out);
}

/* "Roofs, measured: L2 7100 GB/s", the denominators of the source's points, in lines that end with '\n'; returns
 * how many. */
static int describe_roofs(const struct drawing *drawing, int group, struct text *lines)
{
    enum { WIDTH = 60 }; /* characters that fit beside the dashes of a source */
    const char *heading =
        drawing->merged->group[group].predicted ? "Roofs, by the profile: " : "Roofs, measured: ";
    size_t start = 0;
    int count = 0;
    for (int r = 0; r < drawing->roofs; r++) {
        const struct figure_roof *roof = &drawing->roof[r];
        bool flop = roof_is_flop(roof->kind);
        struct text one = {0};
        if (roof->group != group)
            continue;
        text_add(&one, "%s%s %.4g %s", roof_name(roof->kind), varies(roof) ? " up to" : "",
                 roof->rate / (flop ? 1e12 : 1e9), flop ? "TFLOP/s" : "GB/s");
        bool wraps = lines->length && lines->length - start + one.length + 2 > WIDTH;
        text_add(lines, "%s%s", !lines->length ? heading : wraps ? ",\n" : ", ", one.data);
        start = wraps ? lines->length - one.length : start;
        count += wraps || !count;
        text_free(&one);
    }
    if (count)
        text_add(lines, "\n");
    return count;
}

static void put_lines(FILE *out, const char *lines, int *number, int source, bool latex)
{
    char *copy = memory_text(lines), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), source = 0)
        put_caption(out, ++*number, source, line, latex);
    free(copy);
}

static void put_captions(FILE *out, const struct drawing *drawing, bool latex)
{
    const struct merged *merged = drawing->merged;
    const struct text *conditions = &drawing->data->conditions;
    struct text *roof = memory_new((size_t)merged->groups + 1, sizeof *roof);
    int captions = 0, number = 0;
    for (int g = 0; g < merged->groups; g++) {
        for (const char *c = merged->group[g].caption; *c; c++)
            captions += *c == '\n';
        captions += describe_roofs(drawing, g, &roof[g]);
    }
    captions += conditions->length > 0;
    fprintf(out, "captions = %d\narray caption[%d]\narray caption_source[%d]\n", captions, captions,
            captions);
    for (int g = 0; g < merged->groups; g++) {
        put_lines(out, merged->group[g].caption, &number, g + 1, latex);
        if (roof[g].length)
            put_lines(out, roof[g].data, &number, 0, latex);
        text_free(&roof[g]);
    }
    if (conditions->length)
        put_caption(out, ++number, 0, conditions->data, latex);
    free(roof);
}

static int close_written(FILE *out, const char *path, struct error *error)
{
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

static int write_variables(const char *path, const char *data_path, const char *file,
                           const struct drawing *drawing, const struct gnuplot_output *output,
                           struct error *error)
{
    bool latex = !strcmp(output->format, "epslatex");
    FILE *out = fopen(path, "w");
    if (!out)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    put_variable(out, "format", output->format);
    put_variable(out, "output", file);
    put_variable(out, "analysis", output->analysis);
    put_variable(out, "data", data_path);
    put_variable(out, "x_name", drawing->figure->x);
    fprintf(out, "top = %.17g\ntop_flop = %.17g\n", largest(drawing, false), largest(drawing, true));
    put_sources(out, drawing->merged, latex);
    put_roofs(out, drawing);
    put_curves(out, drawing->data, latex);
    put_captions(out, drawing, latex);
    return close_written(out, path, error);
}

static int write_data(const char *path, const struct figure_data *data, struct error *error)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    for (int i = 0; i < data->count; i++) {
        fputs(i ? "\n\n" : "", out);
        print_view(out, &data->series[i].view, PRINT_TSV);
    }
    return close_written(out, path, error);
}

/* ---- Running it ---- */

/* What gnuplot printed, when it was well otherwise, is for the user; else its last lines say what is wrong.
 */
static int run(const char *folder, const char *variables, const char *script, struct error *error)
{
    /* -d: not the user's ~/.gnuplot. A UTF-8 locale, whatever the user's is: device names are UTF-8, numbers
     * have points. */
    const char *const argv[] = {"gnuplot", "-d", variables, script, NULL};
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
    return failed ? error_prefix(error, "cannot draw with %s: ", script) : 0;
}

static const char *extension(const char *format)
{
    return !strcmp(format, "epslatex") ? "tex" : format;
}

char *gnuplot_file(const struct gnuplot_output *output, const char *name)
{
    struct text path = {0};
    text_add(&path, "%s/%s.%s", output->folder, name, extension(output->format));
    return path.data;
}

/* A folder of our own under $TMPDIR, or with --data the figure's folder. */
static int choose_folder(const struct gnuplot_output *output, char *scratch, size_t size, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    if (output->keep_data) {
        char *whole = realpath(output->folder, NULL);
        snprintf(scratch, size, "%s", whole ? whole : output->folder);
        free(whole);
        return 0;
    }
    snprintf(scratch, size, "%s/warpsweep-plot.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(scratch))
        return error_set(error, ERROR_ENVIRONMENT, "cannot make the folder %s: %s", scratch, strerror(errno));
    char *whole = realpath(scratch, NULL); /* gnuplot runs elsewhere, and $TMPDIR may be relative */
    if (whole)
        snprintf(scratch, size, "%s", whole);
    free(whole);
    return 0;
}

/* gnuplot says nothing of a disk that is full: a figure that was written to its end has its end. */
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
    return there ? 0
                 : error_set(error, ERROR_ENVIRONMENT, "%s was not written to its end: is the disk full?",
                             path);
}

static int check_drawn(const struct gnuplot_output *output, const char *name, struct error *error)
{
    static const struct {
        const char *format, *extension, *end;
    } ends[] = {{"pdf", "pdf", "%%EOF"},
                {"png", "png", "IEND"},
                {"svg", "svg", "</svg>"},
                {"epslatex", "tex", "\\endgroup"},
                {"epslatex", "eps", "%%Trailer"}};
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

int gnuplot_draw(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                 const struct gnuplot_output *output, struct error *error)
{
    char scratch[4096];
    struct text variables = {0}, table = {0}, file = {0};
    if (choose_folder(output, scratch, sizeof scratch, error) != 0)
        return -1;
    text_add(&variables, "%s/%s.plot", scratch, figure->name);
    text_add(&table, "%s/%s.tsv", scratch, figure->name);
    text_add(&file, "%s.%s", figure->name, extension(output->format));
    struct drawing drawing = {.figure = figure, .merged = merged, .data = data};
    if (figure_is_of_axis(figure, merged)) /* of dots of one quantity against another no roof is the bound */
        drawing.roof = roofs_of(merged, data, &drawing.roofs);
    int failed = write_data(table.data, data, error);
    if (!failed)
        failed = write_variables(variables.data, table.data, file.data, &drawing, output, error);
    free(drawing.roof);
    if (!failed)
        failed = run(output->folder, variables.data, figure->path, error);
    if (!failed)
        failed = check_drawn(output, figure->name, error);
    if (failed) {
        char *drawn = gnuplot_file(output, figure->name);
        unlink(drawn);
        free(drawn);
    }
    if (!output->keep_data) {
        unlink(variables.data);
        unlink(table.data);
        rmdir(scratch);
    }
    text_free(&variables);
    text_free(&table);
    text_free(&file);
    return failed;
}
