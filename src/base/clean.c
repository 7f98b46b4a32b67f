#include "base/clean.h"

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

/* One that a terminal may obey: C0, DEL, or C1, which UTF-8 has as c2 80 to c2 9f. */
static bool is_control(const unsigned char *text)
{
    return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

bool clean_is(const char *text, size_t length)
{
    bool plain = true;
    for (size_t i = 0; i < length && plain; i++)
        plain = text[i] >= 0x20 && text[i] < 0x7f;
    if (plain)
        return true;
    for (size_t i = 0; i < length;) {
        unsigned char at[4] = {0}; /* nothing is read beyond the end */
        memcpy(at, text + i, length - i < 4 ? length - i : 4);
        size_t step = at[0] ? character_length(at) : 0;
        if (!step || is_control(at))
            return false;
        i += step;
    }
    return true;
}

void clean_text(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text) {
        const unsigned char *at = (const unsigned char *)text;
        size_t length = character_length(at), bytes = length ? length : 1;
        bool shown = !length || is_control(at), space = *text == '\t' || *text == '\n' || *text == '\r';
        size_t needed = space ? 1 : shown ? 4 * bytes : bytes;
        if (used + needed >= size)
            break;
        if (space)
            out[used] = ' ';
        else if (!shown)
            memcpy(out + used, text, bytes);
        for (size_t i = 0; i < bytes && shown && !space; i++) {
            static const char digits[] = "0123456789abcdef";
            memcpy(out + used + 4 * i, (const char[]){'\\', 'x', digits[at[i] >> 4], digits[at[i] & 15]}, 4);
        }
        used += needed;
        text += bytes;
    }
    out[used] = '\0';
}
