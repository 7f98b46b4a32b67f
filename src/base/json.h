/* json.h - writing JSON: texts and numbers, and objects and lists with their commas. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A document: start from {.out = FILE}. `name` is that of a member of an object, NULL in a list. Members of
 * the document, and of lists and objects in it, have lines of their own; what is deeper follows on the
 * line. */
struct json {
    FILE *out;
    int depth;
    bool more; /* the next member follows another */
};
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_add_text(struct json *json, const char *name, const char *text); /* NULL: null */
void json_add_integer(struct json *json, const char *name, int64_t value);
void json_add_real(struct json *json, const char *name, double value);
void json_add_bool(struct json *json, const char *name, bool value);
