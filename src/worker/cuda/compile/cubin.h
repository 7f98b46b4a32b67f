/* cubin.h - reads properties of a cubin without the driver. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Is it an ELF file for CUDA devices? The functions below find nothing in other files. */
bool cubin_is(const void *cubin, size_t size);

/* Its compute capability, for example 90; 0 if missing. */
int cubin_capability(const void *cubin, size_t size);

/* Does it have this function? */
bool cubin_has(const void *cubin, size_t size, const char *kernel);

/* Append the names of its functions to `out`, separated by ", ". */
void cubin_functions(const void *cubin, size_t size, struct text *out);

/* Registers per thread of the kernel; 0 if missing. */
int cubin_registers(const void *cubin, size_t size, const char *kernel);

/* Static shared memory of the kernel, in bytes per block. */
int cubin_shared(const void *cubin, size_t size, const char *kernel);
