/* tone.h - how a word or a number strikes the reader, and its colour on a terminal. The words stay: colours only repeat
 * them. */
#pragma once

#include <stdbool.h>

enum tone {
    TONE_PLAIN,
    TONE_HEAD,   /* bold */
    TONE_GOOD,   /* green: faster; near the roof */
    TONE_UNSURE, /* yellow: uncertain; far from the roof */
    TONE_BAD,    /* red: slower, failed */
    TONE_QUIET,  /* dim: unsupported, missing */
};

/* Of a verdict or a status; other words are plain. */
enum tone tone_of_word(const char *word);

/* Of a share of a roof: from 90 % on good, below 50 % unsure. */
enum tone tone_of_share(double share);

/* The escape sequences around a text of that tone. `colours`: terminal_colours; false: both are "". */
const char *tone_begin(enum tone tone, bool colours);
const char *tone_end(enum tone tone, bool colours);
