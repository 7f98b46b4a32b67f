#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "base/memory.h"
#include "statistics/between.h"

/* Classes of duration, in seconds, and of the state of L2. */
static const struct {
    struct between_choice choice;
    const char *name;
} classes[] = {
    {{0, 2e-6, LEVELS_KINDS}, "below 2 us"},
    {{2e-6, 4e-6, LEVELS_KINDS}, "2 to 4 us"},
    {{4e-6, 1e-5, LEVELS_KINDS}, "4 to 10 us"},
    {{1e-5, 1e-4, LEVELS_KINDS}, "10 to 100 us"},
    {{1e-4, 1e-3, LEVELS_KINDS}, "100 us to 1 ms"},
    {{1e-3, INFINITY, LEVELS_KINDS}, "above 1 ms"},
    {{0, BETWEEN_LONG, LEVELS_KINDS}, "all below 100 us"},
    {{BETWEEN_LONG, INFINITY, LEVELS_KINDS}, "all above 100 us"},
    {{0, BETWEEN_LONG, LEVELS_ON_DEVICE}, "cold, below 100 us"},
    {{BETWEEN_LONG, INFINITY, LEVELS_ON_DEVICE}, "cold, above 100 us"},
};
enum { CLASSES = sizeof classes / sizeof *classes };
/* The values of a profile are those of the cold points: hot ones differ so much between processes that they hide what units add. */
enum { CLASS_SHORT = CLASSES - 2, CLASS_LONG = CLASSES - 1 };

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

static void print_classes(struct document *document, const struct between_run *run, size_t runs,
                          size_t points)
{
    static const char *const header[] = {"time",         "points",           "run adds, %",
                                         "unit adds, %", "one unit held, %", "two units held, %"};
    document_table_begin(document, "lrrrrr", header);
    for (size_t c = 0; c < CLASSES; c++) {
        struct between between = between_of(run, runs, points, classes[c].choice);
        if (!between.points)
            continue;
        document_cells(document, "%s\t%zu", classes[c].name, between.points);
        document_number(document, "%.3f", 100 * sqrt(between.run));
        document_number(document, "%.3f", 100 * sqrt(between.unit));
        document_number(document, "%.1f", 100 * between.held_run);
        document_number(document, "%.1f", 100 * between.held_unit);
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
        {PROFILE_spread_runs, (double)of_long->runs},      {PROFILE_spread_units, (double)of_long->units},
        {PROFILE_spread_groups, (double)of_long->groups}};
    document_paragraph(
        document,
        "For a device profile, by which compare widens its intervals (of cold points; 0 is left out):");
    document_items_begin(document);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value > 0)
            document_item(document, "%s: %.3g", profile_info[values[i].field].name, values[i].value);
    document_items_end(document);
}

/* Whether two devices have DRAM of one speed. H200s are of two kinds, which differ by 2 % in reads. */
static bool has_equal_roofs(const struct dataset *a, size_t device_a, const struct dataset *b,
                            size_t device_b)
{
    static const char *const roofs[] = {DEVICE_COLUMN(peak_copy), DEVICE_COLUMN(peak_read)};
    bool equal = true;
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++)
        equal &= !(fabs(log(frame_find_real(&b->devices, device_b, roofs[i]) /
                            frame_find_real(&a->devices, device_a, roofs[i]))) > BETWEEN_ROOFS);
    return equal;
}

/* The unit and group of run f, numbered by their first runs. */
static void find_unit(struct between_run *run, const struct dataset *file, const size_t *ordinal, size_t f)
{
    const char *uuid = frame_find_text(&file[f].devices, ordinal[f], DEVICE_COLUMN(uuid));
    run[f].unit = run[f].group = (uint32_t)f;
    for (size_t other = f; other-- > 0;)
        if (has_equal_roofs(&file[other], ordinal[other], &file[f], ordinal[f]))
            run[f].group = run[other].group;
    for (size_t other = f; other-- > 0;)
        if (!strcmp(uuid, frame_find_text(&file[other].devices, ordinal[other], DEVICE_COLUMN(uuid)))) {
            run[f].unit = run[other].unit;
            run[f].group = run[other].group;
        }
}

int report_runs(struct document *document, const struct dataset *file, char *const *paths, size_t count,
                struct error *error)
{
    struct between_run *run = memory_new(count, sizeof *run);
    struct levels_estimate **estimate = memory_new(count, sizeof *estimate);
    struct view *view = memory_new(count, sizeof *view);
    size_t *ordinal = memory_new(count, sizeof *ordinal); /* of the device that measured, in /devices */
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
        ordinal[f] = (size_t)device;
        find_unit(run, file, ordinal, f);
        run[f].point = estimate[f] = entry_estimates(&view[0], &view[f]);
    }
    if (!failed) {
        document_heading(document, 1, "What runs and units add");
        print_classes(document, run, count, view[0].rows);
        struct between of_short = between_of(run, count, view[0].rows, classes[CLASS_SHORT].choice),
                       of_long = between_of(run, count, view[0].rows, classes[CLASS_LONG].choice),
                       of_all = between_of(run, count, view[0].rows,
                                           (struct between_choice){0, INFINITY, LEVELS_KINDS});
        document_paragraph(document,
                           "%zu runs on %zu units (by UUID) in %zu groups (by the roofs of DRAM, within 1 "
                           "%%); %zu points that all have measured. Units are compared within their group. "
                           "Standard deviations, beyond what the processes of a run explain. Held: pairs of "
                           "runs whose difference lies within the 95 %% interval of their processes alone.",
                           of_all.runs, of_all.units, of_all.groups, of_all.points);
        print_values(document, &of_short, &of_long);
    }
    for (size_t f = 0; f < count; f++) {
        free(estimate[f]);
        view_free(&view[f]);
    }
    free(estimate);
    free(ordinal);
    free(view);
    free(run);
    return failed;
}
