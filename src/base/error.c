#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

int error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (!error)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    char raw[sizeof error->text];
    error->kind = kind;
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    clean_text(raw, error->text, sizeof error->text); /* it may quote untrusted input */
    return -1;
}

int error_prefix(struct error *error, const char *format, ...)
{
    if (!error)
        return -1;
    char prefix[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return error_set(error, error->kind, "%s: %s", prefix, error->text);
}

int error_at(const char *path, int line, int column, struct error *error, const char *format, ...)
{
    enum { LONGEST = 300 }; /* of a path: the message must keep its room */
    char message[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t length = strlen(path);
    bool cut = length > LONGEST;
    if (!strncmp(path, "--", 2)) /* an option has no lines and columns */
        return error_set(error, ERROR_USAGE, "%.*s: %s", LONGEST, path, message);
    return error_set(error, ERROR_USAGE, "%s%s:%d:%d: %s", cut ? "..." : "",
                     cut ? path + length - LONGEST : path, line, column, message);
}

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
