/* Machine code as text: what is an instruction, a loop, a width; and what a claim holds of it. */
#include "unit_test.h"

#include "claims.h"
#include "family_test.h"
#include "kernels/registry.h"

/* Two functions as nvdisasm lists them, the second one cut short; a loop of six around a loop of three, and a
 * loop of two that only waits. */
static const char listing[] = "\t.target\tsm_80\n"
                              "\t.section\t.text.copy,\"ax\",@progbits\n"
                              "\t.sectioninfo\t@\"SHI_REGISTERS=20\"\n"
                              "copy:\n"
                              ".text.copy:\n"
                              "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                              ".L_x_0:\n"
                              "        /*0010*/                   LDG.E.128.CONSTANT R4, [R2.64] ;\n"
                              ".L_x_1:\n"
                              "        /*0020*/                   LDS.U.64 R8, [R3] ;\n"
                              "        /*0030*/                   STG.E.U8 [R2.64], R4 ;\n"
                              "        /*0040*/              @!P0 BRA `(.L_x_1) ;\n"
                              "        /*0050*/                   LDC R5, c[0x3][R2+0x4] ;\n"
                              "        /*0060*/               @P1 BRA `(.L_x_0) ;\n"
                              ".L_x_2:\n"
                              "        /*0070*/                   NOP;\n"
                              "        /*0080*/               @P2 BRA `(.L_x_2) ;\n"
                              "        /*0090*/                   EXIT ;\n"
                              ".L_x_3:\n"
                              "        /*00a0*/                   BRA `(.L_x_3);\n"
                              "        /*00b0*/                   NOP;\n"
                              ".L_x_9:\n"
                              "\t.section\t.text.copy_large,\"ax\",@progbits\n"
                              "        /*0000*/                   STL [R1], R4 ;\n"
                              "        /*0010*/                   EXIT ;\n";

static struct sass read_code(const char *name)
{
    struct sass sass;
    assert_int_equal(sass_read(listing, name, &sass), 0);
    return sass;
}

TEST(reading)
{
    struct sass sass = read_code("copy");
    assert_int_equal(sass.count, 10); /* without the branch to itself and what is behind it */
    assert_string_equal(sass.instruction[1].opcode, "LDG.E.128.CONSTANT");
    assert_string_equal(sass.instruction[1].operands, "R4, [R2.64]");
    assert_string_equal(sass.instruction[4].opcode, "BRA");
    assert_int_equal(sass.instruction[4].target, 2);
    assert_int_equal(sass.instruction[6].target, 1);
    assert_string_equal(sass.instruction[9].operands, "");
    assert_true(sass.loops);
    assert_int_equal(sass.loop_first, 2); /* the innermost that accesses memory */
    assert_int_equal(sass_loop_length(&sass), 3);
    sass_free(&sass);
    sass = read_code("copy_large");
    assert_int_equal(sass.count, 2);
    assert_false(sass.loops);
    assert_int_equal(sass_loop_length(&sass), 0);
    sass_free(&sass);
    assert_int_equal(sass_read(listing, "cop", &sass), -1);
    sass_free(&sass);
    assert_int_equal(sass_read("", "copy", &sass), -1);
    sass_free(&sass);
}

TEST(widths)
{
    static const struct {
        const char *opcode;
        int bytes;
    } rows[] = {{"LDG.E", 4},
                {"LDG.E.U8.CONSTANT", 1},
                {"STG.E.U16", 2},
                {"LDG.E.LTC128B.64", 8},
                {"LDG.E.LTC128B", 4},
                {"LDG.E.ENL2.256.CONSTANT", 32},
                {"LDGSTS.E.BYPASS.128", 16},
                {"LDS.128", 16},
                {"STS", 4},
                {"ULDC.64", 8},
                {"LDGDEPBAR", 0},
                {"IMAD.WIDE.U32", 0},
                {"UBLKCP.S.G", 0},
                {"LDSM.16.M88.4", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sass_width(rows[i].opcode) != rows[i].bytes)
            fail_msg("%s: %d bytes", rows[i].opcode, sass_width(rows[i].opcode));
    assert_true(sass_is_local("LDL.64") && sass_is_local("STL") && !sass_is_local("STS"));
    assert_true(sass_is_bulk("UBLKCP.S.G") && sass_is_bulk("UTMALDG.2D") && !sass_is_bulk("UTMACMDFLUSH"));
}

/* As claim_code: any other point is `copy_large`. */
static int other(void *context, const struct point *point, struct sass *sass, struct error *error)
{
    (void)context;
    (void)error;
    bool same = point_value(point, "stride", 1) == 1;
    return sass_read(listing, same ? "copy" : "copy_large", sass);
}

TEST(claims)
{
    static const struct {
        const char *claims, *why; /* NULL: they hold */
    } rows[] = {
        {"length <= 10; 1 LDG@16; only LDG.CONSTANT@16; has LDS@8; no STS", NULL},
        {"length <= 9", "there are 10"},
        {"loop length <= 3; loop has LDS; loop no LDG; loop 1 STG@1", NULL},
        {"loop length <= 2", "there are 3"},
        {"loop has LDG", "there is none"},
        {"no loop", "there is one"},
        {"only LDG@4", "there is none"},
        {"only LDC(c[0x3]", "there is LDC"},
        {"2 LDG", "there are 1"},
        {"has LDC(c[0x3][R", NULL},
        {"no LDC(c[0x3]", "there are 1"},
        {"has LD*@8", NULL},
        {"has LDG.CONST", "there is none"}, /* whole parts only */
        {"has LD", "there is none"},
        {"unlike stride=2", NULL},
        {"unlike stride=1", "the same"},
        {"unlike strid=1", "no axis"},
        {"perhaps LDG", "is no claim"},
        {"LDG", "is no claim"},
        {"length < 3", "is no claim"},
    };
    struct point point = family_point("copy", "");
    struct sass sass = read_code("copy");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct claim claim = {.architectures = "all"};
        struct error error = {0};
        snprintf(claim.claims, sizeof claim.claims, "%s", rows[i].claims);
        int failed = claim_check(&claim, &point, &sass, other, NULL, &error);
        if (!rows[i].why ? failed : !failed || !strstr(error.text, rows[i].why))
            fail_msg("%s: '%s'", rows[i].claims, error.text);
    }
    sass_free(&sass);
}

TEST(local_memory)
{
    struct point point = family_point("copy", "");
    struct sass sass = read_code("copy_large");
    struct claim claim = {.claims = "has EXIT"};
    struct error error;
    assert_int_equal(claim_check(&claim, &point, &sass, NULL, NULL, &error), -1);
    assert_non_null(strstr(error.text, "local memory"));
    snprintf(claim.claims, sizeof claim.claims, "has EXIT; local memory may be used");
    assert_int_equal(claim_check(&claim, &point, &sass, NULL, NULL, &error), 0);
    snprintf(claim.claims, sizeof claim.claims, "loop has STL");
    assert_int_equal(claim_check(&claim, &point, &sass, NULL, NULL, &error), -1);
    assert_non_null(strstr(error.text, "there is no loop"));
    sass_free(&sass);
}

TEST(lines)
{
    const char *text = "# prose\n\n variant=load  vector=4| sm_90 sm_100+ |has LDG ; no STS\nwrong | line\n";
    struct claim claim;
    struct error error;
    assert_int_equal(claim_next(&text, &claim, &error), 1);
    assert_string_equal(claim.settings, "variant=load  vector=4");
    assert_string_equal(claim.claims, "has LDG ; no STS");
    assert_true(claim_is_for(&claim, 90) && claim_is_for(&claim, 100) && claim_is_for(&claim, 120));
    assert_false(claim_is_for(&claim, 80));
    struct point point = family_point("copy", "vector=4 size=1MiB"); /* size makes no code */
    assert_true(claim_is_of(&claim, &point));
    point = family_point("copy", "vector=4 dtype=u8");
    assert_false(claim_is_of(&claim, &point));
    assert_int_equal(claim_next(&text, &claim, &error), -1);
    assert_non_null(strstr(error.text, "wrong | line"));
    assert_int_equal(claim_next(&text, &claim, &error), 0);
    snprintf(claim.architectures, sizeof claim.architectures, "sm_90-");
    assert_true(claim_is_for(&claim, 80) && claim_is_for(&claim, 90) && !claim_is_for(&claim, 100));
}

/* Lists of values, and numbers computed from them. */
TEST(lists)
{
    static const struct {
        const char *claims, *numbers; /* NULL: an error */
    } rows[] = {{"{items+1} LDG@{dtype*vector}; has STG", "3 LDG@4; has STG"},
                {"{2*items*vector+dtype/2+1} LDG", "10 LDG"},
                {"{7/2*items} LDG", "6 LDG"},
                {"{items", NULL},
                {"{} LDG", NULL},
                {"{item+1} LDG", NULL},
                {"{1/0} LDG", NULL},
                {"{items+} LDG", NULL}};
    const char *text = "dtype=u8,f16 vector=2 items=2,4,8 | all | 1 LDG\n"
                       "items=1,2,3,4,5,6,7,8,9,10,11 vector=1,2,3,4,5,6,7,8,9,10 "
                       "stride=1,2,3,4,5,6,7,8,9,10 | all | 1 LDG\n";
    struct claim claim;
    struct error error = {0};
    assert_int_equal(claim_next(&text, &claim, &error), 1);
    assert_int_equal(claim_combinations(claim.settings), 6);
    struct point point = family_point("copy", "dtype=f16 vector=2 items=8"), seen = point;
    assert_true(claim_is_of(&claim, &point));
    point = family_point("copy", "dtype=f16 vector=2");
    assert_false(claim_is_of(&claim, &point)); /* items=1 is not listed */
    for (size_t nth = 0; nth < 6; nth++) {
        assert_int_equal(claim_set_nth(&point, claim.settings, nth, &error), 0);
        assert_true(memcmp(point.value, seen.value, sizeof point.value) != 0);
        seen = point;
    }
    assert_int_equal(claim_next(&text, &claim, &error), -1);
    assert_non_null(strstr(error.text, "lists more than"));
    point = family_point("copy", "dtype=f16 vector=2 items=2");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char numbers[CLAIMS_LINE_MAX];
        snprintf(claim.claims, sizeof claim.claims, "%s", rows[i].claims);
        int failed = claim_text(&claim, &point, numbers, &error);
        if (!rows[i].numbers ? !failed : failed || strcmp(numbers, rows[i].numbers) != 0)
            fail_msg("%s: %s", rows[i].claims, failed ? error.text : numbers);
    }
}

/* The claims of every family that has some can be parsed, and name points of it. */
TEST(every_family)
{
    for (const struct family *const *family = families; *family; family++) {
        const char *text = (*family)->claims;
        struct claim claim;
        struct error error;
        int got, count = 0;
        while (text && (got = claim_next(&text, &claim, &error)) != 0) {
            struct point point = point_standard(&(*family)->space);
            if (got < 0)
                fail_msg("%s: %s", (*family)->space.kernel, error.text);
            for (size_t nth = 0; nth < claim_combinations(claim.settings); nth++)
                if (claim_set_nth(&point, claim.settings, nth, &error) != 0)
                    fail_msg("%s: %s", (*family)->space.kernel, error.text);
            count++;
        }
        if (text && !count)
            fail_msg("%s has an empty list of claims", (*family)->space.kernel);
    }
}
