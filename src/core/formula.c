#include "core/formula.h"

#include <stddef.h>

const char *const formula_words[FORMULA_COUNT + 1] = {"",
#define X(name) #name,
                                                      FORMULAS(X)
#undef X
};
