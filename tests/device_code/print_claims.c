/* print_claims - docs/claims.md, from what the families state beside their device code. */
#include <stdio.h>
#include <string.h>

#include "family/code/claims.h"
#include "kernels/registry.h"

/* The comment lines of the file: prose. */
static void print_prose(const char *text)
{
    for (; *text; text += strcspn(text, "\n") + 1) {
        if (*text == '#')
            printf("%.*s\n", (int)strcspn(text, "\n") - 2, text + 2);
        if (!text[strcspn(text, "\n")])
            break;
    }
}

static void print_cell(const char *text)
{
    printf("| ");
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : *text == '*' ? "\\*" : "%c", *text);
    putchar(' ');
}

static int print_family(const struct family *family)
{
    const char *text = family->claims;
    struct claim claim;
    int got;
    printf("\n## %s\n\n", family->space.kernel);
    print_prose(text);
    printf("\n| point | architectures | in machine code |\n|---|---|---|\n");
    while ((got = claim_next(&text, &claim, NULL)) > 0) {
        print_cell(*claim.settings ? claim.settings : "(standard)");
        print_cell(claim.architectures);
        print_cell(claim.claims);
        printf("|\n");
    }
    return got;
}

int main(void)
{
    int failed = 0;
    printf("# What the kernels compile to\n\n"
           "Made by `build/bin/print_claims` from `kernels/*/*.claims`; a test holds each line against the "
           "disassembly for sm_80, sm_90a,\nsm_100a and sm_120, as far as the line is for them and the point "
           "can exist there. `warpsweep check POINT --sass --arch sm_90a` shows\nthe same of a point or job "
           "of yours. No kernel of a claim uses local memory unless the claim says so.\n\n"
           "`LDG@16` is a load of 16 bytes a lane; `only`: every instruction of that name is so; `loop`: in "
           "the main loop. The grammar is in\n`src/family/code/claims.h`.\n");
    for (const struct family *const *family = families; *family; family++)
        if ((*family)->claims)
            failed |= print_family(*family) < 0;
    return failed;
}
