#include "figure/finding.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/making.h"
#include "table/where.h"

#define PAIRS_MIN 2 /* on each device: one could be a coincidence */

/* The parts of a directive; they point into `text`. */
struct finding {
    char *text; /* owned */
    const char *above[FIGURE_NAMES_MAX + 1], *below[FIGURE_NAMES_MAX + 1], *with[FIGURE_NAMES_MAX + 1];
    const char *words;
};

/* Split conditions; "over" and "with" lead to the next list. */
static int split_conditions(struct finding *finding, char *conditions)
{
    const char **list = finding->above;
    char *rest = NULL;
    int count = 0;
    for (char *word = strtok_r(conditions, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        const char **next = !strcmp(word, "over") && list == finding->above   ? finding->below
                            : !strcmp(word, "with") && list == finding->below ? finding->with
                                                                              : NULL;
        if (!next && count == FIGURE_NAMES_MAX)
            return -1;
        if (!next)
            list[count++] = word;
        count = next ? 0 : count;
        list = next ? next : list;
    }
    return finding->above[0] && finding->below[0] ? 0 : -1;
}

static int read_finding(const char *directive, struct finding *finding, struct error *error)
{
    *finding = (struct finding){.text = memory_text(directive)};
    char *words = strstr(finding->text, ": ");
    if (words) {
        *words = '\0';
        finding->words = words + 2;
    }
    if (words && split_conditions(finding, finding->text) == 0)
        return 0;
    free(finding->text);
    error_set(error, ERROR_ENVIRONMENT,
              "finding: expected CONDITION... over CONDITION... [with CONDITION...]: WORDS, got '%.80s'",
              directive);
    return -1;
}

int finding_check(const char *directive, struct error *error)
{
    struct finding finding;
    if (read_finding(directive, &finding, error) != 0)
        return -1;
    free(finding.text);
    return 0;
}

/* ---- Pairs ---- */

static bool names(const char *const *conditions, const char *column)
{
    size_t length = strlen(column);
    for (int i = 0; conditions[i]; i++)
        if (!strncmp(conditions[i], column, length) && !isalnum((unsigned char)conditions[i][length]) &&
            conditions[i][length] != '_')
            return true;
    return false;
}

/* Do both sides name a column that is not of the series? Then their places along x differ on purpose. */
static bool parts_x(const struct figure *figure, const struct finding *finding)
{
    for (int i = 0; finding->above[i]; i++) {
        char column[128];
        bool known = false;
        snprintf(column, sizeof column, "%.*s", (int)strcspn(finding->above[i], "=<>!"), finding->above[i]);
        for (int s = 0; figure->series[s]; s++)
            known = known || !strcmp(column, figure->series[s]);
        if (!known && names(finding->below, column))
            return true;
    }
    return false;
}

/* Rows of the figure on a device that meet two lists of conditions. -1: a column is missing. */
static int collect(const struct figure_data *data, int group, const char *const *conditions,
                   const char *const *with, struct view *view)
{
    struct error ignored;
    size_t rows = 0;
    for (int s = 0; s < data->count; s++)
        rows += data->series[s].view.rows;
    *view = (struct view){.dataset = data->series[0].view.dataset};
    view->row = memory_new(rows + 1, sizeof *view->row);
    for (int s = 0; s < data->count; s++)
        for (size_t i = 0; data->series[s].group == group && i < data->series[s].view.rows; i++)
            view->row[view->rows++] = data->series[s].view.row[i];
    for (int list = 0; list < 2; list++)
        for (int i = 0; (list ? with : conditions)[i]; i++)
            if (where_keep_one(view, (list ? with : conditions)[i], &ignored) != 0)
                return -1;
    return 0;
}

struct pairing {
    struct view_column key[FIGURE_NAMES_MAX + 1]; /* equal in both points of a pair */
    int keys;
};

static struct pairing choose_keys(const struct figure *figure, const struct finding *finding,
                                  const struct figure_data *data)
{
    const struct view *view = &data->series[0].view; /* its columns: x, then the series' axes */
    struct pairing pairing = {0};
    if (!parts_x(figure, finding))
        pairing.key[pairing.keys++] = view->column[0];
    for (int s = 0; figure->series[s]; s++)
        if (!names(finding->above, figure->series[s]) && !names(finding->below, figure->series[s]))
            pairing.key[pairing.keys++] = view->column[1 + s];
    return pairing;
}

struct ratios {
    size_t pairs;
    double low, high;
    bool apart; /* the intervals of all pairs */
};

static void compare_pair(const struct making *making, size_t above, size_t below, struct ratios *ratios)
{
    const struct frame *results = &making->merged->all.results;
    double a = making_number(results, above, making->y), b = making_number(results, below, making->y);
    double of_a[2], of_b[2];
    making_interval(making, above, a, of_a);
    making_interval(making, below, b, of_b);
    ratios->pairs++;
    ratios->low = fmin(ratios->low, a / b);
    ratios->high = fmax(ratios->high, a / b);
    ratios->apart = ratios->apart && of_a[0] > of_b[1]; /* NaN: not known */
}

static void compare_on(const struct making *making, int group, const struct finding *finding,
                       const struct pairing *pairing, struct ratios *ratios)
{
    const struct dataset *all = &making->merged->all;
    struct view above, below = {0};
    if (collect(making->data, group, finding->above, finding->with, &above) == 0 &&
        collect(making->data, group, finding->below, finding->with, &below) == 0)
        for (size_t i = 0; i < above.rows; i++)
            for (size_t k = 0; k < below.rows; k++) {
                bool equal = true;
                for (int c = 0; c < pairing->keys && equal; c++)
                    equal = view_compare(all, &pairing->key[c], above.row[i], below.row[k]) == 0;
                if (equal)
                    compare_pair(making, above.row[i], below.row[k], ratios);
            }
    view_free(&above);
    view_free(&below);
}

/* ---- The sentence ---- */

static void add_words(const char *words, double low, double high, struct text *out)
{
    const char *place = strchr(words, '%');
    struct text first = {0}, last = {0};
    if (!place) {
        text_add(out, "%s ", words);
        return;
    }
    const char *format = high < 2 ? "%.2f" : high < 10 ? "%.1f" : "%.0f";
    text_add(&first, format, low);
    text_add(&last, format, high);
    text_add(out, "%.*s%s%s%s%s ", (int)(place - words), words, first.data,
             strcmp(first.data, last.data) != 0 ? " to " : "",
             strcmp(first.data, last.data) != 0 ? last.data : "", place + 1);
    text_free(&first);
    text_free(&last);
}

void finding_add(const char *directive, const struct figure *figure, const struct merged *merged,
                 const struct figure_data *data, struct text *out)
{
    const struct making making = {.figure = figure, .merged = merged, .data = data, .y = figure->y};
    struct finding finding;
    struct error ignored; /* figures_read has checked it */
    double low = INFINITY, high = 0;
    bool holds = data->count > 0;
    if (read_finding(directive, &finding, &ignored) != 0)
        return;
    const struct pairing pairing = choose_keys(figure, &finding, data);
    for (int s = 0; s < data->count && holds; s++) {
        struct ratios ratios = {.low = INFINITY, .apart = true};
        if (s && data->series[s].group == data->series[s - 1].group)
            continue;
        compare_on(&making, data->series[s].group, &finding, &pairing, &ratios);
        holds = ratios.apart && ratios.pairs >= PAIRS_MIN;
        low = fmin(low, ratios.low);
        high = fmax(high, ratios.high);
    }
    if (holds && (low > 0 || !strchr(finding.words, '%'))) /* changes have signs, and no ratios */
        add_words(finding.words, low, high, out);
    free(finding.text);
}
