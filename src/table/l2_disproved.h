/* l2_disproved.h - rows whose counters disprove that L2 was in the state that the axis `cache` names. */
#pragma once

#include <stdbool.h>

#include "core/frame.h"

/* False where it is not known. */
bool l2_disproved_row(const struct frame *results, size_t row);
