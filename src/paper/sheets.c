#include "paper/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/tables/ladder.h"
#include "table/units.h"
#include "table/throttled.h"

/* ---- Devices ---- */

/* Row of merged.all.devices of the first device of a group, or SOURCE_NONE. */
static size_t device_of(const struct source *source, int group)
{
    const struct frame *results = &source->merged.all.results;
    int device = frame_find(results, COLUMN(device)), of = frame_find(results, MERGE_GROUP);
    for (size_t row = 0; row < results->rows; row++) {
        int64_t its = frame_cell(results, row, device)->integer;
        if (its >= 0 && !strcmp(frame_cell(results, row, of)->text, source->merged.group[group].label))
            return (size_t)its;
    }
    return SOURCE_NONE;
}

static void put_property(struct sheet *sheet, const struct frame *devices, size_t device, const char *name)
{
    int column = device == SOURCE_NONE ? -1 : frame_find(devices, name);
    char text[128];
    if (column < 0 || frame_is_missing(&devices->column[column], *frame_cell(devices, device, column))) {
        sheet_text(sheet, "—");
        return;
    }
    const struct column *head = &devices->column[column];
    union cell cell = *frame_cell(devices, device, column);
    if (head->type == COLUMN_TEXT)
        snprintf(text, sizeof text, "%.100s", cell.text);
    else if (head->type == COLUMN_INTEGER && !strcmp(head->unit, "bytes"))
        snprintf(text, sizeof text, "%.4g %s",
                 (double)cell.integer / (cell.integer >= 1 << 30 ? 0x1p30 : 0x1p20),
                 cell.integer >= 1 << 30 ? "GiB" : "MiB");
    else if (head->type == COLUMN_INTEGER)
        snprintf(text, sizeof text, "%lld", (long long)cell.integer);
    else if (!strcmp(head->unit, "bytes/s"))
        snprintf(text, sizeof text, "%.0f GB/s", cell.real / units_scale("GB/s"));
    else if (!strcmp(head->unit, "flop/s"))
        snprintf(text, sizeof text, "%.1f TFLOP/s", cell.real / units_scale("TFLOP/s"));
    else if (!strcmp(head->unit, "Hz"))
        snprintf(text, sizeof text, "%.0f MHz", cell.real / units_scale("MHz"));
    else if (!strcmp(head->unit, "s"))
        snprintf(text, sizeof text, "%.3g us", cell.real / units_scale("us"));
    else
        snprintf(text, sizeof text, "%.4g %s", cell.real, head->unit);
    sheet_text(sheet, "%s", text);
}

/* The commit of the program that measured a group. */
static const char *commit_of(const struct source *source, int group)
{
    const char *commit = NULL;
    for (int i = 0; i < source->files && !commit; i++)
        if (!strcmp(source_file(source, i), source->merged.group[group].file))
            commit = dataset_environment(&source->file[i], "commit");
    return commit ? commit : "—";
}

struct sheet sheets_devices(const struct source *source)
{
    static const struct {
        const char *column, *name;
    } rows[] = {{"name", "Model"},
                {"multiprocessors", "Multiprocessors"},
                {"clock_max", "Highest SM clock"},
                {"l2_bytes", "L2 cache"},
                {"memory_bytes", "Memory"},
                {"driver", "Driver"},
                {"toolkit", "CUDA"},
                {"datasheet", "Memory bandwidth, data sheet"},
                {"peak_copy", "DRAM copy"},
                {"peak_read", "DRAM read"},
                {"peak_write", "DRAM write"},
                {"peak_l2_read", "L2 read"},
                {"peak_shared", "Shared memory read"},
                {"peak_flop_f16", "FP16 arithmetic"},
                {"peak_flop_bf16", "BF16 arithmetic"},
                {"peak_flop_f32", "FP32 arithmetic"},
                {"peak_flop_f64", "FP64 arithmetic"},
                {"peak_h2d", "Pinned host to device"},
                {"peak_d2h", "Device to pinned host"},
                {"launch_floor", "Launch of an empty kernel"},
                {"graph_floor", "The same within a CUDA graph"}};
    struct sheet sheet = sheet_new("devices", source->merged.groups > 2);
    sheet_head(&sheet, SHEET_WRAPS, "", "Property");
    for (int g = 0; g < source->merged.groups && sheet.columns < SHEET_COLUMNS_MAX; g++)
        sheet_head(&sheet, sheet.wide ? SHEET_RIGHT : SHEET_WRAPS, "", "%s", source->label[g]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sheet_text(&sheet, "%s", rows[i].name);
        for (int g = 0; g + 1 < sheet.columns; g++)
            put_property(&sheet, &source->merged.all.devices, device_of(source, g), rows[i].column);
    }
    sheet_text(&sheet, "Commit of warpsweep");
    for (int g = 0; g + 1 < sheet.columns; g++)
        sheet_text(&sheet, "%.12s", commit_of(source, g));
    sheet_caption(&sheet, "The devices. Rates from “DRAM copy” on were measured in the same run as the "
                          "points, on the first device of each model. They count bytes read and written.");
    return sheet;
}

/* ---- Daggers ---- */

static void dagger_throttled(struct sheet *sheet, const struct source *source, size_t row)
{
    if (row != SOURCE_NONE && throttled_row(&source->merged.all.results, row))
        sheet_dagger(sheet);
}

/* ---- The best of each family ---- */

struct sheet sheets_best(const struct source *source)
{
    const struct frame *results = &source->merged.all.results;
    struct sheet sheet = sheet_new("best", true);
    sheet_head(&sheet, SHEET_WORDS, "", "Family");
    sheet_head(&sheet, SHEET_WORDS, "", "Device");
    sheet_head(&sheet, SHEET_RIGHT, "", "Points");
    sheet_head(&sheet, SHEET_WORDS, "", "Best variant");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    sheet_head(&sheet, SHEET_WORDS, "", "Roof");
    sheet_head(&sheet, SHEET_NUMBER, "%", "Share of roof");
    for (int f = 0; f < source->families; f++)
        for (int g = 0; g < source->merged.groups; g++) {
            const struct source_family *family = &source->family[f];
            struct text at = {0};
            size_t row = source_best(source, family, g, NULL);
            double half;
            if (row == SOURCE_NONE || !family->bounded)
                continue;
            double share = source_share(source, row, &half);
            source_describe(source, family, row, false, &at);
            sheet_text(&sheet, "%s", family->name);
            sheet_text(&sheet, "%s", source->label[g]);
            sheet_text(&sheet, "%zu", source_ranked(source, family, g, NULL));
            sheet_text(&sheet, "%s", frame_find_text(results, row, COLUMN(variant)));
            sheet_text(&sheet, "%s", at.length ? at.data : "");
            sheet_text(&sheet, "%s", source_roof(source, row));
            sheet_number(&sheet, share, half);
            dagger_throttled(&sheet, source, row);
            text_free(&at);
        }
    sheet_caption(&sheet,
                  "The best point of each family: the one closest to its roof, libraries' kernels included. "
                  "The roof was measured on the same device in the same run. It was chosen from as many "
                  "points as “Points” says. Uncertainties: half the width of the 95 %% interval.");
    return sheet;
}

/* The group of a family in the first comparison; NULL. */
static const struct group *group_of(const struct group *group, size_t count, const char *kernel)
{
    for (size_t i = 0; group && i < count; i++)
        if (group[i].kernel && !strcmp(group[i].kernel, kernel) && group[i].ratio.ratio > 0)
            return &group[i];
    return NULL;
}

struct sheet sheets_families(const struct source *source, const struct comparison *comparison,
                             int comparisons)
{
    const struct frame *results = &source->merged.all.results;
    struct sheet sheet = sheet_new("families", true);
    size_t count = 0;
    struct group *group = comparisons ? tables_groups(&comparison[0], &count) : NULL;
    int groups = source->merged.groups;
    sheet_head(&sheet, SHEET_WORDS, "", "Family");
    sheet_head(&sheet, SHEET_COUNT, "", "Points");
    for (int g = 0; g < groups && sheet.columns + 4 < SHEET_COLUMNS_MAX; g++) {
        sheet_head(&sheet, SHEET_WORDS, "", "Best on %s", source->label[g]);
        sheet_head(&sheet, SHEET_NUMBER, "%", "of its roof");
    }
    int devices = (sheet.columns - 2) / 2;
    if (group) {
        sheet_head(&sheet, SHEET_NUMBER, "", "Speed-up");
        sheet_head(&sheet, SHEET_WORDS, "", "Verdicts");
    }
    for (int f = 0; f < source->families; f++) {
        const struct source_family *family = &source->family[f];
        const struct group *ratio = group_of(group, count, family->name);
        sheet_text(&sheet, "%s", family->name);
        sheet_integer(&sheet, (int64_t)family->points);
        for (int g = 0; g < devices; g++) {
            size_t row = source_best(source, family, g, NULL);
            double half = NAN, share = row == SOURCE_NONE ? NAN : source_share(source, row, &half);
            sheet_text(&sheet, "%s",
                       row == SOURCE_NONE ? "—" : frame_find_text(results, row, COLUMN(variant)));
            sheet_number(&sheet, share, half);
            dagger_throttled(&sheet, source, row);
        }
        if (group && ratio) {
            const size_t *n = ratio->verdicts;
            sheet_number(&sheet, 1 / ratio->ratio.ratio, (1 / ratio->ratio.low - 1 / ratio->ratio.high) / 2);
            sheet_text(&sheet, "%zu, %zu, %zu, %zu", n[VERDICT_FASTER], n[VERDICT_SLOWER], n[VERDICT_SAME],
                       n[VERDICT_UNCERTAIN]);
        } else if (group) {
            sheet_number(&sheet, NAN, NAN);
            sheet_text(&sheet, "—");
        }
    }
    free(group);
    sheet_caption(
        &sheet,
        "The families: the variant of the point that is closest to its roof, which was measured on the "
        "same device in the same run, chosen among all points of the family%s. ±: half of the 95 %% "
        "interval. A roof is the median of the launches of a plain kernel, so a share may be over 100 %%.",
        comparisons ? "; speed-up: the geometric mean over its points; verdicts: points that are faster, "
                      "slower, the same, uncertain"
                    : "");
    return sheet;
}

/* ---- Variants of a family ---- */

/* The point of a row. */
static const struct source_point *point_of(const struct source *source, size_t row)
{
    for (size_t i = 0; i < source->points; i++)
        for (int g = 0; g < source->merged.groups; g++)
            if (source->point[i].row[g] == row)
                return &source->point[i];
    return NULL;
}

static const char *variant_of(const struct source *source, const struct source_point *point)
{
    for (int g = 0; g < source->merged.groups; g++)
        if (point->row[g] != SOURCE_NONE)
            return merge_text(&source->merged, point->row[g], COLUMN(variant));
    return "";
}

static void put_variant(struct sheet *sheet, const struct source *source, const struct source_family *family,
                        const struct source_point *point, size_t points)
{
    struct text at = {0};
    for (int g = 0; g < source->merged.groups && !at.length; g++)
        if (point->row[g] != SOURCE_NONE)
            source_describe(source, family, point->row[g], false, &at);
    sheet_text(sheet, "%s", variant_of(source, point));
    sheet_text(sheet, "%zu", points);
    sheet_text(sheet, "%s", at.length ? at.data : "");
    for (int g = 0; g + 3 < sheet->columns; g++) {
        double half, value = source_value(source, family, point->row[g], &half);
        sheet_number(sheet, value, half);
        dagger_throttled(sheet, source, point->row[g]);
    }
    text_free(&at);
}

struct sheet sheets_variants(const struct source *source, const struct source_family *family)
{
    char name[64];
    const char *last = NULL;
    snprintf(name, sizeof name, "variants-%s", markup_name(family->name).text);
    struct sheet sheet = sheet_new(name, source->merged.groups > 2);
    sheet_head(&sheet, SHEET_WORDS, "", "Variant");
    sheet_head(&sheet, SHEET_RIGHT, "", "Points");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    for (int g = 0; g < source->merged.groups && sheet.columns < SHEET_COLUMNS_MAX; g++)
        sheet_head(&sheet, SHEET_NUMBER, source_unit(family->quantity), "%s", source->label[g]);
    for (size_t i = family->first; i < family->first + family->points; i++) { /* sorted by variant */
        const char *variant = variant_of(source, &source->point[i]);
        if (last && !strcmp(last, variant))
            continue;
        size_t row = SOURCE_NONE;
        int group = -1;
        last = variant;
        while (row == SOURCE_NONE && ++group < source->merged.groups)
            row = source_best(source, family, group, variant);
        if (row != SOURCE_NONE)
            put_variant(&sheet, source, family, point_of(source, row),
                        source_ranked(source, family, group, variant));
    }
    const char *what = source_quantity_name(family->quantity);
    sheet_caption(&sheet,
                  "%s: the %s of the best point of each variant (%s)%s%s%s. It was chosen from as many "
                  "points as “Points” says.",
                  family->name, what, family->bounded ? "closest to its roof" : "best value",
                  source->merged.groups ? " on " : "", source->merged.groups ? source->label[0] : "",
                  source->merged.groups > 1 ? ", and of the same point on the others" : "");
    return sheet;
}

/* ---- Speed-ups ---- */

struct sheet sheets_speedups(const struct comparison *comparison)
{
    size_t count;
    struct group *group = tables_groups(comparison, &count);
    struct sheet sheet = sheet_new("speedups", false);
    sheet_head(&sheet, SHEET_WORDS, "", "Family");
    sheet_head(&sheet, SHEET_NUMBER, "", "Speed-up");
    static const char *const verdicts[] = {"Faster", "Slower", "Same", "Uncertain"};
    static const enum verdict kinds[] = {VERDICT_FASTER, VERDICT_SLOWER, VERDICT_SAME, VERDICT_UNCERTAIN};
    for (int k = 0; k < 4; k++)
        sheet_head(&sheet, SHEET_COUNT, "", "%s", verdicts[k]);
    for (size_t i = 0; i < count; i++) {
        const struct verdict_ratio *r = &group[i].ratio;
        if (!(r->ratio > 0))
            continue;
        sheet_text(&sheet, "%s", group[i].kernel ? group[i].kernel : "all");
        sheet_number(&sheet, 1 / r->ratio, (1 / r->low - 1 / r->high) / 2);
        for (int k = 0; k < 4; k++)
            sheet_number(&sheet, (double)group[i].verdicts[kinds[k]], NAN);
    }
    free(group);
    sheet_caption(&sheet,
                  "Speed-up of %s over %s by family: the geometric mean over their points with half the "
                  "width of its 95 %% interval, and the number of points that are faster or slower by more "
                  "than %g %%, the same (a difference over %g %% is ruled out), or uncertain.",
                  comparison->section[0].b, comparison->section[0].a, 100 * comparison->rule.threshold,
                  100 * comparison->rule.threshold);
    return sheet;
}

/* ---- Steps of a matrix product ---- */

struct sheet sheets_ladder(const struct source *source)
{
#define STALLED(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"
    static const struct {
        const char *column, *name, *unit;
        double scale;
        int digits; /* behind the point */
    } numbers[] = {
        {COLUMN(flop_rate), "Rate", "TFLOP/s", 1e-12, 1},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", "Issue", "%", 1, 1},
        {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "FMA", "%", 1, 1},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "Tensor", "%", 1, 1},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", "Shared", "%", 1, 1},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "Conflicts", "thousands", 1e-3, 1},
        {STALLED("long_scoreboard"), "Copies", "", 1, 2},
        {STALLED("barrier"), "Barrier", "", 1, 2},
        {STALLED("short_scoreboard"), "Operands", "", 1, 2},
        {STALLED("dispatch_stall"), "Dispatch", "", 1, 2},
    };
#undef STALLED
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    struct sheet sheet = sheet_new("ladder-counters", true);
    struct view view = view_new(&source->merged.all);
    struct ladder_row *rows;
    view_keep_points(&view);
    const size_t count = ladder_rows(&source->merged, &view, &rows);
    sheet_head(&sheet, SHEET_WORDS, "", "Step");
    if (source->merged.groups > 1)
        sheet_head(&sheet, SHEET_WORDS, "", "Device");
    for (int n = 0; n < NUMBERS; n++)
        sheet_head(&sheet, SHEET_RIGHT, numbers[n].unit, "%s", numbers[n].name);
    for (size_t i = 0; i < count; i++) {
        if (isnan(merge_real(&source->merged, rows[i].row, numbers[1].column)))
            continue; /* not counted */
        const int group =
            merge_find_group(&source->merged, merge_text(&source->merged, rows[i].row, MERGE_GROUP));
        sheet_text(&sheet, "%s", rows[i].name);
        if (source->merged.groups > 1)
            sheet_text(&sheet, "%s", group < 0 ? "" : source->label[group]);
        for (int n = 0; n < NUMBERS; n++) {
            const double value =
                numbers[n].scale * merge_real(&source->merged, rows[i].row, numbers[n].column);
            if (isnan(value))
                sheet_text(&sheet, "—");
            else
                sheet_text(&sheet, "%.*f", numbers[n].digits, value);
        }
    }
    sheet_caption(
        &sheet, "What holds each step of a matrix product back, by hardware counters: issue slots, pipes and "
                "shared memory in per cent of their peaks, conflicts of its banks, and warps that wait per "
                "issued instruction: for copies and global memory, at barriers, for operands from shared "
                "memory, and at the dispatcher.");
    free(rows);
    view_free(&view);
    return sheet;
}

/* ---- Points ---- */

struct sheet sheets_points(const struct source *source)
{
    struct sheet sheet = sheet_new("points", true);
    int groups = source->merged.groups;
    sheet_head(&sheet, SHEET_WORDS, "", "Family");
    sheet_head(&sheet, SHEET_WORDS, "", "Variant");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    for (int g = 0; g < groups && sheet.columns + 4 <= SHEET_COLUMNS_MAX; g++) {
        sheet_head(&sheet, SHEET_NUMBER, "us", "%s time", source->label[g]);
        sheet_head(&sheet, SHEET_NUMBER, "GB/s", "%s bandwidth", source->label[g]);
        sheet_head(&sheet, SHEET_NUMBER, "%", "%s share of roof", source->label[g]);
    }
    sheet_head(&sheet, SHEET_WORDS, "", "id");
    for (size_t i = 0; i < source->points && i < SHEETS_POINTS_MAX; i++) {
        const struct source_point *point = &source->point[i];
        int f = 0;
        struct text at = {0};
        while (strcmp(source->family[f].name, point->kernel) != 0)
            f++;
        for (int g = 0; g < groups && !at.length; g++)
            if (point->row[g] != SOURCE_NONE)
                source_describe(source, &source->family[f], point->row[g], false, &at);
        sheet_text(&sheet, "%s", point->kernel);
        sheet_text(&sheet, "%s", variant_of(source, point));
        sheet_text(&sheet, "%s", at.length ? at.data : "");
        for (int g = 0; 3 + 3 * g + 1 < sheet.columns; g++) {
            static const struct source_family as_time = {.quantity = QUANTITY_TIME},
                                              as_bandwidth = {.quantity = QUANTITY_BANDWIDTH};
            double half, value = source_value(source, &as_time, point->row[g], &half);
            sheet_number(&sheet, value, half);
            dagger_throttled(&sheet, source, point->row[g]);
            value = source_value(source, &as_bandwidth, point->row[g], &half);
            sheet_number(&sheet, value, half);
            dagger_throttled(&sheet, source, point->row[g]);
            value = source_share(source, point->row[g], &half);
            sheet_number(&sheet, value, half);
            dagger_throttled(&sheet, source, point->row[g]);
        }
        sheet_text(&sheet, "%s", point->id);
        text_free(&at);
    }
    sheet_caption(&sheet,
                  "All %zu points: median time, bandwidth and share of the roof. A dash: not measured, or no "
                  "such quantity.",
                  source->points);
    return sheet;
}
