/* The YAML tree: structure, places, and what of YAML is refused. */
#include "unit_test.h"

#include "plan/yaml.h"
#include "plan/yaml.h"

static struct yaml_tree parsed(const char *text)
{
    struct yaml_tree tree;
    struct error error = {0};
    if (yaml_tree_parse("t.yaml", text, strlen(text), &tree, &error) != 0)
        fail_msg("%s", error.text);
    return tree;
}

static void assert_refused(const char *text, size_t size, const char *message)
{
    struct yaml_tree tree;
    struct error error = {0};
    assert_int_equal(yaml_tree_parse("t.yaml", text, size, &tree, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.text, message);
}

TEST(structure)
{
    struct yaml_tree tree = parsed("a: 1\nb:\n  - x y\n  - [2, \"3\"]\nc: {d: 4}\ne:\n");
    const struct yaml_node *root = tree.root;
    assert_int_equal(root->kind, YAML_NODE_MAP);
    assert_int_equal(root->count, 4);
    assert_string_equal(yaml_map_find(root, "a")->text, "1");
    const struct yaml_node *b = yaml_map_find(root, "b");
    assert_int_equal(b->kind, YAML_NODE_LIST);
    assert_int_equal(b->count, 2);
    assert_string_equal(b->first->text, "x y");
    assert_int_equal(b->first->next->kind, YAML_NODE_LIST);
    assert_string_equal(b->last->last->text, "3");
    assert_null(b->last->next);
    assert_string_equal(yaml_map_find(yaml_map_find(root, "c"), "d")->text, "4");
    assert_string_equal(yaml_map_find(root, "e")->text, "");
    assert_null(yaml_map_find(root, "f"));
    yaml_tree_free(&tree);
    assert_null(tree.root);
}

TEST(places)
{
    struct yaml_tree tree = parsed("# comment\na: 1\nlist:\n  - \"\xc3\xa4\xe2\x82\xac\": b\n");
    const struct yaml_node *a = tree.root->first;
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 1);
    assert_int_equal(a->value->line, 2);
    assert_int_equal(a->value->column, 4);
    const struct yaml_node *item = a->next->value->first;
    assert_int_equal(item->line, 4);
    assert_int_equal(item->column, 5);
    assert_int_equal(item->first->value->column, 11); /* characters, not bytes */
    yaml_tree_free(&tree);
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

TEST(no_document)
{
    struct yaml_tree tree = parsed("# nothing\n\n");
    assert_null(tree.root);
    yaml_tree_free(&tree);
    tree = parsed("");
    assert_null(tree.root);
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

TEST(depth)
{
    char text[64];
    for (int depth = 1; depth <= YAML_DEPTH_MAX + 1; depth++) {
        memset(text, '[', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ']', (size_t)depth);
        text[2 * depth + 1] = '\0';
        if (depth <= YAML_DEPTH_MAX) {
            struct yaml_tree tree = parsed(text);
            assert_int_equal(tree.root->kind, YAML_NODE_LIST);
            yaml_tree_free(&tree);
        } else {
            assert_refused(text, strlen(text),
                           "t.yaml:1:17: lists and mappings are nested more than 16 deep");
        }
    }
}

TEST(refused)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"a: &x 1", "t.yaml:1:4: anchors (&name) are not supported in job files; write the value out"},
        {"a: *x", "t.yaml:1:4: aliases (*name) are not supported in job files; write the value out"},
        {"a: !!int 1", "t.yaml:1:4: tags (!name) are not supported in job files; leave the tag out"},
        {"a: 1\n---\nb: 1", "t.yaml:2:1: a second YAML document starts here; a job file holds one"},
        {"a: 1\nb: 2\na: 3", "t.yaml:3:1: key 'a' is given twice; the first is at line 1"},
        {"{a: 1, \"a\": 2}", "t.yaml:1:8: key 'a' is given twice; the first is at line 1"},
        {"a:\n\tb: 1", "t.yaml:2:1: tabs cannot indent YAML; use spaces"},
        {"-\t- \t@", "t.yaml:1:2: tabs cannot indent YAML; use spaces"},
        {"a: [1, 2", "t.yaml:2:1: bad YAML: did not find expected ',' or ']' (while parsing a flow sequence "
                     "that starts at "
                     "line 1, column 4)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refused(rows[i].text, strlen(rows[i].text), rows[i].message);
    assert_refused("a\0b", 3, "t.yaml:1:2: NUL byte; a job file must be plain UTF-8 text");
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
        {"\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xef\xbf\xbd \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", 0},
        {"a\x80", 2},        /* a continuation alone */
        {"ab\xc1\xbf", 3},   /* overlong */
        {"\xe0\x9f\xbf", 1}, /* overlong */
        {"\xf0\x8f\xbf\xbf", 1},
        {"\xed\xa0\x80", 1},     /* a surrogate */
        {"\xf4\x90\x80\x80", 1}, /* above U+10FFFF */
        {"\xe2\x82", 1},         /* cut off */
        {"\xc3\xa4\xc3(", 2},    /* the second character; columns count characters */
        {"\x1b", 1},
        {"\x7f", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct utf8_place place = {0, 0};
        const char *fault = utf8_fault(rows[i].text, strlen(rows[i].text), &place);
        assert_int_equal(fault != NULL, rows[i].column != 0);
        assert_int_equal(place.column, rows[i].column);
    }
    struct utf8_place place = utf8_place_of("a\n\xc3\xa4 b", 5);
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 3);
}
