#include "protocol/greeting.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "protocol/config.h"

#define GREETING_MARK 0x77736731u /* "wsg1" */

static const struct wire_field build_fields[] = {
#define OF struct build
    WIRE_FIELD(TEXT, release) WIRE_FIELD(TEXT, commit) WIRE_FIELD(U64, layout) WIRE_FIELD(U64, loaded)
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
    wire_put_fields(wire, traits_fields, &greeting->traits);
    wire_put_fields(wire, wire_device, &greeting->device);
    wire_put_bytes(wire, greeting->closure, greeting->closure_size);
}

/* The build comes first: the rest of a message of another build may be unreadable. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting)
{
    *greeting = (struct greeting){.device = device_unknown()};
    if (wire_get_u32(reader) != GREETING_MARK || !wire_get_fields(reader, build_fields, &greeting->build) ||
        !wire_get_fields(reader, traits_fields, &greeting->traits) ||
        !wire_get_fields(reader, wire_device, &greeting->device))
        return false;
    greeting->closure = wire_get_bytes(reader, &greeting->closure_size);
    return !reader->bad;
}

int greeting_check(const struct greeting *worker, const struct build *own, struct error *error)
{
    const struct build *other = &worker->build;
    if (!strcmp(other->release, own->release) && !strcmp(other->commit, own->commit) &&
        other->layout == own->layout)
        return other->loaded == own->loaded
                   ? 0
                   : error_set(
                         error, ERROR_ENVIRONMENT,
                         "the worker loaded other code of --kernels than the run began with: a file was "
                         "changed, or nodes have different files. What was measured before stays; start "
                         "again with the files unchanged");
    if (!other->release[0])
        return error_set(error, ERROR_ENVIRONMENT,
                         "warpsweep-worker does not report its build, so it differs from that of warpsweep: "
                         "rebuild or reinstall both");
    return error_set(error, ERROR_ENVIRONMENT,
                     "warpsweep-worker has another build than warpsweep: release %s, commit %s, layout "
                     "%016" PRIx64 "; expected %s, %s, %016" PRIx64 ": rebuild or reinstall both",
                     other->release, other->commit, other->layout, own->release, own->commit, own->layout);
}

uint64_t greeting_layout(void)
{
    static const char *const names[] = {
#define X(name, ...) #name,
        RESULT_REALS(X) BACKEND_TRAITS(X) DEVICE_TEXTS(X) DEVICE_INTS(X) DEVICE_REALS(X)
#undef X
    };
    uint64_t hash = hash_u64(hash_u64(HASH_START, sizeof(struct config)), WIRE_LISTING);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        hash = hash_text(hash, names[i]);
    return hash;
}
