#include "store/clean.h"

#include <string.h>

/* Bytes of the well-formed character at `text`, or 0. */
static size_t character_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xc2 && lead <= 0xdf ? 2 : (lead & 0xf0) == 0xe0 ? 3 : 0;
    if (lead >= 0xf0 && lead <= 0xf4)
        length = 4;
    /* The second byte's range is narrower after some leads: no overlong forms, surrogates, or beyond 10FFFF.
     */
    unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (!length || text[1] < least || text[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void clean_text(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text) {
        size_t length = character_length((const unsigned char *)text);
        size_t kept = length ? length : 1;
        if (used + kept >= size)
            break;
        if (!length)
            out[used] = '?';
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            out[used] = ' ';
        else
            memcpy(out + used, text, length);
        used += kept;
        text += kept;
    }
    out[used] = '\0';
}
