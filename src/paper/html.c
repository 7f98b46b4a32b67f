#include "paper/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/sha256.h"
#include "output/markup.h"
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

static void put_figure(FILE *out, const struct content *content, const struct drawn *figure)
{
    fprintf(out, "<figure id=\"%s\" class=\"%s\">\n<img src=\"figures/%s.svg\" alt=\"", figure->name,
            figure->wide ? "wide" : "one", figure->name);
    markup_print(out, MARKUP_HTML, figure->title);
    fputs("\">\n<figcaption>", out);
    markup_print(out, MARKUP_HTML, figure->caption);
    fprintf(out, " <span class=\"files\"><a href=\"figures/%s.svg\">SVG</a>", figure->name);
    if (content->figures_pdf)
        fprintf(out, " <a href=\"figures/%s.pdf\">PDF</a>", figure->name);
    fputs("</span></figcaption>\n</figure>\n", out);
}

static void put_figures(FILE *out, const struct content *content, const size_t *figure, size_t count)
{
    if (!count)
        return;
    fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < count; i++)
        put_figure(out, content, &content->figures->figure[figure[i]]);
    fputs("</div>\n", out);
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

static void put_points(FILE *out, const struct content *content)
{
    fputs("<section id=\"points\">\n<h2>All points</h2>\n", out);
    if (content->source->points > SHEETS_POINTS_MAX)
        fprintf(
            out,
            "<p>The first %d of %zu rows; <code>warpsweep table</code> prints all of them from the results "
            "files.</p>\n",
            SHEETS_POINTS_MAX, content->source->points);
    fputs("<p><label>Filter <input type=\"search\" id=\"filter\" placeholder=\"words: copy load "
          "64MiB\"></label> "
          "<output id=\"shown\" for=\"filter\"></output></p>\n<div class=\"scroll tall\">\n",
          out);
    sheet_print(out, MARKUP_HTML, SHEET_PAPER, &content->points);
    fputs("</div>\n</section>\n", out);
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
    fprintf(out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'sha256-%s'; "
            "base-uri 'none'; form-action 'none'\">\n",
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
          "href=\"#devices\">Devices</a> <a "
          "href=\"#across\">Across families</a>",
          out);
    if (sheet_rows(&content->pairs))
        fputs(" <a href=\"#pairs\">Textbook pairs</a>", out);
    for (int f = 0; f < content->families; f++) {
        const char *name = content->family[f].family->name;
        fprintf(out, " <a class=\"family\" href=\"#family-%s\">", markup_name(name).text);
        markup_print(out, MARKUP_HTML, name);
        fputs("</a>", out);
    }
    fputs(" <a href=\"#points\">All points</a> <a href=\"#method\">Method</a>\n</nav>\n", out);
}

static void put_across(FILE *out, const struct content *content)
{
    fputs("<section id=\"devices\">\n<h2>Devices</h2>\n", out);
    put_table(out, &content->devices);
    fputs("</section>\n<section id=\"across\">\n<h2>Across families</h2>\n", out);
    put_table(out, &content->best);
    for (int i = 0; i < content->speedups; i++)
        put_table(out, &content->speedup[i]);
    put_figures(out, content, content->across, content->acrosses);
    fputs("</section>\n", out);
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

static void put_families(FILE *out, const struct content *content)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    fputs("<section id=\"families\">\n<h2>Families</h2>\n", out);
    for (int f = 0; f < content->families; f++) {
        const struct content_family *family = &content->family[f];
        fprintf(out, "<section id=\"family-%s\">\n<h3>", markup_name(family->family->name).text);
        markup_print(out, MARKUP_HTML, family->family->name);
        fputs("</h3>\n", out);
        content_print_family(content, family, &document);
        put_table(out, &family->variants);
        put_figures(out, content, family->figure, family->figures);
        fputs("</section>\n", out);
    }
    fputs("</section>\n", out);
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

static int put_page(FILE *out, const struct content *content, const char *analysis, struct error *error)
{
    struct document document = {.out = out, .markup = MARKUP_HTML};
    char *script = read_file(analysis, "paper/page.js", error);
    if (!script || put_head(out, content, analysis, script, error) != 0) {
        free(script);
        return -1;
    }
    content_print_origin(content, &document);
    fputs("</header>\n", out);
    put_contents(out, content);
    fputs("<main>\n<section id=\"findings\">\n<h2>Findings</h2>\n", out);
    content_print_findings(content, &document);
    fputs("</section>\n", out);
    put_across(out, content);
    put_pairs(out, content);
    put_families(out, content);
    put_points(out, content);
    put_method(out, content);
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", script);
    free(script);
    return 0;
}

int html_write(const struct content *content, const char *analysis, const char *folder, struct error *error)
{
    struct text path = {0};
    text_add(&path, "%s/index.html", folder);
    FILE *out = fopen(path.data, "w");
    int failed = out ? put_page(out, content, analysis, error) : -1;
    bool broken = !out || ferror(out);
    broken = (out && fclose(out) != 0) || broken;
    if (broken)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path.data, strerror(errno));
    text_free(&path);
    return failed;
}
