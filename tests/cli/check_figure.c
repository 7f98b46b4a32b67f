/* check_figure FILE.svg... - what a reader would stumble over in figures: texts that overlap each other or what is drawn,
 * texts that leave the page, axes without a label and a unit, panels in which nothing is drawn. Texts are measured with
 * the metrics that the layout has. Prints what is wrong, and ends with 1 when anything is. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "figure/font.h"

#define SIZE_MOST (8u << 20)
#define TOUCH     0.4 /* pixels by which inks may come into one another: of antialiasing */

struct box {
    double left, right, top, bottom; /* y is down */
};

struct text {
    char words[256];
    struct box ink;
    bool turned, centred;
};

struct figure {
    const char *path;
    double width, height;
    struct text *text;
    size_t texts, text_capacity;
    struct box *panel;
    size_t panels, panel_capacity;
    struct box *drawn; /* pieces of curves and bars, and marks */
    size_t pieces, piece_capacity;
};

static void decode(char *text)
{
    static const char *const entities[][2] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
    for (size_t e = 0; e < 3; e++)
        for (char *at = text; (at = strstr(at, entities[e][0])); at++) {
            *at = *entities[e][1];
            memmove(at + 1, at + strlen(entities[e][0]), strlen(at + strlen(entities[e][0])) + 1);
        }
}

/* "<g transform="translate(1,2) rotate(270)" ... fill="..." font-size="9.33" text-anchor="end">", then "<text>...". */
static void read_text(const struct font *font, struct figure *figure, const char *at)
{
    double x, y, size;
    const char *points = strstr(at, "font-size=\""), *anchor = strstr(at, "text-anchor=\""),
               *start = strstr(at, "<text>");
    if (sscanf(at, "<g transform=\"translate(%lf,%lf)", &x, &y) != 2 || !start || !points || !anchor)
        return;
    struct text text = {.turned = strstr(at, "rotate(") && strstr(at, "rotate(") < start};
    start += strlen("<text>");
    snprintf(text.words, sizeof text.words, "%.*s", (int)strcspn(start, "<"), start);
    decode(text.words);
    text.centred = !strncmp(anchor + 13, "middle", 6);
    sscanf(points, "font-size=\"%lf", &size);
    if (!*text.words)
        return;
    struct font_ink ink = font_ink(font, text.words, size); /* pixels, as if points: in inches x 72 */
    double width = 72 * font_width(font, text.words, size);
    double shift = !strncmp(anchor + 13, "end", 3)      ? -width
                   : !strncmp(anchor + 13, "middle", 6) ? -width / 2
                                                        : 0;
    if (text.turned)
        text.ink = (struct box){x - 72 * ink.top, x - 72 * ink.bottom, y - shift - 72 * ink.right,
                                y - shift - 72 * ink.left};
    else
        text.ink = (struct box){x + shift + 72 * ink.left, x + shift + 72 * ink.right, y - 72 * ink.top,
                                y - 72 * ink.bottom};
    figure->text = memory_grow(figure->text, figure->texts, &figure->text_capacity, sizeof *figure->text);
    figure->text[figure->texts++] = text;
}

static void add_piece(struct figure *figure, double x0, double y0, double x1, double y1)
{
    figure->drawn =
        memory_grow(figure->drawn, figure->pieces, &figure->piece_capacity, sizeof *figure->drawn);
    figure->drawn[figure->pieces++] = (struct box){x0, x1, y0, y1};
}

/* The axes of a panel: a corner, drawn in their own grey. */
static void read_panel(struct figure *figure, const char *d)
{
    double x0, y0, x1, y1, x2, y2;
    if (sscanf(d, "d='M%lf,%lf L%lf,%lf L%lf,%lf", &x0, &y0, &x1, &y1, &x2, &y2) != 6)
        return;
    struct box box = {x1, x2, y0, y1};
    for (size_t i = 0; i < figure->panels; i++)
        if (figure->panel[i].left == box.left && figure->panel[i].right == box.right &&
            figure->panel[i].top == box.top && figure->panel[i].bottom == box.bottom)
            return;
    figure->panel =
        memory_grow(figure->panel, figure->panels, &figure->panel_capacity, sizeof *figure->panel);
    figure->panel[figure->panels++] = box;
}

static void read_path(struct figure *figure, const char *d)
{
    double x = 0, y = 0, to_x, to_y;
    int length;
    for (d += strlen("d='"); *d && *d != '\''; d++) {
        if ((*d != 'M' && *d != 'L') || sscanf(d + 1, "%lf,%lf%n", &to_x, &to_y, &length) != 2)
            continue;
        if (*d == 'L')
            add_piece(figure, x, y, to_x, to_y);
        x = to_x;
        y = to_y;
    }
}

static void read_figure(const struct font *font, char *svg, struct figure *figure)
{
    bool in_plot = false;
    const char *size = strstr(svg, "viewBox=\"0 0 ");
    if (size)
        sscanf(size, "viewBox=\"0 0 %lf %lf", &figure->width, &figure->height);
    for (char *at = svg; (at = strchr(at, '<')); at++) {
        char *end = strchr(at, '>'), *d;
        if (!end)
            break;
        *end = '\0';
        if (!strncmp(at, "<g id=\"gnuplot_plot_", 20))
            in_plot = true; /* what follows it is of the curves, until axes are drawn again */
        d = strstr(at, "d='");
        bool grey = strstr(at, "rgb( 51,  51,  51)") != NULL;
        if (!strncmp(at, "<path", 5) && d && grey && strstr(d, " L")) {
            in_plot = false;
            read_panel(figure, d);
        } else if (!strncmp(at, "<path", 5) && d && in_plot && !strstr(at, "rgb( 85,  85,  85)")) {
            read_path(figure, d);
        } else if (!strncmp(at, "<polygon", 8) && strstr(at, "points") && in_plot) {
            double x, y; /* of a box: texts may stand in it */
            if (sscanf(strpbrk(strstr(at, "points"), "0123456789"), "%lf,%lf", &x, &y) == 2)
                add_piece(figure, x, y, x, y);
        } else if (!strncmp(at, "<use", 4) && strstr(at, "translate(") && in_plot) {
            double x, y;
            if (sscanf(strstr(at, "translate("), "translate(%lf,%lf", &x, &y) == 2)
                add_piece(figure, x, y, x, y);
        }
        *end = '>';
        if (!strncmp(at, "<g transform=\"translate(", 24))
            read_text(font, figure, at);
    }
}

static bool overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right - TOUCH && b->left < a->right - TOUCH && a->top < b->bottom - TOUCH &&
           b->top < a->bottom - TOUCH;
}

static bool runs_through(const struct box *piece, const struct box *ink)
{
    double length = hypot(piece->right - piece->left, piece->bottom - piece->top);
    for (int i = 0; i <= 1 + (int)length; i++) {
        double t = i / (1 + floor(length)), x = piece->left + t * (piece->right - piece->left),
               y = piece->top + t * (piece->bottom - piece->top);
        if (x > ink->left + TOUCH && x < ink->right - TOUCH && y > ink->top + TOUCH &&
            y < ink->bottom - TOUCH)
            return true;
    }
    return false;
}

static int check_texts(const struct figure *figure)
{
    int wrong = 0;
    for (size_t i = 0; i < figure->texts; i++) {
        const struct text *text = &figure->text[i];
        if (text->ink.left < 0 || text->ink.right > figure->width || text->ink.top < 0 ||
            text->ink.bottom > figure->height)
            wrong += printf("%s: '%s' leaves the page\n", figure->path, text->words) > 0;
        for (size_t k = 0; k < i; k++)
            if (overlap(&text->ink, &figure->text[k].ink))
                wrong += printf("%s: '%s' and '%s' overlap\n", figure->path, figure->text[k].words,
                                text->words) > 0;
        for (size_t p = 0; p < figure->pieces; p++)
            if (runs_through(&figure->drawn[p], &text->ink)) {
                wrong += printf("%s: '%s' lies on what is drawn\n", figure->path, text->words) > 0;
                break;
            }
    }
    return wrong;
}

/* Labels of y axes are the turned texts; those of x axes are centred below the lowest panel, where captions start at
 * the left. */
static bool labels_axis(const struct figure *figure, const struct text *text, bool turned)
{
    double bottom = 0;
    for (size_t i = 0; i < figure->panels; i++)
        bottom = fmax(bottom, figure->panel[i].bottom);
    return text->turned == turned && (turned || (text->centred && text->ink.top > bottom));
}

/* A label of each axis has to end with its unit in parentheses. */
static int check_axes(const struct figure *figure)
{
    int wrong = 0;
    for (int turned = 0; turned < 2; turned++) {
        bool unit = false;
        for (size_t i = 0; i < figure->texts; i++) {
            const char *words = figure->text[i].words;
            if (labels_axis(figure, &figure->text[i], turned))
                unit = unit || (*words && words[strlen(words) - 1] == ')');
        }
        if (!unit)
            wrong +=
                printf("%s: the %c axis has no label with a unit\n", figure->path, turned ? 'y' : 'x') > 0;
    }
    return wrong;
}

static int check_panels(const struct figure *figure)
{
    int wrong = figure->panels ? 0 : printf("%s: no panel\n", figure->path) > 0;
    for (size_t i = 0; i < figure->panels; i++) {
        const struct box *panel = &figure->panel[i];
        size_t within = 0;
        for (size_t p = 0; p < figure->pieces; p++)
            within += figure->drawn[p].left >= panel->left && figure->drawn[p].right <= panel->right + 1 &&
                      figure->drawn[p].top >= panel->top - 1 && figure->drawn[p].bottom <= panel->bottom + 1;
        if (!within)
            wrong += printf("%s: panel %zu is empty\n", figure->path, i + 1) > 0;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct error error;
    struct font *font = font_open(&error);
    int wrong = 0;
    if (!font || argc < 2) {
        fprintf(stderr, "check_figure FILE.svg...: %s\n", font ? "no files" : error.text);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        struct figure figure = {.path = argv[i]};
        size_t size;
        char *svg = io_read_file(argv[i], SIZE_MOST, &size, &error);
        if (!svg) {
            fprintf(stderr, "%s\n", error.text);
            return 2;
        }
        read_figure(font, svg, &figure);
        int found = check_texts(&figure) + check_axes(&figure) + check_panels(&figure);
        if (figure.texts < 4)
            found += printf("%s: %zu texts\n", figure.path, figure.texts) > 0;
        wrong += found;
        free(svg);
        free(figure.text);
        free(figure.panel);
        free(figure.drawn);
    }
    font_close(font);
    printf("%d figures, %d faults\n", argc - 1, wrong);
    return wrong > 0;
}
