#include "family/code/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- the macros of an axis ---- */

static void add_upper(struct text *out, const char *name)
{
    for (const char *c = name; *c; c++)
        text_add(out, "%c", toupper((unsigned char)*c));
}

void macros_define(const struct point *point, struct text *out)
{
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        int64_t value = point->value[i];
        if (!axis->compiled || axis->kind == AXIS_ARCH)
            continue;
        if (dtype_are_words(axis->words)) {
            text_add(out, "-DDTYPE_%s=1\n-DELEMENT=%s\n-DELEMENT_SIZE=%d\n", axis->words[value],
                     dtype_cuda((enum dtype)value), (int)dtype_size((enum dtype)value));
        } else if (axis->kind == AXIS_WORD) {
            text_add(out, "-D%s_%s=1\n", axis->name, axis->words[value]);
        } else {
            text_add(out, "-D");
            add_upper(out, axis->name);
            text_add(out, "=%lld\n", (long long)value);
        }
    }
}

/* Names, NULL-terminated; names_free. */
struct names {
    char **name;
    size_t count, capacity;
};

static void names_add(struct names *names, const char *name)
{
    names->name = memory_grow(names->name, names->count, &names->capacity, sizeof *names->name);
    names->name[names->count++] = name ? memory_text(name) : NULL;
}

static bool names_have(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] && !strcmp(names->name[i], name))
            return true;
    return false;
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

/* Every macro that some value of the axis defines, were it compiled. */
static void add_macros(const struct axis *axis, struct names *names)
{
    struct text macro = {0};
    bool dtype = dtype_are_words(axis->words);
    if (dtype) {
        names_add(names, "ELEMENT");
        names_add(names, "ELEMENT_SIZE");
    }
    for (int i = 0; axis->kind == AXIS_WORD && axis->words[i]; i++) {
        text_add(&macro, "%s_%s", dtype ? "DTYPE" : axis->name, axis->words[i]);
        names_add(names, macro.data);
        text_free(&macro);
    }
    if (axis->kind == AXIS_WORD)
        return;
    add_upper(&macro, axis->name);
    names_add(names, macro.data);
    text_free(&macro);
}

/* ---- what the device code mentions ---- */

struct survey {
    const struct family *family;
    const char *file;
    const struct device_header *headers;
    struct names macros;    /* of compiled axes */
    struct names mentioned; /* those of them that the code has */
    struct names defined;   /* by the code */
    struct names included;  /* headers that were read */
};

static void read_names(struct survey *survey, const char *source);

static void include(struct survey *survey, const struct device_header *header, const char *name)
{
    for (; header && header->name; header++) {
        if (strcmp(header->name, name) != 0 || names_have(&survey->included, name))
            continue;
        names_add(&survey->included, name);
        read_names(survey, header->text);
    }
}

/* What a source and the headers that it includes mention and define. */
static void read_names(struct survey *survey, const char *source)
{
    struct tokens tokens = tokens_start(source);
    struct token token, before[2] = {{.kind = TOKEN_NEWLINE}, {.kind = TOKEN_NEWLINE}}; /* the last is [0] */
    for (; tokens_next(&tokens, &token); before[1] = before[0], before[0] = token) {
        bool directive = before[1].kind == TOKEN_OTHER && !strcmp(before[1].text, "#");
        if (directive && token.kind == TOKEN_NAME && !strcmp(before[0].text, "define"))
            names_add(&survey->defined, token.text);
        else if (directive && token.kind == TOKEN_STRING && !strcmp(before[0].text, "include")) {
            include(survey, survey->headers, token.text);
            include(survey, survey->family->headers, token.text);
        } else if (token.kind == TOKEN_NAME && names_have(&survey->macros, token.text) &&
                   !names_have(&survey->mentioned, token.text))
            names_add(&survey->mentioned, token.text);
    }
}

/* ---- conditions ---- */

static bool is_condition(const char *directive)
{
    static const char *const conditions[] = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", NULL};
    return text_find(conditions, directive) >= 0;
}

/* Names that mean something in a condition though nobody here defines them. */
static bool is_predefined(const char *name)
{
    static const char *const names[] = {
        "defined",
        "true",
        "false",
        "and",
        "or",
        "not",
        "xor",
        "bitand",
        "bitor",
        "compl",
        "not_eq", /* C++ */
        "CUDA_VERSION",
        "CUDART_VERSION",
        "CUB_VERSION",
        "CCCL_VERSION",
        "THRUST_VERSION", /* CUDA */
        NULL,
    };
    bool reserved = name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
    return reserved || text_find(names, name) >= 0;
}

/* The axis that would have this macro if it were compiled, or NULL. */
static const struct axis *uncompiled_axis(const struct space *space, const char *macro)
{
    for (int i = 0; i < space->count; i++) {
        struct names names = {0};
        if (space->axes[i].compiled)
            continue;
        add_macros(&space->axes[i], &names);
        bool has = names_have(&names, macro);
        names_free(&names);
        if (has)
            return &space->axes[i];
    }
    return NULL;
}

static int unknown_macro(struct survey *survey, const struct token *token, struct error *error)
{
    const struct axis *axis = uncompiled_axis(&survey->family->space, token->text);
    if (axis)
        return error_set(error, ERROR_USAGE,
                         "%s:%d:%d: '%s' is no macro: the axis '%s' is not compiled; expected a compiled "
                         "axis, or a kernel parameter",
                         survey->file, token->line, token->column, token->text, axis->name);
    names_add(&survey->macros, NULL);
    const char *nearest = text_nearest(token->text, (const char *const *)survey->macros.name);
    return error_set(
        error, ERROR_USAGE,
        "%s:%d:%d: '%s' is no macro%s%s%s; expected one of a compiled axis, or one that the code defines",
        survey->file, token->line, token->column, token->text, nearest ? " (did you mean '" : "",
        nearest ? nearest : "", nearest ? "'?)" : "");
}

/* What follows #if and its like, up to the end of the line. Arguments of __has_include and its like are none
 * of ours. */
static int check_condition(struct survey *survey, struct tokens *tokens, struct error *error)
{
    struct token token;
    bool skip = false; /* between the parentheses of __has_... */
    while (tokens_next(tokens, &token) && token.kind != TOKEN_NEWLINE) {
        if (token.kind == TOKEN_NAME && !strncmp(token.text, "__has_", 6))
            skip = true;
        else if (token.kind == TOKEN_OTHER && !strcmp(token.text, ")"))
            skip = false;
        else if (token.kind == TOKEN_NAME && !skip && !is_predefined(token.text) &&
                 !names_have(&survey->macros, token.text) && !names_have(&survey->defined, token.text))
            return unknown_macro(survey, &token, error);
    }
    return 0;
}

static int check_conditions(struct survey *survey, struct error *error)
{
    struct tokens tokens = tokens_start(survey->family->source);
    struct token token;
    bool line_start = true, directive = false;
    while (tokens_next(&tokens, &token)) {
        if (directive && token.kind == TOKEN_NAME && is_condition(token.text)) {
            if (check_condition(survey, &tokens, error) != 0)
                return -1;
            token.kind = TOKEN_NEWLINE; /* which check_condition took */
        }
        directive = line_start && token.kind == TOKEN_OTHER && !strcmp(token.text, "#");
        line_start = token.kind == TOKEN_NEWLINE;
    }
    return 0;
}

/* ---- axes ---- */

static int check_mentioned(const struct survey *survey, const struct axis *axis, struct error *error)
{
    struct names macros = {0};
    struct text list = {0};
    bool mentioned = axis->kind == AXIS_WORD && !axis->words[1];
    add_macros(axis, &macros);
    for (size_t i = 0; i < macros.count; i++) {
        mentioned |= names_have(&survey->mentioned, macros.name[i]);
        text_add(&list, "%s%s", i ? ", " : "", macros.name[i]);
    }
    int failed = mentioned ? 0
                           : error_set(error, ERROR_USAGE,
                                       "%s: the axis '%s' is compiled, but the code never mentions %s; "
                                       "expected its use, or an axis that is not compiled",
                                       survey->file, axis->name, list.data);
    names_free(&macros);
    text_free(&list);
    return failed;
}

int macros_check(const struct family *family, const char *file, const struct device_header *headers,
                 struct error *error)
{
    struct survey survey = {.family = family, .file = file, .headers = headers};
    const struct space *space = &family->space;
    for (int i = 0; i < space->count; i++)
        if (space->axes[i].compiled && space->axes[i].kind != AXIS_ARCH)
            add_macros(&space->axes[i], &survey.macros);
    read_names(&survey, family->source);
    int failed = check_conditions(&survey, error);
    for (int i = 0; i < space->count && !failed; i++)
        if (space->axes[i].compiled && space->axes[i].kind != AXIS_ARCH)
            failed = check_mentioned(&survey, &space->axes[i], error);
    names_free(&survey.macros);
    names_free(&survey.mentioned);
    names_free(&survey.defined);
    names_free(&survey.included);
    return failed;
}
