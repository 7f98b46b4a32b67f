#include "worker/cuda/compile/compile.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "kernels/device_headers.h"

enum { OPTIONS_MAX = 64, ARCHITECTURES_MAX = 64 };

/* How far CCCL's lists of types are unrolled, by macros: 10 if nvcc compiles, but 16 in NVRTC, which is half
 * of the compile time of a kernel that includes CUB. The code is the same, and it is no part of the cache's
 * key. */
#define CCCL_UNROLLING "-D_CCCL_META_UNROLL_LIMIT=10"

void code_free(struct code *code)
{
    free(code->image);
    *code = (struct code){0};
}

void compile_version(char *out, size_t size)
{
    int major = 0, minor = 0;
    nvrtcVersion(&major, &minor);
    snprintf(out, size, "%d.%d", major, minor);
}

arch compile_arch(int capability, bool specific)
{
    int known[ARCHITECTURES_MAX], count = 0, major = 0, minor = 0;
    nvrtcVersion(&major, &minor);
    if (nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count > ARCHITECTURES_MAX ||
        nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
        count = 0;
    return arch_of_compiler(capability, specific, known, count, major > 12 || (major == 12 && minor >= 9));
}

void compile_key(const char *name, const char *source, const char *options,
                 const struct cuda_headers *headers, struct text *key)
{
    char version[32];
    uint64_t hash = hash_text(HASH_START, source);
    for (int i = 0; i < DEVICE_HEADERS; i++)
        hash = hash_text(hash, device_headers[i].text);
    compile_version(version, sizeof version);
    text_add(key, "%s\nnvrtc %s\nheaders %d\ncccl %d\nsource %016llx\n%s", name, version, headers->version,
             headers->cccl_version, (unsigned long long)hash, options);
}

/* Split at newlines, in place; returns the number of lines. */
static int split_options(char *text, const char **option)
{
    int count = 0;
    for (char *save, *one = strtok_r(text, "\n", &save); one && count < OPTIONS_MAX;
         one = strtok_r(NULL, "\n", &save))
        option[count++] = one;
    return count;
}

static int fetch_image(nvrtcProgram program, bool is_virtual, struct code *code)
{
    nvrtcResult (*size_of)(nvrtcProgram, size_t *) = is_virtual ? nvrtcGetPTXSize : nvrtcGetCUBINSize;
    nvrtcResult (*image_of)(nvrtcProgram, char *) = is_virtual ? nvrtcGetPTX : nvrtcGetCUBIN;
    if (size_of(program, &code->size) != NVRTC_SUCCESS || !code->size)
        return -1;
    code->image = memory_new(code->size + 1, 1);
    return image_of(program, (char *)code->image) == NVRTC_SUCCESS ? 0 : -1;
}

static void fetch_log(nvrtcProgram program, struct text *log)
{
    size_t size = 0;
    if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2)
        return;
    char *text = memory_new(size + 1, 1);
    if (nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS)
        text_add(log, "%s", text);
    free(text);
}

/* NVRTC loads its libnvrtc-builtins by name alone, and fails where the folder is no search path, as for a
 * toolkit that only CUDA_HOME tells of. A library that is loaded already serves that name. */
static void load_builtins(void)
{
    char folder[900], path[1024];
    int major = 0, minor = 0;
    nvrtcVersion(&major, &minor);
    nvrtc_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/libnvrtc-builtins.so.%d.%d", folder, major, minor);
    if (*folder)
        dlopen(path, RTLD_NOW | RTLD_LOCAL); /* if it is not there, NVRTC says so */
}

/* Our headers, and `own`: nothing is looked for beside the source or in the working folder. */
static nvrtcResult create_program(nvrtcProgram *program, const char *name, const char *source,
                                  const struct device_header *own)
{
    size_t count = 0, texts = 0, names = 0;
    const char **text = NULL, **title = NULL;
    const struct device_header *const tables[] = {device_headers, own};
    for (int t = 0; t < 2; t++)
        for (const struct device_header *header = tables[t]; header && header->name; header++) {
            text = memory_grow(text, count, &texts, sizeof *text);
            title = memory_grow(title, count, &names, sizeof *title);
            text[count] = header->text;
            title[count++] = header->name;
        }
    nvrtcResult status = nvrtcCreateProgram(program, source, name, (int)count, text, title);
    free(text);
    free(title);
    return status;
}

static int run_compiler(const char *name, const char *source, const struct device_header *own, char *options,
                        bool is_virtual, struct code *code, struct text *log)
{
    const char *option[OPTIONS_MAX];
    int count = split_options(options, option), failed = -1;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    nvrtcProgram program = NULL;
    pthread_once(&once, load_builtins);
    nvrtcResult status = create_program(&program, name, source, own);
    if (status == NVRTC_SUCCESS)
        status = nvrtcCompileProgram(program, count, option);
    if (status == NVRTC_SUCCESS && fetch_image(program, is_virtual, code) == 0)
        failed = 0;
    else
        text_add(log, "%s: %s\n", name, nvrtcGetErrorString(status));
    if (program) {
        if (failed)
            fetch_log(program, log);
        nvrtcDestroyProgram(&program);
    }
    return failed;
}

/* The compiler's options and the cache key. */
static void describe_request(const char *name, const char *source, const struct device_header *own,
                             arch target, const char *options, struct text *all, struct text *key)
{
    char architecture[ARCH_TEXT_SIZE];
    const char *missing;
    arch_format(target, architecture);
    text_add(all, "--gpu-architecture=%s\n--std=c++17\n--generate-line-info\n%s", architecture, options);
    compile_key(name, source, all->data, headers_of_nvrtc(&missing), key);
    for (; own && own->name; own++)
        text_add(key, "\n%s %016" PRIx64, own->name, hash_text(HASH_START, own->text));
}

static void add_options(const struct cuda_headers *headers, struct text *options)
{
    text_add(options, "\n--no-source-include");
    if (headers->version)
        text_add(options, "\n-I%s\n-I%s\n" CCCL_UNROLLING, headers->folder, headers->cccl);
    if (headers->cccl_version / 1000000 == 2) /* CUDA 12.8 includes "../__concepts/__concept_macros.h" */
        text_add(options, "\n-I%s/cuda/std/__concepts", headers->cccl);
}

/* By precompiled headers. -1: it has to be compiled without them, also for what the compiler says. */
static int compile_behind_headers(const char *name, const char *source, const struct device_header *own,
                                  arch target, const char *options, const struct cuda_headers *headers,
                                  struct code *code)
{
    struct text wrapped = {0}, left = {0}, all = {0}, unused = {0};
    int failed = -1;
    if (precompiled_wrap(name, source, own, target, options, &wrapped, &left)) {
        describe_request(name, source, own, target, left.data, &all, &unused);
        add_options(headers, &all);
        failed = run_compiler(name, wrapped.data, own, all.data, arch_is_virtual(target), code, &unused);
    }
    text_free(&wrapped);
    text_free(&left);
    text_free(&all);
    text_free(&unused);
    return failed;
}

int compile_source(const char *name, const char *source, const struct device_header *own, arch target,
                   const char *options, const char *cache_folder, struct code *code, struct text *log)
{
    struct text all = {0}, key = {0};
    int failed = 0;
    *code = (struct code){0};
    describe_request(name, source, own, target, options, &all, &key);
    code->image = code_cache_load(cache_folder, key.data, &code->size);
    code->cached = code->image != NULL;
    if (!code->cached && !log) {
        failed = -1;
    } else if (!code->cached) {
        const char *missing;
        const struct cuda_headers *headers = headers_of_nvrtc(&missing);
        struct text messages = {0};
        add_options(headers, &all);
        failed = compile_behind_headers(name, source, own, target, options, headers, code);
        if (failed)
            failed = run_compiler(name, source, own, all.data, arch_is_virtual(target), code, &messages);
        if (failed && missing) /* the cause, before pages of what follows from it */
            text_add(log, "%s\n", missing);
        if (messages.length)
            text_append(log, messages.data, messages.length);
        text_free(&messages);
        if (!failed)
            code_cache_keep(cache_folder, key.data, code->image, code->size, "compiled code");
    }
    text_free(&all);
    text_free(&key);
    return failed;
}

void precompiled_make(const struct precompiled *precompiled)
{
    struct text source = {0}, options = {0}, log = {0};
    struct code code;
    precompiled_prefix(precompiled->headers, &source);
    text_add(&options, "--create-pch=%s\n", precompiled->file);
    compile_source("headers.cu", source.data, NULL, precompiled->target, options.data, "", &code, &log);
    code_free(&code); /* the caller looks for the file */
    text_free(&source);
    text_free(&options);
    text_free(&log);
}
