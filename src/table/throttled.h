/* throttled.h - rows whose clock was held down while they were timed: tables mark them. */
#pragma once

#include <stdbool.h>

#include "core/frame.h"

/* Did the power limit or heat lower the clock during the samples of the row? False where it is not known. */
bool throttled_row(const struct frame *results, size_t row);

/* What a mark at such a row means, for a note. */
extern const char throttled_meaning[];
