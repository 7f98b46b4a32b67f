#include "family/code/library_version.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How a library's own function gives its version. */
enum call {
    FILLS,      /* status f(int *) */
    FILLS_TWO,  /* status f(int *major, int *minor) */
    PROPERTIES, /* status f(0, 1 or 2, int *): the three parts */
};

static const struct library {
    const char *file, *name, *function;
    enum call call;
    int major, minor; /* of one number: what a step of each is; 0: it is printed as it is */
} libraries[] = {
    {"libcublas.so", "cublas", "cublasGetProperty", PROPERTIES, 0, 0},
    {"libcublasLt.so", "cublaslt", "cublasLtGetProperty", PROPERTIES, 0, 0},
    {"libcupti.so", "cupti", "cuptiGetVersion", FILLS, 0, 0},
    {"libnccl.so", "nccl", "ncclGetVersion", FILLS, 10000, 100},
    {"libnvrtc.so", "nvrtc", "nvrtcVersion", FILLS_TWO, 0, 0},
};

static bool ask(void *symbol, const struct library *library, char *out, size_t size)
{
    union {
        void *symbol;
        int (*fills)(int *);
        int (*fills_two)(int *, int *);
        int (*property)(int, int *);
    } function = {symbol};
    int number = 0, part[3] = {0};
    switch (library->call) {
    case FILLS:
        if (function.fills(&number) != 0)
            return false;
        break;
    case FILLS_TWO:
        if (function.fills_two(&part[0], &part[1]) != 0)
            return false;
        snprintf(out, size, "%d.%d", part[0], part[1]);
        return true;
    case PROPERTIES:
        for (int i = 0; i < 3; i++)
            if (function.property(i, &part[i]) != 0)
                return false;
        snprintf(out, size, "%d.%d.%d", part[0], part[1], part[2]);
        return true;
    }
    if (library->major)
        snprintf(out, size, "%d.%d.%d", number / library->major, number % library->major / library->minor,
                 number % library->minor);
    else
        snprintf(out, size, "%d", number);
    return true;
}

const char *library_version(const char *path, const char *file, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const struct library *library = &libraries[i];
        if (strncmp(file, library->file, strlen(library->file)) != 0)
            continue;
        void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        void *symbol = handle ? dlsym(handle, library->function) : NULL;
        bool known = symbol && ask(symbol, library, out, size);
        if (handle)
            dlclose(handle);
        return known ? library->name : NULL;
    }
    return NULL;
}
