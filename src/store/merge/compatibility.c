#include "store/merge/store_merge.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define VARIABLE_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* Names of /environment that affect what is measured; one that ends with a dot: all names that begin so. In
 * files without rules release and commit stand for them and for the kernels' code (code.NAME). */
static const struct compared compared[] = {
    {"code.", "code of ", "restore the kernel", false},
    {"file.", "file ", "restore the file", true},
    {"library.", "library ", "load the library of the file", true},
    {"module.", "module ", "install the version of the file", true},
    {"interpreter", "Python interpreter", "use the version of the file", true},
    {"backend", "back end", "--backend", false},
    {"seed", "seed", "--seed", false},
    {"rules", "rules of measuring", "use the release of the file", false},
    {"timing", "timing", "restore the timing of the job", false},
    {"pairs", "pairs", "restore --kernels or --pair", false},
    {"share", "share of the points", "restore --share", false},
    {"counters", "counters", NULL, false},
    {"release", "release of warpsweep", NULL, false},
    {"commit", "commit of warpsweep", NULL, false},
};

/* The first of its name. */
static const struct store_pair *find(const struct store_pair *pair, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(pair[i].name, name))
            return &pair[i];
    return NULL;
}

/* Whether the name fits one of the patterns of a pair `variables`. */
static bool is_variable(const struct store_pair *patterns, const char *name)
{
    char pattern[64];
    for (const char *at = patterns ? patterns->value : ""; *at; at += strspn(at, " ")) {
        int length = (int)strcspn(at, " ");
        snprintf(pattern, sizeof pattern, "%.*s", length, at);
        if (fnmatch(pattern, name, 0) == 0)
            return true;
        at += length;
    }
    return false;
}

/* NULL: it is a variable, or may differ. */
static const struct compared *find_compared(const char *name, size_t *length)
{
    for (size_t c = 0; c < sizeof compared / sizeof *compared; c++) {
        *length = strlen(compared[c].name);
        bool all = compared[c].name[*length - 1] == '.';
        if (all ? !strncmp(name, compared[c].name, *length) : !strcmp(name, compared[c].name))
            return &compared[c];
    }
    return NULL;
}

/* `text` takes what messages call it; false: it may differ. */
static bool describe(const char *name, const struct store_pair *const listed[2], struct compared *what,
                     char *text, size_t size)
{
    size_t length;
    const struct compared *found = find_compared(name, &length);
    if (found) {
        snprintf(text, size, "%s%s", found->what, name + length);
        *what = (struct compared){name, text, found->way, found->loaded};
        return true;
    }
    *what = (struct compared){name, name, "restore the variable", true};
    return is_variable(listed[0], name) || is_variable(listed[1], name);
}

int accepted_add(struct accepted *accepted, const char *name, struct error *error)
{
    size_t length;
    const struct compared *found = find_compared(name, &length);
    if (found ? !found->loaded : !*name || name[strspn(name, VARIABLE_CHARACTERS)])
        return error_set(error, ERROR_USAGE,
                         "--accept '%.80s': expected what may differ as the message has it: a variable, or "
                         "library.NAME, module.NAME, file.NAME or interpreter",
                         name);
    if (accepted->count == ACCEPTED_MAX)
        return error_set(error, ERROR_USAGE, "--accept is given more than %d times", ACCEPTED_MAX);
    accepted->name[accepted->count++] = name;
    return 0;
}

bool accepted_has(const struct accepted *accepted, const char *name)
{
    for (int i = 0; i < accepted->count; i++)
        if (!strcmp(accepted->name[i], name))
            return true;
    return false;
}

void accepted_describe(const struct accepted *accepted, struct text *text)
{
    for (int i = 0; i < accepted->count; i++)
        text_add(text, "%s%s", i ? " " : "", accepted->name[i]);
}

void compatibility_compare(const struct store_pair *there, int theres, const struct store_pair *now, int nows,
                           const struct accepted *accepted, compatibility_differ *differ, void *context)
{
    static const struct store_pair unset = {.value = (char *)"not set"};
    const struct store_pair *const listed[2] = {find(there, theres, "variables"),
                                                find(now, nows, "variables")};
    for (int i = 0; i < theres + nows; i++) {
        bool theirs = i >= nows;
        const struct store_pair *pair = theirs ? &there[i - nows] : &now[i],
                                *other =
                                    theirs ? find(now, nows, pair->name) : find(there, theres, pair->name);
        struct compared what;
        char text[128];
        if (!other && is_variable(listed[theirs], pair->name))
            other = &unset;
        else if (!other || theirs)
            continue;
        if (!strcmp(other->value, pair->value) || accepted_has(accepted, pair->name) ||
            !describe(pair->name, listed, &what, text, sizeof text) ||
            find(theirs ? there : now, theirs ? theres : nows, pair->name) != pair)
            continue;
        differ(context, &what, (theirs ? pair : other)->value, (theirs ? other : pair)->value);
    }
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
    if (!found->length)
        return;
    text_add(found, "; compare them: warpsweep compare "); /* other differences follow from this one */
    text_add_quoted(found, first_path);
    text_add(found, " ");
    text_add_quoted(found, other_path);
}

/* ---- Both ---- */

struct merging_check {
    struct text found;
    bool rules, same_backend, same_job;
    char loaded[80]; /* a name that can be accepted */
};

static void differ(void *context, const struct compared *what, const char *there, const char *other)
{
    struct merging_check *check = context;
    const char *name = what->name;
    bool build = !strcmp(name, "release") || !strcmp(name, "commit"), code = !strncmp(name, "code.", 5);
    if ((build && check->rules) || (code && !check->rules) || !strcmp(name, "share") ||
        (!strcmp(name, "counters") && !check->same_backend) ||
        (!strcmp(name, "seed") && !check->same_job)) /* unless it is given, it is the job's hash */
        return;
    if (what->loaded)
        snprintf(check->loaded, sizeof check->loaded, "%s", name);
    text_add(&check->found, "%s%s '%s', not '%s'", check->found.length ? "; " : "", what->what, other, there);
}

static const char *value_of(const struct dataset *dataset, const char *name)
{
    const char *value = dataset_environment(dataset, name);
    return value ? value : "";
}

int compatibility_check(const char *first_path, const struct dataset *first, const char *other_path,
                        const struct dataset *other, const struct accepted *accepted, struct error *error)
{
    struct merging_check check = {.rules = *value_of(first, "rules") && *value_of(other, "rules"),
                                  .same_backend =
                                      !strcmp(value_of(first, "backend"), value_of(other, "backend")),
                                  .same_job = !strcmp(first->job, other->job)};
    int failed = 0;
    if (check.same_backend) /* else more differs, too */
        compare_products(&check.found, first_path, first, other_path, other);
    if (check.found.length) {
        failed =
            error_set(error, ERROR_USAGE, "the files are of different products, and one file holds one: %s",
                      check.found.data);
    } else {
        compare_jobs(&check.found, first, other);
        compatibility_compare(first->environment, first->environment_count, other->environment,
                              other->environment_count, accepted, differ, &check);
        if (check.found.length)
            failed = error_set(error, ERROR_USAGE, "%s was not measured as %s was: %s%s%s", other_path,
                               first_path, check.found.data,
                               *check.loaded ? "; if that is harmless: --accept " : "", check.loaded);
    }
    text_free(&check.found);
    return failed;
}
