#include "output/mark.h"

#include "store/store.h"

void mark_print(FILE *out, enum markup markup, const char *before, const char *after)
{
    const char *salvaged = dataset_salvaged();
    if (!salvaged)
        return;
    fprintf(out, "%sNot verified: ", before);
    markup_print(out, markup, salvaged);
    fprintf(out, ".%s", after);
}

void mark_add(struct text *out)
{
    const char *salvaged = dataset_salvaged();
    if (salvaged)
        text_add(out, " Not verified: %s.", salvaged);
}
