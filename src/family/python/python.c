#include "family/python/python.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"

#define SOURCE_BYTES_MAX ((size_t)16 << 20)
#define ANSWER_SECONDS   PYTHON_LOAD_SECONDS /* it may import what it has deferred */
#define KEPT_MAX         1024                /* described points */

/* By `source`, which copies of a descriptor share (family/versions.h). */
static struct python {
    const char *source;
    struct python_family family;
} loaded[FAMILIES_MAX];
static int loaded_count;

/* Guards the rest. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    uint64_t key;
    struct description description;
} * kept;                  /* direct-mapped */
static struct target last; /* the target that was given last: work and tolerance are not given one */

/* ---- Requests ---- */

static const struct python_family *find(const struct family *family)
{
    for (int i = 0; i < loaded_count; i++)
        if (loaded[i].source == family->source)
            return &loaded[i].family;
    return NULL;
}

static int number_of(const struct family *family)
{
    const struct python_family *found = find(family);
    return found ? found->number : -1;
}

bool python_may_share(const struct family *family)
{
    const struct python_family *found = find(family);
    return found && found->shares;
}

bool python_imports_launchers(const struct family *family)
{
    const struct python_family *found = find(family);
    return found && found->imports;
}

/* VERB, the family's number and the point, with the device behind its axes. */
static void add_request(const char *verb, const struct point *point, const struct target *target,
                        struct text *out)
{
    text_add(out, "%s\t%d\t", verb, number_of(family_of(point)));
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        char value[AXIS_TEXT_SIZE];
        if (axis_is_text(axis))
            axis_format(axis, point->value[i], value);
        else
            snprintf(value, sizeof value, "%" PRId64, point->value[i]);
        text_add(out, "%s=%s ", axis->name, value);
    }
    text_add(out, "host=%d capability=%d multiprocessors=%d l2_bytes=%" PRIu64 " memory_bytes=%" PRIu64,
             target->host, target->capability, target->multiprocessors, target->l2_bytes,
             target->memory_bytes);
}

/* What Python says of a point. */
static struct description describe(const struct point *point, const struct target *target)
{
    struct text request = {0}, answer = {0};
    struct error error = {0};
    pthread_mutex_lock(&mutex);
    if (target)
        last = *target;
    add_request("describe", point, &last, &request);
    uint64_t key = hash_text(HASH_START, request.data);
    if (!kept)
        kept = memory_new(KEPT_MAX, sizeof *kept);
    struct kept *slot = &kept[key % KEPT_MAX];
    struct description description = slot->description;
    bool known = slot->key == key;
    pthread_mutex_unlock(&mutex);
    if (!known) {
        int failed = python_ask(request.data, ANSWER_SECONDS, &answer, &error);
        description = failed ? description_failed(error.text) : description_read(answer.data);
        pthread_mutex_lock(&mutex);
        *slot = (struct kept){key, description};
        pthread_mutex_unlock(&mutex);
    }
    text_free(&request);
    text_free(&answer);
    return description;
}

/* ---- The family's functions ---- */

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)reason;
    (void)size;
    if (point_value(point, "arch", ARCH_NATIVE) != ARCH_NATIVE)
        return "a call in Python is not compiled for an architecture; expected arch=native";
    return describe(point, target).skip;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    return describe(point, target).setup;
}

static struct work work(const struct point *point)
{
    return describe(point, NULL).work;
}

static struct tolerance tolerance(const struct point *point)
{
    return describe(point, NULL).tolerance;
}

static void add_point(const char *verb, const struct point *point, struct text *out)
{
    struct target target;
    pthread_mutex_lock(&mutex);
    target = last;
    pthread_mutex_unlock(&mutex);
    add_request(verb, point, &target, out);
}

/* The file and, of each buffer, where it lies there. */
static int compute_whole(const struct point *point, const struct whole_arrays *arrays, int threads,
                         struct error *error)
{
    struct text request = {0}, answer = {0};
    int buffers = describe(point, NULL).setup.buffers;
    add_point("reference", point, &request);
    text_add(&request, "\t/proc/%d/fd/%d\t%d", (int)getpid(), arrays->file, threads > 1 ? threads : 1);
    for (int b = 0; b < buffers; b++)
        text_add(&request, "%s%" PRIu64 ":%" PRIu64, b ? " " : "\t", arrays->offset[b], arrays->size[b]);
    int failed = python_ask(request.data, ANSWER_SECONDS, &answer, error);
    text_free(&request);
    text_free(&answer);
    return failed;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    if (python_is_attached())
        whole_copy(point, inputs, buffer, first, count, out, compute_whole);
}

static const char *failure(const struct point *point)
{
    struct description description = describe(point, NULL);
    return description.failure ? description.failure : whole_failure(point, &description.setup);
}

static int ask_call(struct call *call, const char *request)
{
    struct text answer = {0};
    struct error error = {0};
    int failed = python_ask(request, ANSWER_SECONDS, &answer, &error);
    if (failed)
        snprintf(call->reason, sizeof call->reason, "%.*s", (int)sizeof call->reason - 1, error.text);
    text_free(&answer);
    return failed;
}

/* The state of a call is its request up to the addresses. */
static int ask_of_point(const char *verb, struct call *call)
{
    struct text request = {0};
    text_add(&request, "%s%s", verb, (const char *)call->state + strlen("call"));
    int failed = ask_call(call, request.data);
    text_free(&request);
    return failed;
}

static int open_call(struct call *call)
{
    struct text request = {0};
    add_point("call", call->point, &request);
    call->state = request.data;
    return ask_of_point("prepare", call);
}

static int launch(struct call *call)
{
    struct text request = {0};
    text_add(&request, "%s", (const char *)call->state);
    for (int b = 0; b < call->setup->buffers; b++)
        text_add(&request, "%s%" PRIuPTR, b ? " " : "\t", (uintptr_t)call->buffer[b]);
    text_add(&request, "\t%" PRIuPTR, (uintptr_t)call->stream);
    int failed = ask_call(call, request.data);
    text_free(&request);
    return failed;
}

static void close_call(struct call *call)
{
    char reason[CALL_REASON_SIZE];
    memcpy(reason, call->reason, sizeof reason); /* that of the failure, if the point has failed */
    ask_of_point("finish", call);
    memcpy(call->reason, reason, sizeof reason);
    free(call->state);
    call->state = NULL;
}

/* ---- Loading ---- */

bool python_is_family(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, ".py") && *name != '_' && *name != '.';
}

static const struct family template = {.skip = skip,
                                       .setup = setup,
                                       .work = work,
                                       .tolerance = tolerance,
                                       .reference = reference,
                                       .open_call = open_call,
                                       .call = launch,
                                       .close_call = close_call,
                                       .call_on_host = true,
                                       .failure = failure};

uint64_t python_reference_bytes(const struct family *family, const struct setup *setup)
{
    return number_of(family) < 0 ? 0 : 3 * whole_bytes(setup);
}

struct family *python_load(const char *path, uint64_t *reference, struct error *error)
{
    struct text request = {0}, answer = {0};
    struct family *family = memory_new(1, sizeof *family);
    struct python_family python = {0};
    size_t size;
    *family = template;
    family->source = io_read_file(path, SOURCE_BYTES_MAX, &size, error);
    text_add(&request, "load\t%s", path);
    int failed = !family->source || python_ask(request.data, PYTHON_LOAD_SECONDS, &answer, error) != 0 ||
                 description_read_family(path, answer.data, &python, family, error) != 0;
    *reference = python.reference;
    text_free(&request);
    text_free(&answer);
    if (failed) {
        if (error->kind == ERROR_ENVIRONMENT)
            error_prefix(error, "%s", path);
        free((char *)family->source);
        free(family);
        return NULL;
    }
    if (loaded_count < FAMILIES_MAX)
        loaded[loaded_count++] = (struct python){family->source, python};
    return family;
}

void python_loaded(struct text *lines)
{
    struct error error;
    if (loaded_count && python_is_attached())
        python_ask("loaded", ANSWER_SECONDS, lines, &error);
}

void python_import_ahead(void)
{
    struct text answer = {0};
    struct error ignored;
    if (loaded_count && python_is_attached())
        python_ask("ahead", PYTHON_LOAD_SECONDS, &answer, &ignored);
    text_free(&answer);
}

/* The answer has lines NAME\tBYTES, in hexadecimal. */
bool python_sources(const struct family *family,
                    void (*add)(void *context, const char *name, const void *bytes, size_t size),
                    void *context)
{
    struct text request = {0}, answer = {0};
    struct error ignored;
    if (number_of(family) < 0)
        return false;
    text_add(&request, "sources\t%d", number_of(family));
    python_ask(request.data, ANSWER_SECONDS, &answer, &ignored);
    for (char *rest = answer.data, *line; (line = strsep(&rest, "\n"));) {
        char *name = strsep(&line, "\t");
        size_t size = line ? strlen(line) / 2 : 0;
        for (size_t i = 0; i < size; i++) {
            const char digits[] = {line[2 * i], line[2 * i + 1], '\0'};
            line[i] = (char)strtoul(digits, NULL, 16);
        }
        if (line)
            add(context, name, line, size);
    }
    text_free(&request);
    text_free(&answer);
    return true;
}
