#include "store/late.h"

#include <stdlib.h>

#include "base/memory.h"

void late_put(struct late *late, size_t row, int column, union cell cell)
{
    late->cell = memory_grow(late->cell, late->cells, &late->capacity, sizeof *late->cell);
    late->cell[late->cells++] = (struct late_cell){.row = row, .column = column, .cell = cell};
}

void late_settle(struct late *late, struct row_index *index, struct frame *results)
{
    enum { REST_CELLS = 1 << 16 }; /* after which what is spilled is left to its file again */
    for (size_t i = 0; i < late->cells; i++) {
        if (i % REST_CELLS == 0)
            frame_rest(results);
        frame_row(results, late->cell[i].row)[late->cell[i].column] = late->cell[i].cell;
    }
    versions_settle(&late->versions, index, results, late->rows);
    free(late->cell);
    late->cell = NULL;
    late->rows = late->cells = late->capacity = 0;
}

void late_free(struct late *late)
{
    versions_free(&late->versions);
    free(late->cell);
    *late = (struct late){0};
}
