#include "worker/cuda/compile/compile.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 16 };

/* The number that a header defines a macro as; 0 if it cannot be read, or does not. */
static int read_definition(const char *folder, const char *header, const char *macro)
{
    char path[1200], line[512], pattern[64];
    int value = 0;
    snprintf(path, sizeof path, "%s/%s", folder, header);
    snprintf(pattern, sizeof pattern, "#define %s %%d", macro);
    FILE *file = fopen(path, "re");
    while (file && !value && fgets(line, sizeof line, file))
        if (sscanf(line, pattern, &value) != 1)
            value = 0;
    if (file)
        fclose(file);
    return value;
}

/* CUDA 13 has CCCL in a folder of its own, CUDA 12 beside the other headers, Python's wheels in another
 * package. */
static void find_cccl(struct cuda_headers *headers)
{
    static const char *const places[] = {"/cccl", "", "/../../cuda_cccl/include"};
    for (size_t i = 0; i < sizeof places / sizeof *places && !headers->cccl_version; i++) {
        if ((size_t)snprintf(headers->cccl, sizeof headers->cccl, "%s%s", headers->folder, places[i]) >=
            sizeof headers->cccl)
            continue;
        headers->cccl_version = read_definition(headers->cccl, "cuda/std/__cccl/version.h", "CCCL_VERSION");
    }
    if (!headers->cccl_version)
        memcpy(headers->cccl, headers->folder, sizeof headers->cccl);
}

struct cuda_headers headers_find(const char *const *folder, int version, struct text *seen)
{
    struct cuda_headers headers = {0};
    for (; *folder; folder++) {
        int found = read_definition(*folder, "cuda.h", "CUDA_VERSION");
        if (found == version && strlen(*folder) < sizeof headers.folder) {
            snprintf(headers.folder, sizeof headers.folder, "%s", *folder);
            headers.version = found;
            find_cccl(&headers);
            return headers;
        }
        if (found)
            text_add(seen, "%s%s has %d.%d", seen->length ? ", " : "", *folder, found / 1000,
                     found % 1000 / 10);
    }
    return headers;
}

void nvrtc_folder(char *out, size_t size)
{
    Dl_info info;
    *out = '\0';
    char *path =
        dladdr((void *)nvrtcVersion, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        snprintf(out, size, "%.*s", (int)(slash - path), path);
    free(path);
}

static struct cuda_headers chosen;
static char missing_line[1024];

static void choose(void)
{
    char library[900], made[CANDIDATES_MAX][1024];
    nvrtc_folder(library, sizeof library);
    const struct {
        const char *folder, *below;
    } places[] = {{getenv("CUDA_HOME"), "/include"}, {getenv("CUDA_PATH"), "/include"},
                  {library, "/../include"},          {library, "/../../include"},
                  {library, "/../../../include"},    {library, "/../../cuda_runtime/include"},
                  {CUDA_INCLUDE_FOLDER, ""},         {"/usr/local/cuda/include", ""},
                  {"/opt/cuda/include", ""}};
    const char *folder[CANDIDATES_MAX] = {NULL};
    int count = 0, major = 0, minor = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].folder && *places[i].folder &&
            snprintf(made[count], sizeof *made, "%s%s", places[i].folder, places[i].below) <
                (int)sizeof *made) {
            folder[count] = made[count];
            count++;
        }
    struct text seen = {0};
    nvrtcVersion(&major, &minor);
    chosen = headers_find(folder, 1000 * major + 10 * minor, &seen);
    if (!chosen.version)
        snprintf(missing_line, sizeof missing_line,
                 "no headers of CUDA %d.%d, which NVRTC needs (%.700s): set CUDA_HOME to that toolkit", major,
                 minor, seen.length ? seen.data : "no folder has a cuda.h");
    text_free(&seen);
}

const struct cuda_headers *headers_of_nvrtc(const char **missing)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    *missing = chosen.version ? NULL : missing_line;
    return &chosen;
}
