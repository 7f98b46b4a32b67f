#include "worker/cuda/compile/given_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "family/code_list.h"
#include "family/family.h"
#include "worker/cuda/compile/cubin.h"
#include "worker/cuda/compile/ptxas.h"

#define FILE_LIMIT ((size_t)256 << 20) /* bytes; no kernel is that large */

/* "add.code:12", where the list says what does not hold. */
struct where {
    const char *list;
    const struct code_file *file;
};

static int refuse(const struct where *where, struct text *log, const char *what)
{
    text_add(log, "%s:%d: %s\n", where->list, where->file->line, what);
    return -1;
}

static int check_setup(const struct where *where, const struct setup *setup, struct text *log)
{
    char what[200];
    int64_t threads = (int64_t)setup->block[0] * setup->block[1] * setup->block[2];
    if (where->file->threads < 0 || where->file->threads == threads)
        return 0;
    snprintf(what, sizeof what, "the code is for blocks of %lld threads; the descriptor launches %lld",
             (long long)where->file->threads, (long long)threads);
    return refuse(where, log, what);
}

static int check_cubin(const struct where *where, const struct code *code, const char *entry, int capability,
                       struct text *log)
{
    struct text what = {0}, functions = {0};
    int there = cubin_capability(code->image, code->size), failed = 0;
    if (!cubin_is(code->image, code->size)) {
        text_add(&what, "%s is no cubin", where->file->path);
    } else if (there && there != capability) {
        text_add(&what, "%s is machine code for sm_%d, not for sm_%d", where->file->path, there, capability);
    } else if (!cubin_has(code->image, code->size, entry)) {
        cubin_functions(code->image, code->size, &functions);
        text_add(&what, "%s has no kernel '%s'; it has %s", where->file->path, entry,
                 functions.data ? functions.data : "none");
    }
    if (what.length)
        failed = refuse(where, log, what.data);
    text_free(&what);
    text_free(&functions);
    return failed;
}

static int assemble(const struct where *where, arch target, int capability, const char *cache_folder,
                    struct code *code, struct text *log)
{
    size_t size = 0;
    if (cubin_is(code->image, code->size) || strlen((char *)code->image) != code->size)
        return refuse(where, log, "the file is no PTX, which is what an architecture of compute_... has");
    if (arch_is_virtual(target)) /* as with compute_80 of any family: the driver's affair */
        return 0;
    if (!ptxas_path())
        return !capability || capability == arch_capability(target)
                   ? 0
                   : refuse(where, log,
                            "there is no ptxas to assemble this PTX for another device than this");
    unsigned char *cubin =
        ptxas_assemble((const char *)code->image, target, cache_folder, &size, &code->cached, log);
    if (!cubin)
        return refuse(where, log, "the PTX cannot be assembled");
    free(code->image);
    code->image = cubin;
    code->size = size;
    return 0;
}

static int read_file(const struct where *where, struct code *code, struct text *log)
{
    struct error error;
    code->image = (unsigned char *)io_read_file(where->file->path, FILE_LIMIT, &code->size, &error);
    return code->image ? 0 : refuse(where, log, error.text);
}

int given_code(const struct point *point, arch target, int capability, const char *cache_folder,
               struct code *code, struct text *log)
{
    const struct code_list *list = family_of(point)->code;
    const struct target device = {.capability = arch_capability(target)};
    struct point named = *point;
    double start = clock_now();
    char reason[256];
    *code = (struct code){0};
    named.value[space_axis(point->space, "arch")] = target;
    const struct code_file *file = code_list_find(list, &named, device.capability);
    if (!file) {
        text_add(log, "%s\n", code_list_lack(list, &named, device.capability, reason, sizeof reason));
        return -1;
    }
    const struct where where = {list->path, file};
    struct setup setup = point_setup(&named, &device);
    int failed = check_setup(&where, &setup, log);
    if (!failed)
        failed = read_file(&where, code, log);
    if (!failed && arch_is_virtual(file->arch))
        failed = assemble(&where, target, capability, cache_folder, code, log);
    if (!failed && (!arch_is_virtual(file->arch) || cubin_is(code->image, code->size)))
        failed = check_cubin(&where, code, setup.entry,
                             arch_capability(arch_is_virtual(file->arch) ? target : file->arch), log);
    code->seconds = clock_now() - start;
    return failed;
}
