/* claims.h - what a family says its variants compile to, and whether machine code is so.
 *
 * kernels/NAME/NAME.claims lies beside the device code, one claim a line:
 *
 *   SETTINGS | ARCHITECTURES | CLAIMS        # and comments, which docs/claims.md shows as prose
 *   variant=load vector=4 | all | only LDG@16; only STG@16; no loop; length <= 20
 *
 *   SETTINGS       values of axes; the others are standard
 *   ARCHITECTURES  `all`; or sm_90 (that compute capability), sm_100+ (from it on), sm_90- (up to it)
 *   CLAIMS         has OP       one such instruction, or more
 *                  no OP        none
 *                  only OP      every instruction of OP's first part is one, and there is one
 *                  N OP         exactly N
 *                  length <= N  instructions in all, padding left out
 *                  loop ...     any of these, of the main loop (family/code/sass.h), which there then is
 *                  no loop      no branch goes back
 *                  unlike SETTINGS   other instructions than the same point with these values
 *                  local memory may be used   else it may not
 *
 * OP is an opcode's first part and any parts that have to follow it, LDG.CONSTANT; @16: so many bytes a lane;
 * in brackets, part of its operands: LDC(c[0x3][R). A first part may end in *: LD*. */
#ifndef FAMILY_CODE_CLAIMS_H
#define FAMILY_CODE_CLAIMS_H

#include "base/error.h"
#include "core/point.h"
#include "family/code/sass.h"
#include "family/family.h"

#define CLAIMS_LINE_MAX 512

/* A line, apart. */
struct claim {
    char settings[CLAIMS_LINE_MAX], architectures[CLAIMS_LINE_MAX], claims[CLAIMS_LINE_MAX];
};

/* The next line that is a claim: from `*text` on, which moves behind it. 1: there is one; 0: no more; -1: a
 * line that is none, in `error`. */
int claim_next(const char **text, struct claim *claim, struct error *error);

/* Does it speak of code for that capability? */
bool claim_is_for(const struct claim *claim, int capability);

/* Is the point one that it speaks of: are those axes of it that make machine code as the claim has them, and
 * standard else? */
bool claim_is_of(const struct claim *claim, const struct point *point);

/* Give axes of `point` the values of "variant=load vector=4". */
int claim_set(struct point *point, const char *settings, struct error *error);

/* What "unlike" asks for: the machine code of another point; 0, or -1 with why it cannot be had. */
typedef int (*claim_code)(void *context, const struct point *point, struct sass *sass, struct error *error);

/* Does the machine code keep the claim? 0; or -1 with the part that does not hold and what is there. */
int claim_check(const struct claim *claim, const struct point *point, const struct sass *sass,
                claim_code other, void *context, struct error *error);

#endif
