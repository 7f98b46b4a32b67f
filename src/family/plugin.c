#include "family/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"

#define SOURCE_BYTES_MAX ((size_t)16 << 20) /* what nobody writes by hand */

/* What is wrong with a family's functions, as what it lacks; NULL when it has them all. */
static const char *missing_function(const struct family *family)
{
    return !family->skip        ? "skip"
           : !family->setup     ? "setup"
           : !family->work      ? "work"
           : !family->tolerance ? "tolerance"
           : !family->reference ? "reference"
                                : NULL;
}

static bool is_name(const char *text)
{
    return text && *text >= 'a' && *text <= 'z' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

/* An axis is one column of results for all families: its kind must be the same everywhere. */
static int check_shared_axis(const char *path, const struct axis *axis, const struct family *const *table,
                             struct error *error)
{
    for (const struct family *const *other = table; *other; other++) {
        int index = space_axis(&(*other)->space, axis->name);
        if (index >= 0 && (*other)->space.axes[index].kind != axis->kind)
            return error_set(
                error, ERROR_USAGE,
                "%s: its axis '%s' is of another kind than that of the kernel '%s'; expected the "
                "same kind, or another name",
                path, axis->name, (*other)->space.kernel);
    }
    return 0;
}

static int check_axis(const char *path, const struct axis *axis, const struct family *const *table,
                      struct error *error)
{
    int64_t value;
    if (!is_name(axis->name) || !axis->unit || !axis->summary || !axis->standard)
        return error_set(
            error, ERROR_USAGE,
            "%s: an axis lacks its name, unit, summary or standard value; expected all four, the "
            "name in a-z, 0-9 and _",
            path);
    if (axis->kind == AXIS_WORD && !axis->words)
        return error_set(error, ERROR_USAGE, "%s: its axis '%s' takes words and has none", path, axis->name);
    if (axis_parse(axis, axis->standard, &value, error) != 0)
        return error_prefix(error, "%s: the standard value of its axis '%s'", path, axis->name);
    return check_shared_axis(path, axis, table, error);
}

static int check_axes(const char *path, const struct space *space, const struct family *const *table,
                      struct error *error)
{
    static const char *const needed[] = {"variant", "cache", "arch"};
    if (!space->axes || space->count < 1 || space->count > POINT_AXES_MAX)
        return error_set(error, ERROR_USAGE, "%s: it has %d axes; expected 3 to %d", path, space->count,
                         POINT_AXES_MAX);
    for (int i = 0; i < space->count; i++) {
        if (check_axis(path, &space->axes[i], table, error) != 0)
            return -1;
        if (space_axis(space, space->axes[i].name) != i)
            return error_set(error, ERROR_USAGE, "%s: it has two axes called '%s'", path,
                             space->axes[i].name);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (space_axis(space, needed[i]) < 0)
            return error_set(error, ERROR_USAGE,
                             "%s: it has no axis '%s'; expected variant, cache and arch among its axes", path,
                             needed[i]);
    if (space->axes[space_axis(space, "cache")].words != cache_words)
        return error_set(error, ERROR_USAGE, "%s: its axis 'cache' is not AXIS_CACHE of core/axis.h", path);
    return 0;
}

static int check_family(const char *path, const struct family *family, const struct family *const *table,
                        struct error *error)
{
    if (!is_name(family->space.kernel))
        return error_set(error, ERROR_USAGE, "%s: its kernel's name is missing or not in a-z, 0-9 and _",
                         path);
    if (family_in(table, family->space.kernel))
        return error_set(error, ERROR_USAGE, "%s: there is a kernel '%s' already; expected a name of its own",
                         path, family->space.kernel);
    if (!family->summary)
        return error_set(error, ERROR_USAGE, "%s: its kernel '%s' has no summary", path,
                         family->space.kernel);
    const char *missing = missing_function(family);
    if (missing)
        return error_set(error, ERROR_USAGE, "%s: its kernel '%s' has no function '%s'", path,
                         family->space.kernel, missing);
    return check_axes(path, &family->space, table, error);
}

/* The descriptor in a shared object, which stays open: the descriptor points into it. */
static const struct family *open_family(const char *path, struct error *error)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        error_set(error, ERROR_USAGE, "cannot load a kernel family: %s", dlerror());
        return NULL;
    }
    const int *abi = dlsym(object, "warpsweep_family_abi");
    const struct family *family = dlsym(object, "warpsweep_family");
    if (!abi)
        error_set(error, ERROR_USAGE,
                  "%s: it exports no `warpsweep_family_abi`; expected `const int warpsweep_family_abi = "
                  "FAMILY_ABI;`",
                  path);
    else if (*abi != FAMILY_ABI)
        error_set(error, ERROR_USAGE,
                  "%s: it was built for version %d of family/family.h; expected %d: build it again with this "
                  "installation's headers",
                  path, *abi, FAMILY_ABI);
    else if (!family)
        error_set(error, ERROR_USAGE,
                  "%s: it exports no `warpsweep_family`; expected `const struct family warpsweep_family`",
                  path);
    else
        return family;
    dlclose(object);
    return NULL;
}

/* Give `family` the text of NAME.cu beside NAME.so, for the life of the process, if it fits the axes. */
static int read_source(const char *path, const struct device_header *headers, struct family *family,
                       struct error *error)
{
    struct text name = {0};
    size_t size;
    int failed = 0;
    text_add(&name, "%.*s.cu", (int)(strlen(path) - strlen(".so")), path);
    char *source = io_read_file(name.data, SOURCE_BYTES_MAX, &size, error);
    family->source = source;
    if (!source) {
        failed = error_prefix(error, "%s: its device code is expected beside it", path);
        error->kind = ERROR_USAGE;
    } else if (macros_check(family, name.data, headers, error) != 0) {
        failed = -1;
        free(source);
    }
    text_free(&name);
    return failed;
}

static int load_family(const char *path, const struct device_header *headers, const struct family **table,
                       struct error *error)
{
    int count = 0;
    const struct family *found = open_family(path, error);
    if (!found || check_family(path, found, table, error) != 0)
        return -1;
    while (table[count])
        count++;
    if (count == FAMILIES_MAX)
        return error_set(error, ERROR_USAGE, "%s: one kernel family too many; expected at most %d in all",
                         path, FAMILIES_MAX);
    struct family *family = memory_new(1, sizeof *family);
    *family = *found;
    if (read_source(path, headers, family, error) != 0) {
        free(family);
        return -1;
    }
    table[count] = family; /* what follows is NULL still */
    return 0;
}

static int is_shared_object(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && !strcmp(entry->d_name + length - 3, ".so");
}

int plugin_load_folder(const char *folder, const struct device_header *headers, const struct family **table,
                       struct error *error)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_shared_object, alphasort), failed = 0;
    if (count < 0)
        return error_set(error, ERROR_USAGE, "cannot read the folder of kernels %s: %s", folder,
                         strerror(errno));
    if (count == 0)
        failed =
            error_set(error, ERROR_USAGE,
                      "%s has no kernels; expected NAME.so and NAME.cu for each (family/plugin.h)", folder);
    for (int i = 0; i < count; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s", folder, entry[i]->d_name);
        if (!failed)
            failed = load_family(path.data, headers, table, error);
        text_free(&path);
        free(entry[i]);
    }
    free(entry);
    return failed;
}
