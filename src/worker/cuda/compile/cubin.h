/* cubin.h - what a file of machine code says of itself, without the driver. */
#ifndef WORKER_CUDA_COMPILE_CUBIN_H
#define WORKER_CUDA_COMPILE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Is it an ELF file for CUDA devices? What is none, has none of what is asked below. */
bool cubin_is(const void *cubin, size_t size);

/* The compute capability that it is for, as 90; 0 when it does not say. */
int cubin_capability(const void *cubin, size_t size);

/* Is there a function of that name? */
bool cubin_has(const void *cubin, size_t size, const char *kernel);

/* The names of its functions, separated by ", ", appended to `out`. */
void cubin_functions(const void *cubin, size_t size, struct text *out);

/* Registers that a thread of the kernel gets; 0 when it does not say. */
int cubin_registers(const void *cubin, size_t size, const char *kernel);

/* Bytes of shared memory that a block of the kernel gets before any is asked for at the launch. */
int cubin_shared(const void *cubin, size_t size, const char *kernel);

#endif
