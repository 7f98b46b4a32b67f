/* code_list.h - machine code that a family brings in place of a source: NAME.code, beside NAME.so.
 *
 * One file of code a line, and comments, which begin with #:
 *
 *   SETTINGS | ARCHITECTURE | FILE | entry=NAME shared=BYTES threads=COUNT
 *   dtype=bf16 block_size=1024 num_warps=4 | sm_90a | add/bf16-1024-4.sm_90a.cubin | entry=add_kernel threads=128
 *
 *   SETTINGS      a value of every compiled axis but arch; an axis of one word may be left out
 *   ARCHITECTURE  what it was compiled for (core/arch.h): sm_90a and the like, FILE is a cubin; compute_90 and the
 *                 like, FILE is PTX
 *   FILE          from the list's folder on
 *   entry         the kernel's name in FILE; else the setup's
 *   shared        bytes of dynamic shared memory; else the setup's
 *   threads       of a block, that the code was compiled for: a setup with others is refused
 *
 * The last part may be left out, and what is in it. PTX serves every architecture that it can be assembled for. */
#ifndef FAMILY_CODE_LIST_H
#define FAMILY_CODE_LIST_H

#include "base/error.h"
#include "core/point.h"

/* A line. */
struct code_file {
    struct point point; /* its compiled axes; the others are standard */
    arch arch;
    char *path, *entry;      /* entry: NULL when it is not given */
    int64_t shared, threads; /* -1: not given */
    int line;
    uint64_t key; /* of the compiled axes, without arch */
};

struct code_list {
    char *path;
    struct code_file *file;
    size_t count, capacity;
};

#define CODE_FILES_MAX 16384 /* in one list */

/* Read the list for families of that space. -1 (ERROR_USAGE) with path, line, column and what was expected; a
 * file that cannot be read is one of these errors. code_list_free either way. */
int code_list_read(const char *path, const struct space *space, struct code_list *list, struct error *error);
void code_list_free(struct code_list *list);

/* The code that a point runs on a device of that capability, or NULL. Of several that a native point could have:
 * machine code before PTX, and what is nearest to the device. Capability 0, a device that is not known: any. */
const struct code_file *code_list_find(const struct code_list *list, const struct point *point,
                                       int capability);

/* Why there is none, as struct family's skip has it. */
const char *code_list_lack(const struct code_list *list, const struct point *point, int capability,
                           char *reason, size_t size);

/* A hash of all of it, the files' contents too: other code has another. */
uint64_t code_list_hash(const struct code_list *list);

/* What the list is for, in words: "sm_90a (60 files), compute_80 (1)"; appended to `out`. */
void code_list_describe(const struct code_list *list, struct text *out);

#endif
