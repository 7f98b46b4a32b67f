#include "paper/content.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/laws.h"
#include "base/io.h"
#include "base/memory.h"
#include "table/view.h"

#define CHOSEN_MAX 8    /* figures of the short paper */
#define THRESHOLD  0.01 /* smallest relevant difference, the default of compare */

void content_list_devices(const struct source *source, struct text *out)
{
    int groups = source->merged.groups;
    for (int g = 0; g < groups; g++)
        text_add(out, "%s%s", g == 0 ? "" : g + 1 < groups ? ", " : " and ", source->label[g]);
}

static void date(struct content *content)
{
    content->seconds = -1;
    for (int i = 0; i < content->source->files; i++) {
        const char *start = dataset_environment(&content->source->file[i], "start"); /* ISO 8601, UTC */
        struct tm when = {0};
        if (!start || !strptime(start, "%Y-%m-%dT%H:%M:%S", &when))
            continue;
        long long seconds = (long long)timegm(&when);
        if (seconds > content->seconds) {
            content->seconds = seconds;
            strftime(content->date, sizeof content->date, "%Y-%m-%d", &when);
        }
    }
}

/* ---- Speed-ups ---- */

static struct view points_of(const struct dataset *file)
{
    struct view view = view_new(file);
    view_keep_points(&view);
    return view;
}

/* The name of a side of a comparison: the file's first device. */
static const char *side_of(const struct source *source, int file)
{
    const char *name = source_file(source, file);
    for (int g = 0; g < source->merged.groups; g++)
        if (!strcmp(source->merged.group[g].file, name))
            return source->label[g];
    return name;
}

/* Compare each file with the first, if their times are comparable. */
static void compare(struct content *content)
{
    const struct source *source = content->source;
    content->speedup = memory_new((size_t)source->files, sizeof *content->speedup);
    content->comparison = memory_new((size_t)source->files, sizeof *content->comparison);
    for (int i = 1; i < source->files; i++) {
        struct comparison *comparison = &content->comparison[content->speedups];
        struct view a = points_of(&source->file[0]), b = points_of(&source->file[i]);
        char *const names[2] = {(char *)side_of(source, 0), (char *)side_of(source, i)};
        struct error ignored;
        comparison_of_files(&a, &b, names, comparison);
        if (comparison_check(comparison, false, &ignored) == 0) {
            comparison_judge(comparison, THRESHOLD);
            struct sheet sheet = sheets_speedups(comparison);
            if (i > 1)
                snprintf(sheet.name, sizeof sheet.name, "speedups-%d", i);
            content->speedup[content->speedups++] = sheet;
        } else {
            comparison_free(comparison);
        }
        view_free(&a);
        view_free(&b);
    }
}

/* ---- The content ---- */

static void add_figure(size_t **list, size_t *count, size_t figure)
{
    *list = memory_resize(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = figure;
}

/* Order of figures across families: the most informative first. */
static size_t weight(const struct content *content, size_t figure)
{
    static const char *const leading[] = {"best", "roofline", "forest", "speedup", "model"};
    const size_t count = sizeof leading / sizeof *leading;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(leading[i], content->figures->figure[figure].name))
            return i;
    return count + figure;
}

static int compare_weights(const void *a, const void *b, void *context)
{
    size_t x = weight(context, *(const size_t *)a), y = weight(context, *(const size_t *)b);
    return (x > y) - (x < y);
}

static void assign_figures(struct content *content)
{
    for (size_t i = 0; i < content->figures->count; i++) {
        const struct drawn *figure = &content->figures->figure[i];
        struct content_family *of = NULL;
        if (!figure->caption)
            continue;
        for (int f = 0; f < content->families; f++)
            if (!strcmp(content->family[f].family->name, figure->kernel))
                of = &content->family[f];
        if (of)
            add_figure(&of->figure, &of->figures, i);
        else
            add_figure(&content->across, &content->acrosses, i);
    }
    if (content->acrosses)
        qsort_r(content->across, content->acrosses, sizeof *content->across, compare_weights, content);
}

/* The figures of laws first, then of bends, then of the model: each says something that a sentence of the text explains. */
static void choose_figures(struct content *content)
{
    static const char *const further[] = {"prefetch_in_flight", "predicted"};
    const size_t furthers = sizeof further / sizeof *further; /* have room whatever the laws are */
    for (size_t k = 0; k < laws_count() + furthers; k++) {
        const char *name = k < laws_count() ? laws[k].figure : further[k - laws_count()];
        bool there = k >= laws_count();
        size_t most = there ? CHOSEN_MAX : CHOSEN_MAX - furthers;
        for (int g = 0; g < content->source->merged.groups && !there; g++) {
            struct law_rows rows = law_rows_of(&content->source->merged, g);
            struct law_kept kept = law_check(&laws[k], &rows);
            there = law_holds(&kept);
        }
        for (size_t i = 0; i < content->chosens && there; i++)
            there = strcmp(content->figures->figure[content->chosen[i]].name, name) != 0;
        for (size_t i = 0; i < content->figures->count && there && content->chosens < most; i++)
            if (!strcmp(content->figures->figure[i].name, name) && content->figures->figure[i].caption)
                add_figure(&content->chosen, &content->chosens, i);
    }
}

void content_make(const struct source *source, const struct pair_table *pairs, const struct figures *figures,
                  const char *title, struct content *content)
{
    struct text own = {0};
    *content = (struct content){.source = source, .pair_table = pairs, .figures = figures};
    text_add(&own, "Memory access measured on ");
    content_list_devices(source, &own);
    content->title = memory_text(title ? title : own.data);
    text_free(&own);
    date(content);
    content->devices = sheets_devices(source);
    content->best = sheets_best(source);
    content->pairs = sheets_pairs(source, pairs, false);
    content->pairs_times = sheets_pairs(source, pairs, true);
    content->points = sheets_points(source);
    content->ladder = sheets_ladder(source);
    compare(content);
    content->family = memory_new((size_t)source->families + 1, sizeof *content->family);
    for (int f = 0; f < source->families; f++)
        content->family[content->families++] =
            (struct content_family){&source->family[f], sheets_variants(source, &source->family[f]), NULL, 0};
    content->families_table = sheets_families(source, content->comparison, content->speedups);
    assign_figures(content);
    choose_figures(content);
}

void content_free(struct content *content)
{
    for (int f = 0; f < content->families; f++) {
        sheet_free(&content->family[f].variants);
        free(content->family[f].figure);
    }
    for (int i = 0; i < content->speedups; i++) {
        sheet_free(&content->speedup[i]);
        comparison_free(&content->comparison[i]);
    }
    sheet_free(&content->devices);
    sheet_free(&content->best);
    sheet_free(&content->pairs);
    sheet_free(&content->pairs_times);
    sheet_free(&content->points);
    sheet_free(&content->ladder);
    free(content->speedup);
    free(content->comparison);
    free(content->family);
    free(content->across);
    free(content->chosen);
    sheet_free(&content->families_table);
    free(content->title);
    *content = (struct content){0};
}
