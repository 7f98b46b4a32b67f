#include "worker/cuda/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"

#define ENTRY_LIMIT ((size_t)256 << 20) /* bytes; no kernel is that large */

/* An entry is this header, the key with its NUL, and the code. */
struct entry_header {
    char magic[16];
    uint64_t key_size, code_size;
    uint32_t crc; /* of key and code */
    uint32_t unused;
};
static const char entry_magic[16] = "warpsweep-code1";

char *code_cache_path(const char *folder, const char *key)
{
    struct text path = {0};
    uint64_t low = hash_text(HASH_START, key), high = hash_text(hash_mix(low), key);
    text_add(&path, "%s/%016llx%016llx.code", folder, (unsigned long long)high, (unsigned long long)low);
    return path.data;
}

unsigned char *code_cache_load(const char *folder, const char *key, size_t *size)
{
    if (!*folder)
        return NULL;
    char *path = code_cache_path(folder, key);
    size_t file_size = 0, key_size = strlen(key) + 1;
    struct entry_header header;
    unsigned char *code = NULL;
    char *file = io_read_file(path, ENTRY_LIMIT, &file_size, NULL);
    if (!file || file_size < sizeof header + key_size)
        goto out;
    memcpy(&header, file, sizeof header);
    if (memcmp(header.magic, entry_magic, sizeof entry_magic) != 0 || header.key_size != key_size ||
        header.code_size != file_size - sizeof header - key_size ||
        memcmp(file + sizeof header, key, key_size) != 0 ||
        hash_crc32(0, file + sizeof header, file_size - sizeof header) != header.crc)
        goto out;
    *size = header.code_size;
    code = memory_new(*size + 1, 1);
    memcpy(code, file + sizeof header + key_size, *size);
out:
    free(file);
    free(path);
    return code;
}

int code_cache_save(const char *folder, const char *key, const void *code, size_t size, struct error *error)
{
    size_t key_size = strlen(key) + 1, file_size = sizeof(struct entry_header) + key_size + size;
    char *path = code_cache_path(folder, key);
    char *file = memory_new(file_size, 1);
    struct entry_header header = {.key_size = key_size, .code_size = size};
    memcpy(header.magic, entry_magic, sizeof entry_magic);
    memcpy(file + sizeof header, key, key_size);
    memcpy(file + sizeof header + key_size, code, size);
    header.crc = hash_crc32(0, file + sizeof header, file_size - sizeof header);
    memcpy(file, &header, sizeof header);
    int failed =
        io_make_folders(folder, error) != 0 || io_replace_file(path, file, file_size, NULL, error) != 0;
    free(file);
    free(path);
    return failed ? -1 : 0;
}

void code_cache_keep(const char *folder, const char *key, const void *code, size_t size, const char *what)
{
    struct error error;
    if (*folder && code_cache_save(folder, key, code, size, &error) != 0)
        fprintf(stderr, "warpsweep-worker: %s is not kept: %s\n", what, error.text);
}
