/* human.h - cells as people read them: numbers in the units that fit. */
#pragma once

#include "core/frame.h"

/* One cell: 12.3us, 64MiB, 4290 GB/s, 93.1 %; a dash when missing. Bytes of an axis are exact, others have up
 * to four digits. Texts are cut to `size`. */
void human_cell(const struct column *column, union cell cell, char *out, size_t size);
