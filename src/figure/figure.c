#include "figure/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
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

/* One "KEY VALUE" line. */
static int read_directive(struct figure *figure, char *line)
{
    const struct {
        const char *key;
        const char **text, **list; /* one of them */
        const char *const *words;  /* allowed words; NULL: any text */
    } directives[] = {
        {"title", &figure->title, NULL, NULL},
        {"kernel", &figure->kernel, NULL, NULL},
        {"table", &figure->table, NULL, figure_tables},
        {"x", &figure->x, NULL, NULL},
        {"place", &figure->place, NULL, NULL},
        {"xlabel", &figure->x_label, NULL, NULL},
        {"xscale", &figure->x_scale, NULL, scale_words},
        {"y", &figure->y, NULL, NULL},
        {"ylabel", &figure->y_label, NULL, NULL},
        {"yscale", &figure->y_scale, NULL, scale_words},
        {"roof", &figure->roof, NULL, roofs},
        {"draw", &figure->draw, NULL, draws},
        {"panel", &figure->panel, NULL, NULL},
        {"scales", &figure->scales, NULL, scales},
        {"contrast", &figure->contrast, NULL, NULL},
        {"names", &figure->names, NULL, NULL},
        {"xnames", &figure->x_names, NULL, NULL},
        {"baseline", &figure->baseline, NULL, NULL},
        {"remark", &figure->remark, NULL, NULL},
        {"where", NULL, figure->where, NULL},
        {"series", NULL, figure->series, NULL},
        {"columns", NULL, figure->columns, NULL},
        {"state", NULL, figure->state, NULL},
        {"derive", NULL, figure->derive, NULL},
        {"interval", NULL, figure->interval, NULL},
    };
    char *key = line + strspn(line, " \t");
    char *end = key + strcspn(key, " \t");
    char *value = end + strspn(end, " \t");
    *end = '\0';
    for (int i = 0; !strcmp(key, "line") && i < FIGURE_LINES_MAX; i++)
        if (!figure->line[i]) {
            figure->line[i] = value;
            return 0;
        }
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (strcmp(directives[i].key, key) != 0)
            continue;
        if (directives[i].list)
            return split(value, directives[i].list);
        if (directives[i].words && !is_named(directives[i].words, value))
            return -1;
        *directives[i].text = value;
        return 0;
    }
    return -1;
}

int figure_read(const char *path, struct figure *figure, struct error *error)
{
    size_t size;
    const char *slash = strrchr(path, '/');
    *figure = (struct figure){.text = io_read_file(path, FIGURE_FILE_LIMIT, &size, error)};
    if (!figure->text)
        return -1;
    figure->path = memory_text(path);
    figure->name = memory_text(slash ? slash + 1 : path);
    figure->name[strlen(figure->name) - strlen(".gp")] = '\0';
    char *line = figure->text;
    for (int number = 1; line; number++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!strncmp(line, "#:", 2) && read_directive(figure, line + 2) != 0) {
            error_set(error, ERROR_ENVIRONMENT,
                      "%s:%d: unknown directive or value; docs/figures.md lists them", path, number);
            figure_free(figure);
            return -1;
        }
        line = next;
    }
    if (figure->title && figure->kernel && figure->x && figure->y && figure->series[0])
        return 0;
    error_set(error, ERROR_ENVIRONMENT, "%s: a figure needs the directives title, kernel, x, y and series",
              path);
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
