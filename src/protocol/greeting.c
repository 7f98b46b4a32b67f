#include "protocol/greeting.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "protocol/config.h"

#define GREETING_MARK 0x77736731u /* "wsg1" */

static void put_traits(struct wire *wire, const struct traits *traits)
{
#define X(name, meaning) wire_put_u32(wire, traits->name);
    BACKEND_TRAITS(X)
#undef X
}

static void get_traits(struct wire_reader *reader, struct traits *traits)
{
#define X(name, meaning) traits->name = wire_get_u32(reader) == 1;
    BACKEND_TRAITS(X)
#undef X
}

void greeting_put(struct wire *wire, const struct greeting *greeting)
{
    wire_put_u32(wire, GREETING_MARK);
    wire_put_text(wire, greeting->build.release);
    wire_put_text(wire, greeting->build.commit);
    wire_put_u64(wire, greeting->build.layout);
    put_traits(wire, &greeting->traits);
    wire_put_device(wire, &greeting->device);
}

/* The build comes first: the rest of a message of another build may be unreadable. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting)
{
    *greeting = (struct greeting){.device = device_unknown()};
    if (wire_get_u32(reader) != GREETING_MARK)
        return false;
    wire_get_text(reader, greeting->build.release, sizeof greeting->build.release);
    wire_get_text(reader, greeting->build.commit, sizeof greeting->build.commit);
    greeting->build.layout = wire_get_u64(reader);
    if (reader->bad)
        return false;
    get_traits(reader, &greeting->traits);
    wire_get_device(reader, &greeting->device);
    return true;
}

int greeting_check(const struct greeting *worker, const struct build *own, struct error *error)
{
    const struct build *other = &worker->build;
    if (!strcmp(other->release, own->release) && !strcmp(other->commit, own->commit) &&
        other->layout == own->layout)
        return 0;
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
