/* yaml.h - parse YAML into a small tree whose nodes have lines and columns, change it, and write it.
 *
 * Job files consist of scalars, lists and mappings. Anchors, aliases, tags, several documents and deep
 * nesting are errors: so time and memory are proportional to the size of the file, even of a malicious
 * one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

#define YAML_DEPTH_MAX    16         /* of nesting */
#define YAML_NODES_MAX    (1u << 18) /* scalars, lists and mappings in all */
#define YAML_MAP_KEYS_MAX 256        /* keys of one mapping */

enum yaml_node_kind { YAML_NODE_SCALAR, YAML_NODE_LIST, YAML_NODE_MAP };

struct yaml_node {
    enum yaml_node_kind kind;
    int line, column;        /* from 1; columns count characters */
    const char *text;        /* of a scalar: never NULL, "" if empty */
    bool quoted;             /* a scalar in quotes: a word, whatever it says */
    size_t count;            /* items of a list, keys of a mapping */
    struct yaml_node *first; /* first item, or first key; linked by `next` */
    struct yaml_node *last;
    struct yaml_node *next;
    struct yaml_node *value; /* of a key */
};

struct yaml_tree {
    const char *path;       /* for messages; borrowed */
    struct yaml_node *root; /* NULL if the text has no document */
    struct yaml_chunk *chunks;
};

/* Parse `size` bytes. On failure (-1) the error is ERROR_USAGE with "path:line:column: message", and nothing
 * needs freeing. The tree copies what it keeps of `text`, but not `path`. */
int yaml_tree_parse(const char *path, const char *text, size_t size, struct yaml_tree *tree,
                    struct error *error);
void yaml_tree_free(struct yaml_tree *tree);

/* The value of `key` in a mapping, or NULL. */
struct yaml_node *yaml_map_find(const struct yaml_node *map, const char *key);

/* ---- Changing ---- */

/* A node that lives as long as the tree, at the place of `at`: a list or a mapping without content, or, with
 * a text, a scalar. */
struct yaml_node *yaml_new(struct yaml_tree *tree, const struct yaml_node *at, enum yaml_node_kind kind,
                           const char *text);

/* Add an item to a list. */
void yaml_add(struct yaml_node *list, struct yaml_node *item);

/* Set the value of a key, which is added if it is not there. */
void yaml_map_put(struct yaml_tree *tree, struct yaml_node *map, const char *key, struct yaml_node *value);

/* Remove an item from a list, or a key from a mapping. */
void yaml_remove(struct yaml_node *parent, const struct yaml_node *child);

/* A text for use in messages: cut to 40 characters, unprintable ones replaced by '?'. */
struct yaml_quote {
    char text[48];
};
struct yaml_quote yaml_quote(const char *text);

/* ---- Writing ---- */

/* On one line: word, "quoted if needed", [lists], {key: value}. */
void yaml_write(struct text *out, const struct yaml_node *node);

/* A mapping, such as a job: a line for each key, and one for each key of mappings in a list. */
void yaml_write_lines(struct text *out, const struct yaml_node *map);
