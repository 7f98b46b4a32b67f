#include "worker/cuda/compile/compile.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "family/code_list.h"
#include "process/process.h"

/* ---- Assembling PTX by ptxas of the CUDA Toolkit, in a separate process ---- */

#define PTXAS_SECONDS 300.0
#define CUBIN_LIMIT   ((size_t)256 << 20)

static const char *ptxas_path(void)
{
    static _Thread_local char path[PROGRAM_PATH_SIZE];
    return program_find("ptxas", "PTXAS", "", path);
}

/* Everything that the machine code depends on, as text; 0, or -1 when ptxas cannot be asked. */
static int describe_key(const char *ptx, const char *architecture, struct text *key, struct text *log)
{
    const char *program = ptxas_path();
    const char *const argv[] = {program, "--version", NULL};
    struct error error;
    text_add(key, "ptx %016llx\n%s\n", (unsigned long long)hash_text(HASH_START, ptx), architecture);
    if (process_run(&(struct process_options){.path = program, .argv = argv}, PTXAS_SECONDS, key, &error) ==
        0)
        return 0;
    text_add(log, "%s\n", error.text);
    return -1;
}

static unsigned char *run(const char *ptx, const char *architecture, size_t *size, struct text *log)
{
    char from[PROGRAM_FILE_SIZE], to[PROGRAM_FILE_SIZE], flag[ARCH_TEXT_SIZE + 8];
    const char *program = ptxas_path();
    int in = program_file(ptx, strlen(ptx), from), out = program_file("", 0, to);
    unsigned char *cubin = NULL;
    struct error error = {.text = "no memory for a file"};
    snprintf(flag, sizeof flag, "-arch=%s", architecture);
    const char *const argv[] = {program, flag, from, "-o", to, NULL};
    if (in >= 0 && out >= 0 &&
        process_run(&(struct process_options){.path = program, .argv = argv}, PTXAS_SECONDS, log, &error) ==
            0)
        cubin = (unsigned char *)io_read_file(to, CUBIN_LIMIT, size, &error);
    if (!cubin)
        text_add(log, "%s\n", error.text);
    close(in);
    close(out);
    return cubin;
}

/* Assemble PTX (a text with its NUL) for a real architecture, through the cache in `cache_folder` (empty: no
 * cache). Returns the cubin, which the caller frees, or NULL with the messages of ptxas in `log`. */
static unsigned char *ptxas_assemble(const char *ptx, arch target, const char *cache_folder, size_t *size,
                                     struct text *log)
{
    char architecture[ARCH_TEXT_SIZE];
    struct text key = {0};
    unsigned char *cubin = NULL;
    arch_format(target, architecture);
    if (describe_key(ptx, architecture, &key, log) == 0) {
        cubin = code_cache_load(cache_folder, key.data, size);
        if (!cubin) {
            cubin = run(ptx, architecture, size, log);
            if (cubin)
                code_cache_keep(cache_folder, key.data, cubin, *size, "assembled code");
        }
    }
    text_free(&key);
    return cubin;
}

/* ---- Code from a family's list (family/code_list.h) ---- */

#define FILE_LIMIT ((size_t)256 << 20) /* bytes; no kernel is that large */

/* "add.code:12", where the list says what does not hold. */
struct where {
    const char *list;
    const struct code_file *file;
};

/* Printf-like; -1. */
#define refuse(where, log, ...)                                                                              \
    (text_add(log, "%s:%d: ", (where)->list, (where)->file->line), text_add(log, __VA_ARGS__),               \
     text_add(log, "\n"), -1)

static int check_setup(const struct where *where, const struct setup *setup, struct text *log)
{
    int64_t threads = (int64_t)setup->block[0] * setup->block[1] * setup->block[2];
    if (where->file->threads < 0 || where->file->threads == threads)
        return 0;
    return refuse(where, log, "the code is for blocks of %lld threads; the descriptor launches %lld",
                  (long long)where->file->threads, (long long)threads);
}

static int check_cubin(const struct where *where, const struct code *code, const char *entry, int capability,
                       struct text *log)
{
    struct text functions = {0};
    int there = cubin_capability(code->image, code->size);
    if (!cubin_is(code->image, code->size))
        return refuse(where, log, "%s is no cubin", where->file->path);
    if (there && there != capability)
        return refuse(where, log, "%s is machine code for sm_%d, not for sm_%d", where->file->path, there,
                      capability);
    if (cubin_has(code->image, code->size, entry))
        return 0;
    cubin_functions(code->image, code->size, &functions);
    int failed = refuse(where, log, "%s has no kernel '%s'; it has %s", where->file->path, entry,
                        functions.data ? functions.data : "none");
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
    unsigned char *cubin = ptxas_assemble((const char *)code->image, target, cache_folder, &size, log);
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
    if (!code->image)
        return refuse(where, log, "%s", error.text);
    if (hash_u64(hash_bytes(HASH_START, code->image, code->size), code->size) == where->file->bytes)
        return 0;
    free(code->image);
    code->image = NULL;
    return refuse(where, log, "the file was changed after the run began");
}

/* The code of a point whose family has a code list, for `target`, which is not native. The code must match
 * the list: its architecture, its kernel, and the threads of the setup. PTX is assembled for a real target.
 * Without ptxas it is passed to the driver, if `capability` (0: unknown) is that of the target. -1 with the
 * reason in `log`. */
static int given_code(const struct point *point, arch target, int capability, const char *cache_folder,
                      struct code *code, struct text *log)
{
    const struct code_list *list = family_of(point)->code;
    const struct target device = {.capability = arch_capability(target)};
    struct point named = *point;
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
    return failed;
}

/* Does the code have the kernel of the setup, with parameters of the sizes of its arguments? A launch with
 * fewer, or smaller ones, reads what lies behind them. -1 with the reason in `log`, which may be NULL. */
static int check_kernel(const char *name, const struct code *code, const struct setup *setup,
                        struct text *log)
{
    enum { ADDRESS = 8, TENSOR_MAP = 128 };
    static const uint32_t kind_bytes[] = {
        [ARGUMENT_BUFFER] = ADDRESS,
        [ARGUMENT_U32] = 4,
        [ARGUMENT_U64] = 8,
        [ARGUMENT_F32] = 4,
        [ARGUMENT_TENSOR] = TENSOR_MAP,
        [ARGUMENT_TEXTURE] = ADDRESS,
        [ARGUMENT_TEXTURE_2D] = ADDRESS,
        [ARGUMENT_PART] = 4,
    };
    uint32_t bytes[CUBIN_PARAMETERS_MAX];
    struct text why = {0};
    if (setup->engine != ENGINE_KERNEL || !setup->entry || !cubin_is(code->image, code->size))
        return 0;
    if (!cubin_has(code->image, code->size, setup->entry)) {
        struct text functions = {0};
        cubin_functions(code->image, code->size, &functions);
        text_add(&why, "has no kernel '%s', the `entry` of its setup; it has %s (extern \"C\" keeps a name)",
                 setup->entry, functions.data ? functions.data : "none");
        text_free(&functions);
    } else {
        int count = cubin_parameters(code->image, code->size, setup->entry, bytes);
        if (count >= 0 && count != setup->arguments)
            text_add(&why, "the kernel '%s' has %d parameters, and its setup %d arguments", setup->entry,
                     count, setup->arguments);
        for (int i = 0; i < count && !why.length; i++)
            if (bytes[i] != kind_bytes[setup->argument[i].kind])
                text_add(&why,
                         "parameter %d of the kernel '%s' has %u bytes, and argument %d of its setup %u", i,
                         setup->entry, bytes[i], i, kind_bytes[setup->argument[i].kind]);
    }
    int failed = why.length ? -1 : 0;
    if (failed && log)
        text_add(log, "%s: %s\n", name, why.data);
    text_free(&why);
    return failed;
}

/* Why instructions of the device may be missing, before what the compiler says of them. */
static void explain_older(arch target, int capability, struct text *log)
{
    char version[32], name[ARCH_TEXT_SIZE];
    if (!capability || target != compile_arch(capability, true) || arch_capability(target) == capability)
        return;
    compile_version(version, sizeof version);
    arch_format(target, name);
    text_add(log,
             "NVRTC %s does not know compute capability %d.%d, and compiles for %s; a newer CUDA Toolkit has "
             "the device's own instructions\n",
             version, capability / 10, capability % 10, name);
}

int compile_point(const struct point *point, int capability, const char *cache_folder, struct code *code,
                  struct text *log)
{
    const struct family *family = family_of(point);
    arch target = point_value(point, "arch", ARCH_NATIVE);
    *code = (struct code){0};
    if (family->code && !log)
        return -1;
    if (target == ARCH_NATIVE && !capability) {
        if (log)
            text_add(log, "arch 'native' has no meaning without a device; name an architecture");
        return -1;
    }
    target = family_arch(point, compile_arch(capability, true));
    if (family->code)
        return given_code(point, target, capability, cache_folder, code, log);
    char name[96];
    struct text options = {0}, messages = {0};
    snprintf(name, sizeof name, "%s.cu", family->space.kernel);
    text_add(&options, "%s", "");
    macros_define(point, &options);
    int failed = compile_source(name, family->source, family->headers, target, options.data, cache_folder,
                                code, log ? &messages : NULL);
    if (failed && log)
        explain_older(target, capability, log);
    if (messages.length)
        text_append(log, messages.data, messages.length);
    if (!failed) {
        const struct target device = {.capability = arch_capability(target)};
        struct setup setup = point_setup(point, &device);
        failed = check_kernel(name, code, &setup, log);
        if (failed)
            code_free(code);
    }
    text_free(&messages);
    text_free(&options);
    return failed;
}
