/* headers.h - the folder of the CUDA headers that belong to the NVRTC in use.
 *
 * Headers of another version than the compiler's fail with pages of errors, or compile to other code. So the folder is
 * chosen by the version in its cuda.h, not by its path. */
#pragma once

#include <stddef.h>

#include "base/text.h"

struct cuda_headers {
    char folder[1024]; /* has cuda.h */
    char cccl[1024];   /* has cub/ and cuda/std/; may be `folder` */
    int version;       /* CUDA_VERSION: 1000 * major + 10 * minor; 0: there is no such folder */
    int cccl_version;  /* CCCL_VERSION, 1000000 * major + 1000 * minor + patch; 0: there is no CCCL */
};

/* The first of the folders (NULL ends the list) whose cuda.h has `version`. Otherwise version 0; then `seen` lists the
 * folders that have a cuda.h, with their versions: "/usr/local/cuda/include has 13.0". */
struct cuda_headers headers_find(const char *const *folder, int version, struct text *seen);

/* Those of the loaded NVRTC, found once: of CUDA_HOME, CUDA_PATH, the folders beside the library, the toolkit of the build, and
 * the usual places. If there are none, `*missing` is one line that names the versions; else NULL. */
const struct cuda_headers *headers_of_nvrtc(const char **missing);

/* The folder that NVRTC was loaded from, links followed; "" if it is not known. */
void nvrtc_folder(char *out, size_t size);
