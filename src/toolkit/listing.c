#include "toolkit/toolkit.h"

#include <assert.h>

#include "base/text.h"
#include "family/family.h"

/* For that many points, `check` waits for its first answer some seconds. */
enum { TOGETHER = 50 };

static int ask(struct toolkit *toolkit, const struct point *points, size_t count, struct text *listing,
               struct code_needs *needs, struct error *error)
{
    struct wire_reader answer;
    char why[1000];
    uint32_t length;
    wire_reset(&toolkit->request);
    wire_put_u32(&toolkit->request, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        wire_put_point(&toolkit->request, &points[i]);
    if (toolkit_send(toolkit, WIRE_DISASSEMBLE, error) != 0 ||
        toolkit_receive(toolkit, WIRE_LISTING, &answer, error) != 0)
        return -1;
    uint32_t ok = wire_get_u32(&answer);
    wire_get_text(&answer, why, sizeof why);
    needs->registers = (int)wire_get_u32(&answer);
    needs->shared_static = (int)wire_get_u32(&answer);
    const void *text = wire_get_bytes(&answer, &length);
    if (answer.bad)
        return error_set(error, ERROR_ENVIRONMENT, "cannot %s: the worker's answer is malformed",
                         toolkit->purpose);
    if (!ok)
        return error_set(error, ERROR_ENVIRONMENT, "cannot %s: %s", toolkit->purpose, why);
    text_append(listing, text, length);
    return 0;
}

/* The name of its kernel. */
static const char *entry_of(const struct point *point)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", ARCH_NATIVE))};
    return point_setup(point, &target).entry;
}

int listing_read(struct toolkit *toolkit, const struct point *points, size_t count, size_t at,
                 struct code_needs *needs, struct sass *sass, struct error *error)
{
    const struct point *point = &points[at];
    size_t left = count - at, together = at % TOGETHER ? 1 : left < TOGETHER ? left : TOGETHER;
    struct text listing = {0};
    assert(point_value(point, "arch", ARCH_NATIVE) != ARCH_NATIVE);
    *sass = (struct sass){.loop_last = -1};
    int failed = ask(toolkit, point, together, &listing, needs, error);
    if (!failed && sass_read(listing.data ? listing.data : "", entry_of(point), sass) != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot %s: the output of nvdisasm has no kernel '%s'",
                           toolkit->purpose, entry_of(point));
    text_free(&listing);
    return failed;
}
