/* error.h - error reporting.
 *
 * A function that can fail returns 0, or -1 after describing the failure in the `struct error` of its caller.
 * Only the command exits; the kind of error is its exit code. */
#pragma once

enum error_kind {
    ERROR_NONE = 0,
    ERROR_USAGE = 2,       /* invalid command line or job file: exit code 2 */
    ERROR_ENVIRONMENT = 3, /* the machine cannot run it: exit code 3 */
};

struct error {
    enum error_kind kind;
    char text[1024]; /* one line, no control characters, cut when longer */
};

/* Describe a failure; returns -1 so that callers write `return error_set(...)`. `error` may be NULL, an
 * argument its text. */
int error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepend "prefix: " to the text; returns -1. */
int error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set ERROR_USAGE "path:line:column: message", or "--option value: message" for texts of the command line. A
 * very long path is cut on its left. Returns -1. */
int error_at(const char *path, int line, int column, struct error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Set ERROR_USAGE: "unknown WHAT 'name' (did you mean 'nearest'?)", or with the list of known names if none
 * is similar. `known` ends with NULL. Returns -1. */
int suggest_unknown(struct error *error, const char *what, const char *name, const char *const *known);
