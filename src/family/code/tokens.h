/* tokens.h - the names in a source of C or CUDA, without its comments, strings and numbers. */
#ifndef FAMILY_CODE_TOKENS_H
#define FAMILY_CODE_TOKENS_H

#include <stdbool.h>

#define TOKEN_TEXT_SIZE 128 /* what is longer is cut */

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* the end of a logical line: not behind a backslash, nor within a comment */
    TOKEN_NAME,    /* an identifier or keyword */
    TOKEN_STRING,  /* "...", 'x' or R"(...)"; the text is what is between the quotes, as it is written */
    TOKEN_OTHER,   /* one character, or a whole number */
};

struct token {
    enum token_kind kind;
    int line, column; /* from 1; columns are bytes */
    char text[TOKEN_TEXT_SIZE];
};

/* Where reading is. Start from tokens_start. */
struct tokens {
    const char *at;
    int line, column;
};

struct tokens tokens_start(const char *source);

/* The next token; false, and TOKEN_END, past the last. */
bool tokens_next(struct tokens *tokens, struct token *token);

#endif
