#include "kernels/collective/collective.h"

const char *const collective_operations[] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv", NULL};

bool collective_has_parts(const struct point *point)
{
    return operation_of(point) == ALL_GATHER || operation_of(point) == REDUCE_SCATTER ||
           operation_of(point) == ALL_TO_ALL;
}

uint64_t collective_part(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE], element = dtype_size(type_of(point));
    return collective_has_parts(point)
               ? bytes / (uint64_t)devices_of(point) / COLLECTIVE_PART_BYTES * COLLECTIVE_PART_BYTES / element
               : bytes / element;
}

int collective_input(const struct point *point, int device)
{
    return operation_of(point) == BROADCAST ? 0 : device;
}

int collective_output(const struct point *point, int device)
{
    int inputs = operation_of(point) == BROADCAST ? 1 : devices_of(point);
    return is_in_place(point) ? device : inputs + device;
}
