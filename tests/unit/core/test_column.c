/* core/column.h: one table, every row of it with a role, found by name. */
#include "unit_test.h"

#include "core/column.h"
#include "core/metric.h"
#include "core/result.h"

static void check_row(const struct column_info *info)
{
    assert_true(*info->name && strlen(info->name) < sizeof((struct column *)0)->name);
    assert_true(*info->meaning && strlen(info->meaning) < sizeof((struct column *)0)->meaning);
    assert_true(strlen(info->unit) < sizeof((struct column *)0)->unit);
    assert_ptr_equal(column_find(info->name), info); /* no name twice */
    assert_null(metric_find(info->name));
    /* Axes and counters are a job's, and every role is known. */
    assert_true(info->role > ROLE_OTHER && info->role < ROLE_COUNT);
    assert_true(info->role != ROLE_AXIS && info->role != ROLE_COUNTER);
    assert_int_equal(column_role_guess(info->name, info->type), info->role);
}

TEST(every_column_is_whole)
{
    for (int i = 0; i < FIXED_COUNT; i++)
        check_row(&column_fixed[i]);
    for (int i = 0; i < REAL_COUNT; i++) {
        check_row(&column_reals[i]);
        assert_int_equal(column_reals[i].type, COLUMN_REAL);
    }
    assert_null(column_find("stride"));
    assert_ptr_equal(column_find("time_median"), &column_reals[REAL_time_median]);
    assert_ptr_equal(column_find("status"), &column_fixed[FIXED_status]);
}

TEST(words_name_roles)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        assert_int_equal(column_role_named(column_role_words[role]), role);
    assert_null(column_role_words[ROLE_COUNT]);
    assert_int_equal(column_role_named("axis"), ROLE_AXIS);
    assert_int_equal(column_role_named("of a later release"), ROLE_OTHER);
    assert_int_equal(column_role_named(""), ROLE_OTHER);
}

/* What earlier releases wrote besides the table's columns. */
TEST(roles_are_guessed)
{
    assert_int_equal(column_role_guess("stride", COLUMN_INTEGER), ROLE_AXIS);
    assert_int_equal(column_role_guess("variant", COLUMN_TEXT), ROLE_AXIS);
    assert_int_equal(column_role_guess("dram_bytes_read", COLUMN_REAL), ROLE_COUNTER);
    assert_int_equal(column_role_guess("dram__bytes_read.sum", COLUMN_REAL), ROLE_COUNTER);
}
