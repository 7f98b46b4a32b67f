#include "base/suggest.h"

#include "base/text.h"

int suggest_unknown(struct error *error, const char *what, const char *name, const char *const *known)
{
    const char *nearest = text_nearest(name, known);
    if (nearest)
        return error_set(error, ERROR_USAGE, "unknown %s '%.80s' (did you mean '%s'?)", what, name, nearest);
    struct text all = {0};
    for (const char *const *one = known; *one; one++)
        text_add(&all, "%s%s", one == known ? "" : ", ", *one);
    error_set(error, ERROR_USAGE, "unknown %s '%.80s'; known: %.700s", what, name,
              all.data ? all.data : "none");
    text_free(&all);
    return -1;
}
