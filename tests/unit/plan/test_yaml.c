/* The YAML tree: structure, places, and what of YAML is refused. */
#include "unit_test.h"

#include "plan/yaml.h"

static struct yaml_tree parsed(const char *text)
{
    struct yaml_tree tree;
    struct error error = {0};
    if (yaml_tree_parse("t.yaml", text, strlen(text), &tree, &error) != 0)
        fail_msg("%s", error.text);
    return tree;
}

TEST(byte_order_mark_and_windows_lines)
{
    struct yaml_tree tree = parsed("\xef\xbb\xbf"
                                   "a: 1\r\nb: 2\r\n");
    assert_int_equal(tree.root->count, 2);
    assert_string_equal(yaml_map_find(tree.root, "a")->text, "1");
    assert_int_equal(tree.root->last->line, 2);
    yaml_tree_free(&tree);
}

TEST(size_is_respected)
{
    struct yaml_tree tree;
    struct error error;
    assert_int_equal(yaml_tree_parse("t.yaml", "a: 1\n]]]", 5, &tree, &error), 0);
    assert_int_equal(tree.root->count, 1);
    yaml_tree_free(&tree);
}

TEST(long_path_is_cut_on_its_left)
{
    char path[2000];
    struct yaml_tree tree;
    struct error error;
    memset(path, 'p', sizeof path);
    strcpy(path + sizeof path - 10, "/job.yaml");
    assert_int_equal(yaml_tree_parse(path, "[", 1, &tree, &error), -1);
    assert_non_null(strstr(error.text, "/job.yaml:"));
    assert_non_null(strstr(error.text, "bad YAML"));
    assert_memory_equal(error.text, "...p", 4);
}

TEST(quote)
{
    assert_string_equal(yaml_quote("plain").text, "plain");
    assert_string_equal(yaml_quote("two\nlines\x1b[31m").text, "two?lines?[31m");
    assert_string_equal(yaml_quote("0123456789012345678901234567890123456789").text,
                        "0123456789012345678901234567890123456789");
    assert_string_equal(yaml_quote("0123456789012345678901234567890123456789+").text,
                        "0123456789012345678901234567890123456789...");
}

TEST(utf8)
{
    static const struct {
        const char *text;
        int column; /* of the fault; 0: none */
    } rows[] = {
        {"plain\ttext\r\n", 0},
        {"\xc2\xa0 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xef\xbf\xbd \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", 0},
        {"a\x80", 2},        /* a continuation alone */
        {"ab\xc1\xbf", 3},   /* overlong */
        {"\xe0\x9f\xbf", 1}, /* overlong */
        {"\xf0\x8f\xbf\xbf", 1},
        {"\xed\xa0\x80", 1},     /* a surrogate */
        {"\xf4\x90\x80\x80", 1}, /* above U+10FFFF */
        {"\xe2\x82", 1},         /* cut off */
        {"\xc3\xa4\xc3(", 3},    /* behind the second character; columns count characters */
        {"\x1b", 1},
        {"\x7f", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char place[32];
        struct yaml_tree tree;
        struct error error;
        int failed = yaml_tree_parse("t.yaml", rows[i].text, strlen(rows[i].text), &tree, &error);
        snprintf(place, sizeof place, "t.yaml:1:%d: ", rows[i].column);
        if (!failed)
            yaml_tree_free(&tree);
        if (!rows[i].column ? failed : !failed || strncmp(error.text, place, strlen(place)) != 0)
            fail_msg("row %zu: %s", i, failed ? error.text : "taken");
    }
}
