#include "worker/cuda/compile/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "process/process.h"

#ifndef NVDISASM_PATH
#define NVDISASM_PATH ""
#endif

#define DISASSEMBLE_SECONDS 60.0

const char *disassembler_path(void)
{
    static _Thread_local char path[4200];
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), CUDA_INCLUDE_FOLDER "/.."};
    const char *given = getenv("NVDISASM");
    if (given && *given)
        return access(given, X_OK) == 0 ? given : NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/bin/nvdisasm", folders[i] ? folders[i] : "");
        if (folders[i] && access(path, X_OK) == 0)
            return path;
    }
    return access(NVDISASM_PATH, X_OK) == 0 ? NVDISASM_PATH : NULL;
}

/* ---- the listing ---- */

/* What the program prints, until it closes its end; 0, or -1 with errno. */
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
        error_set(error, ERROR_ENVIRONMENT, "cannot read what nvdisasm says: %s", strerror(errno));
    if (!failed && process_wait(&process, DISASSEMBLE_SECONDS, how, sizeof how) &&
        strcmp(how, "exited with status 0") != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "nvdisasm %s", how);
    process_kill(&process);
    return failed;
}

int disassemble(const void *cubin, size_t size, struct text *listing, struct error *error)
{
    char file[64];
    int memory = memfd_create("cubin", MFD_CLOEXEC);
    if (memory < 0 || io_write_full(memory, cubin, size) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "cannot keep a cubin: %s", strerror(errno));
    snprintf(file, sizeof file, "/proc/%d/fd/%d", (int)getpid(), memory);
    int failed = run_disassembler(file, listing, error);
    close(memory);
    return failed;
}

/* ---- registers ---- */

/* .nv.info: records of a u8 format, a u8 attribute, and a u16 that is the size of what follows for format 4.
 * The attribute 0x2f has a symbol's index and that function's registers. */
enum { INFO_SIZED = 4, INFO_REGISTERS = 0x2f };

/* What an index into the file is needed for; all are checked. */
struct file {
    const unsigned char *data;
    size_t size;
    const Elf64_Shdr *section;
    unsigned sections;
    const char *section_names;
};

static const void *at(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset ? file->data + offset : NULL;
}

static const Elf64_Shdr *section_called(const struct file *file, const char *name)
{
    for (unsigned i = 0; i < file->sections; i++)
        if (!strcmp(file->section_names + file->section[i].sh_name, name))
            return &file->section[i];
    return NULL;
}

static bool open_file(struct file *file)
{
    const Elf64_Ehdr *head = at(file, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    file->sections = head->e_shnum;
    file->section = at(file, head->e_shoff, file->sections * sizeof *file->section);
    if (!file->section || head->e_shstrndx >= file->sections)
        return false;
    const Elf64_Shdr *names = &file->section[head->e_shstrndx];
    file->section_names = at(file, names->sh_offset, names->sh_size);
    for (unsigned i = 0; file->section_names && i < file->sections; i++)
        if (file->section[i].sh_name >= names->sh_size)
            return false;
    return file->section_names != NULL;
}

/* The index of the symbol of that name; 0: there is none. */
static uint32_t find_symbol(const struct file *file, const char *name)
{
    const Elf64_Shdr *table = section_called(file, ".symtab"), *text = section_called(file, ".strtab");
    const Elf64_Sym *symbol = table ? at(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = text ? at(file, text->sh_offset, text->sh_size) : NULL;
    for (uint32_t i = 1; symbol && names && i < table->sh_size / sizeof *symbol; i++)
        if (symbol[i].st_name < text->sh_size && ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC &&
            !strcmp(names + symbol[i].st_name, name))
            return i;
    return 0;
}

int cubin_registers(const void *cubin, size_t size, const char *kernel)
{
    struct file file = {.data = cubin, .size = size};
    const Elf64_Shdr *info = open_file(&file) ? section_called(&file, ".nv.info") : NULL;
    const unsigned char *record = info ? at(&file, info->sh_offset, info->sh_size) : NULL;
    uint32_t symbol = record ? find_symbol(&file, kernel) : 0;
    for (size_t i = 0; symbol && i + 4 <= info->sh_size;) {
        uint16_t length;
        uint32_t value[2];
        memcpy(&length, record + i + 2, sizeof length);
        size_t bytes = record[i] == INFO_SIZED ? length : 0;
        if (record[i + 1] == INFO_REGISTERS && bytes == sizeof value && i + 4 + bytes <= info->sh_size) {
            memcpy(value, record + i + 4, sizeof value);
            if (value[0] == symbol)
                return (int)value[1];
        }
        i += 4 + bytes;
    }
    return 0;
}
