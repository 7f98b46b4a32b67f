#include "paper/svg_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/key_set.h"

/* ---- Attributes ---- */

/* rgb( 51,  51,  51) → #333333; black and white too, so that a page can recolour them. */
static size_t put_colour(const char *from, struct text *out)
{
    int r, g, b, length = 0;
    if (sscanf(from, "rgb(%d ,%d ,%d )%n", &r, &g, &b, &length) == 3 && length) {
        text_add(out, "#%02x%02x%02x", (unsigned)r & 255U, (unsigned)g & 255U, (unsigned)b & 255U);
        return (size_t)length;
    }
    if (!strncmp(from, "black", 5)) {
        text_add(out, "#000000");
        return 5;
    }
    if (!strncmp(from, "#FFFFFF", 7)) {
        text_add(out, "#ffffff");
        return 7;
    }
    return 0;
}

/* What all groups have alike stands in the page's <svg>, and names are dropped. */
static size_t skipped(const char *from)
{
    static const char *const common[] = {" stroke-linecap=\"round\"",
                                         " stroke-linejoin=\"round\"",
                                         " font-family=\"Sans\"",
                                         " class=\"gridline\"",
                                         " fill=\"none\"",
                                         " color=\"black\"",
                                         " stroke=\"currentColor\""};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (!strncmp(from, common[i], strlen(common[i])))
            return strlen(common[i]);
    if (!strncmp(from, " id=\"", 5))
        return 5 + strcspn(from + 5, "\"") + 1;
    return 0;
}

void svg_put_tag(const char *tag, size_t length, const char *prefix, struct text *out)
{
    const char *end = tag + length;
    char quote = '\0';
    while (tag < end) {
        size_t taken = quote ? put_colour(tag, out) : skipped(tag);
        if (taken) {
            tag += taken;
            continue;
        }
        if (!strncmp(tag, "xlink:href", 10)) {
            tag += 6;
        } else if (!strncmp(tag, "gpPt", 4) || !strncmp(tag, "gpDot", 5)) {
            text_add(out, "%s%s", prefix, tag[2] == 'P' ? "" : "dot");
            tag += tag[2] == 'P' ? 4 : 5;
        } else {
            bool space = *tag == ' ' || *tag == '\t' || *tag == '\n';
            if (*tag == '\'' || *tag == '"')
                quote = quote ? '\0' : *tag;
            if (!(space && (tag[1] == ' ' || tag[1] == '\'' || tag[1] == '>' || tag[1] == '/')))
                text_add(out, "%c", space ? ' ' : *tag == '\'' ? '"' : *tag);
            tag++;
        }
    }
}

/* ---- Paths ---- */

/* A point of a path, from the one before it: along x or y alone as H and V. */
static void put_point(const char *word, const char *before, struct text *piece)
{
    const char *comma = strchr(word, ','), *old = strchr(before, ',');
    bool line = *word == 'L' && comma && old;
    if (line && !strcmp(comma, old))
        text_add(piece, "H%.*s", (int)(comma - word - 1), word + 1);
    else if (line && comma - word == old - before &&
             !strncmp(word + 1, before + 1, (size_t)(comma - word - 1)))
        text_add(piece, "V%s", comma + 1);
    else
        text_add(piece, "%s", word);
}

/* From one M to the next: true when it goes anywhere. Words are "M1.00,2.00", "L1.00,3.00" and "z". */
static bool put_piece(const char *at, const char *end, struct text *piece)
{
    bool goes = false;
    char before[64] = "", word[64];
    int taken = 0;
    while (at < end && sscanf(at, " %63[^ \t\n']%n", word, &taken) == 1 && at + taken <= end) {
        if (word[0] >= '0' && word[0] <= '9') { /* a line goes on */
            char line[64];
            snprintf(line, sizeof line, "L%.62s", word);
            memcpy(word, line, sizeof word);
        }
        goes = goes || (*before && strcmp(word + 1, before + 1) != 0);
        if (!*before || *word == 'z' || strcmp(word + 1, before + 1) != 0)
            put_point(word, before, piece);
        memcpy(before, word, sizeof before);
        at += taken;
    }
    return goes;
}

void svg_put_pieces(const char *d, size_t length, struct text *out)
{
    const char *end = d + length;
    struct keys seen = {0};
    while (d < end) {
        const char *next = d + 1;
        struct text piece = {0};
        while (next < end && *next != 'M')
            next++;
        if (put_piece(d, next, &piece) && keys_add(&seen, hash_bytes(HASH_START, piece.data, piece.length)))
            text_append(out, piece.data, piece.length);
        text_free(&piece);
        d = next;
    }
    keys_free(&seen);
}
