/* terminal.h - what a terminal can do. Pipes and files get plain lines. */
#pragma once

#include <stdbool.h>

/* Whether lines on the descriptor can be overwritten: a terminal that is not TERM=dumb. */
bool terminal_redraws(int descriptor);
