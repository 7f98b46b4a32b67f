/* text_changes.h - a text with some of its tokens changed: it stays close to what its reader expects. */
#pragma once

#include "base/text.h"
#include "dice.h"

/* Append `original` with a few changes. */
void text_mutate(struct dice *dice, const char *original, struct text *out);
