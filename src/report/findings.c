#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bends.h"
#include "analysis/best.h"
#include "analysis/laws.h"
#include "base/memory.h"
#include "core/roof.h"
#include "table/heads.h"
#include "table/units.h"
#include "table/l2_disproved.h"
#include "table/throttled.h"

enum { DISPROVED_SHOWN = 10 };

/* ---- Numbers with their intervals ---- */

static bool is_flop(const struct merged *merged, size_t row)
{
    return !strncmp(merge_text(merged, row, COLUMN(roof)), "flop", strlen("flop"));
}

/* "4299 ± 4 GB/s" */
static void format_rate(const struct merged *merged, size_t row, char *out, size_t size)
{
    bool flop = is_flop(merged, row);
    double rate = merge_real(merged, row, flop ? COLUMN(flop_rate) : COLUMN(bandwidth));
    const struct unit *unit = units_choose(flop ? "flop/s" : "bytes/s", rate);
    char number[64];
    rate /= unit->scale;
    units_format(rate, rate * heads_time_error(&merged->all.results, row), number, sizeof number);
    snprintf(out, size, "%s %s%s", number, unit->name,
             throttled_row(&merged->all.results, row) ? SHEET_DAGGER : "");
}

static void format_share(const struct merged *merged, size_t row, char *out, size_t size)
{
    double share = 100 * merge_real(merged, row, COLUMN(fraction_peak));
    char number[64];
    units_format(share, share * heads_share_error(&merged->all.results, row), number, sizeof number);
    snprintf(out, size, "%s %%", number);
}

/* How much faster `row` is than `other`, at least and at most, by the ends of their intervals. */
static void format_gain(const struct merged *merged, size_t row, size_t other, char *out, size_t size)
{
    double least = merge_real(merged, other, COLUMN(time_ci_low)) /
                       merge_real(merged, row, COLUMN(time_ci_high)) -
                   1,
           most = merge_real(merged, other, COLUMN(time_ci_high)) /
                      merge_real(merged, row, COLUMN(time_ci_low)) -
                  1;
    if (least >= 1)
        snprintf(out, size, "is %.3g to %.3g times as fast as", 1 + least, 1 + most);
    else
        snprintf(out, size, "is faster by %.2g to %.2g %% than", 100 * least, 100 * most);
}

/* ---- The table ---- */

static void put_row(struct document *document, const struct merged *merged, const struct best *best)
{
    char rate[96], share[96], vendor[96] = "-";
    format_rate(merged, best->row, rate, sizeof rate);
    format_share(merged, best->row, share, sizeof share);
    if (best->vendor != BEST_NONE && best->vendor != best->row)
        format_rate(merged, best->vendor, vendor, sizeof vendor);
    document_cells(document, "%s\t%zu\t%s\t%s\t%s\t%s", best->kernel, best->points,
                   merge_text(merged, best->row, COLUMN(variant)), rate, share, vendor);
}

static void put_table(struct document *document, const struct merged *merged, const struct best *best,
                      size_t count, int group)
{
    static const char *const heads[] = {"family", "points",        "best variant",
                                        "rate",   "share of roof", "vendor's rate"};
    bool marks = false;
    document_table_begin(document, "lrlrrr", heads);
    for (size_t b = 0; b < count; b++)
        if (best[b].group == group) {
            put_row(document, merged, &best[b]);
            marks = marks || throttled_row(&merged->all.results, best[b].row) ||
                    (best[b].vendor != BEST_NONE && throttled_row(&merged->all.results, best[b].vendor));
        }
    document_table_end(document);
    if (marks)
        document_paragraph(document, SHEET_DAGGER ": %s.", throttled_meaning);
}

/* ---- Sentences ---- */

static void tell_others(const struct merged *merged, const struct best *best, struct text *out)
{
    char gain[96], rate[96];
    if (best->vendor != BEST_NONE && best->vendor != best->row) {
        const char *variant = merge_text(merged, best->vendor, COLUMN(variant));
        bool faster = merge_real(merged, best->row, COLUMN(time_median)) <
                      merge_real(merged, best->vendor, COLUMN(time_median));
        format_rate(merged, best->vendor, rate, sizeof rate);
        text_add(out, " The vendor's %s does the same work at %s (best of %zu; %s: best of %zu):", variant,
                 rate, best->vendors_shapes, merge_text(merged, best->row, COLUMN(variant)), best->shapes);
        if (!best_told_apart(merged, best->row, best->vendor)) {
            text_add(out, " not told apart.");
        } else {
            format_gain(merged, faster ? best->row : best->vendor, faster ? best->vendor : best->row, gain,
                        sizeof gain);
            text_add(out, " %s %s %s.", faster ? merge_text(merged, best->row, COLUMN(variant)) : variant,
                     gain, faster ? variant : merge_text(merged, best->row, COLUMN(variant)));
        }
    }
    if (best->next != BEST_NONE && merge_real(merged, best->next, COLUMN(time_median)) >
                                       merge_real(merged, best->row, COLUMN(time_median))) {
        format_gain(merged, best->row, best->next, gain, sizeof gain);
        text_add(out, " At this work %s %s %s, the fastest other variant whose interval does not overlap.",
                 merge_text(merged, best->row, COLUMN(variant)), gain,
                 merge_text(merged, best->next, COLUMN(variant)));
    }
}

/* The rows of a family's own kernels on a device (all rows if it has none). */
static struct view rows_of(const struct merged *merged, const struct view *all, const struct best *best)
{
    struct view view = {.dataset = all->dataset};
    bool vendor = best_is_vendor(merged, best->row);
    view.row = memory_new(all->rows + 1, sizeof *view.row);
    for (size_t i = 0; i < all->rows; i++)
        if (!strcmp(merge_text(merged, all->row[i], COLUMN(kernel)), best->kernel) &&
            !strcmp(merge_text(merged, all->row[i], MERGE_GROUP), merged->group[best->group].label) &&
            status_is_ok(merge_text(merged, all->row[i], COLUMN(status))) &&
            (vendor || !best_is_vendor(merged, all->row[i])))
            view.row[view.rows++] = all->row[i];
    return view;
}

static void tell_family(struct document *document, const struct merged *merged, const struct view *all,
                        const struct best *best)
{
    struct view view = rows_of(merged, all, best);
    struct text what = {0}, out = {0};
    char rate[96], share[96];
    bends_describe_row(merged, &view, best->row, "variant", &what);
    format_rate(merged, best->row, rate, sizeof rate);
    format_share(merged, best->row, share, sizeof share);
    text_add(&out, "%s: best of %zu points is %s%s%s%s at %s, %s of the roof (%s, %s).", best->kernel,
             best->points, merge_text(merged, best->row, COLUMN(variant)), what.length ? " (" : "",
             what.length ? what.data : "", what.length ? ")" : "", rate, share,
             roof_in_words(merge_text(merged, best->row, COLUMN(roof))),
             merged->group[best->group].predicted ? "by the profile" : "measured in the same run");
    tell_others(merged, best, &out);
    bends_describe(merged, &view, is_flop(merged, best->row) ? COLUMN(flop_rate) : COLUMN(bandwidth), &out);
    document_item(document, "%s", out.data);
    text_free(&what);
    text_free(&out);
    view_free(&view);
}

static void tell_laws(struct document *document, const struct merged *merged)
{
    const char **label = memory_new((size_t)merged->groups + 1, sizeof *label);
    bool any = false;
    for (int group = 0; group < merged->groups; group++)
        label[group] = merged->group[group].label;
    for (size_t i = 0; i < laws_count(); i++) {
        struct text out = {0};
        if (law_tell(&laws[i], merged, label, &out)) {
            if (!any) {
                document_heading(document, 2, "Laws");
                document_paragraph(document,
                                   "Formulas in the axes of a point that follow from the access model, and "
                                   "how the counters keep them. No constant of theirs is fitted.");
                document_items_begin(document);
            }
            any = true;
            document_item(document, "%s", out.data);
        }
        text_free(&out);
    }
    if (any)
        document_items_end(document);
    free(label);
}

/* Points whose times are of another state of L2 than their axis says. */
static void tell_disproved(struct document *document, const struct view *view)
{
    const struct frame *results = &view->dataset->results;
    struct text ids = {0};
    size_t count = 0;
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        if (l2_disproved_row(results, view->row[i]) && count++ < DISPROVED_SHOWN)
            text_add(&ids, "%s%s", count > 1 ? ", " : "", frame_find_text(results, view->row[i], COLUMN(id)));
    }
    if (count)
        document_paragraph(
            document,
            "The counters of %zu point%s disprove that L2 was in the state that the axis cache names "
            "(column l2_state): %s%s.",
            count, count == 1 ? "" : "s", ids.data, count > DISPROVED_SHOWN ? ", ..." : "");
    text_free(&ids);
}

void report_findings(struct document *document, const struct merged *merged)
{
    struct view view = view_new(&merged->all);
    struct best *best;
    view_keep_points(&view);
    size_t count = best_of_families(merged, &view, &best);
    document_heading(document, 2, "The best of each family");
    document_paragraph(
        document,
        "By the share of what bounds a point. The best of many points is chosen after the measurement, and a "
        "vendor's kernel has few shapes to choose from: warpsweep compare --by compares one fixed shape with "
        "it. ± is half of the 95 %% interval of the median time; two are told apart where their intervals "
        "lie apart, and only then is one called faster; ranges of how much are those of the intervals' ends. "
        "Rates along an axis are fitted with a line of pieces in log-log, with at most two bends, each of "
        "which lowers Schwarz's criterion by over 10 against a scatter of at least 2 %%.");
    for (int group = 0; group < merged->groups; group++) {
        size_t own = 0;
        for (size_t b = 0; b < count; b++)
            own += best[b].group == group;
        if (!own)
            continue;
        document_heading(document, 3, "%s", merged->group[group].label);
        put_table(document, merged, best, count, group);
        document_items_begin(document);
        for (size_t b = 0; b < count; b++)
            if (best[b].group == group)
                tell_family(document, merged, &view, &best[b]);
        document_items_end(document);
    }
    if (!count)
        document_paragraph(document, "No measured point has a roof.");
    tell_disproved(document, &view);
    tell_laws(document, merged);
    free(best);
    view_free(&view);
}
