#include "figure/layout/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void page_text(struct page *m, const char *text, double x, double y, int align, enum layout_role role,
               int colour)
{
    struct layout *layout = m->layout;
    layout->text = memory_grow(layout->text, layout->texts, &layout->text_capacity, sizeof *layout->text);
    layout->text[layout->texts++] = (struct layout_text){memory_text(text), x, y, align, false, role, colour};
}

void page_stroke(struct page *m, double x0, double y0, double x1, double y1, struct style style, bool thin)
{
    struct layout *layout = m->layout;
    layout->stroke =
        memory_grow(layout->stroke, layout->strokes, &layout->stroke_capacity, sizeof *layout->stroke);
    layout->stroke[layout->strokes++] = (struct layout_stroke){x0, y0, x1, y1, style, thin};
}

void page_mark(struct page *m, double x, double y, struct style style, bool area)
{
    struct layout *layout = m->layout;
    layout->mark = memory_grow(layout->mark, layout->marks, &layout->mark_capacity, sizeof *layout->mark);
    layout->mark[layout->marks++] = (struct layout_mark){x, y, style, area, 0};
}

int page_wrap(const struct font *font, const char *text, double width, double points, struct text *out)
{
    struct text line = {0};
    char *copy = memory_text(text), *rest = NULL;
    int lines = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t before = line.length;
        text_add(&line, "%s%s", before ? " " : "", word);
        if (before && font_width(font, line.data, points) > width) {
            if (out)
                text_add(out, "%.*s\n", (int)before, line.data);
            lines++;
            text_free(&line);
            text_add(&line, "%s", word);
        }
    }
    if (line.length && out)
        text_add(out, "%s\n", line.data);
    lines += line.length > 0;
    text_free(&line);
    free(copy);
    return lines;
}

/* Cut a text to a width, with an ellipsis. */
static void cut(const struct font *font, char *text, double width, double points)
{
    size_t length = strlen(text);
    while (length > 4 && font_width(font, text, points) > width) {
        do
            length--;
        while (length > 4 && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(text + length, "…", sizeof "…");
    }
}

int page_lines(struct page *m, const char *text, double width, double x, double y, int align,
               enum layout_role role)
{
    const bool small = role == TEXT_CAPTION;
    double points = small ? LAYOUT_SMALL : LAYOUT_POINTS;
    struct text lines = {0};
    int count = page_wrap(m->font, text, width, points, &lines);
    char *rest = NULL, *line = lines.data;
    for (int i = 0; i < count; i++, line = NULL) {
        char one[512];
        snprintf(one, sizeof one - sizeof "…", "%s", strtok_r(line, "\n", &rest));
        cut(m->font, one, width, points);
        page_text(m, one, x, y - i * (small ? m->small : m->line), align, role, -1);
    }
    text_free(&lines);
    return count;
}
