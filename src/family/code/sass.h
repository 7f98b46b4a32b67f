/* sass.h - parser for listings of machine code by `nvdisasm -c`: instructions, loops, and widths of memory
 * accesses. Works on text only and needs no CUDA. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sass_instruction {
    const char *opcode;   /* "LDG.E.128.CONSTANT"; points into the text */
    const char *operands; /* "R4, desc[UR12][R4.64]"; points into the text; "" if there are none */
    const char *label;    /* target of a branch, ".L_x_0"; else NULL */
    int target;           /* index of the instruction at the label; -1: none, or in another function */
    bool predicated; /* may have no effect: @P0, a predicate operand of a branch, or a divergent branch */
};

/* One function, without the padding at its end. */
struct sass {
    char *text; /* owned: the listing, split into strings */
    struct sass_instruction *instruction;
    size_t count, capacity;
    /* First and last instruction of the main loop: the longest innermost loop that accesses memory;
     * loop_last < loop_first if there is none. */
    long loop_first, loop_last;
    bool loops; /* there is a backward branch */
};

/* Parse the function `name`. -1 if the listing does not have it. sass_free either way. */
int sass_read(const char *listing, const char *name, struct sass *sass);
void sass_free(struct sass *sass);

/* Instructions of the main loop; 0: there is none. */
size_t sass_loop_length(const struct sass *sass);

/* Bytes per lane of a memory access (LDG, STS, LDGSTS ...); 0 for other instructions and for bulk copies,
 * whose size is an operand. */
int sass_width(const char *opcode);

/* Is it an access to local memory: a register spill, or an array that is not in registers? */
bool sass_is_local(const char *opcode);

/* Is it a bulk copy? */
bool sass_is_bulk(const char *opcode);

/* The length of the mnemonic, the part of an opcode before its first dot: 3 for "LDG.E". */
size_t sass_mnemonic(const char *opcode);
