/* code_list.h - NAME.code beside NAME.so: the list of machine code that a family has in place of a source.
 *
 * One file of code per line; comments begin with #:
 *
 *   SETTINGS | ARCHITECTURE | FILE | entry=NAME shared=BYTES threads=COUNT
 *   dtype=bf16 block_size=1024 num_warps=4 | sm_90a | add/bf16-1024-4.sm_90a.cubin | entry=add_kernel
 *   threads=128
 *
 *   SETTINGS      values of all compiled axes except arch; axes of a single word are optional
 *   ARCHITECTURE  the target of the compiler (core/arch.h): FILE is a cubin for sm_90a and the like, PTX for
 *                 compute_90 and the like
 *   FILE          path, relative to the folder of the list
 *   entry         name of the kernel in FILE; default: the setup's
 *   shared        bytes of dynamic shared memory; default: the setup's
 *   threads       threads per block that the code was compiled for; other setups are refused
 *
 * The last part and each value in it are optional. PTX is used for all architectures that it can be assembled
 * for. */
#pragma once

#include "base/error.h"
#include "core/point.h"

/* A line. */
struct code_file {
    struct point point; /* the compiled axes of SETTINGS; the other axes are standard */
    arch arch;
    char *path, *entry;      /* entry: NULL if not given */
    int64_t shared, threads; /* -1: not given */
    int line;
    uint64_t key;   /* hash of the compiled axes without arch */
    uint64_t bytes; /* hash of the file's contents when the list was read */
};

struct code_list {
    char *path;
    struct code_file *file;
    size_t count, capacity;
};

#define CODE_FILES_MAX 16384 /* per list */

/* Read the list for a family with this space. -1 (ERROR_USAGE) with path, line, column and what was expected,
 * also if a file of the list cannot be read. code_list_free either way. */
int code_list_read(const char *path, const struct space *space, struct code_list *list, struct error *error);
void code_list_free(struct code_list *list);

/* The code that a point runs on a device of this compute capability, or NULL. For native points machine code
 * is preferred to PTX, and then the architecture nearest to the device. Capability 0 (unknown device): any
 * code. */
const struct code_file *code_list_find(const struct code_list *list, const struct point *point,
                                       int capability);

/* Why there is no code for the point: a reason as for skip of struct family. */
const char *code_list_lack(const struct code_list *list, const struct point *point, int capability,
                           char *reason, size_t size);

/* Hash of the list and of the contents that its files had when it was read. */
uint64_t code_list_hash(const struct code_list *list);
