#include "worker/cuda/compile/point_code.h"

#include <stdio.h>

#include "family/code/macros.h"
#include "family/family.h"
#include "worker/cuda/compile/given_code.h"

#define NAME_SIZE 96

/* The source's name for messages, and what its macros are defined as. */
static void describe(const struct point *point, char name[NAME_SIZE], struct text *options)
{
    snprintf(name, NAME_SIZE, "%s.cu", family_of(point)->space.kernel);
    text_add(options, "%s", "");
    macros_define(point, options);
}

int compile_point(const struct point *point, int capability, const char *cache_folder, struct code *code,
                  struct text *log)
{
    const struct family *family = family_of(point);
    arch target = point_value(point, "arch", ARCH_NATIVE);
    if (target == ARCH_NATIVE && !capability) {
        *code = (struct code){0};
        text_add(log, "arch 'native' has no meaning without a device; name an architecture");
        return -1;
    }
    target = family_arch(point, arch_of_device(capability, true));
    if (family->code)
        return given_code(point, target, capability, cache_folder, code, log);
    char name[NAME_SIZE];
    struct text options = {0};
    describe(point, name, &options);
    int failed = compile_source(name, family->source, target, options.data, cache_folder, code, log);
    text_free(&options);
    return failed;
}

bool compile_point_is_cached(const struct point *point, int capability, const char *cache_folder)
{
    const struct family *family = family_of(point);
    if (family->code || (!capability && point_value(point, "arch", ARCH_NATIVE) == ARCH_NATIVE))
        return false;
    char name[NAME_SIZE];
    struct text options = {0};
    describe(point, name, &options);
    bool cached =
        compile_source_is_cached(name, family->source, family_arch(point, arch_of_device(capability, true)),
                                 options.data, cache_folder);
    text_free(&options);
    return cached;
}
