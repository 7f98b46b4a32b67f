#include "family/code_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)

/* ---- reading ---- */

struct reading {
    const struct space *space;
    struct code_list *list;
    struct error *error;
    int line;
    char *start; /* of the line */
};

/* At a character of the line. */
#define fail_at(reading, at, ...)                                                                            \
    error_at((reading)->list->path, (reading)->line, (int)((at) - (reading)->start) + 1, (reading)->error,   \
             __VA_ARGS__)

/* Remove leading and trailing blanks, in place. */
static char *trim(char *text)
{
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text + strspn(text, " \t");
}

/* Is the axis part of SETTINGS? */
static bool is_setting(const struct axis *axis)
{
    return axis->compiled && axis->kind != AXIS_ARCH;
}

static uint64_t key_of(const struct point *point)
{
    uint64_t key = HASH_START;
    for (int i = 0; i < point->space->count; i++)
        if (is_setting(&point->space->axes[i]))
            key = hash_u64(key, (uint64_t)point->value[i]);
    return key;
}

/* Split "NAME=VALUE" in place; returns the value, or NULL with an error. */
static char *cut_value(const struct reading *reading, char *word)
{
    char *value = strchr(word, '=');
    if (!value || value == word || !value[1]) {
        fail_at(reading, word, "'%.80s' is not NAME=VALUE", word);
        return NULL;
    }
    *value = '\0';
    return value + 1;
}

static int read_setting(const struct reading *reading, char *word, struct code_file *file, bool *given)
{
    char *value = cut_value(reading, word);
    struct error why;
    if (!value)
        return -1;
    int axis = space_axis(reading->space, word);
    if (axis < 0)
        return fail_at(reading, word, "%s has no axis '%.80s'", reading->space->kernel, word);
    if (!is_setting(&reading->space->axes[axis]))
        return fail_at(reading, word, "%s; expected compiled axes only",
                       reading->space->axes[axis].kind == AXIS_ARCH
                           ? "the architecture belongs into the second part"
                           : "this axis is not compiled");
    if (given[axis])
        return fail_at(reading, word, "the axis '%s' is given twice", word);
    given[axis] = true;
    if (axis_parse(&reading->space->axes[axis], value, &file->point.value[axis], &why) != 0)
        return fail_at(reading, value, "%s", why.text);
    return 0;
}

static int read_settings(const struct reading *reading, char *text, struct code_file *file)
{
    bool given[POINT_AXES_MAX] = {false};
    file->point = point_standard(reading->space);
    for (char *save, *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        if (read_setting(reading, word, file, given) != 0)
            return -1;
    for (int i = 0; i < reading->space->count; i++) {
        const struct axis *axis = &reading->space->axes[i];
        const bool one_word = axis->kind == AXIS_WORD && !axis->words[1];
        if (is_setting(axis) && !given[i] && !one_word)
            return fail_at(reading, reading->start, "a value of the compiled axis '%s' is expected",
                           axis->name);
    }
    file->key = key_of(&file->point);
    return 0;
}

static int read_architecture(const struct reading *reading, char *text, struct code_file *file)
{
    if (arch_parse(text, &file->arch) && file->arch != ARCH_NATIVE)
        return 0;
    return fail_at(
        reading, text,
        "unknown architecture '%.40s'; expected, for example, sm_90a for a cubin or compute_90 for PTX",
        text);
}

static int read_path(const struct reading *reading, const char *text, struct code_file *file)
{
    struct text path = {0};
    struct error ignored;
    const char *slash = strrchr(reading->list->path, '/');
    if (*text != '/' && slash)
        text_append(&path, reading->list->path, (size_t)(slash + 1 - reading->list->path));
    text_add(&path, "%s", text);
    file->path = path.data;
    if (*text && io_hash_file(path.data, &file->bytes, &ignored) == 0)
        return 0;
    return *text ? fail_at(reading, text, "cannot read file %.400s", path.data)
                 : fail_at(reading, text, "expected a file of machine code");
}

static int read_number(const struct reading *reading, const char *name, const char *value, int64_t *number)
{
    if (text_parse_bytes(value, number) && *number <= INT32_MAX)
        return 0;
    return fail_at(reading, value, "%s is '%.40s'; expected a whole number", name, value);
}

static int read_property(const struct reading *reading, char *word, struct code_file *file)
{
    char *value = cut_value(reading, word);
    if (!value)
        return -1;
    if (!strcmp(word, "shared"))
        return read_number(reading, word, value, &file->shared);
    if (!strcmp(word, "threads"))
        return read_number(reading, word, value, &file->threads);
    if (strcmp(word, "entry") != 0)
        return fail_at(reading, word, "'%.40s' is unknown; expected entry, shared or threads", word);
    free(file->entry);
    file->entry = memory_text(value);
    return 0;
}

static int read_properties(const struct reading *reading, char *text, struct code_file *file)
{
    for (char *save, *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        if (read_property(reading, word, file) != 0)
            return -1;
    return 0;
}

static int check_new(const struct reading *reading, const struct code_file *file)
{
    const struct code_list *list = reading->list;
    for (size_t i = 0; i < list->count; i++)
        if (list->file[i].key == file->key && list->file[i].arch == file->arch)
            return fail_at(reading, reading->start, "these settings have code already, in line %d",
                           list->file[i].line);
    if (list->count == CODE_FILES_MAX)
        return fail_at(reading, reading->start, "too many files; expected at most %d", CODE_FILES_MAX);
    return 0;
}

static int read_line(const struct reading *reading, struct code_file *file)
{
    enum { PARTS = 4 };
    char *part[PARTS] = {reading->start};
    int parts = 1;
    for (char *bar = reading->start; (bar = strchr(bar, '|')); parts++) {
        if (parts == PARTS)
            return fail_at(reading, bar,
                           "unexpected fifth part; expected SETTINGS | ARCHITECTURE | FILE | entry=...");
        *bar++ = '\0';
        part[parts] = bar;
    }
    if (parts < 3)
        return fail_at(reading, reading->start,
                       "expected SETTINGS | ARCHITECTURE | FILE, optionally | entry=NAME shared=BYTES "
                       "threads=COUNT");
    if (read_settings(reading, part[0], file) != 0 || read_architecture(reading, trim(part[1]), file) != 0 ||
        read_path(reading, trim(part[2]), file) != 0 ||
        (parts == PARTS && read_properties(reading, part[3], file) != 0))
        return -1;
    return check_new(reading, file);
}

static void file_free(struct code_file *file)
{
    free(file->path);
    free(file->entry);
}

int code_list_read(const char *path, const struct space *space, struct code_list *list, struct error *error)
{
    size_t size;
    int failed = 0;
    *list = (struct code_list){.path = memory_text(path)};
    char *text = io_read_file(path, LIST_BYTES_MAX, &size, error);
    if (!text) {
        error->kind = ERROR_USAGE;
        return -1;
    }
    struct reading reading = {.space = space, .list = list, .error = error};
    for (char *next, *line = text; line && !failed; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        reading.line++;
        reading.start = line;
        if (*trim(line) == '\0' || *line == '#')
            continue;
        struct code_file file = {.shared = -1, .threads = -1, .line = reading.line};
        failed = read_line(&reading, &file);
        if (failed) {
            file_free(&file);
            break;
        }
        list->file = memory_grow(list->file, list->count, &list->capacity, sizeof *list->file);
        list->file[list->count++] = file;
    }
    if (!failed && !list->count)
        failed = error_set(error, ERROR_USAGE,
                           "%s: empty list; expected lines of SETTINGS | ARCHITECTURE | FILE", path);
    free(text);
    return failed;
}

void code_list_free(struct code_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        file_free(&list->file[i]);
    free(list->file);
    free(list->path);
    *list = (struct code_list){0};
}

/* ---- finding ---- */

/* How well a file fits a point of this architecture; 0: not at all. */
static int64_t fitness(const struct code_file *file, arch wanted, int capability)
{
    enum { EXACT = 1 << 20, MACHINE_CODE = 1 << 21 };
    if (wanted == ARCH_NATIVE && !capability)
        return 1;
    if (file->arch == wanted)
        return EXACT | MACHINE_CODE;
    if (wanted == ARCH_NATIVE) {
        bool exact = file->arch == arch_of_device(capability, true);
        if (!arch_runs_on(file->arch, capability))
            return 0;
        return file->arch + (exact ? EXACT : 0) + (arch_is_virtual(file->arch) ? 0 : MACHINE_CODE);
    }
    bool assembled = arch_is_virtual(file->arch) && !arch_is_virtual(wanted) &&
                     arch_runs_on(file->arch, arch_capability(wanted));
    return assembled ? file->arch : 0;
}

const struct code_file *code_list_find(const struct code_list *list, const struct point *point,
                                       int capability)
{
    const struct code_file *best = NULL;
    arch wanted = point_value(point, "arch", ARCH_NATIVE);
    uint64_t key = key_of(point);
    int64_t most = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct code_file *file = &list->file[i];
        int64_t fit = file->key == key ? fitness(file, wanted, capability) : 0;
        if (fit > most) {
            most = fit;
            best = file;
        }
    }
    return best;
}

/* ---- describing ---- */

static bool has_value(const struct code_list *list, int axis, int64_t value)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->file[i].point.value[axis] == value)
            return true;
    return false;
}

const char *code_list_lack(const struct code_list *list, const struct point *point, int capability,
                           char *reason, size_t size)
{
    char word[AXIS_TEXT_SIZE];
    const char *name = io_file_name(list->path);
    arch wanted = point_value(point, "arch", ARCH_NATIVE);
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        if (!is_setting(axis) || has_value(list, i, point->value[i]))
            continue;
        axis_format(axis, point->value[i], word);
        snprintf(reason, size, "%s has no code for %s=%s", name, axis->name, word);
        return reason;
    }
    arch_format(wanted == ARCH_NATIVE ? arch_of_device(capability, true) : wanted, word);
    snprintf(reason, size, "%s has no code for %s with these settings", name, word);
    return reason;
}

uint64_t code_list_hash(const struct code_list *list)
{
    uint64_t hash = hash_u64(HASH_START, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct code_file *file = &list->file[i];
        hash = hash_u64(hash_u64(hash_u64(hash, file->key), (uint64_t)file->arch), (uint64_t)file->shared);
        hash = hash_text(hash_u64(hash, (uint64_t)file->threads), file->entry ? file->entry : "");
        hash = hash_u64(hash, file->bytes);
    }
    return hash;
}
