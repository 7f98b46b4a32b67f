#include "worker/cuda/compile/compile.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* .nv.info: records of a u8 format, a u8 attribute, and a u16 that is the size of what follows for format 4.
 * The attribute 0x2f has a symbol's index and that function's registers, 0x37 the release of CUDA's API, 0x0a
 * the index of the symbol of the parameters, and where they are. Of a kernel's own records, 0x19 has the
 * bytes of all parameters in place of a size, and each 0x17 one parameter: an index, its place among all, its
 * offset, and its bytes in the upper bits of the last word. */
enum {
    INFO_SIZED = 4,
    INFO_PARAMETERS = 0x0a,
    INFO_PARAMETER = 0x17,
    INFO_PARAMETER_BYTES = 0x19,
    INFO_REGISTERS = 0x2f,
    INFO_API = 0x37,
};
struct parameter {
    uint32_t index;
    uint16_t place, offset;
    uint32_t packed;
};
enum { PACKED_BYTES = 18 };

/* Instructions, from sm_70 on, of 16 bytes: the form of their operands says whether one is in a bank of
 * constants. Those of bank 4 are addresses of global variables. */
enum { INSTRUCTION = 16, FORM_CONSTANT_C = 3, FORM_CONSTANT_B = 5, BANK_ADDRESSES = 4 };

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

/* The same for a table whose rows have members of up to 8 bytes, which lie on 8 in any file that a compiler
 * writes. */
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

/* The index of the function of that name; 0: there is none. Names of functions are appended to `all`, unless
 * that is NULL. */
static uint32_t find_function(const struct file *file, const char *name, struct text *all)
{
    const Elf64_Shdr *table = section_called(file, ".symtab"), *text = section_called(file, ".strtab");
    const Elf64_Sym *symbol = table ? table_at(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = text ? names_at(file, text) : NULL;
    for (uint32_t i = 1; symbol && names && i < table->sh_size / sizeof *symbol; i++) {
        if (symbol[i].st_name >= text->sh_size || ELF64_ST_TYPE(symbol[i].st_info) != STT_FUNC)
            continue;
        if (all)
            text_add(all, "%s%s", all->length ? ", " : "", names + symbol[i].st_name);
        else if (!strcmp(names + symbol[i].st_name, name))
            return i;
    }
    return 0;
}

bool cubin_is(const void *cubin, size_t size)
{
    struct file file = {.data = cubin, .size = size};
    return open_file(&file) && ((const Elf64_Ehdr *)file.data)->e_machine == EM_CUDA;
}

/* Where the capability lies among the flags has changed with the ABI, which CUDA 13 tells by another OS
 * number. */
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
    return open_file(&file) && find_function(&file, kernel, NULL);
}

void cubin_functions(const void *cubin, size_t size, struct text *out)
{
    struct file file = {.data = cubin, .size = size};
    if (open_file(&file))
        find_function(&file, "", out);
}

int cubin_registers(const void *cubin, size_t size, const char *kernel)
{
    struct file file = {.data = cubin, .size = size};
    const Elf64_Shdr *info = open_file(&file) ? section_called(&file, ".nv.info") : NULL;
    const unsigned char *record = info ? at(&file, info->sh_offset, info->sh_size) : NULL;
    uint32_t symbol = record ? find_function(&file, kernel, NULL) : 0;
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

int cubin_parameters(const void *cubin, size_t size, const char *kernel, uint32_t bytes[CUBIN_PARAMETERS_MAX])
{
    struct file file = {.data = cubin, .size = size};
    struct text name = {0};
    text_add(&name, ".nv.info.%s", kernel);
    const Elf64_Shdr *info = open_file(&file) ? section_called(&file, name.data) : NULL;
    const unsigned char *record = info ? at(&file, info->sh_offset, info->sh_size) : NULL;
    uint32_t end = 0, all = 0;
    int count = 0;
    bool there[CUBIN_PARAMETERS_MAX] = {false};
    text_free(&name);
    for (size_t i = 0, length; record && i + 4 <= info->sh_size; i += 4 + length) {
        uint16_t value;
        memcpy(&value, record + i + 2, sizeof value);
        length = record[i] == INFO_SIZED ? value : 0;
        if (record[i + 1] == INFO_PARAMETER_BYTES)
            all = value;
        struct parameter parameter;
        if (record[i + 1] != INFO_PARAMETER || length != sizeof parameter || i + 4 + length > info->sh_size)
            continue;
        memcpy(&parameter, record + i + 4, sizeof parameter);
        if (parameter.place >= CUBIN_PARAMETERS_MAX || there[parameter.place])
            return -1;
        there[parameter.place] = true;
        bytes[parameter.place] = parameter.packed >> PACKED_BYTES;
        if (parameter.offset + bytes[parameter.place] > end)
            end = parameter.offset + bytes[parameter.place];
        count++;
    }
    for (int i = 0; i < count; i++)
        if (!there[i])
            return -1;
    return record && end == all ? count : -1;
}

/* Without the release that compiled it, and indices of symbols. */
static uint64_t hash_info(uint64_t hash, const unsigned char *record, size_t size)
{
    for (size_t i = 0, bytes; i + 4 <= size; i += bytes) {
        uint16_t length;
        memcpy(&length, record + i + 2, sizeof length);
        bytes = record[i] == INFO_SIZED ? 4 + (size_t)length : 4;
        size_t left_out = record[i + 1] == INFO_PARAMETERS && bytes >= 8 ? 8 : 0;
        if (record[i + 1] != INFO_API && bytes <= size - i)
            hash = hash_bytes(hash_u64(hash, record[i + 1]), record + i + left_out, bytes - left_out);
    }
    return hash;
}

/* Where addresses are filled in, but not of which symbols: their numbers are the names' affair. */
static uint64_t hash_relocations(uint64_t hash, const struct file *file, const Elf64_Shdr *section)
{
    const bool addend = section->sh_type == SHT_RELA;
    const size_t step = addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const unsigned char *entry = at(file, section->sh_offset, section->sh_size);
    for (size_t i = 0; entry && i + step <= section->sh_size; i += step) {
        Elf64_Rela one = {0};
        memcpy(&one, entry + i, step);
        hash = hash_u64(hash_u64(hash, one.r_offset), ELF64_R_TYPE(one.r_info));
        hash = hash_u64(hash, (uint64_t)one.r_addend);
    }
    return hash;
}

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* Does any code use a global variable? Variables that a source defines for its compiler are there too. */
static bool uses_variables(const struct file *file)
{
    for (unsigned i = 0; i < file->sections; i++) {
        const Elf64_Shdr *section = &file->section[i];
        const char *name = file->section_names + section->sh_name;
        if (section->sh_size && (begins(name, ".rel.text.") || begins(name, ".rela.text.")))
            return true;
        const unsigned char *code =
            begins(name, ".text.") ? at(file, section->sh_offset, section->sh_size) : NULL;
        for (uint64_t k = 0; code && k + INSTRUCTION <= section->sh_size; k += INSTRUCTION) {
            uint64_t word;
            memcpy(&word, code + k, sizeof word);
            const unsigned form = word >> 9 & 7, bank = word >> 54 & 31;
            if (bank == BANK_ADDRESSES && (form == FORM_CONSTANT_B || form == FORM_CONSTANT_C))
                return true;
        }
    }
    return false;
}

static bool is_of_variables(const char *name)
{
    return begins(name, ".nv.global") || begins(name, ".nv.constant4") || begins(name, ".rel.nv.constant4") ||
           begins(name, ".rela.nv.constant4");
}

/* 0 of a section that is no code. The first word of its name says what it is; the others are the function's.
 */
static uint64_t hash_section(const struct file *file, const Elf64_Shdr *section)
{
    static const char *const kinds[] = {".text.",      ".nv.constant", ".nv.shared.", ".nv.global",
                                        ".nv.info.",   ".rel.text.",   ".rela.text.", ".nv.local.",
                                        ".rel.nv.con", ".rela.nv.cons"};
    const char *name = file->section_names + section->sh_name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!begins(name, kinds[i]))
            continue;
        uint64_t hash = hash_text(HASH_START, kinds[i]);
        const void *data =
            section->sh_type == SHT_NOBITS ? NULL : at(file, section->sh_offset, section->sh_size);
        if (section->sh_type == SHT_REL || section->sh_type == SHT_RELA)
            return hash_relocations(hash, file, section);
        if (!strcmp(kinds[i], ".nv.info.") && data)
            return hash_info(hash, data, section->sh_size);
        hash = hash_u64(hash, section->sh_size);
        return data ? hash_bytes(hash, data, section->sh_size) : hash;
    }
    return 0;
}

uint64_t cubin_code_hash(const void *cubin, size_t size, const char *kernel)
{
    struct file file = {.data = cubin, .size = size};
    uint64_t sum = 0, own = 0;
    const bool opened = open_file(&file), variables = opened && uses_variables(&file);
    for (unsigned i = 0; opened && i < file.sections; i++) {
        const char *name = file.section_names + file.section[i].sh_name;
        if (!variables && is_of_variables(name))
            continue;
        uint64_t hash = hash_section(&file, &file.section[i]);
        sum += hash_mix(hash);
        if (begins(name, ".text.") && !strcmp(name + 6, kernel))
            own = hash_u64(hash, (uint64_t)cubin_registers(cubin, size, kernel));
    }
    return own ? hash_u64(hash_u64(own, sum), (uint64_t)cubin_capability(cubin, size)) : 0;
}
