#include "claims.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

/* Copy `length` bytes without leading and trailing blanks. */
static void copy_trimmed(char *out, const char *from, size_t length)
{
    while (length && isspace((unsigned char)*from))
        from++, length--;
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    memcpy(out, from, length);
    out[length] = '\0';
}

int claim_next(const char **text, struct claim *claim, struct error *error)
{
    while (**text) {
        const char *line = *text;
        size_t length = strcspn(line, "\n");
        *text += length + (line[length] == '\n');
        if (!length || *line == '#')
            continue;
        const char *first = memchr(line, '|', length);
        const char *second = first ? memchr(first + 1, '|', length - (size_t)(first + 1 - line)) : NULL;
        if (!second || length >= CLAIMS_LINE_MAX)
            return error_set(error, ERROR_USAGE, "'%.*s' is no claim: SETTINGS | ARCHITECTURES | CLAIMS",
                             (int)(length < 200 ? length : 200), line);
        copy_trimmed(claim->settings, line, (size_t)(first - line));
        copy_trimmed(claim->architectures, first + 1, (size_t)(second - first - 1));
        copy_trimmed(claim->claims, second + 1, (size_t)(line + length - second - 1));
        return 1;
    }
    return 0;
}

bool claim_is_for(const struct claim *claim, int capability)
{
    char list[CLAIMS_LINE_MAX];
    if (!strcmp(claim->architectures, "all"))
        return true;
    memcpy(list, claim->architectures, sizeof list);
    for (char *save, *one = strtok_r(list, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *end;
        long named = strncmp(one, "sm_", 3) ? 0 : strtol(one + 3, &end, 10);
        if (!named)
            continue;
        if (capability == named || (*end == '+' && capability > named) || (*end == '-' && capability < named))
            return true;
    }
    return false;
}

size_t claim_combinations(const char *settings)
{
    size_t combinations = 1, values = 1;
    for (; *settings; settings++) {
        values = isspace((unsigned char)*settings) ? 1 : values + (*settings == ',');
        if (*settings == ',')
            combinations = combinations / (values - 1) * values;
    }
    return combinations;
}

/* Cut the list `values` down to one of them, by the lowest digit of `*nth`, which loses it. */
static char *choose(char *values, size_t *nth)
{
    size_t count = 1;
    for (const char *at = values; (at = strchr(at, ',')); at++)
        count++;
    for (size_t skip = *nth % count; skip; skip--)
        values = strchr(values, ',') + 1;
    values[strcspn(values, ",")] = '\0';
    *nth /= count;
    return values;
}

int claim_set_nth(struct point *point, const char *settings, size_t nth, struct error *error)
{
    char text[CLAIMS_LINE_MAX];
    snprintf(text, sizeof text, "%s", settings);
    for (char *save, *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *value = strchr(one, '=');
        if (!value)
            return error_set(error, ERROR_USAGE, "'%s' is no AXIS=VALUE", one);
        *value++ = '\0';
        int axis = space_axis(point->space, one);
        if (axis < 0)
            return error_set(error, ERROR_USAGE, "%s has no axis '%s'", point->space->kernel, one);
        if (axis_parse(&point->space->axes[axis], choose(value, &nth), &point->value[axis], error) != 0)
            return -1;
    }
    return 0;
}

/* Axes that are not compiled may still select the kernel of a source, as the stride of `copy` does. */
static bool same_kernel(const struct point *meant, const struct point *point)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", ARCH_NATIVE))};
    struct point twin = *meant;
    char reason[256];
    twin.value[space_axis(twin.space, "arch")] = point_value(point, "arch", ARCH_NATIVE);
    if (family_skip(&twin, &target, reason, sizeof reason))
        return false;
    const char *a = point_setup(&twin, &target).entry, *b = point_setup(point, &target).entry;
    return a && b && !strcmp(a, b);
}

static bool is_nth(const struct claim *claim, size_t nth, const struct point *point)
{
    struct point meant = point_standard(point->space);
    if (claim_set_nth(&meant, claim->settings, nth, NULL) != 0)
        return false;
    for (int i = 0; i < point->space->count; i++)
        if (point->space->axes[i].compiled && point->space->axes[i].kind != AXIS_ARCH &&
            meant.value[i] != point->value[i])
            return false;
    return same_kernel(&meant, point);
}

bool claim_is_of(const struct claim *claim, const struct point *point)
{
    size_t combinations = claim_combinations(claim->settings);
    for (size_t nth = 0; nth < combinations; nth++)
        if (is_nth(claim, nth, point))
            return true;
    return false;
}

/* ---- numbers of a claim that depend on the point ---- */

/* The axis or number that *at begins with, and *at advanced behind it. dtype: the bytes of an element. */
static int read_factor(const char **at, const struct point *point, uint64_t *value)
{
    char name[32];
    size_t length = strcspn(*at, "*/+}");
    int axis;
    if (!length || length >= sizeof name)
        return -1;
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length;
    if (isdigit((unsigned char)*name)) {
        *value = strtoull(name, NULL, 10);
        return 0;
    }
    if (!point || (axis = space_axis(point->space, name)) < 0)
        return -1;
    *value =
        strcmp(name, "dtype") ? (uint64_t)point->value[axis] : dtype_size((enum dtype)point->value[axis]);
    return 0;
}

/* The value of "items*vector+1}", products first. */
static int read_sum(const char *at, const struct point *point, uint64_t *sum)
{
    uint64_t product, factor;
    *sum = 0;
    do {
        if (read_factor(&at, point, &product) != 0)
            return -1;
        while (*at == '*' || *at == '/') {
            bool divide = *at++ == '/';
            if (read_factor(&at, point, &factor) != 0 || (divide && !factor))
                return -1;
            product = divide ? product / factor : product * factor;
        }
        *sum += product;
    } while (*at++ == '+');
    return 0;
}

int claim_text(const struct claim *claim, const struct point *point, char text[CLAIMS_LINE_MAX],
               struct error *error)
{
    size_t length = 0;
    for (const char *at = claim->claims; *at; at++) {
        uint64_t number;
        if (length + 24 > CLAIMS_LINE_MAX)
            return error_set(error, ERROR_USAGE, "a claim is too long: %.200s", claim->claims);
        if (*at != '{') {
            text[length++] = *at;
            continue;
        }
        const char *end = strchr(at, '}');
        if (!end || read_sum(at + 1, point, &number) != 0)
            return error_set(error, ERROR_USAGE, "cannot compute '%.60s'", at);
        length += (size_t)snprintf(text + length, 24, "%llu", (unsigned long long)number);
        at = end;
    }
    text[length] = '\0';
    return 0;
}

/* ---- patterns of instructions ---- */

/* The parts of OP. */
struct pattern {
    char parts[128], operands[128];
    int width; /* 0: any */
};

static void read_pattern(const char *text, struct pattern *pattern)
{
    size_t length = strcspn(text, "@(");
    *pattern = (struct pattern){0};
    copy_trimmed(pattern->parts, text, length < sizeof pattern->parts ? length : sizeof pattern->parts - 1);
    if (text[length] == '@')
        pattern->width = atoi(text + length + 1);
    const char *operands = strchr(text, '(');
    if (operands)
        snprintf(pattern->operands, sizeof pattern->operands, "%.*s", (int)strcspn(operands + 1, ")"),
                 operands + 1);
}

static bool is_named(const struct pattern *pattern, const char *opcode)
{
    size_t length = sass_mnemonic(pattern->parts);
    if (length && pattern->parts[length - 1] == '*')
        return !strncmp(opcode, pattern->parts, length - 1);
    return sass_mnemonic(opcode) == length && !strncmp(opcode, pattern->parts, length);
}

static bool has_part(const char *opcode, const char *part, size_t length)
{
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (strcspn(at + 1, ".") == length && !strncmp(at + 1, part, length))
            return true;
    return false;
}

static bool matches(const struct pattern *pattern, const struct sass_instruction *one)
{
    if (!is_named(pattern, one->opcode))
        return false;
    for (const char *part = strchr(pattern->parts, '.'); part; part = strchr(part + 1, '.'))
        if (!has_part(one->opcode, part + 1, strcspn(part + 1, ".")))
            return false;
    return (!pattern->width || sass_width(one->opcode) == pattern->width) &&
           (!*pattern->operands || strstr(one->operands, pattern->operands));
}

/* ---- the parts of a claim ---- */

/* The instructions that a part applies to: all, or those of the main loop. */
struct range {
    const struct sass *sass;
    size_t first, end;
};

static int broken(struct error *error, const char *part, const char *format, long there)
{
    char found[128];
    snprintf(found, sizeof found, format, there);
    return error_set(error, ERROR_USAGE, "'%s' does not hold: %s", part, found);
}

static int check_count(const struct range *range, const char *part, const char *verb, const char *op,
                       struct error *error)
{
    struct pattern pattern;
    long count = 0, named = 0;
    const char *stray = "";
    read_pattern(op, &pattern);
    for (size_t i = range->first; i < range->end; i++) {
        const struct sass_instruction *one = &range->sass->instruction[i];
        bool does = matches(&pattern, one);
        count += does;
        named += is_named(&pattern, one->opcode);
        if (!does && is_named(&pattern, one->opcode))
            stray = one->opcode;
    }
    if (!strcmp(verb, "has"))
        return count ? 0 : broken(error, part, "there is none", 0);
    if (!strcmp(verb, "no"))
        return count ? broken(error, part, "there are %ld", count) : 0;
    if (!strcmp(verb, "only") && count && count < named)
        return error_set(error, ERROR_USAGE, "'%s' does not hold: there is %.40s", part, stray);
    if (!strcmp(verb, "only"))
        return count ? 0 : broken(error, part, "there is none", 0);
    if (isdigit((unsigned char)*verb))
        return count == atol(verb) ? 0 : broken(error, part, "there are %ld", count);
    return error_set(error, ERROR_USAGE, "'%s' is no claim", part);
}

static int check_length(const struct range *range, const char *part, const char *limit, struct error *error)
{
    long length = (long)(range->end - range->first);
    if (strncmp(limit, "<= ", 3) != 0)
        return error_set(error, ERROR_USAGE, "'%s' is no claim", part);
    return length <= atol(limit + 3) ? 0 : broken(error, part, "there are %ld", length);
}

static int check_range(const struct range *range, const char *part, const char *claim, struct error *error)
{
    char verb[32];
    size_t length = strcspn(claim, " ");
    if (length >= sizeof verb || !claim[length])
        return error_set(error, ERROR_USAGE, "'%s' is no claim", part);
    snprintf(verb, sizeof verb, "%.*s", (int)length, claim);
    claim += length + 1;
    return strcmp(verb, "length") ? check_count(range, part, verb, claim, error)
                                  : check_length(range, part, claim, error);
}

static bool same_code(const struct sass *a, const struct sass *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->instruction[i].opcode, b->instruction[i].opcode) != 0)
            return false;
    return true;
}

static int check_unlike(const struct point *point, const struct sass *sass, const char *part,
                        claim_code other, void *context, struct error *error)
{
    struct point twin = *point;
    struct sass code = {0};
    if (!other)
        return 0;
    if (claim_set_nth(&twin, part + strlen("unlike "), 0, error) != 0)
        return -1;
    int failed = other(context, &twin, &code, error);
    if (!failed && same_code(sass, &code))
        failed = error_set(error, ERROR_USAGE, "'%s' does not hold: the instructions are the same", part);
    sass_free(&code);
    return failed;
}

static int check_part(const char *part, const struct point *point, const struct sass *sass, claim_code other,
                      void *context, struct error *error)
{
    struct range range = {sass, 0, sass->count};
    if (!strncmp(part, "unlike ", 7))
        return check_unlike(point, sass, part, other, context, error);
    if (!strcmp(part, "no loop"))
        return sass->loops ? broken(error, part, "there is one", 0) : 0;
    if (strncmp(part, "loop ", 5) != 0)
        return check_range(&range, part, part, error);
    if (!sass_loop_length(sass))
        return broken(error, part, "there is no loop", 0);
    range.first = (size_t)sass->loop_first;
    range.end = (size_t)sass->loop_last + 1;
    return check_range(&range, part, part + 5, error);
}

int claim_check(const struct claim *claim, const struct point *point, const struct sass *sass,
                claim_code other, void *context, struct error *error)
{
    char parts[CLAIMS_LINE_MAX], part[CLAIMS_LINE_MAX];
    bool local = false;
    if (claim_text(claim, point, parts, error) != 0)
        return -1;
    for (char *save, *one = strtok_r(parts, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
        copy_trimmed(part, one, strlen(one));
        if (!strcmp(part, "local memory may be used"))
            local = true;
        else if (check_part(part, point, sass, other, context, error) != 0)
            return -1;
    }
    for (size_t i = 0; i < sass->count && !local; i++)
        if (sass_is_local(sass->instruction[i].opcode))
            return error_set(error, ERROR_USAGE, "it uses local memory: %s", sass->instruction[i].opcode);
    return 0;
}
