#include "family/code/closure.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/key_set.h"
#include "family/code/library_version.h"
#include "family/code/plugin.h"
#include "family/python/python.h"

#define NOTE_GNU "GNU"

/* Variables that libraries of this field, and families, take for settings. None of them holds a secret. */
static const char *const compared[] = {
    "CUBLASLT_*",      "CUBLAS_*",
    "CUDA_AUTO_BOOST", "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDNN_*",         "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
    "KMP_*",           "CUDA_DISABLE_PTX_JIT",
    "LD_PRELOAD",      "CUDA_FORCE_PTX_JIT",
    "MKL_*",           "CUDA_LAUNCH_BLOCKING",
    "NCCL_*",          "CUDA_MODULE_DATA_LOADING",
    "OMP_*",           "CUDA_MODULE_LOADING",
    "OPENBLAS_*",      "CUDA_SCALE_LAUNCH_QUEUES",
    "PYTORCH_*",       "NVIDIA_TF32_OVERRIDE",
    "TORCHINDUCTOR_*", "TORCHDYNAMO_*",
    "TORCH_*",         "TRITON_*",
};
/* Of these, those that say where files lie or what is printed, as module files set them. */
static const char *const others[] = {"*_DIR",  "*_HOME", "*_PATH",  "*_ROOT",    "*_FILE",       "*_INCLUDE*",
                                     "*_LIB*", "*CACHE", "*_DEBUG", "*_DEBUG_*", "*VERSION",     "*_IFNAME",
                                     "*TOKEN", "*_KEY",  "*LOGS",   "*_VERBOSE", "OMP_DISPLAY_*"};

static bool matches(const char *const *patterns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static void add_line(struct text *lines, const char *name, const char *value)
{
    char *clean = clean_copy(value); /* without tabs and line ends */
    text_add(lines, "%s\t%s\n", name, clean);
    free(clean);
}

static void add_variables(struct text *lines)
{
    struct text patterns = {0};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        text_add(&patterns, "%s%s", i ? " " : "", compared[i]);
    add_line(lines, "variables", patterns.data);
    text_free(&patterns);
    for (char **entry = environ; *entry; entry++) {
        char name[128];
        int length = (int)strcspn(*entry, "=");
        snprintf(name, sizeof name, "%.*s", length, *entry);
        if (matches(compared, sizeof compared / sizeof *compared, name) &&
            !matches(others, sizeof others / sizeof *others, name))
            add_line(lines, name, *entry + length + ((*entry)[length] == '='));
    }
}

/* ---- Libraries ---- */

/* The build id in hexadecimal; false: it has none. */
static bool build_id(const struct dl_phdr_info *info, char out[2 * 32 + 1])
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + part->p_vaddr), *end = at + part->p_memsz;
        while (part->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const char *name = at + sizeof *note;
            const unsigned char *id = (const unsigned char *)name + (note->n_namesz + 3) / 4 * 4;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= 32 &&
                note->n_namesz == sizeof NOTE_GNU && !memcmp(name, NOTE_GNU, sizeof NOTE_GNU)) {
                for (unsigned b = 0; b < note->n_descsz; b++)
                    sprintf(out + (size_t)2 * b, "%02x", id[b]);
                return true;
            }
            at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
        }
    }
    return false;
}

/* A module of Python has its package's version, and ours the build's; /devices has the driver's. */
static bool is_listed(const char *path, const char *file)
{
    static const char *const compute[] = {"libcu*", "libnccl*", "libnv*"}, *const left_out[] = {
                                                                               "libcuda.so*", "libnvidia-*",
                                                                               "libwarpsweep-*"};
    return strchr(path, '/') && !strncmp(file, "lib", 3) && !matches(left_out, 3, file) &&
           (!object_is_system(path) || matches(compute, 3, file));
}

/* Its version by its own function, which may load others: so after all are listed. */
struct listing {
    struct text *lines, paths;
};

static void add_versions(struct listing *listing)
{
    char name[64], version[32];
    for (char *rest = listing->paths.data, *path; (path = strsep(&rest, "\n"));) {
        const char *library = library_version(path, io_file_name(path), version, sizeof version);
        if (!library)
            continue;
        snprintf(name, sizeof name, "version.%s", library);
        add_line(listing->lines, name, version);
    }
    text_free(&listing->paths);
}

/* Another library of the same name has a number. */
static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
    struct listing *listing = context;
    static struct keys seen, names;
    const char *file = io_file_name(info->dlpi_name);
    char name[NAME_MAX + 32], value[2 * 32 + 1], real[PATH_MAX];
    struct error ignored;
    uint64_t hash;
    (void)size;
    if (!is_listed(info->dlpi_name, file) ||
        !keys_add(&seen, hash_u64(hash_text(HASH_START, info->dlpi_name), info->dlpi_addr)))
        return 0;
    if (!build_id(info, value)) {
        if (io_hash_file(info->dlpi_name, &hash, &ignored) != 0)
            return 0;
        snprintf(value, sizeof value, "%016" PRIx64, hash);
    }
    int length = snprintf(name, sizeof name, "library.%s", file);
    uint32_t *nth = keys_number(&names, hash_text(HASH_START, file));
    if (++*nth > 1)
        snprintf(name + length, sizeof name - (size_t)length, " (%" PRIu32 ")", *nth);
    const char *version = realpath(info->dlpi_name, real) ? io_file_name(real) : file;
    text_add(&listing->paths, "%s\n", info->dlpi_name);
    text_add(listing->lines, "%s\t%s%s%s\n", name, strcmp(version, file) != 0 ? version : "",
             strcmp(version, file) != 0 ? " " : "", value);
    return 0;
}

/* ---- All ---- */

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

void closure_add(struct text *lines)
{
    static bool again;
    static unsigned long long loads;
    unsigned long long now = 0;
    if (!again)
        add_variables(lines);
    again = true;
    dl_iterate_phdr(count_loads, &now);
    if (now != loads) {
        struct listing listing = {lines, {0}};
        dl_iterate_phdr(add_library, &listing);
        add_versions(&listing);
    }
    loads = now;
    python_loaded(lines);
}
