#include "worker/cuda/compile/ptxas.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "process/process.h"
#include "worker/cuda/compile/code_cache.h"
#include "worker/cuda/compile/program.h"

#define PTXAS_SECONDS 300.0
#define CUBIN_LIMIT   ((size_t)256 << 20)

const char *ptxas_path(void)
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
    char from[64], to[64], flag[ARCH_TEXT_SIZE + 8];
    const char *program = ptxas_path();
    int in = memfd_create("ptx", MFD_CLOEXEC), out = memfd_create("cubin", MFD_CLOEXEC);
    unsigned char *cubin = NULL;
    struct error error = {.text = "no memory for a file"};
    snprintf(from, sizeof from, "/proc/%d/fd/%d", (int)getpid(), in);
    snprintf(to, sizeof to, "/proc/%d/fd/%d", (int)getpid(), out);
    snprintf(flag, sizeof flag, "-arch=%s", architecture);
    const char *const argv[] = {program, flag, from, "-o", to, NULL};
    if (in >= 0 && out >= 0 && io_write_full(in, ptx, strlen(ptx)) == 0 &&
        process_run(&(struct process_options){.path = program, .argv = argv}, PTXAS_SECONDS, log, &error) ==
            0)
        cubin = (unsigned char *)io_read_file(to, CUBIN_LIMIT, size, &error);
    if (!cubin)
        text_add(log, "%s\n", error.text);
    close(in);
    close(out);
    return cubin;
}

unsigned char *ptxas_assemble(const char *ptx, arch target, const char *cache_folder, size_t *size,
                              bool *cached, struct text *log)
{
    char architecture[ARCH_TEXT_SIZE];
    struct text key = {0};
    struct error error;
    unsigned char *cubin = NULL;
    *cached = false;
    arch_format(target, architecture);
    if (describe_key(ptx, architecture, &key, log) == 0) {
        if (*cache_folder)
            cubin = code_cache_load(cache_folder, key.data, size);
        *cached = cubin != NULL;
        if (!cubin)
            cubin = run(ptx, architecture, size, log);
        if (cubin && !*cached && *cache_folder &&
            code_cache_save(cache_folder, key.data, cubin, *size, &error) != 0)
            fprintf(stderr, "warpsweep-worker: assembled code is not kept: %s\n", error.text);
    }
    text_free(&key);
    return cubin;
}
