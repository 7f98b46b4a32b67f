#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "statistics/between.h"
#include "store/dataset/summary.h"

/* Classes of duration, in seconds; the last is all. */
static const struct {
    double from, to;
    const char *name;
} classes[] = {
    {0, 2e-6, "below 2 us"},
    {2e-6, 4e-6, "2 to 4 us"},
    {4e-6, 1e-5, "4 to 10 us"},
    {1e-5, 1e-4, "10 to 100 us"},
    {1e-4, 1e-3, "100 us to 1 ms"},
    {1e-3, INFINITY, "above 1 ms"},
    {0, BETWEEN_LONG, "all below 100 us"},
    {BETWEEN_LONG, INFINITY, "all above 100 us"},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The only device that measured points of the file; -1: there are several. */
static long device_of(const struct dataset *dataset)
{
    long device = -1;
    int column = frame_find(&dataset->results, COLUMN(device));
    for (size_t row = 0; row < dataset->results.rows; row++) {
        int64_t its = frame_cell(&dataset->results, row, column)->integer;
        if (its < 0 || its == device)
            continue;
        if (device >= 0)
            return -1;
        device = (long)its;
    }
    return device;
}

/* The estimates of a file's points, in the order of the first file's rows. */
static struct levels_estimate *estimates_of(const struct view *first, const struct view *view)
{
    struct levels_estimate *estimate = memory_new(first->rows + 1, sizeof *estimate);
    struct summary_cells cells = summary_all_cells(view->dataset);
    struct pooling pooling = summary_pooling_of(&cells);
    size_t *partner = pairing_of(first, view);
    for (size_t i = 0; i < first->rows; i++) {
        estimate[i] = levels_estimate_alone(NULL, 0);
        if (partner[i] == PAIRING_NONE)
            continue;
        struct entry entry = entry_of(view->dataset, &cells, view->row[partner[i]]);
        entry_estimate(&entry, &pooling, NULL);
        levels_estimate_finish(&entry.estimate);
        estimate[i] = entry.estimate;
        entry_free(&entry);
    }
    summary_cells_free(&cells);
    free(partner);
    return estimate;
}

static void put_percent(struct document *document, double variance)
{
    if (isnan(variance))
        document_cell(document, "-");
    else
        document_cell(document, "%.3f", 100 * sqrt(variance));
}

static void put_held(struct document *document, double share)
{
    if (isnan(share))
        document_cell(document, "-");
    else
        document_cell(document, "%.1f", 100 * share);
}

static void print_classes(struct document *document, const struct between_run *run, size_t runs,
                          size_t points)
{
    static const char *const header[] = {"time",         "points",           "run adds, %",
                                         "unit adds, %", "one unit held, %", "two units held, %"};
    document_table_begin(document, "lrrrrr", header);
    for (size_t c = 0; c < CLASSES; c++) {
        struct between between = between_of(run, runs, points, classes[c].from, classes[c].to);
        if (!between.points)
            continue;
        document_cell(document, "%s", classes[c].name);
        document_cell(document, "%zu", between.points);
        put_percent(document, between.run);
        put_percent(document, between.unit);
        put_held(document, between.held_run);
        put_held(document, between.held_unit);
    }
    document_table_end(document);
}

/* As values of a profile. */
static void print_values(struct document *document, const struct between *of_short,
                         const struct between *of_long)
{
    const struct {
        enum profile_field field;
        double value;
    } values[] = {
        {PROFILE_spread_run_short, sqrt(of_short->run)},   {PROFILE_spread_run_long, sqrt(of_long->run)},
        {PROFILE_spread_unit_short, sqrt(of_short->unit)}, {PROFILE_spread_unit_long, sqrt(of_long->unit)},
        {PROFILE_spread_runs, (double)of_long->runs},      {PROFILE_spread_units, (double)of_long->units}};
    document_paragraph(document,
                       "For a device profile, by which compare widens its intervals (0 is left out):");
    document_items_begin(document);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value > 0)
            document_item(document, "%s: %.3g", profile_info[values[i].field].name, values[i].value);
    document_items_end(document);
}

int report_runs(struct document *document, const struct dataset *file, char *const *paths, size_t count,
                struct error *error)
{
    struct between_run *run = memory_new(count, sizeof *run);
    struct levels_estimate **estimate = memory_new(count, sizeof *estimate);
    const char **uuid = memory_new(count, sizeof *uuid);
    struct view *view = memory_new(count, sizeof *view);
    int failed = 0;
    for (size_t f = 0; f < count; f++) {
        view[f] = view_new(&file[f]);
        view_keep_points(&view[f]);
    }
    for (size_t f = 0; f < count && !failed; f++) {
        long device = device_of(&file[f]);
        if (device < 0) {
            failed =
                error_set(error, ERROR_USAGE, "%s: report --runs takes files of one device each", paths[f]);
            break;
        }
        uuid[f] = frame_find_text(&file[f].devices, (size_t)device, DEVICE_COLUMN(uuid));
        for (run[f].unit = 0; strcmp(uuid[run[f].unit], uuid[f]) != 0;)
            run[f].unit++;
        run[f].point = estimate[f] = estimates_of(&view[0], &view[f]);
    }
    if (!failed) {
        document_heading(document, 1, "What runs and units add");
        print_classes(document, run, count, view[0].rows);
        struct between of_short = between_of(run, count, view[0].rows, 0, BETWEEN_LONG),
                       of_long = between_of(run, count, view[0].rows, BETWEEN_LONG, INFINITY);
        document_paragraph(
            document,
            "%zu runs on %zu units (by UUID); %zu points that all have measured. Standard deviations, "
            "beyond what the processes of a run explain. Held: pairs of runs whose difference lies "
            "within the 95 %% interval of their processes alone.",
            of_long.runs, of_long.units, of_short.points + of_long.points);
        print_values(document, &of_short, &of_long);
    }
    for (size_t f = 0; f < count; f++) {
        free(estimate[f]);
        view_free(&view[f]);
    }
    free(estimate);
    free(uuid);
    free(view);
    free(run);
    return failed;
}
