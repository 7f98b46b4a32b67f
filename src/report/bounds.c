#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "prediction/judge.h"
#include "prediction/profile_data.h"
#include "statistics/summary.h"

#define SHOWN 200 /* listed points that are off, per device */

struct tally {
    size_t points, addresses, near, within, fits, counted, plain;
    struct ranking ranking;
};

static void tally_points(struct tally *tally, const struct judged *points, size_t count, bool addresses)
{
    for (size_t i = 0; i < count; i++) {
        const struct judged *p = &points[i];
        double ratio = judge_ratio(p);
        if (addresses && !p->addresses)
            continue;
        tally->points++;
        tally->addresses += p->addresses;
        tally->near += judge_within(ratio, JUDGE_NEAR);
        tally->within += judge_within(ratio, JUDGE_WRONG);
        tally->plain += judge_within(p->seconds / p->plain, JUDGE_WRONG);
        if (p->busiest != BOUND_none && p->time.bound != BOUND_l1 && p->time.bound != BOUND_link &&
            p->time.bound != BOUND_peer) {
            tally->counted++;
            tally->fits += judge_bound_fits(p);
        }
    }
    struct ranking ranking = judge_ranking(points, count, addresses);
    tally->ranking.pairs += ranking.pairs;
    tally->ranking.right += ranking.right;
}

static void share_cell(struct document *document, size_t part, size_t of)
{
    document_number(document, "%.1f %%", of ? 100 * (double)part / (double)of : NAN);
}

static double median_ratio(const struct judged *points, size_t count)
{
    double *ratio = memory_new(count + 1, sizeof *ratio);
    for (size_t i = 0; i < count; i++)
        ratio[i] = judge_ratio(&points[i]);
    double median = statistics_of(ratio, count).median;
    free(ratio);
    return median;
}

/* The points of one kernel from `first` on. */
static size_t kernel_end(const struct verdicts *v, size_t first)
{
    size_t last = first;
    while (last < v->points && v->point[last].point.space == v->point[first].point.space)
        last++;
    return last;
}

static void row_of(struct document *document, const char *kernel, const struct tally *t, double median)
{
    document_cells(document, "%s\t%zu\t%zu", kernel, t->points, t->addresses);
    share_cell(document, t->near, t->points);
    share_cell(document, t->within, t->points);
    document_number(document, "%.2f", median);
    share_cell(document, t->plain, t->points);
    document_cells(document, "%zu / %zu\t%zu / %zu", t->ranking.right, t->ranking.pairs, t->fits, t->counted);
}

/* Whether addresses of any point are known: then only those points are judged. */
static bool kernel_is_told(const struct judged *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].addresses)
            return true;
    return false;
}

static void print_kernels(struct document *document, const struct verdicts *v)
{
    static const char *const heads[] = {"kernel",
                                        "points",
                                        "addresses known",
                                        "within 7 %",
                                        "within 15 %",
                                        "measured / predicted, median",
                                        "bytes / peak within 15 %",
                                        "variants in order",
                                        "bound as counted"};
    struct tally known = {0};
    document_table_begin(document, "lrrrrrrrr", heads);
    for (size_t first = 0, last; first < v->points; first = last) {
        struct tally tally = {0};
        last = kernel_end(v, first);
        bool told = kernel_is_told(&v->point[first], last - first);
        tally_points(&tally, &v->point[first], last - first, told);
        tally_points(&known, &v->point[first], last - first, true);
        row_of(document, v->point[first].point.space->kernel, &tally,
               median_ratio(&v->point[first], last - first));
    }
    row_of(document, "all whose addresses are known", &known, NAN);
    document_table_end(document);
}

/* ---- What bounds it where ---- */

/* The values of an axis among the points with that bound, in file order; "" if the axis does not vary over the kernel,
 * "many" for more than a few. */
static void describe_axis(const struct judged *points, size_t count, enum bound bound, int axis,
                          struct text *out)
{
    enum { FEW = 5 };
    int64_t value[FEW], first = points[0].point.value[axis];
    int values = 0;
    bool varies = false;
    for (size_t i = 0; i < count; i++) {
        int64_t here = points[i].point.value[axis];
        int k = 0;
        varies |= here != first;
        if (points[i].time.bound != bound)
            continue;
        while (k < values && value[k] != here)
            k++;
        if (k == FEW)
            return;
        if (k == values)
            value[values++] = here;
    }
    if (!varies)
        return;
    const struct axis *a = &points[0].point.space->axes[axis];
    text_add(out, "%s%s=", out->length ? " " : "", a->name);
    for (int k = 0; k < values; k++) {
        char text[AXIS_TEXT_SIZE];
        axis_format(a, value[k], text);
        text_add(out, "%s%s", k ? "," : "", text);
    }
}

static void print_where(struct document *document, const struct verdicts *v)
{
    document_paragraph(document, "Bounds by kernel (axes with at most five values):");
    document_table_begin(document, "llrrl",
                         (const char *const[]){"kernel", "bound", "points", "within 15 %", "where"});
    for (size_t first = 0, last; first < v->points; first = last) {
        last = kernel_end(v, first);
        for (int bound = 1; bound < BOUND_COUNT; bound++) {
            size_t count = 0, within = 0;
            struct text where = {0};
            for (size_t i = first; i < last; i++) {
                count += v->point[i].time.bound == (enum bound)bound;
                within += v->point[i].time.bound == (enum bound)bound &&
                          judge_within(judge_ratio(&v->point[i]), JUDGE_WRONG);
            }
            if (!count)
                continue;
            for (int axis = 0; axis < v->point[first].point.space->count; axis++)
                describe_axis(&v->point[first], last - first, (enum bound)bound, axis, &where);
            document_cells(document, "%s\t%s\t%zu", v->point[first].point.space->kernel, bound_words[bound],
                           count);
            share_cell(document, within, count);
            document_cell(document, "%s", where.data ? where.data : "");
            text_free(&where);
        }
    }
    document_table_end(document);
}

/* ---- Where it is wrong ---- */

static int worst_first(const void *a, const void *b)
{
    double x = fabs(log(judge_ratio(*(const struct judged *const *)a)));
    double y = fabs(log(judge_ratio(*(const struct judged *const *)b)));
    return (x < y) - (x > y);
}

static void print_point(struct document *document, const struct dataset *dataset, const struct judged *p)
{
    char measured[64], predicted[64];
    struct text point = {0};
    point_describe(&p->point, &point);
    text_format_seconds(p->seconds, measured, sizeof measured);
    text_format_seconds(p->time.seconds, predicted, sizeof predicted);
    document_cells(document, "%.2f\t%s\t%s\t%s, then %s\t%s\t%s\t%s", judge_ratio(p), measured, predicted,
                   bound_words[p->time.bound], bound_words[p->time.second], bound_words[p->busiest],
                   frame_find_text(&dataset->results, p->row, COLUMN(id)), point.data ? point.data : "");
    text_free(&point);
}

static size_t print_wrong(struct document *document, const struct dataset *dataset, const struct verdicts *v)
{
    static const char *const heads[] = {"measured / predicted", "measured", "predicted", "bound",
                                        "counted busiest",      "id",       "point"};
    const struct judged **wrong = memory_new(v->points + 1, sizeof *wrong);
    size_t count = 0;
    for (size_t i = 0; i < v->points; i++)
        if (v->point[i].addresses && !judge_within(judge_ratio(&v->point[i]), JUDGE_WRONG))
            wrong[count++] = &v->point[i];
    qsort(wrong, count, sizeof *wrong, worst_first);
    document_paragraph(document,
                       "%zu points with known addresses are off by over 15 %%, worst first. Points whose "
                       "addresses are not known are not listed:",
                       count);
    if (count) {
        document_table_begin(document, "rrrllll", heads);
        for (size_t i = 0; i < count && i < SHOWN; i++)
            print_point(document, dataset, wrong[i]);
        document_table_end(document);
        if (count > SHOWN)
            document_paragraph(document, "... and %zu more.", count - SHOWN);
    }
    free(wrong);
    return count;
}

/* How well the instruction counts from the code agree with the hardware counters. */
static void print_told(struct document *document, const struct verdicts *v)
{
    size_t both = 0, same = 0, near = 0, untold = 0;
    for (size_t i = 0; i < v->points; i++) {
        const struct judged *p = &v->point[i];
        double ratio = p->assumed / p->counted;
        untold += isnan(p->assumed) && p->addresses && !isnan(p->counted);
        both += !isnan(ratio);
        same += judge_within(ratio, 0.005);
        near += judge_within(ratio, JUDGE_NEAR);
    }
    document_paragraph(document,
                       "Instructions were both derived from the code and counted by the hardware for %zu "
                       "points: %zu agree within 0.5 %%, %zu within 7 %%. For %zu counted points with known "
                       "addresses they cannot be derived from the code.",
                       both, same, near, untold);
}

static void print_source(struct document *document, const struct profile *profile, bool given,
                         enum code_use use, const struct verdicts *v)
{
    size_t told = 0;
    for (size_t i = 0; i < v->points; i++)
        told += !isnan(v->point[i].assumed);
    document_paragraph(document, "Predicted by the profile of %s, %s. %zu points have no prediction.",
                       profile->name, given ? "given" : "as this file measured it", v->unpredicted);
    switch (use) {
    case CODE_COUNTED:
        document_paragraph(document,
                           "The hardware counted instructions for %zu of %zu points; for the others issue "
                           "slots are not a bound.",
                           told, v->points);
        break;
    case CODE_INSTRUCTIONS:
        document_paragraph(document,
                           "Registers and instructions come from the code that this build compiles, as "
                           "before a run: %zu of %zu points. For the others issue slots are not a bound.",
                           told, v->points);
        print_told(document, v);
        break;
    case CODE_NONE:
        document_paragraph(document, "The compiled kernels are not used, as before a run: threads and shared "
                                     "memory limit the blocks, issue slots are not a bound.");
    }
}

static int report_device(struct document *document, const struct dataset *dataset, size_t device,
                         const char *path, const struct profile *given, enum code_use use, size_t *wrong,
                         struct error *error)
{
    struct profile profile = given ? *given : profile_of_dataset(dataset, device, path);
    struct verdicts v = {0};
    profile_assume(&profile);
    int failed =
        profile_device_measured(dataset, device) ? judge(dataset, device, &profile, use, &v, error) : 0;
    document_heading(document, 2, "%s: %s", path,
                     frame_find_text(&dataset->devices, device, DEVICE_COLUMN(name)));
    if (v.points) {
        print_source(document, &profile, given != NULL, use, &v);
        failed = report_accuracy(document, dataset, device, &profile, use, &v, error);
        print_kernels(document, &v);
        print_where(document, &v);
        *wrong += print_wrong(document, dataset, &v);
    } else if (!failed) {
        document_paragraph(document, "Nothing can be predicted: the file has no measured point of a known "
                                     "kernel on a device with known peaks.");
    }
    free(v.point);
    return failed;
}

int report_bounds(struct document *document, const struct dataset *dataset, const char *path,
                  const struct profile *given, enum code_use use, size_t *wrong, struct error *error)
{
    for (size_t device = 0; device < dataset->devices.rows; device++)
        if (report_device(document, dataset, device, path, given, use, wrong, error) != 0)
            return -1;
    return 0;
}
