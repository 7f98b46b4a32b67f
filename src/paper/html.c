#include "paper/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/sha256.h"
#include "figure/layout/values.h"
#include "output/mark.h"
#include "output/markup.h"
#include "table/print.h"
#include "report/report.h"
#include "version.h"

#define FILE_SIZE_MAX ((size_t)64 << 20)

static char *read_file(const char *folder, const char *name, struct error *error)
{
    struct text path = {0};
    size_t size;
    text_add(&path, "%s/%s", folder, name);
    char *text = io_read_file(path.data, FILE_SIZE_MAX, &size, error);
    text_free(&path);
    return text;
}

/* ---- Figures ---- */

/* The values of the drawing, laid over its picture: an <img> shows no texts under the mouse. */
static int put_values(FILE *out, const char *folder, const struct drawn *figure, struct error *error)
{
    struct text name = {0};
    text_add(&name, "figures/%s.svg", figure->name);
    char *drawing = read_file(folder, name.data, error);
    text_free(&name);
    if (!drawing)
        return -1;
    const char *begin = strstr(drawing, VALUES_BEGIN), *end = begin ? strstr(begin, VALUES_END) : NULL;
    const char *box = strstr(drawing, "viewBox=\"");
    if (end && box)
        fprintf(out, "<svg %.*s\">\n%.*s</g>\n</svg>\n", (int)strcspn(box, ">\n") - 1, box,
                (int)(end - begin), begin);
    free(drawing);
    return 0;
}

static int put_figure(FILE *out, const struct content *content, const char *folder,
                      const struct drawn *figure, struct error *error)
{
    fprintf(out, "<figure id=\"%s\" class=\"%s\">\n<div class=\"plot\"><img src=\"figures/%s.svg\" alt=\"",
            figure->name, figure->wide ? "wide" : "one", figure->name);
    markup_print(out, MARKUP_HTML, figure->title);
    fputs("\">\n", out);
    if (put_values(out, folder, figure, error) != 0)
        return -1;
    fputs("</div>\n<figcaption>", out);
    markup_print(out, MARKUP_HTML, figure->caption);
    fprintf(out, " <span class=\"files\"><a href=\"figures/%s.svg\">SVG</a>", figure->name);
    if (content->figures_pdf)
        fprintf(out, " <a href=\"figures/%s.pdf\">PDF</a>", figure->name);
    fputs("</span></figcaption>\n</figure>\n", out);
    return 0;
}

static int put_figures(FILE *out, const struct content *content, const char *folder, const size_t *figure,
                       size_t count, struct error *error)
{
    if (!count)
        return 0;
    fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < count; i++)
        if (put_figure(out, content, folder, &content->figures->figure[figure[i]], error) != 0)
            return -1;
    fputs("</div>\n", out);
    return 0;
}

static void put_missing(FILE *out, const struct content *content)
{
    fputs("<h3>Figures without data</h3>\n<ul class=\"plain\">\n", out);
    for (size_t i = 0; i < content->figures->count; i++) {
        const struct drawn *figure = &content->figures->figure[i];
        if (figure->caption)
            continue;
        fputs("<li><b>", out);
        markup_print(out, MARKUP_HTML, figure->name);
        fputs("</b>: ", out);
        markup_print(out, MARKUP_HTML, figure->reason ? figure->reason : "");
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* ---- Tables ---- */

static void put_table(FILE *out, const struct sheet *sheet)
{
    if (!sheet_rows(sheet))
        return;
    fputs("<div class=\"scroll\">\n", out);
    sheet_print(out, MARKUP_HTML, SHEET_PAPER, sheet);
    fputs("</div>\n", out);
}

/* ---- Points ---- */

static const char *const quantities[] = {COLUMN(status),         COLUMN(time_median),  COLUMN(time_ci_low),
                                         COLUMN(time_ci_high),   COLUMN(bandwidth),    COLUMN(bandwidth_low),
                                         COLUMN(bandwidth_high), COLUMN(flop_rate),    COLUMN(latency_p50),
                                         COLUMN(roof),           COLUMN(fraction_peak)};

#define QUANTITIES ((int)(sizeof quantities / sizeof *quantities))

static void put_cell(FILE *out, const struct frame *results, size_t row, int column)
{
    const struct column *head = &results->column[column];
    union cell cell = *frame_cell(results, row, column);
    fputc(',', out);
    if (head->type == COLUMN_TEXT)
        print_csv_text(out, cell.text);
    else if (!frame_is_missing(head, cell))
        print_plain(out, head, cell);
}

/* A header and one line per measured point and device, of the first `points` points: id, kernel, all axes, device, status,
 * then raw SI numbers with their names in the results file. What is missing is empty. RFC 4180, but for line ends of one
 * character. */
static void print_points(FILE *out, const struct source *source, size_t points)
{
    const struct frame *results = &source->merged.all.results;
    int column[QUANTITIES];
    fputs("id,kernel", out);
    for (int i = 0; i < source->axes; i++)
        fprintf(out, ",%s", results->column[source->axis[i]].name);
    fputs(",device", out);
    for (int i = 0; i < QUANTITIES; i++) {
        column[i] = frame_find(results, quantities[i]);
        if (column[i] >= 0)
            fprintf(out, ",%s", quantities[i]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < source->points && i < points; i++)
        for (int g = 0; g < source->merged.groups; g++) {
            size_t row = source->point[i].row[g];
            if (row == SOURCE_NONE)
                continue;
            print_csv_text(out, source->point[i].id);
            fputc(',', out);
            print_csv_text(out, source->point[i].kernel);
            for (int a = 0; a < source->axes; a++)
                put_cell(out, results, row, source->axis[a]);
            fputc(',', out);
            print_csv_text(out, source->merged.group[g].label);
            for (int q = 0; q < QUANTITIES; q++)
                if (column[q] >= 0)
                    put_cell(out, results, row, column[q]);
            fputc('\n', out);
        }
}

/* Hidden text, which can hold whatever the files do; the page's script reads it. */
static void put_csv(FILE *out, const struct source *source)
{
    char *csv = NULL;
    size_t size;
    FILE *memory = open_memstream(&csv, &size);
    print_points(memory, source, SHEETS_POINTS_MAX);
    fclose(memory);
    fputs("<pre id=\"points-csv\" hidden", out);
    mark_print(out, MARKUP_HTML, " data-mark=\"", "\"");
    fputs(">\n", out);
    markup_print(out, MARKUP_HTML, csv);
    fputs("</pre>\n", out);
    free(csv);
}

static void put_points(FILE *out, const struct content *content)
{
    fputs("<section id=\"points\">\n<h2>All points</h2>\n", out);
    if (content->source->points > SHEETS_POINTS_MAX)
        fprintf(out,
                "<p>The first %d of %zu rows; <code>warpsweep table</code> prints all of them from the "
                "results files.</p>\n",
                SHEETS_POINTS_MAX, content->source->points);
    fputs(
        "<form id=\"controls\"><label for=\"filter\">Filter</label> <input type=\"search\" id=\"filter\" "
        "placeholder=\"stride=137 bandwidth&gt;4000 -load\" aria-describedby=\"filter-help\"> <button "
        "type=\"button\" id=\"download\" hidden>Download CSV</button> <output id=\"shown\" "
        "for=\"filter\"></output></form>\n"
        "<p id=\"filter-help\" class=\"soft\">Terms are separated by spaces and must all hold for one "
        "measurement of the point. <code>load</code>: the row has this text. <code>stride=1,2</code>, "
        "<code>size&gt;=1MiB</code>, <code>stride=4..64</code>, <code>dtype!=f64</code>: an axis. "
        "<code>time&lt;10</code> (µs), <code>bandwidth&gt;4000</code> (GB/s), <code>share&gt;90</code> (%): "
        "a quantity. <code>device=H200</code>: measurements on this device. A term after <code>-</code> must "
        "not hold. The address of the page keeps the filter.</p>\n<div class=\"scroll tall\">\n",
        out);
    sheet_print(out, MARKUP_HTML, SHEET_PAPER, &content->points);
    fputs("</div>\n", out);
    put_csv(out, content->source);
    fputs("</section>\n", out);
}

/* ---- The page ---- */

/* The page loads its own figures only, and runs only the script with this hash. `file:` is for pages that are opened from disk,
 * where 'self' matches nothing in some browsers. */
static void put_policy(FILE *out, const char *script)
{
    struct text whole = {0};
    char hash[SHA256_BASE64_SIZE];
    text_add(&whole, "\n%s", script); /* from <script> to </script> */
    sha256_base64(whole.data, whole.length, hash);
    text_free(&whole);
    fprintf(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file: "
        "data:; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n",
        hash);
}

static int put_head(FILE *out, const struct content *content, const char *analysis, const char *script,
                    struct error *error)
{
    char *style = read_file(analysis, "paper/page.css", error);
    if (!style)
        return -1;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    put_policy(out, script);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
    markup_print(out, MARKUP_HTML, content->title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", style);
    markup_print(out, MARKUP_HTML, content->title);
    fprintf(
        out,
        "</h1>\n<p class=\"by\">latest run %s · written by <code>warpsweep paper</code>, release %s%s</p>\n",
        *content->date ? content->date : "an unknown date", WARPSWEEP_RELEASE,
        content->compiled ? " · <a href=\"paper.pdf\">PDF</a>" : "");
    free(style);
    return 0;
}

static void put_contents(FILE *out, const struct content *content)
{
    fputs("<nav aria-label=\"Contents\">\n<a href=\"#findings\">Findings</a> <a "
          "href=\"#devices\">Devices</a> <a href=\"#across\">Across families</a>",
          out);
    if (sheet_rows(&content->pairs))
        fputs(" <a href=\"#pairs\">Textbook pairs</a>", out);
    fputs("\n<details><summary>Families</summary>\n<div>", out);
    for (int f = 0; f < content->families; f++) {
        const char *name = content->family[f].family->name;
        fprintf(out, "%s<a href=\"#family-%s\">", f ? " " : "", markup_name(name).text);
        markup_print(out, MARKUP_HTML, name);
        fputs("</a>", out);
    }
    fputs("</div></details>\n<a href=\"#points\">All points</a> <a href=\"#method\">Method</a>\n</nav>\n",
          out);
}

static int put_across(FILE *out, const struct content *content, const char *folder, struct error *error)
{
    fputs("<section id=\"devices\">\n<h2>Devices</h2>\n", out);
    put_table(out, &content->devices);
    fputs("</section>\n<section id=\"across\">\n<h2>Across families</h2>\n", out);
    put_table(out, &content->best);
    for (int i = 0; i < content->speedups; i++)
        put_table(out, &content->speedup[i]);
    int failed = put_figures(out, content, folder, content->across, content->acrosses, error);
    put_table(out, &content->ladder);
    fputs("</section>\n", out);
    return failed;
}

static void put_pairs(FILE *out, const struct content *content)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    if (!sheet_rows(&content->pairs))
        return;
    fputs("<section id=\"pairs\">\n<h2>Textbook pairs</h2>\n", out);
    put_table(out, &content->pairs_times);
    fputs("<details>\n<summary>All quantities of all pairs</summary>\n<div class=\"scroll\">\n", out);
    for (int i = 0; i < content->pair_table->count; i++)
        report_pair(&document, &content->source->merged, &content->pair_table->pair[i]);
    fputs("</div>\n</details>\n</section>\n", out);
}

static int put_families(FILE *out, const struct content *content, const char *folder, struct error *error)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    int failed = 0;
    fputs("<section id=\"families\">\n<h2>Families</h2>\n", out);
    for (int f = 0; f < content->families && !failed; f++) {
        const struct content_family *family = &content->family[f];
        fprintf(out, "<section id=\"family-%s\">\n<h3>", markup_name(family->family->name).text);
        markup_print(out, MARKUP_HTML, family->family->name);
        fputs("</h3>\n", out);
        content_print_family(content, family, &document);
        put_table(out, &family->variants);
        failed = put_figures(out, content, folder, family->figure, family->figures, error);
        fputs("</section>\n", out);
    }
    fputs("</section>\n", out);
    return failed;
}

static void put_method(FILE *out, const struct content *content)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    char *bibtex = NULL;
    size_t size;
    fputs("<section id=\"method\">\n<h2>Method</h2>\n", out);
    for (int i = 0; i < content->source->files; i++)
        report_method(&document, &content->source->file[i], content->source->path[i]);
    put_missing(out, content);
    FILE *memory = open_memstream(&bibtex, &size);
    report_bibtex(memory);
    fclose(memory);
    fputs("<h3>References in BibTeX</h3>\n<pre>", out);
    markup_print(out, MARKUP_HTML, bibtex);
    fputs("</pre>\n</section>\n", out);
    free(bibtex);
}

static int put_body(FILE *out, const struct content *content, const char *folder, struct error *error)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    content_print_origin(content, &document);
    fputs("</header>\n", out);
    put_contents(out, content);
    fputs("<main>\n<section id=\"findings\">\n<h2>Findings</h2>\n", out);
    content_print_findings(content, &document);
    fputs("</section>\n", out);
    if (put_across(out, content, folder, error) != 0)
        return -1;
    put_pairs(out, content);
    if (put_families(out, content, folder, error) != 0)
        return -1;
    put_points(out, content);
    put_method(out, content);
    fputs("</main>\n", out);
    return 0;
}

static int put_page(FILE *out, const struct content *content, const char *analysis, const char *folder,
                    struct error *error)
{
    char *script = read_file(analysis, "paper/page.js", error);
    int failed = script ? put_head(out, content, analysis, script, error) : -1;
    if (!failed)
        failed = put_body(out, content, folder, error);
    if (!failed)
        fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", script);
    free(script);
    return failed;
}

int html_write(const struct content *content, const char *analysis, const char *folder, struct error *error)
{
    struct text path = {0};
    text_add(&path, "%s/index.html", folder);
    FILE *out = fopen(path.data, "w");
    int failed = out ? put_page(out, content, analysis, folder, error) : -1;
    bool broken = !out || ferror(out);
    broken = (out && fclose(out) != 0) || broken;
    if (broken)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path.data, strerror(errno));
    text_free(&path);
    return failed;
}
