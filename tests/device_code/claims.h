/* claims.h - claims of a family about the machine code of its variants, and their check.
 *
 * kernels/NAME/NAME.claims lies beside the device code, with one claim per line:
 *
 *   SETTINGS | ARCHITECTURES | CLAIMS        # and comments
 *   variant=load vector=4 | all | only LDG@16; only STG@16; no loop; length <= 20
 *
 *   SETTINGS       values of axes; the other axes have standard values. With lists, as in dtype=f16,f32
 *                  items=1,2, the claim is about each of their combinations that is supported
 *   ARCHITECTURES  `all`; or sm_90 (only this capability), sm_100+ (this or later), sm_90- (this or earlier)
 *   CLAIMS         has OP       at least one such instruction
 *                  no OP        none
 *                  only OP      at least one, and all instructions with OP's mnemonic match OP
 *                  N OP         exactly N
 *                  length <= N  instructions in all, without padding
 *                  loop ...     any of these for the main loop (family/code/sass.h), which must exist
 *                  no loop      no backward branch
 *                  unlike SETTINGS   the code differs from that of the point with these values
 *                  local memory may be used   without this part it must not be used
 *
 * {items*vector+1} stands for a number: a sum of products and quotients of axes and numbers; dtype is the
 * size in bytes. OP is a mnemonic and any modifiers that must be present: LDG.CONSTANT. @16: bytes per lane.
 * In parentheses, a part of the operands: LDC(c[0x3][R). A mnemonic may end in *: LD*. */
#pragma once

#include "base/error.h"
#include "core/point.h"
#include "family/code/sass.h"
#include "family/family.h"

#define CLAIMS_LINE_MAX 512

/* The three parts of a line. */
struct claim {
    char settings[CLAIMS_LINE_MAX], architectures[CLAIMS_LINE_MAX], claims[CLAIMS_LINE_MAX];
};

/* Read the next claim from `*text`, and advance `*text` behind it. 1: read; 0: end of text; -1: a line is not
 * a claim. */
int claim_next(const char **text, struct claim *claim, struct error *error);

/* Does the claim apply to code for this compute capability? */
bool claim_is_for(const struct claim *claim, int capability);

/* Does the claim apply to the point? Its compiled axes must have values of the claim, or standard values. */
bool claim_is_of(const struct claim *claim, const struct point *point);

/* Combinations of the lists in the settings; 1 without lists. */
size_t claim_combinations(const char *settings);

/* Set axes of `point` from combination `nth` of settings such as "variant=load vector=1,4". */
int claim_set_nth(struct point *point, const char *settings, size_t nth, struct error *error);

/* Write the claims with the numbers of `point` in place of {...}. */
int claim_text(const struct claim *claim, const struct point *point, char text[CLAIMS_LINE_MAX],
               struct error *error);

/* Callback for "unlike": the machine code of another point. 0, or -1 with an error. */
typedef int (*claim_code)(void *context, const struct point *point, struct sass *sass, struct error *error);

/* Check the claim against machine code. 0, or -1 with the part that fails and what was found. */
int claim_check(const struct claim *claim, const struct point *point, const struct sass *sass,
                claim_code other, void *context, struct error *error);
