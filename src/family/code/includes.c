#include "family/code/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

#define HEADER_BYTES_MAX ((size_t)16 << 20)

struct includes {
    const struct device_header *known;
    const char *root; /* path of the source */
    struct device_header *header;
    char **path; /* of each header */
    size_t count, capacity, paths_capacity;
    struct error *error;
};

static int read_text(struct includes *all, const char *path, const char *text);

/* `name` beside the file `path`, if there is such a file. The caller frees it. */
static char *beside(const char *path, const char *name)
{
    struct text joined = {0};
    text_add(&joined, "%.*s%s", *name == '/' ? 0 : (int)(io_file_name(path) - path), path, name);
    if (access(joined.data, F_OK) != 0)
        text_free(&joined);
    return joined.data;
}

static bool is_known(const struct device_header *header, const char *name)
{
    for (; header->name; header++)
        if (!strcmp(header->name, name))
            return true;
    return false;
}

static int add_header(struct includes *all, const char *from, const char *name)
{
    size_t size;
    char *path = is_known(all->known, name) ? NULL : beside(from, name);
    if (!path && !is_known(all->known, name))
        path = beside(all->root, name);
    if (!path)
        return 0;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->header[i].name, name) != 0)
            continue;
        int failed =
            strcmp(all->path[i], path) != 0
                ? error_set(all->error, ERROR_USAGE,
                            "%s: #include \"%s\" means %s, and elsewhere %s; expected different names", from,
                            name, path, all->path[i])
                : 0;
        free(path);
        return failed;
    }
    char *text = io_read_file(path, HEADER_BYTES_MAX, &size, all->error);
    if (!text) {
        free(path);
        return -1;
    }
    all->header = memory_grow(all->header, all->count, &all->capacity, sizeof *all->header);
    all->path = memory_grow(all->path, all->count, &all->paths_capacity, sizeof *all->path);
    all->header[all->count] = (struct device_header){memory_text(name), text};
    all->path[all->count++] = path;
    return read_text(all, path, text);
}

static int read_text(struct includes *all, const char *path, const char *text)
{
    struct tokens tokens = tokens_start(text);
    struct token token;
    while (tokens_next(&tokens, &token))
        if (token.kind == TOKEN_STRING && !strcmp(token.directive, "include") &&
            add_header(all, path, token.text) != 0)
            return -1;
    return 0;
}

const struct device_header *includes_read(const char *path, const char *source,
                                          const struct device_header *known, struct error *error)
{
    struct includes all = {.known = known, .root = path, .error = error};
    int failed = read_text(&all, path, source);
    all.header = memory_grow(all.header, all.count, &all.capacity, sizeof *all.header);
    all.header[all.count] = (struct device_header){NULL, NULL};
    for (size_t i = 0; i < all.count; i++)
        free(all.path[i]);
    free(all.path);
    if (failed)
        includes_free(all.header);
    return failed ? NULL : all.header;
}

void includes_free(const struct device_header *table)
{
    for (const struct device_header *header = table; header && header->name; header++) {
        free((char *)header->name);
        free((char *)header->text);
    }
    free((struct device_header *)table);
}
