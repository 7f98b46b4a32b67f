#include "core/axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *const cache_words[] = {"cold", "clean", "hot", "rotate", NULL};
const char *const carveout_words[] = {"default", "0", "25", "50", "75", "100", NULL};

static int unknown_word(const struct axis *axis, const char *text, struct error *error)
{
    if (!error)
        return -1; /* conditions ask this of every point */
    struct text known = {0};
    for (const char *const *word = axis->words; *word; word++)
        text_add(&known, "%s%s", word == axis->words ? "" : ", ", *word);
    const char *nearest = text_nearest(text, axis->words);
    error_set(error, ERROR_USAGE, "%s has no value '%.40s'; expected one of %s%s%s%s", axis->name, text,
              known.data, nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    text_free(&known);
    return -1;
}

static const char *range_hint(const char *text)
{
    return strstr(text, "..") ? "; a range is {from: 1, to: 8, step: 1}, or with factor: 2" : "";
}

static int no_size(const struct axis *axis, const char *text, struct error *error)
{
    char meant[64];
    bool hint = strlen(text) < 40 && text_hint_bytes(text, meant, sizeof meant);
    return error_set(error, ERROR_USAGE,
                     "'%.40s' is no size for %s; expected bytes, like 65536, 64KiB or 1GiB%s%s%s%s", text,
                     axis->name, hint ? " (did you mean '" : "", hint ? meant : "", hint ? "'?)" : "",
                     range_hint(text));
}

int axis_parse(const struct axis *axis, const char *text, int64_t *value, struct error *error)
{
    switch (axis->kind) {
    case AXIS_WORD:
        *value = text_find(
            axis->words == dtype_tensor_words && !strcmp(text, "f32") ? dtype_words : axis->words, text);
        return *value < 0 ? unknown_word(axis, text, error) : 0;
    case AXIS_ARCH:
        if (arch_parse(text, value))
            return 0;
        return error_set(error, ERROR_USAGE,
                         "'%.40s' is no architecture that this release knows; expected native, sm_90, "
                         "sm_90a, sm_100f, compute_80 or the like",
                         text);
    case AXIS_BYTES:
        if (text_parse_bytes(text, value))
            return axis_check(axis, *value, error);
        return no_size(axis, text, error);
    case AXIS_COUNT:
        if (text_parse_integer(text, value))
            return axis_check(axis, *value, error);
        return error_set(error, ERROR_USAGE, "'%.40s' is no value for %s; expected a whole number of %s%s",
                         text, axis->name, axis->unit, range_hint(text));
    }
    return error_set(error, ERROR_USAGE, "axis %s is of no known kind", axis->name);
}

int axis_check(const struct axis *axis, int64_t value, struct error *error)
{
    if (axis->kind != AXIS_BYTES && axis->kind != AXIS_COUNT)
        return 0;
    if (value >= axis->least && value <= axis->most)
        return 0;
    char shown[AXIS_TEXT_SIZE], least[AXIS_TEXT_SIZE], most[AXIS_TEXT_SIZE];
    axis_format(axis, value, shown);
    axis_format(axis, axis->least, least);
    axis_format(axis, axis->most, most);
    return error_set(error, ERROR_USAGE, "%s of %s is out of range; expected %s to %s", axis->name, shown,
                     least, most);
}

void axis_format(const struct axis *axis, int64_t value, char out[AXIS_TEXT_SIZE])
{
    switch (axis->kind) {
    case AXIS_WORD:
        snprintf(out, AXIS_TEXT_SIZE, "%s", axis->words[value]);
        break;
    case AXIS_ARCH:
        arch_format(value, out);
        break;
    case AXIS_BYTES:
        text_format_bytes(value, out, AXIS_TEXT_SIZE);
        break;
    case AXIS_COUNT:
        snprintf(out, AXIS_TEXT_SIZE, "%" PRId64, value);
        break;
    }
}
