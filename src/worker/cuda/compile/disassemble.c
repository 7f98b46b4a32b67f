#include "worker/cuda/compile/compile.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
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

/* Read the output of the program to its end; 0, or -1 with errno. */
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
    char file[64];
    if (!cubin_is(cubin, size))
        return error_set(
            error, ERROR_ENVIRONMENT,
            "this is PTX, which has no machine code: ptxas, which the CUDA Toolkit has in bin, would "
            "assemble it; PTXAS may name it");
    int memory = memfd_create("cubin", MFD_CLOEXEC);
    if (memory < 0 || io_write_full(memory, cubin, size) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "cannot keep a cubin: %s", strerror(errno));
    snprintf(file, sizeof file, "/proc/%d/fd/%d", (int)getpid(), memory);
    int failed = run_disassembler(file, listing, error);
    close(memory);
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

/* The key of a listing in the cache. */
static void describe_key(const struct cubin_view *cubin, struct text *key)
{
    text_add(key, "listing %016llx %zu\n%s",
             (unsigned long long)hash_bytes(HASH_START, cubin->image, cubin->size), cubin->size, version());
}

static void keep_listing(const char *cache_folder, const char *key, const struct text *listing)
{
    struct error unkept;
    if (code_cache_save(cache_folder, key, listing->data, listing->length, &unkept) != 0)
        fprintf(stderr, "warpsweep-worker: a listing is not kept: %s\n", unkept.text);
}

int disassemble_once(const void *cubin, size_t size, const char *cache_folder, struct text *listing,
                     struct error *error)
{
    struct text key = {0};
    size_t length;
    bool keep = *cache_folder && disassembler_path() && *version();
    if (!keep)
        return disassemble(cubin, size, listing, error);
    describe_key(&(struct cubin_view){cubin, size}, &key);
    unsigned char *kept = code_cache_load(cache_folder, key.data, &length);
    int failed = 0;
    if (kept)
        text_append(listing, (const char *)kept, length);
    else
        failed = disassemble(cubin, size, listing, error);
    if (!kept && !failed)
        keep_listing(cache_folder, key.data, listing);
    free(kept);
    text_free(&key);
    return failed;
}

/* ---- Several cubins by one process ---- */

/* At most this many cubins and bytes of instructions: some seconds of nvdisasm, far from its time limit. */
enum { TOGETHER_MAX = 100, TOGETHER_BYTES = 1 << 20 };

struct batch {
    struct cubin_view cubin[TOGETHER_MAX];
    struct text key[TOGETHER_MAX], listing[TOGETHER_MAX];
    size_t count, bytes;
};

/* Take the suffixes of joined names out of a line. Returns the cubin that they name, or -1. */
static int restore_names(char *line)
{
    int nth = -1;
    for (char *at = line; (at = strstr(at, CUBIN_JOINED));) {
        char *end;
        nth = (int)strtol(at + strlen(CUBIN_JOINED), &end, 10);
        memmove(at, end, strlen(end) + 1);
    }
    return nth;
}

/* Give each cubin the sections of its functions, and all what is above them. */
static void split(struct batch *batch, char *joined)
{
    struct text *own = NULL;
    struct text head = {0};
    for (char *save, *line = strtok_r(joined, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        bool section = strstr(line, ".section\t.text.") != NULL, rule = !strncmp(line, "//", 2);
        int nth = restore_names(line);
        if (section)
            own = nth >= 0 && (size_t)nth < batch->count ? &batch->listing[nth] : NULL;
        if (own && section && !own->length)
            text_add(own, "%s", head.data ? head.data : "");
        if (own && !rule)
            text_add(own, "%s\n", line);
        else if (!own && !rule)
            text_add(&head, "%s\n", line);
    }
    text_free(&head);
}

static void list_batch(struct batch *batch, const char *cache_folder)
{
    struct text joined = {0}, listing = {0};
    struct error error;
    if (batch->count && cubin_join(batch->cubin, batch->count, &joined) &&
        disassemble(joined.data, joined.length, &listing, &error) == 0)
        split(batch, listing.data);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->listing[i].length)
            keep_listing(cache_folder, batch->key[i].data, &batch->listing[i]);
        text_free(&batch->key[i]);
        text_free(&batch->listing[i]);
    }
    text_free(&joined);
    text_free(&listing);
    *batch = (struct batch){0};
}

static bool is_kept(const char *cache_folder, const char *key)
{
    size_t length;
    unsigned char *kept = code_cache_load(cache_folder, key, &length);
    free(kept);
    return kept != NULL;
}

/* Add a cubin to the batch, which is listed first when it is full. */
static void add_to(struct batch *batch, const struct cubin_view *cubin, size_t bytes,
                   const char *cache_folder)
{
    struct text key = {0};
    describe_key(cubin, &key);
    bool known = is_kept(cache_folder, key.data);
    for (size_t i = 0; i < batch->count && !known; i++)
        known = !strcmp(batch->key[i].data, key.data);
    if (known) {
        text_free(&key);
        return;
    }
    if (batch->count == TOGETHER_MAX || batch->bytes + bytes > TOGETHER_BYTES)
        list_batch(batch, cache_folder);
    batch->key[batch->count] = key;
    batch->cubin[batch->count++] = *cubin;
    batch->bytes += bytes;
}

void disassemble_ahead(const struct cubin_view *cubins, size_t count, const char *cache_folder)
{
    struct batch batch = {0};
    if (!*cache_folder || !disassembler_path() || !*version())
        return;
    size_t *bytes = memory_new(count + 1, sizeof *bytes); /* 0: done */
    for (size_t i = 0; i < count; i++)
        bytes[i] = cubin_joinable(&cubins[i]);
    for (size_t i = 0; i < count; i++) {
        const struct cubin_view *first = &cubins[i];
        for (size_t k = i; k < count && bytes[i]; k++) {
            if (!bytes[k] || !cubin_alike(first, &cubins[k]))
                continue;
            add_to(&batch, &cubins[k], bytes[k], cache_folder);
            if (k > i)
                bytes[k] = 0;
        }
        list_batch(&batch, cache_folder);
    }
    free(bytes);
}
