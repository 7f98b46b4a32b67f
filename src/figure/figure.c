#include "figure/figure.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "figure/finding.h"
#include "figure/stated_law.h"
#include "figure/scale.h"
#include "figure/tables/tables.h"

#define FIGURE_FILE_LIMIT (1u << 20)

/* ---- The directives ---- */

static bool is_named(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int split(char *value, const char *names[FIGURE_NAMES_MAX + 1])
{
    int count = 0;
    char *rest = NULL;
    while (names[count])
        count++;
    for (char *word = strtok_r(value, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count == FIGURE_NAMES_MAX)
            return -1;
        names[count++] = word;
    }
    return 0;
}

/* Words that a directive allows. */
static const char *const roofs[] = {"byte", "flop", "none", NULL};
static const char *const scales[] = {"one", "own", NULL};
static const char *const draws[] = {"curves", "dots", "across", "cells", "areas", NULL};

/* Store a value in the first free of the places of a directive that may be repeated. */
static int add_line(const char **places, const char *key, const char *value, struct error *error)
{
    for (int i = 0; i < FIGURE_LINES_MAX; i++)
        if (!places[i]) {
            places[i] = value;
            return 0;
        }
    return error_set(error, ERROR_ENVIRONMENT, "more than %d directives '%s'", FIGURE_LINES_MAX, key);
}

/* One "KEY VALUE" line. */
static int read_directive(struct figure *figure, char *line, struct error *error)
{
    const struct {
        const char *key;
        const char **text, **list, **lines; /* one of them */
        const char *const *words;           /* allowed words; NULL: any text */
    } directives[] = {
        {"title", .text = &figure->title},
        {"kernel", .text = &figure->kernel},
        {"table", .text = &figure->table, .words = figure_tables},
        {"x", .text = &figure->x},
        {"place", .text = &figure->place},
        {"xlabel", .text = &figure->x_label},
        {"xscale", .text = &figure->x_scale, .words = scale_words},
        {"y", .text = &figure->y},
        {"ylabel", .text = &figure->y_label},
        {"yscale", .text = &figure->y_scale, .words = scale_words},
        {"roof", .text = &figure->roof, .words = roofs},
        {"draw", .text = &figure->draw, .words = draws},
        {"panel", .text = &figure->panel},
        {"scales", .text = &figure->scales, .words = scales},
        {"contrast", .text = &figure->contrast},
        {"names", .text = &figure->names},
        {"xnames", .text = &figure->x_names},
        {"baseline", .text = &figure->baseline},
        {"remark", .text = &figure->remark},
        {"where", .list = figure->where},
        {"series", .list = figure->series},
        {"columns", .list = figure->columns},
        {"state", .list = figure->state},
        {"derive", .list = figure->derive},
        {"interval", .list = figure->interval},
        {"line", .lines = figure->line},
        {"law", .lines = figure->law},
        {"finding", .lines = figure->finding},
        {"rule", .lines = figure->rule},
    };
    enum { COUNT = sizeof directives / sizeof *directives };
    const char *known[COUNT + 1] = {NULL};
    char *key = line + strspn(line, " \t");
    char *end = key + strcspn(key, " \t");
    char *value = end + strspn(end, " \t");
    *end = '\0';
    for (size_t i = 0; i < COUNT; i++) {
        known[i] = directives[i].key;
        if (strcmp(directives[i].key, key) != 0)
            continue;
        struct stated_law stated;
        if (!strcmp(key, "law") && stated_law_read(value, &stated, error) != 0)
            return -1;
        if (!strcmp(key, "finding") && finding_check(value, error) != 0)
            return -1;
        if (directives[i].lines)
            return add_line(directives[i].lines, key, value, error);
        if (directives[i].list)
            return split(value, directives[i].list) == 0
                       ? 0
                       : error_set(error, ERROR_ENVIRONMENT, "'%s' has more than %d words", key,
                                   FIGURE_NAMES_MAX);
        if (directives[i].words && !is_named(directives[i].words, value))
            return suggest_unknown(error, key, value, directives[i].words);
        *directives[i].text = value;
        return 0;
    }
    return suggest_unknown(error, "directive", key, known);
}

/* Read the directives of figure->text. */
static int parse(struct figure *figure, struct error *error)
{
    const char *where = figure->path ? figure->path : figure->name;
    char *line = figure->text;
    for (int number = 1; line; number++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!strncmp(line, "#:", 2) && read_directive(figure, line + 2, error) != 0) {
            error->kind = ERROR_ENVIRONMENT;
            return error_prefix(error, "%s:%d", where, number);
        }
        line = next;
    }
    if (figure->title && figure->kernel && figure->x && figure->y && figure->series[0])
        return 0;
    return error_set(error, ERROR_ENVIRONMENT,
                     "%s: a figure needs the directives title, kernel, x, y and series", where);
}

static int read_file(const char *path, struct figure *figure, struct error *error)
{
    size_t size;
    *figure = (struct figure){.text = io_read_file(path, FIGURE_FILE_LIMIT, &size, error)};
    if (!figure->text)
        return -1;
    figure->path = memory_text(path);
    figure->name = memory_text(io_file_name(path));
    figure->name[strlen(figure->name) - strlen(".gp")] = '\0';
    if (parse(figure, error) == 0)
        return 0;
    figure_free(figure);
    return -1;
}

int figures_read(const char *folder, struct figure **figures, size_t *count, struct error *error)
{
    struct text pattern = {0};
    glob_t found;
    int failed = 0;
    text_add(&pattern, "%s/*.gp", folder);
    int status = glob(pattern.data, 0, NULL, &found);
    text_free(&pattern);
    if (status != 0)
        return error_set(error, ERROR_ENVIRONMENT, "the folder %s has no .gp files", folder);
    *figures = memory_new(found.gl_pathc, sizeof **figures);
    for (size_t i = 0; i < found.gl_pathc && !failed; i++) {
        const char *name = io_file_name(found.gl_pathv[i]);
        if (!strcmp(name, "style.gp") || !strcmp(name, "palette.gp"))
            continue;
        failed = read_file(found.gl_pathv[i], &(*figures)[*count], error);
        *count += !failed;
    }
    globfree(&found);
    return failed;
}

int figure_parse(char *text, const char *name, struct figure *figure, struct error *error)
{
    *figure = (struct figure){.text = text, .name = memory_text(name)};
    if (parse(figure, error) == 0)
        return 0;
    figure_free(figure);
    return -1;
}

void figure_free(struct figure *figure)
{
    free(figure->path);
    free(figure->name);
    free(figure->text);
    *figure = (struct figure){0};
}
