/* print_text.h - a view as a table for people: numbers in the units that fit them, with their intervals. */
#pragma once

#include <stdio.h>

#include "table/view.h"

/* A number has its interval beside it, whose ends are then no columns of their own. In colours if `out` is a terminal. */
void print_text(FILE *out, const struct view *view);

/* One cell for people: 12.3us, 64MiB, 4290 GB/s; a dash when missing. Bytes of an axis are exact, others have up to four
 * digits. Texts are cut to `size`. */
void print_human(const struct column *column, union cell cell, char *out, size_t size);
