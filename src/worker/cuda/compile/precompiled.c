/* precompiled.c - CUB's headers, which take most of the time of a kernel that includes them, are compiled
 * once for all kernels of a farm that include the same. A source gets them as a prefix, with its macros
 * behind, because the compiler takes precompiled headers for equal beginnings and equal options alone. Others
 * than it includes itself may change its code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "worker/cuda/compile/compile.h"

/* Macros with these beginnings may change what the headers say: they must not come behind. */
static const char *const reserved[] = {"CUB", "CCCL", "_CCCL", "THRUST", "LIBCUDACXX", "_LIBCUDACXX", NULL};

static struct precompiled use;

void precompiled_use(const struct precompiled *precompiled)
{
    use = *precompiled;
}

static bool begins_with(const char *text, const char *const *with)
{
    for (; *with; with++)
        if (!strncmp(text, *with, strlen(*with)))
            return true;
    return false;
}

/* ---- Which headers a source includes ---- */

enum { DEPTH_MAX = 32, WORD_SIZE = 128 };

enum known { NO, YES, UNKNOWN };

/* A conditional, and the part of it that the reader is in. */
struct branch {
    enum known now, before; /* whether this part is compiled; whether one before it was */
};

struct scan {
    const char *options;
    struct branch branch[DEPTH_MAX];
    int depth;
    struct text *headers; /* CCCL's that are included, as lines */
    bool refused;         /* it cannot be known */
};

static bool is_defined(const struct scan *scan, const char *name, size_t length)
{
    for (const char *at = scan->options; (at = strstr(at, "-D")); at += 2)
        if (!strncmp(at + 2, name, length) && strchr("=\n", at[2 + length]))
            return true;
    return false;
}

/* `condition`: what follows the word of a directive. */
static enum known evaluate(const struct scan *scan, const char *word, const char *condition)
{
    char name[WORD_SIZE], rest[2];
    bool plain = !strcmp(word, "if") || !strcmp(word, "elif");
    if (plain && sscanf(condition, " defined ( %127[A-Za-z0-9_] ) %1s", name, rest) != 1)
        return UNKNOWN;
    if (!plain && sscanf(condition, " %127[A-Za-z0-9_]", name) != 1)
        return UNKNOWN;
    return is_defined(scan, name, strlen(name)) == (strcmp(word, "ifndef") != 0) ? YES : NO;
}

static enum known both(enum known a, enum known b)
{
    if (a == NO || b == NO)
        return NO;
    return a == YES && b == YES ? YES : UNKNOWN;
}

static void enter(struct branch *branch, enum known condition)
{
    static const enum known not [] = {[NO] = YES, [YES] = NO, [UNKNOWN] = UNKNOWN};
    branch->now = both(not [branch->before], condition);
    if (branch->before != YES && condition != NO)
        branch->before = condition;
}

static void include(struct scan *scan, const char *name)
{
    static const char *const of_cccl[] = {"cub/", "thrust/", "cuda/", NULL};
    enum known compiled = YES;
    for (int i = 0; i < scan->depth; i++)
        compiled = both(compiled, scan->branch[i].now);
    if (!begins_with(name, of_cccl) || compiled == NO)
        return;
    text_add(scan->headers, "#include <%s>\n", name);
    scan->refused |= compiled == UNKNOWN;
}

static void directive(struct scan *scan, const char *text)
{
    char line[2 * WORD_SIZE], word[WORD_SIZE], name[WORD_SIZE];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    int length = 0;
    if (sscanf(line, " %127[a-z]%n", word, &length) != 1)
        return;
    const char *rest = line + length;
    struct branch *branch = scan->depth ? &scan->branch[scan->depth - 1] : NULL;
    if (!strcmp(word, "if") || !strcmp(word, "ifdef") || !strcmp(word, "ifndef")) {
        scan->refused |= scan->depth == DEPTH_MAX;
        if (scan->depth < DEPTH_MAX) {
            scan->branch[scan->depth].before = NO;
            enter(&scan->branch[scan->depth++], evaluate(scan, word, rest));
        }
    } else if (branch && !strcmp(word, "elif")) {
        enter(branch, evaluate(scan, word, rest));
    } else if (branch && !strcmp(word, "else")) {
        enter(branch, YES);
    } else if (branch && !strcmp(word, "endif")) {
        scan->depth--;
    } else if (!strcmp(word, "include") && sscanf(rest, " <%127[^>]", name) == 1) {
        include(scan, name);
    } else if (!strcmp(word, "define") && sscanf(rest, " %127s", name) == 1) {
        scan->refused |= begins_with(name, reserved);
    }
}

static void read_source(struct scan *scan, const char *source)
{
    for (const char *line = source; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\n");
        if (*line == '#')
            directive(scan, line + 1);
    }
}

bool precompiled_headers(const char *source, const struct device_header *own, const char *options,
                         struct text *headers)
{
    struct scan scan = {.options = options, .headers = headers};
    read_source(&scan, source);
    size_t length = headers->length;
    for (; own && own->name; own++)
        read_source(&scan, own->text);
    for (const char *at = options; (at = strstr(at, "-D")); at += 2)
        scan.refused |= begins_with(at + 2, reserved);
    return length && length == headers->length && !scan.refused;
}

/* ---- The source with its prefix ---- */

void precompiled_prefix(const char *headers, struct text *out)
{
    text_add(out, "%s#pragma nv_hdrstop\n", headers);
}

bool precompiled_wrap(const char *name, const char *source, const struct device_header *own, arch target,
                      const char *options, struct text *wrapped, struct text *left)
{
    struct text prefix = {0};
    bool serves = *use.file && use.target == target && precompiled_headers(source, own, options, &prefix) &&
                  !strcmp(prefix.data, use.headers);
    if (serves)
        precompiled_prefix(prefix.data, wrapped);
    text_free(&prefix);
    if (!serves)
        return false;
    char *copy = memory_text(options), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *value = strchr(line, '=');
        if (strncmp(line, "-D", 2) != 0) {
            text_add(left, "%s%s", line, *line ? "\n" : "");
            continue;
        }
        if (value)
            *value++ = '\0';
        text_add(wrapped, "#define %s %s\n", line + 2, value ? value : "1");
    }
    free(copy);
    text_add(wrapped, "#line 1 \"%s\"\n%s", name, source);
    text_add(left, "--use-pch=%s\n", use.file);
    return true;
}
