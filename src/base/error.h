/* error.h - how a function tells its caller what went wrong.
 *
 * A function that can fail returns 0, or -1 after describing the failure in the `struct error` that
 * the caller passed. Nothing here exits: the command decides, from the kind, what the exit code is. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error_kind {
    ERROR_NONE = 0,
    ERROR_USAGE = 2,       /* bad command line or bad job file: exit code 2 */
    ERROR_ENVIRONMENT = 3, /* this machine cannot do it: exit code 3 */
};

struct error {
    enum error_kind kind;
    char text[1024]; /* one line, no control characters, cut when longer */
};

/* Describe a failure; returns -1 so that callers write `return error_set(...)`. `error` may be NULL. */
int error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the text that is there already; returns -1. */
int error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
