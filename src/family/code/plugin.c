#include "family/code/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "core/column.h"
#include "family/code/source.h"
#include "family/code_list.h"
#include "family/python/python.h"
#include "family/versions.h"

#define SOURCE_BYTES_MAX ((size_t)16 << 20) /* larger than any handwritten source */

/* The name of a required function that the family lacks; NULL if it has all. */
static const char *missing_function(const struct family *family)
{
    if (!family->skip)
        return "skip";
    if (!family->setup)
        return "setup";
    if (!family->work)
        return "work";
    if (!family->tolerance)
        return "tolerance";
    return !family->reference ? "reference" : NULL;
}

bool plugin_is_name(const char *text)
{
    return text && *text >= 'a' && *text <= 'z' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

static int check_word(const char *path, const struct axis *axis, size_t index, struct error *error)
{
    const char *word = axis->words[index];
    if (strlen(word) >= AXIS_TEXT_SIZE)
        return error_set(error, ERROR_USAGE,
                         "%s: the word '%s' of its axis '%s' has %zu bytes; expected at most %d", path, word,
                         axis->name, strlen(word), AXIS_TEXT_SIZE - 1);
    if (!*word || strpbrk(word, ", \t\n"))
        return error_set(error, ERROR_USAGE,
                         "%s: the word '%s' of its axis '%s' is empty, or has a comma or a space, which "
                         "separate values",
                         path, word, axis->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(axis->words[i], word) == 0)
            return error_set(error, ERROR_USAGE, "%s: its axis '%s' has the word '%s' twice", path,
                             axis->name, word);
    return 0;
}

static int check_axis(const char *path, const struct axis *axis, struct error *error)
{
    int64_t value;
    if (!plugin_is_name(axis->name) || !axis->unit || !axis->summary || !axis->standard)
        return error_set(error, ERROR_USAGE,
                         "%s: an axis lacks its name, unit, summary or standard value; expected all four, "
                         "the name in a-z, 0-9 and _",
                         path);
    if (column_is_reserved(axis->name))
        return error_set(error, ERROR_USAGE, "%s: its axis '%s' is a column of every results file: rename it",
                         path, axis->name);
    if (!axis_is_text(axis) && column_axis_has_words(axis->name))
        return error_set(error, ERROR_USAGE,
                         "%s: its axis '%s' has numbers; in every family it has words: rename it", path,
                         axis->name);
    if (axis->kind == AXIS_WORD && !axis->words)
        return error_set(error, ERROR_USAGE, "%s: its axis '%s' takes words and has none", path, axis->name);
    for (size_t i = 0; axis->kind == AXIS_WORD && axis->words[i]; i++)
        if (check_word(path, axis, i, error) != 0)
            return -1;
    if (axis_parse(axis, axis->standard, &value, error) != 0)
        return error_prefix(error, "%s: the standard value of its axis '%s'", path, axis->name);
    return 0;
}

static int check_axes(const char *path, const struct space *space, struct error *error)
{
    static const char *const needed[] = {"variant", "cache", "arch"};
    if (!space->axes || space->count < 1 || space->count > POINT_AXES_MAX)
        return error_set(error, ERROR_USAGE, "%s: it has %d axes; expected 3 to %d", path, space->count,
                         POINT_AXES_MAX);
    for (int i = 0; i < space->count; i++) {
        if (check_axis(path, &space->axes[i], error) != 0)
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
    if (!plugin_is_name(family->space.kernel))
        return error_set(error, ERROR_USAGE, "%s: its kernel's name is missing or not in a-z, 0-9 and _",
                         path);
    if (family_in(table, family->space.kernel))
        return error_set(error, ERROR_USAGE, "%s: there is already a kernel '%s'; expected another name",
                         path, family->space.kernel);
    if (!family->summary)
        return error_set(error, ERROR_USAGE, "%s: its kernel '%s' has no summary", path,
                         family->space.kernel);
    const char *missing = missing_function(family);
    if (missing)
        return error_set(error, ERROR_USAGE, "%s: its kernel '%s' has no function '%s'", path,
                         family->space.kernel, missing);
    return check_axes(path, &family->space, error);
}

/* The descriptor of a shared object. The object stays open, because the descriptor points into it. */
static const struct family *open_family(const char *path, uint64_t *bytes, struct error *error)
{
    void *object = object_open(path, bytes, error);
    if (!object)
        return NULL;
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
    return NULL;
}

/* NAME.`extension` beside NAME.so. The caller frees it. */
static char *beside(const char *path, const char *extension)
{
    struct text name = {0};
    text_add(&name, "%.*s.%s", (int)(strlen(path) - strlen(".so")), path, extension);
    return name.data;
}

/* Set source and headers of `family` to the texts of NAME.cu and what it includes from its folder, for the
 * life of the process, after checking its macros. */
static int read_source(const char *path, const char *name, const struct device_header *headers,
                       struct family *family, struct error *error)
{
    size_t size;
    char *source = io_read_file(name, SOURCE_BYTES_MAX, &size, error);
    family->source = source;
    if (!source) {
        error_prefix(error, "%s: its device code is expected beside it, as NAME.cu or NAME.code", path);
        error->kind = ERROR_USAGE;
        return -1;
    }
    family->headers = includes_read(name, source, headers, error);
    return family->headers ? macros_check(family, name, headers, error) : -1;
}

/* Set the machine code of `family` from NAME.code, for the life of the process. */
static int read_list(const char *name, struct family *family, struct error *error)
{
    struct code_list *list = memory_new(1, sizeof *list);
    family->code = list;
    if (code_list_read(name, &family->space, list, error) == 0)
        return 0;
    code_list_free(list);
    free(list);
    family->code = NULL;
    return -1;
}

static int read_code(const char *path, const struct device_header *headers, struct family *family,
                     struct error *error)
{
    char *source = beside(path, "cu"), *list = beside(path, "code");
    bool has_source = access(source, F_OK) == 0, has_list = access(list, F_OK) == 0;
    int failed = 0;
    family->source = NULL;
    family->code = NULL;
    family->headers = NULL;
    if (has_source && has_list)
        failed = error_set(error, ERROR_USAGE, "%s: there are both %s and %s beside it; expected one of them",
                           path, source, list);
    else if (has_list)
        failed = read_list(list, family, error);
    else if (has_source || !family->call)
        failed = read_source(path, source, headers, family, error);
    free(source);
    free(list);
    return failed;
}

/* A copy of the descriptor with the contents of the files beside it. */
static const struct family *read_family(const char *path, const struct family *found,
                                        const struct device_header *headers, uint64_t bytes,
                                        struct error *error)
{
    struct family *family = memory_new(1, sizeof *family);
    *family = *found;
    if (read_code(path, headers, family, error) != 0)
        return NULL; /* the process ends */
    if (family->source)
        bytes = hash_text(bytes, family->source);
    for (const struct device_header *header = family->headers; header && header->name; header++)
        bytes = hash_text(hash_text(bytes, header->name), header->text);
    if (family->code)
        bytes = hash_u64(bytes, code_list_hash(family->code));
    family->loaded = bytes;
    return family;
}

/* ---- Sources ---- */

/* Copies of a descriptor share the hash. */
static struct origin {
    uint64_t loaded, reference;
    char *path;
} origins[2 * FAMILIES_MAX];
static int origin_count;

/* A file beside NAME.so and what it includes from there. */
static void add_file(const char *path, const char *extension, plugin_add_source *add, void *context)
{
    static const struct device_header none[] = {{NULL, NULL}};
    struct error ignored;
    size_t size;
    char *name = beside(path, extension),
         *text = access(name, F_OK) == 0 ? io_read_file(name, SOURCE_BYTES_MAX, &size, &ignored) : NULL;
    const struct device_header *headers = text ? includes_read(name, text, none, &ignored) : NULL;
    if (text)
        add(context, io_file_name(name), text, size);
    for (const struct device_header *header = headers; header && header->name; header++)
        add(context, header->name, header->text, strlen(header->text));
    includes_free(headers);
    free(name);
    free(text);
}

static const struct origin *origin_of(const struct family *family)
{
    for (int i = 0; i < origin_count && family->loaded; i++)
        if (origins[i].loaded == family->loaded)
            return &origins[i];
    return NULL;
}

uint64_t plugin_reference(const struct family *family)
{
    const struct origin *origin = origin_of(family);
    return origin ? origin->reference : 0;
}

void plugin_sources(const struct family *family, plugin_add_source *add, void *context)
{
    static const char *const extensions[] = {"code", "c", "cc", "cpp"};
    const struct origin *origin = origin_of(family);
    if (!origin || python_sources(family, add, context))
        return;
    char *name = beside(io_file_name(origin->path), "cu");
    if (family->source)
        add(context, name, family->source, strlen(family->source));
    for (const struct device_header *header = family->headers; header && header->name; header++)
        add(context, header->name, header->text, strlen(header->text));
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        add_file(origin->path, extensions[i], add, context);
    free(name);
}

/* Add a family to the table, or put it in the place of one of that name. */
static int add_family(const struct family *family, const char *path, const struct family **table,
                      struct error *error)
{
    int at = 0;
    while (table[at] && strcmp(table[at]->space.kernel, family->space.kernel) != 0)
        at++;
    if (at == FAMILIES_MAX)
        return error_set(error, ERROR_USAGE, "%s: one kernel family too many; expected at most %d in all",
                         path, FAMILIES_MAX);
    table[at] = family; /* the table stays NULL-terminated */
    return 0;
}

static int load_family(const char *path, const struct device_header *headers, const struct family **table,
                       struct error *error)
{
    uint64_t bytes = 0;
    const bool python = python_is_family(io_file_name(path));
    const struct family *family =
        python ? python_load(path, &bytes, error) : open_family(path, &bytes, error);
    if (!family || check_family(path, family, table, error) != 0)
        return -1;
    if (!python)
        family = read_family(path, family, headers, bytes, error);
    if (family && origin_count < (int)(sizeof origins / sizeof *origins))
        origins[origin_count++] = (struct origin){family->loaded, bytes, memory_text(path)};
    return family ? add_family(family, path, table, error) : -1;
}

static int is_family(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return (length > 3 && !strcmp(entry->d_name + length - 3, ".so")) || python_is_family(entry->d_name);
}

bool plugin_needs_python(void)
{
    const char *given = getenv(PLUGIN_VARIABLE);
    char *copy = memory_text(given ? given : ""), *rest = copy, *line;
    bool found = false;
    while ((line = strsep(&rest, "\n"))) {
        struct dirent **entry;
        const char *folder = strchr(line, '='); /* NAME=FOLDER; a folder alone is an absolute path */
        int count = scandir(*line != '/' && folder ? folder + 1 : line, &entry, is_family, NULL);
        for (int i = 0; i < count; i++) {
            found |= python_is_family(entry[i]->d_name);
            free(entry[i]);
        }
        if (count >= 0)
            free(entry);
    }
    free(copy);
    return found;
}

int plugin_load_folder(const char *folder, const struct device_header *headers, const struct family **table,
                       struct error *error)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_family, alphasort), failed = 0;
    if (count < 0)
        return error_set(error, ERROR_USAGE, "cannot read the folder of kernels %s: %s", folder,
                         strerror(errno));
    if (count == 0)
        failed =
            error_set(error, ERROR_USAGE,
                      "%s has no kernels; expected NAME.py, or NAME.so and NAME.cu or NAME.code, for each "
                      "(docs/own-kernels.md)",
                      folder);
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

/* ---- Two versions ---- */

/* A family that one folder alone has is measured without a pair, and must not hide a built-in one. */
static int add_single(const struct family *family, const char *folder, const struct family **table,
                      struct error *error)
{
    if (family_in(table, family->space.kernel))
        return error_set(
            error, ERROR_USAGE,
            "%s: there is already a kernel '%s'; expected another name, or the kernel in both folders",
            folder, family->space.kernel);
    return add_family(family, folder, table, error);
}

int plugin_load_versions(const struct plugin_version version[2], const struct device_header *headers,
                         const struct family **table, struct error *error)
{
    static const struct family *own[VERSIONS][FAMILIES_MAX + 1]; /* they stay loaded, too */
    const char *const names[VERSIONS] = {version[0].name, version[1].name};
    int failed = 0, joined = 0, objects = 0;
    for (int v = 0; v < VERSIONS && !failed; v++) {
        objects = object_count();
        failed = plugin_load_folder(version[v].folder, headers, own[v], error);
    }
    if (!failed)
        failed = object_check_apart(objects, error);
    for (const struct family **family = own[0]; !failed && *family; family++) {
        const struct family *pair[VERSIONS] = {*family, family_in(own[1], (*family)->space.kernel)}, *both;
        if (!pair[1]) {
            failed = add_single(*family, version[0].folder, table, error);
            continue;
        }
        joined++;
        both = versions_join(pair, names, error);
        failed = both ? add_family(both, version[1].folder, table, error) : -1;
    }
    for (const struct family **family = own[1]; !failed && *family; family++)
        if (!family_in(own[0], (*family)->space.kernel))
            failed = add_single(*family, version[1].folder, table, error);
    if (!failed && !joined)
        failed =
            error_set(error, ERROR_USAGE, "%s and %s have no kernel in common; expected two versions of one",
                      version[0].folder, version[1].folder);
    return failed;
}
