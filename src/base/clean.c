#include "base/text.h"

#include <string.h>

#include "base/memory.h"

/* Length in bytes of the well-formed UTF-8 character (Unicode 15, table 3-7) at `text`; 0 if there is none.
 * Reads up to `left` bytes, at least one. */
static size_t character_length(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t length = (lead & 0xf0) == 0xe0 ? 3 : 0;
    if (lead >= 0xc2 && lead <= 0xdf)
        length = 2;
    if (lead >= 0xf0 && lead <= 0xf4)
        length = 4;
    /* After some leads the second byte has a narrower range: no overlong forms, surrogates, or code points
     * above 10FFFF. */
    unsigned char min = lead == 0xf0 ? 0x90 : 0x80;
    if (lead == 0xe0)
        min = 0xa0;
    unsigned char max = lead == 0xf4 ? 0x8f : 0xbf;
    if (lead == 0xed)
        max = 0x9f;
    if (!length || length > left || text[1] < min || text[1] > max)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* C0, DEL, or C1, which is c2 80 to c2 9f in UTF-8. */
static bool is_control(const unsigned char *text)
{
    return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

/* What reorders the text around it (UAX #9): 061c, 200e, 200f, 202a to 202e and 2066 to 2069. */
static bool is_bidirectional(const unsigned char *text)
{
    if (text[0] == 0xd8)
        return text[1] == 0x9c;
    if (text[0] != 0xe2)
        return false;
    return (text[1] == 0x80 &&
            (text[2] == 0x8e || text[2] == 0x8f || (text[2] >= 0xaa && text[2] <= 0xae))) ||
           (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9);
}

static bool is_harmful(const unsigned char *text)
{
    return is_control(text) || is_bidirectional(text);
}

bool clean_is(const char *text, size_t length)
{
    bool plain = true;
    for (size_t i = 0; i < length && plain; i++)
        plain = text[i] >= 0x20 && text[i] < 0x7f;
    if (plain)
        return true;
    for (size_t i = 0; i < length;) {
        const unsigned char *at = (const unsigned char *)text + i;
        size_t step = character_length(at, length - i);
        if (!step || is_harmful(at))
            return false;
        i += step;
    }
    return true;
}

void clean_text(const char *text, char *out, size_t size)
{
    size_t used = 0, left = strlen(text);
    while (*text) {
        const unsigned char *at = (const unsigned char *)text;
        size_t length = character_length(at, left), bytes = length ? length : 1;
        bool shown = !length || is_harmful(at), space = *text == '\t' || *text == '\n' || *text == '\r';
        size_t needed = shown ? 4 * bytes : bytes;
        if (space)
            needed = 1;
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
        left -= bytes;
    }
    out[used] = '\0';
}

char *clean_copy(const char *text)
{
    size_t size = 4 * strlen(text) + 1;
    char *copy = memory_new(size, 1);
    clean_text(text, copy, size);
    return copy;
}
