#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "family/code/claims.h"
#include "family/code_list.h"
#include "kernels/registry.h"

static const char listing[] = "\t.section\t.text.copy,\"ax\",@progbits\n"
                              "copy:\n"
                              ".text.copy:\n"
                              "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                              ".L_x_0:\n"
                              "        /*0010*/                   LDG.E.128.CONSTANT R4, [R2.64] ;\n"
                              "        /*0020*/                   STG.E.U8 [R2.64], R4 ;\n"
                              "        /*0030*/               @P1 BRA `(.L_x_0) ;\n"
                              "        /*0040*/                   EXIT ;\n";

static int fail(const struct error *error)
{
    fprintf(stderr, "warpsweep: %s\n", error->text);
    return 2;
}

static int read_list(const char *path)
{
    const struct space *space = family_space("copy");
    struct code_list list;
    struct error error;
    int failed = code_list_read(path, space, &list, &error);
    struct point point = point_standard(space);
    char reason[256];
    struct text text = {0};
    if (!failed) {
        for (int capability = 0; capability < 130; capability += 10)
            if (!code_list_find(&list, &point, capability))
                code_list_lack(&list, &point, capability, reason, sizeof reason);
        code_list_describe(&list, &text);
        printf("%s %llx\n", text.data ? text.data : "", (unsigned long long)code_list_hash(&list));
    }
    text_free(&text);
    code_list_free(&list);
    return failed ? fail(&error) : 0;
}

static int other_code(void *context, const struct point *point, struct sass *sass, struct error *error)
{
    (void)context, (void)point, (void)error;
    return sass_read(listing, "copy", sass);
}

/* The family that the first claim is of, as far as its axes tell. */
static const struct space *space_of(const char *text)
{
    struct claim claim;
    struct error error;
    int got = claim_next(&text, &claim, &error);
    for (int i = 0; got > 0 && families[i]; i++) {
        struct point point = point_standard(&families[i]->space);
        if (claim_set(&point, claim.settings, &error) == 0)
            return &families[i]->space;
    }
    return family_space("copy");
}

static int check_claims(const char *at, const struct sass *sass, struct error *error)
{
    const struct space *space = space_of(at);
    struct claim claim;
    int got;
    while ((got = claim_next(&at, &claim, error)) > 0) {
        struct point point = point_standard(space);
        struct error why;
        for (size_t nth = 0; nth < claim_combinations(claim.settings); nth++)
            if (claim_set_nth(&point, claim.settings, nth, error) != 0)
                return -1;
        if (claim_is_for(&claim, 90) && claim_is_of(&claim, &point) &&
            claim_check(&claim, &point, sass, other_code, NULL, &why) != 0)
            puts(why.text);
    }
    return got;
}

static int read_claims(const char *path)
{
    struct error error;
    struct sass sass;
    size_t size;
    char *text = io_read_file(path, 1 << 20, &size, &error);
    if (!text)
        return fail(&error);
    int failed = sass_read(listing, "copy", &sass);
    if (failed)
        error_set(&error, ERROR_USAGE, "the listing cannot be read");
    else
        failed = check_claims(text, &sass, &error);
    sass_free(&sass);
    free(text);
    return failed ? fail(&error) : 0;
}

/* What a command must not do. */
static int misbehave(const char *how)
{
    char *block = memory_new(8, 1);
    volatile size_t behind = 8;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "leak"))
        block = NULL; /* nobody has it any more */
    else if (!strcmp(how, "overflow"))
        block[behind] = 1;
    free(block);
    return !strcmp(how, "exit") ? 7 : 0;
}

int readers_run(int words, char **word)
{
    if (words == 3 && !strcmp(word[1], "code_list"))
        return read_list(word[2]);
    if (words == 3 && !strcmp(word[1], "claims"))
        return read_claims(word[2]);
    if (words == 3 && !strcmp(word[1], "misbehave"))
        return misbehave(word[2]);
    for (int i = 2; i < words && !strcmp(word[1], "remove"); i++)
        unlink(word[i]);
    return strcmp(word[1], "remove") ? -1 : 0;
}
