#include "unit_test.h"

#include "base/memory.h"
#include "core/frame.h"

TEST(columns)
{
    struct frame frame = frame_new();
    assert_int_equal(frame_find(&frame, "a"), -1);
    assert_int_equal(frame_add_column(&frame, "a", COLUMN_INTEGER, ROLE_OTHER, "bytes", "first"), 0);
    assert_int_equal(frame_add_column(&frame, "b", COLUMN_TEXT, ROLE_OTHER, "", "second"), 1);
    assert_int_equal(frame_add_column(&frame, "a", COLUMN_INTEGER, ROLE_OTHER, "other", "ignored"), 0);
    assert_int_equal(frame_add_column(&frame, "a", COLUMN_REAL, ROLE_OTHER, "", ""), -1);
    assert_int_equal(frame.columns, 2);
    assert_int_equal(frame_find(&frame, "b"), 1);
    assert_string_equal(frame.column[0].unit, "bytes");
    assert_string_equal(frame.column[0].meaning, "first");
    frame_free(&frame);
}

TEST(new_rows_and_columns_are_missing)
{
    struct frame frame = frame_new();
    int integer = frame_add_column(&frame, "integer", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_row(&frame);
    frame_put_integer(&frame, 0, integer, 7);
    frame_add_row(&frame);
    int real = frame_add_column(&frame, "real", COLUMN_REAL, ROLE_OTHER, "", "");
    int text = frame_add_column(&frame, "text", COLUMN_TEXT, ROLE_OTHER, "", "");
    for (size_t row = 0; row < 2; row++) {
        const union cell *cell = frame_row(&frame, row);
        assert_int_equal(frame_is_missing(&frame.column[integer], cell[integer]), row == 1);
        assert_true(isnan(cell[real].real) && frame_is_missing(&frame.column[real], cell[real]));
        assert_string_equal(cell[text].text, "");
        assert_true(frame_is_missing(&frame.column[text], cell[text]));
    }
    assert_int_equal(frame_row(&frame, 0)[integer].integer, 7);
    assert_true(frame_row(&frame, 1)[integer].integer == FRAME_NO_INTEGER);
    frame_put_real(&frame, 0, real, 0);
    assert_false(frame_is_missing(&frame.column[real], frame_row(&frame, 0)[real]));
    frame_free(&frame);
}

TEST(texts_are_interned)
{
    enum { TEXTS = 20000 };
    struct frame frame = frame_new();
    const char **first = memory_new(TEXTS, sizeof *first);
    char text[64], *longest = memory_new(100001, 1);
    memset(longest, 'x', 100000); /* longer than a block of the frame */
    const char *long_copy = frame_text(&frame, longest);
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text number %d", i);
        first[i] = frame_text(&frame, text);
    }
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text number %d", i);
        assert_string_equal(first[i], text);
        assert_ptr_equal(frame_text(&frame, text), first[i]);
        assert_ptr_equal(frame_text_bytes(&frame, text, strlen(text)), first[i]);
    }
    assert_string_equal(long_copy, longest);
    assert_ptr_equal(frame_text(&frame, longest), long_copy);
    assert_string_equal(frame_text_bytes(&frame, "text number 12", 4), "text");
    assert_ptr_equal(frame_text(&frame, ""), frame_text_bytes(&frame, "abc", 0));
    free(longest);
    free(first);
    frame_free(&frame);
}

TEST(join_widens)
{
    struct frame frame = frame_new();
    assert_int_equal(frame_join_column(&frame, "a", COLUMN_INTEGER, ROLE_OTHER, "", ""), 0);
    frame_add_row(&frame);
    frame_put_integer(&frame, 0, 0, -3);
    frame_add_row(&frame);
    assert_int_equal(frame_join_column(&frame, "a", COLUMN_REAL, ROLE_OTHER, "", ""), 0);
    assert_true(frame_row(&frame, 0)->real == -3.0);
    assert_true(isnan(frame_row(&frame, 1)->real));
    frame_put_real(&frame, 0, 0, 0.1);
    assert_int_equal(frame_join_column(&frame, "a", COLUMN_TEXT, ROLE_OTHER, "", ""), 0);
    assert_true(strtod(frame_row(&frame, 0)->text, NULL) == 0.1); /* all its digits */
    assert_string_equal(frame_row(&frame, 1)->text, "");
    assert_int_equal(frame_join_column(&frame, "a", COLUMN_INTEGER, ROLE_OTHER, "", ""), 0);
    assert_int_equal(frame.column[0].type, COLUMN_TEXT);
    frame_put_integer(&frame, 1, 0, 42);
    assert_string_equal(frame_row(&frame, 1)->text, "42");
    frame_put_integer(&frame, 1, 0, FRAME_NO_INTEGER);
    assert_string_equal(frame_row(&frame, 1)->text, "");
    frame_free(&frame);
}

TEST(many_rows)
{
    struct frame frame = frame_new();
    frame_add_column(&frame, "n", COLUMN_INTEGER, ROLE_OTHER, "", "");
    frame_add_column(&frame, "square", COLUMN_REAL, ROLE_OTHER, "", "");
    for (int64_t i = 0; i < 10000; i++) {
        union cell *cell = frame_add_row(&frame);
        cell[0].integer = i;
        cell[1].real = (double)(i * i);
    }
    int late = frame_add_column(&frame, "late", COLUMN_INTEGER, ROLE_OTHER, "", "");
    for (size_t i = 0; i < 10000; i++) {
        const union cell *cell = frame_row(&frame, i);
        assert_true(cell[0].integer == (int64_t)i && cell[1].real == (double)(i * i));
        assert_true(frame_is_missing(&frame.column[late], cell[late]));
    }
    frame_free(&frame);
    assert_null(frame.cell);
}
