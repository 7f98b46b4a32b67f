/* The text of a paper: sentences computed from its tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/laws.h"
#include "analysis/pair.h"
#include "base/io.h"
#include "base/memory.h"
#include "table/units.h"
#include "paper/content.h"
#include "report/method_values.h"

#define NEAR 90.0 /* % of a roof: near it */

/* ---- Origin ---- */

void content_print_origin(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    struct text devices = {0}, files = {0};
    bool predicted = false, repeated = true;
    content_list_devices(source, &devices);
    for (int i = 0; i < source->files; i++)
        repeated = repeated && isfinite(method_quantile(&source->file[i], COLUMN(sd_process), 0.5));
    for (int i = 0; i < source->files; i++)
        text_add(&files, "%s%s",
                 i == 0                  ? ""
                 : i + 1 < source->files ? ", "
                                         : " and ",
                 source_file(source, i));
    for (int g = 0; g < source->merged.groups; g++)
        predicted = predicted || source->merged.group[g].predicted;
    if (dataset_salvaged())
        document_paragraph(document, "Not verified: %s.", dataset_salvaged());
    document_paragraph(
        document,
        "%d kernel famil%s, %zu points, on %s. One command made all figures, tables and sentences from %s; "
        "nothing was edited by hand. Each point was verified against a reference before it was timed. "
        "Intervals are 95 %% and %s. Roofs were measured on the same device in the same run.%s",
        source->families, source->families == 1 ? "y" : "ies", source->points,
        devices.length ? devices.data : "no device", files.data ? files.data : "no file",
        repeated ? "include the variation between processes"
                 : "hold for the measured process where only one measured a point",
        predicted ? " Predictions were computed by the time model and not measured." : "");
    text_free(&devices);
    text_free(&files);
}

/* ---- Findings ---- */

static void print_counts(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    for (int i = 0; i < source->files; i++) {
        const struct dataset *file = &source->file[i];
        size_t all = method_count(file, COLUMN(status), NULL), ok = method_count(file, COLUMN(status), "ok"),
               unsupported = method_count(file, COLUMN(status), "unsupported");
        document_item(document, "%s: of %zu points %zu were measured, %zu are unsupported, %zu failed.",
                      source_file(source, i), all, ok, unsupported, all - ok - unsupported);
    }
}

static void print_speedups(const struct content *content, struct document *document)
{
    for (int i = 0; i < content->speedups; i++) {
        size_t count;
        struct group *group = tables_groups(&content->comparison[i], &count);
        const struct group *most = NULL, *least = NULL, *all = NULL;
        struct text range = {0};
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
        if (most != least)
            text_add(&range, " Highest for %s (%#.3g), lowest for %s (%#.3g).", most->kernel,
                     1 / most->ratio.ratio, least->kernel, 1 / least->ratio.ratio);
        if (all && most && least)
            document_item(
                document,
                "%s over %s: speed-up %#.3g over all points, 95 %% interval %#.3g to %#.3g. %zu points are "
                "faster, %zu slower, %zu the same, %zu uncertain.%s",
                content->comparison[i].section[0].b, content->comparison[i].section[0].a,
                1 / all->ratio.ratio, 1 / all->ratio.high, 1 / all->ratio.low, all->verdicts[VERDICT_FASTER],
                all->verdicts[VERDICT_SLOWER], all->verdicts[VERDICT_SAME], all->verdicts[VERDICT_UNCERTAIN],
                range.data ? range.data : "");
        text_free(&range);
        free(group);
    }
}

static void print_best(const struct content *content, struct document *document)
{
    const struct source *source = content->source;
    for (int g = 0; g < source->merged.groups; g++) {
        int bounded = 0, near = 0;
        struct text far = {0};
        for (int f = 0; f < source->families; f++) {
            double half,
                share = source_share(source, source_best(source, &source->family[f], g, NULL), &half);
            if (isnan(share))
                continue;
            bounded++;
            near += share >= NEAR;
            if (share < NEAR)
                text_add(&far, "%s%s (%.1f %%)", far.length ? ", " : "", source->family[f].name, share);
        }
        if (bounded)
            document_item(document,
                          "%s: %d of %d famil%s with a roof reach%s at least %.0f %% of it with the best "
                          "variant%s%s.",
                          source->label[g], near, bounded, bounded == 1 ? "y" : "ies", near == 1 ? "es" : "",
                          NEAR,
                          !far.length          ? ""
                          : bounded - near > 1 ? "; the others: "
                                               : "; the other: ",
                          far.length ? far.data : "");
        text_free(&far);
    }
}

/* Counts per request, which the access model predicts exactly. */
static void print_model(const struct content *content, struct document *document)
{
    static const char *const counted[] = {COLUMN(load_sectors_per_request), COLUMN(store_sectors_per_request),
                                          COLUMN(shared_load_wavefronts_per_request),
                                          COLUMN(shared_store_wavefronts_per_request)};
    const struct frame *results = &content->source->merged.all.results;
    struct view view = view_new(&content->source->merged.all);
    size_t both = 0, equal = 0;
    view_keep_points(&view); /* a canary is its point again */
    for (size_t k = 0; k < view.rows; dataset_evict_at(&content->source->merged.all, ++k))
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            char name[80];
            snprintf(name, sizeof name, "predicted_%s", counted[i]);
            double is = frame_find_real(results, view.row[k], counted[i]),
                   predicted = frame_find_real(results, view.row[k], name);
            if (!(is > 0 && predicted > 0))
                continue;
            both++;
            equal += fabs(is - predicted) <= 1e-6 * predicted;
        }
    view_free(&view);
    if (both)
        document_item(document,
                      "Sectors and wavefronts per request: the access model's prediction equals the count in "
                      "%zu of %zu cases (a case is a point and a kind of access).",
                      equal, both);
}

int content_print_laws(const struct content *content, const char *figure, content_teller tell,
                       struct document *document)
{
    const struct merged *merged = &content->source->merged;
    const char **label = memory_new((size_t)merged->groups + 1, sizeof *label);
    int count = 0;
    for (int g = 0; g < merged->groups; g++)
        label[g] = content->source->label[g];
    for (size_t i = 0; i < laws_count(); i++) {
        struct text out = {0};
        if ((!figure || !strcmp(laws[i].figure, figure)) && law_tell(&laws[i], merged, label, &out)) {
            tell(document, "%s", out.data);
            count++;
        }
        text_free(&out);
    }
    free(label);
    return count;
}

struct tally {
    int with, against, excused;
    struct tally_quantity {
        const char *label;
        int with, against;
    } quantity[16]; /* of the labels that come first */
};

static struct tally_quantity *tally_find(struct tally *tally, const char *label)
{
    struct tally_quantity *quantity = tally->quantity,
                          *end = quantity + sizeof tally->quantity / sizeof *quantity;
    while (quantity < end && quantity->label && strcmp(quantity->label, label) != 0)
        quantity++;
    if (quantity == end)
        return NULL;
    quantity->label = label;
    return quantity;
}

/* "SM active (20 of 24)": quantities that change the other way more often than not. */
static void add_against(const struct tally *tally, struct text *out)
{
    for (size_t i = 0; i < sizeof tally->quantity / sizeof *tally->quantity; i++) {
        const struct tally_quantity *quantity = &tally->quantity[i];
        if (quantity->against > quantity->with)
            text_add(out, "%s%s (%d of %d)", out->length ? ", " : "", quantity->label, quantity->against,
                     quantity->with + quantity->against);
    }
}

static void judge(const struct instance *instance, void *context)
{
    struct tally *tally = context;
    for (const struct pair_quantity *q = instance->pair->quantity; q->label && instance->cases == 2; q++) {
        bool comparable = q->source[0].given && instance->source_counts && !instance->on_host &&
                          isfinite(instance_value(instance, q, 0)) &&
                          isfinite(instance_value(instance, q, 1));
        bool against = comparable && instance_contradicts(instance, q);
        tally->with += comparable && !against;
        tally->against += against;
        struct tally_quantity *quantity = comparable ? tally_find(tally, q->label) : NULL;
        if (quantity) {
            quantity->with += !against;
            quantity->against += against;
        }
        tally->excused += against && instance_excused_by_l2(instance, q);
    }
}

void content_print_pairs_item(const struct content *content, struct document *document)
{
    struct tally tally = {0};
    struct text against = {0}, excused = {0};
    for (int i = 0; i < content->pair_table->count; i++)
        pair_each(&content->source->merged, &content->pair_table->pair[i], judge, &tally);
    add_against(&tally, &against);
    if (tally.excused)
        text_add(&excused, ", %d of these at sizes that fit in L2", tally.excused);
    if (tally.with + tally.against)
        document_item(
            document,
            "Textbook pairs: the source is %s; its figures are illustrative. Of %d changes from "
            "before to after that it gives, %d were measured in its direction and %d were not%s.%s%s%s",
            content->pair_table->source, tally.with + tally.against, tally.with, tally.against,
            excused.data ? excused.data : "",
            against.length ? " It is wrong more often than right about: " : "",
            against.length ? against.data : "", against.length ? "." : "");
    text_free(&against);
    text_free(&excused);
}

void content_print_findings(const struct content *content, struct document *document)
{
    document_items_begin(document);
    print_counts(content, document);
    print_best(content, document);
    print_speedups(content, document);
    print_model(content, document);
    content_print_laws(content, NULL, document_item, document);
    content_print_pairs_item(content, document);
    document_items_end(document);
}

/* How many laws the counters of all devices keep, and what follows from the first two. */
static void print_laws_kept(const struct content *content, struct document *document)
{
    const struct merged *merged = &content->source->merged;
    int all = 0, held = 0;
    struct text follows = {0};
    for (size_t i = 0; i < laws_count(); i++) {
        int of = 0, keep = 0;
        for (int g = 0; g < merged->groups; g++) {
            struct law_rows rows = law_rows_of(merged, g);
            struct law_kept kept = law_check(&laws[i], &rows);
            of += kept.points > 0;
            keep += law_holds(&kept);
        }
        if (!of)
            continue;
        all++;
        held += keep == of;
        if (keep == of && held <= 2)
            text_add(&follows, " %s", laws[i].meaning);
    }
    if (held)
        document_item(document,
                      "Laws without a fitted constant follow from addresses: the counters keep %d of %d%s.%s",
                      held, all, merged->groups > 1 ? " on every device" : "", follows.data);
    text_free(&follows);
}

void content_print_highlights(const struct content *content, struct document *document)
{
    document_items_begin(document);
    print_best(content, document);
    print_speedups(content, document);
    print_model(content, document);
    print_laws_kept(content, document);
    document_items_end(document);
}

/* ---- A family ---- */

void content_print_family(const struct content *content, const struct content_family *of,
                          struct document *document)
{
    const struct source *source = content->source;
    struct text line = {0};
    text_add(&line, "%zu points, %s.", of->family->points,
             of->family->bounded ? "ranked by the share of their roof" : "without a roof");
    for (int g = 0; g < source->merged.groups; g++) {
        double half, value;
        char number[96];
        size_t row = source_best(source, of->family, g, NULL);
        if (row == SOURCE_NONE)
            continue;
        value = source_value(source, of->family, row, &half);
        units_format(value, half, number, sizeof number);
        text_add(&line, " On %s the best is ", source->label[g]);
        source_describe(source, of->family, row, true, &line);
        text_add(&line, ": %s %s", number, source_unit(of->family->quantity));
        double share = source_share(source, row, &half);
        units_format(share, half, number, sizeof number);
        if (share > 0)
            text_add(&line, ", %s %% of %s", number, source_roof(source, row));
        text_add(&line, ".");
    }
    document_paragraph(document, "%s", line.data);
    text_free(&line);
}
