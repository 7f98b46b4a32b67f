#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

int text_find(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], word))
            return i;
    return -1;
}

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    text->data = memory_resize(text->data, capacity, 1);
    text->capacity = capacity;
}

void text_append(struct text *text, const void *bytes, size_t count)
{
    text_reserve(text, count);
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    text_reserve(text, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

/* A decimal number at the start of `text`; `*rest` is what follows. No hexadecimal, no inf, no nan. */
static bool parse_number(const char *text, long double *value, const char **rest)
{
    const char *digit = *text == '+' || *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*digit) && !(*digit == '.' && isdigit((unsigned char)digit[1])))
        return false;
    if (digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X'))
        return false;
    char *end;
    errno = 0;
    *value = strtold(text, &end);
    *rest = end;
    return end != text && errno == 0;
}

static bool whole_int64(long double value, int64_t *out)
{
    /* Long double holds every int64_t exactly on x86-64 and aarch64; 2^63 itself is out of range. */
    if (!(value >= -9223372036854775808.0L && value < 9223372036854775808.0L) || value != floorl(value))
        return false;
    *out = (int64_t)value;
    return true;
}

bool text_parse_integer(const char *text, int64_t *value)
{
    long double number;
    const char *rest;
    return parse_number(text, &number, &rest) && !*rest && whole_int64(number, value);
}

/* "2 MiB": a number that is not negative, times the factor of its unit. The units end with NULL. */
struct unit {
    const char *name;
    long double factor;
};
static bool parse_quantity(const char *text, const struct unit *units, long double *value)
{
    long double number;
    const char *rest;
    if (!parse_number(text, &number, &rest) || number < 0)
        return false;
    rest += strspn(rest, " ");
    while (units->name && strcmp(rest, units->name) != 0)
        units++;
    *value = number * units->factor;
    return units->name != NULL;
}

bool text_parse_bytes(const char *text, int64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},      {"B", 1},     {"KiB", 0x1p10L}, {"MiB", 0x1p20L}, {"GiB", 0x1p30L}, {"TiB", 0x1p40L},
        {"kB", 1e3L}, {"KB", 1e3L}, {"MB", 1e6L},     {"GB", 1e9L},     {"TB", 1e12L},    {NULL, 0},
    };
    long double value;
    return parse_quantity(text, units, &value) && whole_int64(value, bytes);
}

bool text_hint_bytes(const char *text, char *out, size_t size)
{
    static const char *const units[][2] = {{"KiB", "K"}, {"MiB", "M"}, {"GiB", "G"},
                                           {"TiB", "T"}, {"MB", "MB"}, {"GB", "GB"},
                                           {"TB", "TB"}, {"kB", "kB"}, {"B", "B"}};
    long double number;
    int64_t bytes;
    const char *rest;
    if (!parse_number(text, &number, &rest) || number < 0)
        return false;
    int digits = (int)(rest - text);
    while (*rest == ' ')
        rest++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(rest, units[i][0]) != 0 && strcasecmp(rest, units[i][1]) != 0)
            continue;
        snprintf(out, size, "%.*s%s", digits, text, units[i][0]);
        return text_parse_bytes(out, &bytes);
    }
    return false;
}

void text_add_quoted(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        text_add(text, "%s", word);
        return;
    }
    text_add(text, "'");
    for (; *word; word++)
        text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(text, "'");
}

bool text_parse_fraction(const char *text, double *fraction)
{
    static const struct unit units[] = {{"", 1}, {"%", 0.01L}, {NULL, 0}};
    long double value;
    if (!parse_quantity(text, units, &value) || (value >= 1 && !strchr(text, '%')))
        return false;
    *fraction = (double)value;
    return isfinite(*fraction);
}

/* "H:MM:SS", as in Slurm. */
static bool parse_clock(const char *text, double *seconds)
{
    unsigned hours, minutes, rest;
    int used = 0;
    if (sscanf(text, "%6u:%2u:%2u%n", &hours, &minutes, &rest, &used) != 3 || text[used] || minutes > 59 ||
        rest > 59 || !isdigit((unsigned char)*text))
        return false;
    *seconds = hours * 3600.0 + minutes * 60.0 + rest;
    return true;
}

bool text_parse_seconds(const char *text, double *seconds)
{
    static const struct unit units[] = {{"", 1},     {"s", 1},  {"ms", 1e-3L}, {"us", 1e-6L}, {"ns", 1e-9L},
                                        {"min", 60}, {"m", 60}, {"h", 3600},   {"d", 86400},  {NULL, 0}};
    long double value;
    if (parse_clock(text, seconds))
        return true;
    if (!parse_quantity(text, units, &value))
        return false;
    *seconds = (double)value;
    return isfinite(*seconds);
}

void text_format_bytes(int64_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    int64_t value = bytes;
    while (unit < 4 && value && value % 1024 == 0) {
        value /= 1024;
        unit++;
    }
    snprintf(out, size, "%lld%s", (long long)value, units[unit]);
}

void text_format_bytes_short(int64_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double value = (double)bytes / 1024;
    text_format_bytes(bytes, out, size);
    if (bytes < 0 || strspn(out, "0123456789") <= 4)
        return;
    /* Rounded to four digits, 1024 units would be 1024. */
    while (unit < 3 && value >= 1023.5) {
        value /= 1024;
        unit++;
    }
    snprintf(out, size, "%.4g%s", value, units[unit]);
}

void text_format_seconds(double seconds, char *out, size_t size)
{
    if (!isfinite(seconds) || seconds < 0)
        snprintf(out, size, "?");
    else if (seconds < 0.9995e-3) /* rounded to three digits, 1000 us would be 1e+03us */
        snprintf(out, size, "%.3gus", seconds * 1e6);
    else if (seconds < 0.9995)
        snprintf(out, size, "%.3gms", seconds * 1e3);
    else if (seconds < 59.95)
        snprintf(out, size, "%.3gs", seconds);
    else if ((seconds = floor(seconds + 0.05)) < 3600)
        snprintf(out, size, "%dmin %ds", (int)(seconds / 60), (int)seconds % 60);
    else
        snprintf(out, size, "%.0fh %dmin", floor(seconds / 3600), (int)(fmod(seconds, 3600) / 60));
}

/* Levenshtein distance, ignoring case. `limit` for texts longer than the buffer. */
static int edit_distance(const char *a, const char *b, int limit)
{
    enum { LONGEST = 63 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return limit;
    int row[LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int change = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            int best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[m];
}

/* Whether `name` is `whole` with letters left out, but for the first, like cols of columns. `whole` is at
 * most three times as long. */
static bool abbreviates(const char *name, const char *whole)
{
    size_t length = strlen(name);
    if (length < 3 || strlen(whole) > 3 * length ||
        tolower((unsigned char)*name) != tolower((unsigned char)*whole))
        return false;
    for (; *whole && *name; whole++)
        name += tolower((unsigned char)*name) == tolower((unsigned char)*whole);
    return !*name;
}

const char *text_nearest(const char *name, const char *const *candidates)
{
    size_t length = strlen(name);
    int limit = length < 6 ? 3 : 4;
    if (length < 3)
        limit = 2; /* smaller distances are similar */
    int best = 2 * limit;
    const char *nearest = NULL;
    for (; *candidates; candidates++) {
        int distance = edit_distance(name, *candidates, limit);
        bool shares_start = length >= 3 && strncasecmp(name, *candidates, length) == 0;
        if (distance > 1 && (shares_start || abbreviates(name, *candidates)))
            distance = 1;
        /* Typing errors seldom hit the first letter: it decides between equal distances. */
        int far = 2 * distance + (tolower((unsigned char)*name) != tolower((unsigned char)**candidates)) -
                  (shares_start && (*candidates)[length] == '_'); /* `time` means time_median, not timer */
        if (distance < limit && distance < (int)strlen(*candidates) && far < best) {
            best = far;
            nearest = *candidates;
        }
    }
    return nearest;
}
