/* source.h - device code of families, as text: the macros that it is compiled with and a check that it uses
 * them, the headers that it includes, its tokens. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "family/family.h"

/* A header that device code may include by this name. Tables end with a NULL name. */
struct device_header {
    const char *name, *text;
};

/* Append the -D options of a point's compiled axes to `out`, each followed by a newline. */
void macros_define(const struct point *point, struct text *out);

/* Check that the device code of `family` fits its axes: 0, or -1 (ERROR_USAGE).
 *
 * A name in a preprocessor condition (#if, #ifdef, #ifndef, #elif ...) must be a macro of a compiled axis; or
 * defined by the code or by a header that it includes; or a macro of the compiler: a name that begins with __
 * or with _ and a capital, and a few of CUDA's. Any other name would silently be false. The code must mention
 * each compiled axis by one of its macros; otherwise all values of the axis would run the same code. Axes of
 * a single word are exempt.
 *
 * `file`: name of the source in messages. `headers`: those that #include "..." may name, besides the family's
 * own. */
int macros_check(const struct family *family, const char *file, const struct device_header *headers,
                 struct error *error);

/* ---- Headers of the user's folder, which are read when the family is loaded (includes.c). The compiler gets
 * these texts and looks for nothing in folders, so that what is hashed is what is compiled ---- */

/* Read what `source`, the text of `path`, includes by #include "NAME" from its folder, and what these
 * include, from theirs or that one. Names of `known` and those that no folder has are left out. A table that
 * ends with a NULL name, for includes_free; NULL with an ERROR_USAGE: a file cannot be read, or one name
 * means two files. */
const struct device_header *includes_read(const char *path, const char *source,
                                          const struct device_header *known, struct error *error);
void includes_free(const struct device_header *table); /* NULL: nothing */

/* ---- Tokens of C and CUDA sources, without comments (tokens.c) ---- */

#define TOKEN_TEXT_SIZE 128 /* longer text is truncated */

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* the end of a logical line: not after a backslash, nor within a comment */
    TOKEN_NAME,    /* an identifier or keyword */
    TOKEN_STRING,  /* "...", 'x' or R"(...)"; the text between the quotes, with its escapes */
    TOKEN_OTHER,   /* one character, or a number */
};

#define TOKEN_DIRECTIVE_SIZE 16
struct token {
    enum token_kind kind;
    int line, column; /* from 1; columns count bytes */
    char text[TOKEN_TEXT_SIZE];
    char directive[TOKEN_DIRECTIVE_SIZE]; /* NAME, if this is the first token behind a directive #NAME; else
                                             "" */
};

/* The position in the source; from tokens_start. */
struct tokens {
    const char *at;
    int line, column;
    enum { LINE_START, BEHIND_HASH, BEHIND_NAME, WITHIN_LINE } place;
    char directive[TOKEN_DIRECTIVE_SIZE];
};

struct tokens tokens_start(const char *source);

/* The next token; false, and TOKEN_END, past the last. */
bool tokens_next(struct tokens *tokens, struct token *token);
