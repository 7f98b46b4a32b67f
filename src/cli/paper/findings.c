/* The sentences of a paper: what its tables and figures come to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/content.h"
#include "cli/report/model.h"
#include "cli/report/pair.h"

#define NEAR 90.0 /* % of a roof: near it */

/* ---- Origin ---- */

static size_t rows_with(const struct source *source, int group, const char *status)
{
    size_t count = 0;
    for (size_t i = 0; i < source->points; i++) {
        size_t row = source->point[i].row[group];
        count += row != SOURCE_NONE &&
                 (!status || !strcmp(frame_find_text(&source->merged.all.results, row, "status"), status));
    }
    return count;
}

void content_tell_origin(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    struct text devices = {0}, files = {0};
    bool predicted = false;
    content_list_devices(source, &devices);
    for (int i = 0; i < source->files; i++) {
        const char *slash = strrchr(source->path[i], '/');
        text_add(&files, "%s%s", i == 0 ? "" : i + 1 < source->files ? ", " : " and ",
                 slash ? slash + 1 : source->path[i]);
    }
    for (int g = 0; g < source->merged.groups; g++)
        predicted = predicted || source->merged.group[g].predicted;
    document_paragraph(document,
                       "%d families of kernels, %zu points, on %s. Every figure, table and sentence was made from %s by one "
                       "command; nothing was edited by hand. Each point was verified against a reference before it was "
                       "timed; intervals are of 95 %% and hold what differs between processes; roofs were measured on the "
                       "same device in the same run.%s",
                       source->families, source->points, devices.length ? devices.data : "no device",
                       files.data ? files.data : "no file",
                       predicted ? " What is called a prediction was computed by the time model, and not measured." : "");
    text_free(&devices);
    text_free(&files);
}

/* ---- Findings ---- */

static void tell_counts(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    for (int g = 0; g < source->merged.groups; g++) {
        size_t all = rows_with(source, g, NULL), ok = rows_with(source, g, "ok"),
               unsupported = rows_with(source, g, "unsupported");
        document_item(document, "%s: %zu of %zu points %s, %zu cannot exist, %zu failed.", source->label[g], ok, all,
                      source->merged.group[g].predicted ? "were predicted" : "were measured", unsupported,
                      all - ok - unsupported);
    }
}

static void tell_speedups(const struct content *content, struct document *document)
{
    for (int i = 0; i < content->speedups; i++) {
        size_t count;
        struct group *group = tables_groups(&content->comparison[i], &count);
        const struct group *most = NULL, *least = NULL, *all = NULL;
        for (size_t k = 0; k < count; k++) {
            double ratio = group[k].ratio.ratio;
            if (!(ratio > 0))
                continue;
            if (!group[k].kernel)
                all = &group[k];
            if (group[k].kernel && (!most || ratio < most->ratio.ratio))
                most = &group[k];
            if (group[k].kernel && (!least || ratio > least->ratio.ratio))
                least = &group[k];
        }
        all = all ? all : most;
        if (all && most && least)
            document_item(document,
                          "%s over %s: a speed-up of %.3g over all points (95 %% interval %.3g to %.3g; faster at %zu, slower at %zu, "
                          "the same at %zu, uncertain at %zu); the most for %s (%.3g), the least for %s (%.3g).",
                          content->comparison[i].section[0].b, content->comparison[i].section[0].a,
                          1 / all->ratio.ratio, 1 / all->ratio.high, 1 / all->ratio.low,
                          all->verdicts[VERDICT_FASTER], all->verdicts[VERDICT_SLOWER], all->verdicts[VERDICT_SAME],
                          all->verdicts[VERDICT_UNCERTAIN], most->kernel, 1 / most->ratio.ratio, least->kernel,
                          1 / least->ratio.ratio);
        free(group);
    }
}

/* The best share of a family on a device, in %; NaN. */
static double best_share(const struct source *source, const char *kernel, int group)
{
    double best = NAN, half;
    for (size_t i = 0; i < source->points; i++) {
        if (strcmp(source->point[i].kernel, kernel) != 0)
            continue;
        double share = source_share(source, source->point[i].row[group], &half);
        if (share > 0 && !(share <= best))
            best = share;
    }
    return best;
}

static void tell_best(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    for (int g = 0; g < source->merged.groups; g++) {
        int bounded = 0, near = 0;
        struct text far = {0};
        for (int f = 0; f < source->families; f++) {
            double share = best_share(source, source->family[f].name, g);
            if (isnan(share))
                continue;
            bounded++;
            near += share >= NEAR;
            if (share < NEAR)
                text_add(&far, "%s%s (%.3g %%)", far.length ? ", " : "", source->family[f].name, share);
        }
        if (bounded)
            document_item(document,
                          "%s: of %d families that a roof bounds, %d reach %.0f %% of it or more with some variant%s%s.",
                          source->label[g], bounded, near, NEAR, far.length ? "; not so " : "",
                          far.length ? far.data : "");
        text_free(&far);
    }
}

static void tell_model(const struct content *content, struct document *document)
{
    struct document nowhere = {.out = fopen("/dev/null", "w")};
    if (!nowhere.out)
        return;
    long wrong = report_model(&nowhere, &content->source->merged);
    fclose(nowhere.out);
    if (wrong == 0)
        document_item(document, "What the access model predicts is what the hardware counted, wherever both are known.");
    else if (wrong > 0)
        document_item(document, "The access model and the counters disagree in %ld cases: `report --model' lists them.",
                      wrong);
}

struct tally {
    int with, against, excused;
};

static void judge(const struct instance *instance, void *context)
{
    struct tally *tally = context;
    for (const struct pair_quantity *q = instance->pair->quantity; q->label && instance->cases == 2; q++) {
        bool comparable = q->source[0].given && instance->source_counts && !instance->on_host &&
                          isfinite(instance_value(instance, q, 0)) && isfinite(instance_value(instance, q, 1));
        bool against = comparable && instance_contradicts(instance, q);
        tally->with += comparable && !against;
        tally->against += against;
        tally->excused += against && instance_excused_by_l2(instance, q);
    }
}

static void tell_pairs(const struct content *content, struct document *document)
{
    struct tally tally = {0, 0, 0};
    for (int i = 0; i < content->pair_table->count; i++)
        report_pair_visit(&content->source->merged, &content->pair_table->pair[i], judge, &tally);
    if (tally.with + tally.against)
        document_item(document,
                      "Before and after: of %d quantities that the textbook has figures for, %d go its way and %d do not "
                      "(%d of these at sizes that fit in L2). Its figures are illustrative.",
                      tally.with + tally.against, tally.with, tally.against, tally.excused);
}

void content_tell_findings(const struct content *content, struct document *document)
{
    document_items_begin(document);
    tell_counts(content, document);
    tell_best(content, document);
    tell_speedups(content, document);
    tell_model(content, document);
    tell_pairs(content, document);
    document_items_end(document);
}

/* ---- A family ---- */

/* The best row by the family's own quantity on a device. */
static size_t best_of(const struct source *source, const struct source_family *family, int group, double *value,
                      double *half)
{
    size_t best = SOURCE_NONE;
    *value = NAN;
    for (size_t i = 0; i < source->points; i++) {
        double own_half, own = NAN;
        if (!strcmp(source->point[i].kernel, family->name))
            own = source_value(source, family, source->point[i].row[group], &own_half);
        if (source_is_better(family->quantity, own, *value)) {
            *value = own;
            *half = own_half;
            best = source->point[i].row[group];
        }
    }
    return best;
}

void content_tell_family(const struct content *content, const struct content_family *of, struct document *document)
{
    const struct source *source = content->source;
    struct text line = {0};
    text_add(&line, "%zu points.", of->family->points);
    for (int g = 0; g < source->merged.groups; g++) {
        double value, half = NAN, share_half;
        size_t row = best_of(source, of->family, g, &value, &half);
        if (row == SOURCE_NONE)
            continue;
        text_add(&line, " %s: the %s %s is %.4g %s", source->label[g],
                 of->family->quantity >= QUANTITY_CYCLES ? "lowest" : "highest",
                 source_quantity_name(of->family->quantity), value, source_unit(of->family->quantity));
        if (half > 0)
            text_add(&line, " ± %.2g", half);
        double share = source_share(source, row, &share_half);
        if (share > 0)
            text_add(&line, " (%.3g %% of %s)", share, source_roof(source, row));
        text_add(&line, ", by ");
        source_describe(source, of->family, row, true, &line);
        text_add(&line, ".");
    }
    document_paragraph(document, "%s", line.data);
    text_free(&line);
}
