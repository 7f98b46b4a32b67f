/* Texts from elsewhere: what a terminal would obey is shown instead. */
#include "unit_test.h"

#include "base/text.h"
#include "base/error.h"

static void expect(const char *text, const char *clean)
{
    char out[256], again[256];
    clean_text(text, out, sizeof out);
    assert_string_equal(out, clean);
    assert_int_equal(clean_is(text, strlen(text)), !strcmp(text, clean));
    clean_text(out, again, sizeof again);
    assert_string_equal(again, out);
}

TEST(texts)
{
    expect("", "");
    expect("plain ~ text", "plain ~ text");
    expect("gr\xc3\xb6\xc3\x9f"
           "e \xe2\x82\xac \xf0\x9f\x98\x80",
           "gr\xc3\xb6\xc3\x9f"
           "e \xe2\x82\xac \xf0\x9f\x98\x80");
    expect("a\tb\nc\rd", "a b c d");
    expect("\x1b[2J\x7f\x01", "\\x1b[2J\\x7f\\x01");
    expect("\xc2\x9b"
           "31m",
           "\\xc2\\x9b31m"); /* C1: a control sequence in one character */
    /* Bidirectional controls: the ends of each range, and their neighbours. */
    expect("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\xd8\\x9c\\xe2\\x80\\x8e\\xe2\\x80\\x8f");
    expect("\xe2\x80\xaa\xe2\x80\xae", "\\xe2\\x80\\xaa\\xe2\\x80\\xae");
    expect("\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
    expect("\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5",
           "\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5");
    expect("\xff\xc0\xaf\xed\xa0\x80", "\\xff\\xc0\\xaf\\xed\\xa0\\x80");
    expect("cut \xe2\x82", "cut \\xe2\\x82");
}

TEST(sizes)
{
    char out[8];
    clean_text("123456789", out, sizeof out);
    assert_string_equal(out, "1234567");
    clean_text("12345\xe2\x82\xac", out, sizeof out); /* cut before a character, not in it */
    assert_string_equal(out, "12345");
    clean_text("1234\x1b", out, sizeof out);
    assert_string_equal(out, "1234");
    assert_false(clean_is("ab\xe2\x82\xac", 4)); /* nothing is read beyond the length */
    assert_true(clean_is("ab\x1b", 2));
}

TEST(errors)
{
    struct error error;
    error_set(&error, ERROR_USAGE, "unknown '%s'", "\x1b]0;title\x07");
    assert_string_equal(error.text, "unknown '\\x1b]0;title\\x07'");
}
