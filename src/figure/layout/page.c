#include "figure/layout/page.h"

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
    char *copy = memory_text(text), *rest = NULL;
    struct text line = {0};
    int lines = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct text longer = {0};
        text_add(&longer, "%s%s%s", line.length ? line.data : "", line.length ? " " : "", word);
        if (line.length && font_width(font, longer.data, points) > width) {
            text_add(out, "%s\n", line.data);
            lines++;
            text_free(&line);
            text_add(&line, "%s", word);
            text_free(&longer);
        } else {
            text_free(&line);
            line = longer;
        }
    }
    if (line.length) {
        text_add(out, "%s\n", line.data);
        lines++;
    }
    text_free(&line);
    free(copy);
    return lines;
}

void page_cut(const struct font *font, char *text, double width, double points)
{
    size_t length = strlen(text);
    while (length > 4 && font_width(font, text, points) > width) {
        do
            length--;
        while (length > 4 && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(text + length, "…", sizeof "…");
    }
}
