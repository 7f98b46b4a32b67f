/* terminal.h - what a terminal takes. A pipe or a file gets plain lines, whatever it is read by. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

/* Whether what was written to the descriptor can be written over: a terminal, and not one that calls itself dumb. */
bool terminal_redraws(int descriptor);

/* Whether it takes colours: the same, and nobody has set NO_COLOR (https://no-color.org). */
bool terminal_colours(int descriptor);

#endif
