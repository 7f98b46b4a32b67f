/* sass.h - machine code as nvdisasm lists it (`nvdisasm -c`): instructions, loops, and how wide each access to
 * memory is. Text alone is read here: no CUDA is needed. */
#ifndef FAMILY_CODE_SASS_H
#define FAMILY_CODE_SASS_H

#include <stdbool.h>
#include <stddef.h>

struct sass_instruction {
    const char *opcode;   /* "LDG.E.128.CONSTANT", into the text */
    const char *operands; /* "R4, desc[UR12][R4.64]", likewise; "" when there are none */
    const char *label;    /* where a branch goes: ".L_x_0"; else NULL */
    int target;           /* the instruction there; -1: none, or of another function */
    bool
        predicated; /* by @P0, by a predicate among a branch's operands, or lane by lane: what it does, may not be done */
};

/* One function, without the padding behind it. */
struct sass {
    char *text; /* owned: the listing, cut into pieces */
    struct sass_instruction *instruction;
    size_t count, capacity;
    /* The main loop, both ends included: of the loops that access memory and hold no other such loop, the
     * longest; loop_last < loop_first when there is none. */
    long loop_first, loop_last;
    bool loops; /* some branch goes back */
};

/* Read the function called `name`. -1 when the listing has none. sass_free either way. */
int sass_read(const char *listing, const char *name, struct sass *sass);
void sass_free(struct sass *sass);

/* How long the main loop is, in instructions; 0: there is none. */
size_t sass_loop_length(const struct sass *sass);

/* Bytes that one lane moves by an instruction that accesses memory (LDG, STS, LDGSTS ...); 0 for others and
 * for bulk copies, whose size is an operand. */
int sass_width(const char *opcode);

/* Is it an access to local memory: what spilled from registers, or an array that got none? */
bool sass_is_local(const char *opcode);

/* Is it a bulk copy, which has no width a lane? */
bool sass_is_bulk(const char *opcode);

/* The part of an opcode up to its first point: "LDG". Returns its length. */
size_t sass_mnemonic(const char *opcode);

#endif
