#include "results/derive.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "results/merge.h"
#include "table/view.h"
#include "table/where.h"

/* ---- Points that differ in some axes only ---- */

struct partner {
    uint64_t key;
    size_t row;
};

/* Rows by a key of their kernel and of the axes that are not in brackets. */
struct partners {
    bool *free_axis; /* of the columns of results: may differ */
    int *key;        /* the columns of the key: found once, because every row asks for them */
    int keys;
    struct partner *entry;
    size_t entries;
};

static void find_key(const struct frame *results, struct partners *partners)
{
    partners->key = memory_new((size_t)results->columns + 1, sizeof *partners->key);
    for (int i = 0; i < results->columns; i++)
        if (!partners->free_axis[i] &&
            (results->column[i].role == ROLE_AXIS || !strcmp(results->column[i].name, COLUMN(kernel)) ||
             !strcmp(results->column[i].name, MERGE_GROUP)))
            partners->key[partners->keys++] = i;
}

static bool same_cell(enum column_type type, union cell a, union cell b)
{
    return type == COLUMN_TEXT   ? a.text == b.text /* interned */
           : type == COLUMN_REAL ? a.real == b.real || (isnan(a.real) && isnan(b.real))
                                 : a.integer == b.integer;
}

static uint64_t key_of(const struct frame *results, size_t row, const struct partners *partners)
{
    uint64_t key = HASH_START;
    for (int i = 0; i < partners->keys; i++)
        key = hash_u64(key, (uint64_t)frame_cell(results, row, partners->key[i])->integer);
    return key;
}

static bool same_key(const struct frame *results, size_t a, size_t b, const struct partners *partners)
{
    for (int i = 0; i < partners->keys; i++) {
        int c = partners->key[i];
        if (!same_cell(results->column[c].type, *frame_cell(results, a, c), *frame_cell(results, b, c)))
            return false;
    }
    return true;
}

static int compare_partners(const void *a, const void *b)
{
    const struct partner *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->row > y->row) - (x->row < y->row);
}

static void free_partners(struct partners *partners)
{
    free(partners->free_axis);
    free(partners->key);
    free(partners->entry);
}

/* The rows of which `where` holds, sorted by key. */
static int find_partners(const struct frame *results, const struct where *where, struct partners *partners,
                         const char *brackets, struct error *error)
{
    int repeat = frame_find(results, COLUMN(repeat)), source = frame_find(results, MERGE_GROUP);
    find_key(results, partners);
    partners->entry = memory_new(results->rows ? results->rows : 1, sizeof *partners->entry);
    for (size_t row = 0; row < results->rows; row++)
        if ((repeat < 0 || frame_cell(results, row, repeat)->integer == 0) &&
            (source < 0 || *frame_cell(results, row, source)->text) && /* else no device measured it */
            where_holds(where, row))
            partners->entry[partners->entries++] = (struct partner){key_of(results, row, partners), row};
    qsort(partners->entry, partners->entries, sizeof *partners->entry, compare_partners);
    for (size_t i = 1; i < partners->entries; i++)
        if (partners->entry[i].key == partners->entry[i - 1].key)
            return error_set(error, ERROR_USAGE,
                             "[%.80s] matches several points; give one value for every axis that it names",
                             brackets);
    return 0;
}

static size_t partner_of(const struct frame *results, const struct partners *partners, size_t row)
{
    struct partner wanted = {key_of(results, row, partners), 0};
    size_t low = 0, high = partners->entries;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_partners(&partners->entry[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < partners->entries && partners->entry[low].key == wanted.key &&
        same_key(results, partners->entry[low].row, row, partners))
        return partners->entry[low].row;
    return SIZE_MAX;
}

/* ---- Expressions: a tree, its nodes in one array ---- */

enum { NODES_MOST = 64 };

struct node {
    char kind; /* + - * / ~ (negation), 'n'umber, 'c'olumn */
    int left, right;
    double number;
    struct view_column column;
    struct partners *partners; /* of a column in brackets; else NULL */
};

struct parser {
    const struct dataset *dataset;
    const char *text, *at;
    struct node node[NODES_MOST];
    int nodes;
    struct error *error;
};

static int expected(struct parser *parser, const char *what)
{
    return error_set(parser->error, ERROR_USAGE, "'%.80s': column %zu: expected %s", parser->text,
                     (size_t)(parser->at - parser->text) + 1, what);
}

static void skip_spaces(struct parser *parser)
{
    while (*parser->at == ' ')
        parser->at++;
}

/* The index of a new node; -1 when there are too many. */
static int new_node(struct parser *parser, struct node node)
{
    if (parser->nodes == NODES_MOST)
        return expected(parser, "a shorter expression");
    parser->node[parser->nodes] = node;
    return parser->nodes++;
}

/* "AXIS=VALUE,AXIS=VALUE": the conditions, and that these axes may differ. */
static int read_brackets(struct parser *parser, char *brackets, struct where *where,
                         struct partners *partners)
{
    char *rest = NULL;
    for (char *one = strtok_r(brackets, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        struct view_column column;
        char *equals = strchr(one, '=');
        if (!equals)
            return expected(parser, "AXIS=VALUE in the brackets before");
        if (where_add(where, one, parser->error) != 0)
            return -1;
        *equals = '\0';
        if (view_find_column(parser->dataset, one, &column, parser->error) != 0)
            return -1;
        if (column.of_device || !view_is_axis(parser->dataset, column.index))
            return error_set(parser->error, ERROR_USAGE, "'%s' in brackets is no axis", one);
        partners->free_axis[column.index] = true;
        *equals = '=';
    }
    return 0;
}

static int parse_brackets(struct parser *parser, struct node *node)
{
    const struct frame *results = &parser->dataset->results;
    const char *end = strchr(parser->at, ']');
    if (!end)
        return expected(parser, "a ] that ends the brackets");
    char *brackets = memory_text(parser->at + 1), *words;
    brackets[end - parser->at - 1] = '\0';
    words = memory_text(brackets);
    struct where *where = where_new(parser->dataset);
    node->partners = memory_new(1, sizeof *node->partners);
    node->partners->free_axis = memory_new((size_t)results->columns, sizeof(bool));
    parser->at = end + 1;
    int failed = read_brackets(parser, words, where, node->partners) != 0 ||
                 find_partners(results, where, node->partners, brackets, parser->error) != 0;
    where_free(where);
    free(brackets);
    free(words);
    return failed ? -1 : 0;
}

static int parse_column(struct parser *parser)
{
    struct node node = {.kind = 'c'};
    size_t length = 0;
    while (isalnum((unsigned char)parser->at[length]) ||
           (parser->at[length] && strchr("_.", parser->at[length])))
        length++;
    char name[sizeof node.column.name];
    snprintf(name, sizeof name, "%.*s", (int)length, parser->at);
    if (view_find_column(parser->dataset, name, &node.column, parser->error) != 0)
        return -1;
    if (view_header(parser->dataset, &node.column)->type == COLUMN_TEXT)
        return error_set(parser->error, ERROR_USAGE, "%s holds words; an expression needs numbers", name);
    parser->at += length;
    int failed = *parser->at == '[' ? parse_brackets(parser, &node) : 0;
    int index = new_node(parser, node); /* added even on failure: its partners are freed with the tree */
    return failed ? -1 : index;
}

static int parse_sum(struct parser *parser);

static int parse_factor(struct parser *parser)
{
    skip_spaces(parser);
    if (*parser->at == '-') {
        parser->at++;
        int left = parse_factor(parser);
        return left < 0 ? -1 : new_node(parser, (struct node){.kind = '~', .left = left});
    }
    if (*parser->at == '(') {
        parser->at++;
        int inner = parse_sum(parser);
        if (inner >= 0 && *parser->at != ')')
            return expected(parser, "a )");
        parser->at += inner >= 0;
        skip_spaces(parser);
        return inner;
    }
    int index;
    if (isdigit((unsigned char)*parser->at) || *parser->at == '.') {
        char *end;
        double number = strtod(parser->at, &end);
        parser->at = end;
        index = new_node(parser, (struct node){.kind = 'n', .number = number});
    } else if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
        index = parse_column(parser);
    } else {
        return expected(parser, "a number, a column or a (");
    }
    skip_spaces(parser);
    return index;
}

/* One level of left-associative operators. */
static int parse_chain(struct parser *parser, const char *operators, int (*operand)(struct parser *))
{
    int left = operand(parser);
    while (left >= 0 && *parser->at && strchr(operators, *parser->at)) {
        char kind = *parser->at++;
        int right = operand(parser);
        if (right < 0)
            return -1;
        left = new_node(parser, (struct node){.kind = kind, .left = left, .right = right});
    }
    return left;
}

static int parse_product(struct parser *parser)
{
    return parse_chain(parser, "*/", parse_factor);
}

static int parse_sum(struct parser *parser)
{
    return parse_chain(parser, "+-", parse_product);
}

static double column_at(const struct parser *parser, const struct node *node, size_t row)
{
    const struct column *header = view_header(parser->dataset, &node->column);
    if (node->partners)
        row = partner_of(&parser->dataset->results, node->partners, row);
    if (row == SIZE_MAX)
        return NAN;
    union cell cell = view_cell(parser->dataset, row, &node->column);
    if (frame_is_missing(header, cell))
        return NAN;
    return header->type == COLUMN_REAL ? cell.real : (double)cell.integer;
}

static double value_at(const struct parser *parser, int index, size_t row)
{
    const struct node *node = &parser->node[index];
    switch (node->kind) {
    case 'n':
        return node->number;
    case 'c':
        return column_at(parser, node, row);
    case '~':
        return -value_at(parser, node->left, row);
    case '+':
        return value_at(parser, node->left, row) + value_at(parser, node->right, row);
    case '-':
        return value_at(parser, node->left, row) - value_at(parser, node->right, row);
    case '*':
        return value_at(parser, node->left, row) * value_at(parser, node->right, row);
    default:
        return value_at(parser, node->left, row) / value_at(parser, node->right, row);
    }
}

/* ---- The column ---- */

static bool is_derived(const struct dataset *dataset, const char *name)
{
    int column = frame_find(&dataset->results, name);
    size_t length = strlen(name);
    return column >= 0 && !strncmp(dataset->results.column[column].meaning, name, length) &&
           dataset->results.column[column].meaning[length] == '=';
}

static int check_name(const struct dataset *dataset, const char *name, bool replace, struct error *error)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*name || name[length] || isdigit((unsigned char)*name))
        return error_set(error, ERROR_USAGE,
                         "'%.80s' is no name for a column; expected letters, digits and _", name);
    if (frame_find(&dataset->results, name) >= 0 && !(replace && is_derived(dataset, name)))
        return error_set(error, ERROR_USAGE, "column '%.80s' exists already; choose another name", name);
    return 0;
}

static void fill(struct dataset *dataset, const struct parser *parser, int root, const char *name)
{
    size_t rows = dataset->results.rows;
    double *value = memory_new(rows ? rows : 1, sizeof *value);
    for (size_t row = 0; row < rows; row++)
        value[row] = value_at(parser, root, row);
    int column = frame_add_column(&dataset->results, name, COLUMN_REAL, ROLE_OTHER, "", parser->text);
    for (size_t row = 0; row < rows; row++)
        frame_put_real(&dataset->results, row, column, value[row]);
    free(value);
}

static int define(struct dataset *dataset, const char *definition, bool replace, struct error *error)
{
    const char *equals = strchr(definition, '=');
    if (!equals)
        return error_set(error, ERROR_USAGE, "'%.80s' is not a definition; expected NAME=EXPRESSION",
                         definition);
    char *name = memory_text(definition);
    name[equals - definition] = '\0';
    struct parser *parser = memory_new(1, sizeof *parser);
    *parser = (struct parser){.dataset = dataset, .text = definition, .at = equals + 1, .error = error};
    int failed = check_name(dataset, name, replace, error), root = -1;
    if (!failed)
        root = parse_sum(parser);
    if (root >= 0 && *parser->at)
        root = expected(parser, "an operator or the end");
    if (root >= 0)
        fill(dataset, parser, root, name);
    for (int i = 0; i < parser->nodes; i++)
        if (parser->node[i].partners) {
            free_partners(parser->node[i].partners);
            free(parser->node[i].partners);
        }
    free(parser);
    free(name);
    return root < 0 ? -1 : 0;
}

int derive_column(struct dataset *dataset, const char *definition, struct error *error)
{
    return define(dataset, definition, false, error);
}

int derive_column_again(struct dataset *dataset, const char *definition, struct error *error)
{
    return define(dataset, definition, true, error);
}
