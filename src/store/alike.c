#include "store/alike.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Names of /environment that bear on what was measured, and what they are for people. Timing and cache rules are the
 * job's. */
static const struct {
    const char *name, *what;
} matters[] = {
    {"backend", "back end"},
    {"release", "release of warpsweep"},
    {"commit", "commit of warpsweep"},
};

static void add_difference(struct text *found, const char *what, const char *is, const char *should)
{
    text_add(found, "%s%s '%s', not '%s'", found->length ? "; " : "", what, is, should);
}

/* The bytes of the first line in which `a` differs from `b`, and its number. */
static int differing_line(const char *a, const char *b, const char **line, int *length)
{
    int number = 1;
    const char *start = a;
    for (; *a && *a == *b; a++, b++) {
        if (*a == '\n') {
            number++;
            start = a + 1;
        }
    }
    *line = start;
    *length = (int)strcspn(start, "\r\n");
    return number;
}

static void compare_jobs(struct text *found, const struct dataset *first, const struct dataset *other)
{
    const char *is, *should;
    int is_length, should_length;
    if (!strcmp(first->job, other->job))
        return;
    int number = differing_line(other->job, first->job, &is, &is_length);
    differing_line(first->job, other->job, &should, &should_length);
    text_add(found, "line %d of its job is '%.*s', not '%.*s'", number, is_length < 80 ? is_length : 80, is,
             should_length < 80 ? should_length : 80, should);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The products in /devices, each once and sorted: "H200 (132 multiprocessors, 140 GiB)". The caller frees the text.
 */
static char *products(const struct dataset *dataset)
{
    const struct frame *devices = &dataset->devices;
    int multiprocessors = frame_find(devices, "multiprocessors"),
        memory = frame_find(devices, "memory_bytes");
    char **name = memory_new(devices->rows + 1, sizeof *name);
    struct text all = {0};
    for (size_t row = 0; row < devices->rows; row++) {
        const union cell *cell = frame_row(devices, row);
        struct text text = {0};
        text_add(&text, "%s", frame_find_text(devices, row, "name"));
        bool known = multiprocessors >= 0 && memory >= 0 && cell[multiprocessors].integer > 0;
        if (known) /* drivers keep some megabytes more or less to themselves */
            text_add(&text, " (%" PRId64 " multiprocessors, %.0f GiB)", cell[multiprocessors].integer,
                     (double)cell[memory].integer / (1 << 30));
        name[row] = text.data;
    }
    qsort(name, devices->rows, sizeof *name, by_text);
    for (size_t row = 0; row < devices->rows; row++)
        if (!row || strcmp(name[row], name[row - 1]) != 0)
            text_add(&all, "%s%s", row ? ", " : "", name[row]);
    for (size_t row = 0; row < devices->rows; row++)
        free(name[row]);
    free(name);
    return all.data;
}

static void compare_products(struct text *found, const struct dataset *first, const struct dataset *other)
{
    char *is = products(other), *should = products(first);
    if (is && should && strcmp(is, should) != 0)
        add_difference(found, "devices", is, should);
    free(is);
    free(should);
}

/* The words of `list` that `other` lacks; "" for none. The caller frees. */
static char *words_beyond(const char *list, const char *other)
{
    struct text words = {0};
    while (*list) {
        size_t length = strcspn(list, " ");
        const char *found = other;
        while (*found && (strncmp(found, list, length) != 0 || (found[length] && found[length] != ' '))) {
            found += strcspn(found, " ");
            found += strspn(found, " ");
        }
        if (!*found)
            text_add(&words, "%s%.*s", words.length ? " " : "", (int)length, list);
        list += length;
        list += strspn(list, " ");
    }
    return words.data ? words.data : memory_text("");
}

/* Of a long list only what differs. */
static void compare_counters(struct text *found, const struct dataset *first, const struct dataset *other)
{
    const char *should = dataset_environment(first, "counters"), *is = dataset_environment(other, "counters");
    char *more = words_beyond(is ? is : "", should ? should : "");
    char *less = words_beyond(should ? should : "", is ? is : "");
    if (*more || *less)
        text_add(found, "%scounters: only the former has '%s', only the latter '%s'",
                 found->length ? "; " : "", more, less);
    free(more);
    free(less);
}

static const char *backend_of(const struct dataset *dataset)
{
    const char *backend = dataset_environment(dataset, "backend");
    return backend ? backend : "";
}

static void compare_value(struct text *found, const char *name, const char *what, const struct dataset *first,
                          const struct dataset *other)
{
    const char *should = dataset_environment(first, name), *is = dataset_environment(other, name);
    if (strcmp(is ? is : "", should ? should : "") != 0)
        add_difference(found, what, is ? is : "", should ? should : "");
}

int alike_check(const char *first_path, const struct dataset *first, const char *other_path,
                const struct dataset *other, struct error *error)
{
    struct text found = {0};
    compare_jobs(&found, first, other);
    if (!found.length) /* unless it is given, the seed is the job's hash */
        compare_value(&found, "seed", "seed", first, other);
    for (size_t i = 0; i < sizeof matters / sizeof *matters; i++)
        compare_value(&found, matters[i].name, matters[i].what, first, other);
    if (strcmp(backend_of(first), backend_of(other)) == 0) { /* else these differ, too */
        compare_counters(&found, first, other);
        compare_products(&found, first, other);
    }
    int failed = found.length ? error_set(error, ERROR_USAGE, "%s was not measured as %s was: %s", other_path,
                                          first_path, found.data)
                              : 0;
    text_free(&found);
    return failed;
}
