#include "plan/yaml.h"

#include <ctype.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"

/* Nodes and their texts, which are freed together. */
struct yaml_chunk {
    struct yaml_chunk *next;
    alignas(max_align_t) char data[];
};

static void *tree_take(struct yaml_tree *tree, size_t size)
{
    struct yaml_chunk *chunk = memory_new(1, sizeof *chunk + size);
    chunk->next = tree->chunks;
    tree->chunks = chunk;
    return chunk->data;
}

void yaml_tree_free(struct yaml_tree *tree)
{
    for (struct yaml_chunk *chunk = tree->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *tree = (struct yaml_tree){0};
}

struct yaml_node *yaml_map_find(const struct yaml_node *map, const char *key)
{
    for (const struct yaml_node *k = map->first; k; k = k->next)
        if (!strcmp(k->text, key))
            return k->value;
    return NULL;
}

/* ---- Changing ---- */

static const char *keep_text(struct yaml_tree *tree, const char *text, size_t length)
{
    char *copy = tree_take(tree, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

struct yaml_node *yaml_new(struct yaml_tree *tree, const struct yaml_node *at, enum yaml_node_kind kind,
                           const char *text)
{
    struct yaml_node *node = tree_take(tree, sizeof *node);
    *node = (struct yaml_node){.kind = kind, .line = at->line, .column = at->column};
    node->text = text ? keep_text(tree, text, strlen(text)) : NULL;
    return node;
}

void yaml_add(struct yaml_node *list, struct yaml_node *item)
{
    if (list->last)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
    list->count++;
}

void yaml_map_put(struct yaml_tree *tree, struct yaml_node *map, const char *key, struct yaml_node *value)
{
    struct yaml_node *there = map->first;
    while (there && strcmp(there->text, key) != 0)
        there = there->next;
    if (!there)
        yaml_add(map, there = yaml_new(tree, map, YAML_NODE_SCALAR, key));
    there->value = value;
}

void yaml_remove(struct yaml_node *parent, const struct yaml_node *child)
{
    struct yaml_node *before = NULL, **link = &parent->first;
    while (*link != child) {
        before = *link;
        link = &before->next;
    }
    *link = child->next;
    parent->last = parent->last == child ? before : parent->last;
    parent->count--;
}

struct yaml_quote yaml_quote(const char *text)
{
    enum { LONGEST = 40 };
    struct yaml_quote quote;
    size_t length = 0;
    for (; text[length] && length < LONGEST; length++) { /* UTF-8, which the file is, as it is */
        unsigned char c = (unsigned char)text[length];
        quote.text[length] = isprint(c) || c >= 0x80 ? (char)c : '?';
    }
    while (text[length] && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--; /* no half of a character */
    snprintf(quote.text + length, sizeof quote.text - length, "%s", text[length] ? "..." : "");
    return quote;
}

/* ---- Building the tree from libyaml's events ---- */

struct builder {
    const char *text;
    size_t size;
    struct yaml_tree *tree;
    struct error *error;
    struct yaml_node *open[YAML_DEPTH_MAX]; /* open lists and mappings */
    int depth;
    size_t nodes;
    int documents;
};

static const char no_tag[] = "tags (!name) are not supported; leave the tag out";

static int fail(struct builder *builder, const yaml_mark_t *mark, const char *message)
{
    return error_at(builder->tree->path, (int)mark->line + 1, (int)mark->column + 1, builder->error, "%s",
                    message);
}

/* Add a new node to its parent: as an item, a key, or the value of the last key. */
static int attach(struct builder *builder, struct yaml_node *node, const yaml_mark_t *mark)
{
    if (builder->depth == 0) {
        builder->tree->root = node;
        return 0;
    }
    struct yaml_node *parent = builder->open[builder->depth - 1];
    if (parent->kind == YAML_NODE_MAP) {
        if (parent->last && !parent->last->value) {
            parent->last->value = node;
            return 0;
        }
        if (node->kind != YAML_NODE_SCALAR)
            return fail(builder, mark, "a key must be a plain word, not a list or a mapping");
        if (parent->count == YAML_MAP_KEYS_MAX)
            return fail(builder, mark, "too many keys in one mapping; the maximum is 256");
        for (const struct yaml_node *key = parent->first; key; key = key->next)
            if (!strcmp(key->text, node->text))
                return error_at(builder->tree->path, node->line, node->column, builder->error,
                                "key '%s' is given twice; the first is at line %d",
                                yaml_quote(node->text).text, key->line);
    }
    yaml_add(parent, node);
    return 0;
}

static int add_node(struct builder *builder, const yaml_event_t *event, enum yaml_node_kind kind,
                    const yaml_char_t *anchor, const yaml_char_t *tag)
{
    const yaml_mark_t *mark = &event->start_mark;
    if (anchor)
        return fail(builder, mark, "anchors (&name) are not supported; write the value out");
    if (tag)
        return fail(builder, mark, no_tag);
    if (++builder->nodes > YAML_NODES_MAX)
        return fail(builder, mark, "too many values in one job file; the maximum is 262144");
    const struct yaml_node at = {.line = (int)mark->line + 1, .column = (int)mark->column + 1};
    struct yaml_node *node = yaml_new(builder->tree, &at, kind, NULL);
    if (kind == YAML_NODE_SCALAR) {
        size_t length = event->data.scalar.length;
        if (memchr(event->data.scalar.value, '\0', length))
            return fail(builder, mark, "a job file cannot hold a NUL character");
        node->text = keep_text(builder->tree, (const char *)event->data.scalar.value, length);
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    if (attach(builder, node, mark) != 0)
        return -1;
    if (kind == YAML_NODE_SCALAR)
        return 0;
    if (builder->depth == YAML_DEPTH_MAX)
        return fail(builder, mark, "lists and mappings are nested more than 16 deep");
    builder->open[builder->depth++] = node;
    return 0;
}

/* One event into the tree. */
static int take_event(struct builder *builder, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (builder->documents++)
            return fail(builder, mark, "a second YAML document starts here; expected one");
        if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
            return fail(builder, mark, no_tag);
        return 0;
    case YAML_ALIAS_EVENT:
        return fail(builder, mark, "aliases (*name) are not supported; write the value out");
    case YAML_SCALAR_EVENT:
        return add_node(builder, event, YAML_NODE_SCALAR, event->data.scalar.anchor, event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        return add_node(builder, event, YAML_NODE_LIST, event->data.sequence_start.anchor,
                        event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return add_node(builder, event, YAML_NODE_MAP, event->data.mapping_start.anchor,
                        event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        builder->depth--;
        return 0;
    default:
        return 0;
    }
}

/* The column (from 0) of a tab in the indentation of the line where libyaml fails, or at the failing place;
 * -1: none. */
static int offending_tab(const struct builder *builder, const yaml_mark_t *mark)
{
    const char *at = builder->text, *end = at + builder->size;
    for (size_t line = mark->line; line && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    for (const char *c = at; c < end && (*c == ' ' || *c == '\t'); c++)
        if (*c == '\t')
            return (int)(c - at);
    return (size_t)(end - at) > mark->column && at[mark->column] == '\t' ? (int)mark->column : -1;
}

/* The message of libyaml's about a byte that no YAML has, at its line and column, which counts characters. */
static int fail_at_byte(const char *path, const char *text, size_t offset, const char *problem,
                        struct error *error)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < offset; i++) {
        column = text[i] == '\n' ? 1 : column + (((unsigned char)text[i] & 0xc0) != 0x80);
        line += text[i] == '\n';
    }
    return error_at(path, line, column, error, "%s; expected plain UTF-8 text", problem);
}

/* Turn the error of libyaml into a message for the author of the job file. */
static int describe_problem(struct builder *builder, const yaml_parser_t *parser)
{
    const char *path = builder->tree->path, *problem = parser->problem ? parser->problem : "unreadable";
    const yaml_mark_t mark = parser->problem_mark, since = parser->context_mark;
    const int line = (int)mark.line + 1, tab = offending_tab(builder, &mark);
    if (parser->error == YAML_MEMORY_ERROR)
        return error_set(builder->error, ERROR_ENVIRONMENT, "%.300s: out of memory while reading YAML", path);
    if (parser->error == YAML_READER_ERROR)
        return fail_at_byte(path, builder->text, parser->problem_offset, problem, builder->error);
    if (tab >= 0)
        return error_at(path, line, tab + 1, builder->error, "tabs cannot indent YAML; use spaces");
    if (!parser->context)
        return error_at(path, line, (int)mark.column + 1, builder->error, "bad YAML: %s", problem);
    return error_at(path, line, (int)mark.column + 1, builder->error,
                    "bad YAML: %s (%s that starts at line %d, column %d)", problem, parser->context,
                    (int)since.line + 1, (int)since.column + 1);
}

static int parse_events(struct builder *builder, yaml_parser_t *parser)
{
    yaml_event_type_t type;
    do {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return describe_problem(builder, parser);
        type = event.type;
        int failed = take_event(builder, &event);
        yaml_event_delete(&event);
        if (failed)
            return -1;
    } while (type != YAML_STREAM_END_EVENT);
    return 0;
}

int yaml_tree_parse(const char *path, const char *text, size_t size, struct yaml_tree *tree,
                    struct error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    *tree = (struct yaml_tree){.path = path};
    if (size >= 3 && !memcmp(text, byte_order_mark, 3)) {
        text += 3;
        size -= 3;
    }
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(error, ERROR_ENVIRONMENT, "%.300s: out of memory while reading YAML", path);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    struct builder builder = {.text = text, .size = size, .tree = tree, .error = error};
    int failed = parse_events(&builder, &parser);
    yaml_parser_delete(&parser);
    if (failed)
        yaml_tree_free(tree);
    return failed;
}

/* ---- Writing ---- */

/* Letters, digits and characters without a meaning in YAML. A leading - or % has one. */
static bool is_plain(const char *text)
{
    if (!*text || *text == '-' || *text == '%' || *text == '.')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("_.-+%/", *text))
            return false;
    return true;
}

static void write_scalar(struct text *out, const struct yaml_node *node)
{
    if (!node->quoted && is_plain(node->text)) {
        text_add(out, "%s", node->text);
        return;
    }
    text_add(out, "\"");
    for (const char *text = node->text; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            text_add(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            text_add(out, "\\x%02x", c);
        else
            text_add(out, "%c", c);
    }
    text_add(out, "\"");
}

void yaml_write(struct text *out, const struct yaml_node *node)
{
    if (node->kind == YAML_NODE_SCALAR) {
        write_scalar(out, node);
        return;
    }
    bool map = node->kind == YAML_NODE_MAP;
    text_add(out, map ? "{" : "[");
    for (const struct yaml_node *one = node->first; one; one = one->next) {
        yaml_write(out, one); /* an item, or a key: a scalar */
        if (map) {
            text_add(out, ": ");
            yaml_write(out, one->value);
        }
        text_add(out, "%s", one->next ? ", " : "");
    }
    text_add(out, map ? "}" : "]");
}

static void write_keys(struct text *out, const struct yaml_node *map, const char *first, const char *indent)
{
    for (const struct yaml_node *key = map->first; key; key = key->next) {
        const struct yaml_node *item = key->value->kind == YAML_NODE_LIST ? key->value->first : NULL;
        const bool flow = *indent || !item || item->kind != YAML_NODE_MAP;
        text_add(out, "%s", key == map->first ? first : indent);
        write_scalar(out, key);
        text_add(out, flow ? ": " : ":");
        if (flow)
            yaml_write(out, key->value);
        text_add(out, "\n");
        for (; item && !flow; item = item->next)
            write_keys(out, item, "  - ", "    ");
    }
}

void yaml_write_lines(struct text *out, const struct yaml_node *map)
{
    write_keys(out, map, "", "");
}
