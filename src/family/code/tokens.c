#include "family/code/source.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct tokens tokens_start(const char *source)
{
    return (struct tokens){.at = source, .line = 1, .column = 1};
}

static void advance(struct tokens *t)
{
    if (*t->at == '\n') {
        t->line++;
        t->column = 0;
    }
    t->at++;
    t->column++;
}

/* A backslash before the end of a line joins it to the next. */
static void join_lines(struct tokens *t)
{
    for (;;) {
        size_t end = 0;
        if (!strncmp(t->at, "\\\n", 2))
            end = 2;
        else if (!strncmp(t->at, "\\\r\n", 3))
            end = 3;
        if (!end)
            return;
        for (size_t i = 0; i < end; i++)
            advance(t);
    }
}

/* The character after those read; NUL at the end. */
static char peek(struct tokens *t)
{
    join_lines(t);
    return *t->at;
}

static void take(struct tokens *t, struct token *token)
{
    size_t length = strlen(token->text);
    if (length + 1 < sizeof token->text)
        token->text[length] = peek(t);
    advance(t);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Spaces and comments, up to the end of the line. */
static void skip_blank(struct tokens *t)
{
    for (char c = peek(t); c; c = peek(t)) {
        if (c == '/' && t->at[1] == '*') {
            advance(t);
            advance(t);
            while (*t->at && !(t->at[0] == '*' && t->at[1] == '/'))
                advance(t);
            for (int i = 0; i < 2 && *t->at; i++)
                advance(t);
        } else if (c == '/' && t->at[1] == '/') {
            while (peek(t) && peek(t) != '\n')
                advance(t);
        } else if (c != '\n' && isspace((unsigned char)c)) {
            advance(t);
        } else {
            return;
        }
    }
}

/* Up to the same quote, or the end of the line. */
static void read_string(struct tokens *t, struct token *token)
{
    char quote = peek(t);
    token->kind = TOKEN_STRING;
    advance(t);
    while (peek(t) && peek(t) != quote && peek(t) != '\n') {
        if (peek(t) == '\\' && t->at[1])
            take(t, token);
        take(t, token);
    }
    if (peek(t) == quote)
        advance(t);
}

/* R"word(...)word": nothing in it is an escape, and lines are not joined. */
static void read_raw_string(struct tokens *t, struct token *token)
{
    char end[TOKEN_TEXT_SIZE] = ")";
    size_t length = 1;
    for (advance(t); *t->at && *t->at != '(' && length + 2 < sizeof end; advance(t))
        end[length++] = *t->at;
    end[length++] = '"';
    while (*t->at && strncmp(t->at, end, length) != 0)
        advance(t);
    for (size_t i = 0; i < length && *t->at; i++)
        advance(t);
    *token = (struct token){.kind = TOKEN_STRING, .line = token->line, .column = token->column};
}

static void read_name(struct tokens *t, struct token *token)
{
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    token->kind = TOKEN_NAME;
    while (is_name(peek(t)))
        take(t, token);
    if (peek(t) == '"' && text_find(raw, token->text) >= 0)
        read_raw_string(t, token);
}

/* 0x1Full, 1'000, 1.5e-3f: no part of it is a name. */
static void read_number(struct tokens *t, struct token *token)
{
    token->kind = TOKEN_OTHER;
    for (char c = peek(t); is_name(c) || c == '.' || (c == '\'' && is_name(t->at[1])); c = peek(t)) {
        bool exponent = strchr("eEpP", c) != NULL; /* of hexadecimal numbers too: so C reads them */
        take(t, token);
        if (exponent && (peek(t) == '+' || peek(t) == '-'))
            take(t, token);
    }
}

/* A directive begins with # as the first token of a line. */
static void follow_directive(struct tokens *t, struct token *token)
{
    bool hash = t->place == LINE_START && !strcmp(token->text, "#"),
         name = t->place == BEHIND_HASH && token->kind == TOKEN_NAME;
    if (t->place == BEHIND_NAME)
        memcpy(token->directive, t->directive, sizeof token->directive);
    if (name)
        snprintf(t->directive, sizeof t->directive, "%.*s", TOKEN_DIRECTIVE_SIZE - 1, token->text);
    t->place = name ? BEHIND_NAME : WITHIN_LINE;
    if (token->kind == TOKEN_NEWLINE)
        t->place = LINE_START;
    else if (hash)
        t->place = BEHIND_HASH;
}

bool tokens_next(struct tokens *t, struct token *token)
{
    skip_blank(t);
    char c = peek(t);
    *token = (struct token){.kind = TOKEN_OTHER, .line = t->line, .column = t->column};
    if (!c)
        token->kind = TOKEN_END;
    else if (c == '"' || c == '\'')
        read_string(t, token);
    else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)t->at[1])))
        read_number(t, token);
    else if (is_name(c))
        read_name(t, token);
    else
        take(t, token);
    if (c == '\n')
        token->kind = TOKEN_NEWLINE;
    follow_directive(t, token);
    return token->kind != TOKEN_END;
}
