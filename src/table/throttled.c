#include "table/throttled.h"

#include "core/result.h"

const char throttled_meaning[] = "the power limit or heat lowered the clock while the point was timed";

bool throttled_row(const struct frame *results, size_t row)
{
    int column = frame_find(results, COLUMN(throttle_mask));
    if (column < 0 || results->column[column].type != COLUMN_INTEGER)
        return false;
    int64_t mask = frame_cell(results, row, column)->integer;
    return mask != FRAME_NO_INTEGER && ((uint64_t)mask & THROTTLE_SLOWS) != 0;
}
