#include "worker/cuda/compile/compile.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "process/process.h"

#ifndef NVDISASM_PATH
#define NVDISASM_PATH ""
#endif

#define DISASSEMBLE_SECONDS 60.0

const char *disassembler_path(void)
{
    static _Thread_local char path[PROGRAM_PATH_SIZE];
    return program_find("nvdisasm", "NVDISASM", NVDISASM_PATH, path);
}

static int read_all(int fd, struct text *out)
{
    char bytes[1 << 14];
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, (int)(DISASSEMBLE_SECONDS * 1000)) == 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got == 0)
            return 0;
        if (got > 0)
            text_append(out, bytes, (size_t)got);
        else if (errno != EINTR && errno != EAGAIN)
            return -1;
    }
}

static int run_disassembler(const char *file, struct text *listing, struct error *error)
{
    /* It prints to its stdout, which process.h does not hand us: a shell puts the one into the other's place.
     */
    const char *program = disassembler_path();
    const char *const argv[] = {"sh", "-c", "exec \"$0\" -c \"$1\" >&4", program, file, NULL};
    struct process process;
    char how[128];
    if (!program)
        return error_set(error, ERROR_ENVIRONMENT,
                         "there is no nvdisasm: the CUDA Toolkit has it in bin; NVDISASM may name it");
    if (process_start(&process, &(struct process_options){.path = "sh", .argv = argv, .pipes = true}, error))
        return -1;
    process_close_input(&process);
    int failed = read_all(process.from, listing);
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "cannot read nvdisasm output: %s", strerror(errno));
    if (!failed && process_wait(&process, DISASSEMBLE_SECONDS, how, sizeof how) &&
        strcmp(how, "exited with status 0") != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "nvdisasm %s", how);
    process_kill(&process);
    return failed;
}

int disassemble(const void *cubin, size_t size, struct text *listing, struct error *error)
{
    char path[PROGRAM_FILE_SIZE];
    if (!cubin_is(cubin, size))
        return error_set(
            error, ERROR_ENVIRONMENT,
            "this is PTX, which has no machine code: ptxas, which the CUDA Toolkit has in bin, would "
            "assemble it; PTXAS may name it");
    int file = program_file(cubin, size, path);
    if (file < 0)
        return error_set(error, ERROR_ENVIRONMENT, "cannot keep a cubin: %s", strerror(errno));
    int failed = run_disassembler(path, listing, error);
    close(file);
    return failed;
}

/* The version output of the program, cached; "" if it is missing or prints nothing. */
static const char *version(void)
{
    static char said[512];
    const char *program = disassembler_path(), *const argv[] = {program, "--version", NULL};
    struct text text = {0};
    struct error error;
    if (!*said && program &&
        process_run(&(struct process_options){.path = program, .argv = argv}, DISASSEMBLE_SECONDS, &text,
                    &error) == 0)
        snprintf(said, sizeof said, "%s", text.data ? text.data : "");
    text_free(&text);
    return said;
}

int disassemble_once(const void *cubin, size_t size, const char *cache_folder, struct text *listing,
                     struct error *error)
{
    struct text key = {0};
    size_t length;
    if (!*cache_folder || !*version())
        return disassemble(cubin, size, listing, error);
    text_add(&key, "listing %016llx %zu\n%s", (unsigned long long)hash_bytes(HASH_START, cubin, size), size,
             version());
    unsigned char *kept = code_cache_load(cache_folder, key.data, &length);
    int failed = 0;
    if (kept)
        text_append(listing, (const char *)kept, length);
    else
        failed = disassemble(cubin, size, listing, error);
    if (!kept && !failed)
        code_cache_keep(cache_folder, key.data, listing->data, listing->length, "a listing");
    free(kept);
    text_free(&key);
    return failed;
}
