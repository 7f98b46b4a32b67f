#include "store/merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Names of /environment that affect what is measured, and their names in messages. Timing and cache rules are the job's. */
static const struct {
    const char *name, *what;
} matters[] = {
    {"backend", "back end"},
    {"rules", "rules of measuring"},
    {"timing", "timing"},
};

/* In files without them these stand for the rules and for the kernels' code (code.NAME). */
static const char *const builds[][2] = {{"release", "release of warpsweep"},
                                        {"commit", "commit of warpsweep"}};

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

/* ---- Products ---- */

/* The first product of `of` that `in` lacks. */
static void find_other_product(struct text *found, const char *path, const struct dataset *of,
                               const struct dataset *in)
{
    for (size_t row = 0; row < of->devices.rows; row++) {
        struct device device = dataset_device(of, row);
        if (dataset_has_product(in, &device))
            continue;
        text_add(found, "%sonly %s was measured on '%s'", found->length ? ", " : "", path, device.name);
        if (device.multiprocessors > 0 && device.memory_bytes > 0)
            text_add(found, " (%" PRId64 " multiprocessors, %.1f GiB)", device.multiprocessors,
                     (double)device.memory_bytes / (1 << 30));
        return;
    }
}

static void compare_products(struct text *found, const char *first_path, const struct dataset *first,
                             const char *other_path, const struct dataset *other)
{
    if (!first->devices.rows || !other->devices.rows)
        return;
    find_other_product(found, first_path, first, other);
    find_other_product(found, other_path, other, first);
    if (found->length) /* other differences follow from this one */
        text_add(found, "; compare them: warpsweep compare %s %s", first_path, other_path);
}

/* ---- Environment ---- */

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

/* Of a long list only the differences. */
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

/* The device code of each kernel that both name. */
static void compare_code(struct text *found, const struct dataset *first, const struct dataset *other)
{
    for (int i = 0; i < other->environment_count; i++) {
        const struct store_pair *pair = &other->environment[i];
        const char *should = !strncmp(pair->name, "code.", 5) ? dataset_environment(first, pair->name) : NULL;
        if (should && dataset_environment(other, pair->name) == pair->value &&
            strcmp(should, pair->value) != 0)
            text_add(found, "%sthe code of %s", found->length ? "; " : "", pair->name + strlen("code."));
    }
}

int compatibility_check(const char *first_path, const struct dataset *first, const char *other_path,
                        const struct dataset *other, struct error *error)
{
    struct text found = {0};
    bool same_backend = strcmp(backend_of(first), backend_of(other)) == 0; /* else more differs, too */
    if (same_backend)
        compare_products(&found, first_path, first, other_path, other);
    if (found.length) {
        error_set(error, ERROR_USAGE, "the files are of different products, and one file holds one: %s",
                  found.data);
        text_free(&found);
        return -1;
    }
    compare_jobs(&found, first, other);
    if (!found.length) /* unless it is given, the seed is the job's hash */
        compare_value(&found, "seed", "seed", first, other);
    for (size_t i = 0; i < sizeof matters / sizeof *matters; i++)
        compare_value(&found, matters[i].name, matters[i].what, first, other);
    if (dataset_environment(first, "rules") && dataset_environment(other, "rules"))
        compare_code(&found, first, other);
    else
        for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
            compare_value(&found, builds[i][0], builds[i][1], first, other);
    if (same_backend)
        compare_counters(&found, first, other);
    int failed = found.length ? error_set(error, ERROR_USAGE, "%s was not measured as %s was: %s", other_path,
                                          first_path, found.data)
                              : 0;
    text_free(&found);
    return failed;
}
