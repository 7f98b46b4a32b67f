/* texts.h - the inputs that people write: job files, device profiles, lists of machine code and of claims. */
#pragma once

#include "checks.h"

enum { TEXT_KINDS = 4 };
extern const char *const text_kinds[TEXT_KINDS];

/* A file of that kind to start from, chosen by the dice. The caller frees it. */
char *texts_choose(int kind, struct dice *dice, const char *source);

/* Put `text` into the trial's folder, and run the commands that take it. */
void texts_try(int kind, const char *text, const struct trial *trial);
