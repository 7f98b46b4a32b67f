#include "kernels/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "family/code/plugin.h"
#include "kernels/device_headers.h"

#include "version.h"

/* One line per family, in the order of the documentation. kernels/NAME/NAME.c defines family_NAME. */
#define FAMILIES(X)                                                                                          \
    X(copy)                                                                                                  \
    X(gather)                                                                                                \
    X(layout)                                                                                                \
    X(add)                                                                                                   \
    X(stream)                                                                                                \
    X(silu_mul)                                                                                              \
    X(block_load)                                                                                            \
    X(pack_bits)                                                                                             \
    X(shared_stride)                                                                                         \
    X(transpose)                                                                                             \
    X(matmul)                                                                                                \
    X(reduce)                                                                                                \
    X(lookup)                                                                                                \
    X(prefetch)                                                                                              \
    X(latency)                                                                                               \
    X(pages)                                                                                                 \
    X(dram_channels)                                                                                         \
    X(l2_topology)                                                                                           \
    X(l2_bandwidth)                                                                                          \
    X(l2_window)                                                                                             \
    X(atomics)                                                                                               \
    X(cluster)                                                                                               \
    X(host_copy)                                                                                             \
    X(peer_copy)                                                                                             \
    X(contention)                                                                                            \
    X(peer_latency)                                                                                          \
    X(collective)                                                                                            \
    X(harness)                                                                                               \
    X(mma_rate)                                                                                              \
    X(tensor_matmul)

#define X(name)                                                                                              \
    extern const struct family family_##name;                                                                \
    extern const char name##_descriptor[]; /* hexadecimal */
FAMILIES(X)
#undef X

const struct family *families[FAMILIES_MAX + 1] = {
#define X(name) &family_##name,
    FAMILIES(X)
#undef X
};

const struct family *family_find(const char *kernel)
{
    return family_in(families, kernel);
}

const struct space *family_space(const char *kernel)
{
    const struct family *family = family_find(kernel);
    return family ? &family->space : NULL;
}

static int load_folder(const char *folder, struct error *error)
{
    return plugin_load_folder(folder, device_headers, families, error);
}

static int load_versions(const char *given, struct error *error)
{
    struct plugin_version version[2] = {{NULL, NULL}};
    char *copy = memory_text(given), *rest = NULL, *line = strtok_r(copy, "\n", &rest);
    int failed = 0;
    for (int v = 0; v < 2 && !failed; v++, line = strtok_r(NULL, "\n", &rest)) {
        char *folder = line ? strchr(line, '=') : NULL;
        if (!folder) {
            failed = error_set(error, ERROR_USAGE, PLUGIN_VARIABLE ": expected two lines NAME=FOLDER");
            break;
        }
        *folder++ = '\0';
        version[v] = (struct plugin_version){line, folder};
    }
    if (!failed)
        failed = plugin_load_versions(version, device_headers, families, error);
    free(copy);
    return failed;
}

int registry_load_environment(struct error *error)
{
    const char *given = getenv(PLUGIN_VARIABLE);
    if (!given)
        return 0;
    return strchr(given, '\n') ? load_versions(given, error) : load_folder(given, error);
}

static uint64_t hash_code(const struct family *family)
{
    uint64_t hash = hash_text(HASH_START, family->source ? family->source : "");
    hash = family->loaded ? hash_u64(HASH_START, family->loaded) : hash;
    for (const struct device_header *header = device_headers; header->name; header++)
        hash = hash_text(hash_text(hash, header->name), header->text);
    return hash;
}

void registry_code(const struct family *family, uint64_t code[VERSIONS])
{
    for (int v = 0; v < VERSIONS; v++)
        code[v] = hash_code(versions_pick(family, v));
}

void registry_references(const struct family *family, uint64_t hash[VERSIONS])
{
    static const struct {
        const char *name, *hash;
    } own[] = {
#define X(name) {#name, name##_descriptor},
        FAMILIES(X)
#undef X
    };
    for (int v = 0; v < VERSIONS; v++) {
        hash[v] = plugin_reference(versions_pick(family, v));
        for (size_t i = 0; i < sizeof own / sizeof *own && !versions_pick(family, v)->loaded; i++)
            if (!strcmp(own[i].name, family->space.kernel))
                hash[v] = strtoull(own[i].hash, NULL, 16);
    }
}

/* Device code of the built-in families, which may differ between two builds of one commit. */
static uint64_t built_in;
static void hash_built_in(void)
{
    static const struct family *const all[] = {
#define X(name) &family_##name,
        FAMILIES(X)
#undef X
    };
    built_in = greeting_layout();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        built_in = hash_text(built_in, all[i]->source);
    for (const struct device_header *header = device_headers; header->name; header++)
        built_in = hash_text(built_in, header->text);
}

struct build registry_build(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hash_built_in);
    struct build build = {
        .release = WARPSWEEP_RELEASE, .commit = WARPSWEEP_COMMIT, .layout = built_in, .loaded = HASH_START};
    for (const struct family *const *family = families; *family; family++)
        for (int v = 0; v < VERSIONS; v++)
            build.loaded = hash_u64(build.loaded, versions_pick(*family, v)->loaded);
    return build;
}
