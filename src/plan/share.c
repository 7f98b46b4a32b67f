#include "plan/grid.h"

#include <stdio.h>
#include <string.h>

bool share_parse(const char *text, struct share *share)
{
    unsigned number, of;
    int read = 0;
    if (text[strspn(text, "0123456789/")] || sscanf(text, "%6u/%6u%n", &number, &of, &read) != 2 ||
        text[read])
        return false;
    if (number < 1 || of < number || of > SHARES_MAX)
        return false;
    *share = (struct share){number, of};
    return true;
}

bool share_has(const struct share *share, size_t place)
{
    return share->of <= 1 || place % share->of == share->number - 1;
}

size_t share_count(const struct share *share, size_t points)
{
    if (share->of <= 1)
        return points;
    return points / share->of + (points % share->of >= share->number);
}
