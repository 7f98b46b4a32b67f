#include "figure/tables/rows.h"

void rows_add(struct merged *table, const char *group, const char *kernel, const char *const *names,
              const double *values, int count)
{
    struct frame *frame = &table->all.results;
    size_t row = frame->rows;
    int kernel_column = frame_add_column(frame, COLUMN(kernel), COLUMN_TEXT, ROLE_IDENTITY, "", "");
    int status = frame_add_column(frame, COLUMN(status), COLUMN_TEXT, ROLE_STATUS, "", "");
    int repeat = frame_add_column(frame, COLUMN(repeat), COLUMN_INTEGER, ROLE_IDENTITY, "", "");
    int source = frame_add_column(frame, MERGE_GROUP, COLUMN_TEXT, ROLE_IDENTITY, "", "");
    for (int i = 0; i < count; i++)
        frame_add_column(frame, names[i], COLUMN_REAL, ROLE_OTHER, "", "");
    frame_add_row(frame);
    frame_put_text(frame, row, kernel_column, kernel);
    frame_put_text(frame, row, status, status_words[STATUS_OK]);
    frame_put_integer(frame, row, repeat, 0);
    frame_put_text(frame, row, source, group);
    for (int i = 0; i < count; i++)
        frame_put_real(frame, row, frame_find(frame, names[i]), values[i]);
}

void rows_add_word(struct merged *table, const char *name, const char *word)
{
    struct frame *frame = &table->all.results;
    int column = frame_add_column(frame, name, COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_put_text(frame, frame->rows - 1, column, word);
}
