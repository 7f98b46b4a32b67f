/* print_claims - prints Markdown of the claims of the families (kernels/NAME/NAME.claims). */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
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

/* Whether `settings` begins with a variant that `seen` lacks, to which it is then added. */
static bool is_new_variant(const char *settings, char *seen, size_t size)
{
    char word[64];
    size_t used = strlen(seen);
    snprintf(word, sizeof(word), "%.*s;", (int)strcspn(settings, " "), settings);
    if (strstr(seen, word))
        return false;
    assert(used + strlen(word) < size);
    memcpy(seen + used, word, strlen(word) + 1);
    return true;
}

/* The first claim of each variant, and how many there are besides. */
static int print_family(const struct family *family)
{
    const char *text = family->claims;
    struct claim claim;
    char seen[1024] = "";
    unsigned others = 0;
    int got;
    printf("\n## %s\n\n", family->space.kernel);
    print_prose(text);
    printf("\n| point | in machine code |\n|---|---|\n");
    while ((got = claim_next(&text, &claim, NULL)) > 0) {
        if (!is_new_variant(claim.settings, seen, sizeof(seen))) {
            others++;
            continue;
        }
        char point[2 * CLAIMS_LINE_MAX + 2];
        bool all = strcmp(claim.architectures, "all") == 0;
        snprintf(point, sizeof(point), all ? "%s" : "%s, %s", *claim.settings ? claim.settings : "(standard)",
                 claim.architectures);
        print_cell(point);
        print_cell(claim.claims);
        printf("|\n");
    }
    if (others)
        printf("\n%u more in `kernels/%s/%s.claims`.\n", others, family->space.kernel, family->space.kernel);
    return got;
}

int main(void)
{
    int failed = 0;
    printf(
        "# Machine code of the kernels\n\n"
        "Each family states in `kernels/NAME/NAME.claims` what its variants compile to. A test checks "
        "every claim "
        "against the\ndisassembly for sm_80, sm_90a, sm_100a and sm_120a, where architecture and point "
        "allow it. This "
        "page is printed by\n`build/bin/print_claims` and shows the first claim of each variant. To see "
        "the machine code "
        "of a point or job, run\n`warpsweep check POINT --sass --arch sm_90a`.\n\n"
        "`LDG@16` is a load of 16 bytes per lane. `only` means that every instruction of that name is of "
        "this kind, "
        "`loop` that\nthe claim is about the main loop, and `unlike` that the code differs from that of "
        "the same point "
        "with other values. A list of\nvalues stands for each of its combinations, `{items+1}` for a number "
        "computed from the point. Local memory is not used\nunless a claim allows it. Every kernel of "
        "`jobs/paper.yaml` carries a claim (`unit.claimed_jobs`), and every part of a\nclaim is also checked "
        "against code altered to break it. `tests/device_code/claims.h` has the whole grammar.\n");
    for (const struct family *const *family = families; *family; family++)
        if ((*family)->claims)
            failed |= print_family(*family) < 0;
    return failed;
}
