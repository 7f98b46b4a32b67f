#include "table/text_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/terminal.h"

struct text_cell {
    char *text; /* owned */
    enum tone tone;
};

void text_table_free(struct text_table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
    free(table->right);
    *table = (struct text_table){0};
}

static void add(struct text_table *table, enum tone tone, char *text)
{
    table->cell = memory_grow(table->cell, table->cells, &table->capacity, sizeof *table->cell);
    table->cell[table->cells++] = (struct text_cell){text, tone};
}

void text_table_head(struct text_table *table, bool right, const char *name)
{
    assert(table->cells == (size_t)table->columns);
    table->right = memory_resize(table->right, (size_t)table->columns + 1, sizeof *table->right);
    table->right[table->columns++] = right;
    add(table, TONE_HEAD, memory_text(name));
}

void text_table_cell(struct text_table *table, enum tone tone, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = memory_new(size, 1);
    vsnprintf(text, size, format, again);
    va_end(again);
    va_end(arguments);
    add(table, tone, text);
}

/* Characters, not bytes: those that begin a UTF-8 sequence. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void text_table_print(FILE *out, const struct text_table *table)
{
    bool colours = terminal_colours(fileno(out));
    int columns = table->columns, *width = memory_new((size_t)columns + 1, sizeof *width);
    for (size_t i = 0; i < table->cells; i++) {
        int own = width_of(table->cell[i].text), *most = &width[i % (size_t)columns];
        *most = own > *most ? own : *most;
    }
    for (size_t i = 0; i < table->cells; i++) {
        const struct text_cell *cell = &table->cell[i];
        int column = (int)(i % (size_t)columns), pad = width[column] - width_of(cell->text);
        bool last = column + 1 == columns, right = table->right[column];
        fprintf(out, "%*s%s%s%s%*s%s", right ? pad : 0, "", tone_begin(cell->tone, colours), cell->text,
                tone_end(cell->tone, colours), last || right ? 0 : pad, "", last ? "\n" : "  ");
    }
    free(width);
}
