#include "paper/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/memory.h"
#include "paper/svg_words.h"

#define FONTS "DejaVu Sans,Verdana,sans-serif"
#define DEPTH 32

/* Where reading stands. Opening tags wait until there is something within them. */
struct reader {
    const char *at, *prefix;
    struct text *out;
    struct text open[DEPTH]; /* the tags of the groups that one is within */
    int depth, written;      /* how many there are, and how many of them are in `out` */
    bool reuse;              /* the last group's end is not written yet: another that is alike may follow */
    struct keys marks;       /* of this group */
    char **kind;             /* owned: of marks */
    size_t kinds;
    char blank[80];
};

/* ---- Groups ---- */

static void end_group(struct reader *reader)
{
    if (reader->reuse) {
        text_add(reader->out, "</g>\n");
        reader->written--;
        reader->reuse = false;
    }
}

/* Before anything that is seen: the groups that it is within. */
static void open_groups(struct reader *reader)
{
    if (reader->reuse)
        end_group(reader);
    while (reader->written < reader->depth) {
        text_append(reader->out, reader->open[reader->written].data, reader->open[reader->written].length);
        text_add(reader->out, "\n");
        reader->written++;
        keys_free(&reader->marks);
    }
}

static int begin_group(struct reader *reader, const char *tag, size_t length)
{
    if (reader->depth == DEPTH)
        return -1;
    struct text *open = &reader->open[reader->depth];
    struct text now = {0};
    svg_put_tag(tag, length, reader->prefix, &now);
    bool alike = now.data && reader->reuse && reader->written == reader->depth + 1 && open->data &&
                 !strcmp(open->data, now.data);
    if (!alike) {
        end_group(reader);
        keys_free(&reader->marks);
    }
    reader->reuse = false;
    text_free(open);
    *open = now;
    reader->depth++;
    return 0;
}

static int leave_group(struct reader *reader)
{
    if (reader->depth == 0)
        return -1;
    if (reader->reuse) /* that of a group within */
        end_group(reader);
    reader->depth--;
    reader->reuse = reader->written > reader->depth;
    return 0;
}

/* ---- Elements ---- */

/* The number of a kind of mark (shape, size, colour), from 0; a new one gets its definition. */
static size_t kind_of(struct reader *reader, const char *kind)
{
    size_t i = 0;
    while (i < reader->kinds && strcmp(reader->kind[i], kind) != 0)
        i++;
    if (i == reader->kinds) {
        reader->kind = memory_resize(reader->kind, reader->kinds + 1, sizeof *reader->kind);
        reader->kind[reader->kinds++] = memory_text(kind);
    }
    return i;
}

/* A mark, unless the same one was drawn. gnuplot blanks the middle of each bar with a white mark and a dot, which its own
 * mark covers: `blank` is where it did so last. */
static void put_mark(struct reader *reader, const char *tag, size_t length)
{
    char x[32], y[32], scale[32] = "", place[80];
    struct text mark = {0}, kind = {0};
    svg_put_tag(tag, length, reader->prefix, &mark);
    if (!mark.data)
        return;
    const char *href = strstr(mark.data, "href=\""), *at = strstr(mark.data, "translate("),
               *colour = strstr(mark.data, "color=\"");
    bool dot = !at && (at = strstr(mark.data, " x=\"")) &&
               sscanf(at, " x=\"%31[-0-9.]\" y=\"%31[-0-9.]\"", x, y) == 2;
    bool known =
        href && colour &&
        (dot || (at && sscanf(at, "translate(%31[-0-9.],%31[-0-9.]) scale(%31[-0-9.])", x, y, scale) == 3));
    bool white = colour && !strncmp(colour, "color=\"#ffffff", 14);
    snprintf(place, sizeof place, "%s %s", known ? x : "", known ? y : "");
    bool blanked = dot && known && !strcmp(place, reader->blank);
    snprintf(reader->blank, sizeof reader->blank, "%s", white && known ? place : "none");
    if (known && !white && !blanked) {
        open_groups(reader);
        text_add(&kind, "<use %.*s\" %.*s\"", (int)strcspn(href + 6, "\"") + 6, href,
                 (int)strcspn(colour + 7, "\"") + 7, colour);
        if (*scale)
            text_add(&kind, " transform=\"scale(%s)\"", scale);
        mark.length = 0;
        text_add(&mark, "<use href=\"#%sm%zu\" x=\"%s\" y=\"%s\"/>", reader->prefix,
                 kind_of(reader, kind.data ? kind.data : ""), x, y);
    } else if (!known) {
        open_groups(reader);
    }
    if ((!known || (!white && !blanked)) &&
        keys_add(&reader->marks, hash_bytes(HASH_START, mark.data, mark.length)))
        text_add(reader->out, "%s\n", mark.data);
    text_free(&mark);
    text_free(&kind);
}

static void put_path(struct reader *reader, const char *tag, size_t length)
{
    struct text pieces = {0};
    const char *d = strstr(tag, " d='");
    if (!d || d > tag + length)
        return;
    d += 4;
    size_t size = strcspn(d, "'");
    svg_put_pieces(d, size, &pieces);
    if (pieces.length) {
        struct text head = {0};
        open_groups(reader);
        svg_put_tag(tag, (size_t)(d - 4 - tag), reader->prefix, &head);
        text_add(reader->out, "%s d=\"%s\"%s\n", head.data, pieces.data, "/>");
        text_free(&head);
    }
    text_free(&pieces);
}

/* Texts, and what else there may be: as it stands, but for its attributes. */
static void put_other(struct reader *reader, const char *tag, size_t length)
{
    open_groups(reader);
    svg_put_tag(tag, length, reader->prefix, reader->out);
}

/* <text>WORDS</text>; an empty one is a tick without a label. Returns where it ends. */
static const char *put_words(struct reader *reader, const char *tag)
{
    const char *words = strchr(tag, '>') + 1, *end = strstr(words, "</text>");
    if (!end)
        return NULL;
    if (words < end) {
        open_groups(reader);
        svg_put_tag(tag, (size_t)(words - tag), reader->prefix, reader->out);
        text_append(reader->out, words, (size_t)(end - words));
        text_add(reader->out, "</text>\n");
    }
    return end + strlen("</text>");
}

static bool is_tag(const char *at, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(at + 1, name, length) && strchr(" />\t\n", at[1 + length]);
}

/* Definitions of marks are put in the end, when it is known which are used; a pattern stands before what it fills.
 * Returns where they end. */
static const char *take_definitions(struct reader *reader, const char *at)
{
    const char *end = strstr(at, "</defs>"), *pattern = strstr(at, "<pattern");
    if (!end)
        return NULL;
    end += strlen("</defs>");
    if (pattern && pattern < end) {
        open_groups(reader);
        text_append(reader->out, at, (size_t)(end - at));
        text_add(reader->out, "\n");
    }
    return end;
}

/* Patterns are called after the drawing, too. */
static void rename_patterns(const char *drawing, const char *prefix, struct text *out)
{
    static const char name[] = "gpPat";
    for (const char *next; (next = strstr(drawing, name)); drawing = next + strlen(name)) {
        text_append(out, drawing, (size_t)(next - drawing));
        text_add(out, "%spat", prefix);
    }
    text_add(out, "%s", drawing);
}

/* One element of the drawing. Returns where it ends, NULL when it makes no sense. */
static const char *take(struct reader *reader, const char *at)
{
    const char *end = strchr(at, '>');
    if (!end)
        return NULL;
    size_t length = (size_t)(end + 1 - at);
    if (is_tag(at, "defs"))
        return take_definitions(reader, at);
    if (is_tag(at, "title") || is_tag(at, "desc")) {
        end = strchr(end + 1, '>');
        return end ? end + 1 : NULL;
    }
    if (is_tag(at, "text"))
        return put_words(reader, at);
    int failed = 0;
    if (is_tag(at, "g"))
        failed = begin_group(reader, at, length);
    else if (is_tag(at, "/g"))
        failed = leave_group(reader);
    else if (is_tag(at, "use"))
        put_mark(reader, at, length);
    else if (is_tag(at, "path"))
        put_path(reader, at, length);
    else if (!is_tag(at, "rect") || reader->depth > 1) /* the paper */
        put_other(reader, at, length);
    return failed ? NULL : end + 1;
}

/* ---- Marks ---- */

/* Definitions of the kinds of marks, of the shapes that they use, and of those that these are made of. */
static void put_definitions(const char *drawing, const struct reader *reader, struct text *out)
{
    const char *prefix = reader->prefix;
    const char *defs = strstr(drawing, "<defs>"), *end = strstr(drawing, "</defs>");
    struct text kept[2] = {{0}, {0}}; /* a shape is made of those before it: from the last one back */
    for (size_t i = 0; i < reader->kinds; i++)
        text_add(&kept[0], "<g id=\"%sm%zu\">%s/></g>\n", prefix, i, reader->kind[i]);
    for (const char *at = end; defs && end && at > defs; at--) {
        char id[32], *name = strstr(at, "id='gp");
        if (*at != '<' || !name || name > strchr(at, '>'))
            continue;
        snprintf(id, sizeof id, "#%s%.*s\"", prefix, (int)strcspn(name + 8, "'"), name + 8);
        if (!strncmp(name + 6, "Dot", 3))
            snprintf(id, sizeof id, "#%sdot\"", prefix);
        if (!kept[0].data || !strstr(kept[0].data, id))
            continue;
        svg_put_tag(at, (size_t)(strchr(at, '>') + 1 - at), prefix, &kept[1]);
        text_add(&kept[1], "\n%s", kept[0].data ? kept[0].data : "");
        text_free(&kept[0]);
        kept[0] = kept[1];
        kept[1] = (struct text){0};
    }
    if (kept[0].length)
        text_add(out, "<defs>\n%s</defs>\n", kept[0].data);
    text_free(&kept[0]);
}

int svg_read(const char *drawing, const char *prefix, struct svg *svg)
{
    struct text body = {0};
    struct reader reader = {.prefix = prefix, .out = &body};
    const char *at = strstr(drawing, "<svg");
    *svg = (struct svg){0};
    const char *box = at ? strstr(at, "viewBox=\"0 0 ") : NULL;
    const char *maker = strstr(drawing, "Produced by ");
    if (maker)
        sscanf(maker, "Produced by %79[^<]", svg->maker);
    bool failed = !box || sscanf(box, "viewBox=\"0 0 %lf %lf\"", &svg->width, &svg->height) != 2;
    at = failed ? NULL : strchr(at, '>');
    while (at && (at = strchr(at, '<')) && strncmp(at, "</svg>", 6) != 0)
        at = take(&reader, at);
    end_group(&reader);
    failed = failed || !at || !body.length || reader.depth;
    if (!failed) {
        put_definitions(drawing, &reader, &svg->body);
        rename_patterns(body.data, prefix, &svg->body);
    }
    for (int i = 0; i < DEPTH; i++)
        text_free(&reader.open[i]);
    for (size_t i = 0; i < reader.kinds; i++)
        free(reader.kind[i]);
    free(reader.kind);
    keys_free(&reader.marks);
    text_free(&body);
    return failed ? -1 : 0;
}

void svg_free(struct svg *svg)
{
    text_free(&svg->body);
}

static void put_begin(const struct svg *svg, struct text *out)
{
    text_add(out,
             " viewBox=\"0 0 %g %g\" fill=\"none\" color=\"#000000\" stroke=\"currentColor\" "
             "stroke-linecap=\"round\" stroke-linejoin=\"round\" font-family=\"" FONTS "\"",
             svg->width, svg->height);
}

void svg_write_file(const struct svg *svg, struct text *out)
{
    text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\"", svg->width,
             svg->height);
    put_begin(svg, out);
    text_add(out, ">\n<desc>%s</desc>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\" stroke=\"none\"/>\n",
             svg->maker, svg->width, svg->height);
    text_append(out, svg->body.data, svg->body.length);
    text_add(out, "</svg>\n");
}

void svg_write_inline(const struct svg *svg, const char *title, struct text *out)
{
    text_add(out, "<svg role=\"img\" aria-labelledby=\"%s\"", title);
    put_begin(svg, out);
    text_add(out, ">\n");
    text_append(out, svg->body.data, svg->body.length);
    text_add(out, "</svg>\n");
}
