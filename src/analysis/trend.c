#include "analysis/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "statistics/student.h"

enum { RUNS_LEAST = 3 }; /* of a history, and of a point */

/* ---- Files ---- */

static const char *start_of(const struct dataset *file)
{
    const char *start = dataset_environment(file, "start"); /* ISO 8601 in UTC: sorts as a text */
    return start ? start : "";
}

int trend_sort(struct dataset *file, size_t count, struct error *error)
{
    if (count < RUNS_LEAST)
        return error_set(error, ERROR_USAGE, "a history needs at least %d files, not %zu", RUNS_LEAST, count);
    for (size_t f = 0; f < count; f++) {
        struct device device = file[f].devices.rows ? dataset_device(&file[f], 0) : device_unknown();
        if (!*start_of(&file[f]))
            return error_set(error, ERROR_USAGE, "file %zu does not tell when it was measured", f + 1);
        if (!dataset_has_product(&file[0], &device))
            return error_set(error, ERROR_USAGE,
                             "file %zu is of another product than the first: a history is of one", f + 1);
    }
    for (size_t f = 1; f < count; f++) /* stable: files of one second stay in the order given */
        for (size_t k = f; k > 0 && strcmp(start_of(&file[k - 1]), start_of(&file[k])) > 0; k--) {
            struct dataset later = file[k - 1];
            file[k - 1] = file[k];
            file[k] = later;
        }
    return 0;
}

/* ---- Points ---- */

/* All times of the points of the last file. */
struct material {
    size_t runs, rows;
    struct levels_estimate **estimate; /* of each run, one a point */
    const char **unit;                 /* of each run: UUID; "": unknown, or several */
    struct between of_short, of_long;
};

static const char *unit_of(const struct dataset *file)
{
    return file->devices.rows == 1 ? frame_find_text(&file->devices, 0, DEVICE_COLUMN(uuid)) : "";
}

static void add_run(struct material *material, const struct view *last, const struct dataset *file,
                    size_t run)
{
    struct view view = view_new(file);
    view_keep_points(&view);
    material->estimate[run] = entry_estimates(last, &view);
    material->unit[run] = unit_of(file);
    view_free(&view);
}

/* ---- Parts of a point's runs ---- */

/* Runs `from` up to `to`, of which those from `first` up to `end` may differ from the others: from < first. `to` is excluded, and so
 * is `end`. */
struct segment {
    size_t point, from, to;
    size_t first, end;
    struct verdict_ratio ratio; /* of those to the others */
};

static const struct levels_estimate *estimate_at(const struct material *material, size_t point, size_t run)
{
    return &material->estimate[run][point];
}

static bool is_measured(const struct material *material, const struct segment *segment, size_t run)
{
    return estimate_at(material, segment->point, run)->basis != LEVELS_NONE;
}

static bool is_inside(const struct segment *segment, size_t run)
{
    return run >= segment->first && run < segment->end;
}

static const struct between *between_at(const struct material *material, double seconds)
{
    return seconds < BETWEEN_LONG ? &material->of_short : &material->of_long;
}

/* The mean of the runs inside, or of the others: variances of processes and runs average out. Units are of both sides. */
static struct levels_estimate mean_of(const struct material *material, const struct segment *segment,
                                      bool inside)
{
    struct levels_estimate mean = levels_estimate_alone(NULL, 0);
    struct student_part *part = memory_new(segment->to - segment->from + 1, sizeof *part);
    double sum = 0, n = 0;
    for (size_t run = segment->from; run < segment->to; run++) {
        const struct levels_estimate *estimate = estimate_at(material, segment->point, run);
        if (estimate->basis == LEVELS_NONE || is_inside(segment, run) != inside)
            continue;
        sum += estimate->log_seconds;
        part[(size_t)n++] = (struct student_part){estimate->error * estimate->error, estimate->dof};
    }
    if (n > 0) {
        struct student_part own = student_sum(part, (size_t)n);
        const struct between *between = between_at(material, exp(sum / n));
        mean.basis = LEVELS_ALONE;
        mean.units = (size_t)n;
        mean.log_seconds = sum / n;
        mean.own = own.variance / (n * n);
        mean.own_dof = own.dof;
        mean.between = between->run / n;
        mean.between_dof = between->run_dof;
        levels_estimate_finish(&mean);
    }
    free(part);
    return mean;
}

/* What a unit adds to the difference of the means: the sum of the squares of the units' weights in it. `inside`, `others`: how many
 * runs. Runs of unknown units are of units of their own. */
static double weight_of_units(const struct material *material, const struct segment *segment, double inside,
                              double others)
{
    double squares = 0;
    for (size_t run = segment->from; run < segment->to; run++) {
        double weight = 0;
        bool counted = !is_measured(material, segment, run);
        for (size_t other = segment->from; other < segment->to; other++) {
            bool same =
                other == run || (*material->unit[run] && !strcmp(material->unit[run], material->unit[other]));
            if (!same || !is_measured(material, segment, other))
                continue;
            counted |= other < run;
            weight += is_inside(segment, other) ? 1 / inside : -1 / others;
        }
        squares += counted ? 0 : weight * weight;
    }
    return squares;
}

static struct verdict_ratio ratio_of(const struct material *material, const struct verdict_rule *rule,
                                     const struct segment *segment)
{
    struct levels_estimate before = mean_of(material, segment, false),
                           after = mean_of(material, segment, true);
    if (before.basis != LEVELS_NONE && after.basis != LEVELS_NONE) {
        const struct between *between = between_at(material, after.seconds);
        double weight = weight_of_units(material, segment, (double)after.units, (double)before.units);
        const struct student_part part[] = {{after.between, after.between_dof},
                                            {between->unit * weight, between->unit_dof}};
        struct student_part sum = student_sum(part, 2);
        after.between = sum.variance;
        after.between_dof = sum.dof;
        levels_estimate_finish(&after);
    }
    return verdict_ratio_of(rule, &before, &after);
}

/* Sums over the measured runs before each: of 1 and of the logarithms. */
struct sums {
    double n, log;
};

static void sum_up(const struct material *material, const struct segment *segment, struct sums *before)
{
    for (size_t run = segment->from; run < segment->to; run++) {
        size_t k = run - segment->from;
        bool known = is_measured(material, segment, run);
        before[k + 1].n = before[k].n + known;
        before[k + 1].log =
            before[k].log + (known ? estimate_at(material, segment->point, run)->log_seconds : 0);
    }
}

/* Set the runs that explain most of the squares around the mean of the segment; p is corrected for the number of choices. False if
 * there is none. */
static bool find_part(const struct material *material, const struct verdict_rule *rule,
                      struct segment *segment)
{
    size_t runs = segment->to - segment->from, choices = 0;
    struct sums *before = memory_new(runs + 1, sizeof *before);
    double most = -1;
    sum_up(material, segment, before);
    for (size_t first = 1; first < runs; first++) {
        for (size_t end = first + 1; end <= runs; end++) {
            double n = before[end].n - before[first].n, log = before[end].log - before[first].log,
                   others = before[runs].n - n, log_others = before[runs].log - log;
            bool starts = is_measured(material, segment, segment->from + first),
                 ends = end == runs || is_measured(material, segment, segment->from + end);
            if (!starts || !ends || others <= 0)
                continue; /* a change is at a run that has measured */
            double explained = n * others / (n + others) * pow(log / n - log_others / others, 2);
            choices++;
            if (explained > most) {
                most = explained;
                segment->first = segment->from + first;
                segment->end = segment->from + end;
            }
        }
    }
    free(before);
    if (!choices)
        return false;
    segment->ratio = ratio_of(material, rule, segment);
    segment->ratio.p = fmin(1, segment->ratio.p * (double)choices);
    return !isnan(segment->ratio.p);
}

/* ---- Changes ---- */

struct segments {
    struct segment *segment; /* owned */
    size_t count;
};

static void add_segment(struct segments *segments, size_t point, size_t from, size_t to)
{
    if (from == to)
        return;
    segments->segment = memory_resize(segments->segment, segments->count + 1, sizeof *segments->segment);
    segments->segment[segments->count++] = (struct segment){.point = point, .from = from, .to = to};
}

/* Divide the segments with a part that differs, into `next`; add the others to `whole`. */
static void divide(const struct material *material, const struct verdict_rule *rule, struct segments *now,
                   struct segments *next, struct segments *whole)
{
    struct verdict_ratio *ratio = memory_new(now->count + 1, sizeof *ratio);
    for (size_t i = 0; i < now->count; i++) {
        bool has = find_part(material, rule, &now->segment[i]);
        ratio[i] = has ? now->segment[i].ratio : (struct verdict_ratio){.p = NAN};
    }
    verdict_decide(rule, ratio, now->count);
    for (size_t i = 0; i < now->count; i++) {
        const struct segment *s = &now->segment[i];
        if (ratio[i].verdict == VERDICT_FASTER || ratio[i].verdict == VERDICT_SLOWER) {
            add_segment(next, s->point, s->from, s->first);
            add_segment(next, s->point, s->first, s->end);
            add_segment(next, s->point, s->end, s->to);
        } else {
            add_segment(whole, s->point, s->from, s->to);
        }
    }
    free(ratio);
}

static int by_place(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return x->point != y->point ? (x->point > y->point) - (x->point < y->point)
                                : (x->from > y->from) - (x->from < y->from);
}

/* The change from a segment to the next one. */
static struct trend_change change_of(const struct material *material, const struct view *last,
                                     const struct verdict_rule *rule, const struct segment *before,
                                     const struct segment *after)
{
    const struct segment both = {
        .point = after->point, .from = before->from, .to = after->to, .first = after->from, .end = after->to};
    struct trend_change change = {
        .row = last->row[after->point], .run = after->from, .ratio = ratio_of(material, rule, &both)};
    change.ratio.verdict = change.ratio.log_ratio < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
    return change;
}

static void find_changes(struct trend *trend, const struct material *material, const struct view *last,
                         const struct verdict_rule *rule)
{
    struct segments now = {0}, whole = {0};
    for (size_t point = 0; point < material->rows; point++) {
        size_t measured = 0;
        for (size_t run = 0; run < material->runs; run++)
            measured += estimate_at(material, point, run)->basis != LEVELS_NONE;
        if (measured >= RUNS_LEAST)
            add_segment(&now, point, 0, material->runs);
    }
    trend->points = now.count;
    while (now.count) {
        struct segments next = {0};
        divide(material, rule, &now, &next, &whole);
        free(now.segment);
        now = next;
    }
    if (whole.count)
        qsort(whole.segment, whole.count, sizeof *whole.segment, by_place);
    trend->change = memory_new(whole.count + 1, sizeof *trend->change);
    for (size_t i = 1; i < whole.count; i++)
        if (whole.segment[i].point == whole.segment[i - 1].point)
            trend->change[trend->changes++] =
                change_of(material, last, rule, &whole.segment[i - 1], &whole.segment[i]);
    free(whole.segment);
    free(now.segment);
}

/* ---- The whole ---- */

static int by_run(const void *a, const void *b)
{
    const struct trend_change *x = a, *y = b;
    return x->run != y->run ? (x->run > y->run) - (x->run < y->run) : (x->row > y->row) - (x->row < y->row);
}

static void find_levels(struct trend *trend, const struct material *material, const struct verdict_rule *rule)
{
    trend->level = memory_new(trend->runs, sizeof *trend->level);
    for (size_t run = 0; run < trend->runs; run++) {
        struct verdict_sums sums = {0};
        bool other =
            !*material->unit[run] || strcmp(material->unit[run], material->unit[trend->runs - 1]) != 0;
        for (size_t point = 0; point < material->rows; point++) {
            struct levels_estimate then = *estimate_at(material, point, run),
                                   now = *estimate_at(material, point, trend->runs - 1);
            between_add(between_at(material, then.seconds), other, &then);
            between_add(between_at(material, now.seconds), other, &now);
            verdict_add(&sums, &now, &then);
        }
        trend->level[run] = verdict_group(rule, &sums);
    }
}

struct trend trend_of(const struct dataset *file, size_t count, double threshold)
{
    struct trend trend = {.file = file, .runs = count};
    struct view last = view_new(&file[count - 1]);
    view_keep_points(&last);
    struct material material = {.runs = count, .rows = last.rows};
    struct verdict_rule rule = verdict_rule_of(threshold);
    material.estimate = memory_new(count, sizeof *material.estimate);
    material.unit = memory_new(count, sizeof *material.unit);
    comparison_between(frame_find_text(&file[0].devices, 0, DEVICE_COLUMN(name)), &material.of_short,
                       &material.of_long);
    for (size_t run = 0; run < count; run++)
        add_run(&material, &last, &file[run], run);
    find_changes(&trend, &material, &last, &rule);
    find_levels(&trend, &material, &rule);
    qsort(trend.change, trend.changes, sizeof *trend.change, by_run);
    for (size_t run = 0; run < count; run++)
        free(material.estimate[run]);
    free(material.estimate);
    free(material.unit);
    view_free(&last);
    return trend;
}

void trend_free(struct trend *trend)
{
    free(trend->change);
    free(trend->level);
}

/* ---- Context ---- */

/* Of /devices, or with no column the commit. `shown`: characters that tell values apart. */
static const struct property {
    const char *column, *name;
    int shown;
} properties[] = {{DEVICE_COLUMN(uuid), "unit", 12},          {DEVICE_COLUMN(host), "host", 40},
                  {DEVICE_COLUMN(driver), "driver", 40},      {DEVICE_COLUMN(toolkit), "toolkit", 40},
                  {DEVICE_COLUMN(vbios), "firmware", 40},     {DEVICE_COLUMN(ecc), "ECC", 40},
                  {DEVICE_COLUMN(host_kernel), "kernel", 40}, {NULL, "commit", 12}};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static const char *value_of(const struct dataset *file, const struct property *property)
{
    const char *value = property->column ? frame_find_text(&file->devices, 0, property->column)
                                         : dataset_environment(file, "commit");
    return value ? value : "";
}

static bool differs(const struct trend *trend, size_t run, const struct property *property)
{
    const char *before = value_of(&trend->file[run - 1], property),
               *after = value_of(&trend->file[run], property);
    return *before && *after && strcmp(before, after) != 0;
}

void trend_context(const struct trend *trend, size_t run, enum trend_words words, struct text *out)
{
    for (const struct property *p = properties; p < properties + PROPERTIES; p++) {
        if (!differs(trend, run, p))
            continue;
        text_add(out, "%s%s", !out->length ? "" : words == TREND_BOTH ? "; " : ", ", p->name);
        if (words == TREND_NEW)
            text_add(out, " %.*s", p->shown, value_of(&trend->file[run], p));
        if (words == TREND_BOTH)
            text_add(out, " %s, before %s", value_of(&trend->file[run], p),
                     value_of(&trend->file[run - 1], p));
    }
}

void trend_common(const struct trend *trend, struct text *out)
{
    for (const struct property *p = properties; p < properties + PROPERTIES; p++) {
        bool all = trend->changes > 0;
        for (size_t i = 0; i < trend->changes && all; i++)
            all = differs(trend, trend->change[i].run, p);
        if (all)
            text_add(out, "%s%s", out->length ? " and " : "", p->name);
    }
}
