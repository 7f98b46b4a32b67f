#include "output/align.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void align_cell(struct align *align, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    align->cell = memory_grow(align->cell, align->cells, &align->capacity, sizeof *align->cell);
    align->cell[align->cells++] = memory_text(text);
}

/* Characters, not bytes: those that begin a UTF-8 sequence. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void align_print(FILE *out, struct align *align, int indent)
{
    size_t columns = strlen(align->alignment);
    int *width = memory_new(columns + 1, sizeof *width);
    for (size_t i = 0; i < align->cells; i++) {
        int wide = width_of(align->cell[i]);
        width[i % columns] = wide > width[i % columns] ? wide : width[i % columns];
    }
    for (size_t i = 0; i < align->cells; i++) {
        size_t column = i % columns;
        bool last = column + 1 == columns, right = align->alignment[column] == 'r';
        int pad = width[column] - width_of(align->cell[i]);
        fprintf(out, "%*s%s%*s%s", column ? 2 : indent, "", "", right ? pad : 0, "", align->cell[i]);
        fprintf(out, "%*s%s", last || right ? 0 : pad, "", last ? "\n" : "");
        free(align->cell[i]);
    }
    free(width);
    free(align->cell);
    *align = (struct align){0};
}
