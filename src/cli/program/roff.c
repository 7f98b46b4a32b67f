#include "cli/program/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static void put_escaped(FILE *out, const char *text, size_t length, bool line_starts)
{
    for (size_t i = 0; i < length; i++) {
        if (line_starts && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
        line_starts = text[i] == '\n';
    }
}

void roff_text(FILE *out, const char *text, size_t length)
{
    put_escaped(out, text, length, true);
}

void roff_literal(FILE *out, const char *text, size_t length)
{
    fputs(".RS 4\n.nf\n", out);
    put_escaped(out, text, length, true);
    fputs(".fi\n.RE\n", out);
}

/* ---- Markdown ---- */

/* In a line: `code`, **bold**, [text](address). */
static void put_inline(FILE *out, const char *text, size_t length)
{
    bool first = true;
    for (size_t i = 0; i < length;) {
        const char *at = text + i, *end = NULL;
        size_t left = length - i, skip = 0, inner = 0;
        if (*at == '`' && (end = memchr(at + 1, '`', left - 1))) {
            skip = 1;
            inner = (size_t)(end - at) - 1;
        } else if (left > 4 && !strncmp(at, "**", 2) && (end = memmem(at + 2, left - 2, "**", 2))) {
            skip = 2;
            inner = (size_t)(end - at) - 2;
        }
        if (skip) {
            fputs("\\fB", out);
            put_escaped(out, at + skip, inner, false);
            fputs("\\fR", out);
            i += inner + 2 * skip;
        } else if (*at == '[' && (end = memmem(at, left, "](", 2)) &&
                   memchr(end, ')', left - (size_t)(end - at))) {
            put_inline(out, at + 1, (size_t)(end - at) - 1);
            i += (size_t)((const char *)memchr(end, ')', left - (size_t)(end - at)) - at) + 1;
        } else {
            put_escaped(out, at, 1, first);
            i++;
        }
        first = false;
    }
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* The cell of a row that begins at `at`, without the blanks around it; returns where the next one begins. */
static size_t next_cell(const char *line, size_t length, size_t at, size_t *from, size_t *to)
{
    size_t end = at;
    bool code = false;
    while (end < length && (line[end] != '|' || code || line[end - 1] == '\\')) {
        code ^= line[end] == '`';
        end++;
    }
    for (*from = at, *to = end; *from < *to && line[*from] == ' ';)
        ++*from;
    while (*to > *from && line[*to - 1] == ' ')
        --*to;
    return end + 1;
}

/* A row of a table: its first cell a term, the others told of it, from the third on with what stands at their head. */
static void put_row(FILE *out, const char *head, const char *line)
{
    size_t length = line_length(line), head_length = line_length(head), at = 1, head_at = 1;
    for (int cell = 0; at < length; cell++) {
        size_t from, to, head_from, head_to;
        at = next_cell(line, length, at, &from, &to);
        head_at =
            next_cell(head, head_length, head_at < head_length ? head_at : head_length, &head_from, &head_to);
        if (cell && from == to)
            continue;
        fputs(cell == 0 ? ".TP\n" : cell > 1 ? ".br\n" : "", out);
        if (cell > 1 && head_to > head_from) {
            put_inline(out, head + head_from, head_to - head_from);
            fputs(": ", out);
        }
        if (from == to)
            fputs("\\&", out);
        put_inline(out, line + from, to - from);
        fputc('\n', out);
    }
}

/* A fenced block; returns what comes behind it. */
static const char *put_fence(FILE *out, const char *line)
{
    const char *body = line + line_length(line);
    body += *body == '\n';
    const char *end = strstr(body, "```");
    if (!end)
        return body + strlen(body);
    roff_literal(out, body, (size_t)(end - body));
    end += line_length(end);
    return end + (*end == '\n');
}

static const char *put_table(FILE *out, const char *line)
{
    const char *head = line;
    for (int row = 0; *line == '|'; row++) {
        size_t length = line_length(line);
        if (row > 1) /* below the head and its rule */
            put_row(out, head, line);
        line += length + (line[length] == '\n');
    }
    return line;
}

static void put_heading(FILE *out, const char *line, size_t length)
{
    size_t level = strspn(line, "#"), from = level + strspn(line + level, " ");
    if (level < 2)
        return;
    fputs(level == 2 ? ".SH " : ".SS ", out);
    fputc('"', out);
    for (size_t i = from; i < length; i++)
        if (line[i] != '`' && line[i] != '"')
            fputc(level == 2 ? toupper((unsigned char)line[i]) : line[i], out);
    fputs("\"\n", out);
}

void roff_markdown(FILE *out, const char *markdown)
{
    bool paragraph = false; /* text goes before: what comes belongs to it */
    bool headed = true;     /* a heading goes before: it begins a paragraph itself */
    fputs(".SH DESCRIPTION\n", out);
    for (const char *line = markdown; *line;) {
        size_t length = line_length(line), indent = strspn(line, " ");
        const char *text = line + indent;
        size_t digits = strspn(text, "0123456789");
        bool bullet = text[0] == '-' && text[1] == ' ',
             number = digits && text[digits] == '.' && text[digits + 1] == ' ';
        if (!strncmp(text, "```", 3) || *line == '|') {
            line = *line == '|' ? put_table(out, line) : put_fence(out, text);
            paragraph = headed = false;
            continue;
        }
        if (line[0] == '#') {
            put_heading(out, line, length);
            paragraph = false;
            headed = true;
        } else if (!length) {
            paragraph = false;
        } else if (indent >= 4 && !paragraph) {
            roff_literal(out, line, length + 1);
        } else {
            if (bullet || number)
                fprintf(out, bullet ? ".IP \\(bu 2\n" : ".IP %.*s. 4\n", (int)digits, text);
            else if (!paragraph && !headed)
                fputs(indent ? ".IP\n" : ".PP\n", out);
            size_t skip = bullet ? 2 : number ? digits + 2 : 0;
            put_inline(out, text + skip, length - indent - skip);
            fputc('\n', out);
            paragraph = true;
            headed = false;
        }
        line += length + (line[length] == '\n');
    }
}
