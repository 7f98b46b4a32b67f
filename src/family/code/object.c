#include "family/code/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"

#define FILES_MAX 1024

#ifndef __has_feature /* of clang */
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#define OWN_FIRST 0 /* the sanitizer's runtime refuses the flag */
#else
#define OWN_FIRST RTLD_DEEPBIND
#endif

/* Files that are loaded, the system's left out. */
static struct file {
    const struct link_map *map;
    uint64_t bytes;
} files[FILES_MAX];
static int count;

/* ---- The files ---- */

bool object_is_system(const char *path)
{
    char real[PATH_MAX];
    if (!strchr(path, '/')) /* the program, and the kernel's */
        return true;
    return realpath(path, real) && (!strncmp(real, "/lib", 4) || !strncmp(real, "/usr/", 5)) &&
           strncmp(real, "/usr/local/", 11) != 0;
}

/* The next NEEDED after `entry` (NULL: the first), or the SONAME; NULL: none. */
static const char *dynamic_text(const struct link_map *map, ElfW(Sxword) tag, const ElfW(Dyn) * *entry)
{
    const char *texts = NULL;
    for (const ElfW(Dyn) *one = map->l_ld; one->d_tag != DT_NULL; one++)
        if (one->d_tag == DT_STRTAB)
            texts = (const char *)one->d_un.d_ptr;
    for (*entry = *entry ? *entry + 1 : map->l_ld; (*entry)->d_tag != DT_NULL; (*entry)++)
        if ((*entry)->d_tag == tag)
            return texts + (*entry)->d_un.d_val;
    return NULL;
}

static const struct link_map *find_loaded(const struct link_map *any, const char *name)
{
    while (any->l_prev)
        any = any->l_prev;
    for (; any; any = any->l_next) {
        const ElfW(Dyn) *entry = NULL;
        bool is_file = strchr(any->l_name, '/'); /* not the vDSO */
        const char *soname = is_file ? dynamic_text(any, DT_SONAME, &entry) : NULL;
        if ((soname && !strcmp(soname, name)) || !strcmp(io_file_name(any->l_name), io_file_name(name)))
            return any;
    }
    return NULL;
}

/* Where the linker would look first for a library that `map` needs; false: in its cache. */
static bool find_alone(const struct link_map *map, const char *name, char path[PATH_MAX])
{
    Dl_serinfo size;
    bool found = false;
    if (strchr(name, '/') || dlinfo((void *)map, RTLD_DI_SERINFOSIZE, &size) != 0)
        return false;
    Dl_serinfo *search = memory_new(1, size.dls_size);
    struct stat status;
    if (dlinfo((void *)map, RTLD_DI_SERINFOSIZE, search) == 0 &&
        dlinfo((void *)map, RTLD_DI_SERINFO, search) == 0)
        for (unsigned i = 0; i < search->dls_cnt && !found; i++)
            found = snprintf(path, PATH_MAX, "%s/%s", search->dls_serpath[i].dls_name, name) < PATH_MAX &&
                    stat(path, &status) == 0;
    free(search);
    return found;
}

/* Whether `needed`, which `map` got, is what it would have got without what was loaded before. */
static int check_alone(const struct link_map *map, const char *name, const struct link_map *needed,
                       struct error *error)
{
    char path[PATH_MAX];
    uint64_t there, wanted;
    if (!find_alone(map, name, path) || (object_is_system(path) && object_is_system(needed->l_name)) ||
        io_hash_file(path, &wanted, error) != 0 || io_hash_file(needed->l_name, &there, error) != 0 ||
        there == wanted)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "%s needs %s, but the process has loaded %s under that name, and cannot keep them apart; "
        "expected different names (-Wl,-soname), or the library's code in the object",
        map->l_name, path, needed->l_name);
}

/* Add a file and what it needs. */
static int add(const struct link_map *map, struct error *error)
{
    for (int i = 0; i < count; i++)
        if (files[i].map == map)
            return 0;
    if (count == FILES_MAX)
        return error_set(error, ERROR_USAGE, "%s: more than %d libraries", map->l_name, FILES_MAX);
    struct file *file = &files[count++];
    file->map = map;
    if (io_hash_file(map->l_name, &file->bytes, error) != 0)
        return -1;
    const ElfW(Dyn) *entry = NULL;
    for (const char *name; (name = dynamic_text(map, DT_NEEDED, &entry));) {
        const struct link_map *needed = find_loaded(map, name);
        if (needed && check_alone(map, name, needed, error) != 0)
            return -1;
        if (needed && !object_is_system(needed->l_name) && add(needed, error) != 0)
            return -1;
    }
    return 0;
}

/* Replace a segment by a copy that is not the file's: a compiler or `cp` may write over a file that is in
 * use. */
static void detach_segment(uintptr_t start, uintptr_t end, uintptr_t fixed_end, int protection)
{
    size_t size = end - start;
    void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return;
    memcpy(copy, (const void *)start, size);
    if (mprotect(copy, size, protection) != 0 ||
        (fixed_end > start && mprotect(copy, fixed_end - start, PROT_READ) != 0) ||
        mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) == MAP_FAILED)
        munmap(copy, size); /* a system that forbids it: the object works as any other does */
}

static int detach(struct dl_phdr_info *info, size_t size, void *map)
{
    (void)size;
    if (info->dlpi_addr != ((const struct link_map *)map)->l_addr)
        return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), fixed = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) /* what the linker writes, and then protects */
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            fixed = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz) & -page;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = (info->dlpi_addr + part->p_vaddr) & -page;
        uintptr_t end = (info->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & -page;
        if (part->p_type == PT_LOAD && part->p_flags & PF_R)
            detach_segment(start, end, part->p_flags & PF_W && fixed > start && fixed <= end ? fixed : 0,
                           (part->p_flags & PF_R ? PROT_READ : 0) | (part->p_flags & PF_W ? PROT_WRITE : 0) |
                               (part->p_flags & PF_X ? PROT_EXEC : 0));
    }
    return 1;
}

/* Add the hashes of what an object needs, in the order in which it names them. */
static uint64_t add_hashes(uint64_t hash, const struct link_map *map, int depth)
{
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < count; i++)
        if (files[i].map == map)
            hash = hash_u64(hash, files[i].bytes);
    for (const char *name; depth < 8 && (name = dynamic_text(map, DT_NEEDED, &entry));) {
        const struct link_map *needed = find_loaded(map, name);
        if (needed && !object_is_system(needed->l_name))
            hash = add_hashes(hash, needed, depth + 1);
    }
    return hash;
}

void *object_open(const char *path, uint64_t *bytes, struct error *error)
{
    uint64_t before, after;
    struct link_map *map;
    int first = count;
    if (io_hash_file(path, &before, error) != 0)
        return NULL;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | OWN_FIRST);
    if (!object) {
        error_set(error, ERROR_USAGE, "cannot load a kernel family: %s", dlerror());
        return NULL;
    }
    dlinfo(object, RTLD_DI_LINKMAP, &map);
    if (io_hash_file(path, &after, error) != 0 || add(map, error) != 0)
        return NULL;
    if (before != after) {
        error_set(error, ERROR_USAGE, "%s was changed while it was loaded", path);
        return NULL;
    }
    for (int i = first; i < count; i++)
        dl_iterate_phdr(detach, (void *)files[i].map);
    *bytes = add_hashes(HASH_START, map, 0);
    return object;
}

int object_count(void)
{
    return count;
}

const char *object_file(const void *base)
{
    for (int i = 0; i < count; i++)
        if (files[i].map->l_addr == (ElfW(Addr))base)
            return files[i].map->l_name;
    return NULL;
}

/* ---- Symbols that are one for the whole process ---- */

/* The symbols of a file; NULL if it has none that can be read. */
struct symbols {
    char *image;
    size_t size, count;
    const Elf64_Shdr *section;
    const Elf64_Sym *symbol;
    const char *names;
};

static struct symbols read_symbols(const char *path)
{
    struct error ignored;
    struct symbols read = {0};
    read.image = io_read_file(path, SIZE_MAX - 1, &read.size, &ignored);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)read.image; /* the linker has accepted it */
    if (!head || head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr) > read.size)
        return read;
    read.section = (const Elf64_Shdr *)(read.image + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (read.section[i].sh_type == SHT_DYNSYM) {
            read.symbol = (const Elf64_Sym *)(read.image + read.section[i].sh_offset);
            read.count = read.section[i].sh_size / sizeof(Elf64_Sym);
            read.names = read.image + read.section[read.section[i].sh_link].sh_offset;
        }
    return read;
}

static bool is_unique(const Elf64_Sym *symbol)
{
    return ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < SHN_LORESERVE;
}

/* The bytes of a constant; NULL: it is none. */
static const char *constant(const struct symbols *of, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *section = &of->section[symbol->st_shndx];
    return section->sh_type == SHT_PROGBITS && !(section->sh_flags & SHF_WRITE)
               ? of->image + section->sh_offset + (symbol->st_value - section->sh_addr)
               : NULL;
}

static const char *find_shared(const struct symbols *a, const struct symbols *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; is_unique(&a->symbol[i]) && j < b->count; j++) {
            const Elf64_Sym *x = &a->symbol[i], *y = &b->symbol[j];
            if (!is_unique(y) || strcmp(a->names + x->st_name, b->names + y->st_name) != 0)
                continue;
            const char *one = constant(a, x), *other = constant(b, y);
            if (!one || !other || x->st_size != y->st_size || memcmp(one, other, x->st_size) != 0)
                return a->names + x->st_name;
        }
    return NULL;
}

int object_check_apart(int first, struct error *error)
{
    int failed = 0;
    for (int i = 0; i < first; i++) {
        struct symbols a = read_symbols(files[i].map->l_name);
        for (int j = first; j < count && !failed; j++) {
            struct symbols b = read_symbols(files[j].map->l_name);
            const char *name = find_shared(&a, &b);
            if (name)
                failed =
                    error_set(error, ERROR_USAGE,
                              "%s and %s share '%s', which C++ makes one for the whole process; compile both "
                              "with -fno-gnu-unique",
                              files[i].map->l_name, files[j].map->l_name, name);
            free(b.image);
        }
        free(a.image);
    }
    return failed;
}
