#include "cli/program/values.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "core/metric.h"
#include "kernels/registry.h"
#include "plan/job.h"
#include "process/shipped.h"
#include "store/store.h"

#define FILE_SIZE_MAX                                                                                        \
    (64 << 20) /* bytes; reading the columns of a larger file takes too long between two key strokes */

enum kind {
    KIND_WORDS, /* words of the option's own table */
    KIND_KERNEL,
    KIND_CHIP,
    KIND_FIGURE,
    KIND_PROFILE,
    KIND_ARCH,
    KIND_AXIS,    /* AXIS=VALUE,VALUE of the job's kernels */
    KIND_COLUMN,  /* names with commas */
    KIND_WHERE,   /* COLUMN=VALUE,VALUE */
    KIND_RESULTS, /* files */
    KIND_FILE,
    KIND_FOLDER,
    KIND_FREE, /* any text: no candidates */
    KIND_UNKNOWN,
};

/* Kind by the name of the value in the help, for one option or for all. */
static const struct {
    const char *value, *option;
    enum kind kind;
} kinds[] = {
    {"NAME", "kernel", KIND_KERNEL},   {"NAME", "chip", KIND_CHIP},      {"NAME", "figure", KIND_FIGURE},
    {"FILE", "profile", KIND_PROFILE}, {"ARCH", NULL, KIND_ARCH},        {"AXIS=V,V", NULL, KIND_AXIS},
    {"AXIS,AXIS", NULL, KIND_COLUMN},  {"COLUMN", NULL, KIND_COLUMN},    {"NAME,NAME", NULL, KIND_COLUMN},
    {"NAME,-NAME", NULL, KIND_COLUMN}, {"COLUMN=V,V", NULL, KIND_WHERE}, {"FILE.h5", NULL, KIND_RESULTS},
    {"FILE", NULL, KIND_FILE},         {"DIR", NULL, KIND_FOLDER},       {"NAME=EXPR", NULL, KIND_FREE},
    {"PARTS", NULL, KIND_FREE},        {"VALUE", NULL, KIND_FREE},       {"COUNT", NULL, KIND_FREE},
    {"DURATION", NULL, KIND_FREE},     {"SHARE", NULL, KIND_FREE},       {"LENGTH", NULL, KIND_FREE},
    {"ROW", NULL, KIND_FREE},          {"K/N", NULL, KIND_FREE},         {"N", NULL, KIND_FREE},
    {"TEXT", NULL, KIND_FREE},
};

static enum kind kind_of(const struct command_option *option)
{
    if (option->words)
        return KIND_WORDS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].value, option->value) &&
            (!kinds[i].option || !strcmp(kinds[i].option, option->name)))
            return kinds[i].kind;
    return KIND_UNKNOWN;
}

void values_offer(const char *before, const char *typed, const char *candidate, const char *after,
                  const char *about)
{
    if (strncmp(candidate, typed, strlen(typed)) == 0)
        printf("%s%s%s\t%s\n", before, candidate, after, about);
}

/* ---- Options and files on the command line ---- */

/* The value of an option on the line, or NULL. */
static const char *find_value(const struct line *line, const char *name)
{
    for (int i = 0; i + 1 < line->words; i++) {
        const char *word = line->word[i];
        size_t length = strlen(name);
        if (word[0] != '-' || word[1] != '-' || strncmp(word + 2, name, length) != 0)
            continue;
        if (word[2 + length] == '=')
            return word + 3 + length;
        if (!word[2 + length] && i + 2 < line->words)
            return line->word[i + 1];
    }
    return NULL;
}

/* The first operand that is a file with this extension. */
static const char *find_file(const struct line *line, const char *ending)
{
    struct stat status;
    for (int i = 0; i + 1 < line->words; i++) {
        size_t length = strlen(line->word[i]), end = strlen(ending);
        if (length > end && !strcmp(line->word[i] + length - end, ending) &&
            stat(line->word[i], &status) == 0 && S_ISREG(status.st_mode))
            return line->word[i];
    }
    return NULL;
}

static void load_kernels(const struct line *line)
{
    const char *folder = find_value(line, "kernels");
    struct error ignored;
    if (folder)
        registry_load_folder(folder, &ignored);
}

/* Calls `each` once per family: that of --kernel, else those of the job file, else all. */
static void for_families(const struct line *line, void (*each)(const struct family *, void *), void *context)
{
    struct job job;
    struct error ignored;
    load_kernels(line);
    const char *path = find_file(line, ".yaml"), *kernel = find_value(line, "kernel");
    const struct family *one = kernel ? family_find(kernel) : NULL;
    if (one) {
        each(one, context);
    } else if (path && job_read(path, &job, &ignored) == 0) {
        for (int i = 0; i < job.sweep_count; i++)
            if (job_is_first_sweep(&job, i))
                each(job.sweeps[i].family, context);
        job_free(&job);
    } else {
        for (const struct family *const *family = families; *family; family++)
            each(*family, context);
    }
}

/* ---- Axes ---- */

struct axis_request {
    const char *before, *typed, *name; /* name: the axis whose words are wanted; NULL: names of axes */
    struct text *seen;                 /* ",name," of each candidate so far */
};

static bool first_time(struct text *seen, const char *name)
{
    char marked[256];
    snprintf(marked, sizeof marked, ",%s,", name);
    if (seen->data && strstr(seen->data, marked))
        return false;
    text_add(seen, "%s", marked);
    return true;
}

static void offer_axes(const struct family *family, void *context)
{
    const struct axis_request *request = context;
    for (int i = 0; i < family->space.count; i++) {
        const struct axis *axis = &family->space.axes[i];
        if (!request->name && first_time(request->seen, axis->name))
            values_offer(request->before, request->typed, axis->name, "=", axis->summary);
        if (!request->name || strcmp(axis->name, request->name) != 0 || !axis->words)
            continue;
        for (const char *const *word = axis->words; *word; word++)
            if (first_time(request->seen, *word))
                values_offer(request->before, request->typed, *word, "", axis->name);
    }
}

/* Names of axes; behind "AXIS=" or a comma the words of the axis. */
static void offer_axis(const struct line *line, const char *before, const char *typed)
{
    struct text front = {0}, name = {0}, seen = {0};
    size_t operator= strcspn(typed, "!<>=");
    struct axis_request request = {before, typed, NULL, &seen};
    text_add(&front, "%s", before);
    if (typed[operator]) {
        const char *comma = strrchr(typed, ','), *value = comma ? comma : typed + operator;
        value += comma ? 1 : strspn(value, "!<>=");
        text_add(&name, "%.*s", (int)operator, typed);
        text_add(&front, "%.*s", (int)(value - typed), typed);
        request = (struct axis_request){front.data, value, name.data, &seen};
    }
    for_families(line, offer_axes, &request);
    text_free(&front);
    text_free(&name);
    text_free(&seen);
}

/* ---- Columns ---- */

static void offer_known_columns(const char *before, const char *typed, const char *after)
{
    struct text seen = {0};
    struct axis_request request = {before, typed, NULL, &seen};
    for (int i = 0; i < FIXED_COUNT; i++)
        values_offer(before, typed, column_fixed[i].name, after, column_fixed[i].meaning);
    for (int i = 0; i < REAL_COUNT; i++)
        values_offer(before, typed, column_reals[i].name, after, column_reals[i].meaning);
    for (int i = 0; i < metric_count; i++)
        values_offer(before, typed, metrics[i].column, after, metrics[i].meaning);
    for (const struct family *const *family = families; *family; family++)
        for (int i = 0; i < (*family)->space.count; i++)
            if (first_time(request.seen, (*family)->space.axes[i].name))
                values_offer(before, typed, (*family)->space.axes[i].name, after,
                             (*family)->space.axes[i].summary);
    text_free(&seen);
}

static bool read_results(const struct line *line, struct dataset *file)
{
    struct stat status;
    struct error ignored;
    const char *path = find_file(line, ".h5");
    return path && stat(path, &status) == 0 && status.st_size < FILE_SIZE_MAX &&
           dataset_read_columns(path, false, file, &ignored) == 0;
}

static void offer_columns(const struct line *line, const char *before, const char *typed, const char *after)
{
    struct dataset file;
    if (!read_results(line, &file)) {
        offer_known_columns(before, typed, after);
        return;
    }
    for (int i = 0; i < file.results.columns; i++)
        values_offer(before, typed, file.results.column[i].name, after, file.results.column[i].meaning);
    for (int i = 0;
         i < file.devices.columns && !strncmp("device.", typed, strlen(typed) < 7 ? strlen(typed) : 7); i++) {
        char name[160];
        snprintf(name, sizeof name, "device.%s", file.devices.column[i].name);
        values_offer(before, typed, name, after, file.devices.column[i].meaning);
    }
    dataset_free(&file);
}

/* Values of a text column of the file. */
static void offer_cells(const struct line *line, const char *name, const char *before, const char *typed)
{
    struct dataset file;
    struct text seen = {0};
    if (!read_results(line, &file))
        return;
    int column = frame_find(&file.results, name);
    if (column >= 0 && file.results.column[column].type == COLUMN_TEXT)
        for (size_t row = 0; row < file.results.rows && seen.length < 4096; row++) {
            const char *text = frame_cell(&file.results, row, column)->text;
            if (*text && first_time(&seen, text))
                values_offer(before, typed, text, "", name);
        }
    text_free(&seen);
    dataset_free(&file);
}

static void offer_where(const struct line *line, const char *before, const char *typed)
{
    struct text front = {0}, name = {0};
    size_t operator= strcspn(typed, "!<>=");
    if (!typed[operator]) {
        offer_columns(line, before, typed, "=");
        return;
    }
    const char *comma = strrchr(typed, ','), *value = comma ? comma + 1 : typed + operator;
    value += comma ? 0 : strspn(value, "!<>=");
    text_add(&name, "%.*s", (int)operator, typed);
    text_add(&front, "%s%.*s", before, (int)(value - typed), typed);
    offer_cells(line, name.data, front.data, value);
    text_free(&front);
    text_free(&name);
}

/* The name behind the last comma; --sort allows a minus before it. */
static void offer_column_list(const struct line *line, const char *before, const char *typed)
{
    struct text front = {0};
    const char *comma = strrchr(typed, ','), *name = comma ? comma + 1 : typed;
    name += *name == '-';
    text_add(&front, "%s%.*s", before, (int)(name - typed), typed);
    offer_columns(line, front.data, name, "");
    text_free(&front);
}

/* ---- Names ---- */

static void offer_kernels(const struct line *line, const char *before, const char *typed)
{
    load_kernels(line);
    for (const struct family *const *family = families; *family; family++)
        values_offer(before, typed, (*family)->space.kernel, "", (*family)->summary);
}

/* NAME of every FOLDER/NAME.ending. */
static void offer_stems(const char *folder, const char *ending, const char *before, const char *typed,
                        const char *about)
{
    struct text pattern = {0};
    glob_t found;
    text_add(&pattern, "%s/*%s", folder, ending);
    if (glob(pattern.data, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *name = strrchr(found.gl_pathv[i], '/') + 1;
            name[strlen(name) - strlen(ending)] = '\0';
            if (strcmp(name, "style") != 0 && strcmp(name, "palette") != 0)
                values_offer(before, typed, name, "", about);
        }
        globfree(&found);
    }
    text_free(&pattern);
}

static void offer_shipped(enum kind kind, const char *before, const char *typed)
{
    char *folder = shipped_folder(NULL, "style.gp", NULL);
    struct text profiles = {0};
    if (folder && kind == KIND_FIGURE)
        offer_stems(folder, ".gp", before, typed, "a figure");
    if (folder && kind == KIND_PROFILE) {
        text_add(&profiles, "%s/../profiles", folder);
        offer_stems(profiles.data, ".yaml", before, typed, "a profile of this release");
    }
    text_free(&profiles);
    free(folder);
}

/* Names of hardware, each with what it is. Asking CUPTI for its chips would start a process at each key stroke. */
struct named {
    const char *name, *about;
};

static const struct named archs[] = {{"sm_80", "A100"},
                                     {"sm_89", "L4, RTX 4090"},
                                     {"sm_90", "H100, H200"},
                                     {"sm_90a", "Hopper with its own instructions"},
                                     {"sm_100", "B200"},
                                     {"sm_100a", "B200 with its own instructions"},
                                     {"sm_103", "B300"},
                                     {"sm_120", "RTX PRO 6000 Blackwell"},
                                     {"compute_80", "PTX"},
                                     {"compute_90", "PTX"},
                                     {0}};
static const struct named chips[] = {
    {"GA100", "A100"}, {"AD102", "RTX 4090, L40"},          {"GH100", "H100, H200"},
    {"GB100", "B200"}, {"GB202", "RTX PRO 6000, RTX 5090"}, {0}};

static void offer_named(const struct named *named, const char *before, const char *typed)
{
    for (; named->name; named++)
        values_offer(before, typed, named->name, "", named->about);
}

/* ---- Options and operands ---- */

void values_of_option(const struct line *line, const struct command_option *option, const char *before,
                      const char *typed)
{
    enum kind kind = kind_of(option);
    switch (kind) {
    case KIND_WORDS:
        for (const char *const *word = option->words; *word; word++)
            values_offer(before, typed, *word, "", "");
        break;
    case KIND_KERNEL:
        offer_kernels(line, before, typed);
        break;
    case KIND_CHIP:
        offer_named(chips, before, typed);
        break;
    case KIND_PROFILE:
        offer_shipped(kind, before, typed);
        printf("/files .yaml\n");
        break;
    case KIND_FIGURE:
        offer_shipped(kind, before, typed);
        break;
    case KIND_ARCH:
        offer_named(archs, before, typed);
        break;
    case KIND_AXIS:
        offer_axis(line, before, typed);
        break;
    case KIND_COLUMN:
        offer_column_list(line, before, typed);
        break;
    case KIND_WHERE:
        offer_where(line, before, typed);
        break;
    case KIND_RESULTS:
        printf("/files .h5\n");
        break;
    case KIND_FILE:
        printf("/files\n");
        break;
    case KIND_FOLDER:
        printf("/folders\n");
        break;
    case KIND_FREE:
    case KIND_UNKNOWN:
        break;
    }
}

void values_of_operand(const struct line *line, int index, const char *typed)
{
    const char *operands = line->command->operands;
    if (index >= line->command->operands_max)
        return;
    if (!strcmp(operands, "[NAME]"))
        offer_kernels(line, "", typed);
    else if (strstr(operands, "JOB"))
        printf("/files .yaml .yml\n");
    else if (strstr(operands, ".h5") && (strncmp(operands, "ID ", 3) != 0 || index > 0))
        printf("/files .h5\n");
}
