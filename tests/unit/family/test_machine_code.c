/* Machine code as text: what is an instruction, a loop, a width. Claims about it can be read; that they find
 * broken code is checked with each claim, by device_code.sass. */
#include "unit_test.h"

#include "claims.h"
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
