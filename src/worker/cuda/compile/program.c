#include "worker/cuda/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"

const char *program_find(const char *name, const char *variable, const char *fallback,
                         char path[PROGRAM_PATH_SIZE])
{
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), CUDA_INCLUDE_FOLDER "/.."};
    const char *given = getenv(variable);
    if (given && *given)
        return access(given, X_OK) == 0 ? given : NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, PROGRAM_PATH_SIZE, "%s/bin/%s", folders[i] ? folders[i] : "", name);
        if (folders[i] && access(path, X_OK) == 0)
            return path;
    }
    return access(fallback, X_OK) == 0 ? fallback : NULL;
}

int program_file(const void *bytes, size_t size, char path[PROGRAM_FILE_SIZE])
{
    int file = memfd_create("code", MFD_CLOEXEC);
    snprintf(path, PROGRAM_FILE_SIZE, "/proc/%d/fd/%d", (int)getpid(), file);
    if (file < 0 || io_write_full(file, bytes, size) == 0)
        return file;
    close(file);
    return -1;
}
