#include "kernels/registry.h"

#include <stdlib.h>
#include <string.h>

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
    X(mma_rate)                                                                                              \
    X(tensor_matmul)

#define X(name) extern const struct family family_##name;
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

int registry_load_folder(const char *folder, struct error *error)
{
    return plugin_load_folder(folder, device_headers, families, error);
}

int registry_load_versions(const char *given, struct error *error)
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
    return strchr(given, '\n') ? registry_load_versions(given, error) : registry_load_folder(given, error);
}

struct build registry_build(void)
{
    struct build build = {
        .release = WARPSWEEP_RELEASE, .commit = WARPSWEEP_COMMIT, .layout = greeting_core_layout()};
    for (const struct family *const *family = families; *family; family++)
        build.layout = greeting_space_layout(build.layout, &(*family)->space);
    return build;
}
