#include "plan/grid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool share_parse(const char *text, struct share *share)
{
    char first[16];
    int64_t number, of;
    const char *slash = strchr(text, '/');
    if (!slash || (size_t)(slash - text) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    if (!text_parse_integer(first, &number) || !text_parse_integer(slash + 1, &of) || number < 1 ||
        of < number || of > SHARES_MAX)
        return false;
    *share = (struct share){(uint32_t)number, (uint32_t)of};
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
