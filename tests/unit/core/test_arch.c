/* Architecture flags: how they are written, and on which devices their code runs. */
#include "unit_test.h"

#include "core/arch.h"

TEST(every_flag_reads_back)
{
    static const char *const names[] = {"native",     "sm_80",       "sm_90",        "sm_90a",
                                        "sm_100",     "sm_100a",     "sm_100f",      "sm_103a",
                                        "sm_120",     "sm_120a",     "sm_121f",      "compute_80",
                                        "compute_90", "compute_90a", "compute_100f", "compute_120"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        arch value = -1;
        char text[ARCH_TEXT_SIZE];
        assert_true(arch_parse(names[i], &value));
        arch_format(value, text);
        assert_string_equal(text, names[i]);
        for (size_t j = 0; j < i; j++) {
            arch other = -1;
            assert_true(arch_parse(names[j], &other));
            assert_true(other != value);
        }
    }
}

TEST(values_never_change)
{
    /* point ids hold them */
    arch value;
    assert_true(arch_parse("native", &value) && value == 0);
    assert_true(arch_parse("sm_90a", &value) && value == 9001);
    assert_true(arch_parse("sm_100f", &value) && value == 10002);
    assert_true(arch_parse("compute_80", &value) && value == 8010);
    assert_true(arch_parse("compute_90a", &value) && value == 9011);
}

TEST(rubbish_is_refused)
{
    static const char *const names[] = {
        "",        "sm_",      "sm_a",    "sm_90b", "sm_90aa",       "sm_90 ",
        "SM_90",   "sm90",     "sm_-90",  "sm_+90", "sm_9",          "sm_1000",
        "compute", "compute_", "native ", "Native", "sm_90a,sm_100", "sm_99999999999999999999",
        "90",      " sm_90",   "sm_999",  "sm_91",  "compute_130",   "sm_80a",
        "sm_90f"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        arch value;
        if (arch_parse(names[i], &value))
            fail_msg("'%s' was taken", names[i]);
    }
}

TEST(properties)
{
    arch value;
    assert_true(arch_parse("compute_100f", &value));
    assert_int_equal(arch_capability(value), 100);
    assert_true(arch_is_virtual(value));
    assert_true(arch_parse("sm_120", &value));
    assert_int_equal(arch_capability(value), 120);
    assert_false(arch_is_virtual(value));
    assert_int_equal(arch_capability(ARCH_NATIVE), 0);
    assert_false(arch_is_virtual(ARCH_NATIVE));
}

TEST(of_device)
{
    char text[ARCH_TEXT_SIZE];
    arch_format(arch_of_device(90, true), text);
    assert_string_equal(text, "sm_90a");
    arch_format(arch_of_device(90, false), text);
    assert_string_equal(text, "sm_90");
    arch_format(arch_of_device(103, true), text);
    assert_string_equal(text, "sm_103a");
    arch_format(arch_of_device(86, true), text); /* there is no sm_86a */
    assert_string_equal(text, "sm_86");
    for (int capability = 70; capability <= 121; capability++) {
        assert_true(arch_runs_on(arch_of_device(capability, true), capability));
        assert_true(arch_runs_on(arch_of_device(capability, false), capability));
    }
}

/* A compiler that is older than the device takes the newest architecture whose code runs on it. */
TEST(of_compiler)
{
    static const int of_12_8[] = {50, 75, 80, 86, 87, 89, 90, 100, 101, 120},
                     of_13_0[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
    static const struct {
        int capability;
        bool specific, newer, families;
        const char *expected;
    } rows[] = {
        {90, true, false, false, "sm_90a"},  {100, true, false, false, "sm_100a"},
        {103, true, false, false, "sm_100"}, {103, false, false, false, "sm_100"},
        {103, true, false, true, "sm_100f"}, {121, true, false, false, "sm_120"},
        {103, true, true, true, "sm_103a"},  {121, true, true, true, "sm_121a"},
        {125, true, true, true, "sm_121f"},  {125, false, true, true, "sm_121"},
        {87, true, true, true, "sm_87"},     {70, true, true, true, "sm_70"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[ARCH_TEXT_SIZE];
        arch value =
            rows[i].newer
                ? arch_of_compiler(rows[i].capability, rows[i].specific, of_13_0, 12, rows[i].families)
                : arch_of_compiler(rows[i].capability, rows[i].specific, of_12_8, 10, rows[i].families);
        arch_format(value, text);
        assert_string_equal(text, rows[i].expected);
        if (rows[i].capability != 70)
            assert_true(arch_runs_on(value, rows[i].capability));
    }
}

TEST(runs_on)
{
    static const struct {
        const char *name;
        int runs[5], not [8]; /* capabilities, ended by 0 */
    } rows[] = {
        {"native", {50, 90, 120}, {0}},
        {"sm_80", {80, 86, 89}, {75, 90, 100, 120}},
        {"sm_86", {86, 89}, {80, 90}},
        {"sm_90", {90}, {80, 89, 100, 120}},
        {"sm_90a", {90}, {89, 100, 120}},
        {"sm_100", {100, 103}, {90, 110, 120}},
        {"sm_100a", {100}, {103, 120, 90}},
        {"sm_100f", {100, 103}, {90, 110, 120}},
        {"sm_103f", {103}, {100, 120}},
        {"sm_120", {120, 121}, {100, 103, 90}},
        {"compute_80", {80, 89, 90, 100, 120}, {75}},
        {"compute_90", {90, 100, 103, 120}, {80, 89}},
        {"compute_90a", {90}, {100, 120, 89}},
        {"compute_100f", {100, 103}, {90, 120}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arch value;
        assert_true(arch_parse(rows[i].name, &value));
        for (int j = 0; j < 5 && rows[i].runs[j]; j++)
            if (!arch_runs_on(value, rows[i].runs[j]))
                fail_msg("%s should run on %d", rows[i].name, rows[i].runs[j]);
        for (int j = 0; j < 8 && rows[i].not [j]; j++)
            if (arch_runs_on(value, rows[i].not [j]))
                fail_msg("%s should not run on %d", rows[i].name, rows[i].not [j]);
    }
}
