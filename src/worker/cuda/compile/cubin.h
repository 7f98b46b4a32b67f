/* cubin.h - reads properties of cubins, and joins cubins for one listing, without the driver. */
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

/* A cubin in memory, which somebody else owns. */
struct cubin_view {
    const void *image;
    size_t size;
};

/* Bytes of the instructions of a cubin that can be joined with others; 0: it cannot, because its listing depends on more than
 * symbols and instructions: on relocations, or on tables of jumps. */
size_t cubin_joinable(const struct cubin_view *cubin);

/* Are both of one architecture and ABI, so that they can be joined? */
bool cubin_alike(const struct cubin_view *a, const struct cubin_view *b);

/* One ELF file with the functions of joinable cubins, for nvdisasm alone: names of cubin i end in CUBIN_JOINED and i in five
 * digits. False: they are not alike, or too many. `out` is appended to. */
#define CUBIN_JOINED "_joined_cubin_"
bool cubin_join(const struct cubin_view *cubins, size_t count, struct text *out);
