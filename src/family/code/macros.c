#include "family/code/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/key_set.h"

/* ---- the macros of an axis ---- */

/* A macro: the name of an axis, and a word. */
enum { MACRO_SIZE = 2 * AXIS_TEXT_SIZE };

/* Macro number `i` of those that the values of the axis define, were it compiled; false: it has fewer. Those
 * of words are numbered as the words, but types have two before. */
static bool macro_at(const struct axis *axis, int i, char out[MACRO_SIZE])
{
    static const char *const of_types[] = {"ELEMENT", "ELEMENT_SIZE"};
    bool dtype = dtype_are_words(axis->words);
    if (dtype && i < 2) {
        snprintf(out, MACRO_SIZE, "%s", of_types[i]);
    } else if (axis->kind == AXIS_WORD) {
        const char *word = axis->words[dtype ? i - 2 : i];
        snprintf(out, MACRO_SIZE, "%s_%s", dtype ? "DTYPE" : axis->name, word ? word : "");
        return word != NULL;
    } else {
        snprintf(out, MACRO_SIZE, "%s", axis->name);
        for (char *c = out; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        return i == 0;
    }
    return true;
}

static bool has_macros(const struct axis *axis)
{
    return axis->compiled && axis->kind != AXIS_ARCH;
}

void macros_define(const struct point *point, struct text *out)
{
    char macro[MACRO_SIZE];
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        int64_t value = point->value[i];
        if (!has_macros(axis))
            continue;
        if (dtype_are_words(axis->words)) {
            text_add(out, "-DDTYPE_%s=1\n-DELEMENT=%s\n-DELEMENT_SIZE=%d\n", axis->words[value],
                     dtype_cuda((enum dtype)value), (int)dtype_size((enum dtype)value));
            continue;
        }
        macro_at(axis, axis->kind == AXIS_WORD ? (int)value : 0, macro);
        text_add(out, "-D%s=%lld\n", macro, axis->kind == AXIS_WORD ? 1LL : (long long)value);
    }
}

/* ---- what the device code mentions ---- */

struct survey {
    const struct family *family;
    const char *file;
    const struct device_header *headers;
    /* Hashes of names: macros of compiled axes; those of them that the code has; what the code defines;
     * headers that were read. */
    struct keys macros, mentioned, defined, included;
};

static bool add(struct keys *names, const char *name)
{
    return keys_add(names, hash_text(HASH_START, name));
}

static bool has(const struct keys *names, const char *name)
{
    return keys_have(names, hash_text(HASH_START, name));
}

static void read_names(struct survey *survey, const char *source);

static void include(struct survey *survey, const struct device_header *header, const char *name)
{
    for (; header && header->name; header++)
        if (!strcmp(header->name, name) && add(&survey->included, name))
            read_names(survey, header->text);
}

/* What a source and the headers that it includes mention and define. */
static void read_names(struct survey *survey, const char *source)
{
    struct tokens tokens = tokens_start(source);
    struct token token;
    while (tokens_next(&tokens, &token)) {
        if (token.kind == TOKEN_NAME && !strcmp(token.directive, "define")) {
            add(&survey->defined, token.text);
        } else if (token.kind == TOKEN_STRING && !strcmp(token.directive, "include")) {
            include(survey, survey->headers, token.text);
            include(survey, survey->family->headers, token.text);
        } else if (token.kind == TOKEN_NAME && has(&survey->macros, token.text)) {
            add(&survey->mentioned, token.text);
        }
    }
}

/* ---- conditions ---- */

static bool is_condition(const char *directive)
{
    static const char *const conditions[] = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", NULL};
    return text_find(conditions, directive) >= 0;
}

/* Names that mean something in a condition though nobody here defines them: C++'s, CUDA's, and reserved
 * ones. */
static bool is_predefined(const char *name)
{
    static const char *const names[] = {"defined",
                                        "true",
                                        "false",
                                        "and",
                                        "or",
                                        "not",
                                        "xor",
                                        "bitand",
                                        "bitor",
                                        "compl",
                                        "not_eq",
                                        "CUDA_VERSION",
                                        "CUDART_VERSION",
                                        "CUB_VERSION",
                                        "CCCL_VERSION",
                                        "THRUST_VERSION",
                                        NULL};
    bool reserved = name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
    return reserved || text_find(names, name) >= 0;
}

/* The axis that is not compiled and would have this macro if it were, or NULL. `nearest`: the most similar
 * macro of compiled axes; "": none is similar. */
static const struct axis *find_axis(const struct space *space, const char *name, char nearest[MACRO_SIZE])
{
    char macro[MACRO_SIZE];
    *nearest = '\0';
    for (int a = 0; a < space->count; a++)
        for (int i = 0; macro_at(&space->axes[a], i, macro); i++) {
            const char *const known[] = {*nearest ? nearest : macro, macro, NULL};
            if (!space->axes[a].compiled && !strcmp(macro, name))
                return &space->axes[a];
            if (has_macros(&space->axes[a]) && text_nearest(name, known) == macro)
                memcpy(nearest, macro, sizeof macro);
        }
    return NULL;
}

static int unknown_macro(const struct survey *survey, const struct token *token, struct error *error)
{
    char nearest[MACRO_SIZE];
    const struct axis *axis = find_axis(&survey->family->space, token->text, nearest);
    if (axis)
        return error_at(survey->file, token->line, token->column, error,
                        "'%s' is no macro: the axis '%s' is not compiled; expected a compiled axis, or a "
                        "kernel parameter",
                        token->text, axis->name);
    return error_at(survey->file, token->line, token->column, error,
                    "'%s' is no macro%s%s%s; expected one of a compiled axis, or one that the code defines",
                    token->text, *nearest ? " (did you mean '" : "", nearest, *nearest ? "'?)" : "");
}

/* What follows #if and its like, up to the end of the line. Arguments of __has_include and its like are none
 * of ours. */
static int check_conditions(const struct survey *survey, struct error *error)
{
    struct tokens tokens = tokens_start(survey->family->source);
    struct token token;
    bool condition = false, skip = false; /* between the parentheses of __has_... */
    while (tokens_next(&tokens, &token)) {
        condition = token.kind != TOKEN_NEWLINE && (condition || is_condition(token.directive));
        if (token.kind == TOKEN_NAME && !strncmp(token.text, "__has_", 6))
            skip = true;
        else if (!condition || !strcmp(token.text, ")"))
            skip = false;
        else if (token.kind == TOKEN_NAME && !skip && !is_predefined(token.text) &&
                 !has(&survey->macros, token.text) && !has(&survey->defined, token.text))
            return unknown_macro(survey, &token, error);
    }
    return 0;
}

/* ---- axes ---- */

static int check_mentioned(const struct survey *survey, const struct axis *axis, struct error *error)
{
    struct text list = {0};
    char macro[MACRO_SIZE];
    bool mentioned = axis->kind == AXIS_WORD && !axis->words[1];
    for (int i = 0; macro_at(axis, i, macro); i++) {
        mentioned |= has(&survey->mentioned, macro);
        text_add(&list, "%s%s", i ? ", " : "", macro);
    }
    int failed = mentioned ? 0
                           : error_set(error, ERROR_USAGE,
                                       "%s: the axis '%s' is compiled, but the code never mentions %s; "
                                       "expected its use, or an axis that is not compiled",
                                       survey->file, axis->name, list.data);
    text_free(&list);
    return failed;
}

int macros_check(const struct family *family, const char *file, const struct device_header *headers,
                 struct error *error)
{
    struct survey survey = {.family = family, .file = file, .headers = headers};
    const struct space *space = &family->space;
    char macro[MACRO_SIZE];
    for (int a = 0; a < space->count; a++)
        for (int i = 0; has_macros(&space->axes[a]) && macro_at(&space->axes[a], i, macro); i++)
            add(&survey.macros, macro);
    read_names(&survey, family->source);
    int failed = check_conditions(&survey, error);
    for (int a = 0; a < space->count && !failed; a++)
        failed = has_macros(&space->axes[a]) ? check_mentioned(&survey, &space->axes[a], error) : 0;
    keys_free(&survey.macros);
    keys_free(&survey.mentioned);
    keys_free(&survey.defined);
    keys_free(&survey.included);
    return failed;
}
