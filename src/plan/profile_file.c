#include "plan/profile_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "plan/reading.h"
#include "process/shipped.h"

#define PROFILE_FILE_LIMIT (1u << 18)

static const char *const shipped_names[] = {"h100", "h200", "b200", "gb200", "b300", "rtx-pro-6000", NULL};
static const char *const keys_of_file[] = {"name", "values", NULL};
static const char *const keys_of_value[] = {"value", "low", "high", "unit", "measured", "source", NULL};

static int read_number(const struct reading *reading, const struct yaml_node *map, const char *key,
                       double otherwise, double *number)
{
    char *end;
    const struct yaml_node *node = yaml_map_find(map, key);
    *number = otherwise;
    if (!node)
        return isnan(otherwise) ? reading_fail(reading, map, "%s is missing", key) : 0;
    const char *text = reading_scalar(reading, node, key);
    if (!text)
        return -1;
    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number) || !(*number > 0))
        return reading_fail(reading, node, "%s: '%s' is not a number above 0", key, yaml_quote(text).text);
    return 0;
}

static int check_measured(const struct reading *reading, const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_map_find(map, "measured");
    if (!node)
        return reading_fail(reading, map, "measured is missing: true or false");
    const char *text = node->text ? node->text : "";
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return reading_fail(reading, node, "measured: expected true or false");
    return 0;
}

/* Values are in fixed units; another unit would be wrong by its factor. */
static int check_unit(const struct reading *reading, const struct yaml_node *map, const char *unit)
{
    const struct yaml_node *node = yaml_map_find(map, "unit");
    if (node && node->text && strcmp(node->text, unit) != 0)
        return reading_fail(reading, node, "unit: expected '%s'", unit);
    return 0;
}

static int read_value(const struct reading *reading, const struct yaml_node *map, const char *unit,
                      double *value)
{
    double low, high;
    const struct yaml_node *source = yaml_map_find(map, "source");
    if (reading_map(reading, map, "a value") != 0 ||
        reading_keys(reading, map, "key of a value", keys_of_value) != 0 ||
        read_number(reading, map, "value", NAN, value) != 0 ||
        read_number(reading, map, "low", *value, &low) != 0 ||
        read_number(reading, map, "high", *value, &high) != 0 || check_measured(reading, map) != 0 ||
        check_unit(reading, map, unit) != 0)
        return -1;
    if (low > *value || high < *value)
        return reading_fail(reading, map, "value lies outside low and high");
    if (!source || source->kind != YAML_NODE_SCALAR || !*source->text)
        return reading_fail(reading, source ? source : map, "source is missing: the origin of the value");
    return 0;
}

static int read_values(const struct reading *reading, const struct yaml_node *map, struct profile *profile)
{
    const char *known[PROFILE_COUNT + 1] = {NULL};
    for (int i = 0; i < PROFILE_COUNT; i++)
        known[i] = profile_info[i].name;
    if (reading_map(reading, map, "values") != 0 || reading_keys(reading, map, "value", known) != 0)
        return -1;
    for (int i = 0; i < PROFILE_COUNT; i++) {
        const struct yaml_node *node = yaml_map_find(map, known[i]);
        if (node && read_value(reading, node, profile_info[i].unit, &profile->value[i]) != 0)
            return -1;
    }
    return 0;
}

static int read_tree(const struct reading *reading, const struct yaml_node *root, struct profile *profile)
{
    static const enum profile_field needed[] = {PROFILE_capability, PROFILE_multiprocessors,
                                                PROFILE_clock_max,  PROFILE_threads_sm,
                                                PROFILE_l2_bytes,   PROFILE_peak_copy};
    struct yaml_node nothing = {.line = 1, .column = 1};
    const struct yaml_node *node;
    if (!root)
        return reading_fail(reading, &nothing, "the profile is empty; expected name and values");
    if (reading_map(reading, root, "a profile") != 0 ||
        reading_keys(reading, root, "key of a profile", keys_of_file) != 0)
        return -1;
    node = yaml_map_find(root, "name");
    if (!node || !reading_scalar(reading, node, "name"))
        return node ? -1 : reading_fail(reading, root, "name is missing");
    snprintf(profile->name, sizeof profile->name, "%s", node->text);
    node = yaml_map_find(root, "values");
    if (!node)
        return reading_fail(reading, root, "values is missing");
    if (read_values(reading, node, profile) != 0)
        return -1;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(profile->value[needed[i]]))
            return reading_fail(reading, node, "%s is missing; every prediction needs it",
                                profile_info[needed[i]].name);
    return 0;
}

int profile_read(const char *path, struct profile *profile, struct error *error)
{
    char *found = NULL;
    struct yaml_tree tree;
    size_t size;
    *profile = profile_unknown();
    if (!strpbrk(path, "/.") && access(path, R_OK) != 0) {
        found = shipped_profile(path);
        if (!found) {
            static const char *const known[] = {"h100", "h200",         "b200", "gb200",
                                                "b300", "rtx-pro-6000", NULL};
            const char *nearest = text_nearest(path, known);
            return error_set(error, ERROR_USAGE,
                             "'%.60s' is neither a file nor a shipped profile (h100, h200, b200, gb200, "
                             "b300, rtx-pro-6000)%s%s%s",
                             path, nearest ? ": did you mean '" : "", nearest ? nearest : "",
                             nearest ? "'?" : "");
        }
        path = found;
    }
    char *text = io_read_file(path, PROFILE_FILE_LIMIT, &size, error);
    int failed = text ? yaml_tree_parse(path, text, size, &tree, error) : -1;
    if (!failed) {
        struct reading reading = {.path = path, .error = error};
        failed = read_tree(&reading, tree.root, profile);
        yaml_tree_free(&tree);
    }
    free(text);
    free(found);
    return failed;
}

bool profile_find_largest(struct profile *profile)
{
    bool found = false;
    for (size_t i = 0; shipped_names[i]; i++) {
        char *path = shipped_profile(shipped_names[i]);
        struct profile one;
        struct error ignored;
        if (path && profile_read(path, &one, &ignored) == 0 &&
            (!found || one.value[PROFILE_memory_bytes] > profile->value[PROFILE_memory_bytes])) {
            *profile = one;
            found = true;
        }
        free(path);
    }
    return found;
}
