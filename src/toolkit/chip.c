#include "toolkit/chip.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error)
{
    bool *has = memory_new((size_t)count + 1, sizeof *has);
    struct text missing = {0};
    uint32_t passes = 0;
    int lacks = 0, failed = toolkit_ask_chip(toolkit, chip, columns, count, has, &passes, error);
    for (int i = 0; i < count && !failed; i++)
        if (!has[i])
            text_add(&missing, "%s%s", lacks++ ? ", " : "", columns[i]);
    const char *plural = passes == 1 ? "" : "es";
    if (!failed && !lacks)
        printf("%s: all %d columns of %s, in %u pass%s\n", chip, count, what, passes, plural);
    else if (!failed)
        printf("%s: %d of %d columns of %s, in %u pass%s; it has no %s\n", chip, count - lacks, count, what,
               passes, plural, missing.data);
    text_free(&missing);
    free(has);
    return failed ? -1 : lacks;
}
