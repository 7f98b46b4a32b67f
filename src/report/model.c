#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/result.h"
#include "table/print_text.h"
#include "table/view.h"

#define PREFIX "predicted_"
#define SHOWN  20 /* points listed of one column */

/* The accepted difference, relative to the prediction. Counts per request are quotients of integers, equal except for
 * rounding. */
#define LIMIT_PER_REQUEST 1e-9
#define LIMIT_TOTAL       1e-3
#define LIMIT_DRAM        2e-2

struct off {
    size_t row;
    double predicted, measured;
};

/* The result for one predicted column of one kernel. */
struct finding {
    const char *column; /* without the prefix */
    size_t compared, uncounted;
    double largest;  /* difference; NaN while nothing was compared */
    struct off *off; /* owned */
    size_t offs, capacity;
};

static double limit_of(const char *column)
{
    if (strstr(column, "_per_request"))
        return LIMIT_PER_REQUEST;
    return strncmp(column, "dram_", 5) != 0 ? LIMIT_TOTAL : LIMIT_DRAM;
}

/* Relative to the prediction; if that is 0, any other value is an infinite error. */
static double difference(double predicted, double measured)
{
    if (predicted == measured)
        return 0;
    return predicted != 0 ? fabs(measured - predicted) / fabs(predicted) : INFINITY;
}

static void take(struct finding *finding, size_t row, double predicted, double measured)
{
    if (isnan(predicted))
        return;
    if (isnan(measured)) {
        finding->uncounted++;
        return;
    }
    double apart = difference(predicted, measured);
    finding->compared++;
    if (!(apart <= finding->largest))
        finding->largest = apart;
    if (!(apart > limit_of(finding->column)))
        return;
    finding->off = memory_grow(finding->off, finding->offs, &finding->capacity, sizeof *finding->off);
    finding->off[finding->offs++] = (struct off){row, predicted, measured};
}

static struct finding find(const struct view *view, const char *column)
{
    const struct frame *results = &view->dataset->results;
    struct finding finding = {.column = column + strlen(PREFIX), .largest = NAN};
    for (size_t i = 0; i < view->rows; i++)
        take(&finding, view->row[i], frame_find_real(results, view->row[i], column),
             frame_find_real(results, view->row[i], finding.column));
    return finding;
}

/* dram_ratio is measured over expected traffic: 1 unless the cache mode or the working set had another effect. */
static struct finding find_ratio(const struct view *view)
{
    const struct frame *results = &view->dataset->results;
    struct finding finding = {.column = "dram_ratio", .largest = NAN};
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        double ratio = frame_find_real(results, view->row[i], finding.column);
        if (!isnan(ratio))
            take(&finding, view->row[i], 1, ratio);
    }
    return finding;
}

/* ---- Printing ---- */

/* The point by its axes that vary in the view. */
static void describe(const struct view *view, size_t row, struct text *out)
{
    const struct dataset *dataset = view->dataset;
    for (int i = 0; i < dataset->results.columns; i++) {
        struct view_column column;
        struct error ignored;
        char value[128];
        if (!view_is_axis(dataset, i) ||
            view_find_column(dataset, dataset->results.column[i].name, &column, &ignored) != 0 ||
            view_distinct(view, &column, 2) < 2 ||
            frame_is_missing(view_header(dataset, &column), view_cell(dataset, row, &column)))
            continue;
        print_human(view_header(dataset, &column), view_cell(dataset, row, &column), value, sizeof value);
        text_add(out, "%s%s=%s", out->length ? " " : "", column.name, value);
    }
}

static void format_share(double share, char *out, size_t size)
{
    if (isnan(share))
        snprintf(out, size, "-");
    else if (isinf(share))
        snprintf(out, size, "predicted 0");
    else
        snprintf(out, size, "%.3g %%", 100 * share);
}

static void print_summary(struct document *document, const struct finding *findings, int count)
{
    document_table_begin(
        document, "lrrrr",
        (const char *const[]){"column", "points compared", "not counted", "largest difference", "disagree"});
    for (int i = 0; i < count; i++) {
        char largest[32];
        format_share(findings[i].largest, largest, sizeof largest);
        document_cells(document, "%s\t%zu\t%zu\t%s\t%zu", findings[i].column, findings[i].compared,
                       findings[i].uncounted, largest, findings[i].offs);
    }
    document_table_end(document);
}

static void print_off(struct document *document, const struct view *view, const struct finding *finding)
{
    document_paragraph(document, "%s disagrees on %zu of %zu points:", finding->column, finding->offs,
                       finding->compared);
    document_table_begin(document, "llrrr",
                         (const char *const[]){"id", "point", "predicted", "measured", "difference"});
    for (size_t i = 0; i < finding->offs && i < SHOWN; i++) {
        const struct off *off = &finding->off[i];
        struct text point = {0};
        char share[32];
        describe(view, off->row, &point);
        format_share(difference(off->predicted, off->measured), share, sizeof share);
        document_cells(document, "%s\t%s\t%.9g\t%.9g\t%s",
                       frame_find_text(&view->dataset->results, off->row, COLUMN(id)),
                       point.data ? point.data : "", off->predicted, off->measured, share);
        text_free(&point);
    }
    document_table_end(document);
    if (finding->offs > SHOWN)
        document_paragraph(document, "... and %zu more.", finding->offs - SHOWN);
}

/* The kernel's number of disagreements; -1 when nothing is predicted for it. */
static long report_kernel(struct document *document, const struct view *view, const char *kernel)
{
    const struct frame *results = &view->dataset->results;
    struct finding *findings = memory_new((size_t)results->columns + 1, sizeof *findings);
    int count = 0;
    long off = 0;
    for (int i = 0; i < results->columns; i++)
        if (results->column[i].role == ROLE_PREDICTION &&
            !strncmp(results->column[i].name, PREFIX, strlen(PREFIX)) &&
            strncmp(results->column[i].name, PREFIX "time", strlen(PREFIX "time")) != 0) /* --bounds has it */
            findings[count++] = find(view, results->column[i].name);
    findings[count++] = find_ratio(view);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (findings[i].compared || findings[i].uncounted)
            findings[kept++] = findings[i];
    if (kept) {
        document_heading(document, 2, "%s", kernel);
        print_summary(document, findings, kept);
    }
    for (int i = 0; i < kept; i++) {
        if (findings[i].offs)
            print_off(document, view, &findings[i]);
        off += (long)findings[i].offs;
        free(findings[i].off);
    }
    free(findings);
    return kept ? off : -1;
}

static bool keep_measured(const struct view *view, size_t row, void *context)
{
    (void)context;
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           dataset_is_point(view->dataset, row);
}

long report_model(struct document *document, const struct merged *merged)
{
    struct view_column kernel;
    struct error ignored;
    long off = 0, predicted = 0;
    if (view_find_column(&merged->all, COLUMN(kernel), &kernel, &ignored) != 0)
        return -1;
    struct view all = view_new(&merged->all);
    view_keep(&all, keep_measured, NULL);
    view_sort(&all, &kernel, false);
    for (size_t first = 0, last; first < all.rows; first = last) {
        for (last = first;
             last < all.rows && !view_compare(&merged->all, &kernel, all.row[first], all.row[last]);)
            last++;
        struct view part = {.dataset = &merged->all, .row = all.row + first, .rows = last - first};
        long here = report_kernel(document, &part, view_cell(&merged->all, all.row[first], &kernel).text);
        predicted += here >= 0;
        off += here > 0 ? here : 0;
    }
    view_free(&all);
    if (!predicted)
        document_paragraph(document,
                           "These files have no predictions: their predicted columns are missing or empty.");
    else
        document_paragraph(document, "%ld disagreement%s in total.", off, off == 1 ? "" : "s");
    return predicted ? off : -1;
}
