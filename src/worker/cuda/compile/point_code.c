#include "worker/cuda/compile/point_code.h"

#include <stdio.h>

#include "family/family.h"
#include "family/macros.h"
#include "worker/cuda/compile/given_code.h"

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
    struct text options = {0};
    char name[96];
    snprintf(name, sizeof name, "%s.cu", family->space.kernel);
    macros_define(point, &options);
    int failed = compile_source(name, family->source, target, options.data ? options.data : "", cache_folder,
                                code, log);
    text_free(&options);
    return failed;
}
