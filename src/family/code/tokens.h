/* tokens.h - a tokenizer for C and CUDA sources that skips comments. */
#pragma once

#include <stdbool.h>

#define TOKEN_TEXT_SIZE 128 /* longer text is truncated */

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* the end of a logical line: not after a backslash, nor within a comment */
    TOKEN_NAME,    /* an identifier or keyword */
    TOKEN_STRING,  /* "...", 'x' or R"(...)"; the text between the quotes, with its escapes */
    TOKEN_OTHER,   /* one character, or a number */
};

struct token {
    enum token_kind kind;
    int line, column; /* from 1; columns count bytes */
    char text[TOKEN_TEXT_SIZE];
};

/* The position in the source; from tokens_start. */
struct tokens {
    const char *at;
    int line, column;
};

struct tokens tokens_start(const char *source);

/* The next token; false, and TOKEN_END, past the last. */
bool tokens_next(struct tokens *tokens, struct token *token);
