#include "text_changes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "values.h"

/* A token: a word or number, a run of blanks, or any other single byte. */
struct token {
    size_t start, length;
};

static struct token *split(const char *text, size_t *count)
{
    struct token *token = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t at = 0; text[at];) {
        size_t end = at + 1;
        if (isalnum((unsigned char)text[at]) || text[at] == '_')
            while (isalnum((unsigned char)text[end]) || text[end] == '_' || text[end] == '.')
                end++;
        else if (text[at] == ' ')
            while (text[end] == ' ')
                end++;
        token = memory_grow(token, *count, &capacity, sizeof *token);
        token[(*count)++] = (struct token){at, end - at};
        at = end;
    }
    return token;
}

static bool is_word(const char *text, const struct token *token)
{
    return isalnum((unsigned char)text[token->start]);
}

/* A token of that kind, so that most changes hit names and values. */
static size_t choose(struct dice *dice, const char *text, const struct token *token, size_t count)
{
    size_t at = dice_below(dice, count);
    for (int tries = 0; tries < 4 && !is_word(text, &token[at]); tries++)
        at = dice_below(dice, count);
    return at;
}

static void add_value(struct dice *dice, struct text *out)
{
    static const char *const odd[] = {"1e999",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "-1",
                                      "0",
                                      "1GiB",
                                      "16EiB",
                                      "8388608TiB",
                                      "1e18",
                                      "{from: 1, to: 9223372036854775807, factor: 2}",
                                      "{from: 1, to: 1e18, step: 1}",
                                      "[]",
                                      "[1, 1, 1]",
                                      "{}",
                                      "~",
                                      "null",
                                      "true",
                                      "&a [*a]",
                                      "*a",
                                      "!!binary x",
                                      "\"\\u0000\"",
                                      "'",
                                      "|",
                                      ">",
                                      "-",
                                      ":",
                                      "#",
                                      ",",
                                      "=",
                                      "..",
                                      "1..2",
                                      "!=1",
                                      "<=0",
                                      "nan",
                                      "inf",
                                      "0.0",
                                      "1%",
                                      "1e-300s",
                                      "999999h",
                                      "f64",
                                      "all",
                                      "copy",
                                      "sm_90",
                                      "arch",
                                      "entry=",
                                      "shared=-1",
                                      "threads=1025",
                                      "kernel",
                                      "axes",
                                      "zip",
                                      "exclude",
                                      "sweeps"};
    struct text word = {0};
    size_t length;
    switch (dice_below(dice, 4)) {
    case 0:
        value_integer(dice, out);
        return;
    case 1:
        value_text(dice, &word);
        break;
    case 2:
        value_real(dice, out);
        return;
    default:
        text_add(out, "%s", DICE_PICK(dice, odd));
        return;
    }
    char *bytes = value_unescape(word.data, &length);
    text_append(out, bytes, strlen(bytes));
    free(bytes);
    text_free(&word);
}

/* One change of `text`, which has a token. */
static void change(struct dice *dice, const char *text, struct text *out)
{
    size_t count;
    struct token *token = split(text, &count);
    const struct token *at = &token[choose(dice, text, token, count)],
                       *other = &token[choose(dice, text, token, count)];
    size_t line = at->start, end = at->start + at->length, size = strlen(text);
    while (line && text[line - 1] != '\n')
        line--;
    while (end < size && text[end - 1] != '\n')
        end++;
    switch (dice_below(dice, 9)) {
    case 0: /* without it */
        text_append(out, text, at->start);
        break;
    case 1: /* twice */
        text_append(out, text, at->start + at->length);
        text_append(out, text + at->start, at->length);
        break;
    case 2: /* another in its place */
        text_append(out, text, at->start);
        text_append(out, text + other->start, other->length);
        break;
    case 3: /* its line twice */
        text_append(out, text, end);
        text_append(out, text + line, size - line);
        free(token);
        return;
    case 4: /* without its line */
        text_append(out, text, line);
        text_append(out, text + end, size - end);
        free(token);
        return;
    case 5: /* cut off */
        if (dice_one_in(dice, 4)) {
            text_append(out, text, at->start);
            free(token);
            return;
        } /* fall through */
    default:
        text_append(out, text, at->start);
        add_value(dice, out);
        break;
    }
    text_append(out, text + at->start + at->length, size - at->start - at->length);
    free(token);
}

void text_mutate(struct dice *dice, const char *original, struct text *out)
{
    struct text now = {0};
    text_append(&now, original, strlen(original));
    for (size_t rounds = 1 + dice_below(dice, 3); rounds && now.length; rounds--) {
        struct text next = {0};
        change(dice, now.data, &next);
        text_free(&now);
        now = next;
    }
    text_append(out, now.data ? now.data : "", now.length);
    text_free(&now);
}
