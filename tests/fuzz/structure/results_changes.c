#include "results_changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text_changes.h"
#include "values.h"

/* ---- Choosing ---- */

static const struct table *choose_table(struct dice *dice, const struct tables *tables)
{
    static const char *const likely[] = {"results", "results", "results",     "results",
                                         "results", "results", "samples",     "devices",
                                         "devices", "columns", "environment", "timeline"};
    const struct table *table = tables_find(tables, DICE_PICK(dice, likely));
    return table && table->columns ? table : &tables->table[dice_below(dice, (size_t)tables->count)];
}

static const struct table_column *choose_column(struct dice *dice, const struct table *table)
{
    /* Those that a file hangs on come more often than one in 140. */
    static const char *const likely[] = {
        "id",        "repeat",         "canary",        "run",         "status",          "device",
        "backend",   "sample_count",   "sample_offset", "time_median", "time_ci_low",     "time_ci_high",
        "bandwidth", "dtype",          "size",          "kernel",      "counters_status", "processes",
        "attempts",  "predicted_time", "sd_process",    "devices",     "launches",        "throttle_mask"};
    if (dice_one_in(dice, 2)) {
        const struct table_column *column = table_find(table, DICE_PICK(dice, likely));
        if (column)
            return column;
    }
    return &table->column[dice_below(dice, (size_t)table->columns)];
}

static void choose_value(struct dice *dice, const struct table_column *column, struct text *out)
{
    if (H5Tget_class(column->type) == H5T_STRING)
        value_text(dice, out);
    else if (H5Tget_class(column->type) == H5T_FLOAT)
        value_real(dice, out);
    else if (dice_one_in(dice, 3))
        text_add(out, "%zu", dice_below(dice, 2000)); /* near indices and counts */
    else
        value_integer(dice, out);
}

static void choose_type(struct dice *dice, struct text *out)
{
    static const char *const known[] = {"i64",    "i64",    "f64",     "f64",  "i32",      "i16",
                                        "u64",    "u32",    "u8",      "f32",  "be64",     "bef64",
                                        "vlen",   "array",  "opaque",  "enum", "compound", "text:0",
                                        "text:1", "text:8", "text:300"};
    text_add(out, "%s", DICE_PICK(dice, known));
}

/* ---- Proposing ---- */

static void propose_attribute(struct dice *dice, const struct tables *tables, struct text *out)
{
    static const char *const of_root[] = {"format",  "format_version", "release", "commit",
                                          "lineage", "sequence",       "runs"};
    static const char *const of_job[] = {"path", "planned", "crc32x"};
    bool root = !dice_one_in(dice, 3);
    const char *object = root ? "/" : "job";
    const char *name = root ? DICE_PICK(dice, of_root) : DICE_PICK(dice, of_job);
    (void)tables;
    if (dice_one_in(dice, 4)) {
        text_add(out, "forget %s %s\n", object, name);
        return;
    }
    char type = "iirt"[dice_below(dice, 4)];
    text_add(out, "attribute %s %s %c ", object, name, type);
    if (type == 't')
        value_text(dice, out);
    else if (type == 'i')
        value_integer(dice, out);
    else
        value_real(dice, out);
    text_add(out, "\n");
}

static void propose_text(struct dice *dice, const struct table *table, struct text *out)
{
    struct text changed = {0};
    text_mutate(dice, table->text, &changed);
    text_add(out, "text %s ", table->name);
    value_escape(out, changed.data ? changed.data : "", changed.length);
    text_add(out, "\n");
    text_free(&changed);
}

/* What concerns the shape of a table, not its values. */
static void propose_shape(struct dice *dice, const struct table *table, struct text *out)
{
    static const char *const layouts[] = {"contiguous", "compact", "chunk1", "plain", "fletcher",
                                          "extensible", "2d",      "scalar", "null"};
    const char *name = table->name, *column = choose_column(dice, table)->name;
    switch (dice_below(dice, 13)) {
    case 0:
        text_add(out, "drop %s\n", name);
        break;
    case 1:
    case 2:
        text_add(out, "drop %s %s\n", name, column);
        break;
    case 3:
    case 4:
    case 5:
        text_add(out, "retype %s %s ", name, column);
        choose_type(dice, out);
        text_add(out, "\n");
        break;
    case 6:
        text_add(out, "rename %s %s ", name, column);
        value_text(dice, out);
        text_add(out, "\n");
        break;
    case 7:
        text_add(out, "rename %s %s %s\n", name, column, choose_column(dice, table)->name);
        break;
    case 8:
        text_add(out, "add %s %s ", name, dice_one_in(dice, 2) ? "extra" : choose_column(dice, table)->name);
        choose_type(dice, out);
        text_add(out, "\n");
        break;
    case 9:
        text_add(out, "move %s %s %zu\n", name, column, dice_below(dice, (size_t)table->columns));
        break;
    case 10:
    case 11:
        text_add(out, "layout %s %s\n", name, DICE_PICK(dice, layouts));
        break;
    default:
        text_add(out, "checksum %s\n", name);
        break;
    }
}

static void propose_rows(struct dice *dice, const struct table *table, struct text *out)
{
    size_t row = dice_below(dice, table->rows), other = dice_below(dice, table->rows);
    const char *name = table->name;
    switch (dice_below(dice, 6)) {
    case 0:
        text_add(out, "copy %s %zu %zu\n", name, row, other);
        break;
    case 1:
        text_add(out, "swap %s %zu %zu\n", name, row, other);
        break;
    case 2:
        text_add(out, "append %s %zu\n", name, row);
        break;
    case 3:
        text_add(out, "delete %s %zu\n", name, row);
        break;
    case 4:
        text_add(out, "resize %s %zu\n", name, dice_below(dice, 2 * table->rows + 2));
        break;
    default:
        text_add(out, "take %s %zu %zu %s\n", name, row, other, choose_column(dice, table)->name);
        break;
    }
}

/* Words that relate a row to the others. */
static void propose_cell(struct dice *dice, const struct table *table, struct text *out)
{
    const struct table_column *column = choose_column(dice, table);
    size_t row = dice_below(dice, table->rows);
    if (dice_one_in(dice, 5)) {
        text_add(out, "take %s %zu %zu %s\n", table->name, row, dice_below(dice, table->rows), column->name);
        return;
    }
    if (dice_one_in(dice, 6))
        text_add(out, "fill %s %s ", table->name, column->name);
    else
        text_add(out, "set %s %zu %s ", table->name, row, column->name);
    choose_value(dice, column, out);
    text_add(out, "\n");
}

void results_propose(struct dice *dice, const struct tables *tables, struct text *out)
{
    size_t what = dice_below(dice, 20);
    const struct table *table = choose_table(dice, tables);
    if (what == 0 || (!table->text && !table->columns))
        propose_attribute(dice, tables, out);
    else if (table->text)
        propose_text(dice, table, out);
    else if (what < 4)
        propose_shape(dice, table, out);
    else if (what < 7)
        propose_rows(dice, table, out);
    else
        propose_cell(dice, table, out);
}

/* ---- Applying ---- */

enum { WORDS_MAX = 6 };

static void swap_bytes(unsigned char *a, unsigned char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void apply_rows(struct table *table, const char *what, size_t row, size_t other)
{
    if (!strcmp(what, "resize")) {
        table_resize(table, row);
        return;
    }
    if (!table->rows)
        return;
    row %= table->rows;
    other %= table->rows;
    if (!strcmp(what, "append")) {
        table_resize(table, table->rows + 1);
        other = row;
        row = table->rows - 1;
    }
    for (int i = 0; i < table->columns; i++) {
        struct table_column *column = &table->column[i];
        unsigned char *at = column->cell + row * column->size, *from = column->cell + other * column->size;
        if (!strcmp(what, "swap"))
            swap_bytes(at, from, row == other ? 0 : column->size);
        else if (!strcmp(what, "delete"))
            memmove(at, at + column->size, (table->rows - row - 1) * column->size);
        else if (row != other)
            memcpy(at, from, column->size);
    }
    if (!strcmp(what, "delete"))
        table->rows--;
}

static bool apply_shape(struct table *table, struct table_column *column, const char *what, const char *word)
{
    size_t count;
    if (!strcmp(what, "retype")) {
        hid_t type = table_type(word);
        if (type < 0)
            return false;
        table_retype(table, column, type);
        H5Tclose(type);
    } else if (!strcmp(what, "rename")) {
        free(column->name);
        column->name = value_unescape(word, &count);
    } else { /* move */
        size_t from = (size_t)(column - table->column), to = strtoul(word, NULL, 10) % (size_t)table->columns;
        struct table_column kept = *column;
        memmove(&table->column[from], &table->column[from + 1],
                ((size_t)table->columns - from - 1) * sizeof kept);
        memmove(&table->column[to + 1], &table->column[to], ((size_t)table->columns - to - 1) * sizeof kept);
        table->column[to] = kept;
    }
    return true;
}

static bool apply_add(struct table *table, const char *name, const char *word)
{
    hid_t type = table_type(word);
    if (type < 0)
        return false;
    size_t size = H5Tget_size(type);
    table->column = memory_resize(table->column, (size_t)table->columns + 1, sizeof *table->column);
    table->column[table->columns++] =
        (struct table_column){memory_text(name), type, size, memory_new(table->rows + 1, size)};
    return true;
}

static bool apply_to_column(struct table *table, char **word, int words)
{
    bool cell = !strcmp(word[0], "set"), take = !strcmp(word[0], "take");
    struct table_column *column = table_find(table, cell ? word[3] : take ? word[4] : word[2]);
    if (!column || (cell && words < 5))
        return true;
    size_t row = strtoul(word[2], NULL, 10), other = strtoul(word[3], NULL, 10);
    if (cell && table->rows) {
        table_set(table, column, row % table->rows, word[4]);
    } else if (take && table->rows) {
        if (row % table->rows != other % table->rows)
            memcpy(column->cell + row % table->rows * column->size,
                   column->cell + other % table->rows * column->size, column->size);
    } else if (!strcmp(word[0], "fill")) {
        for (size_t i = 0; i < table->rows; i++)
            table_set(table, column, i, word[3]);
    } else if (!cell && !take) {
        return apply_shape(table, column, word[0], word[3]);
    }
    return true;
}

static bool apply_to_table(struct tables *tables, struct table *table, char **word, int words)
{
    const char *what = word[0];
    size_t count;
    if (!strcmp(what, "drop") && words == 2) {
        tables_drop(tables, (int)(table - tables->table));
    } else if (!strcmp(what, "drop")) {
        struct table_column *column = table_find(table, word[2]);
        if (column && table->columns > 1)
            table_drop_column(table, (int)(column - table->column));
    } else if (!strcmp(what, "checksum")) {
        table->wrong_checksum = true;
    } else if (!strcmp(what, "layout") && words == 3) {
        free(table->layout);
        table->layout = memory_text(word[2]);
    } else if (!strcmp(what, "text") && words == 3) {
        free(table->text);
        table->text = value_unescape(word[2], &count);
    } else if (!strcmp(what, "add") && words == 4) {
        return apply_add(table, word[2], word[3]);
    } else if (strstr("copy swap append delete resize", what) && words >= 3) {
        apply_rows(table, what, strtoul(word[2], NULL, 10), words > 3 ? strtoul(word[3], NULL, 10) : 0);
    } else if (words >= 4) {
        return apply_to_column(table, word, words);
    } else {
        return false;
    }
    return true;
}

bool results_apply(struct tables *tables, const char *line)
{
    char *copy = memory_text(line), *word[WORDS_MAX] = {NULL}, *rest = copy, *value;
    int words = 0;
    bool fine = true;
    for (char *one; words < WORDS_MAX && (one = strtok_r(rest, " \n", &rest));)
        word[words++] = one;
    if (words >= 5 && !strcmp(word[0], "attribute")) {
        size_t count;
        value = value_unescape(word[4], &count);
        tables_attribute(tables, word[1], word[2], *word[3], value);
        free(value);
    } else if (words == 3 && !strcmp(word[0], "forget")) {
        tables_attribute(tables, word[1], word[2], 0, "");
    } else if (words >= 2) {
        struct table *table = tables_find(tables, word[1]);
        fine = !table || apply_to_table(tables, table, word, words);
    } else {
        fine = words == 0;
    }
    free(copy);
    return fine;
}
