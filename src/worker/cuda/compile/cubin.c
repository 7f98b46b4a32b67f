#include "worker/cuda/compile/compile.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

/* The same for a table whose rows have members of up to 8 bytes, which lie on 8 in any file that a compiler writes. */
static const void *table_at(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset % 8 ? NULL : at(file, offset, bytes);
}

/* Names, the last of which ends in it. */
static const char *names_at(const struct file *file, const Elf64_Shdr *section)
{
    const char *names = section->sh_size ? at(file, section->sh_offset, section->sh_size) : NULL;
    return names && !names[section->sh_size - 1] ? names : NULL;
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
    file->section = table_at(file, head->e_shoff, file->sections * sizeof *file->section);
    if (!file->section || head->e_shstrndx >= file->sections)
        return false;
    const Elf64_Shdr *names = &file->section[head->e_shstrndx];
    file->section_names = names_at(file, names);
    for (unsigned i = 0; file->section_names && i < file->sections; i++)
        if (file->section[i].sh_name >= names->sh_size)
            return false;
    return file->section_names != NULL;
}

/* The index of the symbol of that name; 0: there is none. */
static uint32_t find_symbol(const struct file *file, const char *name)
{
    const Elf64_Shdr *table = section_called(file, ".symtab"), *text = section_called(file, ".strtab");
    const Elf64_Sym *symbol = table ? table_at(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = text ? names_at(file, text) : NULL;
    for (uint32_t i = 1; symbol && names && i < table->sh_size / sizeof *symbol; i++)
        if (symbol[i].st_name < text->sh_size && ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC &&
            !strcmp(names + symbol[i].st_name, name))
            return i;
    return 0;
}

bool cubin_is(const void *cubin, size_t size)
{
    struct file file = {.data = cubin, .size = size};
    return open_file(&file) && ((const Elf64_Ehdr *)file.data)->e_machine == EM_CUDA;
}

/* Where the capability lies among the flags has changed with the ABI, which CUDA 13 tells by another OS number. */
int cubin_capability(const void *cubin, size_t size)
{
    enum { OS_OF_CUDA_13 = 0x41 };
    if (!cubin_is(cubin, size))
        return 0;
    const Elf64_Ehdr *head = cubin;
    return (int)(head->e_ident[EI_OSABI] == OS_OF_CUDA_13 ? head->e_flags >> 8 & 0xff : head->e_flags & 0xff);
}

bool cubin_has(const void *cubin, size_t size, const char *kernel)
{
    struct file file = {.data = cubin, .size = size};
    return open_file(&file) && find_symbol(&file, kernel);
}

void cubin_functions(const void *cubin, size_t size, struct text *out)
{
    struct file file = {.data = cubin, .size = size};
    const Elf64_Shdr *table = open_file(&file) ? section_called(&file, ".symtab") : NULL;
    const Elf64_Shdr *text = table ? section_called(&file, ".strtab") : NULL;
    const Elf64_Sym *symbol = text ? table_at(&file, table->sh_offset, table->sh_size) : NULL;
    const char *names = symbol ? names_at(&file, text) : NULL;
    for (uint32_t i = 1, count = 0; names && i < table->sh_size / sizeof *symbol; i++)
        if (symbol[i].st_name < text->sh_size && ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC)
            text_add(out, "%s%s", count++ ? ", " : "", names + symbol[i].st_name);
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

/* From compute capability 9.0 on the section begins with the 1 KiB that the system keeps for itself, which the driver does not
 * count among what the kernel has: 17664 and 16640 bytes of matmul variant=register on an H200. */
int cubin_shared(const void *cubin, size_t size, const char *kernel)
{
    enum { RESERVED = 1024, RESERVED_FROM = 90 };
    struct file file = {.data = cubin, .size = size};
    char name[256];
    snprintf(name, sizeof name, ".nv.shared.%s", kernel);
    const Elf64_Shdr *section = open_file(&file) ? section_called(&file, name) : NULL;
    uint64_t reserved = cubin_capability(cubin, size) >= RESERVED_FROM ? RESERVED : 0;
    return section && section->sh_size > reserved && section->sh_size <= INT32_MAX
               ? (int)(section->sh_size - reserved)
               : 0;
}

/* ---- Joining ---- */

static const char *name_of(const struct file *file, unsigned section)
{
    return file->section_names + file->section[section].sh_name;
}

static bool has_instructions(const struct file *file, unsigned section)
{
    const Elf64_Shdr *head = &file->section[section];
    return head->sh_type == SHT_PROGBITS && !strncmp(name_of(file, section), ".text.", 6) &&
           at(file, head->sh_offset, head->sh_size);
}

size_t cubin_joinable(const struct cubin_view *cubin)
{
    struct file file = {.data = cubin->image, .size = cubin->size};
    size_t bytes = 0;
    if (!cubin_is(cubin->image, cubin->size) || !open_file(&file))
        return 0;
    for (unsigned i = 0; i < file.sections; i++) {
        const char *name = name_of(&file, i);
        bool relocates = !strncmp(name, ".rel", 4) && strstr(name, ".text.") && file.section[i].sh_size;
        if (relocates || !strncmp(name, ".nv.constant2", 13))
            return 0;
        bytes += has_instructions(&file, i) ? file.section[i].sh_size : 0;
    }
    return bytes;
}

bool cubin_alike(const struct cubin_view *a, const struct cubin_view *b)
{
    const Elf64_Ehdr *one = a->image, *other = b->image;
    return cubin_is(one, a->size) && cubin_is(other, b->size) &&
           !memcmp(one->e_ident, other->e_ident, EI_NIDENT) && one->e_flags == other->e_flags;
}

/* A file that is written: sections 1 and 2 are all names and all symbols, further ones are instructions. */
struct joined {
    struct text names, symbols, code;
    Elf64_Shdr *section;
    size_t sections, capacity;
};
enum { JOINED_NAMES = 1, JOINED_SYMBOLS, JOINED_FIRST, CODE_ALIGNMENT = 128 };

/* Returns the offset of NAME with the suffix of cubin `nth`. */
static uint32_t add_name(struct joined *joined, const char *name, size_t nth)
{
    uint32_t offset = (uint32_t)joined->names.length;
    text_add(&joined->names, "%s" CUBIN_JOINED "%05zu", name, nth);
    text_append(&joined->names, "", 1);
    return offset;
}

static void pad(struct text *text, size_t alignment)
{
    static const char zeros[CODE_ALIGNMENT];
    text_append(text, zeros, (alignment - text->length % alignment) % alignment);
}

/* The functions of section `from`, which is section `to` of the joined file. Returns the index of the function that the section
 * belongs to: code that is called by it has a symbol in its section. */
static uint32_t add_symbols(struct joined *joined, const struct file *file, unsigned from, size_t to,
                            size_t nth)
{
    const Elf64_Shdr *table = section_called(file, ".symtab"), *text = section_called(file, ".strtab");
    const Elf64_Sym *symbol = table ? table_at(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = text ? names_at(file, text) : NULL;
    uint32_t owner = 0;
    for (uint32_t i = 1; symbol && names && i < table->sh_size / sizeof *symbol; i++) {
        Elf64_Sym one = symbol[i];
        if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || one.st_shndx != from || one.st_name >= text->sh_size)
            continue;
        if (!strcmp(names + one.st_name, name_of(file, from) + strlen(".text.")))
            owner = (uint32_t)(joined->symbols.length / sizeof one);
        one.st_name = add_name(joined, names + one.st_name, nth);
        one.st_shndx = (uint16_t)to;
        text_append(&joined->symbols, (const char *)&one, sizeof one);
    }
    return owner;
}

static void add_cubin(struct joined *joined, const struct file *file, size_t nth)
{
    enum { OWNER_BITS = 0xffffff }; /* of sh_info; the bits above are registers in the ABI of CUDA 12 */
    for (unsigned i = 0; i < file->sections; i++) {
        if (!has_instructions(file, i))
            continue;
        Elf64_Shdr head = file->section[i];
        size_t to = joined->sections;
        head.sh_name = add_name(joined, name_of(file, i), nth);
        head.sh_link = JOINED_SYMBOLS;
        head.sh_info = (head.sh_info & ~(uint32_t)OWNER_BITS) | add_symbols(joined, file, i, to, nth);
        pad(&joined->code, CODE_ALIGNMENT);
        size_t offset = joined->code.length;
        text_append(&joined->code, at(file, head.sh_offset, head.sh_size), head.sh_size);
        head.sh_offset = offset; /* in the code, until its place in the file is known */
        head.sh_addralign = CODE_ALIGNMENT;
        joined->section =
            memory_grow(joined->section, joined->sections, &joined->capacity, sizeof *joined->section);
        joined->section[joined->sections++] = head;
    }
}

static void write_joined(struct joined *joined, Elf64_Ehdr head, struct text *out)
{
    size_t start = out->length;
    head.e_phoff = head.e_phnum = 0;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = (uint16_t)joined->sections;
    head.e_shstrndx = JOINED_NAMES;
    size_t symbols_size = joined->symbols.length;
    pad(&joined->symbols, CODE_ALIGNMENT);
    pad(&joined->names, CODE_ALIGNMENT);
    size_t names = CODE_ALIGNMENT, symbols = names + joined->names.length;
    size_t code = symbols + joined->symbols.length;
    pad(&joined->code, CODE_ALIGNMENT);
    head.e_shoff = code + joined->code.length;
    joined->section[JOINED_NAMES] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = names, .sh_size = joined->names.length, .sh_addralign = 1};
    joined->section[JOINED_SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                                   .sh_offset = symbols,
                                                   .sh_size = symbols_size,
                                                   .sh_link = JOINED_NAMES,
                                                   .sh_info = 1,
                                                   .sh_addralign = sizeof(uint64_t),
                                                   .sh_entsize = sizeof(Elf64_Sym)};
    for (size_t i = JOINED_FIRST; i < joined->sections; i++)
        joined->section[i].sh_offset += code;
    text_append(out, (const char *)&head, sizeof head);
    static const char zeros[CODE_ALIGNMENT];
    text_append(out, zeros, CODE_ALIGNMENT - (out->length - start));
    text_append(out, joined->names.data, joined->names.length);
    text_append(out, joined->symbols.data, joined->symbols.length);
    text_append(out, joined->code.data, joined->code.length);
    text_append(out, (const char *)joined->section, joined->sections * sizeof *joined->section);
}

bool cubin_join(const struct cubin_view *cubins, size_t count, struct text *out)
{
    struct joined joined = {.sections = JOINED_FIRST, .capacity = JOINED_FIRST};
    bool alike = true;
    joined.section = memory_new(JOINED_FIRST, sizeof *joined.section);
    text_append(&joined.names, "", 1);
    text_append(&joined.symbols, (const char *)&(Elf64_Sym){0}, sizeof(Elf64_Sym));
    for (size_t i = 0; i < count && alike; i++) {
        struct file file = {.data = cubins[i].image, .size = cubins[i].size};
        alike = cubin_alike(&cubins[0], &cubins[i]) && open_file(&file) &&
                joined.sections + file.sections < SHN_LORESERVE;
        if (alike)
            add_cubin(&joined, &file, i);
    }
    if (alike)
        write_joined(&joined, *(const Elf64_Ehdr *)cubins[0].image, out);
    free(joined.section);
    text_free(&joined.names);
    text_free(&joined.symbols);
    text_free(&joined.code);
    return alike;
}
