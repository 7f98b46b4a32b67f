#include "output/sheet.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/units.h"
#include "table/throttled.h"

#define NUMBER_SIZE 96

char *sheet_format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = memory_new(size, 1);
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

struct sheet sheet_new(const char *name, bool wide)
{
    struct sheet sheet = {.wide = wide};
    snprintf(sheet.name, sizeof sheet.name, "%s", name);
    return sheet;
}

void sheet_free(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->cells; i++)
        free(sheet->cell[i].text);
    free(sheet->cell);
    free(sheet->head);
    free(sheet->caption);
    *sheet = (struct sheet){0};
}

size_t sheet_rows(const struct sheet *sheet)
{
    assert(!sheet->columns || sheet->cells % (size_t)sheet->columns == 0);
    return sheet->columns ? sheet->cells / (size_t)sheet->columns : 0;
}

void sheet_caption(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    free(sheet->caption);
    sheet->caption = sheet_format_text(format, arguments);
    va_end(arguments);
    if (sheet_has_daggers(sheet)) {
        struct text noted = {0};
        text_add(&noted, "%s " SHEET_DAGGER ": %s.", sheet->caption, throttled_meaning);
        free(sheet->caption);
        sheet->caption = noted.data;
    }
}

void sheet_head(struct sheet *sheet, enum sheet_kind kind, const char *unit, const char *format, ...)
{
    va_list arguments;
    assert(!sheet->cells);
    sheet->head = memory_resize(sheet->head, (size_t)sheet->columns + 1, sizeof *sheet->head);
    struct sheet_head *head = &sheet->head[sheet->columns++];
    *head = (struct sheet_head){.kind = kind, .unit = unit};
    va_start(arguments, format);
    vsnprintf(head->name, sizeof head->name, format, arguments);
    va_end(arguments);
}

static struct sheet_cell *add_cell(struct sheet *sheet)
{
    sheet->cell = memory_grow(sheet->cell, sheet->cells, &sheet->capacity, sizeof *sheet->cell);
    sheet->cell[sheet->cells] = (struct sheet_cell){.value = NAN, .half = NAN};
    return &sheet->cell[sheet->cells++];
}

void sheet_text(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = sheet_format_text(format, arguments);
    va_end(arguments);
    add_cell(sheet)->text = text;
}

void sheet_number(struct sheet *sheet, double value, double half)
{
    struct sheet_cell *cell = add_cell(sheet);
    cell->value = value;
    cell->half = half;
}

void sheet_dagger(struct sheet *sheet)
{
    assert(sheet->cells);
    sheet->cell[sheet->cells - 1].dagger = true;
}

void sheet_tone(struct sheet *sheet, enum tone tone)
{
    assert(sheet->cells);
    sheet->cell[sheet->cells - 1].tone = tone;
}

bool sheet_has_daggers(const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->cells; i++)
        if (sheet->cell[i].dagger)
            return true;
    return false;
}

void sheet_integer(struct sheet *sheet, int64_t value)
{
    struct sheet_cell *cell = add_cell(sheet);
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    cell->text = memory_text(text);
    cell->value = (double)value;
}

const struct sheet_cell *sheet_cell_at(const struct sheet *sheet, size_t row, int column)
{
    return &sheet->cell[row * (size_t)sheet->columns + (size_t)column];
}

bool sheet_is_missing(const struct sheet_cell *cell)
{
    return !cell->text && !isfinite(cell->value);
}

bool sheet_is_number(const struct sheet_head *head)
{
    return head->kind == SHEET_NUMBER || head->kind == SHEET_COUNT;
}

void sheet_format_number(const struct sheet_head *head, const struct sheet_cell *cell, char *out, size_t size)
{
    if (cell->text)
        snprintf(out, size, "%s", cell->text);
    else if (head->kind == SHEET_COUNT)
        snprintf(out, size, "%.0f", cell->value);
    else
        units_format_short(cell->value, cell->half, out, size);
}

struct sheet_digits sheet_digits_of(const struct sheet *sheet, int column, size_t first, size_t end)
{
    struct sheet_digits most = {1, 0, 0};
    for (size_t row = first; row < end; row++) {
        const struct sheet_cell *cell = sheet_cell_at(sheet, row, column);
        char number[NUMBER_SIZE];
        if (!isfinite(cell->value))
            continue;
        sheet_format_number(&sheet->head[column], cell, number, sizeof number);
        int whole = (int)strcspn(number, ".("), decimals = 0, uncertain = 0;
        if (number[whole] == '.')
            decimals = (int)strcspn(number + whole + 1, "(");
        if (strchr(number, '('))
            uncertain = (int)strcspn(strchr(number, '(') + 1, ")");
        most.whole = whole > most.whole ? whole : most.whole;
        most.decimals = decimals > most.decimals ? decimals : most.decimals;
        most.uncertain = uncertain > most.uncertain ? uncertain : most.uncertain;
    }
    return most;
}

/* ---- How many lines it takes ---- */

#define LETTER 4.3   /* pt, of footnotesize: wider than most */
#define GAP    7.0   /* pt, between columns */
#define ONE    245.0 /* pt: one column of a paper */
#define TWO    505.0

static double length_of(const char *text)
{
    double letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0U) != 0x80U;
    return letters;
}

/* Width of a column that does not wrap. */
static double width_of(const struct sheet *sheet, int column)
{
    struct sheet_digits digits = sheet_digits_of(sheet, column, 0, sheet_rows(sheet));
    double most = length_of(sheet->head[column].name);
    if (sheet_is_number(&sheet->head[column]))
        most = fmax(most, digits.whole + 1 + digits.decimals +
                              (digits.uncertain ? 4 + digits.uncertain + digits.decimals : 0));
    for (size_t row = 0; row < sheet_rows(sheet); row++)
        if (sheet_cell_at(sheet, row, column)->text)
            most = fmax(most, length_of(sheet_cell_at(sheet, row, column)->text));
    return most * LETTER + GAP;
}

size_t sheet_fit(const struct sheet *sheet, size_t first, int lines)
{
    double left = sheet->wide ? TWO : ONE;
    int wrapping = 0;
    size_t row = first;
    for (int i = 0; i < sheet->columns; i++) {
        wrapping += sheet->head[i].kind == SHEET_WRAPS;
        left -= sheet->head[i].kind == SHEET_WRAPS ? GAP : width_of(sheet, i);
    }
    double letters = wrapping ? fmax(6, left / wrapping / LETTER) : 0;
    for (; row < sheet_rows(sheet) && (lines > 0 || row == first); row++) {
        double most = 1;
        for (int i = 0; i < sheet->columns; i++)
            if (sheet->head[i].kind == SHEET_WRAPS && sheet_cell_at(sheet, row, i)->text)
                most = fmax(most, ceil(1.15 * length_of(sheet_cell_at(sheet, row, i)->text) / letters));
        lines -= (int)most;
        if (lines < 0 && row > first)
            break;
    }
    return row - first;
}
