#include "plan/utf8.h"

#include <stdint.h>

/* Bytes of the character at `at`, 0 when it is no UTF-8 (RFC 3629, section 4: no overlong forms, no
 * surrogates, nothing above U+10FFFF). */
static size_t character_length(const unsigned char *at, size_t left)
{
    unsigned char first = at[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                    : first >= 0xe0 && first <= 0xef ? 3
                    : first >= 0xf0 && first <= 0xf4 ? 4
                                                     : 0;
    if (length == 0 || length > left)
        return 0;
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

const char *utf8_fault(const char *text, size_t size, struct utf8_place *place)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        unsigned char c = bytes[i];
        size_t length = character_length(bytes + i, size - i);
        const char *fault = NULL;
        if (c == 0)
            fault = "there is a NUL byte here";
        else if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            fault = "there is a control character here";
        else if (length == 0)
            fault = "these bytes are not UTF-8";
        if (fault) {
            *place = utf8_place_of(text, i);
            return fault;
        }
        i += length;
    }
    return NULL;
}

struct utf8_place utf8_place_of(const char *text, size_t offset)
{
    struct utf8_place place = {1, 1};
    for (size_t i = 0; i < offset; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            place.line++;
            place.column = 1;
        } else if ((c & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}
