#include "analysis/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/energy.h"
#include "base/memory.h"
#include "table/print_text.h"
#include "output/sheet.h"

enum { WIDTH = 100, SHOWN = 8 }; /* characters of a line; differences that are listed */

/* A table whose columns are aligned as the letters say, 'l' or 'r'. */
static struct sheet sheet_of(const char *alignment, const char *const *header)
{
    struct sheet sheet = sheet_new("", false);
    for (int i = 0; alignment[i]; i++)
        sheet_head(&sheet, alignment[i] == 'l' ? SHEET_WORDS : SHEET_RIGHT, "", "%s", header[i]);
    return sheet;
}

static void print_sheet(FILE *out, struct sheet *sheet)
{
    sheet_print(out, MARKUP_TEXT, SHEET_PLAIN, sheet);
    sheet_free(sheet);
}

/* Ratios near 1 need three decimals, of pairs four; those far from it three digits. */
static void put_ratio(struct sheet *sheet, const struct comparison *comparison, double ratio)
{
    if (isnan(ratio))
        sheet_text(sheet, "-");
    else if (ratio < 9.9995)
        sheet_text(sheet, "%.*f", comparison->paired ? 4 : 3, ratio);
    else
        sheet_text(sheet, "%.3g", ratio);
}

static void put_interval(struct sheet *sheet, const struct comparison *comparison,
                         const struct verdict_ratio *r)
{
    int decimals = comparison->paired ? 4 : 3;
    if (isnan(r->low) || isnan(r->high))
        sheet_text(sheet, "-");
    else if (r->high < 9.9995)
        sheet_text(sheet, "%.*f to %.*f", decimals, r->low, decimals, r->high);
    else
        sheet_text(sheet, "%.3g to %.3g", r->low, r->high);
}

static void put_share(struct sheet *sheet, double share)
{
    if (isnan(share))
        sheet_text(sheet, "-");
    else
        sheet_text(sheet, "%.1f %%", 100 * share);
}

static void put_roof_share(struct sheet *sheet, double share)
{
    put_share(sheet, share);
    sheet_tone(sheet, isnan(share) ? TONE_PLAIN : tone_of_share(share));
}

static void put_verdict(struct sheet *sheet, const char *word)
{
    sheet_text(sheet, "%s", word);
    sheet_tone(sheet, tone_of_word(word));
}

/* How many points have a verdict; zeros stay plain. */
static void put_count(struct sheet *sheet, const size_t *verdicts, enum verdict verdict)
{
    sheet_text(sheet, "%zu", verdicts[verdict]);
    sheet_tone(sheet, verdicts[verdict] ? tone_of_word(verdict_words[verdict]) : TONE_PLAIN);
}

static void print_wrapped(FILE *out, const char *text)
{
    size_t column = 2;
    fputs("- ", out);
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > 2 && column + 1 + word > WIDTH) {
            fputs("\n  ", out);
            column = 2;
        } else if (column > 2) {
            column += fprintf(out, " ") > 0;
        }
        column += fwrite(text, 1, word, out);
        text += word;
        text += *text == ' ';
    }
    fputc('\n', out);
}

void text_print_assumed(FILE *out, const struct comparison *comparison)
{
    char *copy = memory_text(comparison->assumed.data ? comparison->assumed.data : ""), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        print_wrapped(out, line);
    free(copy);
}

static void print_rule(FILE *out, const struct comparison *comparison)
{
    const struct verdict_rule *rule = &comparison->rule;
    fprintf(
        out,
        "\nratio: time of B over time of A, with its 95 %% interval over samples, processes and devices;\n"
        "of a family, the geometric mean over points.\n"
        "faster, slower: the difference is larger than %g %%; at most %g %% of these verdicts are expected\n"
        "to be wrong. same: a difference of more than %g %% is ruled out. uncertain: neither; more\n"
        "replicates, or a paired run, tell.\n"
        "finds: the smallest true difference that 95 %% of the points would have shown.\n",
        100 * rule->threshold, 100 * rule->discovery_rate, 100 * rule->threshold);
    fputs(comparison->shares ? "of roof: share of the device's measured peak.\n" : "", out);
    text_print_assumed(out, comparison);
}

/* The products that measured one side: "NVIDIA H100 and NVIDIA H200". */
static struct text products_of(const struct comparison *comparison, bool second)
{
    struct text products = {0};
    const struct frame *devices = NULL;
    bool *used = NULL;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *entry = second ? &comparison->pair[i].b : &comparison->pair[i].a;
        comparison_evict_at(comparison, i);
        if (entry->dataset && !devices) {
            devices = &entry->dataset->devices;
            used = memory_new(devices->rows + 1, sizeof *used);
        }
        for (size_t c = 0; devices && c < entry->cells; c++)
            if (entry->cell[c].device < devices->rows)
                used[entry->cell[c].device] = true;
        for (size_t d = 0; devices && entry->predicted && d < devices->rows; d++)
            used[d] = true; /* a prediction is for one device */
    }
    for (size_t d = 0; devices && d < devices->rows; d++) {
        const char *name = frame_find_text(devices, d, DEVICE_COLUMN(name));
        size_t before = 0;
        while (before < d &&
               (!used[before] || strcmp(frame_find_text(devices, before, DEVICE_COLUMN(name)), name) != 0))
            before++;
        if (used[d] && before == d)
            text_add(&products, "%s%s", products.length ? " and " : "", name);
    }
    if (!products.length)
        text_add(&products, "nothing measured");
    free(used);
    return products;
}

static void print_head(FILE *out, const struct comparison *comparison, size_t section)
{
    const struct comparison_section *s = &comparison->section[section];
    fputs(section ? "\n" : "", out);
    if (comparison->by) {
        fprintf(out, "%s: B = %s against A = %s\n", comparison->by, s->b, s->a);
        return;
    }
    struct text a = products_of(comparison, false), b = products_of(comparison, true);
    fprintf(out, "A = %s, %s\nB = %s, %s\n", s->a, a.data, s->b, b.data);
    text_free(&a);
    text_free(&b);
}

/* ---- Families ---- */

static void put_group(struct sheet *sheet, const struct comparison *comparison, const struct group *group)
{
    const size_t *verdicts = group->verdicts;
    sheet_text(sheet, "%s", group->kernel ? group->kernel : "all");
    sheet_text(sheet, "%zu",
               verdicts[VERDICT_FASTER] + verdicts[VERDICT_SLOWER] + verdicts[VERDICT_SAME] +
                   verdicts[VERDICT_UNCERTAIN]);
    put_ratio(sheet, comparison, group->ratio.ratio);
    put_interval(sheet, comparison, &group->ratio);
    put_count(sheet, verdicts, VERDICT_FASTER);
    put_count(sheet, verdicts, VERDICT_SLOWER);
    put_count(sheet, verdicts, VERDICT_SAME);
    put_count(sheet, verdicts, VERDICT_UNCERTAIN);
    if (comparison->paired && !isnan(group->detectable))
        sheet_text(sheet, "%.2f %%", 100 * group->detectable);
    else
        put_share(sheet, group->detectable);
    put_roof_share(sheet, group->share_a);
    put_roof_share(sheet, group->share_b);
    if (isnan(group->share_a))
        sheet_text(sheet, "-");
    else
        put_ratio(sheet, comparison, group->share_b / group->share_a);
}

/* Points without a ratio are listed below the table. */
static void print_left_out(FILE *out, const struct group *all)
{
    if (all->verdicts[VERDICT_UNKNOWN])
        fprintf(out, "%zu point%s not measured on both sides\n", all->verdicts[VERDICT_UNKNOWN],
                all->verdicts[VERDICT_UNKNOWN] == 1 ? "" : "s");
    if (all->only_a || all->only_b)
        fprintf(out, "%zu only in A, %zu only in B\n", all->only_a, all->only_b);
}

struct ranked {
    size_t pair;
    double difference;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->difference != y->difference)
        return x->difference < y->difference ? 1 : -1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* "copy: size 64MiB, stride 2": the kernel and the axes that vary. */
static void describe(struct text *text, const struct dataset *points, size_t row)
{
    const struct frame *table = &points->results;
    bool first = true;
    text_add(text, "%s", frame_find_text(table, row, COLUMN(kernel)));
    for (int c = 0; c < table->columns; c++) {
        char value[128];
        union cell cell = *frame_cell(table, row, c);
        if (!view_is_axis(points, c) || frame_is_missing(&table->column[c], cell))
            continue;
        print_human(&table->column[c], cell, value, sizeof value);
        text_add(text, "%s%s %s", first ? ": " : ", ", table->column[c].name, value);
        first = false;
    }
}

static void print_largest(FILE *out, const struct comparison *comparison, size_t section)
{
    struct ranked *ranked = memory_new(comparison->pairs + 1, sizeof *ranked);
    static const char *const header[] = {"", "", "", ""};
    struct sheet sheet = sheet_of("lrrl", header);
    size_t count = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        enum verdict verdict = comparison->ratio[i].verdict;
        comparison_evict_at(comparison, i);
        if (comparison->pair[i].section == section &&
            (verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER))
            ranked[count++] = (struct ranked){i, fabs(comparison->ratio[i].log_ratio)};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    if (count)
        fprintf(out, "\n  the largest %sdifferences%s\n", count > SHOWN ? "of these " : "",
                count > SHOWN ? " (all: --points)" : "");
    size_t shown[SHOWN], many = 0;
    for (; many < count && many < SHOWN; many++)
        shown[many] = ranked[many].pair;
    struct dataset points = tables_some_points(comparison, shown, many);
    for (size_t i = 0; i < many; i++) {
        struct text point = {0};
        const struct verdict_ratio *r = &comparison->ratio[shown[i]];
        describe(&point, &points, i);
        put_verdict(&sheet, verdict_words[r->verdict]);
        put_ratio(&sheet, comparison, r->ratio);
        put_interval(&sheet, comparison, r);
        sheet_text(&sheet, "%s", point.data);
        text_free(&point);
    }
    sheet.indent = 2;
    print_sheet(out, &sheet);
    frame_free(&points.results);
    frame_free(&points.devices);
    free(ranked);
}

static void print_section(FILE *out, const struct comparison *comparison, const struct group *groups,
                          size_t count, size_t section)
{
    static const char *const header[] = {"family", "points",    "ratio",     "95 % interval",
                                         "faster", "slower",    "same",      "uncertain",
                                         "finds",  "A of roof", "B of roof", "B / A"};
    struct sheet sheet = sheet_of("lrrrrrrrrrrr", header);
    const struct group *last = NULL;
    for (size_t g = 0; g < count; g++)
        if (groups[g].section == section) {
            last = &groups[g];
            put_group(&sheet, comparison, last);
        }
    print_head(out, comparison, section);
    print_sheet(out, &sheet);
    if (last)
        print_left_out(out, last);
    print_largest(out, comparison, section);
    energy_print(out, comparison, groups, count, section);
}

void text_print_families(FILE *out, const struct comparison *comparison)
{
    size_t count;
    struct group *groups = tables_groups(comparison, &count);
    for (size_t section = 0; section < comparison->sections; section++)
        print_section(out, comparison, groups, count, section);
    print_rule(out, comparison);
    free(groups);
}

/* ---- Points ---- */

/* All axes in one cell, so that a line fits a terminal. */
void text_print_points(FILE *out, const struct comparison *comparison)
{
    struct dataset points = tables_points(comparison);
    struct view view = tables_view(&points);
    for (size_t section = 0; section < comparison->sections; section++) {
        static const char *const header[] = {"verdict", "ratio", "95 % interval", "A", "B", "point"};
        struct sheet sheet = sheet_of("lrrrrl", header);
        for (size_t i = 0; i < view.rows; i++) {
            size_t pair = view.row[i];
            struct text point = {0};
            if (comparison->pair[pair].section != section)
                continue;
            describe(&point, &points, pair);
            put_verdict(&sheet, frame_find_text(&points.results, pair, COLUMN(verdict)));
            put_ratio(&sheet, comparison, comparison->ratio[pair].ratio);
            put_interval(&sheet, comparison, &comparison->ratio[pair]);
            for (int side = 0; side < 2; side++) {
                int column = frame_find(&points.results, side ? COLUMN(time_b) : COLUMN(time_a));
                union cell cell = *frame_cell(&points.results, pair, column);
                char time[64];
                print_human(&points.results.column[column], cell, time, sizeof time);
                sheet_text(&sheet, "%s", isnan(cell.real) ? "-" : time);
            }
            sheet_text(&sheet, "%s", point.data);
            text_free(&point);
        }
        print_head(out, comparison, section);
        print_sheet(out, &sheet);
    }
    print_rule(out, comparison);
    view_free(&view);
    frame_free(&points.results);
    frame_free(&points.devices);
}
