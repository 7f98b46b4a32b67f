#include "table/l2_disproved.h"

#include <string.h>

#include "core/column_name.h"

bool l2_disproved_row(const struct frame *results, size_t row)
{
    return !strncmp(frame_find_text(results, row, COLUMN(l2_state)), "disproved", strlen("disproved"));
}
