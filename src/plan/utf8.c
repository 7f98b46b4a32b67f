#include "plan/utf8.h"

#include "base/clean.h"

const char *utf8_fault(const char *text, size_t size, struct utf8_place *place)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        unsigned char c = bytes[i];
        size_t length = clean_character_length(bytes + i, size - i);
        const char *fault = NULL;
        if (c == 0)
            fault = "NUL byte";
        else if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            fault = "control character";
        else if (length == 0)
            fault = "invalid UTF-8";
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
