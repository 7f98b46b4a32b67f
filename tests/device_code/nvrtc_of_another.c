/* libnvrtc.so.13 of a test, whose functions are those of the NVRTC that NVRTC_LIBRARY names: another release under the same program. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *function(const char *name)
{
    static void *library;
    const char *path = getenv("NVRTC_LIBRARY");
    if (!library)
        library = dlopen(path ? path : "", RTLD_NOW | RTLD_GLOBAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "no %s: %s\n", name, dlerror());
        abort();
    }
    return found;
}

/* All of these have arguments and results in integer registers, at most six. */
#define FORWARD(name)                                                                                        \
    long name(long a, long b, long c, long d, long e, long f);                                               \
    long name(long a, long b, long c, long d, long e, long f)                                                \
    {                                                                                                        \
        return ((long (*)(long, long, long, long, long, long))function(#name))(a, b, c, d, e, f);            \
    }

FORWARD(nvrtcVersion)
FORWARD(nvrtcGetErrorString)
FORWARD(nvrtcGetNumSupportedArchs)
FORWARD(nvrtcGetSupportedArchs)
FORWARD(nvrtcCreateProgram)
FORWARD(nvrtcDestroyProgram)
FORWARD(nvrtcCompileProgram)
FORWARD(nvrtcGetPTXSize)
FORWARD(nvrtcGetPTX)
FORWARD(nvrtcGetCUBINSize)
FORWARD(nvrtcGetCUBIN)
FORWARD(nvrtcGetProgramLogSize)
FORWARD(nvrtcGetProgramLog)
