/* The text of the short paper: question, laws, bends, limits, related work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bends.h"
#include "paper/content.h"
#include "report/method_values.h"
#include "table/throttled.h"
#include "table/view.h"

#define NEAR_TIME 0.15 /* of a predicted time: near the measured one */

void content_print_question(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    struct text devices = {0};
    content_list_devices(source, &devices);
    document_paragraph(
        document,
        "How fast a GPU moves data depends on how the threads of a warp address it. For %d kernel "
        "famil%s at %zu points on %s this paper asks two questions: how close does each come to the "
        "roof that bounds it, and how much of what the memory system does follows from addresses "
        "alone?",
        source->families, source->families == 1 ? "y" : "ies", source->points,
        devices.length ? devices.data : "no device");
    text_free(&devices);
}

struct wanted {
    const struct merged *merged;
    const char *kernel, *group;
};

static bool is_wanted(const struct view *view, size_t row, void *context)
{
    const struct wanted *wanted = context;
    (void)view;
    return !strcmp(merge_text(wanted->merged, row, COLUMN(kernel)), wanted->kernel) &&
           !strcmp(merge_text(wanted->merged, row, MERGE_GROUP), wanted->group) &&
           status_is_ok(merge_text(wanted->merged, row, COLUMN(status)));
}

/* Where the rates of a family bend, for each device. Returns how many have something to say. */
static int print_bends(const struct content *content, const char *kernel, struct document *document)
{
    int count = 0;
    const struct merged *merged = &content->source->merged;
    for (int g = 0; g < merged->groups; g++) {
        struct view view = view_new(&merged->all);
        struct wanted wanted = {merged, kernel, merged->group[g].label};
        struct text out = {0};
        view_keep_points(&view);
        view_keep(&view, is_wanted, &wanted);
        bends_describe(merged, &view, COLUMN(bandwidth), &out);
        if (out.length) {
            document_paragraph(document, "%s on %s:%s", kernel, content->source->label[g], out.data);
            count++;
        }
        text_free(&out);
        view_free(&view);
    }
    return count;
}

/* How many times were predicted well before the run, for each device. */
static void print_predicted(const struct content *content, struct document *document)
{
    const struct merged *merged = &content->source->merged;
    for (int g = 0; g < merged->groups; g++) {
        size_t points = 0, near = 0;
        for (size_t i = 0; i < content->source->points; i++) {
            size_t row = content->source->point[i].row[g];
            double predicted = row == SOURCE_NONE ? NAN : merge_real(merged, row, COLUMN(predicted_time)),
                   time = row == SOURCE_NONE ? NAN : merge_real(merged, row, COLUMN(time_median));
            if (!(predicted > 0 && time > 0))
                continue;
            points++;
            near += fabs(predicted / time - 1) <= NEAR_TIME;
        }
        if (points)
            document_paragraph(document,
                               "Times on %s: before the run the time model predicted %zu of %zu points "
                               "within %.0f %%, from addresses, buffers and roofs.",
                               content->source->label[g], near, points, 100 * NEAR_TIME);
    }
}

void content_print_figure(const struct content *content, const struct drawn *figure,
                          struct document *document)
{
    if (!strcmp(figure->name, "predicted"))
        print_predicted(content, document);
    else if (!content_print_laws(content, figure->name, document_paragraph, document) &&
             !print_bends(content, figure->kernel, document))
        document_paragraph(document, "%s", figure->title);
}

/* How many different texts a column of /devices has; empty ones are unknown and count each. */
static size_t count_distinct(const struct frame *devices, const char *column)
{
    size_t count = 0;
    for (size_t d = 0; d < devices->rows; d++) {
        const char *text = frame_find_text(devices, d, column);
        size_t before = 0;
        while (before < d && (!*text || strcmp(frame_find_text(devices, before, column), text) != 0))
            before++;
        count += before == d;
    }
    return count;
}

static void print_units(const struct frame *devices, struct document *document)
{
    size_t units = count_distinct(devices, DEVICE_COLUMN(uuid)),
           products = count_distinct(devices, DEVICE_COLUMN(name));
    struct text what = {0};
    if (units > products)
        text_add(&what, "%zu units of %zu product%s were", units, products, products == 1 ? "" : "s");
    document_item(document,
                  "%s measured, at the clocks that the driver chose. Another unit may differ by more than "
                  "the intervals say.",
                  what.data ? what.data : "One unit of each product was");
    text_free(&what);
}

void content_print_limits(const struct content *content, struct document *document)
{
    const struct merged *merged = &content->source->merged;
    size_t throttled = 0, narrow = 0, points = 0;
    bool counted = false;
    for (size_t i = 0; i < content->source->points; i++)
        for (int g = 0; g < merged->groups; g++) {
            size_t row = content->source->point[i].row[g];
            if (row == SOURCE_NONE)
                continue;
            points++;
            throttled += throttled_row(&merged->all.results, row);
            narrow += merge_real(merged, row, COLUMN(time_median)) < 10e-6;
        }
    document_items_begin(document);
    print_units(&merged->all.devices, document);
    document_item(document,
                  "%zu of %zu measurements are of kernels below 10 us. Their times contain the start of a "
                  "launch within a graph, which no roof accounts for.",
                  narrow, points);
    if (throttled)
        document_item(document,
                      "At %zu of %zu measurements the driver gave a reason to lower the clock. They are "
                      "kept, and marked in tables and figures.",
                      throttled, points);
    for (int i = 0; i < content->source->files; i++)
        counted = counted || method_counters(&content->source->file[i]);
    if (counted)
        document_item(document, "Counters were read in passes of their own. They are of the same launches in "
                                "the same state of L2, but not of the samples that were timed.");
    document_item(document, "A best variant is the best of all points of its family, chosen after the fact. "
                            "It is compared with roofs, not with one shape of another kernel.");
    document_items_end(document);
}

void content_print_related(const struct content *content, struct document *document)
{
    document_paragraph(
        document,
        "Mei and Chu (2017), Jia et al. (2018) and Luo et al. (2024) take GPU memories apart by "
        "microbenchmarks and give latencies, sizes and rates. Here each value has an interval, the counters "
        "of the same point, and a prediction beside it. The roofline (Williams et al., 2009) relates a "
        "kernel to its roofs; ours were measured in the same run. Kernel Tuner (van Werkhoven, 2019) "
        "searches for the best shape of a kernel, where this paper shows all shapes.");
    document_items_begin(document);
    content_print_pairs_item(content, document);
    document_items_end(document);
}
