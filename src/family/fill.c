#include "family/fill.h"

#include <string.h>

static int is_whole(enum dtype dtype)
{
    return dtype == DTYPE_U8 || dtype == DTYPE_I32 || dtype == DTYPE_I64;
}

void fill_element(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t index, void *element)
{
    if (is_whole(dtype)) {
        uint64_t whole = fill_integer(fill, seed, index); /* little-endian: the low bytes are the element */
        memcpy(element, &whole, dtype_size(dtype));
        return;
    }
    float real = fill_real(fill, seed, index);
    if (dtype == DTYPE_F32)
        memcpy(element, &real, sizeof real);
    else
        dtype_store(dtype, element, (double)real);
}

void fill_range(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t first, uint64_t count,
                void *out)
{
    uint64_t size = dtype_size(dtype);
    for (uint64_t i = 0; i < count; i++)
        fill_element(fill, dtype, seed, first + i, (char *)out + i * size);
}
