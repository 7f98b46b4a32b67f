#include "plan/profile_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "plan/reading.h"
#include "process/folders.h"

#define PROFILE_FILE_LIMIT (1u << 18)

static const char *const shipped_names[] = {"h100",         "h200",     "b200", "gb200", "b300",
                                            "rtx-pro-6000", "rtx-5090", "gb10", "a100",  NULL};

static const struct field {
    const char *name, *unit;
    size_t offset;
    bool integer;
} fields[] = {
#define X(name, unit, meaning) {#name, unit, offsetof(struct device, name), true},
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) {#name, unit, offsetof(struct device, name), false},
        DEVICE_REALS(X)
#undef X
};

static const struct field *find_field(const char *name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i].name, name))
            return &fields[i];
    return NULL;
}

/* {value: 3.35e12, unit: bytes/s, ...} */
static int read_value(const struct reading *reading, const struct yaml_node *map, const struct field *field,
                      struct device *device)
{
    char *end;
    if (reading_map(reading, map, "a value") != 0)
        return -1;
    const struct yaml_node *node = yaml_map_find(map, "value"), *unit = yaml_map_find(map, "unit");
    if (!node)
        return reading_fail(reading, map, "value is missing");
    const char *text = reading_scalar(reading, node, "value");
    if (!text)
        return -1;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || !(number > 0))
        return reading_fail(reading, node, "value: '%s' is not a number above 0", yaml_quote(text).text);
    if (unit && unit->text && strcmp(unit->text, field->unit) != 0) /* it would be wrong by a factor */
        return reading_fail(reading, unit, "unit: expected '%s'", field->unit);
    if (field->integer)
        *(int64_t *)((char *)device + field->offset) = (int64_t)number;
    else
        *(double *)((char *)device + field->offset) = number;
    return 0;
}

static int read_tree(const struct reading *reading, const struct yaml_node *root, struct device *device)
{
    static const char *const keys[] = {"name", "values", NULL};
    static const char *const needed[] = {"capability", "multiprocessors", "clock_max",
                                         "threads_sm", "l2_bytes",        "peak_copy"};
    if (!root)
        return error_at(reading->path, 1, 1, reading->error,
                        "the profile is empty; expected name and values");
    if (reading_map(reading, root, "a profile") != 0 ||
        reading_keys(reading, root, "key of a profile", keys) != 0)
        return -1;
    const struct yaml_node *name = yaml_map_find(root, "name"), *values = yaml_map_find(root, "values");
    if (!name || !values)
        return reading_fail(reading, root, "%s is missing", name ? "values" : "name");
    if (!reading_scalar(reading, name, "name") || reading_map(reading, values, "values") != 0)
        return -1;
    snprintf(device->name, sizeof device->name, "%s", name->text);
    for (const struct yaml_node *key = values->first; key; key = key->next) {
        const struct field *field = find_field(key->text);
        if (field && read_value(reading, key->value, field, device) != 0)
            return -1;
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!yaml_map_find(values, needed[i]))
            return reading_fail(reading, values, "%s is missing; every prediction needs it", needed[i]);
    return 0;
}

static void assume(double *value, double otherwise)
{
    *value = isnan(*value) ? otherwise : *value;
}

/* Between what an H100 and an H200 measured; docs/method/model.md has the points. L2 is no slower than DRAM,
 * which could not deliver through it. */
static void assume_peaks(struct device *d)
{
    const double dram = d->peak_copy,
                 cycles = (double)d->multiprocessors * d->clock_max; /* of all of them, a second */
    assume(&d->peak_read, dram);
    assume(&d->peak_write, dram);
    assume(&d->peak_l2_read, fmax(dram, (26.5 + 25.3) / 2 * cycles));
    assume(&d->peak_l2_copy, fmax(dram, (21.4 + 24.9) / 2 * cycles));
    assume(&d->peak_l2_write, fmax(dram, (14.0 + 15.8) / 2 * cycles));
    assume(&d->peak_shared, (126.9 + 127.4) / 2 * cycles);
    assume(&d->peak_flop_f16, 2 * d->peak_flop_f32); /* by the data sheets of both */
    assume(&d->peak_flop_bf16, d->peak_flop_f16);
}

static char *find_shipped(const char *name)
{
    char file[40];
    snprintf(file, sizeof file, "%.32s.yaml", name);
    return shipped_file("profiles", file, NULL);
}

int profile_read(const char *path, struct device *device, struct error *error)
{
    char *found = NULL;
    static const char hdf5[] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    struct yaml_tree tree;
    size_t size;
    *device = device_unknown();
    if (!strpbrk(path, "/.") && access(path, R_OK) != 0) {
        if (!(found = find_shipped(path)))
            return suggest_unknown(error, "profile", path, shipped_names);
        path = found;
    }
    char *text = io_read_file(path, PROFILE_FILE_LIMIT, &size, error);
    int failed = text ? 0 : -1;
    if (text && size >= sizeof hdf5 && !memcmp(text, hdf5, sizeof hdf5))
        failed = error_set(error, ERROR_USAGE,
                           "%s is a results file; `warpsweep profile %s -o FILE.yaml` makes a profile of it",
                           path, path);
    if (!failed)
        failed = yaml_tree_parse(path, text, size, &tree, error);
    if (!failed) {
        struct reading reading = {.path = path, .error = error};
        failed = read_tree(&reading, tree.root, device);
        yaml_tree_free(&tree);
    }
    assume_peaks(device);
    free(text);
    free(found);
    return failed;
}

struct target profile_find_largest(struct device *device)
{
    *device = device_unknown();
    for (size_t i = 0; shipped_names[i]; i++) {
        char *path = find_shipped(shipped_names[i]);
        struct device one;
        struct error ignored;
        if (path && profile_read(path, &one, &ignored) == 0 && one.memory_bytes > device->memory_bytes)
            *device = one;
        free(path);
    }
    return (struct target){.memory_bytes = target_of_device(device).memory_bytes};
}
