#include "store/hdf5_results.h"

#include <string.h>

#include "store/contents.h"

/* What is done with rows as they come: once, because going over all of them again means reading them back. */
struct results_reader {
    const struct hdf5_source *source;
    const struct dataset *dataset;
    struct row_index *index; /* NULL: they are in it */
    struct row_check check;
    struct index_columns column;
    size_t rows;                  /* that were indexed */
    const struct column *columns; /* likewise */
    int column_count;
};

static int check_block(struct results_reader *reader, const union cell *cell, size_t rows)
{
    char why[256];
    if (!reader->check.row && contents_check_columns(reader->dataset, why, sizeof why) != 0)
        return hdf5_misfit(reader->source, why);
    return contents_check_rows(reader->dataset, &reader->check, cell, rows, why, sizeof why) == 0
               ? 0
               : hdf5_misfit(reader->source, why);
}

static int index_block(void *of, const struct frame *results, const union cell *cell, size_t rows)
{
    struct results_reader *reader = of;
    if (!reader->check.row)
        reader->column = index_columns_of(results);
    if (check_block(reader, cell, rows) != 0)
        return -1;
    for (size_t i = 0; i < rows; i++, cell += results->columns)
        row_index_add(reader->index, row_key_read(&reader->column, cell),
                      row_facts_read(&reader->column, cell));
    return 0;
}

static int changed(const struct results_reader *reader)
{
    return hdf5_misfit(reader->source, "/results has changed since it was opened");
}

static int add_block(void *of, const struct frame *results, const union cell *cell, size_t rows)
{
    struct results_reader *reader = of;
    if (results->columns != reader->column_count || rows > reader->rows - reader->check.row)
        return changed(reader);
    for (int i = 0; i < results->columns && !reader->check.row; i++)
        if (results->column[i].type != reader->columns[i].type)
            return changed(reader);
    return check_block(reader, cell, rows);
}

static bool is_looked_at(const char *column)
{
    return index_column_is_read(column) || !strcmp(column, COLUMN(sample_offset)) ||
           !strcmp(column, COLUMN(sample_count));
}

/* A file without rows, too, has columns to check. */
static int read(const struct hdf5_source *source, struct dataset *dataset, const struct row_reader *reader)
{
    char why[256];
    if (hdf5_read_frame(source, "results", &dataset->results, reader) != 0)
        return -1;
    return contents_check_columns(dataset, why, sizeof why) == 0 ? 0 : hdf5_misfit(source, why);
}

int hdf5_results_read(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index)
{
    struct results_reader of = {.source = source, .dataset = dataset, .index = index};
    return read(source, dataset, &(struct row_reader){.see = index_block, .of = &of});
}

int hdf5_results_index(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index)
{
    struct results_reader of = {.source = source, .dataset = dataset, .index = index};
    return read(source, dataset, &(struct row_reader){.see = index_block, .of = &of, .wants = is_looked_at});
}

int hdf5_results_add(const struct hdf5_source *source, struct dataset *dataset, const struct column *columns,
                     size_t rows)
{
    struct results_reader of = {.source = source,
                                .dataset = dataset,
                                .rows = rows,
                                .columns = columns,
                                .column_count = dataset->results.columns};
    if (read(source, dataset, &(struct row_reader){.see = add_block, .of = &of}) != 0)
        return -1;
    return of.check.row == rows ? 0 : changed(&of);
}
