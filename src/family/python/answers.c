#include "family/python/python.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/frame.h"

#define FIELDS_MAX 10

/* A line's fields, separated by tabs; changes the line. Those that it lacks are empty. */
static void split(char *line, const char *field[FIELDS_MAX])
{
    for (int i = 0; i < FIELDS_MAX; i++)
        field[i] = line ? strsep(&line, "\t") : "";
}

/* A copy of the text that is never freed; the same for equal texts. */
static const char *keep(const char *text)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct texts *all;
    pthread_mutex_lock(&mutex);
    all = all ? all : texts_new();
    const char *kept = texts_add(all, text, strlen(text));
    pthread_mutex_unlock(&mutex);
    return kept;
}

/* ---- Points ---- */

static struct buffer read_buffer(const char *const field[FIELDS_MAX])
{
    static const char *const roles[] = {"input", "output", "scratch", NULL};
    static const char *const kinds[] = {"random", "index", "below", "permutation", NULL};
    int role = text_find(roles, field[2]), dtype = text_find(dtype_words, field[3]),
        kind = text_find(kinds, field[5]);
    return (struct buffer){.name = keep(field[1]),
                           .role = role < 0 ? BUFFER_SCRATCH : (enum buffer_role)role,
                           .dtype = dtype < 0 ? DTYPE_F32 : (enum dtype)dtype,
                           .count = strtoull(field[4], NULL, 10),
                           .fill = {.kind = kind < 0 ? FILL_RANDOM : kind,
                                    .low = strtof(field[6], NULL),
                                    .high = strtof(field[7], NULL),
                                    .multiplier = 1,
                                    .modulus = strtoull(field[8], NULL, 10)}};
}

/* A point that fails needs a setup, too: whoever asks for it looks for the failure only afterwards. */
struct description description_failed(const char *why)
{
    return (struct description){.failure = keep(why),
                                .setup = {.engine = ENGINE_CALL,
                                          .buffers = 1,
                                          .buffer = {buffer_output("out", DTYPE_F32, 1)},
                                          .carveout = -1}};
}

struct description description_read(const char *answer)
{
    struct description d = {.setup = {.engine = ENGINE_CALL, .carveout = -1}};
    char *copy = memory_text(answer ? answer : ""), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        const char *field[FIELDS_MAX];
        split(line, field);
        if (!strcmp(field[0], "skip"))
            d.skip = keep(field[1]);
        else if (!strcmp(field[0], "buffer") && d.setup.buffers < SETUP_BUFFERS_MAX)
            d.setup.buffer[d.setup.buffers++] = read_buffer(field);
        else if (!strcmp(field[0], "work"))
            d.work = (struct work){strtoull(field[1], NULL, 10),
                                   strtoull(field[2], NULL, 10),
                                   strtoull(field[3], NULL, 10),
                                   strtoull(field[4], NULL, 10),
                                   0,
                                   0};
        else if (!strcmp(field[0], "tolerance"))
            d.tolerance =
                (struct tolerance){.relative = strtod(field[1], NULL), .absolute = strtod(field[2], NULL)};
    }
    free(copy);
    return d;
}

/* ---- Families ---- */

static const char *const *read_words(const char *list)
{
    size_t count = 0, capacity = 0;
    const char **words = NULL;
    char *copy = memory_text(list), *rest = copy, *word;
    while ((word = strsep(&rest, ","))) {
        words = memory_grow(words, count, &capacity, sizeof *words);
        words[count++] = keep(word);
    }
    words = memory_grow(words, count, &capacity, sizeof *words);
    words[count] = NULL;
    free(copy);
    return words;
}

static struct axis read_axis(const char *const field[FIELDS_MAX])
{
    const bool word = !strcmp(field[2], "word"), bytes = !strcmp(field[2], "bytes"),
               dtype = !strcmp(field[1], "dtype");
    const char *unit = bytes ? "bytes" : "elements", *summary = dtype ? "element type" : "";
    enum axis_kind number = bytes ? AXIS_BYTES : AXIS_COUNT;
    /* The number of a dtype means the same in all families: points of types that this one lacks are
     * unsupported. */
    const char *const *words = dtype ? dtype_words : NULL;
    if (word && !dtype)
        words = read_words(field[8]);
    return (struct axis){.name = keep(field[1]),
                         .kind = word ? AXIS_WORD : number,
                         .standard = keep(field[3]),
                         .least = strtoll(field[4], NULL, 10),
                         .most = strtoll(field[5], NULL, 10),
                         .unit = keep(*field[6] || word ? field[6] : unit),
                         .summary = keep(*field[7] ? field[7] : summary),
                         .words = word ? words : NULL};
}

static int add_axis(const char *path, struct space *space, const struct axis *axis, struct error *error)
{
    struct axis *axes = (struct axis *)space->axes;
    if (space->count == POINT_AXES_MAX)
        return error_set(error, ERROR_USAGE, "%s: more than %d axes, with variant, cache and arch", path,
                         POINT_AXES_MAX);
    axes[space->count++] = *axis;
    return 0;
}

int description_read_family(const char *path, const char *answer, struct python_family *python,
                            struct family *family, struct error *error)
{
    static const char *const call_words[] = {"call", NULL};
    static const struct axis variant = AXIS_VARIANT(call_words, "call"), cache = AXIS_CACHE,
                             architecture = AXIS_ARCHITECTURE;
    char *copy = memory_text(answer), *rest = copy, *line;
    struct space space = {.axes = memory_new(POINT_AXES_MAX, sizeof(struct axis))};
    int failed = 0;
    while (!failed && (line = strsep(&rest, "\n"))) {
        const char *field[FIELDS_MAX];
        split(line, field);
        if (!strcmp(field[0], "number"))
            python->number = (int)strtol(field[1], NULL, 10);
        else if (!strcmp(field[0], "family")) {
            space.kernel = keep(field[1]);
            family->summary = keep(field[2]);
            family->loaded = strtoull(field[3], NULL, 16);
            python->reference = strtoull(field[4], NULL, 16);
            python->shares = *field[5] == '1';
            python->imports = *field[6] == '1';
        } else if (!strcmp(field[0], "axis")) {
            struct axis axis = read_axis(field);
            failed = add_axis(path, &space, &axis, error);
        }
    }
    free(copy);
    if (!failed && space_axis(&space, "variant") < 0)
        failed = add_axis(path, &space, &variant, error);
    for (int i = 0; i < space.count; i++)
        family->data_axes |= strcmp(space.axes[i].name, "variant") != 0 ? FAMILY_AXIS(i) : 0;
    if (!family->data_axes) /* 0 would be all of them */
        family->data_axes = FAMILY_AXIS(POINT_AXES_MAX);
    if (!failed)
        failed = add_axis(path, &space, &architecture, error) || add_axis(path, &space, &cache, error);
    family->space = space;
    return failed;
}
