#include "table/tone.h"

#include <stddef.h>
#include <string.h>

#define NEAR_ROOF 0.9
#define FAR_ROOF  0.5

enum tone tone_of_word(const char *word)
{
    static const struct {
        const char *word;
        enum tone tone;
    } words[] = {
        {"faster", TONE_GOOD}, {"slower", TONE_BAD},  {"uncertain", TONE_UNSURE}, {"unsupported", TONE_QUIET},
        {"failed", TONE_BAD},  {"crashed", TONE_BAD}, {"timed_out", TONE_BAD},    {"unavailable", TONE_BAD},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return words[i].tone;
    return TONE_PLAIN;
}

enum tone tone_of_share(double share)
{
    return share >= NEAR_ROOF ? TONE_GOOD : share < FAR_ROOF ? TONE_UNSURE : TONE_PLAIN;
}

const char *tone_begin(enum tone tone, bool colours)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "",          [TONE_HEAD] = "\033[1m", [TONE_GOOD] = "\033[32m",
        [TONE_UNSURE] = "\033[33m", [TONE_BAD] = "\033[31m", [TONE_QUIET] = "\033[2m",
    };
    return colours ? codes[tone] : "";
}

const char *tone_end(enum tone tone, bool colours)
{
    return colours && tone != TONE_PLAIN ? "\033[0m" : "";
}
