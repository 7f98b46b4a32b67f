#include "protocol/greeting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "protocol/config.h"

#define GREETING_MARK 0x77736731u /* "wsg1" */

static const struct wire_field build_fields[] = {
#define OF struct build
    WIRE_FIELD(TEXT, release) WIRE_FIELD(TEXT, commit) WIRE_FIELD(U64, layout)
        WIRE_WORDS(families, BUILD_FAMILIES_MAX + 1)
#undef OF
            {0}};
static const struct wire_field family_fields[] = {
#define OF struct loaded_family
    WIRE_FIELD(TEXT, name) WIRE_FIELD(U64, bytes)
#undef OF
        {0}};
static const struct wire_field traits_fields[] = {
#define OF               struct traits
#define X(name, meaning) WIRE_FIELD(BOOL, name)
    BACKEND_TRAITS(X)
#undef X
#undef OF
        {0}};

void greeting_put(struct wire *wire, const struct greeting *greeting)
{
    wire_put_u32(wire, GREETING_MARK);
    wire_put_fields(wire, build_fields, &greeting->build);
    for (int i = 0; i < greeting->build.families; i++)
        wire_put_fields(wire, family_fields, &greeting->build.family[i]);
    wire_put_fields(wire, traits_fields, &greeting->traits);
    wire_put_device(wire, &greeting->device);
}

/* The build comes first: the rest of a message of another build may be unreadable. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting)
{
    *greeting = (struct greeting){.device = device_unknown()};
    if (wire_get_u32(reader) != GREETING_MARK || !wire_get_fields(reader, build_fields, &greeting->build))
        return false;
    for (int i = 0; i < greeting->build.families; i++)
        wire_get_fields(reader, family_fields, &greeting->build.family[i]);
    return wire_get_fields(reader, traits_fields, &greeting->traits) &&
           wire_get_device(reader, &greeting->device);
}

/* The names of the families whose bytes differ; equal layouts have the same families in the same order. */
static int check_families(const struct build *other, const struct build *own, struct error *error)
{
    char names[256] = "";
    for (int i = 0; i < own->families; i++)
        if (i >= other->families || other->family[i].bytes != own->family[i].bytes)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                     own->family[i].name);
    if (!*names && other->families == own->families)
        return 0;
    return error_set(
        error, ERROR_ENVIRONMENT,
        "the worker loaded other code of %s than the run began with: a file was changed, or nodes "
        "have different files. What was measured before stays; start again with the files unchanged",
        names);
}

int greeting_check(const struct greeting *worker, const struct build *own, struct error *error)
{
    const struct build *other = &worker->build;
    if (!strcmp(other->release, own->release) && !strcmp(other->commit, own->commit)) {
        if (check_families(other, own, error) != 0)
            return -1;
        if (other->layout == own->layout)
            return 0;
    }
    if (!other->release[0])
        return error_set(error, ERROR_ENVIRONMENT,
                         "warpsweep-worker does not report its build, so it differs from that of warpsweep: "
                         "rebuild or reinstall both");
    return error_set(error, ERROR_ENVIRONMENT,
                     "warpsweep-worker has another build than warpsweep: release %s, commit %s, layout "
                     "%016" PRIx64 "; expected %s, %s, %016" PRIx64 ": rebuild or reinstall both",
                     other->release, other->commit, other->layout, own->release, own->commit, own->layout);
}

static uint64_t hash_words(uint64_t hash, const char *const *words)
{
    for (; *words; words++)
        hash = hash_text(hash, *words);
    return hash;
}

uint64_t greeting_core_layout(void)
{
    static const char *const names[] = {
#define X(name, ...) #name,
        RESULT_REALS(X) BACKEND_TRAITS(X) DEVICE_TEXTS(X) DEVICE_INTS(X) DEVICE_REALS(X)
#undef X
            NULL,
    };
    uint64_t hash = hash_words(HASH_START, names);
    hash = hash_words(hash, status_words);
    hash = hash_words(hash, stop_words);
    hash = hash_words(hash, timer_words);
    hash = hash_words(hash, roof_words);
    hash = hash_words(hash, formula_words);
    hash = hash_words(hash, cache_words);
    hash = hash_words(hash, dtype_words);
    hash = hash_u64(hash, sizeof(struct config));
    hash = hash_u64(hash, sizeof(struct sample));
    hash = hash_u64(hash, RESULT_COUNTERS_MAX);
    return hash_u64(hash, WIRE_LISTING);
}

uint64_t greeting_space_layout(uint64_t layout, const struct space *space)
{
    layout = hash_text(layout, space->kernel);
    for (int i = 0; i < space->count; i++) {
        layout = hash_text(layout, space->axes[i].name);
        layout = hash_u64(layout, (uint64_t)space->axes[i].kind);
        if (space->axes[i].kind == AXIS_WORD)
            layout = hash_words(layout, space->axes[i].words);
    }
    return layout;
}
